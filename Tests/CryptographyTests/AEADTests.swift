import Cryptography
import Testing

@Suite("ChaCha20-Poly1305")
struct ChaCha20Poly1305Tests {
    private let plaintext = Array(
        ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
            + "sunscreen would be it.").utf8)
    private let associatedData: [UInt8] = [0x50, 0x51, 0x52, 0x53] + [UInt8](0xc0...0xc7)
    private let nonce: [UInt8] = [7, 0, 0, 0] + [UInt8](0x40...0x47)
    private let cipher = ChaCha20Poly1305(key: SecretBytes(copying: [UInt8](0x80...0x9f)))
    private let expected =
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
        + "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        + "3ff4def08e4b7a9de576d26586cec64b6116" + "1ae10b594f09e26a7e902ecbd0600691"

    @Test("the example of RFC 8439 2.8.2 comes out, and opens again")
    func example() throws {
        let sealed = cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
        #expect(Hex.encode(sealed) == expected)
        #expect(try cipher.open(sealed, nonce: nonce, associatedData: associatedData) == plaintext)
    }

    @Test("sealing in place gives the same bytes, with the associated data in the same array")
    func inPlace() throws {
        var buffer = associatedData + plaintext + [UInt8](repeating: 0, count: 16)
        let range = 12..<(12 + plaintext.count)
        cipher.sealInPlace(&buffer, range: range, nonce: nonce, associatedData: 0..<12)
        #expect(Hex.encode(Array(buffer[12...])) == expected)
        try cipher.openInPlace(&buffer, range: range, nonce: nonce, associatedData: 0..<12)
        #expect(Array(buffer[range]) == plaintext)
    }

    @Test("one reused cipher seals and opens many messages, short and long")
    func reuse() throws {
        for count in [0, 1, 15, 16, 17, 63, 64, 65, 1_000, 524_374] {
            let message = SecureRandom.bytes(count)
            let nonce = SecureRandom.bytes(12)
            let sealed = cipher.seal(message, nonce: nonce, associatedData: associatedData)
            #expect(sealed.count == count + 16)
            #expect(try cipher.open(sealed, nonce: nonce, associatedData: associatedData) == message)
        }
    }

    @Test("any changed bit of ciphertext, tag, nonce or associated data is noticed, and no plaintext is left")
    func forgeries() throws {
        let sealed = cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
        for index in sealed.indices {
            var forged = sealed
            forged[index] ^= 1
            #expect(throws: CryptographyError.authenticationFailed) {
                try cipher.open(forged, nonce: nonce, associatedData: associatedData)
            }
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try cipher.open(sealed, nonce: [8] + nonce.dropFirst(), associatedData: associatedData)
        }
        #expect(throws: CryptographyError.authenticationFailed) { try cipher.open(sealed, nonce: nonce) }
        #expect(throws: CryptographyError.authenticationFailed) { try cipher.open([1, 2, 3], nonce: nonce) }

        var buffer = sealed
        buffer[0] ^= 1
        #expect(throws: CryptographyError.authenticationFailed) {
            try cipher.openInPlace(&buffer, range: 0..<plaintext.count, nonce: nonce)
        }
        #expect(buffer[..<plaintext.count].allSatisfy { $0 == 0 })
        // A refusal does not spoil the cipher for the next message.
        #expect(try cipher.open(sealed, nonce: nonce, associatedData: associatedData) == plaintext)
    }
}

@Suite("AES-256-GCM")
struct AES256GCMTests {
    @Test("test case 16 of the GCM specification comes out")
    func example() throws {
        let cipher = AES256GCM(
            key: SecretBytes(
                copying: try Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
        let plaintext = try Hex.decode(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39")
        let nonce = try Hex.decode("cafebabefacedbaddecaf888")
        let associatedData = try Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
        #expect(
            Hex.encode(sealed)
                == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                + "c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b")
        #expect(try cipher.open(sealed, nonce: nonce, associatedData: associatedData) == plaintext)
        #expect(throws: CryptographyError.authenticationFailed) { try cipher.open(sealed, nonce: nonce) }
    }
}
