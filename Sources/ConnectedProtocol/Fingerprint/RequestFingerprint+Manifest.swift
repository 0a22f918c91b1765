import CanonicalJSON
import Cryptography

extension RequestFingerprint {
    /// The fingerprint of a manifest text, wire or canonical (corpus-protocol.md 6). Throws `JSONError`.
    public init(manifestText: [UInt8]) throws {
        self.init(sha256: SHA256.hash(try ManifestCanonicalizer.canonicalize(manifestText)))
    }
}
