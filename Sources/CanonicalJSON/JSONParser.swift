/// Reads a whole JSON text into a `JSONValue`, under limits (RFC 8259, corpus-protocol.md 14).
public enum JSONParser {
    /// The value of a text. Throws `JSONError` with the byte offset of the first fault.
    public static func parse(_ text: [UInt8], limits: JSONLimits = .document) throws -> JSONValue {
        try text.withUnsafeBufferPointer { try parse($0, limits: limits) }
    }

    /// The value of a text.
    public static func parse(_ text: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .document) throws -> JSONValue {
        let tokens = try JSONTokenizer(limits: limits, borrowing: text)
        let value = try value(startingWith: tokens.next(), from: tokens)
        // The tokenizer throws for anything but the end.
        _ = try tokens.next()
        return value
    }

    /// Reads the value that starts with a token just taken, for callers that stream the levels above.
    public static func value(startingWith token: JSONToken, from tokens: JSONTokenizer) throws -> JSONValue {
        switch token {
        case .beginObject:
            var object = JSONObject()
            while try tokens.next() == .key {
                let key = String(decoding: tokens.keyBytes, as: UTF8.self)
                object.append(key, try value(startingWith: tokens.next(), from: tokens))
            }
            return .object(object)
        case .beginArray:
            var elements: [JSONValue] = []
            while true {
                let token = try tokens.next()
                if token == .endArray { return .array(elements) }
                elements.append(try value(startingWith: token, from: tokens))
            }
        case .string: return .string(String(decoding: try tokens.stringBytes(byteLimit: .max), as: UTF8.self))
        case .number:
            return .number(JSONNumber(checkedToken: String(decoding: tokens.numberBytes, as: UTF8.self)))
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .key, .endObject, .endArray, .end:
            preconditionFailure("the tokenizer gives a value where the grammar wants one")
        }
    }
}

extension JSONTokenizer {
    /// Lends a tokenizer over a text in memory.
    public static func read<Result>(
        _ text: [UInt8], limits: JSONLimits = .document, _ body: (JSONTokenizer) throws -> Result
    ) throws -> Result {
        try text.withUnsafeBufferPointer { try body(JSONTokenizer(limits: limits, borrowing: $0)) }
    }

    /// Takes the next value as a whole, checks it, and returns the byte range of its text.
    public func skipValue() throws -> Range<Int> {
        var token = try next()
        let start = valueStart
        let outer = depth - (token == .beginObject || token == .beginArray ? 1 : 0)
        while depth > outer { token = try next() }
        if token == .string { try finishString() }
        return start..<offset
    }
}
