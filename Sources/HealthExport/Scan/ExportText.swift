/// Turns the raw bytes of an attribute into its text: the five entities and numeric references decoded, white space
/// folded, and whatever XML forbids counted and mended (apple-health-export.md 15).
enum ExportText {
    /// What was mended in one value.
    struct Mending: Equatable {
        var controls = 0
        var invalidUTF8 = 0
        var markup = 0
        var unknownEntities = 0
        var forbiddenReferences = 0

        /// Nothing was.
        var isNone: Bool { self == Mending() }
    }

    /// Whether the bytes are their own text: printable ASCII without `&` and `<`.
    @inline(__always)
    static func isPlain(_ raw: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = raw.baseAddress else { return true }
        let count = raw.count
        var index = 0
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while index + 8 <= count {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
            let below20 = (word &- ones &* 0x20) & ~word
            let amp = word ^ (ones &* 0x26)
            let less = word ^ (ones &* 0x3C)
            let isAmp = (amp &- ones) & ~amp
            let isLess = (less &- ones) & ~less
            if (word | below20 | isAmp | isLess) & highs != 0 { return false }
            index += 8
        }
        while index < count {
            let byte = base[index]
            if byte < 0x20 || byte >= 0x80 || byte == 0x26 || byte == 0x3C { return false }
            index += 1
        }
        return true
    }

    /// Appends the text of `raw` to `output` as valid UTF-8 and says what was mended.
    static func decode(_ raw: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) -> Mending {
        var mending = Mending()
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            switch byte {
            case UInt8(ascii: "&"):
                index = reference(raw, at: index, into: &output, &mending)
                continue
            case UInt8(ascii: "<"):
                mending.markup += 1
                output.append(byte)
            case 0x09, 0x0A:
                output.append(0x20)
            case 0x0D:
                // A line end of two characters is one.
                if index + 1 >= raw.count || raw[index + 1] != 0x0A { output.append(0x20) }
            case 0..<0x20:
                mending.controls += 1
            case 0x20..<0x80:
                output.append(byte)
            default:
                let length = sequenceLength(raw, at: index)
                if length == 0 {
                    mending.invalidUTF8 += 1
                    output.append(contentsOf: [0xEF, 0xBF, 0xBD])
                    index += 1
                } else if byte == 0xEF, raw[index + 1] == 0xBF, raw[index + 2] >= 0xBE {
                    // U+FFFE and U+FFFF are no characters of XML.
                    mending.controls += 1
                    index += length
                } else {
                    output.append(contentsOf: raw[index..<index + length])
                    index += length
                }
                continue
            }
            index += 1
        }
        return mending
    }

    /// The length of the well-formed sequence at `index`, 0 when there is none (Unicode, table 3-7).
    private static func sequenceLength(_ raw: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        let lead = raw[index]
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard index + length <= raw.count, second.contains(raw[index + 1]) else { return 0 }
        for offset in 2..<max(length, 2) where raw[index + offset] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// The longest reference that is looked for: `&#x10FFFF;` and some leading zeros.
    private static let referenceLimit = 16

    private static func reference(
        _ raw: UnsafeBufferPointer<UInt8>, at start: Int, into output: inout [UInt8], _ mending: inout Mending
    ) -> Int {
        let end = min(raw.count, start + referenceLimit)
        var semicolon = start + 1
        while semicolon < end, raw[semicolon] != UInt8(ascii: ";"), raw[semicolon] > 0x20, raw[semicolon] != 0x26 {
            semicolon += 1
        }
        guard semicolon < end, raw[semicolon] == UInt8(ascii: ";"), semicolon > start + 1 else {
            mending.markup += 1
            output.append(UInt8(ascii: "&"))
            return start + 1
        }
        let name = Array(raw[start + 1..<semicolon])
        switch name {
        case Array("amp".utf8): output.append(UInt8(ascii: "&"))
        case Array("lt".utf8): output.append(UInt8(ascii: "<"))
        case Array("gt".utf8): output.append(UInt8(ascii: ">"))
        case Array("quot".utf8): output.append(UInt8(ascii: "\""))
        case Array("apos".utf8): output.append(UInt8(ascii: "'"))
        default:
            guard name[0] == UInt8(ascii: "#"), let scalar = numeric(name.dropFirst()) else {
                mending.unknownEntities += 1
                output.append(UInt8(ascii: "&"))
                return start + 1
            }
            if isAllowed(scalar) {
                output.append(contentsOf: String(Character(scalar)).utf8)
            } else {
                mending.forbiddenReferences += 1
            }
        }
        return semicolon + 1
    }

    private static func numeric(_ digits: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let first = digits.first else { return nil }
        let isHex = first | 0x20 == UInt8(ascii: "x")
        let text = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
        guard text.utf8.allSatisfy({ isHex ? $0.isHexDigit : (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
    }

    /// The characters of XML 1.0.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }
}
