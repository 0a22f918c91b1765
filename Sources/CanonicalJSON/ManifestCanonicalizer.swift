/// The canonical form of an export manifest, over which the request fingerprint is taken (corpus-protocol.md 6).
///
/// Objects are sorted by their encoded key tokens, quotes included; arrays by the bytes of their elements; scalars are
/// copied byte for byte, save that the escape `\/` becomes `/`.
public enum ManifestCanonicalizer {
    /// The canonical bytes of a text. Throws `JSONError`.
    public static func canonicalize(_ text: [UInt8], limits: JSONLimits = .document) throws -> [UInt8] {
        try text.withUnsafeBufferPointer { text in
            let tokens = try JSONTokenizer(limits: limits, borrowing: text)
            let result = try value(tokens.next(), tokens)
            _ = try tokens.next()
            return result
        }
    }

    private static func value(_ token: JSONToken, _ tokens: JSONTokenizer) throws -> [UInt8] {
        switch token {
        case .beginObject: return try object(tokens)
        case .beginArray: return try array(tokens)
        case .string:
            var sink = RawStringCollector()
            try tokens.readString(into: &sink)
            sink.bytes.append(UInt8(ascii: "\""))
            return sink.bytes
        case .number: return tokens.numberBytes
        case .bool(let flag): return Array((flag ? "true" : "false").utf8)
        case .null: return Array("null".utf8)
        case .key, .endObject, .endArray, .end:
            preconditionFailure("the tokenizer gives a value where the grammar wants one")
        }
    }

    private static func object(_ tokens: JSONTokenizer) throws -> [UInt8] {
        var members: [(key: [UInt8], value: [UInt8])] = []
        while try tokens.next() == .key {
            let quote = [UInt8(ascii: "\"")]
            let key = quote + JSONSolidus.unescaped(tokens.rawKey) + quote
            members.append((key, try value(tokens.next(), tokens)))
        }
        members.sort { $0.key.lexicographicallyPrecedes($1.key) }
        var result = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            result += member.key
            result.append(UInt8(ascii: ":"))
            result += member.value
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    private static func array(_ tokens: JSONTokenizer) throws -> [UInt8] {
        var elements: [[UInt8]] = []
        while true {
            let token = try tokens.next()
            if token == .endArray { break }
            elements.append(try value(token, tokens))
        }
        elements.sort { $0.lexicographicallyPrecedes($1) }
        var result = [UInt8(ascii: "[")]
        for (index, element) in elements.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            result += element
        }
        result.append(UInt8(ascii: "]"))
        return result
    }
}

/// Collects a string token as written, opening quote included, with `\/` as `/`.
private struct RawStringCollector: JSONStringSink {
    var bytes: [UInt8] = [UInt8(ascii: "\"")]

    mutating func plain(_ part: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: part) }

    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) {
        if raw.count == 2, scalar == "/" {
            bytes.append(UInt8(ascii: "/"))
        } else {
            bytes.append(contentsOf: raw)
        }
    }
}
