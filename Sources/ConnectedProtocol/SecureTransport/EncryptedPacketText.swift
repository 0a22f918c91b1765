import Cryptography

/// The JSON of `encrypted` packets, written and read without a JSON library.
///
/// In plain mode every byte of a transfer passes here, inside base64 inside JSON inside base64, so this shape has a
/// writer and a reader of its own. The reader takes what encoders make; anything else it leaves to `WirePacket`.
enum EncryptedPacketText {
    /// `{"encrypted":{"_0":{"ciphertext":"…","nonce":"…","tag":"…"}}}`.
    static func body(of frame: SealedFrame) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(Base64.encodedCount(of: frame.ciphertext.count) + 128)
        output.append(contentsOf: Array(#"{"encrypted":{"_0":{"ciphertext":""#.utf8))
        output.append(contentsOf: Base64.encode(frame.ciphertext).utf8)
        output.append(contentsOf: Array(#"","nonce":""#.utf8))
        output.append(contentsOf: Base64.encode(frame.nonce).utf8)
        output.append(contentsOf: Array(#"","tag":""#.utf8))
        output.append(contentsOf: Base64.encode(frame.tag).utf8)
        output.append(contentsOf: Array(#""}}}"#.utf8))
        return output
    }

    /// The frame, or nil when the body is not of the plain shape, valid or not.
    static func parse(_ body: [UInt8]) -> SealedFrame? {
        var scanner = Scanner(offset: 0)
        guard scanner.take(UInt8(ascii: "{"), in: body), scanner.takeString("encrypted", in: body),
            scanner.take(UInt8(ascii: ":"), in: body), scanner.take(UInt8(ascii: "{"), in: body),
            scanner.takeString("_0", in: body), scanner.take(UInt8(ascii: ":"), in: body),
            scanner.take(UInt8(ascii: "{"), in: body)
        else { return nil }
        var fields: [String: [UInt8]] = [:]
        repeat {
            guard let key = scanner.text(in: body), key.count <= 16, scanner.take(UInt8(ascii: ":"), in: body),
                let value = scanner.text(in: body)
            else { return nil }
            let name = String(decoding: body[key], as: UTF8.self)
            guard name == "nonce" || name == "ciphertext" || name == "tag", fields[name] == nil,
                let bytes = decode(body, value)
            else { return nil }
            fields[name] = bytes
        } while scanner.take(UInt8(ascii: ","), in: body)
        for _ in 0..<3 {
            guard scanner.take(UInt8(ascii: "}"), in: body) else { return nil }
        }
        scanner.skipSpace(in: body)
        guard scanner.offset == body.count, let nonce = fields["nonce"], let tag = fields["tag"],
            let ciphertext = fields["ciphertext"], nonce.count == ChaCha20Poly1305.nonceByteCount,
            tag.count == ChaCha20Poly1305.tagByteCount
        else { return nil }
        return SealedFrame(nonce: nonce, ciphertext: ciphertext, tag: tag)
    }

    /// Base64 whose `/` may be written `\/`, as the published encoder does.
    private static func decode(_ body: [UInt8], _ range: Range<Int>) -> [UInt8]? {
        var characters = Array(body[range])
        if characters.contains(UInt8(ascii: "\\")) {
            var kept = 0
            var index = 0
            while index < characters.count {
                if characters[index] == UInt8(ascii: "\\") {
                    index += 1
                    guard index < characters.count, characters[index] == UInt8(ascii: "/") else { return nil }
                }
                characters[kept] = characters[index]
                kept += 1
                index += 1
            }
            characters.removeLast(characters.count - kept)
        }
        // Bad base64 is told apart and reported by the general reader.
        return try? Base64.decode(characters)
    }

    private struct Scanner {
        var offset: Int

        mutating func skipSpace(in body: [UInt8]) {
            while offset < body.count, [0x20, 0x0a, 0x0d, 0x09].contains(body[offset]) { offset += 1 }
        }

        mutating func take(_ byte: UInt8, in body: [UInt8]) -> Bool {
            skipSpace(in: body)
            guard offset < body.count, body[offset] == byte else { return false }
            offset += 1
            return true
        }

        /// The content of the next string, escapes left as they are.
        mutating func text(in body: [UInt8]) -> Range<Int>? {
            guard take(UInt8(ascii: "\""), in: body) else { return nil }
            let start = offset
            while offset < body.count, body[offset] != UInt8(ascii: "\"") {
                // A backslash escapes what follows it, which may be a quote.
                offset += body[offset] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard offset < body.count else { return nil }
            defer { offset += 1 }
            return start..<offset
        }

        mutating func takeString(_ expected: StaticString, in body: [UInt8]) -> Bool {
            guard let range = text(in: body) else { return false }
            return String(decoding: body[range], as: UTF8.self) == "\(expected)"
        }
    }
}
