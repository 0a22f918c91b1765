import CanonicalJSON
import Foundation

/// The local MCP server: JSON-RPC 2.0, one object a line, one request at a time (day-archive-reader.md 7).
public struct LocalToolServer {
    /// The longest line that is read, in bytes: 500 items of an edit are far below.
    static let maximumLineByteCount = 4 << 20
    private static let information: JSONValue = ["name": "healthmd-archive", "version": "1.0.0"]

    private let call: (String, JSONObject) throws -> JSONObject

    /// A server whose tools a reader answers.
    public init(reader: ArchiveReader) { self.init { try reader.call($0, $1) } }

    init(call: @escaping (String, JSONObject) throws -> JSONObject) { self.call = call }

    /// The answer to one line, without its line end; nil when there is none.
    func answer(_ line: [UInt8]) -> [UInt8]? {
        let message: RPCMessage
        switch RPCMessage.parse(line) {
        case .unanswered: return nil
        case .refused(let refusal): return Self.encode(refusal.response)
        case .request(let request): message = request
        }
        let id = message.id
        switch message.method {
        case "initialize":
            let result = RPCMessage.initializeResult(
                message, server: Self.information, instructions: ToolCatalog.instructions)
            return Self.encode(RPCMessage.response(id: id, result: result))
        case "ping": return Self.encode(RPCMessage.response(id: id, result: [:]))
        case "tools/list":
            return Self.encode(RPCMessage.response(id: id, result: ["tools": .array(ToolCatalog.list)]))
        case "tools/call": return Self.encode(RPCMessage.response(id: id, result: callTool(message)))
        default: return Self.encode(RPCError.methodNotFound.response(id: id))
        }
    }

    private func callTool(_ message: RPCMessage) -> JSONValue {
        let arguments = message.parameters["arguments"]
        guard let object = arguments.map({ $0.object }) ?? JSONObject() else {
            return ToolResult.failure("arguments is an object.")
        }
        do {
            let answer = try call(message.parameters["name"]?.string ?? "", object)
            return ToolResult.text(String(decoding: JSONWriter.encode(.object(answer), style: .compact), as: UTF8.self))
        } catch {
            // Every error of this room describes itself in a sentence without health values.
            return ToolResult.failure("\(error)")
        }
    }

    private static func encode(_ value: JSONValue) -> [UInt8] { JSONWriter.encode(value, style: .compact) }

    /// Answers lines until the input ends. Blocking.
    public func run(input: FileHandle, output: FileHandle) throws {
        var buffer: [UInt8] = []
        var isTooLong = false
        while true {
            let piece = input.availableData
            if piece.isEmpty { break }
            for byte in piece {
                guard byte == UInt8(ascii: "\n") else {
                    if buffer.count < Self.maximumLineByteCount { buffer.append(byte) } else { isTooLong = true }
                    continue
                }
                try reply(isTooLong ? [] : buffer, isTooLong: isTooLong, to: output)
                buffer.removeAll(keepingCapacity: true)
                isTooLong = false
            }
        }
        if !buffer.isEmpty { try reply(buffer, isTooLong: isTooLong, to: output) }
    }

    private func reply(_ line: [UInt8], isTooLong: Bool, to output: FileHandle) throws {
        let isBlank = !isTooLong && line.allSatisfy { $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }
        guard !isBlank, let answer = answer(line) else { return }
        try output.write(contentsOf: Data(answer + [UInt8(ascii: "\n")]))
    }
}
