import CanonicalJSON

/// An error of JSON-RPC 2.0.
struct RPCError: Error, Equatable {
    let code: Int
    let message: String

    static let parse = RPCError(code: -32_700, message: "Parse error")
    static let invalidRequest = RPCError(code: -32_600, message: "Invalid Request")
    static let methodNotFound = RPCError(code: -32_601, message: "Method not found")

    func response(id: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": .string(message)]]
    }
}

/// A line or body that is no request: its error, for the id that it names as far as that can be read.
struct RPCRefusal: Error, Equatable {
    let error: RPCError
    let id: JSONValue

    /// The answer.
    var response: JSONValue { error.response(id: id) }
}

/// What came in on a line or as a body.
enum RPCInput {
    /// A request, which is answered.
    case request(RPCMessage)
    /// An object without an id. Nobody waits for an answer, so there is none, whatever else is wrong with it.
    case unanswered
    /// No request.
    case refused(RPCRefusal)
}

/// One request of JSON-RPC 2.0, as MCP uses it.
struct RPCMessage {
    /// Newest first (mcp-surface of the reader specification).
    static let protocolVersions = ["2025-06-18", "2025-03-26", "2024-11-05"]

    let id: JSONValue
    let method: String
    let parameters: JSONObject

    /// Reads one message. What is not a JSON object, a batch included, is a parse error; an object without an id is never answered
    /// (extensions.md 10); one with an id that is no request of version 2.0 is an invalid request. An id of null is none that an
    /// answer could be told by: MCP forbids it.
    static func parse(_ bytes: [UInt8]) -> RPCInput {
        // Where the text breaks off is of no use to its sender, which wrote it by program.
        guard let object = try? JSONParser.parse(bytes, limits: JSONLimits(depth: 64)).object else {
            return .refused(RPCRefusal(error: .parse, id: .null))
        }
        guard let id = object["id"] else { return .unanswered }
        guard isID(id) else { return .refused(RPCRefusal(error: .invalidRequest, id: .null)) }
        guard object["jsonrpc"]?.string == "2.0", let method = object["method"]?.string,
            object["params"].map({ $0.object != nil || $0.array != nil }) ?? true
        else { return .refused(RPCRefusal(error: .invalidRequest, id: id)) }
        return .request(RPCMessage(id: id, method: method, parameters: object["params"]?.object ?? JSONObject()))
    }

    private static func isID(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .number: true
        case .null, .bool, .array, .object: false
        }
    }

    static func response(id: JSONValue, result: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "result": result]
    }

    /// The version asked for when it is known, else the newest.
    static func initializeResult(_ message: RPCMessage, server: JSONValue, instructions: String?) -> JSONValue {
        let asked = message.parameters["protocolVersion"]?.string
        let version = asked.flatMap { protocolVersions.contains($0) ? $0 : nil } ?? protocolVersions[0]
        var result: JSONObject = [
            "protocolVersion": .string(version), "capabilities": ["tools": [:]], "serverInfo": server,
        ]
        result.append("instructions", ifPresent: instructions.map { .string($0) })
        return .object(result)
    }
}

/// What a tool answers with.
enum ToolResult {
    /// One text.
    static func text(_ text: String) -> JSONValue { ["content": [["type": "text", "text": .string(text)]]] }

    /// An object: as compact text and as structured content.
    static func object(_ value: JSONValue) -> JSONValue {
        let text = String(decoding: JSONWriter.encode(value, style: .compact), as: UTF8.self)
        return ["content": [["type": "text", "text": .string(text)]], "structuredContent": value]
    }

    /// A refusal, which is no error of the protocol.
    static func failure(_ sentence: String) -> JSONValue {
        ["content": [["type": "text", "text": .string(sentence)]], "isError": true]
    }
}
