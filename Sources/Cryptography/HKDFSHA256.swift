import Foundation

/// HKDF with SHA-256 (RFC 5869).
public enum HKDFSHA256 {
    /// The most that one `expand` can give.
    public static let maximumOutputByteCount = 255 * HMACSHA256.byteCount

    /// The pseudorandom key, 32 bytes, of some input keying material. An empty salt stands for 32 zero bytes.
    public static func extract(salt: some ContiguousBytes, inputKey: some ContiguousBytes) -> SecretBytes {
        SecretBytes(count: HMACSHA256.byteCount) { target in
            // An empty HMAC key is padded with zeros, which is the same as 32 of them.
            var hmac = HMACSHA256(key: salt)
            hmac.update(inputKey)
            hmac.finalize(into: target)
        }
    }

    /// `count` bytes of key material for a purpose.
    public static func expand(
        pseudorandomKey: some ContiguousBytes, info: some ContiguousBytes, count: Int
    ) -> SecretBytes {
        precondition(count >= 0 && count <= maximumOutputByteCount)
        return SecretBytes(count: count) { target in
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: HMACSHA256.byteCount, alignment: 16)
            defer {
                eraseMemory(block)
                block.deallocate()
            }
            var written = 0
            var index: UInt8 = 1
            while written < count {
                var hmac = HMACSHA256(key: pseudorandomKey)
                if index > 1 { hmac.update(UnsafeRawBufferPointer(block)) }
                hmac.update(info)
                hmac.update([index])
                hmac.finalize(into: block)
                let piece = min(block.count, count - written)
                let rest = UnsafeMutableRawBufferPointer(rebasing: target[written..<written + piece])
                rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[0..<piece]))
                written += piece
                index &+= 1
            }
        }
    }

    /// Extract, then expand.
    public static func derive(
        inputKey: some ContiguousBytes, salt: some ContiguousBytes, info: some ContiguousBytes, count: Int
    ) -> SecretBytes {
        expand(pseudorandomKey: extract(salt: salt, inputKey: inputKey), info: info, count: count)
    }
}
