import CanonicalJSON
import Cryptography
import DurableStore

/// Keys in private files: base64url of PKCS#8 DER and of the raw public half (day-archive-reader.md 1).
enum KeyFiles {
    static let readingName = "reading-key.json"
    static let editorName = "editor-key.json"
    static let writerName = "writer-key.json"

    private static let maximumByteCount = 4_096
    /// PKCS#8 of a 32-byte key of X25519 and of Ed25519, without the key.
    private static let x25519Prefix: [UInt8] = [
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20,
    ]
    private static let ed25519Prefix: [UInt8] = [
        0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    static func writeReading(_ key: ReadingKey, in folder: Directory) throws {
        try write(
            readingName, "reading", x25519Prefix, key.privateKey.secret, key.privateKey.publicKey.bytes, folder)
    }

    static func writeEditor(_ key: EditorKey, in folder: Directory) throws {
        try write(editorName, "editor", ed25519Prefix, key.privateKey.seed, key.privateKey.publicKey.bytes, folder)
    }

    static func writeWriter(_ key: Ed25519.PrivateKey, in folder: Directory) throws {
        try write(writerName, "writer", ed25519Prefix, key.seed, key.publicKey.bytes, folder)
    }

    /// Nil when there is none.
    static func reading(in folder: Directory) throws -> ReadingKey? {
        guard let (secret, publicBytes) = try read(readingName, "reading", x25519Prefix, folder) else { return nil }
        let key = ReadingKey(X25519.PrivateKey(checkedSecret: secret))
        try check(key.privateKey.publicKey.bytes, publicBytes, readingName)
        return key
    }

    /// Nil when there is none.
    static func editor(in folder: Directory) throws -> EditorKey? {
        try ed25519(editorName, "editor", folder).map { EditorKey($0) }
    }

    /// Nil when there is none.
    static func writer(in folder: Directory) throws -> Ed25519.PrivateKey? {
        try ed25519(writerName, "writer", folder)
    }

    private static func ed25519(_ name: String, _ word: String, _ folder: Directory) throws -> Ed25519.PrivateKey? {
        guard let (secret, publicBytes) = try read(name, word, ed25519Prefix, folder) else { return nil }
        let key = Ed25519.PrivateKey(checkedSeed: secret)
        try check(key.publicKey.bytes, publicBytes, name)
        return key
    }

    private static func check(_ derived: [UInt8], _ written: [UInt8], _ name: String) throws {
        guard constantTimeEquals(derived, written) else { throw ReaderError.badProfileFile(name: name) }
    }

    private static func write(
        _ name: String, _ word: String, _ prefix: [UInt8], _ secret: SecretBytes, _ publicBytes: [UInt8],
        _ folder: Directory
    ) throws {
        var encoded = secret.copyBytes()
        encoded.insert(contentsOf: prefix, at: 0)
        defer { eraseMemory(&encoded) }
        let document: JSONValue = [
            "\(word)Private": .string(Base64.encode(encoded, as: .urlSafe)),
            "\(word)Public": .string(Base64.encode(publicBytes, as: .urlSafe)),
        ]
        var text = JSONWriter.encode(document, style: .readable) + [UInt8(ascii: "\n")]
        defer { eraseMemory(&text) }
        // A key is never replaced: what is sealed to it could not be opened again.
        try folder.durableReplace(name, mode: .noReplace, with: text)
    }

    private static func read(
        _ name: String, _ word: String, _ prefix: [UInt8], _ folder: Directory
    ) throws -> (SecretBytes, [UInt8])? {
        guard var text = try contents(name, folder) else { return nil }
        defer { eraseMemory(&text) }
        // Where the text is wrong must not be told: it is a secret.
        guard let object = try? JSONParser.parse(text).object,
            var encoded = object["\(word)Private"]?.string.flatMap({ KeyBytes.decodeAny($0) }),
            let publicBytes = object["\(word)Public"]?.string.flatMap({ KeyBytes.decode($0) }),
            encoded.count == prefix.count + 32, encoded.starts(with: prefix)
        else { throw ReaderError.badProfileFile(name: name) }
        defer { eraseMemory(&encoded) }
        return (SecretBytes(copying: Array(encoded[prefix.count...])), publicBytes)
    }

    private static func contents(_ name: String, _ folder: Directory) throws -> [UInt8]? {
        do {
            return try folder.file(name, requiringPrivate: true).contents(maximumByteCount: maximumByteCount)
        } catch StoreError.notFound {
            return nil
        }
    }
}
