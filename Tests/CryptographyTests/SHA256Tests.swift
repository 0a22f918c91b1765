import Cryptography
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "the FIPS 180 examples come out",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(text: String, expected: String) {
        #expect(SHA256.hash(text).hex == expected)
        #expect(SHA256.hash(Array(text.utf8)).hex == expected)
        #expect(SHA256.hash(Array(text.utf8)[...]).hex == expected)
    }

    @Test("a million letters in uneven pieces give the FIPS 180 digest")
    func pieces() {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        var hasher = SHA256()
        var offset = 0
        var step = 1
        while offset < letters.count {
            let end = min(letters.count, offset + step)
            hasher.update(letters[offset..<end])
            offset = end
            step = step * 3 % 10_007 + 1
        }
        #expect(hasher.finalize().hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("a peek is the digest of the prefix and disturbs nothing")
    func peek() {
        var hasher = SHA256()
        hasher.update("ab")
        #expect(hasher.peek() == SHA256.hash("ab"))
        hasher.update("c")
        #expect(hasher.peek() == SHA256.hash("abc"))
        #expect(hasher.finalize() == SHA256.hash("abc"))
    }

    @Test("after finalize the same hasher starts anew")
    func reuse() {
        var hasher = SHA256()
        hasher.update("first")
        _ = hasher.finalize()
        hasher.update("abc")
        #expect(hasher.finalize() == SHA256.hash("abc"))
        #expect(hasher.finalize() == SHA256.hash(""))
    }

    @Test("a copy and its original go their own ways")
    func copies() {
        var first = SHA256()
        first.update("a")
        var second = first
        second.update("x")
        first.update("b")
        #expect(first.peek() == SHA256.hash("ab"))
        #expect(second.finalize() == SHA256.hash("ax"))
        #expect(first.finalize() == SHA256.hash("ab"))
    }
}

@Suite("Digest")
struct DigestTests {
    @Test("hexadecimal text is 64 lower-case digits both ways, and nothing else is taken")
    func hexadecimal() throws {
        let digest = SHA256.hash("abc")
        #expect(Digest(hex: digest.hex) == digest)
        #expect(Digest(hex: digest.hex.uppercased()) == nil)
        #expect(Digest(hex: String(digest.hex.dropLast())) == nil)
        #expect(Digest(hex: digest.hex + "0") == nil)
        #expect(Digest(hex: String(digest.hex.dropLast()) + "g") == nil)
        #expect(Digest(hex: String(repeating: "é", count: 32)) == nil)
        #expect("\(digest)" == digest.hex)
    }

    @Test("exactly 32 bytes make a digest")
    func bytes() throws {
        let digest = SHA256.hash("abc")
        #expect(try Digest(bytes: digest.bytes) == digest)
        #expect(throws: CryptographyError.wrongLength(what: "SHA-256 digest", expected: 32, found: 31)) {
            try Digest(bytes: digest.bytes.dropLast())
        }
    }

    @Test("digests that differ in any one byte differ")
    func equality() throws {
        let digest = SHA256.hash("abc")
        for index in 0..<32 {
            var bytes = digest.bytes
            bytes[index] ^= 1
            #expect(try Digest(bytes: bytes) != digest)
        }
    }
}
