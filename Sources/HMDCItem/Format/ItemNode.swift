/// One node and all below it (hmdcitem.md 2.1).
///
/// Trees that come from a file hold everything in memory. Trees that are to be written may name regions of sources
/// instead, whose bytes pass through the writer without being held.
public indirect enum ItemNode: Hashable, Sendable {
    /// One key and its node.
    public struct Entry: Hashable, Sendable {
        /// The key, 1 to 4 096 UTF-8 bytes.
        public let key: String
        /// The node under the key.
        public let value: ItemNode

        /// One entry.
        public init(key: String, value: ItemNode) {
            self.key = key
            self.value = value
        }

        /// Keys are equal when their bytes are.
        public static func == (left: Entry, right: Entry) -> Bool {
            left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
        }
    }

    /// Tag 1: entries in file order, which is the order of the keys' bytes.
    case object([Entry])
    /// Tag 2.
    case array([ItemNode])
    /// Tag 3.
    case null
    /// Tag 4.
    case bool(Bool)
    /// Tag 5.
    case signed(Int64)
    /// Tag 6.
    case unsigned(UInt64)
    /// Tag 7; finite.
    case double(Double)
    /// Tag 8.
    case string(String)
    /// Tag 9.
    case data([UInt8])
    /// Tag 10: seconds since 2001-01-01T00:00:00Z; finite.
    case date(Double)
    /// Tag 8, from a source; at least one byte.
    case streamedString(ItemRegion)
    /// Tag 9, from a source.
    case streamedData(ItemRegion)

    /// The tag that the node is written with.
    public var tag: ItemTag {
        switch self {
        case .object: .object
        case .array: .array
        case .null: .null
        case .bool: .boolean
        case .signed: .signed
        case .unsigned: .unsigned
        case .double: .double
        case .string, .streamedString: .string
        case .data, .streamedData: .data
        case .date: .date
        }
    }

    /// An object from pairs in any order.
    public static func object(sorting pairs: [(String, ItemNode)]) -> ItemNode {
        .object(pairs.map { Entry(key: $0.0, value: $0.1) }.sorted { $0.key.precedesByBytes($1.key) })
    }

    /// The node under a key of an object; nil where there is none.
    public subscript(key: String) -> ItemNode? {
        guard case .object(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// Equal when the written bytes are; a streamed value is equal only to the same place of the same source.
    public static func == (left: ItemNode, right: ItemNode) -> Bool {
        switch (left, right) {
        case (.object(let a), .object(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.signed(let a), .signed(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        // The bits decide, so that 0.0 and -0.0 differ as they do in the file.
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)): a.bitPattern == b.bitPattern
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): a == b
        case (.streamedString(let a), .streamedString(let b)), (.streamedData(let a), .streamedData(let b)): a == b
        default: false
        }
    }

    /// Fits `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        switch self {
        case .object(let entries): hasher.combine(entries)
        case .array(let elements): hasher.combine(elements)
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .signed(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value), .date(let value): hasher.combine(value.bitPattern)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .streamedString(let region), .streamedData(let region): hasher.combine(region)
        }
    }
}
