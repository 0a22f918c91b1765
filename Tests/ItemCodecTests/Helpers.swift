import HMDCItem
import Testing

/// Bytes from hexadecimal digits, white space ignored.
func hexBytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Lower-case hexadecimal digits.
func hexText(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The SHA-256 of some bytes as hexadecimal digits.
func sha256Text(_ bytes: [UInt8]) -> String {
    var digest = TestSHA256()
    digest.update(bytes.span)
    return hexText(digest.finish())
}

/// SHA-256 (FIPS 180-4) for tests only: slow and short. The program uses its cryptography library.
struct TestSHA256: ItemDigest {
    private static let constants: [UInt32] = primes(64).map { fractionBits(of: $0, power: 3) }
    private var state: [UInt32] = primes(8).map { fractionBits(of: $0, power: 2) }
    private var block: [UInt8] = []
    private var byteCount: UInt64 = 0

    mutating func update(_ bytes: Span<UInt8>) {
        for index in bytes.indices { add(bytes[index]) }
        byteCount += UInt64(bytes.count)
    }

    mutating func finish() -> [UInt8] {
        add(0x80)
        while block.count != 56 { add(0) }
        let bitCount = byteCount * 8
        for shift in stride(from: 56, through: 0, by: -8) { add(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift))) }
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    private mutating func add(_ byte: UInt8) {
        block.append(byte)
        guard block.count == 64 else { return }
        compress()
        block.removeAll(keepingCapacity: true)
    }

    private mutating func compress() {
        func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = (0..<16).map { index in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[index * 4 + $1]) } }
        for index in 16..<64 {
            let low = words[index - 15]
            let high = words[index - 2]
            words.append(
                words[index - 16] &+ (rotate(low, 7) ^ rotate(low, 18) ^ low >> 3) &+ words[index - 7]
                    &+ (rotate(high, 17) ^ rotate(high, 19) ^ high >> 10))
        }
        var work = state
        for index in 0..<64 {
            let (a, b, c, e) = (work[0], work[1], work[2], work[4])
            let first =
                work[7] &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ (e & work[5] ^ ~e & work[6])
                &+ Self.constants[index] &+ words[index]
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ (a & b ^ a & c ^ b & c)
            work = [first &+ second, a, b, c, work[3] &+ first, e, work[5], work[6]]
        }
        for index in 0..<8 { state[index] &+= work[index] }
    }

    private static func primes(_ count: Int) -> [Int] {
        var found: [Int] = []
        var candidate = 2
        while found.count < count {
            if !found.contains(where: { candidate % $0 == 0 }) { found.append(candidate) }
            candidate += 1
        }
        return found
    }

    /// The first 32 bits of the fraction of a root, found exactly with integers: the largest r with r^k <= n * 2^(32k).
    private static func fractionBits(of number: Int, power: Int) -> UInt32 {
        var low = UInt64(0)
        var high = UInt64(1) << 38
        while high - low > 1 {
            let middle = (low + high) / 2
            let fits =
                power == 2
                ? UInt128(middle) * UInt128(middle) <= UInt128(number) << 64
                : UInt128(middle) * UInt128(middle) * UInt128(middle) <= UInt128(number) << 96
            if fits { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }
}
