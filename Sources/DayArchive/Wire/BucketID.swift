import Cryptography

/// The name of an archive: 26 characters of base32 of the SHA-256 of its reading public key (day-archive.md 1.1).
public struct BucketID: Hashable, Sendable, CustomStringConvertible {
    /// The number of characters.
    public static let characterCount = 26

    /// The id as it stands in paths.
    public let text: String

    /// The id of the archive that is sealed to this key.
    public init(readingKey: X25519.PublicKey) {
        text = String(Base32.encode(SHA256.hash(readingKey.bytes).bytes).prefix(Self.characterCount))
    }

    /// Takes an id as it is written in paths.
    ///
    /// - Throws: `bad_bucket_id`.
    public init(text: some StringProtocol) throws(WireError) {
        guard text.utf8.count == Self.characterCount, text.utf8.allSatisfy(Base32.isCharacter) else {
            throw .notABucketID
        }
        self.text = String(text)
    }

    /// The id.
    public var description: String { text }
}
