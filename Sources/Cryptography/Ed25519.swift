import CSodium
import Foundation

/// Signatures on edwards25519 (RFC 8032, pure Ed25519).
public enum Ed25519 {
    /// The number of bytes of a seed.
    public static let seedByteCount = 32
    /// The number of bytes of a public key.
    public static let publicKeyByteCount = 32
    /// The number of bytes of a signature.
    public static let signatureByteCount = 64

    /// A public key: 32 bytes that are no point of small order.
    ///
    /// Whether they are a point at all shows when a signature is verified: then nothing is valid under them.
    public struct PublicKey: Hashable, Sendable, ContiguousBytes {
        /// The 32 bytes.
        public let bytes: [UInt8]

        /// Takes 32 bytes; throws `wrongLength`, or `weakPublicKey` for a point of small order, under which anyone
        /// can make signatures (day-archive.md 1.2).
        public init(bytes: some ContiguousBytes) throws {
            let copy = bytes.withUnsafeBytes { [UInt8]($0) }
            guard copy.count == publicKeyByteCount else {
                throw CryptographyError.wrongLength(
                    what: "Ed25519 public key", expected: publicKeyByteCount, found: copy.count)
            }
            guard !Ed25519.isSmallOrder(copy) else { throw CryptographyError.weakPublicKey }
            self.bytes = copy
        }

        fileprivate init(unchecked bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// Lends the 32 bytes.
        public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try bytes.withUnsafeBytes(body)
        }

        /// Whether this key signed the message.
        ///
        /// Strict: a scalar that is not reduced, and a small-order or non-canonical point, are refused, so a
        /// signature cannot be turned into a second valid one.
        public func isValid(signature: some ContiguousBytes, for message: some ContiguousBytes) -> Bool {
            _ = Sodium.ready
            return verify(signature: signature, for: message)
        }

        private func verify(signature: some ContiguousBytes, for message: some ContiguousBytes) -> Bool {
            signature.withUnsafeBytes { signature in
                guard signature.count == signatureByteCount else { return false }
                return message.withUnsafeBytes { message in
                    withUnsafePointer(to: 0 as UInt8) { placeholder in
                        crypto_sign_ed25519_verify_detached(
                            signature.bindMemory(to: UInt8.self).baseAddress!,
                            message.bindMemory(to: UInt8.self).baseAddress ?? placeholder, UInt64(message.count),
                            bytes) == 0
                    }
                }
            }
        }
    }

    /// The seven encodings of the points of small order, the sign bit cleared.
    private static let smallOrderEncodings: Set<[UInt8]> = {
        let first: [UInt8] = [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ]
        let second: [UInt8] = [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ]
        /// The number whose first byte is `low`, all others `middle`, and the last `high`.
        func filled(_ low: UInt8, _ middle: UInt8, _ high: UInt8) -> [UInt8] {
            [low] + [UInt8](repeating: middle, count: 30) + [high]
        }
        return [
            filled(0, 0, 0), filled(1, 0, 0), first, second,
            // p - 1, p and p + 1; the last two are other spellings of 0 and 1.
            filled(0xec, 0xff, 0x7f), filled(0xed, 0xff, 0x7f), filled(0xee, 0xff, 0x7f),
        ]
    }()

    /// Whether 32 bytes encode a point of small order, whatever the sign bit. Public keys are public: not in
    /// constant time.
    public static func isSmallOrder(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == publicKeyByteCount else { return false }
        var canonical = bytes
        canonical[31] &= 0x7f
        return smallOrderEncodings.contains(canonical)
    }

    /// A private key with its public key.
    public struct PrivateKey: Sendable {
        /// The 32-byte seed, which is the whole key.
        public let seed: SecretBytes
        /// What others verify with.
        public let publicKey: PublicKey
        /// libsodium's form: seed || public key.
        private let expanded: SecretBytes

        /// A new random key.
        public init() {
            self.init(unchecked: SecretBytes.random(count: seedByteCount))
        }

        /// The key of a 32-byte seed; throws `wrongLength` otherwise.
        public init(seed: SecretBytes) throws {
            guard seed.count == seedByteCount else {
                throw CryptographyError.wrongLength(what: "Ed25519 seed", expected: seedByteCount, found: seed.count)
            }
            self.init(unchecked: seed)
        }

        private init(unchecked seed: SecretBytes) {
            _ = Sodium.ready
            var publicBytes = [UInt8](repeating: 0, count: publicKeyByteCount)
            expanded = SecretBytes(count: seedByteCount + publicKeyByteCount) { target in
                seed.withUnsafeBytes { seed in
                    precondition(
                        crypto_sign_ed25519_seed_keypair(
                            &publicBytes, target.bindMemory(to: UInt8.self).baseAddress!,
                            seed.bindMemory(to: UInt8.self).baseAddress!) == 0)
                }
            }
            self.seed = seed
            publicKey = PublicKey(unchecked: publicBytes)
        }

        /// The 64-byte signature of a message.
        public func signature(for message: some ContiguousBytes) -> [UInt8] {
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            message.withUnsafeBytes { message in
                expanded.withUnsafeBytes { key in
                    withUnsafePointer(to: 0 as UInt8) { placeholder in
                        precondition(
                            crypto_sign_ed25519_detached(
                                &signature, nil, message.bindMemory(to: UInt8.self).baseAddress ?? placeholder,
                                UInt64(message.count), key.bindMemory(to: UInt8.self).baseAddress!) == 0)
                    }
                }
            }
            return signature
        }
    }
}
