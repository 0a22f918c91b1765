import Foundation

/// Typed values of archive records in the item's form (hmdcitem.md 6.3.3).
enum TypedValue {
    static func string(_ text: String) -> OpaqueValue { value("string", .string(text)) }
    static func double(_ number: Double) -> OpaqueValue { value("floatingPoint", .double(number)) }
    static func unsigned(_ number: UInt64) -> OpaqueValue { value("unsignedInteger", .unsigned(number)) }
    static func signed(_ number: Int) -> OpaqueValue { value("signedInteger", .signed(Int64(number))) }
    static func bool(_ flag: Bool) -> OpaqueValue { value("bool", .bool(flag)) }
    static func data(_ bytes: [UInt8]) -> OpaqueValue { value("data", .data(Data(bytes))) }
    static func date(_ date: Date) -> OpaqueValue { value("date", .date(date)) }
    static func array(_ elements: [OpaqueValue]) -> OpaqueValue { value("array", .array(elements)) }
    static func dictionary(_ members: [String: OpaqueValue]) -> OpaqueValue { value("dictionary", .object(members)) }

    private static func value(_ type: String, _ value: OpaqueValue) -> OpaqueValue {
        .object(["type": .string(type), "value": value])
    }
}

/// A map of typed values in the making; absent values leave no entry.
struct TypedFields {
    private(set) var values: [String: OpaqueValue] = [:]

    mutating func set(_ name: String, _ text: String?) { values[name] = text.map(TypedValue.string) ?? values[name] }
    mutating func set(_ name: String, _ number: Double?) {
        values[name] = number.map(TypedValue.double) ?? values[name]
    }
    mutating func set(_ name: String, _ date: Date?) { values[name] = date.map(TypedValue.date) ?? values[name] }
    mutating func set(_ name: String, value: OpaqueValue) { values[name] = value }

    mutating func set(_ name: String, list: [OpaqueValue]) {
        if !list.isEmpty { values[name] = TypedValue.array(list) }
    }

    var dictionary: OpaqueValue { TypedValue.dictionary(values) }
}
