import HMDCItem
import Testing

/// One line of the table: bytes, and what must be said about them. Nil means that they are a valid item.
struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let expected: ItemError?

    var testDescription: String { name }

    /// A whole file.
    init(_ name: String, file: [UInt8], _ expected: ItemRejection?, at offset: UInt64 = 0) {
        self.name = name
        bytes = file
        self.expected = expected.map { .rejected($0, offset: offset) }
    }

    /// A root behind a right header; it starts at byte 12, its payload at byte 21.
    init(_ name: String, _ root: [UInt8], _ expected: ItemRejection?, at offset: UInt64 = 0) {
        self.init(name, file: Raw.file(root), expected, at: offset)
    }
}

/// The rules of hmdcitem.md 4, each at, below and above its limit.
@Suite struct RejectionTests {
    static let header: [Case] = [
        Case("no bytes", file: [], .fileTooShort, at: 0),
        Case("a header alone", file: Raw.header(), .fileTooShort, at: 12),
        Case("one byte of root", file: Raw.header() + [3], .nodeTooShort, at: 12),
        Case("eight bytes of root", file: Raw.header() + [3, 0, 0, 0, 0, 0, 0, 0], .nodeTooShort, at: 12),
        Case("nine bytes of root", file: Raw.header() + Raw.null, nil),
        Case("first byte of the magic", file: [0x49] + Raw.file(Raw.null).dropFirst(), .badMagic, at: 0),
        Case(
            "last byte of the magic", file: Array("HMDCITEm".utf8) + Raw.file(Raw.null).dropFirst(8), .badMagic, at: 7),
        Case("version 0", file: Raw.header(version: 0) + Raw.null, .unsupportedVersion, at: 8),
        Case("version 2", file: Raw.header(version: 2) + Raw.null, .unsupportedVersion, at: 8),
        Case("version 257", file: Raw.header(version: 257) + Raw.null, .unsupportedVersion, at: 8),
        Case("kind 0", file: Raw.header(kind: 0) + Raw.null, .unexpectedKind(expected: .strictRawDay), at: 10),
        Case("the other kind", file: Raw.header(kind: 1) + Raw.null, .unexpectedKind(expected: .strictRawDay), at: 10),
        Case("kind 3", file: Raw.header(kind: 3) + Raw.null, .unexpectedKind(expected: .strictRawDay), at: 10),
        Case("reserved byte 1", file: Raw.header(reserved: 1) + Raw.null, .reservedByteSet, at: 11),
    ]

    static let nodes: [Case] = [
        Case("tag 0", Raw.node(0), .unknownTag, at: 12),
        Case("tag 1", Raw.object([]), nil),
        Case("tag 10", Raw.bits(10, 0), nil),
        Case("tag 11", Raw.node(11), .unknownTag, at: 12),
        Case("tag 255", Raw.node(255), .unknownTag, at: 12),
        Case("length 2^63 - 1", Raw.node(9, length: 1 << 63 - 1), .lengthMismatch, at: 13),
        Case("length 2^63", Raw.node(9, length: 1 << 63), .lengthOutOfRange, at: 13),
        Case("length 2^64 - 1", Raw.node(9, length: .max), .lengthOutOfRange, at: 13),
        Case("one byte after the root", Raw.object([]) + [0], .lengthMismatch, at: 13),
        Case("one byte too few for the root", Raw.node(8, [65], length: 2), .lengthMismatch, at: 13),
        Case(
            "a child shorter than its enclosing length",
            Raw.object([Raw.entry([0x61], Raw.node(8, [65, 66], length: 1))]), .lengthMismatch, at: 39),
        Case("null with a payload", Raw.node(3, [0]), .nullNotEmpty, at: 13),
        Case("Boolean without payload", Raw.node(4), .booleanLength, at: 13),
        Case("Boolean of two bytes", Raw.node(4, [0, 1]), .booleanLength, at: 13),
        Case("Boolean 0", Raw.node(4, [0]), nil),
        Case("Boolean 1", Raw.node(4, [1]), nil),
        Case("Boolean 2", Raw.node(4, [2]), .booleanValue, at: 21),
        Case("Boolean 255", Raw.node(4, [255]), .booleanValue, at: 21),
        Case("depth 128", Raw.nested(depth: 128), nil),
        Case("depth 129", Raw.nested(depth: 129), .tooDeep, at: 12 + 129 * 25),
    ]

    static let numbers: [Case] = [(5, ItemTag.signed), (6, .unsigned), (7, .double), (10, .date)].flatMap {
        (byte: UInt8, tag: ItemTag) -> [Case] in
        [
            Case("\(tag.name) of 7 bytes", Raw.node(byte, [UInt8](repeating: 0, count: 7)), .numberLength(tag), at: 13),
            Case("\(tag.name) of 8 bytes", Raw.node(byte, [UInt8](repeating: 0, count: 8)), nil),
            Case("\(tag.name) of 9 bytes", Raw.node(byte, [UInt8](repeating: 0, count: 9)), .numberLength(tag), at: 13),
        ]
    }

