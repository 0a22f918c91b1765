/// What this room refuses.
///
/// Only input from outside throws. A wrong length that our own code hands in (a 16-byte key, say) is a mistake of
/// ours and traps.
public enum CryptographyError: Error, Hashable, Sendable {
    /// A key, nonce, digest or signature has the wrong number of bytes.
    case wrongLength(what: String, expected: Int, found: Int)
    /// A tag, and with it the ciphertext, associated data, nonce or key, is not what the sender sealed.
    case authenticationFailed
    /// A public key that leads to the all-zero shared secret (RFC 7748 6.1).
    case weakSharedSecret
    /// An Ed25519 public key of small order, under which anyone can make signatures.
    case weakPublicKey
    /// A character that the encoding does not allow, at a byte offset.
    case invalidCharacter(encoding: String, offset: Int)
    /// Text whose length or padding the encoding does not allow.
    case invalidEncodedLength(encoding: String, found: Int)
    /// The last character carries bits that decode to nothing (RFC 4648 3.5).
    case spareBitsNotZero(encoding: String)

    /// The stable name of the error, for programs.
    public var code: String {
        switch self {
        case .wrongLength: "wrong_length"
        case .authenticationFailed: "authentication_failed"
        case .weakSharedSecret: "weak_shared_secret"
        case .weakPublicKey: "weak_public_key"
        case .invalidCharacter: "invalid_character"
        case .invalidEncodedLength: "invalid_encoded_length"
        case .spareBitsNotZero: "spare_bits_not_zero"
        }
    }
}

extension CryptographyError: CustomStringConvertible {
    /// A sentence for a person; never contains key or message bytes.
    public var description: String {
        switch self {
        case .wrongLength(let what, let expected, let found):
            "The \(what) has \(found) bytes where \(expected) are needed. Check that it was copied whole."
        case .authenticationFailed:
            "The data is not what its sender sealed, or the key is another one. Fetch it again, or pair again."
        case .weakSharedSecret:
            "The peer's public key would give a key that everyone knows. Do not use this peer."
        case .weakPublicKey:
            "The public key is one under which anyone can sign. Do not use it; ask its owner for the real one."
        case .invalidCharacter(let encoding, let offset):
            "Byte \(offset) is not a character of \(encoding). Check that the text was copied whole."
        case .invalidEncodedLength(let encoding, let found):
            "\(found) characters cannot be \(encoding). Check length and padding."
        case .spareBitsNotZero(let encoding):
            "The last character of the \(encoding) text carries stray bits. Encode the bytes again."
        }
    }
}
