import Cryptography
import Testing

private func secret(_ hex: String) throws -> SecretBytes {
    SecretBytes(copying: try Hex.decode(hex))
}

@Suite("X25519")
struct X25519Tests {
    @Test("the exchange of RFC 7748 6.1 comes out on both sides")
    func exchange() throws {
        let alice = try X25519.PrivateKey(
            secret: secret("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = try X25519.PrivateKey(
            secret: secret("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        #expect(
            Hex.encode(alice.publicKey.bytes)
                == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        #expect(
            Hex.encode(bob.publicKey.bytes) == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        let shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        #expect(Hex.encode(try alice.sharedSecret(with: bob.publicKey).copyBytes()) == shared)
        #expect(Hex.encode(try bob.sharedSecret(with: alice.publicKey).copyBytes()) == shared)
    }

    @Test("the first scalar multiplication of RFC 7748 5.2 comes out")
    func multiplication() throws {
        let key = try X25519.PrivateKey(
            secret: secret("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"))
        let point = try X25519.PublicKey(
            bytes: Hex.decode("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        #expect(
            Hex.encode(try key.sharedSecret(with: point).copyBytes())
                == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
    }

    @Test("a public key that forces the all-zero secret is refused")
    func weak() throws {
        let key = X25519.PrivateKey()
        for low: UInt8 in [0, 1] {
            let point = try X25519.PublicKey(bytes: [low] + [UInt8](repeating: 0, count: 31))
            #expect(throws: CryptographyError.weakSharedSecret) { try key.sharedSecret(with: point) }
        }
    }

    @Test("keys of another length are refused")
    func lengths() {
        #expect(throws: CryptographyError.wrongLength(what: "X25519 public key", expected: 32, found: 31)) {
            try X25519.PublicKey(bytes: [UInt8](repeating: 9, count: 31))
        }
        #expect(throws: CryptographyError.wrongLength(what: "X25519 private key", expected: 32, found: 33)) {
            try X25519.PrivateKey(secret: SecretBytes.random(count: 33))
        }
    }
}

@Suite("Ed25519")
struct Ed25519Tests {
    @Test(
        "RFC 8032 7.1 tests 1 to 3 come out",
        arguments: [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                    + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                    + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
            (
                "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                    + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
            ),
        ])
    func vectors(seed: String, publicKey: String, message: String, signature: String) throws {
        let key = try Ed25519.PrivateKey(seed: secret(seed))
        let message = try Hex.decode(message)
        #expect(Hex.encode(key.publicKey.bytes) == publicKey)
        #expect(Hex.encode(key.signature(for: message)) == signature)
        #expect(key.publicKey.isValid(signature: try Hex.decode(signature), for: message))
        #expect(!key.publicKey.isValid(signature: try Hex.decode(signature), for: message + [0]))
    }

    @Test("a signature whose scalar is not reduced is refused")
    func malleability() throws {
        let key = Ed25519.PrivateKey()
        let message = Array("message".utf8)
        var signature = key.signature(for: message)
        #expect(key.publicKey.isValid(signature: signature, for: message))
        // Adds the group order to the scalar: the same equation holds, but the text is another.
        let order = try Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(sum & 0xff)
            carry = sum >> 8
        }
        #expect(!key.publicKey.isValid(signature: signature, for: message))
    }

    @Test("keys of small order are refused by name, with either sign")
    func smallOrder() throws {
        let encodings = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ]
        for text in encodings {
            var bytes = try Hex.decode(text)
            #expect(throws: CryptographyError.weakPublicKey) { try Ed25519.PublicKey(bytes: bytes) }
            bytes[31] |= 0x80
            #expect(throws: CryptographyError.weakPublicKey) { try Ed25519.PublicKey(bytes: bytes) }
        }
        #expect(!Ed25519.isSmallOrder(Ed25519.PrivateKey().publicKey.bytes))
    }
}
