import Foundation
import HMDCItem
import TestSupport
import Testing

/// Values and trees from seeds, through every form and back.
@Suite struct RoundTripTests {
    /// Makes trees and values.
    struct Maker {
        var random: SplitMix64
        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        mutating func double() -> Double {
            while true {
                let value =
                    switch below(4) {
                    case 0: Double(below(2_000) - 1_000)
                    case 1: Double(below(100_000)) / 1_000
                    default: Double(bitPattern: random.next())
                    }
                if value.isFinite { return value }
            }
        }

        mutating func text(most: Int = 12) -> String {
            let pool = Array("aZ09 /\"\\\n\t\u{0}\u{1F}\u{7F}éß€😀\u{301}\u{FEFF}\u{2028}\u{10FFFF}".unicodeScalars)
            var text = String.UnicodeScalarView()
            for _ in 0..<below(most + 1) { text.append(pool[below(pool.count)]) }
            return String(text)
        }

        mutating func bytes() -> [UInt8] { (0..<below(20)).map { _ in UInt8.random(in: 0...255, using: &random) } }

        mutating func node(depth: Int = 0) -> ItemNode {
            switch below(depth < 5 ? 12 : 8) {
            case 0: return .null
            case 1: return .bool(Bool.random(using: &random))
            case 2: return .signed(Int64(bitPattern: random.next()) >> Int64(below(64)))
            case 3: return .unsigned(random.next() >> UInt64(below(64)))
            case 4: return .double(double())
            case 5: return .date(double())
            case 6: return .string(text())
            case 7: return .data(bytes())
            case 8, 9: return .array((0..<below(5)).map { _ in node(depth: depth + 1) })
            default:
                var keys: Set<String> = []
                for _ in 0..<below(6) { keys.insert("k" + text(most: 6)) }
                return .object(sorting: keys.sorted().map { ($0, node(depth: depth + 1)) })
            }
        }

        mutating func model(depth: Int = 0) -> Model {
            Model(
                flag: Bool.random(using: &random), small: Int8.random(in: .min ... .max, using: &random),
                signed: Int(bitPattern: UInt(random.next())), tiny: UInt8.random(in: 0...255, using: &random),
                unsigned: random.next(), double: double(), float: Float(below(10_000)) / 7, text: text(),
                // Whole microseconds, so that the arithmetic of `Date` is exact.
                date: Date(timeIntervalSinceReferenceDate: Double(below(1_000_000_000)) / 64), data: Data(bytes()),
                uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(below(256)))),
                url: URL(string: "https://example.org/\(below(1_000))?q=%C3%A9")!,
                maybe: Bool.random(using: &random) ? text() : nil,
                holes: (0..<below(4)).map { _ in Bool.random(using: &random) ? double() : nil },
                map: Dictionary((0..<below(5)).map { _ in ("k" + text(), below(100)) }) { first, _ in first },
                word: Model.Word.allCases[below(2)],
                children: depth < 3 ? (0..<below(3)).map { _ in model(depth: depth + 1) } : [],
                free: Bool.random(using: &random)
                    ? .object(["n": .number(double()), "l": .array([.null, .bool(true), .string(text())])]) : nil)
        }
    }

    struct Model: Codable, Equatable {
        enum Word: String, Codable, CaseIterable { case first, second }
        var flag: Bool
        var small: Int8
        var signed: Int
        var tiny: UInt8
        var unsigned: UInt64
        var double: Double
        var float: Float
        var text: String
        var date: Date
        var data: Data
        var uuid: UUID
        var url: URL
        var maybe: String?
        var holes: [Double?]
        var map: [String: Int]
        var word: Word
        var children: [Model]
        var free: FreeJSON?
    }

    @Test(
        "a random tree survives bytes, one-pass reading, typed reading and the tree form",
        arguments: 0..<60 as Range<UInt64>)
    func trees(seed: UInt64) throws {
        var maker = Maker(seed: seed)
        let node = maker.node()
        let bytes = try ItemWriter.bytes(of: node, kind: .macHealthDay)
        #expect(UInt64(bytes.count) == (try ItemWriter.byteCount(of: node)))
        try ItemReader.validate(CrumblingSource(bytes, seed: seed), kind: .macHealthDay)
        #expect(try ItemFile(CrumblingSource(bytes, seed: seed), kind: .macHealthDay).root.tree() == node)
        let value = try ItemDecoder().decode(AnyValue.self, from: CrumblingSource(bytes, seed: seed), kind: nil)
        #expect(value == AnyValue(node))

        var printed = ItemByteBuffer()
        try ItemTree.write(node, detail: .full, makeDigest: { TestSHA256() }, to: &printed)
        let parsed = try ItemTree.parse(printed.bytes)
        #expect(parsed.root == node && parsed.kind == nil)

        var inspected = ItemByteBuffer()
        try ItemTree.inspect(ItemBytes(bytes), detail: .full, makeDigest: { TestSHA256() }, to: &inspected)
        let again = try ItemTree.parse(inspected.bytes)
        #expect(again.kind == .macHealthDay)
        #expect(try ItemWriter.bytes(of: again.root, kind: .macHealthDay) == bytes)
    }

    @Test("a random value survives bytes, trees and JSON", arguments: 100..<150 as Range<UInt64>)
    func values(seed: UInt64) throws {
        var maker = Maker(seed: seed)
        let model = maker.model()
        let bytes = try ItemEncoder().encode(model, kind: .strictRawDay)
        #expect(try ItemDecoder().decode(Model.self, from: bytes, kind: .strictRawDay) == model)
        #expect(try ItemDecoder().decode(Model.self, from: CrumblingSource(bytes, seed: seed), kind: nil) == model)
        let node = try ItemEncoder().node(of: model)
        #expect(try ItemDecoder().decode(Model.self, from: node) == model)
        #expect(try ItemWriter.bytes(of: node, kind: .strictRawDay) == bytes)
        #expect(try ItemFile(ItemBytes(bytes), kind: .strictRawDay).root.tree() == node)
        let text = try ItemJSON.encode(model)
        #expect(try ItemJSON.decode(Model.self, from: text) == model)
        #expect(try ItemJSON.encode(model) == text)
    }

    @Test(
        "our JSON is what Foundation reads, and Foundation's JSON is what we read",
        arguments: 200..<220 as Range<UInt64>)
    func foundationJSON(seed: UInt64) throws {
        var maker = Maker(seed: seed)
        var model = maker.model()
        // `FreeJSON` is for the coders of this room only.
        func strip(_ model: inout Model) {
            model.free = nil
            for index in model.children.indices { strip(&model.children[index]) }
        }
        strip(&model)
        #expect(try JSONDecoder().decode(Model.self, from: Data(try ItemJSON.encode(model))) == model)
        #expect(try ItemJSON.decode(Model.self, from: [UInt8](try JSONEncoder().encode(model))) == model)
    }
}
