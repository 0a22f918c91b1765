/// The numbers of the item format, version 1 (hmdcitem.md 2 to 4).
public enum ItemFormat {
    /// The first eight bytes of every item: ASCII `HMDCITEM` (hmdcitem.md 2).
    public static let magic: [UInt8] = Array("HMDCITEM".utf8)

    /// The only format version (hmdcitem.md 2).
    public static let version: UInt16 = 1

    /// Magic, version, kind and the reserved byte (hmdcitem.md 2).
    public static let headerByteCount: UInt64 = 12

    /// Tag and payload length in front of every payload (hmdcitem.md 2.1).
    public static let nodeHeaderByteCount: UInt64 = 9

    /// The largest payload length that a node may declare (hmdcitem.md 2.1).
    public static let maximumPayloadByteCount = UInt64(Int64.max)

    /// The most entries in one object (hmdcitem.md 2.2).
    public static let maximumEntryCount: UInt32 = 16_384

    /// The longest key, in UTF-8 bytes; the shortest has one byte (hmdcitem.md 2.2).
    public static let maximumKeyByteCount: UInt32 = 4_096

    /// The least that one array element takes: its length field and a node without payload (hmdcitem.md 2.3).
    public static let minimumElementByteCount: UInt64 = 17

    /// The deepest node; the root is at depth 0 (hmdcitem.md 3, rule 3).
    public static let maximumDepth = 128

    /// How many bytes pass at a time while strings and data are read, checked or copied (hmdcitem.md 4).
    public static let chunkByteCount = 262_144

    /// Dates count from 2001-01-01T00:00:00Z; this is that instant in Unix seconds (hmdcitem.md 2.1).
    public static let referenceDateUnixSeconds: Double = 978_307_200

    /// The payload length of Booleans (hmdcitem.md 2.1).
    static let booleanByteCount: UInt64 = 1

    /// The payload length of integers, doubles and dates (hmdcitem.md 2.1).
    static let numberByteCount: UInt64 = 8

    /// The entry count in front of an object's entries (hmdcitem.md 2.2).
    static let entryCountByteCount: UInt64 = 4

    /// The key length in front of a key (hmdcitem.md 2.2).
    static let keyLengthByteCount: UInt64 = 4

    /// The element count in front of an array's elements (hmdcitem.md 2.3).
    static let elementCountByteCount: UInt64 = 8

    /// The length in front of each child node (hmdcitem.md 2.2, 2.3).
    static let childLengthByteCount: UInt64 = 8
}

/// What one item holds (hmdcitem.md 1).
public enum ItemKind: String, Codable, CaseIterable, Hashable, Sendable {
    /// A health day: kind byte 1 (hmdcitem.md 6).
    case macHealthDay = "mac_health_day"
    /// A raw day with its canonical document: kind byte 2 (hmdcitem.md 7).
    case strictRawDay = "strict_raw_day"

    /// The byte at offset 10 of the file.
    public var byte: UInt8 {
        switch self {
        case .macHealthDay: 1
        case .strictRawDay: 2
        }
    }

    /// The kind of a kind byte, or nil for a byte that names none.
    public init?(byte: UInt8) {
        switch byte {
        case 1: self = .macHealthDay
        case 2: self = .strictRawDay
        default: return nil
        }
    }
}

/// The first byte of every node (hmdcitem.md 2.1).
public enum ItemTag: UInt8, CaseIterable, Hashable, Sendable {
    case object = 1
    case array = 2
    case null = 3
    case boolean = 4
    case signed = 5
    case unsigned = 6
    case double = 7
    case string = 8
    case data = 9
    case date = 10

    /// The tag's name in error texts and in the tree form (extensions.md 6).
    public var name: String {
        switch self {
        case .object: "object"
        case .array: "array"
        case .null: "null"
        case .boolean: "boolean"
        case .signed: "signed"
        case .unsigned: "unsigned"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        }
    }

    /// The tag of a name in the tree form, or nil.
    public init?(name: String) {
        guard let tag = ItemTag.allCases.first(where: { $0.name == name }) else { return nil }
        self = tag
    }
}
