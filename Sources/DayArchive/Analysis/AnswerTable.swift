import CanonicalJSON

/// Rows as columns: what all agree on is said once (day-archive-reader.md 6).
struct AnswerTable {
    let sameOnEveryRow: JSONObject
    let columns: [String]
    let rows: [[JSONValue]]

    init(_ objects: [JSONObject], dropping dropped: Set<String> = []) {
        var names: [String] = []
        var known: Set<String> = []
        for object in objects {
            for key in object.keys where !dropped.contains(key) && known.insert(key).inserted { names.append(key) }
        }
        let first = ["start", "end"].filter(known.contains)
        let ordered = first + names.filter { !first.contains($0) }.sorted { JSONKeyOrder.bytes($0, $1) }
        var same = JSONObject()
        var columns: [String] = []
        for name in ordered {
            if let value = Self.common(name, objects) { same.append(name, value) } else { columns.append(name) }
        }
        sameOnEveryRow = same
        self.columns = columns
        rows = objects.map { object in columns.map { object[$0] ?? .null } }
    }

    /// The plain value that every row carries, when there are two rows or more. A null counts when the key is there.
    private static func common(_ name: String, _ objects: [JSONObject]) -> JSONValue? {
        guard objects.count > 1, let value = objects[0][name], value.object == nil, value.array == nil,
            objects.allSatisfy({ $0[name] == value })
        else { return nil }
        return value
    }

    /// Appends the three members.
    func append(to object: inout JSONObject) {
        object.append("sameOnEveryRow", .object(sameOnEveryRow))
        object.append("columns", .array(columns.map { .string($0) }))
        object.append("rows", .array(rows.map { .array($0) }))
    }
}
