/// Strict UTF-8 (hmdcitem.md 4, rule 11) for text that passes in chunks.
enum UTF8Check {
    /// Whether the bytes are whole, valid UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
    static func isValid(_ bytes: Span<UInt8>) -> Bool {
        do {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return false
        }
    }

    /// How many bytes at the end, at most three, begin a sequence that the next chunk may complete.
    ///
    /// The chunk is checked without them; they are checked together with what follows.
    static func incompleteTail(_ bytes: Span<UInt8>) -> Int {
        for length in 1..<4 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            let needed =
                switch byte {
                case 0xC0...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF7: 4
                default: 1
                }
            return needed > length ? length : 0
        }
        return 0
    }

    /// A string from bytes, or nil when they are not UTF-8.
    static func string(_ bytes: Span<UInt8>) -> String? {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            return nil
        }
    }
}

extension String {
    /// Whether this key sorts before another by the bytes of their UTF-8 forms (hmdcitem.md 2.2). Swift's own `<`
    /// normalises first.
    func precedesByBytes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
