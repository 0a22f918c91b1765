/// How a JSON text is written.
public struct JSONStyle: Sendable {
    /// Order of the members of an object.
    public enum MemberOrder: Sendable {
        /// As given.
        case given
        /// By plain bytes of the key.
        case bytes
        /// `JSONKeyOrder.daily`.
        case daily
    }

    /// Whether lines are broken and indented by two spaces, with ` : ` behind a key.
    public var isPretty: Bool
    /// Order of members in values that are written as a whole.
    public var order: MemberOrder
    /// Whether `/` is written `\/`.
    public var escapesSolidus: Bool
    /// How doubles are written.
    public var numbers: JSONNumberStyle

    /// A style of one's own.
    public init(isPretty: Bool, order: MemberOrder, escapesSolidus: Bool, numbers: JSONNumberStyle) {
        self.isPretty = isPretty
        self.order = order
        self.escapesSolidus = escapesSolidus
        self.numbers = numbers
    }

    /// No white space, members by bytes, `/` raw, shortest doubles (health-data.md 4.2, hmdcitem.md 8).
    public static let compactSorted = JSONStyle(
        isPretty: false, order: .bytes, escapesSolidus: false, numbers: .shortest)
    /// No white space, members as given, `/` raw, shortest doubles.
    public static let compact = JSONStyle(isPretty: false, order: .given, escapesSolidus: false, numbers: .shortest)
    /// The canonical daily file (health-data.md 4.1), without the final line feed.
    public static let daily = JSONStyle(
        isPretty: true, order: .daily, escapesSolidus: true, numbers: .seventeenDigits)
    /// Two spaces, members as given, `/` raw, shortest doubles: for people who read a command's output.
    public static let readable = JSONStyle(isPretty: true, order: .given, escapesSolidus: false, numbers: .shortest)
}

/// Writes JSON in one style, either into memory or through a bounded buffer into a sink.
///
/// Values are written as a whole (members in the order of the style), or level by level with `beginObject`, `key`,
/// `endObject`, where the caller gives the order. Misuse of the grammar traps.
public struct JSONWriter {
    /// Takes a full buffer; called again with the rest by `finish()`.
    public typealias Flush = (_ bytes: inout [UInt8]) throws -> Void

    private struct Level {
        let isObject: Bool
        var isEmpty = true
    }

    /// What has been written and not flushed.
    public private(set) var buffer: [UInt8] = []
    /// The style in force.
    public let style: JSONStyle
    private let flushByteCount: Int
    private let flush: Flush?
    private var levels: [Level] = []
    private var hasKey = false

    /// Writes into `buffer`.
    public init(style: JSONStyle) {
        self.style = style
        flushByteCount = .max
        flush = nil
    }

    /// Writes into `buffer`, which has room for that many bytes from the start.
    public init(style: JSONStyle, reservingByteCount byteCount: Int) {
        self.init(style: style)
        buffer.reserveCapacity(byteCount)
    }

    /// Writes through a buffer that is handed to `flush` whenever it holds `bufferByteCount` bytes or more. The
    /// closure may take the bytes or leave them: they are removed when it returns.
    public init(style: JSONStyle, bufferByteCount: Int = 256 * 1_024, flush: @escaping Flush) {
        self.style = style
        flushByteCount = bufferByteCount
        self.flush = flush
        buffer.reserveCapacity(bufferByteCount + 4_096)
    }

    /// The bytes of one value.
    public static func encode(_ value: JSONValue, style: JSONStyle) -> [UInt8] {
        var writer = JSONWriter(style: style)
        writer.append(value)
        return writer.buffer
    }

    /// Ends a text in memory: every level must be closed. The bytes are handed over, not copied.
    public mutating func takeBytes() -> [UInt8] {
        precondition(levels.isEmpty && flush == nil, "an array or object is still open, or the text goes elsewhere")
        let bytes = buffer
        buffer = []
        return bytes
    }

