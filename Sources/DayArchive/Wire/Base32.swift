/// Base32 (RFC 4648) in lower case without padding (day-archive.md 1.1).
enum Base32 {
    static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        var buffer = 0
        var bitCount = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xfff
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                characters.append(alphabet[buffer >> bitCount & 31])
            }
        }
        if bitCount > 0 { characters.append(alphabet[buffer << (5 - bitCount) & 31]) }
        return String(decoding: characters, as: UTF8.self)
    }

    static func isCharacter(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "2") < 6
    }
}
