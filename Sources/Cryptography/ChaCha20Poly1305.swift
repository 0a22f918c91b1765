import Foundation

/// ChaCha20-Poly1305 as the IETF has it (RFC 8439): one key, ready for many messages.
///
/// Never use a nonce twice under one key. An instance may be shared between threads; its key is erased with it.
public final class ChaCha20Poly1305: Sendable {
    /// The number of bytes of a key.
    public static let keyByteCount = AEADCipher.keyByteCount
    /// The number of bytes of a nonce.
    public static let nonceByteCount = AEADCipher.nonceByteCount
    /// The number of bytes of a tag.
    public static let tagByteCount = AEADCipher.tagByteCount

    private let cipher: AEADCipher

    /// A cipher under a 32-byte key.
    public init(key: SecretBytes) {
        cipher = AEADCipher(.chaCha20Poly1305, key: key)
    }

    // MARK: Whole buffers, without copies

    /// Writes the ciphertext, as long as the plaintext, and the 16-byte tag.
    ///
    /// `output` may be the plaintext's own memory; it must not overlap it in any other way.
    public func seal(
        _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        tag: UnsafeMutableRawBufferPointer, nonce: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        cipher.seal(plaintext, into: output, tag: tag, nonce: nonce, associatedData: associatedData)
    }

    /// Writes the plaintext, as long as the ciphertext.
    ///
    /// Throws `authenticationFailed` and leaves `output` zero. `output` may be the ciphertext's own memory.
    public func open(
        _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer, nonce: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws {
        try cipher.open(ciphertext, tag: tag, into: output, nonce: nonce, associatedData: associatedData)
    }

    // MARK: In place, inside one array

    /// Seals `buffer[range]` in place; the tag takes the 16 bytes that follow the range, which must exist.
    ///
    /// `associatedData` is another range of the same array.
    public func sealInPlace(
        _ buffer: inout [UInt8], range: Range<Int>, nonce: [UInt8], associatedData: Range<Int> = 0..<0
    ) {
        precondition(range.upperBound + Self.tagByteCount <= buffer.count)
        precondition(associatedData.isEmpty || !associatedData.overlaps(range.lowerBound..<range.upperBound + 16))
        buffer.withUnsafeMutableBytes { bytes in
            let text = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            let tag = UnsafeMutableRawBufferPointer(rebasing: bytes[range.upperBound..<range.upperBound + 16])
            nonce.withUnsafeBytes { nonce in
                cipher.seal(
                    UnsafeRawBufferPointer(text), into: text, tag: tag, nonce: nonce,
                    associatedData: UnsafeRawBufferPointer(rebasing: bytes[associatedData]))
            }
        }
    }

    /// Opens `buffer[range]` in place; its tag is the 16 bytes that follow the range.
    ///
    /// Throws `authenticationFailed` and leaves zeros in the range.
    public func openInPlace(
        _ buffer: inout [UInt8], range: Range<Int>, nonce: [UInt8], associatedData: Range<Int> = 0..<0
    ) throws {
        precondition(range.upperBound + Self.tagByteCount <= buffer.count)
        try buffer.withUnsafeMutableBytes { bytes in
            let text = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            let tag = UnsafeRawBufferPointer(rebasing: bytes[range.upperBound..<range.upperBound + 16])
            try nonce.withUnsafeBytes { nonce in
                try cipher.open(
                    UnsafeRawBufferPointer(text), tag: tag, into: text, nonce: nonce,
                    associatedData: UnsafeRawBufferPointer(rebasing: bytes[associatedData]))
            }
        }
    }

    // MARK: Small messages

    /// Ciphertext || tag.
    public func seal(
        _ plaintext: some ContiguousBytes, nonce: [UInt8], associatedData: some ContiguousBytes = [UInt8]()
    ) -> [UInt8] {
        cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
    }

    /// The plaintext of ciphertext || tag; throws `authenticationFailed`, also for fewer than 16 bytes.
    public func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: some ContiguousBytes = [UInt8]()
    ) throws -> [UInt8] {
        try cipher.open(sealed, nonce: nonce, associatedData: associatedData)
    }
}

/// AES-256-GCM (NIST SP 800-38D), for the day archive's older envelope only (day-archive.md 3).
public final class AES256GCM: Sendable {
    private let cipher: AEADCipher

    /// A cipher under a 32-byte key.
    public init(key: SecretBytes) {
        cipher = AEADCipher(.aes256GCM, key: key)
    }

    /// Ciphertext || 16-byte tag.
    public func seal(
        _ plaintext: some ContiguousBytes, nonce: [UInt8], associatedData: some ContiguousBytes = [UInt8]()
    ) -> [UInt8] {
        cipher.seal(plaintext, nonce: nonce, associatedData: associatedData)
    }

    /// The plaintext of ciphertext || tag; throws `authenticationFailed`, also for fewer than 16 bytes.
    public func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: some ContiguousBytes = [UInt8]()
    ) throws -> [UInt8] {
        try cipher.open(sealed, nonce: nonce, associatedData: associatedData)
    }
}

extension AEADCipher {
    fileprivate func seal(
        _ plaintext: some ContiguousBytes, nonce: [UInt8], associatedData: some ContiguousBytes
    ) -> [UInt8] {
        plaintext.withUnsafeBytes { plaintext in
            let total = plaintext.count + Self.tagByteCount
            return [UInt8](unsafeUninitializedCapacity: total) { output, initialized in
                let bytes = UnsafeMutableRawBufferPointer(output)
                associatedData.withUnsafeBytes { associatedData in
                    nonce.withUnsafeBytes { nonce in
                        seal(
                            plaintext, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<plaintext.count]),
                            tag: UnsafeMutableRawBufferPointer(rebasing: bytes[plaintext.count..<total]),
                            nonce: nonce, associatedData: associatedData)
                    }
                }
                initialized = total
            }
        }
    }

    fileprivate func open(
        _ sealed: [UInt8], nonce: [UInt8], associatedData: some ContiguousBytes
    ) throws -> [UInt8] {
        guard sealed.count >= Self.tagByteCount else { throw CryptographyError.authenticationFailed }
        let count = sealed.count - Self.tagByteCount
        return try [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            // At most `count`: the capacity that was given may be larger.
            let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(output)[..<count])
            try sealed.withUnsafeBytes { sealed in
                try associatedData.withUnsafeBytes { associatedData in
                    try nonce.withUnsafeBytes { nonce in
                        try open(
                            UnsafeRawBufferPointer(rebasing: sealed[..<count]),
                            tag: UnsafeRawBufferPointer(rebasing: sealed[count...]), into: bytes, nonce: nonce,
                            associatedData: associatedData)
                    }
                }
            }
            initialized = count
        }
    }
}
