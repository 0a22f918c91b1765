import Cryptography
import Testing

@testable import ConnectedProtocol

/// secure-transport.md 12.4 and extensions.md 3.3.
@Suite("Manual IP keys")
struct ManualIPKeysTests {
    @Test("the code key of 12.4 comes out")
    func codeKey() {
        let key = ManualIPKeys.codeKey(digits: ManualIPVectors.code)
        #expect(
            Hex.encode(key.copyBytes()) == "961eb8a2f76dd219455b8a1c576508393d0f12cfcf75cecfbf6ddbb9f2684abf")
    }

    @Test("the client proofs of 12.4 come out")
    func clientProofs() throws {
        let client = try ManualIPVectors.client()
        let code = ManualIPKeys.codeClientProof(
            codeKey: ManualIPKeys.codeKey(digits: ManualIPVectors.code), publicKey: client.publicKey,
            nonce: client.nonce)
        #expect(Hex.encode(code) == "51ee85ceb1314ce7b42b85dad236cf8b2982a0537185f444d61ae28ef6aa149d")
        let trusted = ManualIPKeys.trustedClientProof(
            reconnectSecret: ManualIPVectors.reconnectSecret(), client: client)
        #expect(Hex.encode(trusted) == "5c7b1eedf2c5a678bf4532679de383f2f3d980661b6651003538c17324a807c8")
    }

    @Test("the session key of 12.4 comes out, from either side")
    func sessionKey() throws {
        let expected = "33f2c703ab5c307a6efb080d8abd3477db804096e0d7e398b4a1e6bbd2a47c25"
        #expect(Hex.encode(try ManualIPVectors.sessionKey().copyBytes()) == expected)
        let other = ManualIPKeys.sessionKey(
            sharedSecret: try ManualIPVectors.serverKey().sharedSecret(with: ManualIPVectors.clientKey().publicKey),
            clientNonce: ManualIPVectors.clientNonce, serverNonce: ManualIPVectors.serverNonce)
        #expect(Hex.encode(other.copyBytes()) == expected)
    }

    @Test("the sealed secret and the server proofs of 12.4 come out")
    func serverProofs() throws {
        let sealed = try ManualIPVectors.sealedSecret()
        #expect(Hex.encode(sealed.ciphertext) == "540274503ee789f4809498c24a9d128d86e8012ae54d586c8f0d08930dda0292")
        #expect(Hex.encode(sealed.tag) == "ff7fed8db2974b082c1fd2fa2a73ff0f")
        let client = try ManualIPVectors.client()
        let server = try ManualIPVectors.server()
        let code = ManualIPKeys.codeServerProof(
            codeKey: ManualIPKeys.codeKey(digits: ManualIPVectors.code), client: client, server: server,
            sealedSecret: sealed)
        #expect(Hex.encode(code) == "2a1905a9e2f56340e0d9d1ed175cebd10def69e77f5b2c874e9da54c5be647e6")
        let trusted = ManualIPKeys.trustedServerProof(
            reconnectSecret: ManualIPVectors.reconnectSecret(), client: client, server: server)
        #expect(Hex.encode(trusted) == "3581e7314fb95b984b56b1152ac1bdd77a91757a8defd31b171cac12fe871e0c")
    }

    @Test("the record keys of extensions.md 3.3 come out")
    func recordKeys() throws {
        let keys = try ManualIPVectors.recordKeys()
        #expect(
            Hex.encode(keys.clientToServer.copyBytes())
                == "39859817f5f4b0d9626912809223011e665a59401af230aebae12ac70146e9da")
        #expect(
            Hex.encode(keys.serverToClient.copyBytes())
                == "f8f3f89300dbe5b33d7213312f8cb9f476d7abde973f808fc527a9d936b32ce3")
    }
}
