/// Base64 (RFC 4648), strict both ways.
///
/// Decoding takes exactly what encoding gives: no white space, no other alphabet, the padding of the form, and no
/// stray bits in the last character. So every byte string has one text.
public enum Base64 {
    /// Which of the two forms.
    public enum Form: Sendable {
        /// Section 4: `+` and `/`, with padding.
        case standard
        /// Section 5: `-` and `_`, without padding.
        case urlSafe

        var name: String { self == .standard ? "base64" : "base64url" }
        var isPadded: Bool { self == .standard }
        var tables: Base64Tables { self == .standard ? .standard : .urlSafe }
    }

    /// How many characters `count` bytes become.
    public static func encodedCount(of count: Int, as form: Form = .standard) -> Int {
        form.isPadded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
    }

    /// Encodes into text.
    public static func encode(_ bytes: UnsafeRawBufferPointer, as form: Form = .standard) -> String {
        let count = encodedCount(of: bytes.count, as: form)
        return String(unsafeUninitializedCapacity: count) { target in
            write(bytes, as: form, into: target)
            return count
        }
    }

    /// Encodes into text.
    public static func encode(_ bytes: [UInt8], as form: Form = .standard) -> String {
        bytes.withUnsafeBytes { encode($0, as: form) }
    }

    /// Encodes and appends the characters as ASCII, for writers of large documents.
    public static func append(
        _ bytes: UnsafeRawBufferPointer, to output: inout [UInt8], as form: Form = .standard
    ) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: encodedCount(of: bytes.count, as: form)))
        output.withUnsafeMutableBufferPointer { target in
            write(bytes, as: form, into: UnsafeMutableBufferPointer(rebasing: target[start...]))
        }
    }

    /// Decodes ASCII characters.
    ///
    /// Throws `invalidEncodedLength`, `invalidCharacter` with its offset, or `spareBitsNotZero`.
    public static func decode(_ characters: UnsafeRawBufferPointer, as form: Form = .standard) throws -> [UInt8] {
        let input = try significant(characters, as: form)
        let tail = input.count % 4
        guard tail != 1 else {
            throw CryptographyError.invalidEncodedLength(encoding: form.name, found: characters.count)
        }
        let count = input.count / 4 * 3 + (tail == 0 ? 0 : tail - 1)
        return try [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            try form.tables.decoding.withUnsafeBufferPointer { table in
                try read(input, table, into: target, form: form)
            }
            initialized = count
        }
    }

    /// Decodes text; errors as for bytes.
    public static func decode(_ text: String, as form: Form = .standard) throws -> [UInt8] {
        var text = text
        return try text.withUTF8 { try decode(UnsafeRawBufferPointer($0), as: form) }
    }

    /// Decodes ASCII characters; errors as for a raw buffer.
    public static func decode(_ characters: [UInt8], as form: Form = .standard) throws -> [UInt8] {
        try characters.withUnsafeBytes { try decode($0, as: form) }
    }

    /// The characters without padding, whose presence and amount are checked.
    private static func significant(
        _ characters: UnsafeRawBufferPointer, as form: Form
    ) throws -> UnsafeRawBufferPointer {
        guard form.isPadded else { return characters }
        guard characters.count.isMultiple(of: 4) else {
            throw CryptographyError.invalidEncodedLength(encoding: form.name, found: characters.count)
        }
        var end = characters.count
        // At most two: a third `=` is then refused as a character.
        while end > 0, end > characters.count - 2, characters[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: characters[..<end])
    }

    // MARK: Hot loops

    private static func write(
        _ bytes: UnsafeRawBufferPointer, as form: Form, into target: UnsafeMutableBufferPointer<UInt8>
    ) {
        form.tables.encoding.withUnsafeBufferPointer { alphabet in
            var input = 0
            var output = 0
            while input + 3 <= bytes.count {
                let bits = Int(bytes[input]) << 16 | Int(bytes[input + 1]) << 8 | Int(bytes[input + 2])
                target[output] = alphabet[bits >> 18]
                target[output + 1] = alphabet[bits >> 12 & 63]
                target[output + 2] = alphabet[bits >> 6 & 63]
                target[output + 3] = alphabet[bits & 63]
                input += 3
                output += 4
            }
            let rest = bytes.count - input
            guard rest > 0 else { return }
            let bits = Int(bytes[input]) << 16 | (rest == 2 ? Int(bytes[input + 1]) << 8 : 0)
            target[output] = alphabet[bits >> 18]
            target[output + 1] = alphabet[bits >> 12 & 63]
            output += 2
            if rest == 2 {
                target[output] = alphabet[bits >> 6 & 63]
                output += 1
            }
            if form.isPadded {
                for index in 0..<(3 - rest) { target[output + index] = UInt8(ascii: "=") }
            }
        }
    }

    private static func read(
        _ input: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt8>,
        into target: UnsafeMutableBufferPointer<UInt8>, form: Form
    ) throws {
        var offset = 0
        var output = 0
        while offset + 4 <= input.count {
            let first = table[Int(input[offset])]
            let second = table[Int(input[offset + 1])]
            let third = table[Int(input[offset + 2])]
            let fourth = table[Int(input[offset + 3])]
            guard first | second | third | fourth < 64 else { throw invalidCharacter(input, table, form: form) }
            target[output] = first << 2 | second >> 4
            target[output + 1] = second << 4 | third >> 2
            target[output + 2] = third << 6 | fourth
            offset += 4
            output += 3
        }
        let rest = input.count - offset
        guard rest > 0 else { return }
        let first = table[Int(input[offset])]
        let second = table[Int(input[offset + 1])]
        let third = rest == 3 ? table[Int(input[offset + 2])] : 0
        guard first | second | third < 64 else { throw invalidCharacter(input, table, form: form) }
        guard rest == 3 ? third & 3 == 0 : second & 15 == 0 else {
            throw CryptographyError.spareBitsNotZero(encoding: form.name)
        }
        target[output] = first << 2 | second >> 4
        if rest == 3 { target[output + 1] = second << 4 | third >> 2 }
    }

    private static func invalidCharacter(
        _ input: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt8>, form: Form
    ) -> CryptographyError {
        let offset = input.firstIndex { table[Int($0)] >= 64 } ?? 0
        return .invalidCharacter(encoding: form.name, offset: offset)
    }
}

/// The alphabet of one form, and its inverse: 255 where no character stands.
struct Base64Tables: Sendable {
    let encoding: [UInt8]
    let decoding: [UInt8]

    static let standard = Base64Tables(last: "+/")
    static let urlSafe = Base64Tables(last: "-_")

    private init(last: String) {
        let alphabet = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var inverse = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { inverse[Int(character)] = UInt8(value) }
        encoding = alphabet
        decoding = inverse
    }
}
