import CSodium
import Foundation

/// The system's secure randomness.
public enum SecureRandom {
    /// Fills the buffer.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        _ = Sodium.ready
        guard let address = buffer.baseAddress else { return }
        randombytes_buf(address, buffer.count)
    }

    /// `count` random bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }

    /// A number in `0..<upperBound`, each as likely as any other.
    public static func uniform(below upperBound: UInt32) -> UInt32 {
        _ = Sodium.ready
        return randombytes_uniform(upperBound)
    }

    /// A code of `count` ASCII digits, each of the 10^count codes as likely as any other.
    public static func digits(_ count: Int) -> String {
        String((0..<count).map { _ in Character(Unicode.Scalar(UInt8(ascii: "0") + UInt8(uniform(below: 10)))) })
    }

    /// A version 4 UUID (RFC 9562 5.4).
    public static func uuid() -> UUID {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { fill($0) }
        value.6 = value.6 & 0x0f | 0x40
        value.8 = value.8 & 0x3f | 0x80
        return UUID(uuid: value)
    }
}
