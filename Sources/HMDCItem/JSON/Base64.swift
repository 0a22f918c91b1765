/// Standard Base64 with padding (RFC 4648 section 4), in chunks.
struct Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// For each byte the value of that letter, 0xFF for all that are no letters.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// At most two bytes that wait for the third.
    private var waiting: [UInt8] = []

    /// The letters for the next bytes.
    mutating func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var letters: [UInt8] = []
        letters.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group = waiting.reduce(0) { $0 << 8 | UInt32($1) }
        var held = waiting.count
        for index in bytes.indices {
            group = group << 8 | UInt32(bytes[index])
            held += 1
            if held == 3 {
                Self.append(group, count: 4, to: &letters)
                group = 0
                held = 0
            }
        }
        waiting = (0..<held).map { UInt8(truncatingIfNeeded: group >> UInt32(8 * (held - 1 - $0))) }
        return letters
    }

    /// The last letters and the padding.
    mutating func finish() -> [UInt8] {
        var letters: [UInt8] = []
        switch waiting.count {
        case 1:
            Self.append(UInt32(waiting[0]) << 16, count: 2, to: &letters)
            letters += Array("==".utf8)
        case 2:
            Self.append(UInt32(waiting[0]) << 16 | UInt32(waiting[1]) << 8, count: 3, to: &letters)
            letters += Array("=".utf8)
        default: break
        }
        waiting = []
        return letters
    }

    private static func append(_ group: UInt32, count: Int, to letters: inout [UInt8]) {
        for position in 0..<count { letters.append(alphabet[Int(group >> UInt32(18 - 6 * position) & 0x3F)]) }
    }

    /// The bytes of a whole Base64 text; nil when a letter, the padding or a spare bit is wrong.
    static func decode(_ text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count % 4 == 0 else { return nil }
        guard !letters.isEmpty else { return [] }
        let padding = letters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        var group: UInt32 = 0
        for (index, letter) in letters.dropLast(padding).enumerated() {
            let value = values[Int(letter)]
            guard value != 0xFF else { return nil }
            group = group << 6 | UInt32(value)
            if index % 4 == 3 {
                for shift in [16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: group >> shift)) }
                group = 0
            }
        }
        switch padding {
        case 1:
            guard group & 0x3 == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 10))
            bytes.append(UInt8(truncatingIfNeeded: group >> 2))
        case 2:
            guard group & 0xF == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: group >> 4))
        default: break
        }
        return bytes
    }
}
