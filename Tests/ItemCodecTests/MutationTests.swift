import Foundation
import HMDCItem
import TestSupport
import Testing

/// Every cut and every flipped bit of the fixtures: a coded rejection or another value, never the same value and never
/// a crash.
@Suite struct MutationTests {
    struct Fixture: CustomTestStringConvertible, Sendable {
        let kind: ItemKind
        let bytes: [UInt8]
        var testDescription: String { kind.rawValue }

        static func all() throws -> [Fixture] {
            [
                Fixture(
                    kind: .macHealthDay,
                    bytes: try ItemEncoder().encode(FixtureTests.emptyHealthDay, kind: .macHealthDay)),
                Fixture(
                    kind: .strictRawDay,
                    bytes: try ItemEncoder().encode(FixtureTests.missingDay, kind: .strictRawDay)),
            ]
        }

        /// Decodes by the payload's own type; what is thrown must be an `ItemError`.
        func decodeTyped(_ bytes: [UInt8]) throws {
            switch kind {
            case .macHealthDay:
                _ = try ItemDecoder().decode(HealthDayEnvelope<ItemNode>.self, from: bytes, kind: kind)
            case .strictRawDay:
                _ = try ItemDecoder().decode(StrictRawDayEnvelope.self, from: bytes, kind: kind)
                _ = try RawDayExtraction(ItemBytes(bytes))
            }
        }
    }

    @Test("a fixture cut at any offset is refused", arguments: try Fixture.all())
    func truncation(fixture: Fixture) throws {
        for length in 0..<fixture.bytes.count {
            let cut = Array(fixture.bytes.prefix(length))
            #expect(try itemError { try ItemReader.validate(ItemBytes(cut), kind: fixture.kind) } != nil)
            #expect(try itemError { try fixture.decodeTyped(cut) } != nil)
        }
    }

    @Test("a fixture with one byte more is refused", arguments: try Fixture.all())
    func appended(fixture: Fixture) throws {
        for byte: UInt8 in [0, 3, 255] {
            let error = try itemError { try ItemReader.validate(ItemBytes(fixture.bytes + [byte])) }
            #expect(error == .rejected(.lengthMismatch, offset: 13))
        }
    }

    @Test("a fixture with one flipped bit is refused or is another value", arguments: try Fixture.all())
    func bitFlips(fixture: Fixture) throws {
        let original = try ItemFile(ItemBytes(fixture.bytes), kind: fixture.kind).root.tree()
        var taken = 0
        for position in 0..<fixture.bytes.count * 8 {
            var bytes = fixture.bytes
            bytes[position / 8] ^= 1 << UInt8(position % 8)
            _ = try itemError { try fixture.decodeTyped(bytes) }
            let error = try itemError {
                try ItemReader.validate(ItemBytes(bytes), kind: fixture.kind)
                let node = try ItemFile(ItemBytes(bytes), kind: fixture.kind).root.tree()
                #expect(node != original)
                #expect(try ItemWriter.bytes(of: node, kind: fixture.kind) == bytes)
                taken += 1
            }
            if let error { #expect(!error.code.isEmpty && error.offset != nil) }
        }
        // Flips inside keys, texts, numbers and the Boolean keep an item valid.
        #expect(taken > 0 && taken < fixture.bytes.count * 8)
    }

    @Test("an empty array as root with eight 0xFF bytes as its count is refused")
    func countOverwritten() throws {
        var bytes = try ItemEncoder().encode([String](), kind: .strictRawDay)
        #expect(bytes.count == 29)
        for position in 21..<29 { bytes[position] = 0xFF }
        let error = try itemError { _ = try ItemDecoder().decode([String].self, from: bytes, kind: .strictRawDay) }
        #expect(error == .rejected(.tooManyElements, offset: 21))
    }

    @Test("random bytes behind a right header are refused or written back unchanged")
    func noise() throws {
        var random = SplitMix64(seed: 0x1736)
        for _ in 0..<2_000 {
            let length = Int.random(in: 1...80, using: &random)
            var bytes = Raw.file((0..<length).map { _ in UInt8.random(in: 0...11, using: &random) })
            if length > 9, Bool.random(using: &random) {
                // A right length at the root lets more of them past the first check.
                bytes.replaceSubrange(13..<21, with: Raw.u64(UInt64(length - 9)))
            }
            _ = try itemError {
                let node = try ItemFile(ItemBytes(bytes), kind: .strictRawDay).root.tree()
                #expect(try ItemWriter.bytes(of: node, kind: .strictRawDay) == bytes)
            }
            _ = try itemError { _ = try ItemDecoder().decode(AnyValue.self, from: bytes, kind: .strictRawDay) }
        }
    }

    @Test(
        "one-pass reading and typed reading agree on every damaged item, and damaged tree texts never crash",
        arguments: 300..<340 as Range<UInt64>)
    func damagedTrees(seed: UInt64) throws {
        var maker = RoundTripTests.Maker(seed: seed)
        let original = try ItemWriter.bytes(of: maker.node(), kind: .strictRawDay)
        for _ in 0..<60 {
            var bytes = original
            for _ in 0...maker.below(3) {
                let position = maker.below(bytes.count)
                switch maker.below(3) {
                case 0: bytes[position] = UInt8(maker.below(12))
                case 1: bytes[position] ^= 1 << UInt8(maker.below(8))
                default: bytes.swapAt(position, maker.below(bytes.count))
                }
            }
            let onePass = try itemError { try ItemReader.validate(ItemBytes(bytes), kind: .strictRawDay) }
            let typed = try itemError {
                _ = try ItemDecoder().decode(AnyValue.self, from: bytes, kind: .strictRawDay)
            }
            #expect((onePass == nil) == (typed == nil), "\(hexText(bytes))")
        }
        var text = ItemByteBuffer()
        try ItemTree.write(maker.node(), detail: .full, makeDigest: { TestSHA256() }, to: &text)
        for _ in 0..<60 {
            var bytes = text.bytes
            bytes[maker.below(bytes.count)] = UInt8(maker.below(256))
            _ = try itemError { _ = try ItemTree.parse(bytes) }
        }
    }
}
