import Foundation
import HMDCItem
import Testing

/// How values map to tags (hmdcitem.md 3).
@Suite struct EncodingTests {
    private func node(_ value: some Encodable) throws -> ItemNode { try ItemEncoder().node(of: value) }

    private enum Word: String, Codable { case one, two }
    private enum Number: Int, Codable { case one = 1 }
    private struct Wrapper<Value: Codable & Equatable>: Codable, Equatable {
        var value: Value
        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
    private struct Empty: Codable {}
    private struct Optionals: Codable, Equatable {
        var absent: Int?
        var present: Int?
    }

    @Test("each integer type is widened to 64 bits under the tag of its signedness")
    func integers() throws {
        #expect(try node(Int.min) == .signed(.min) && node(Int8.min) == .signed(-128))
        #expect(try node(Int16.min) == .signed(-32_768) && node(Int32.min) == .signed(-2_147_483_648))
        #expect(try node(Int64.max) == .signed(.max) && node(-1) == .signed(-1))
        #expect(try node(UInt.max) == .unsigned(.max) && node(UInt8.max) == .unsigned(255))
        #expect(try node(UInt16.max) == .unsigned(65_535) && node(UInt32.max) == .unsigned(4_294_967_295))
        #expect(try node(UInt64(0)) == .unsigned(0))
    }

    @Test("the declared type decides the tag, not the value")
    func declaredType() throws {
        #expect(try node([0.0, 1.0]) == .array([.double(0), .double(1)]))
        #expect(try node(true) == .bool(true))
        #expect(try node(Float(0.1)) == .double(0.10000000149011612))
        #expect(try node(-0.0) == .double(-0.0))
        #expect(try node(-0.0) != .double(0))
    }

    @Test("strings, data, dates and UUIDs have their own forms")
    func foundationTypes() throws {
        #expect(try node("häß\u{0}") == .string("häß\u{0}"))
        #expect(try node(Data([0, 255])) == .data([0, 255]))
        #expect(try node([UInt8]([1])) == .array([.unsigned(1)]))
        #expect(try node(Date(timeIntervalSinceReferenceDate: -0.5)) == .date(-0.5))
        let text = "0e984725-c51c-4bf4-9960-e1c80e27aba0"
        #expect(try node(UUID(uuidString: text)) == .string(text.uppercased()))
    }

    @Test("a URL is an object of its relative text and, with a base, of the base")
    func urls() throws {
        let plain = try #require(URL(string: "https://example.org/a?b#c"))
        #expect(try node(plain) == .object(sorting: [("relative", .string("https://example.org/a?b#c"))]))
        let relative = try #require(URL(string: "d", relativeTo: plain))
        let expected = ItemNode.object(sorting: [("relative", .string("d")), ("base", try node(plain))])
        #expect(try node(relative) == expected)
        let bytes = try ItemEncoder().encode([relative], kind: .macHealthDay)
        let decoded = try ItemDecoder().decode([URL].self, from: bytes, kind: .macHealthDay)
        #expect(decoded == [relative] && decoded[0].baseURL == plain && decoded[0].relativeString == "d")
    }

    @Test("enumerations are their raw values, wrappers are what they wrap")
    func singleValues() throws {
        #expect(try node(Word.two) == .string("two"))
        #expect(try node(Number.one) == .signed(1))
        #expect(try node(Wrapper(Wrapper(Date(timeIntervalSinceReferenceDate: 1)))) == .date(1))
        #expect(try node([Wrapper("a")]) == .array([.string("a")]))
    }

    @Test("a nil property is omitted; a nil in an array and an explicit nil are null")
    func nils() throws {
        #expect(try node(Optionals(absent: nil, present: 1)) == .object(sorting: [("present", .signed(1))]))
        #expect(try node([1, nil]) == .array([.signed(1), .null]))
        #expect(try node(Int?.none) == .null)
        #expect(try node(["a": Int?.none]) == .object(sorting: [("a", .null)]))
        #expect(try node(Empty()) == .object([]))
    }

