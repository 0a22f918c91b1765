import HMDCItem

/// Hand-made item bytes, right or wrong, independent of the writer under test.
enum Raw {
    static func u32(_ value: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    static func u64(_ value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }

    /// Tag, length and payload. `length` overrides the true one.
    static func node(_ tag: UInt8, _ payload: [UInt8] = [], length: UInt64? = nil) -> [UInt8] {
        [tag] + u64(length ?? UInt64(payload.count)) + payload
    }

    static let null = node(3)

    static func string(_ text: String) -> [UInt8] { node(8, Array(text.utf8)) }
    static func bits(_ tag: UInt8, _ bits: UInt64) -> [UInt8] { node(tag, u64(bits)) }

    static func entry(_ key: [UInt8], _ child: [UInt8], childLength: UInt64? = nil) -> [UInt8] {
        u32(UInt32(key.count)) + key + u64(childLength ?? UInt64(child.count)) + child
    }

    static func object(_ entries: [[UInt8]], count: UInt32? = nil, trailing: [UInt8] = []) -> [UInt8] {
        node(1, u32(count ?? UInt32(entries.count)) + entries.flatMap { $0 } + trailing)
    }

    static func object(keys: [String]) -> [UInt8] { object(keys.map { entry(Array($0.utf8), null) }) }

    static func array(_ elements: [[UInt8]], count: UInt64? = nil, trailing: [UInt8] = []) -> [UInt8] {
        node(2, u64(count ?? UInt64(elements.count)) + elements.flatMap { u64(UInt64($0.count)) + $0 } + trailing)
    }

    /// A whole item of kind 2.
    static func file(_ root: [UInt8]) -> [UInt8] { header() + root }

    static func header(version: UInt16 = 1, kind: UInt8 = 2, reserved: UInt8 = 0) -> [UInt8] {
        Array("HMDCITEM".utf8) + [UInt8(version >> 8), UInt8(version & 0xFF), kind, reserved]
    }

    /// Arrays in arrays; the innermost empty one is at this depth.
    static func nested(depth: Int) -> [UInt8] {
        (0..<depth).reduce(array([])) { inner, _ in array([inner]) }
    }
}

/// Reads a node of any shape through the coding containers alone, asking for one type after the other.
indirect enum AnyValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case double(UInt64)
    case string([UInt8])
    case data(ItemNode)
    case date(ItemNode)
    case array([AnyValue])
    case object([String], [AnyValue])

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
            return
        }
        let attempts: [() throws -> AnyValue] = [
            { .bool(try single.decode(Bool.self)) },
            { .signed(try single.decode(Int64.self)) },
            { .unsigned(try single.decode(UInt64.self)) },
            { .double(try single.decode(Double.self).bitPattern) },
            { .string(Array(try single.decode(String.self).utf8)) },
            {
                let container = try decoder.container(keyedBy: Key.self)
                return .object(
                    container.allKeys.map(\.stringValue),
                    try container.allKeys.map { try container.decode(AnyValue.self, forKey: $0) })
            },
            {
                var container = try decoder.unkeyedContainer()
                var elements: [AnyValue] = []
                while !container.isAtEnd { elements.append(try container.decode(AnyValue.self)) }
                return .array(elements)
            },
        ]
        for attempt in attempts {
            do {
                self = try attempt()
                return
            } catch ItemError.rejected(.typeMismatch(let expected, let found), let offset) {
                // Only a mismatch of this very node leads to the next attempt.
                guard expected != found else { throw ItemError.rejected(.unknownTag, offset: offset) }
            }
        }
        let node = try single.decode(ItemNode.self)
        self = node.tag == .date ? .date(node) : .data(node)
    }

    /// The same value made from a tree.
    init(_ node: ItemNode) {
        switch node {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .signed(let value): self = .signed(value)
        case .unsigned(let value): self = .unsigned(value)
        case .double(let value): self = .double(value.bitPattern)
        case .string(let value): self = .string(Array(value.utf8))
        case .data, .streamedData, .streamedString: self = .data(node)
        case .date: self = .date(node)
        case .array(let elements): self = .array(elements.map(AnyValue.init))
        case .object(let entries): self = .object(entries.map(\.key), entries.map { AnyValue($0.value) })
        }
    }
}

/// The error that a call throws; nil when it throws none. Errors of other types are a failure of the test.
func itemError(_ body: () throws -> Void) throws -> ItemError? {
    do {
        try body()
        return nil
    } catch let error as ItemError {
        return error
    }
}
