import CanonicalJSON
import Foundation

/// Reads the members of an object that another program may have written in its own way: what has the expected name
/// and kind is taken, everything else is kept as ``OpaqueValue`` (extensions.md 4).
struct MemberReader {
    private let container: KeyedDecodingContainer<AnyKey>
    private var taken: Set<String> = []

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: AnyKey.self)
    }

    /// A value of the expected kind; another kind leaves the member among the unknown.
    mutating func take<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        // Another kind is not an error here: the member stays unknown.
        guard let value = try? container.decodeIfPresent(type, forKey: AnyKey(name)) else { return nil }
        taken.insert(name)
        return value
    }

    /// A point in time, as a date or as RFC 3339 text.
    mutating func takeDate(_ name: String) -> Date? {
        if let date = take(name, as: Date.self) { return date }
        // A text that is no date stays unknown, so it is not marked as taken.
        guard let text = try? container.decodeIfPresent(String.self, forKey: AnyKey(name)),
            let seconds = RFC3339.parse(text)
        else { return nil }
        taken.insert(name)
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// A number, also one that was written as an integer.
    mutating func takeDouble(_ name: String) -> Double? {
        if let value = take(name, as: Double.self) { return value }
        return take(name, as: Int64.self).map(Double.init)
    }

    /// Everything that was not taken.
    func unknown() throws -> [String: OpaqueValue] {
        var rest: [String: OpaqueValue] = [:]
        for key in container.allKeys where !taken.contains(key.stringValue) {
            rest[key.stringValue] = try container.decode(OpaqueValue.self, forKey: key)
        }
        return rest
    }
}

/// Writes known members and, beside them, the unknown ones.
struct MemberWriter {
    private var container: KeyedEncodingContainer<AnyKey>

    init(_ encoder: any Encoder, unknown: [String: OpaqueValue]) throws {
        container = encoder.container(keyedBy: AnyKey.self)
        for key in unknown.keys.sorted() { try container.encode(unknown[key], forKey: AnyKey(key)) }
    }

    mutating func put(_ name: String, _ value: (some Encodable)?) throws {
        try container.encodeIfPresent(value, forKey: AnyKey(name))
    }

    /// Seconds precision, as the day document has it.
    mutating func putText(_ name: String, _ date: Date?) throws {
        try put(name, date.flatMap { RFC3339.seconds(since2001: $0.timeIntervalSinceReferenceDate) })
    }
}
