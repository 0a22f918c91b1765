import Cryptography

/// What sealed bytes are bound to beside their key (day-archive.md 3).
public enum SealContext: Hashable, Sendable {
    /// One day of one archive.
    case day(BucketID, ArchiveDay)
    /// An edit for an archive; its name comes later and is not bound.
    case edit(BucketID)

    /// The associated data. The word stays `v1` in envelope 2.
    var associatedData: [UInt8] {
        switch self {
        case .day(let bucket, let day): Array("efferent/v1\n\(bucket)\n\(day)".utf8)
        case .edit(let bucket): Array("efferent/v1 edit\n\(bucket)".utf8)
        }
    }
}

/// The envelope of days and edits: version 2 is written and read, version 1 only read (day-archive.md 3).
public enum SealedEnvelope {
    /// How much longer a version 2 envelope is than what it holds.
    public static let overheadByteCount = 1 + HPKE.overheadByteCount

    static let version1: UInt8 = 1
    static let version2: UInt8 = 2
    private static let information = Array("efferent/v2 hpke".utf8)
    private static let information1 = Array("efferent/v1 sealed box".utf8)
    private static let nonceByteCount1 = 12
    /// Version, ephemeral key and nonce of version 1; a version 1 envelope is longer than this.
    private static let headByteCount1 = 1 + X25519.byteCount + nonceByteCount1

    /// Seals under envelope 2.
    ///
    /// `ephemeral` must be fresh for every seal; only tests of known answers hand one in.
    ///
    /// - Throws: `bad_key` for a reading key of small order.
    public static func seal(
        _ plaintext: [UInt8], to key: X25519.PublicKey, for context: SealContext,
        ephemeral: X25519.PrivateKey = X25519.PrivateKey()
    ) throws(WireError) -> [UInt8] {
        do {
            return [version2]
                + (try HPKE.seal(
                    plaintext, to: key, info: information, associatedData: context.associatedData,
                    ephemeral: ephemeral))
        } catch {
            throw .badKey(which: "reading key", what: "is one that everyone can open")
        }
    }

    /// Opens envelope 2 or 1, by its first byte.
    ///
    /// - Throws: `unknown_envelope`, `sealed_too_short`, `cannot_open`.
    public static func open(
        _ sealed: [UInt8], with key: X25519.PrivateKey, for context: SealContext
    ) throws(WireError) -> [UInt8] {
        switch sealed.first {
        case version2:
            guard sealed.count >= overheadByteCount else { throw .sealedTooShort(byteCount: sealed.count) }
            do {
                return try HPKE.open(
                    Array(sealed.dropFirst()), with: key, info: information, associatedData: context.associatedData)
            } catch {
                throw .cannotOpen
            }
        case version1:
            guard sealed.count > headByteCount1 else { throw .sealedTooShort(byteCount: sealed.count) }
            do {
                return try openVersion1(sealed, with: key, for: context)
            } catch {
                throw .cannotOpen
            }
        case let other: throw .unknownEnvelope(version: other)
        }
    }

    private static func openVersion1(
        _ sealed: [UInt8], with key: X25519.PrivateKey, for context: SealContext
    ) throws -> [UInt8] {
        let ephemeral = try X25519.PublicKey(bytes: sealed[1..<33])
        let secret = HKDFSHA256.derive(
            inputKey: try key.sharedSecret(with: ephemeral), salt: ephemeral.bytes + key.publicKey.bytes,
            info: information1, count: 32)
        return try AES256GCM(key: secret).open(
            Array(sealed[headByteCount1...]), nonce: Array(sealed[33..<headByteCount1]),
            associatedData: context.associatedData)
    }
}
