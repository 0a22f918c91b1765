import CanonicalJSON
import Cryptography

// The tools that write (day-archive-reader.md 7). Neither answers from the mirror: out of reach means no answer.
extension ArchiveReader {
    /// What the service says of an edit it took.
    private struct Taken {
        let name: EditName
        let at: String
        let byteCount: Int

        init?(_ object: JSONObject?) {
            // An answer without these is not one of a service.
            guard let object, let name = object["name"]?.string.flatMap({ try? EditName(text: $0) }),
                let at = object["at"]?.string, let byteCount = object["bytes"]?.number?.int
            else { return nil }
            self.name = name
            self.at = at
            self.byteCount = byteCount
        }
    }

    func write(_ arguments: ToolArguments) throws -> JSONObject {
        guard let items = arguments.value("items") else {
            throw ReaderError.badArgument(name: "items", what: "is needed")
        }
        let edit = try EditPlaintext(checking: items)
        let editor = try profile.editorKey().privateKey
        let key = try profile.readingKey()
        let client = try client(try profile.mirror(), key)
        let body = try edit.sealed(to: key.privateKey.publicKey)
        let bucket = key.bucket
        let target = client.target("/edits")
        let answer = try client.send(
            "POST", target,
            ArchiveClient.Signature(key: editor, signer: .editor) {
                SignedText.edit(bucket, timestamp: $0, body: body)
            }, body: body)
        // What is no JSON is not the answer of a service.
        guard let taken = Taken((try? JSONParser.parse(answer.body))?.object) else {
            throw ClientError.badAnswer(target: target, what: "no name, moment and size")
        }
        try note(edit, taken)
        return [
            "name": .string(taken.name.text), "at": .string(taken.at), "bytes": .integer(taken.byteCount),
            "items": .integer(edit.items.count),
            "note": "The writer applies it when it next looks; phone_data_edits says what became of it.",
        ]
    }

    /// Writes down what was sent: never a value.
    private func note(_ edit: EditPlaintext, _ taken: Taken) throws {
        var list = try profile.readJSON(ReaderProfile.editsName)?.array ?? []
        let items = edit.items.map { item -> JSONValue in
            switch item {
            case .delete(let id): return ["op": "delete", "id": .string(id)]
            case .put(let id, let metric, let start, _, _):
                var object: JSONObject = ["op": "put", "id": .string(id), "metric": .string(metric)]
                object.append("day", ifPresent: ArchiveDay(utcSecond: start).map { .string($0.description) })
                return .object(object)
            }
        }
        list.append(["name": .string(taken.name.text), "at": .string(taken.at), "items": .array(items)])
        try profile.writeJSON(ReaderProfile.editsName, .array(list))
    }

    func edits(_ arguments: ToolArguments) throws -> JSONObject {
        let status = try arguments.word("status", of: ["pending", "all"]) ?? "all"
        let after = try arguments.text("after")
        // A name is checked here so that nothing else can get into the signed path.
        if let after, (try? EditName(text: after)) == nil {
            throw ReaderError.badArgument(name: "after", what: "is the name of an edit")
        }
        let key = try profile.readingKey()
        let client = try client(try profile.mirror(), key)
        let page = try client.readObject("/edits", [("status", status), ("after", after)], key: key.readKey)
        guard let lines = page["edits"]?.array else {
            throw ClientError.badAnswer(target: client.target("/edits"), what: "edits is no list")
        }
        var local: [String: JSONValue] = [:]
        for entry in try profile.readJSON(ReaderProfile.editsName)?.array ?? [] {
            if let name = entry["name"]?.string { local[name] = entry["items"] }
        }
        var shown: [JSONValue] = []
        for line in lines { shown.append(.object(try completed(line, local, client, key.readKey))) }
        return [
            "edits": .array(shown), "next": page["next"] ?? .null,
            "codes": .array(EditFailureCode.allCases.map { .string($0.rawValue) }),
        ]
    }

    /// A line of the listing with what is known here, and the refusals of items that failed.
    private func completed(
        _ line: JSONValue, _ local: [String: JSONValue], _ client: ArchiveClient, _ key: Ed25519.PrivateKey
    ) throws -> JSONObject {
        // A name that is none must not get into a path.
        guard var object = line.object, let text = object["name"]?.string, let name = try? EditName(text: text) else {
            throw ClientError.badAnswer(target: client.target("/edits"), what: "a line without a name")
        }
        let items = local[name.text]
        object.append("items", ifPresent: items)
        // Older answers call the count "refused" (day-archive.md 9.2).
        let failed = (object["failed"] ?? object["refused"])?.number?.int ?? 0
        guard failed > 0 else { return object }
        let outcome = try client.readObject("/o/\(name)", key: key)
        let list = (outcome["failed"] ?? outcome["refused"])?.array ?? []
        object.append(
            "refusals",
            .array(
                list.map { entry in
                    var refusal: JSONObject = ["item": entry["item"] ?? .null, "code": entry["code"] ?? .null]
                    if let index = entry["item"]?.number?.int, let known = items?.array, known.indices.contains(index) {
                        refusal.append("id", ifPresent: known[index]["id"])
                    }
                    return .object(refusal)
                }))
        return object
    }
}
