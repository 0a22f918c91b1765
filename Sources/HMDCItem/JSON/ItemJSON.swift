/// The JSON form of items in protocol versions 1 to 3 (hmdcitem.md 8).
///
/// The same values as for `ItemEncoder` and `ItemDecoder`, as compact JSON: keys sorted by their bytes, `/` and what is
/// not ASCII unescaped, dates as numbers of seconds since 2001-01-01T00:00:00Z, UUIDs and URLs as strings, data as
/// Base64, nil properties omitted.
public enum ItemJSON {
    /// The deepest nesting of JSON arrays and objects that is read. The tree form takes three levels of JSON for each
    /// level of an item, and a little more around them.
    public static let maximumDepth = 3 * (ItemFormat.maximumDepth + 2)

    /// Writes the text of a value. Streamed strings and data pass through without being held.
    public static func encode(_ value: some Encodable, to sink: inout some ItemSink) throws {
        let root = try ItemEncoder().node(of: value, form: .json)
        // Measures nothing that JSON needs, but refuses what neither form can hold.
        _ = try ItemWriter.byteCount(of: root)
        var text = JSONText(sink, layout: .compact)
        try text.value(root)
        try text.finish()
        sink = text.output.sink
    }

    /// The text of a value, in memory.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        var buffer = ItemByteBuffer()
        try encode(value, to: &buffer)
        return buffer.bytes
    }

    /// The value of a text. Refuses bytes that start with `HMDCITEM` (hmdcitem.md 1).
    ///
    /// - Parameter omittedKeys: Keys that count as absent wherever they appear.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], omittedKeys: Set<String> = []
    ) throws -> Value {
        var decoder = ItemDecoder()
        decoder.omittedKeys = omittedKeys
        return try decoder.decode(type, from: .json(try JSONParser.parse(bytes)))
    }
}

extension JSONText {
    fileprivate mutating func value(_ node: ItemNode) throws {
        switch node {
        case .object(let entries):
            try beginObject()
            for entry in entries {
                try key(entry.key)
                try value(entry.value)
            }
            try endObject()
        case .array(let elements):
            try beginArray()
            for element in elements { try value(element) }
            try endArray()
        case .null: try literal("null")
        case .bool(let value): try literal(value ? "true" : "false")
        case .signed(let value): try literal(String(value))
        case .unsigned(let value): try literal(String(value))
        case .double(let value), .date(let value): try literal(Self.number(value))
        case .string(let text): try string(text)
        case .data(let bytes):
            try beginString()
            var letters = Base64()
            try plainPart(letters.encode(bytes.span))
            try plainPart(letters.finish())
            try endString()
        case .streamedString(let region):
            try beginString()
            try region.forEachChunk(isText: true) { try stringPart($0) }
            try endString()
        case .streamedData(let region):
            try beginString()
            var letters = Base64()
            try region.forEachChunk(isText: false) { try plainPart(letters.encode($0)) }
            try plainPart(letters.finish())
            try endString()
        }
    }
}
