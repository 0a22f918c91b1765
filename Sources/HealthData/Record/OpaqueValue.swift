import Foundation

/// A value of an item whose meaning we do not know: kept as it came, so that it can be written again
/// (extensions.md 4).
public indirect enum OpaqueValue: Codable, Hashable, Sendable {
    /// Explicitly nothing.
    case null
    /// True or false.
    case bool(Bool)
    /// A signed integer.
    case signed(Int64)
    /// An unsigned integer.
    case unsigned(UInt64)
    /// A finite binary64.
    case double(Double)
    /// Text.
    case string(String)
    /// Raw bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// Elements in order.
    case array([OpaqueValue])
    /// Members by key.
    case object([String: OpaqueValue])

    /// What kind of value stands in a decoder.
    public enum Kind: Sendable {
        /// One case for each of ``OpaqueValue``.
        case null, bool, signed, unsigned, double, string, data, date, array, object
    }

    /// Tells the kind of the value that a decoder stands at.
    public typealias KindProbe = @Sendable (any Decoder) -> Kind?

    /// Where a decoder's owner may put a ``KindProbe``. Without one the kinds are tried in turn, which the strict
    /// decoder of items answers correctly but slowly.
    public static let kindProbe: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "healthmd.opaqueKindProbe") else {
            preconditionFailure("a non-empty user info key exists")
        }
        return key
    }()

    /// Reads whatever stands there.
    public init(from decoder: any Decoder) throws {
        if let probe = decoder.userInfo[Self.kindProbe] as? KindProbe, let kind = probe(decoder) {
            self = try Self.value(of: kind, in: decoder)
            return
        }
        for kind in [Kind.object, .array, .string, .double, .date, .signed, .unsigned, .bool, .null, .data] {
            // A kind that does not fit is not an error: the next one is tried.
            if let value = try? Self.value(of: kind, in: decoder) {
                self = value
                return
            }
        }
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "a value of no known kind"))
    }

    private static func value(of kind: Kind, in decoder: any Decoder) throws -> OpaqueValue {
        switch kind {
        case .object:
            let container = try decoder.container(keyedBy: AnyKey.self)
            var members: [String: OpaqueValue] = [:]
            for key in container.allKeys { members[key.stringValue] = try container.decode(Self.self, forKey: key) }
            return .object(members)
        case .array:
            var container = try decoder.unkeyedContainer()
            var elements: [OpaqueValue] = []
            while !container.isAtEnd { elements.append(try container.decode(Self.self)) }
            return .array(elements)
        case .null:
            guard try decoder.singleValueContainer().decodeNil() else {
                throw DecodingError.typeMismatch(
                    Never.self, .init(codingPath: decoder.codingPath, debugDescription: "not null"))
            }
            return .null
        case .bool: return .bool(try decoder.singleValueContainer().decode(Bool.self))
        case .signed: return .signed(try decoder.singleValueContainer().decode(Int64.self))
        case .unsigned: return .unsigned(try decoder.singleValueContainer().decode(UInt64.self))
        case .double: return .double(try decoder.singleValueContainer().decode(Double.self))
        case .string: return .string(try decoder.singleValueContainer().decode(String.self))
        case .data: return .data(try decoder.singleValueContainer().decode(Data.self))
        case .date: return .date(try decoder.singleValueContainer().decode(Date.self))
        }
    }

    /// Writes the value as the kind that it is.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: AnyKey.self)
            for key in members.keys.sorted() { try container.encode(members[key], forKey: AnyKey(key)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try Self.encode(value, to: encoder)
        case .signed(let value): try Self.encode(value, to: encoder)
        case .unsigned(let value): try Self.encode(value, to: encoder)
        case .double(let value): try Self.encode(value, to: encoder)
        case .string(let value): try Self.encode(value, to: encoder)
        case .data(let value): try Self.encode(value, to: encoder)
        case .date(let value): try Self.encode(value, to: encoder)
        }
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension OpaqueValue {
    /// The members of an object.
    public var members: [String: OpaqueValue]? {
        if case .object(let members) = self { return members }
        return nil
    }

    /// The elements of an array.
    public var elements: [OpaqueValue]? {
        if case .array(let elements) = self { return elements }
        return nil
    }

    /// The text of a string.
    public var string: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The time of a date.
    public var date: Date? {
        if case .date(let value) = self { return value }
        return nil
    }

    /// The member of an object.
    public subscript(key: String) -> OpaqueValue? { members?[key] }
}

/// A coding key of any name.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ stringValue: String) { self.stringValue = stringValue }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
