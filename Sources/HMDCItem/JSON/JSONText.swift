/// Writes JSON text piece by piece. Separators, quotes and escapes are its business; what stands where is the caller's.
struct JSONText<Sink: ItemSink> {
    /// How the text is laid out.
    enum Layout {
        /// No white space at all.
        case compact
        /// Two spaces per level.
        case indented
    }

    private(set) var output: BufferedOutput<Sink>
    private let layout: Layout
    /// For each open object or array whether it has content already.
    private var open: [Bool] = []
    private var followsKey = false

    init(_ sink: Sink, layout: Layout) {
        output = BufferedOutput(sink)
        self.layout = layout
    }

    /// Hands everything to the sink, with a line end after indented text.
    mutating func finish() throws {
        if layout == .indented { try output.append("\n") }
        try output.flush()
    }

    mutating func beginObject() throws { try begin("{") }
    mutating func endObject() throws { try end("}") }
    mutating func beginArray() throws { try begin("[") }
    mutating func endArray() throws { try end("]") }

    mutating func key(_ key: String) throws {
        try separate()
        try quoted(key)
        try output.append(layout == .compact ? ":" : ": ")
        followsKey = true
    }

    /// A number or one of the words `true`, `false`, `null`.
    mutating func literal(_ text: String) throws {
        try separate()
        try output.append(text)
    }

    mutating func string(_ text: String) throws {
        try separate()
        try quoted(text)
    }

    /// Opens a string whose content comes in pieces.
    mutating func beginString() throws {
        try separate()
        try output.append(UInt8(ascii: "\""))
    }

    mutating func endString() throws { try output.append(UInt8(ascii: "\"")) }

    /// More text of the open string: `/` and what is not ASCII stand as they are, control characters are escaped
    /// (hmdcitem.md 8, extensions.md 9.12).
    mutating func stringPart(_ bytes: Span<UInt8>) throws {
        var start = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            try output.append(bytes.extracting(start..<index))
            try output.append(Self.escape(byte))
            start = index + 1
        }
        try output.append(bytes.extracting(start..<bytes.count))
    }

    /// More text of the open string that needs no escape, such as Base64.
    mutating func plainPart(_ bytes: [UInt8]) throws { try output.append(bytes) }

    /// The shortest text that reads back as the same double, without `.0` for whole values.
    static func number(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private mutating func quoted(_ text: String) throws {
        try output.append(UInt8(ascii: "\""))
        try stringPart(text.utf8Span.span)
        try output.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        default: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)
        }
    }

    private mutating func begin(_ bracket: String) throws {
        try separate()
        try output.append(bracket)
        open.append(false)
    }

    private mutating func end(_ bracket: String) throws {
        if open.removeLast() { try breakLine() }
        try output.append(bracket)
    }

    /// What stands between the values of an object or array.
    private mutating func separate() throws {
        if followsKey {
            followsKey = false
            return
        }
        guard let hasContent = open.last else { return }
        if hasContent { try output.append(",") }
        open[open.count - 1] = true
        try breakLine()
    }

    private mutating func breakLine() throws {
        guard layout == .indented else { return }
        try output.append("\n" + String(repeating: "  ", count: open.count))
    }
}
