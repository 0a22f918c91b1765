import CanonicalJSON

/// Structured values as one text, for SQLite's JSON functions (health-data.md 4.2).
enum CompactJSON {
    /// The compact text.
    static func text(_ value: JSONValue) -> String {
        String(decoding: JSONWriter.encode(value, style: .compactSorted), as: UTF8.self)
    }

    /// The compact text of what is there.
    static func textIfPresent(_ value: JSONValue?) -> String? { value.map(text) }
}

/// Names of the document in the spelling of columns: `strideLength` becomes `stride_length`.
enum ColumnName {
    /// A capital starts a word.
    static func of(_ member: String) -> String {
        member.reduce(into: "") { name, character in
            if character.isUppercase { name += "_" }
            name += character.lowercased()
        }
    }
}
