import CSodium
import Foundation

/// Diffie-Hellman on Curve25519 (RFC 7748).
public enum X25519 {
    /// The number of bytes of a private key, a public key and a shared secret.
    public static let byteCount = 32

    /// A public key: any 32 bytes. What is wrong with a bad one shows when the secret is made.
    public struct PublicKey: Hashable, Sendable, ContiguousBytes {
        /// The 32 bytes.
        public let bytes: [UInt8]

        /// Takes exactly 32 bytes; throws `wrongLength` otherwise.
        public init(bytes: some ContiguousBytes) throws {
            let copy = bytes.withUnsafeBytes { [UInt8]($0) }
            guard copy.count == byteCount else {
                throw CryptographyError.wrongLength(what: "X25519 public key", expected: byteCount, found: copy.count)
            }
            self.bytes = copy
        }

        /// Lends the 32 bytes.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes(body)
        }
    }

    /// A private key with its public key.
    public struct PrivateKey: Sendable {
        /// The 32 private bytes.
        public let secret: SecretBytes
        /// What the peer is told.
        public let publicKey: PublicKey

        /// A new random key.
        public init() {
            self.init(unchecked: SecretBytes.random(count: byteCount))
        }

        /// The key with these 32 bytes; throws `wrongLength` otherwise.
        public init(secret: SecretBytes) throws {
            guard secret.count == byteCount else {
                throw CryptographyError.wrongLength(
                    what: "X25519 private key", expected: byteCount, found: secret.count)
            }
            self.init(unchecked: secret)
        }

        private init(unchecked secret: SecretBytes) {
            _ = Sodium.ready
            var publicBytes = [UInt8](repeating: 0, count: byteCount)
            secret.withUnsafeBytes { secret in
                let scalar = secret.bindMemory(to: UInt8.self).baseAddress!
                // The base point has large order, so this cannot give zero.
                precondition(crypto_scalarmult_curve25519_base(&publicBytes, scalar) == 0)
            }
            self.secret = secret
            publicKey = PublicKey(unchecked: publicBytes)
        }

        /// The raw shared secret, 32 bytes.
        ///
        /// Throws `weakSharedSecret` when it would be all zeros, which a public key of small order forces.
        public func sharedSecret(with peer: PublicKey) throws -> SecretBytes {
            try SecretBytes(count: byteCount) { target in
                try secret.withUnsafeBytes { secret in
                    let result = crypto_scalarmult_curve25519(
                        target.bindMemory(to: UInt8.self).baseAddress!,
                        secret.bindMemory(to: UInt8.self).baseAddress!, peer.bytes)
                    guard result == 0 else { throw CryptographyError.weakSharedSecret }
                }
            }
        }
    }
}

extension X25519.PublicKey {
    fileprivate init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}