    static let floats: [Case] = [(7, ItemTag.double), (10, .date)].flatMap { (byte: UInt8, tag: ItemTag) -> [Case] in
        [
            Case("\(tag.name) NaN", Raw.bits(byte, Double.nan.bitPattern), .notFinite(tag), at: 21),
            Case("\(tag.name) signalling NaN", Raw.bits(byte, 0x7FF0_0000_0000_0001), .notFinite(tag), at: 21),
            Case("\(tag.name) infinity", Raw.bits(byte, 0x7FF0_0000_0000_0000), .notFinite(tag), at: 21),
            Case("\(tag.name) minus infinity", Raw.bits(byte, 0xFFF0_0000_0000_0000), .notFinite(tag), at: 21),
            Case("\(tag.name) greatest", Raw.bits(byte, 0x7FEF_FFFF_FFFF_FFFF), nil),
            Case("\(tag.name) minus zero", Raw.bits(byte, 0x8000_0000_0000_0000), nil),
        ]
    }

    static let objects: [Case] = [
        Case("object payload of 0 bytes", Raw.node(1), .objectTooShort, at: 13),
        Case("object payload of 3 bytes", Raw.node(1, [0, 0, 0]), .objectTooShort, at: 13),
        Case("object payload of 4 bytes", Raw.node(1, [0, 0, 0, 0]), nil),
        Case("16 384 entries", Raw.object(keys: (0..<16_384).map { "k\($0 + 100_000)" }), nil),
        Case(
            "16 385 entries", Raw.object(keys: (0..<16_385).map { "k\($0 + 100_000)" }), .tooManyEntries, at: 21),
        Case("2^32 - 1 entries", Raw.object([], count: .max), .tooManyEntries, at: 21),
        Case("an entry declared, none there", Raw.object([], count: 1), .keyPastEnd, at: 25),
        Case("three bytes of a key length", Raw.object([], count: 1, trailing: [0, 0, 0]), .keyPastEnd, at: 25),
        Case("key of 0 bytes", Raw.object([Raw.entry([], Raw.null)]), .keyLengthOutOfRange, at: 25),
        Case("key of 1 byte", Raw.object([Raw.entry([0x61], Raw.null)]), nil),
        Case("key of 4 096 bytes", Raw.object([Raw.entry([UInt8](repeating: 0x61, count: 4_096), Raw.null)]), nil),
        Case(
            "key of 4 097 bytes", Raw.object([Raw.entry([UInt8](repeating: 0x61, count: 4_097), Raw.null)]),
            .keyLengthOutOfRange, at: 25),
        Case(
            "key one byte past the end", Raw.object([], count: 1, trailing: Raw.u32(3) + [0x61, 0x62]), .keyPastEnd,
            at: 25),
        Case(
            "seven bytes of a child length",
            Raw.object([], count: 1, trailing: Raw.u32(1) + [0x61, 0, 0, 0, 0, 0, 0, 0]),
            .childPastEnd, at: 30),
        Case(
            "child of 8 bytes", Raw.object([Raw.entry([0x61], [3, 0, 0, 0, 0, 0, 0, 0])]), .childTooShort, at: 30),
        Case("child of 0 bytes", Raw.object([Raw.entry([0x61], [])]), .childTooShort, at: 30),
        Case("child of 9 bytes", Raw.object([Raw.entry([0x61], Raw.null)]), nil),
        Case(
            "child one byte past the end", Raw.object([Raw.entry([0x61], Raw.null, childLength: 10)]), .childPastEnd,
            at: 30),
        Case(
            "child length 2^64 - 1", Raw.object([Raw.entry([0x61], Raw.null, childLength: .max)]), .childPastEnd, at: 30
        ),
        Case(
            "one byte after the last entry", Raw.object([Raw.entry([0x61], Raw.null)], trailing: [0]),
            .bytesAfterLastEntry, at: 47),
        Case("one byte in an empty object", Raw.object([], trailing: [0]), .bytesAfterLastEntry, at: 25),
    ]

    static let keys: [Case] = [
        Case("key not UTF-8", Raw.object([Raw.entry([0xFF], Raw.null)]), .keyNotUTF8, at: 29),
        Case("key with half a sequence", Raw.object([Raw.entry([0xC3], Raw.null)]), .keyNotUTF8, at: 29),
        Case("same key twice", Raw.object(keys: ["a", "a"]), .keyNotIncreasing, at: 51),
        Case("keys in falling order", Raw.object(keys: ["b", "a"]), .keyNotIncreasing, at: 51),
        Case("a prefix first", Raw.object(keys: ["a", "ab"]), nil),
        Case("a prefix last", Raw.object(keys: ["ab", "a"]), .keyNotIncreasing, at: 52),
        Case("bytes compare unsigned", Raw.object(keys: ["z", "é"]), nil),
        Case("bytes compare unsigned, reversed", Raw.object(keys: ["é", "z"]), .keyNotIncreasing, at: 52),
        // U+FF5E is three bytes from EF, U+10000 four from F0: UTF-16 would order them the other way.
        Case("bytes of UTF-8 and not of UTF-16 order", Raw.object(keys: ["\u{FF5E}", "\u{10000}"]), nil),
        Case("decomposed and composed", Raw.object(keys: ["e\u{301}", "é"]), .duplicateKey, at: 53),
        Case("ASCII and its canonical equivalent", Raw.object(keys: ["K", "\u{212A}"]), .duplicateKey, at: 51),
        Case(
            "equivalents with others between", Raw.object(keys: ["aa", "ee", "e\u{301}", "zz", "é"]), .duplicateKey,
            at: 122),
        Case(
            "equal keys in different objects",
            Raw.object([
                Raw.entry([0x61], Raw.object(keys: ["e\u{301}"])), Raw.entry([0x62], Raw.object(keys: ["é"])),
            ]), nil),
        Case("compatibility equivalents differ", Raw.object(keys: ["fi", "\u{FB01}"]), nil),
    ]

