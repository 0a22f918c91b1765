import CSodium
import Foundation

/// HMAC-SHA-256 (RFC 2104), libsodium's; for proofs and key derivation, not for bulk data.
public struct HMACSHA256: ~Copyable {
    /// The number of bytes of a code.
    public static let byteCount = 32

    private var state = crypto_auth_hmacsha256_state()

    /// A code over nothing yet.
    public init(key: some ContiguousBytes) {
        _ = Sodium.ready
        key.withUnsafeBytes { key in
            // libsodium takes no null pointer, not even for an empty key.
            withUnsafePointer(to: 0 as UInt8) { placeholder in
                let address = key.bindMemory(to: UInt8.self).baseAddress ?? placeholder
                _ = crypto_auth_hmacsha256_init(&state, address, key.count)
            }
        }
    }

    // The state holds the padded key.
    deinit {
        var state = state
        sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
    }

    /// Adds bytes.
    public mutating func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { bytes in
            guard let address = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            _ = crypto_auth_hmacsha256_update(&state, address, UInt64(bytes.count))
        }
    }

    /// Adds the text's UTF-8.
    public mutating func update(_ text: String) {
        update(Array(text.utf8))
    }

    /// The code of everything added, written into 32 bytes.
    mutating func finalize(into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count == HMACSHA256.byteCount)
        _ = crypto_auth_hmacsha256_final(&state, target.bindMemory(to: UInt8.self).baseAddress!)
    }

    /// The code of everything added, 32 bytes. Compare with `constantTimeEquals`.
    public consuming func finalize() -> [UInt8] {
        var code = [UInt8](repeating: 0, count: HMACSHA256.byteCount)
        code.withUnsafeMutableBytes { finalize(into: $0) }
        return code
    }

    /// The code of one message.
    public static func code(for message: some ContiguousBytes, key: some ContiguousBytes) -> [UInt8] {
        var hmac = HMACSHA256(key: key)
        hmac.update(message)
        return hmac.finalize()
    }

    /// Whether `code` is the code of the message, in constant time.
    public static func isValid(
        _ code: some ContiguousBytes, for message: some ContiguousBytes, key: some ContiguousBytes
    ) -> Bool {
        constantTimeEquals(code, HMACSHA256.code(for: message, key: key))
    }
}
