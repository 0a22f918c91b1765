import Cryptography
import Foundation

/// Nonce, ciphertext and tag of one ChaCha20-Poly1305 message (secure-transport.md 4.3).
public struct SealedFrame: Hashable, Sendable {
    /// 12 bytes, random, never used twice under one key.
    public let nonce: [UInt8]
    /// As long as the plaintext.
    public let ciphertext: [UInt8]
    /// 16 bytes.
    public let tag: [UInt8]

    /// Traps unless nonce and tag have their lengths: what a peer sends is checked before.
    public init(nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
        precondition(nonce.count == ChaCha20Poly1305.nonceByteCount)
        precondition(tag.count == ChaCha20Poly1305.tagByteCount)
        self.nonce = nonce
        self.ciphertext = ciphertext
        self.tag = tag
    }
}

extension SealedFrame {
    /// Seals a reconnect secret for a code pairing.
    init(sealing secret: SecretBytes, under sessionKey: SecretBytes, nonce: [UInt8]) {
        self.init(nonce: nonce, sealed: ChaCha20Poly1305(key: sessionKey).seal(secret, nonce: nonce))
    }

    /// Splits ciphertext || tag.
    init(nonce: [UInt8], sealed: [UInt8]) {
        let split = sealed.count - ChaCha20Poly1305.tagByteCount
        self.init(nonce: nonce, ciphertext: Array(sealed[..<split]), tag: Array(sealed[split...]))
    }

    /// The reconnect secret in a code pairing's response. Throws `proofInvalid` unless it is authentic and 32 bytes.
    func openedSecret(under sessionKey: SecretBytes) throws(SecureTransportError) -> SecretBytes {
        do {
            var bytes = try ChaCha20Poly1305(key: sessionKey).open(ciphertext + tag, nonce: nonce)
            let secret = SecretBytes(consuming: &bytes)
            guard secret.count == SecureTransportLimits.handshakeValueByteCount else {
                throw SecureTransportError.proofInvalid
            }
            return secret
        } catch {
            throw .proofInvalid
        }
    }
}

/// What the dialler proves (secure-transport.md 4.1): one of the two, never a fall back from one to the other.
public enum ClientProof: Hashable, Sendable {
    /// `codeVerifier`, 32 bytes.
    case code([UInt8])
    /// `trustedVerifier`, 32 bytes.
    case trusted([UInt8])
}

/// The dialler's first packet, checked (secure-transport.md 4.1, 13.4): key and nonce have 32 bytes, the name is
/// short and harmless, the installation id is there.
public struct PairingRequest: Hashable, Sendable {
    /// The name in the clear; a peer of ours sends `healthmd`.
    public let deviceName: String
    /// Who dials.
    public let installationID: UUID
    /// Fresh for this connection.
    public let publicKey: X25519.PublicKey
    /// 32 bytes, fresh for this connection.
    public let nonce: [UInt8]
    /// What the dialler proves.
    public let proof: ClientProof

    /// Traps on lengths that the parser refuses.
    public init(
        deviceName: String, installationID: UUID, publicKey: X25519.PublicKey, nonce: [UInt8], proof: ClientProof
    ) {
        precondition(nonce.count == SecureTransportLimits.handshakeValueByteCount)
        self.deviceName = deviceName
        self.installationID = installationID
        self.publicKey = publicKey
        self.nonce = nonce
        self.proof = proof
    }

    /// The dialler as the transcripts have it.
    public var party: ManualIPKeys.Party {
        ManualIPKeys.Party(installationID: installationID, publicKey: publicKey, nonce: nonce)
    }
}

/// The listener's answer, checked (secure-transport.md 4.2). All fields but the sealed secret are required.
public struct PairingResponse: Hashable, Sendable {
    /// The listener's name in the clear; ours is `healthmd`.
    public let listenerName: String
    /// Who listens.
    public let installationID: UUID
    /// Fresh for this connection.
    public let publicKey: X25519.PublicKey
    /// 32 bytes, fresh for this connection.
    public let nonce: [UInt8]
    /// 32 bytes: the listener's proof.
    public let proof: [UInt8]
    /// The new reconnect secret: there after a code pairing, absent after a trusted reconnect.
    public let sealedSecret: SealedFrame?

    /// Traps on lengths that the parser refuses.
    public init(
        listenerName: String, installationID: UUID, publicKey: X25519.PublicKey, nonce: [UInt8], proof: [UInt8],
        sealedSecret: SealedFrame?
    ) {
        precondition(nonce.count == SecureTransportLimits.handshakeValueByteCount)
        precondition(proof.count == SecureTransportLimits.handshakeValueByteCount)
        self.listenerName = listenerName
        self.installationID = installationID
        self.publicKey = publicKey
        self.nonce = nonce
        self.proof = proof
        self.sealedSecret = sealedSecret
    }

    /// The listener as the transcripts have it.
    public var party: ManualIPKeys.Party {
        ManualIPKeys.Party(installationID: installationID, publicKey: publicKey, nonce: nonce)
    }
}

/// Whether a name from a peer may be stored and shown: 1 to 128 bytes without control characters.
func isAcceptableDeviceName(_ name: String) -> Bool {
    let count = name.utf8.count
    guard count >= 1, count <= SecureTransportLimits.deviceNameByteCount else { return false }
    return name.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        // Bidirectional overrides and other invisible format characters can make one name look like another.
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
        default: true
        }
    }
}