    static let arrays: [Case] = [
        Case("array payload of 7 bytes", Raw.node(2, [UInt8](repeating: 0, count: 7)), .arrayTooShort, at: 13),
        Case("array payload of 8 bytes", Raw.array([]), nil),
        Case("one element in 17 bytes", Raw.array([Raw.null]), nil),
        Case(
            "one element declared in 16 bytes", Raw.node(2, Raw.u64(1) + [UInt8](repeating: 0, count: 16)),
            .tooManyElements, at: 21),
        Case(
            "two elements declared in 33 bytes",
            Raw.array([Raw.null], count: 2, trailing: [UInt8](repeating: 0, count: 16)), .tooManyElements, at: 21),
        Case("2^64 - 1 elements in an empty array", Raw.array([], count: .max), .tooManyElements, at: 21),
        Case(
            "second element's length cut", Raw.array([Raw.string("abcdefghijklmnopq")], count: 2, trailing: [0, 0]),
            .elementPastEnd, at: 63),
        Case("element of 8 bytes", Raw.node(2, Raw.u64(1) + Raw.u64(8) + Raw.null), .childTooShort, at: 29),
        Case(
            "element one byte past the end", Raw.node(2, Raw.u64(1) + Raw.u64(10) + Raw.null), .elementPastEnd, at: 29),
        Case("element length 2^64 - 1", Raw.node(2, Raw.u64(1) + Raw.u64(.max) + Raw.null), .elementPastEnd, at: 29),
        Case("one byte after the last element", Raw.array([Raw.null], trailing: [0]), .bytesAfterLastElement, at: 46),
        Case("one byte in an empty array", Raw.array([], trailing: [0]), .bytesAfterLastElement, at: 29),
    ]

    /// Byte sequences that are no UTF-8, each of them alone, behind and before text.
    static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE1, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    /// The first and the last of each range.
    static let utf8: [[UInt8]] = [
        [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
        [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [],
    ]

    static let strings: [Case] =
        notUTF8.flatMap { bytes in
            [bytes, [0x61] + bytes, bytes + [0x61]].map {
                Case("string \(hexText($0))", Raw.node(8, $0), .stringNotUTF8, at: 21)
            }
        } + utf8.map { Case("string \(hexText($0))", Raw.node(8, $0), nil) }

    static let table = header + nodes + numbers + floats + objects + keys + arrays + strings

    @Test("each rule holds at, below and above its limit when an item is read in one pass", arguments: table)
    func onePass(entry: Case) throws {
        let error = try itemError { try ItemReader.validate(ItemBytes(entry.bytes), kind: .strictRawDay) }
        #expect(error == entry.expected)
    }

    @Test("each rule holds the same way when nodes are visited through the coding containers", arguments: table)
    func lazily(entry: Case) throws {
        let error = try itemError {
            _ = try ItemDecoder().decode(AnyValue.self, from: entry.bytes, kind: .strictRawDay)
        }
        #expect(error == entry.expected)
    }

    @Test("each rule holds the same way when a tree is loaded", arguments: table)
    func tree(entry: Case) throws {
        let error = try itemError {
            let node = try ItemFile(ItemBytes(entry.bytes), kind: .strictRawDay).root.tree()
            // What was taken is written back unchanged.
            #expect(try ItemWriter.bytes(of: node, kind: .strictRawDay) == entry.bytes)
        }
        #expect(error == entry.expected)
    }

    @Test("the table has at least one refused and one accepted entry for every rule from 2 to 12")
    func complete() {
        let rules = Set(
            Self.table.compactMap { entry -> Int? in
                guard case .rejected(let rejection, _) = entry.expected else { return nil }
                return rejection.rule
            })
        #expect(rules == Set(2...12))
        #expect(Self.table.contains { $0.expected == nil })
    }

    @Test("both kinds are taken when none is expected, and no other")
    func anyKind() throws {
        for kind in ItemKind.allCases {
            let bytes = Raw.header(kind: kind.byte) + Raw.null
            #expect(try ItemReader.validate(ItemBytes(bytes)).kind == kind)
        }
        let error = try itemError { try ItemReader.validate(ItemBytes(Raw.header(kind: 3) + Raw.null)) }
        #expect(error == .rejected(.unexpectedKind(expected: nil), offset: 10))
    }
}
