import Cryptography
import Foundation

/// The key that days and edits are sealed to, and what follows from it (day-archive.md 1).
public struct ReadingKey: Sendable {
    private static let word = "efferent-reading-v1"
    private static let readInformation = Array("efferent/v1 read".utf8)

    /// The pair.
    public let privateKey: X25519.PrivateKey

    /// A key from its pair.
    public init(_ privateKey: X25519.PrivateKey) { self.privateKey = privateKey }

    /// A new random key.
    public init() { self.init(X25519.PrivateKey()) }

    /// Reads `efferent-reading-v1.<private>.<public>` and checks that the halves belong together.
    ///
    /// - Throws: `bad_key`.
    public init(text: some StringProtocol) throws(WireError) {
        let halves = try KeyText.parse(text, word: Self.word, which: "reading key")
        self.init(X25519.PrivateKey(checkedSecret: halves.secret))
        guard constantTimeEquals(privateKey.publicKey, halves.publicBytes) else {
            throw .badKey(which: "reading key", what: "has halves that do not belong together")
        }
    }

    /// The text for a handoff. A secret: for private files and standard output only.
    public var text: String { KeyText.write(Self.word, privateKey.secret, privateKey.publicKey.bytes) }

    /// The archive that is sealed to this key.
    public var bucket: BucketID { BucketID(readingKey: privateKey.publicKey) }

    /// The key that signs reads. Every holder of the reading key makes the same one; it is never stored.
    public var readKey: Ed25519.PrivateKey {
        let seed = HKDFSHA256.derive(
            inputKey: privateKey.secret, salt: [UInt8](), info: Self.readInformation, count: Ed25519.seedByteCount)
        return Ed25519.PrivateKey(checkedSeed: seed)
    }
}

/// The key that signs edits, made by the writer and handed over (day-archive.md 1).
public struct EditorKey: Sendable {
    private static let word = "efferent-editor-v1"

    /// The pair.
    public let privateKey: Ed25519.PrivateKey

    /// A key from its pair.
    public init(_ privateKey: Ed25519.PrivateKey) { self.privateKey = privateKey }

    /// A new random key.
    public init() { self.init(Ed25519.PrivateKey()) }

    /// Reads `efferent-editor-v1.<private>.<public>` and checks that the halves belong together.
    ///
    /// - Throws: `bad_key`.
    public init(text: some StringProtocol) throws(WireError) {
        let halves = try KeyText.parse(text, word: Self.word, which: "editor key")
        self.init(Ed25519.PrivateKey(checkedSeed: halves.secret))
        guard constantTimeEquals(privateKey.publicKey, halves.publicBytes) else {
            throw .badKey(which: "editor key", what: "has halves that do not belong together")
        }
    }

    /// The text for a handoff. A secret: for private files and standard output only.
    public var text: String { KeyText.write(Self.word, privateKey.seed, privateKey.publicKey.bytes) }
}

/// `<word>.<private>.<public>`, both halves base64url of 32 bytes.
private enum KeyText {
    static func parse(
        _ text: some StringProtocol, word: String, which: String
    ) throws(WireError) -> (secret: SecretBytes, publicBytes: [UInt8]) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .badKey(which: which, what: "does not have three parts") }
        guard parts[0] == word else { throw .badKey(which: which, what: "does not begin with \(word)") }
        guard var secret = KeyBytes.decode(parts[1]), let publicBytes = KeyBytes.decode(parts[2]) else {
            throw .badKey(which: which, what: "has a half that is not 32 bytes of base64url")
        }
        return (SecretBytes(consuming: &secret), publicBytes)
    }

    static func write(_ word: String, _ secret: SecretBytes, _ publicBytes: [UInt8]) -> String {
        let encoded = secret.withUnsafeBytes { Base64.encode($0, as: .urlSafe) }
        return "\(word).\(encoded).\(Base64.encode(publicBytes, as: .urlSafe))"
    }
}

/// 32 bytes in base64url as readers take them: padded or not (day-archive.md 1.1).
enum KeyBytes {
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decodeAny(text).flatMap { $0.count == 32 ? $0 : nil }
    }

    static func decodeAny(_ text: some StringProtocol) -> [UInt8]? {
        let unpadded = text.prefix { $0 != "=" }
        let padding = text.dropFirst(unpadded.count)
        guard padding.allSatisfy({ $0 == "=" }), padding.isEmpty || text.count.isMultiple(of: 4), padding.count <= 2
        else { return nil }
        // Which character is wrong does not matter to the callers, which name the field.
        return try? Base64.decode(String(unpadded), as: .urlSafe)
    }
}

extension X25519.PrivateKey {
    /// The key of 32 bytes that were counted before.
    init(checkedSecret secret: SecretBytes) {
        guard let key = try? X25519.PrivateKey(secret: secret) else { preconditionFailure("32 bytes were checked") }
        self = key
    }
}

extension Ed25519.PrivateKey {
    /// The key of 32 bytes that were counted before.
    init(checkedSeed seed: SecretBytes) {
        guard let key = try? Ed25519.PrivateKey(seed: seed) else { preconditionFailure("32 bytes were checked") }
        self = key
    }
}
