import Cryptography
import Foundation

/// Keys and proofs of the Manual IP handshake (secure-transport.md 6.1) and of secure records (extensions.md 3.2).
///
/// Everything is a function of its arguments: no randomness, no state. All keys are 32 bytes.
public enum ManualIPKeys {
    private static let domain = "HealthMd.ManualIP."

    /// What one side shows of itself in the handshake.
    public struct Party: Sendable {
        /// The installation id; in transcripts 36 lower-case characters.
        public let installationID: UUID
        /// The X25519 key of this connection.
        public let publicKey: X25519.PublicKey
        /// 32 random bytes of this connection.
        public let nonce: [UInt8]

        /// Traps unless the nonce has 32 bytes.
        public init(installationID: UUID, publicKey: X25519.PublicKey, nonce: [UInt8]) {
            precondition(nonce.count == SecureTransportLimits.handshakeValueByteCount)
            self.installationID = installationID
            self.publicKey = publicKey
            self.nonce = nonce
        }

        /// `F(L(id)) || F(public key) || F(nonce)`.
        fileprivate var transcript: [UInt8] {
            let identifier = Array(installationID.uuidString.lowercased().utf8)
            return ManualIPKeys.framed(identifier) + ManualIPKeys.framed(publicKey.bytes) + ManualIPKeys.framed(nonce)
        }
    }

    /// The key that a code stands for. Spaces, hyphens and everything but ASCII digits must be gone already.
    public static func codeKey(digits: String) -> SecretBytes {
        secretHash { hasher in
            hasher.update(domain + "Code.")
            hasher.update(digits)
        }
    }

    /// The dialler's proof that it knows the code. It covers neither installation id nor lengths.
    public static func codeClientProof(
        codeKey: SecretBytes, publicKey: X25519.PublicKey, nonce: [UInt8]
    ) -> [UInt8] {
        HMACSHA256.code(
            for: Array((domain + "PairingVerifier.v1").utf8) + publicKey.bytes + nonce, key: codeKey)
    }

    /// The dialler's proof that it holds the reconnect secret.
    public static func trustedClientProof(reconnectSecret: SecretBytes, client: Party) -> [UInt8] {
        HMACSHA256.code(
            for: Array((domain + "TrustedClient.v1").utf8) + client.transcript, key: reconnectSecret)
    }

    /// The key of one connection.
    public static func sessionKey(
        sharedSecret: SecretBytes, clientNonce: [UInt8], serverNonce: [UInt8]
    ) -> SecretBytes {
        secretHash { hasher in
            hasher.update(domain + "SessionKey.v1")
            hasher.update(sharedSecret)
            hasher.update(clientNonce)
            hasher.update(serverNonce)
        }
    }

    /// The listener's proof in a code pairing; it covers the sealed reconnect secret.
    public static func codeServerProof(
        codeKey: SecretBytes, client: Party, server: Party, sealedSecret: SealedFrame
    ) -> [UInt8] {
        let sealed = framed(sealedSecret.nonce) + framed(sealedSecret.ciphertext) + framed(sealedSecret.tag)
        return HMACSHA256.code(
            for: Array((domain + "PairingServer.v1").utf8) + client.transcript + server.transcript + [1] + sealed,
            key: codeKey)
    }

    /// The listener's proof in a trusted reconnect.
    public static func trustedServerProof(
        reconnectSecret: SecretBytes, client: Party, server: Party
    ) -> [UInt8] {
        HMACSHA256.code(
            for: Array((domain + "TrustedServer.v1").utf8) + client.transcript + server.transcript + [0],
            key: reconnectSecret)
    }

    /// The two keys of secure records, version 1.
    public struct RecordKeys: Sendable {
        /// From the dialler to the listener.
        public let clientToServer: SecretBytes
        /// From the listener to the dialler.
        public let serverToClient: SecretBytes
    }

    /// Derives the record keys (extensions.md 3.2). The session key can be erased afterwards.
    public static func recordKeys(sessionKey: SecretBytes, client: Party, server: Party) -> RecordKeys {
        let pseudorandomKey = HKDFSHA256.extract(salt: client.nonce + server.nonce, inputKey: sessionKey)
        func key(_ direction: String) -> SecretBytes {
            let info =
                Array(("healthmd record v1 " + direction).utf8) + client.installationID.rawBytes
                + server.installationID.rawBytes
            return HKDFSHA256.expand(pseudorandomKey: pseudorandomKey, info: info, count: 32)
        }
        return RecordKeys(clientToServer: key("c2s"), serverToClient: key("s2c"))
    }

    private static func secretHash(_ feed: (inout SHA256) -> Void) -> SecretBytes {
        var hasher = SHA256()
        feed(&hasher)
        return SecretBytes(copying: hasher.finalize())
    }

    /// `F(x) = u64be(length) || x`.
    fileprivate static func framed(_ bytes: [UInt8]) -> [UInt8] {
        bigEndianBytes(of: UInt64(bytes.count)) + bytes
    }
}

extension UUID {
    /// The 16 bytes in their written order.
    var rawBytes: [UInt8] {
        let id = uuid
        return [
            id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7, id.8, id.9, id.10, id.11, id.12, id.13, id.14, id.15,
        ]
    }
}
