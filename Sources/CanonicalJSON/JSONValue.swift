/// One JSON value in memory. Objects keep the order of their members.
public enum JSONValue: Sendable, Equatable {
    /// An object with its members in order.
    case object(JSONObject)
    /// An array.
    case array([JSONValue])
    /// A string, decoded.
    case string(String)
    /// A number.
    case number(JSONNumber)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// A number, or the strings `NaN`, `Infinity`, `-Infinity` (health-data.md 4.2).
    public static func double(_ value: Double) -> JSONValue {
        if value.isFinite { return .number(JSONNumber(value)) }
        if value.isNaN { return .string("NaN") }
        return .string(value > 0 ? "Infinity" : "-Infinity")
    }

    /// An integer.
    public static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

    /// The object, or nil for another kind of value.
    public var object: JSONObject? {
        if case .object(let value) = self { return value }
        return nil
    }

    /// The elements, or nil for another kind of value.
    public var array: [JSONValue]? {
        if case .array(let value) = self { return value }
        return nil
    }

    /// The string, or nil for another kind of value.
    public var string: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The number, or nil for another kind of value.
    public var number: JSONNumber? {
        if case .number(let value) = self { return value }
        return nil
    }

    /// The Boolean, or nil for another kind of value.
    public var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The member of an object; nil when it is absent or this is not an object.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// Equal kinds with equal content; strings by their bytes, objects with the same members in the same order.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.object(let a), .object(let b)): return a == b
        case (.array(let a), .array(let b)): return a == b
        case (.string(let a), .string(let b)): return a.hasSameBytes(as: b)
        case (.number(let a), .number(let b)): return a == b
        case (.bool(let a), .bool(let b)): return a == b
        case (.null, .null): return true
        case (.object, _), (.array, _), (.string, _), (.number, _), (.bool, _), (.null, _): return false
        }
    }
}

/// The members of a JSON object in order.
public struct JSONObject: Sendable, Equatable {
    /// One key with its value.
    public struct Member: Sendable, Equatable {
        /// The key, decoded.
        public var key: String
        /// The value.
        public var value: JSONValue

        /// A member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }

        /// Equal by the key's bytes and the value.
        public static func == (left: Member, right: Member) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.value == right.value
        }
    }

    /// The members in the order in which they were read or added.
    public var members: [Member]

    /// An object with these members.
    public init(_ members: [Member] = []) { self.members = members }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether the object has no member.
    public var isEmpty: Bool { members.isEmpty }
    /// The keys in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a key, compared by bytes. Setting replaces in place or appends; setting nil removes.
    public subscript(key: String) -> JSONValue? {
        get { members.first { $0.key.hasSameBytes(as: key) }?.value }
        set {
            let index = members.firstIndex { $0.key.hasSameBytes(as: key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a member without looking for an earlier one of that key.
    public mutating func append(_ key: String, _ value: JSONValue) { members.append(Member(key, value)) }

    /// Adds a member when there is a value.
    public mutating func append(_ key: String, ifPresent value: JSONValue?) {
        if let value { members.append(Member(key, value)) }
    }
}

extension String {
    /// Whether both strings have the same UTF-8 bytes. Swift's `==` is canonical equivalence, which is too wide where
    /// bytes are identities.
    func hasSameBytes(as other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object with members in the written order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0.0, $0.1) }))
    }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with members in the written order.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}