    @Test("keys are sorted by their UTF-8 bytes")
    func order() throws {
        let node = try node(["z": 1, "é": 2, "a": 3, "ab": 4, "B": 5, "\u{10000}": 6, "\u{FF5E}": 7])
        guard case .object(let entries) = node else { return #expect(Bool(false)) }
        #expect(entries.map(\.key) == ["B", "a", "ab", "z", "é", "\u{FF5E}", "\u{10000}"])
    }

    @Test("NaN and infinities are refused wherever they stand, and the place is named")
    func notFinite() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            #expect(try itemError { _ = try node(["a": [0, value]]) } == .refused(.numberNotFinite, path: "a[1]"))
            let date = Date(timeIntervalSinceReferenceDate: value)
            #expect(try itemError { _ = try node(["d": date]) } == .refused(.numberNotFinite, path: "d"))
            #expect(try itemError { _ = try node(Float(value)) } == .refused(.numberNotFinite, path: ""))
            let made = ItemNode.array([.double(value)])
            #expect(
                try itemError { _ = try ItemWriter.bytes(of: made, kind: .strictRawDay) }
                    == .refused(.numberNotFinite, path: "[0]"))
        }
    }

    @Test("an empty key and a key over 4 096 bytes are refused, 1 and 4 096 bytes are not")
    func keyLengths() throws {
        #expect(try itemError { _ = try node(["": 1]) }?.code == "key_length_out_of_range")
        let longest = String(repeating: "é", count: 2_048)
        #expect(try itemError { _ = try node([longest: 1, "a": 2]) } == nil)
        #expect(try itemError { _ = try node([longest + "a": 1]) }?.code == "key_length_out_of_range")
        let made = ItemNode.object([.init(key: "", value: .null)])
        #expect(try itemError { _ = try ItemWriter.byteCount(of: made) } == .refused(.keyLength, path: ""))
    }

    @Test("16 384 entries are taken, 16 385 refused")
    func entryCount() throws {
        var values = Dictionary(uniqueKeysWithValues: (0..<16_384).map { ("k\($0)", $0) })
        #expect(try itemError { _ = try ItemEncoder().encode(values, kind: .macHealthDay) } == nil)
        values["more"] = 0
        #expect(try itemError { _ = try node(values) } == .refused(.tooManyEntries, path: ""))
    }

    private struct Keys: Encodable {
        var keys: [String]
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            for key in keys { try container.encode(key, forKey: AnyKey(key)) }
        }
    }

    struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    @Test(
        "equal and canonically equivalent keys are refused",
        arguments: [["a", "a"], ["é", "e\u{301}"], ["\u{212A}", "K"]])
    func duplicates(keys: [String]) throws {
        #expect(try itemError { _ = try node(Keys(keys: keys)) }?.code == "duplicate_key")
        let made = ItemNode.object(sorting: keys.map { ($0, .null) })
        #expect(try itemError { _ = try ItemWriter.byteCount(of: made) }?.code == "duplicate_key")
    }

    @Test("a hand-made object out of order is refused")
    func handMadeOrder() throws {
        let made = ItemNode.object([.init(key: "b", value: .null), .init(key: "a", value: .null)])
        #expect(try itemError { _ = try ItemWriter.byteCount(of: made) } == .refused(.keyOrder, path: "a"))
    }

    /// Arrays in arrays through nested containers.
    private struct Nested: Encodable {
        var depth: Int
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for _ in 0..<depth { container = container.nestedUnkeyedContainer() }
        }
    }

    /// Arrays in arrays through values.
    private indirect enum Chain: Codable {
        case end
        case link(Chain)
        init(depth: Int) { self = depth == 0 ? .end : .link(Chain(depth: depth - 1)) }
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            self = container.isAtEnd ? .end : .link(try container.decode(Chain.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if case .link(let chain) = self { try container.encode(chain) }
        }
    }

    @Test("depth 128 is the last that is written, however the nesting came about")
    func depth() throws {
        let bytes = Raw.header() + Raw.nested(depth: 128)
        #expect(try ItemEncoder().encode(Nested(depth: 128), kind: .strictRawDay) == bytes)
        #expect(try ItemEncoder().encode(Chain(depth: 128), kind: .strictRawDay) == bytes)
        #expect(
            try itemError { _ = try ItemEncoder().encode(Nested(depth: 129), kind: .strictRawDay) }?.code == "too_deep")
        #expect(try itemError { _ = try node(Chain(depth: 129)) }?.code == "too_deep")
    }

    @Test("the encoder counts a wrapper as a level, the decoder does not")
    func wrappersAndDepth() throws {
        #expect(try itemError { _ = try node(Wrappers(levels: 128)) } == nil)
        #expect(try itemError { _ = try node(Wrappers(levels: 129)) }?.code == "too_deep")
        // 200 wrappers around one node are read, since they leave no trace in the file.
        let decoded = try ItemDecoder().decode(Wrappers.self, from: ItemNode.signed(200))
        #expect(decoded.levels == 200)
    }

    /// Wraps itself `levels` times; reading, it unwraps as often as the number says.
    private struct Wrappers: Codable {
        var levels: Int
        private static func level(_ decoder: any Decoder, _ remaining: Int) throws -> Int {
            remaining == 0 ? try Int(from: decoder) : try level(decoder, remaining - 1)
        }
        init(levels: Int) { self.levels = levels }
        init(from decoder: any Decoder) throws {
            levels = try Self.level(decoder, try decoder.singleValueContainer().decode(Int.self))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if levels > 0 { try container.encode(Wrappers(levels: levels - 1)) } else { try container.encode(0) }
        }
    }

    private class Base: Encodable {
        var inner = 1
        enum CodingKeys: String, CodingKey { case inner }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(inner, forKey: .inner)
        }
    }

    private final class Derived: Base {
        enum OtherKeys: String, CodingKey { case own, list, parent }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: OtherKeys.self)
            try container.encode("x", forKey: .own)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            // Written after the nested container was asked for.
            try super.encode(to: container.superEncoder(forKey: .parent))
            try super.encode(to: encoder)
            try list.encode(true)
            var nested = list.nestedContainer(keyedBy: CodingKeys.self)
            try nested.encode(2.5, forKey: .inner)
        }
    }

    @Test("nested containers and super encoders write into their places")
    func nesting() throws {
        let expected = ItemNode.object(sorting: [
            ("inner", .signed(1)), ("own", .string("x")),
            ("list", .array([.bool(true), .object(sorting: [("inner", .double(2.5))])])),
            ("parent", .object(sorting: [("inner", .signed(1))])),
        ])
        #expect(try node(Derived()) == expected)
    }

    @Test("other serializers are told that they cannot take a tree or a streamed value")
    func elsewhere() throws {
        let region = ItemRegion(ItemBytes([65]))
        #expect(
            try itemError { _ = try JSONEncoder().encode([ItemText.streamed(region)]) }?.code
                == "streamed_value_elsewhere")
        #expect(try itemError { _ = try JSONEncoder().encode([ItemNode.null]) }?.code == "streamed_value_elsewhere")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ItemNode].self, from: Data("[1]".utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([ItemData].self, from: Data("[1]".utf8)) }
    }
}