    /// Ends the text: every level must be closed. Flushes what is left when there is a sink.
    public mutating func finish() throws {
        precondition(levels.isEmpty, "an array or object is still open")
        guard let flush, !buffer.isEmpty else { return }
        try flush(&buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    // MARK: Level by level

    /// Opens an object.
    public mutating func beginObject() throws {
        open(isObject: true)
        try flushIfFull()
    }

    /// Closes an object.
    public mutating func endObject() throws {
        close(isObject: true)
        try flushIfFull()
    }

    /// Opens an array.
    public mutating func beginArray() throws {
        open(isObject: false)
        try flushIfFull()
    }

    /// Closes an array.
    public mutating func endArray() throws {
        close(isObject: false)
        try flushIfFull()
    }

    /// Writes a key; a value must follow.
    public mutating func key(_ key: String) {
        precondition(levels.last?.isObject == true && !hasKey, "a key stands in an object, before its value")
        separate()
        JSONText.append(key, escapesSolidus: style.escapesSolidus, to: &buffer)
        if style.isPretty {
            buffer.append(contentsOf: [UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: " ")])
        } else {
            buffer.append(UInt8(ascii: ":"))
        }
        hasKey = true
    }

    /// Writes a value as a whole.
    public mutating func value(_ value: JSONValue) throws {
        switch value {
        case .object(let object):
            open(isObject: true)
            for member in JSONKeyOrder.sorted(object.members, style.order) {
                key(member.key)
                try self.value(member.value)
            }
            close(isObject: true)
        case .array(let elements):
            open(isObject: false)
            for element in elements { try self.value(element) }
            close(isObject: false)
        case .string, .number, .bool, .null: scalar(value)
        }
        try flushIfFull()
    }

    /// Writes a key with its value.
    public mutating func member(_ name: String, _ value: JSONValue) throws {
        key(name)
        try self.value(value)
    }

    /// Starts a value whose text the caller supplies with `rawBytes` (for example a document that is copied in).
    public mutating func beginRaw() { beforeValue() }

    /// Appends bytes as they are. The caller vouches that all of them together are one JSON value.
    public mutating func rawBytes<Bytes: Sequence>(_ bytes: Bytes) throws where Bytes.Element == UInt8 {
        buffer.append(contentsOf: bytes)
        try flushIfFull()
    }

    /// Lets the caller append the text of one value, for which it vouches, to the bytes written so far.
    ///
    /// - Returns: What `append` returns. After false nothing has been written: the value may be written in another way.
    public mutating func rawValue(_ append: (inout [UInt8]) -> Bool) throws -> Bool {
        let (byteCount, level, hadKey) = (buffer.count, levels.last, hasKey)
        beforeValue()
        guard append(&buffer) else {
            buffer.removeLast(buffer.count - byteCount)
            if let level { levels[levels.count - 1] = level }
            hasKey = hadKey
            return false
        }
        try flushIfFull()
        return true
    }

    // MARK: Parts

    /// Appends in memory, where nothing can fail.
    private mutating func append(_ value: JSONValue) {
        switch value {
        case .object(let object):
            open(isObject: true)
            for member in JSONKeyOrder.sorted(object.members, style.order) {
                key(member.key)
                append(member.value)
            }
            close(isObject: true)
        case .array(let elements):
            open(isObject: false)
            for element in elements { append(element) }
            close(isObject: false)
        case .string, .number, .bool, .null: scalar(value)
        }
    }

    private mutating func scalar(_ value: JSONValue) {
        beforeValue()
        switch value {
        case .string(let text): JSONText.append(text, escapesSolidus: style.escapesSolidus, to: &buffer)
        case .number(let number): JSONNumberText.append(number, style: style.numbers, to: &buffer)
        case .bool(let flag): buffer.append(contentsOf: (flag ? "true" : "false").utf8)
        case .null: buffer.append(contentsOf: "null".utf8)
        case .object, .array: preconditionFailure("not a scalar")
        }
    }

    private mutating func open(isObject: Bool) {
        beforeValue()
        buffer.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        levels.append(Level(isObject: isObject))
    }

    private mutating func close(isObject: Bool) {
        precondition(levels.last?.isObject == isObject && !hasKey, "the innermost level is closed first")
        let level = levels.removeLast()
        if style.isPretty {
            // An empty level shows an empty line (health-data.md 4.1).
            if level.isEmpty { buffer.append(UInt8(ascii: "\n")) }
            newLine()
        }
        buffer.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    private mutating func beforeValue() {
        guard let level = levels.last else { return }
        if level.isObject {
            precondition(hasKey, "a value in an object follows its key")
            hasKey = false
        } else {
            separate()
        }
    }

    private mutating func separate() {
        let last = levels.count - 1
        if !levels[last].isEmpty { buffer.append(UInt8(ascii: ",")) }
        levels[last].isEmpty = false
        if style.isPretty { newLine() }
    }

    private mutating func newLine() {
        buffer.append(UInt8(ascii: "\n"))
        for _ in 0..<levels.count * 2 { buffer.append(UInt8(ascii: " ")) }
    }

    private mutating func flushIfFull() throws {
        guard let flush, buffer.count >= flushByteCount else { return }
        try flush(&buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
