import Testing

@testable import CanonicalJSON

private func parse(_ text: String, limits: JSONLimits = .document) throws -> JSONValue {
    try JSONParser.parse(Array(text.utf8), limits: limits)
}

private func error(_ bytes: [UInt8], limits: JSONLimits = .document) -> JSONError? {
    do {
        _ = try JSONParser.parse(bytes, limits: limits)
        return nil
    } catch {
        return error as? JSONError
    }
}

@Suite("JSON parser")
struct JSONParserTests {
    @Test("members keep their order and numbers their tokens")
    func ordersAndTokens() throws {
        let value = try parse(#" {"b": [1.50, -0, 1E+2, 18446744073709551615], "a": {"x":null,"y":true}} "#)
        #expect(value.object?.keys == ["b", "a"])
        let numbers = try #require(value["b"]?.array).compactMap(\.number)
        #expect(numbers.map(\.token) == ["1.50", "-0", "1E+2", "18446744073709551615"])
        #expect(numbers[0].double == 1.5)
        #expect(numbers[2].int64 == 100)
        #expect(numbers[3].uint64 == .max)
        #expect(numbers[3].int64 == nil)
    }

    @Test("escapes are decoded, surrogate pairs included")
    func escapes() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#) == "\"\\/\u{8}\u{C}\n\r\té😀é")
    }

    @Test(
        "what RFC 8259 or the limits forbid is refused by code and offset",
        arguments: [
            ("", JSONError.Code.unexpectedEnd, 0),
            ("\u{FEFF}{}", .byteOrderMark, 0),
            ("{} x", .trailingContent, 3),
            ("[1,]", .unexpectedByte, 3),
            ("[1 2]", .unexpectedByte, 3),
            ("{\"a\":1,}", .unexpectedByte, 7),
            ("{\"a\" 1}", .unexpectedByte, 5),
            ("{a:1}", .unexpectedByte, 1),
            ("[1}", .unexpectedByte, 2),
            ("[", .unexpectedEnd, 1),
            ("\"abc", .unexpectedEnd, 4),
            ("tru", .unexpectedEnd, 3),
            ("trux", .unexpectedByte, 3),
            ("01", .invalidNumber, 0),
            ("-", .invalidNumber, 0),
            ("1.", .invalidNumber, 0),
            (".5", .unexpectedByte, 0),
            ("1e", .invalidNumber, 0),
            ("+1", .unexpectedByte, 0),
            ("NaN", .unexpectedByte, 0),
            ("\"\u{1}\"", .controlCharacter, 1),
            (#""\x""#, .invalidEscape, 1),
            (#""\u12g4""#, .invalidEscape, 1),
            (#""\ud83d""#, .loneSurrogate, 1),
            (#""\ud83d\u0041""#, .loneSurrogate, 1),
            (#""\ude00""#, .loneSurrogate, 1),
            (#"{"a":1,"a":2}"#, .duplicateKey, 7),
            (#"{"a":1,"\u0061":2}"#, .duplicateKey, 7),
        ])
    func refusals(text: String, code: JSONError.Code, offset: Int) {
        #expect(error(Array(text.utf8)) == JSONError(code, offset: offset))
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xFF],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(error([0x22] + bytes + [0x22]) == JSONError(.invalidUTF8, offset: 1))
    }

    @Test("every limit holds on both sides")
    func limits() throws {
        var limits = JSONLimits(depth: 3, keyByteCount: 4, keysPerObject: 2, numberByteCount: 5)
        _ = try parse("[[[]]]", limits: limits)
        #expect(error(Array("[[[[]]]]".utf8), limits: limits) == JSONError(.depthLimit, offset: 3))
        _ = try parse(#"{"abcd":1}"#, limits: limits)
        #expect(error(Array(#"{"abcde":1}"#.utf8), limits: limits) == JSONError(.keyTooLong, offset: 1))
        _ = try parse(#"{"a":1,"b":1}"#, limits: limits)
        #expect(error(Array(#"{"a":1,"b":1,"c":1}"#.utf8), limits: limits) == JSONError(.tooManyKeys, offset: 13))
        _ = try parse("12345", limits: limits)
        #expect(error(Array("123456".utf8), limits: limits) == JSONError(.numberTooLong, offset: 5))
        limits.refusesDuplicateKeys = false
        #expect(try parse(#"{"a":1,"a":2}"#, limits: limits).object?.count == 2)
    }

    @Test("the default depth is 256")
    func defaultDepth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        _ = try JSONParser.parse(nested(256))
        #expect(error(nested(257)) == JSONError(.depthLimit, offset: 256))
    }

    @Test("keys that differ only in normalisation are two keys")
    func normalisation() throws {
        let value = try parse("{\"e\u{301}\":1,\"\u{E9}\":2}")
        #expect(value["\u{E9}"] == 2)
        #expect(value["e\u{301}"] == 1)
    }
}

@Suite("JSON tokenizer over pieces")
struct JSONTokenizerTests {
    static let text = #"""
        { "long" : "0123456789012345678901234567890123456789012345678901234567890123456789 é€😀 \ud83d\ude00 \/ \" \\ end",
          "numbers" : [ 1, -2.5e-3, 12345678901234567890 ], "e\u00e9" : { "t":true, "f":false, "n":null }, "s\/" : "" }
        """#

    static func reader(_ bytes: [UInt8], step: Int) -> JSONTokenizer.Reader {
        var position = 0
        return { buffer in
            let count = min(step, buffer.count, bytes.count - position)
            buffer.copyBytes(from: bytes[position..<position + count])
            position += count
            return count
        }
    }

    @Test("any split of the input yields the same value", arguments: [1, 2, 3, 5, 7, 11, 64, 4_096])
    func splits(step: Int) throws {
        let bytes = Array(Self.text.utf8)
        let tokens = try JSONTokenizer(bufferByteCount: 64, reader: Self.reader(bytes, step: step))
        let value = try JSONParser.value(startingWith: tokens.next(), from: tokens)
        #expect(try tokens.next() == .end)
        #expect(value == (try JSONParser.parse(bytes)))
    }

    @Test("a string that is skipped is still checked")
    func skippedStringsAreChecked() throws {
        let tokens = try JSONTokenizer(reader: Self.reader([0x5B, 0x22, 0xFF, 0x22, 0x5D], step: 1))
        #expect(try tokens.next() == .beginArray)
        #expect(try tokens.next() == .string)
        #expect(throws: JSONError(.invalidUTF8, offset: 2)) { try tokens.next() }
    }

    @Test("a string over the caller's limit is refused")
    func stringLimit() throws {
        let tokens = try JSONTokenizer(reader: Self.reader(Array(#"["abcd"]"#.utf8), step: 3))
        _ = try tokens.next()
        _ = try tokens.next()
        #expect(throws: JSONError.self) { try tokens.stringBytes(byteLimit: 3) }
    }

    @Test("what the reader throws reaches the caller")
    func readerErrors() {
        struct Broken: Error {}
        #expect(throws: Broken.self) { try JSONTokenizer { _ in throw Broken() } }
    }
}
