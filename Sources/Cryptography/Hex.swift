/// Hexadecimal text, two digits a byte.
public enum Hex {
    private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

    /// Lower-case hexadecimal.
    public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { target in
            digits.withUnsafeBufferPointer { digits in
                for (index, byte) in bytes.enumerated() {
                    target[index * 2] = digits[Int(byte >> 4)]
                    target[index * 2 + 1] = digits[Int(byte & 15)]
                }
            }
            return bytes.count * 2
        }
    }

    /// Lower-case hexadecimal.
    public static func encode(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { encode($0) }
    }

    /// Decodes text with an even number of digits; upper case is taken unless `allowingUpperCase` is false.
    ///
    /// Throws `invalidEncodedLength` or `invalidCharacter` with its byte offset.
    public static func decode(_ text: String, allowingUpperCase: Bool = true) throws -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else {
            throw CryptographyError.invalidEncodedLength(encoding: "hexadecimal", found: characters.count)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 2)
        func digit(at offset: Int) throws -> UInt8 {
            guard let value = value(of: characters[offset], allowingUpperCase: allowingUpperCase) else {
                throw CryptographyError.invalidCharacter(encoding: "hexadecimal", offset: offset)
            }
            return value
        }
        for offset in stride(from: 0, to: characters.count, by: 2) {
            bytes.append(try digit(at: offset) << 4 | digit(at: offset + 1))
        }
        return bytes
    }

    /// The value of one digit, or nil.
    static func value(of character: UInt8, allowingUpperCase: Bool) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): allowingUpperCase ? character - UInt8(ascii: "A") + 10 : nil
        default: nil
        }
    }
}
