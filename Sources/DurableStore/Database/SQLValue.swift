/// A value that goes into a statement. Its text never shows what it holds, so that no health value reaches a log.
public enum SQLValue: Sendable {
    /// NULL.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A binary64.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob([UInt8])

    /// A count or an index.
    public static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }

    /// A size or an offset; SQLite's integers are signed, and no size of ours reaches 2^63.
    public static func unsigned(_ value: UInt64) -> SQLValue {
        guard let signed = Int64(exactly: value) else { preconditionFailure("a size beyond 2^63") }
        return .integer(signed)
    }

    /// 0 or 1.
    public static func boolean(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }

    /// A text, or NULL.
    public static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }

    /// Bytes, or NULL.
    public static func optional(_ value: [UInt8]?) -> SQLValue { value.map { .blob($0) } ?? .null }

    /// A binary64, or NULL.
    public static func optional(_ value: Double?) -> SQLValue { value.map { .real($0) } ?? .null }

    /// An integer, or NULL.
    public static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    /// NULL.
    public init(nilLiteral: ()) { self = .null }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension SQLValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .blob: "blob"
        }
    }

    /// The kind alone.
    public var debugDescription: String { description }

    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
