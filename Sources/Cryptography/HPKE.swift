import Foundation

/// Hybrid public key encryption, base mode, one message (RFC 9180).
///
/// The suite is DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305. A sealed message is the 32-byte
/// encapsulated key || ciphertext || 16-byte tag.
public enum HPKE {
    /// The number of bytes of the encapsulated key.
    public static let encapsulatedKeyByteCount = X25519.byteCount
    /// How much longer a sealed message is than its plaintext.
    public static let overheadByteCount = encapsulatedKeyByteCount + ChaCha20Poly1305.tagByteCount

    /// Key and first nonce of one message.
    struct Schedule {
        let key: SecretBytes
        let baseNonce: [UInt8]
    }

    private static let kemSuite = Array("KEM".utf8) + [0x00, 0x20]
    private static let hpkeSuite = Array("HPKE".utf8) + [0x00, 0x20, 0x00, 0x01, 0x00, 0x03]
    private static let baseMode: UInt8 = 0

    /// Seals a message to the holder of `recipient`'s private key.
    ///
    /// `ephemeral` must be fresh for every message; only tests of known answers hand one in. Throws
    /// `weakSharedSecret`.
    public static func seal(
        _ plaintext: some ContiguousBytes, to recipient: X25519.PublicKey, info: some ContiguousBytes,
        associatedData: some ContiguousBytes, ephemeral: X25519.PrivateKey = X25519.PrivateKey()
    ) throws -> [UInt8] {
        let shared = try ephemeral.sharedSecret(with: recipient)
        let schedule = schedule(
            sharedPoint: shared, encapsulated: ephemeral.publicKey, recipient: recipient, info: info)
        let sealed = ChaCha20Poly1305(key: schedule.key).seal(
            plaintext, nonce: schedule.baseNonce, associatedData: associatedData)
        return ephemeral.publicKey.bytes + sealed
    }

    /// Opens what `seal` made.
    ///
    /// Throws `authenticationFailed`, also for fewer than 48 bytes, or `weakSharedSecret`.
    public static func open(
        _ sealed: [UInt8], with recipient: X25519.PrivateKey, info: some ContiguousBytes,
        associatedData: some ContiguousBytes
    ) throws -> [UInt8] {
        guard sealed.count >= overheadByteCount else { throw CryptographyError.authenticationFailed }
        let encapsulated = try X25519.PublicKey(bytes: sealed[..<encapsulatedKeyByteCount])
        let shared = try recipient.sharedSecret(with: encapsulated)
        let schedule = schedule(
            sharedPoint: shared, encapsulated: encapsulated, recipient: recipient.publicKey, info: info)
        return try ChaCha20Poly1305(key: schedule.key).open(
            Array(sealed[encapsulatedKeyByteCount...]), nonce: schedule.baseNonce, associatedData: associatedData)
    }

    /// ExtractAndExpand of the KEM (4.1), then KeySchedule (5.1).
    static func schedule(
        sharedPoint: SecretBytes, encapsulated: X25519.PublicKey, recipient: X25519.PublicKey,
        info: some ContiguousBytes
    ) -> Schedule {
        let none = [UInt8]()
        let extracted = labeledExtract(suite: kemSuite, salt: none, label: "eae_prk", key: sharedPoint)
        let shared = labeledExpand(
            suite: kemSuite, key: extracted, label: "shared_secret",
            info: encapsulated.bytes + recipient.bytes, count: 32)

        let identifierHash = labeledExtract(suite: hpkeSuite, salt: none, label: "psk_id_hash", key: none)
        let infoHash = labeledExtract(suite: hpkeSuite, salt: none, label: "info_hash", key: info)
        let context = [baseMode] + identifierHash.copyBytes() + infoHash.copyBytes()
        let secret = labeledExtract(suite: hpkeSuite, salt: shared, label: "secret", key: none)
        let key = labeledExpand(
            suite: hpkeSuite, key: secret, label: "key", info: context, count: ChaCha20Poly1305.keyByteCount)
        let nonce = labeledExpand(
            suite: hpkeSuite, key: secret, label: "base_nonce", info: context,
            count: ChaCha20Poly1305.nonceByteCount)
        return Schedule(key: key, baseNonce: nonce.copyBytes())
    }

    private static func labeledExtract(
        suite: [UInt8], salt: some ContiguousBytes, label: String, key: some ContiguousBytes
    ) -> SecretBytes {
        let prefix = Array("HPKE-v1".utf8) + suite + Array(label.utf8)
        return key.withUnsafeBytes { key in
            let labeled = SecretBytes(count: prefix.count + key.count) { target in
                target.copyBytes(from: prefix)
                UnsafeMutableRawBufferPointer(rebasing: target[prefix.count...]).copyMemory(from: key)
            }
            return HKDFSHA256.extract(salt: salt, inputKey: labeled)
        }
    }

    private static func labeledExpand(
        suite: [UInt8], key: SecretBytes, label: String, info: [UInt8], count: Int
    ) -> SecretBytes {
        let length = [UInt8(count >> 8), UInt8(count & 0xff)]
        let labeled = length + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info
        return HKDFSHA256.expand(pseudorandomKey: key, info: labeled, count: count)
    }
}
