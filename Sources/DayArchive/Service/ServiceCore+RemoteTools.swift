import CanonicalJSON
import HTTPService

// The keyless tools at /mcp/b/<bucket-id> (day-archive.md 11, extensions.md 10.10).
extension ServiceCore {
    private static let serverInformation: JSONValue = [
        "name": "healthmd-sealed-archive", "version": "1.0.0",
    ]

    func answerRemoteTools(_ bucket: BucketID, _ context: Context) throws -> ServiceAnswer {
        let message: RPCMessage
        switch RPCMessage.parse(context.request.body) {
        case .unanswered: return .empty(202)
        case .refused(let refusal): return .json(400, refusal.response)
        case .request(let request): message = request
        }
        let id = message.id
        let result: Result<JSONValue, RPCError>
        switch message.method {
        case "initialize":
            result = .success(RPCMessage.initializeResult(message, server: Self.serverInformation, instructions: nil))
        case "ping": result = .success([:])
        case "tools/list": result = .success(["tools": .array(Self.toolList)])
        case "tools/call": result = .success(try callTool(bucket, message, context))
        default: result = .failure(.methodNotFound)
        }
        switch result {
        case .success(let value): return .json(200, RPCMessage.response(id: id, result: value))
        case .failure(let error): return .json(200, error.response(id: id))
        }
    }

    private func callTool(_ bucket: BucketID, _ message: RPCMessage, _ context: Context) throws -> JSONValue {
        let name = message.parameters["name"]?.string ?? ""
        let arguments = message.parameters["arguments"]?.object ?? JSONObject()
        do {
            switch name {
            case "setup_guide":
                return ToolResult.text(SetupGuide.text(bucket: bucket, endpoint: origin(context)))
            case "archive_status": return ToolResult.object(try statistics(bucket, context.view))
            case "list_sealed_days", "get_sealed_day", "list_edits":
                guard try context.view.bucket(bucket)?.reader == nil else {
                    return ToolResult.failure(SetupGuide.signedReadsOnly)
                }
                return try readTool(name, bucket, RemoteArguments(arguments), context)
            default: return ToolResult.failure("There is no tool of this name; ask tools/list.")
            }
        } catch let fault as ServiceFault {
            return ToolResult.failure(fault.refusal.sentence)
        }
    }

    private func readTool(
        _ name: String, _ bucket: BucketID, _ arguments: RemoteArguments, _ context: Context
    ) throws -> JSONValue {
        switch name {
        case "list_sealed_days":
            return ToolResult.object(
                try dayListing(
                    bucket, from: try arguments.day("from"), to: try arguments.day("to"),
                    after: try arguments.day("after"), limit: try arguments.limit(ceiling: limits.daysPerPage),
                    context.view))
        case "list_edits":
            let status = try arguments.text("status") ?? "pending"
            guard status == "pending" || status == "all" else { throw ServiceFault(.badStatus) }
            return ToolResult.object(
                try editListing(
                    bucket, after: try arguments.editName("after"),
                    limit: try arguments.limit(ceiling: limits.editsPerPage), isAll: status == "all", context.view))
        default:
            guard let day = try arguments.day("day") else { throw ServiceFault(.badDay) }
            guard try context.view.day(bucket, day) != nil else { throw ServiceFault(.noDay) }
            return [
                "content": [
                    [
                        "type": "resource_link", "uri": .string("\(origin(context).url)/b/\(bucket)/d/\(day)"),
                        "name": .string("sealed-day-\(day)"), "mimeType": "application/octet-stream",
                    ]
                ]
            ]
        }
    }

    /// Where the caller reached this service.
    private func origin(_ context: Context) -> ServiceEndpoint {
        if let publicURL { return publicURL }
        let host = context.request.headers["Host"] ?? "127.0.0.1"
        let fallback = ServiceEndpoint("http://127.0.0.1" + basePath)
        guard let endpoint = ServiceEndpoint("http://" + host + basePath) ?? fallback else {
            preconditionFailure("a base path is checked when the service starts")
        }
        return endpoint
    }

    private static let toolList: [JSONValue] = [
        tool(
            "setup_guide", "How to set up a reader", "How to connect a local reader that holds the reading key.", []),
        tool("archive_status", "What the archive holds", "Number of days and bytes, first and last day.", []),
        tool(
            "list_sealed_days", "List sealed days", "Names, sizes and upload times of sealed days, ascending.",
            [("from", "string"), ("to", "string"), ("after", "string"), ("limit", "integer")]),
        tool(
            "get_sealed_day", "Link to a sealed day", "A link to one sealed day; it opens only with the reading key.",
            [("day", "string")], required: ["day"]),
        tool(
            "list_edits", "List edits", "Edits that wait for the writer, or all with what became of them.",
            [("after", "string"), ("limit", "integer"), ("status", "string")]),
    ]

    private static func tool(
        _ name: String, _ title: String, _ description: String, _ properties: [(String, String)],
        required: [String] = []
    ) -> JSONValue {
        var schema: JSONObject = ["type": "object"]
        if !required.isEmpty { schema.append("required", .array(required.map { .string($0) })) }
        schema.append(
            "properties", .object(JSONObject(properties.map { .init($0.0, ["type": .string($0.1)]) })))
        return [
            "name": .string(name), "title": .string(title), "description": .string(description),
            "inputSchema": .object(schema),
        ]
    }
}

/// Arguments of a remote tool, under the rules of the query parameters.
private struct RemoteArguments {
    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    func text(_ name: String) throws(ServiceFault) -> String? {
        guard let value = object[name], value != .null else { return nil }
        guard let text = value.string else { throw ServiceFault(name == "status" ? .badStatus : .badDay) }
        return text.isEmpty ? nil : text
    }

    func day(_ name: String) throws(ServiceFault) -> ArchiveDay? {
        guard let text = try text(name) else { return nil }
        do {
            return try ArchiveDay(text: text)
        } catch {
            throw ServiceFault(.badDay)
        }
    }

    func editName(_ name: String) throws(ServiceFault) -> EditName? {
        guard let text = try text(name) else { return nil }
        do {
            return try EditName(text: text)
        } catch {
            throw ServiceFault(.badName)
        }
    }

    func limit(ceiling: Int) throws(ServiceFault) -> Int {
        guard let value = object["limit"], value != .null else { return ceiling }
        guard let limit = value.number?.int, limit >= 1 else { throw ServiceFault(.badLimit) }
        return min(limit, ceiling)
    }
}
