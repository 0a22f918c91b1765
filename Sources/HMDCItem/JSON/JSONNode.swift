/// A parsed JSON value with the place where it stood.
struct JSONNode {
    enum Value {
        case object([(key: String, value: JSONNode)])
        case array([JSONNode])
        case null
        case bool(Bool)
        /// The number as written; its kind depends on who reads it.
        case number(String)
        case string(String)
    }

    let value: Value
    /// The first byte of the value in the text.
    let offset: Int

    var isNull: Bool {
        if case .null = value { true } else { false }
    }

    /// The tag that the value would most likely have in an item, for error texts.
    var closestTag: ItemTag {
        switch value {
        case .object: .object
        case .array: .array
        case .null: .null
        case .bool: .boolean
        case .number: .double
        case .string: .string
        }
    }

    /// An integer. A fraction of zero and an exponent are taken as long as the value stays exact, since JSON has only
    /// one kind of number.
    func integer<Integer: FixedWidthInteger>(or mismatch: @autoclosure () -> ItemError) throws -> Integer {
        guard case .number(let text) = value else { throw mismatch() }
        if let integer = Integer(text) { return integer }
        // Beyond 2^53 a double no longer stands for one integer.
        guard let double = Double(text), double.magnitude <= 0x1p53 else {
            throw ItemError.rejected(.integerOutOfRange, offset: UInt64(offset))
        }
        guard let integer = Integer(exactly: double) else {
            throw ItemError.rejected(.integerOutOfRange, offset: UInt64(offset))
        }
        return integer
    }

    func double(or mismatch: @autoclosure () -> ItemError) throws -> Double {
        guard case .number(let text) = value, let double = Double(text) else { throw mismatch() }
        guard double.isFinite else { throw ItemError.rejected(.notFinite(.double), offset: UInt64(offset)) }
        return double
    }

    /// The value as a tree; every number becomes a double.
    func itemNode() throws -> ItemNode {
        switch value {
        case .object(let entries): return .object(sorting: try entries.map { ($0.key, try $0.value.itemNode()) })
        case .array(let elements): return .array(try elements.map { try $0.itemNode() })
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number:
            return .double(try double(or: .rejected(.notFinite(.double), offset: UInt64(offset))))
        case .string(let text): return .string(text)
        }
    }
}

/// A strict JSON parser (RFC 8259). Keys of one object must differ, also after Unicode normalisation.
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0

    /// Parses a whole text.
    static func parse(_ bytes: [UInt8]) throws(ItemError) -> JSONNode {
        guard !ItemHeader.hasMagic(bytes) else { throw .text(.binaryItem, offset: 0) }
        guard UTF8Check.isValid(bytes.span) else { throw .text(.notUTF8, offset: 0) }
        var parser = JSONParser(bytes: bytes)
        let node = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.syntax }
        return node
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private var syntax: ItemError { .text(.syntax, offset: position) }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(ItemError) {
        guard take(byte) else { throw syntax }
    }

    private mutating func value(depth: Int) throws(ItemError) -> JSONNode {
        skipSpace()
        let start = position
        guard depth <= ItemJSON.maximumDepth else { throw .text(.tooDeep, offset: start) }
        let value: JSONNode.Value
        switch next {
        case UInt8(ascii: "{"): value = .object(try object(depth: depth))
        case UInt8(ascii: "["): value = .array(try array(depth: depth))
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "t"): value = try word("true", .bool(true))
        case UInt8(ascii: "f"): value = try word("false", .bool(false))
        case UInt8(ascii: "n"): value = try word("null", .null)
        default: value = .number(try number())
        }
        return JSONNode(value: value, offset: start)
    }

    private mutating func word(_ word: String, _ value: JSONNode.Value) throws(ItemError) -> JSONNode.Value {
        for byte in word.utf8 { try expect(byte) }
        return value
    }

    private mutating func object(depth: Int) throws(ItemError) -> [(key: String, value: JSONNode)] {
        position += 1
        var entries: [(key: String, value: JSONNode)] = []
        var keys: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return entries }
        repeat {
            skipSpace()
            let start = position
            let key = try string()
            guard keys.insert(key).inserted else { throw .text(.duplicateKey, offset: start) }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            entries.append((key, try value(depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
        return entries
    }

    private mutating func array(depth: Int) throws(ItemError) -> [JSONNode] {
        position += 1
        var elements: [JSONNode] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        try expect(UInt8(ascii: "]"))
        return elements
    }

    private mutating func number() throws(ItemError) -> String {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(ItemError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw syntax }
    }

    private mutating func string() throws(ItemError) -> String {
        try expect(UInt8(ascii: "\""))
        var text: [UInt8] = []
        while true {
            let start = position
            while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
            }
            text += bytes[start..<position]
            if take(UInt8(ascii: "\"")) { return String(decoding: text, as: UTF8.self) }
            try expect(UInt8(ascii: "\\"))
            text += String(try escape()).utf8
        }
    }

    private mutating func escape() throws(ItemError) -> Unicode.Scalar {
        guard let letter = next else { throw syntax }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default:
            position -= 1
            throw syntax
        }
    }

    private mutating func escapedScalar() throws(ItemError) -> Unicode.Scalar {
        let start = position
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // Only surrogates are no scalars: a high one must be followed by an escaped low one.
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw .text(.syntax, offset: start)
        }
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00)))
        else { throw .text(.syntax, offset: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(ItemError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw syntax }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
