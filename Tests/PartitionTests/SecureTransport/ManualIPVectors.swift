import Cryptography
import Foundation

@testable import ConnectedProtocol

/// The inputs of secure-transport.md 12.1, which 12.4 and extensions.md 3.3 share.
enum ManualIPVectors {
    static let clientID = UUID(uuidString: "abcdefab-cdef-4abc-8def-abcdefabcdef") ?? UUID()
    static let serverID = UUID(uuidString: "01234567-89ab-4cde-8fab-0123456789ab") ?? UUID()
    static let clientNonce = [UInt8](0x40...0x5f)
    static let serverNonce = [UInt8](0x60...0x7f)
    static let sealNonce = [UInt8](0xa0...0xab)
    static let messageNonce = [UInt8](0xb0...0xbb)
    static let code = "123456"
    static let ping = Array(#"{"ping":{}}"#.utf8)

    static func clientKey() throws -> X25519.PrivateKey {
        try X25519.PrivateKey(secret: SecretBytes(copying: [UInt8](0x00...0x1f)))
    }

    static func serverKey() throws -> X25519.PrivateKey {
        try X25519.PrivateKey(secret: SecretBytes(copying: [UInt8](0x20...0x3f)))
    }

    static func reconnectSecret() -> SecretBytes {
        SecretBytes(copying: [UInt8](0x80...0x9f))
    }

    static func client() throws -> ManualIPKeys.Party {
        ManualIPKeys.Party(installationID: clientID, publicKey: try clientKey().publicKey, nonce: clientNonce)
    }

    static func server() throws -> ManualIPKeys.Party {
        ManualIPKeys.Party(installationID: serverID, publicKey: try serverKey().publicKey, nonce: serverNonce)
    }

    static func sessionKey() throws -> SecretBytes {
        ManualIPKeys.sessionKey(
            sharedSecret: try clientKey().sharedSecret(with: serverKey().publicKey), clientNonce: clientNonce,
            serverNonce: serverNonce)
    }

    static func recordKeys() throws -> ManualIPKeys.RecordKeys {
        ManualIPKeys.recordKeys(sessionKey: try sessionKey(), client: try client(), server: try server())
    }

    static func sealedSecret() throws -> SealedFrame {
        let sealed = ChaCha20Poly1305(key: try sessionKey()).seal(reconnectSecret(), nonce: sealNonce)
        return SealedFrame(nonce: sealNonce, ciphertext: Array(sealed[..<32]), tag: Array(sealed[32...]))
    }
}
