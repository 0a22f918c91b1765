import Cryptography
import Testing

@Suite("HMAC-SHA-256")
struct HMACSHA256Tests {
    @Test("RFC 4231 cases 1, 2 and 6 come out")
    func vectors() throws {
        let first = HMACSHA256.code(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20))
        #expect(Hex.encode(first) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = HMACSHA256.code(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Hex.encode(second) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = HMACSHA256.code(
            for: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xaa, count: 131))
        #expect(Hex.encode(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("pieces give the code of the whole")
    func pieces() {
        var hmac = HMACSHA256(key: Array("Jefe".utf8))
        hmac.update("what do ya want ")
        hmac.update([UInt8]())
        hmac.update("for nothing?")
        #expect(
            Hex.encode(hmac.finalize()) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("a code with one wrong bit, or cut short, is not valid")
    func verification() {
        let key = SecretBytes.random(count: 32)
        var code = HMACSHA256.code(for: Array("message".utf8), key: key)
        #expect(HMACSHA256.isValid(code, for: Array("message".utf8), key: key))
        #expect(!HMACSHA256.isValid(code.dropLast(), for: Array("message".utf8), key: key))
        code[31] ^= 0x80
        #expect(!HMACSHA256.isValid(code, for: Array("message".utf8), key: key))
    }
}

@Suite("HKDF-SHA-256")
struct HKDFSHA256Tests {
    @Test("RFC 5869 test case 1 comes out")
    func basic() throws {
        let key = HKDFSHA256.extract(
            salt: try Hex.decode("000102030405060708090a0b0c"), inputKey: [UInt8](repeating: 0x0b, count: 22))
        #expect(
            Hex.encode(key.copyBytes()) == "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
        let output = HKDFSHA256.expand(
            pseudorandomKey: key, info: try Hex.decode("f0f1f2f3f4f5f6f7f8f9"), count: 42)
        #expect(
            Hex.encode(output.copyBytes())
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    }

    @Test("RFC 5869 test case 2, with more than two blocks, comes out")
    func long() throws {
        let output = HKDFSHA256.derive(
            inputKey: [UInt8](0x00...0x4f), salt: [UInt8](0x60...0xaf), info: [UInt8](0xb0...0xff), count: 82)
        #expect(
            Hex.encode(output.copyBytes())
                == "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")
    }

    @Test("RFC 5869 test case 3, without salt and info, comes out")
    func empty() throws {
        let output = HKDFSHA256.derive(
            inputKey: [UInt8](repeating: 0x0b, count: 22), salt: [UInt8](), info: [UInt8](), count: 42)
        #expect(
            Hex.encode(output.copyBytes())
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }
}
