import Foundation
import TestSupport

/// What a run of one seed leaves to chance.
struct SimulationRandom: RandomNumberGenerator {
    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }

    /// True in `probability` of the cases.
    mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    /// 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Between two bounds.
    mutating func seconds(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + unit() * (range.upperBound - range.lowerBound)
    }

    /// One of the numbers.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of the elements.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    /// An identifier, of version 4.
    mutating func uuid() -> UUID {
        var bytes = [UInt8]()
        for word in [next(), next()] { withUnsafeBytes(of: word.bigEndian) { bytes += $0 } }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
