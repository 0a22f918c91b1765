/// The keyed 64-bit hash by which a tokenizer tells the keys of an object apart.
///
/// Each step multiplies eight bytes with a secret to 128 bits and folds them. The secrets are drawn once per process and
/// never shown, so that a sender cannot look for two keys with one hash; and if it could, all it would gain is that its
/// own document is refused.
enum JSONKeyHash {
    private static let secrets = (
        UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1
    )

    /// The secrets, to be fetched once rather than for each key.
    struct Key {
        fileprivate let start = JSONKeyHash.secrets.0
        fileprivate let first = JSONKeyHash.secrets.1
        fileprivate let second = JSONKeyHash.secrets.2
    }

    /// The hash of the bytes of a key.
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ key: Key) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var state = fold(key.start ^ UInt64(truncatingIfNeeded: bytes.count), key.second)
        var index = 0
        while index + 8 <= raw.count {
            state = fold(state ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ key.first, key.second)
            index += 8
        }
        var rest: UInt64 = 0
        while index < raw.count {
            rest = rest << 8 | UInt64(raw[index])
            index += 1
        }
        return Int(truncatingIfNeeded: fold(state ^ rest ^ key.start, key.second ^ key.first))
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
