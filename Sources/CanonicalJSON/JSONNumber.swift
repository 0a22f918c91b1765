/// A JSON number that keeps either its source token or the typed value it was made from.
///
/// Two numbers are equal when they are the same integer, or else the same binary64 value; the way they are written
/// does not matter.
public struct JSONNumber: Sendable, Hashable {
    enum Storage: Sendable {
        case signed(Int64)
        case unsigned(UInt64)
        case double(Double)
        case token(String)
    }

    let storage: Storage

    /// A signed integer.
    public init(_ value: Int64) { storage = .signed(value) }
    /// A signed integer.
    public init(_ value: Int) { storage = .signed(Int64(value)) }
    /// An unsigned integer.
    public init(_ value: UInt64) { storage = .unsigned(value) }

    /// A finite double. JSON has no word for the others, so the caller decides about them before
    /// (`JSONValue.double(_:)` writes them as strings).
    public init(_ value: Double) {
        precondition(value.isFinite, "a JSON number is finite")
        storage = .double(value)
    }

    /// A token that the tokenizer has already checked.
    init(checkedToken: String) { storage = .token(checkedToken) }

    /// A source token, or nil when it is not a number of RFC 8259.
    public init?(token: String) {
        var token = token
        guard token.withUTF8({ JSONNumberGrammar.isNumber($0) }) else { return nil }
        storage = .token(token)
    }

    /// The source token, when the number was read from a text.
    public var token: String? {
        if case .token(let text) = storage { return text }
        return nil
    }

    /// The value as a signed integer, when it is written as one (or is a whole double) and fits.
    public var int64: Int64? {
        switch storage {
        case .signed(let value): return value
        case .unsigned(let value): return Int64(exactly: value)
        case .double(let value): return Int64(exactly: value)
        case .token(let text): return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        }
    }

    /// The value as an unsigned integer, under the same rule as `int64`.
    public var uint64: UInt64? {
        switch storage {
        case .signed(let value): return UInt64(exactly: value)
        case .unsigned(let value): return value
        case .double(let value): return UInt64(exactly: value)
        case .token(let text): return UInt64(text) ?? Double(text).flatMap { UInt64(exactly: $0) }
        }
    }

    /// The value as an `Int`, under the same rule as `int64`.
    public var int: Int? { int64.flatMap { Int(exactly: $0) } }

    /// The nearest binary64 value; infinite when the token is too large for one.
    public var double: Double {
        switch storage {
        case .signed(let value): return Double(value)
        case .unsigned(let value): return Double(value)
        case .double(let value): return value
        // A checked token is always a text that `Double` reads.
        case .token(let text): return Double(text) ?? .nan
        }
    }

    /// The same integer, or the same binary64 value.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if let a = left.int64, let b = right.int64 { return a == b }
        if let a = left.uint64, let b = right.uint64 { return a == b }
        return left.double == right.double
    }

    /// Equal numbers have equal doubles.
    public func hash(into hasher: inout Hasher) { hasher.combine(double) }
}

/// The number grammar of RFC 8259, section 6.
enum JSONNumberGrammar {
    /// Whether a byte can stand in a number at all.
    static func mayContain(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
            || byte | 0x20 == UInt8(ascii: "e")
    }

    static func isNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        let count = bytes.count
        func digits() -> Int {
            let start = index
            while index < count, bytes[index] &- 0x30 < 10 { index += 1 }
            return index - start
        }
        if index < count, bytes[index] == UInt8(ascii: "-") { index += 1 }
        guard index < count else { return false }
        if bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else if digits() == 0 {
            return false
        }
        if index < count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            if digits() == 0 { return false }
        }
        if index < count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") { index += 1 }
            if digits() == 0 { return false }
        }
        return index == count
    }
}
