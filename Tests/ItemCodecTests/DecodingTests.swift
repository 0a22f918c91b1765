import Foundation
import HMDCItem
import Testing

/// How nodes are read as types (hmdcitem.md 4).
@Suite struct DecodingTests {
    /// One node of every tag.
    static let everyTag: [ItemNode] = [
        .object([]), .array([]), .null, .bool(true), .signed(1), .unsigned(1), .double(1), .string("a"), .data([1]),
        .date(1),
    ]

    private func check<Value: Decodable>(_ type: Value.Type, accepts tag: ItemTag) throws {
        for node in Self.everyTag {
            let bytes = try ItemWriter.bytes(of: .array([node]), kind: .macHealthDay)
            let error = try itemError { _ = try ItemDecoder().decode([Value].self, from: bytes, kind: .macHealthDay) }
            if node.tag == tag {
                #expect(error == nil, "\(type) of \(node.tag)")
            } else {
                #expect(
                    error == .rejected(.typeMismatch(expected: tag, found: node.tag), offset: 37),
                    "\(type) of \(node.tag)")
            }
            let fromTree = try itemError { _ = try ItemDecoder().decode([Value].self, from: .array([node])) }
            #expect(fromTree?.code == error?.code)
        }
    }

    @Test("a type takes its own tag and no other")
    func tags() throws {
        try check(Bool.self, accepts: .boolean)
        try check(Int.self, accepts: .signed)
        try check(Int8.self, accepts: .signed)
        try check(Int16.self, accepts: .signed)
        try check(Int32.self, accepts: .signed)
        try check(Int64.self, accepts: .signed)
        try check(UInt.self, accepts: .unsigned)
        try check(UInt8.self, accepts: .unsigned)
        try check(UInt16.self, accepts: .unsigned)
        try check(UInt32.self, accepts: .unsigned)
        try check(UInt64.self, accepts: .unsigned)
        try check(Double.self, accepts: .double)
        try check(Float.self, accepts: .double)
        try check(String.self, accepts: .string)
        try check(ItemText.self, accepts: .string)
        try check(Data.self, accepts: .data)
        try check(ItemData.self, accepts: .data)
        try check(Date.self, accepts: .date)
        try check([Int].self, accepts: .array)
        try check([String: Int].self, accepts: .object)
    }

    private func read<Value: Decodable>(_ type: Value.Type, _ node: ItemNode) throws -> ItemError? {
        let bytes = try ItemWriter.bytes(of: node, kind: .macHealthDay)
        return try itemError { _ = try ItemDecoder().decode(type, from: bytes, kind: .macHealthDay) }
    }

    private func checkRange<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws {
        let out = ItemError.rejected(.integerOutOfRange, offset: 12)
        if Integer.isSigned {
            #expect(try read(type, .signed(Int64(Integer.max))) == nil)
            #expect(try read(type, .signed(Int64(Integer.min))) == nil)
            guard Integer.bitWidth < 64 else { return }
            #expect(try read(type, .signed(Int64(Integer.max) + 1)) == out)
            #expect(try read(type, .signed(Int64(Integer.min) - 1)) == out)
        } else {
            #expect(try read(type, .unsigned(UInt64(Integer.max))) == nil)
            #expect(try read(type, .unsigned(0)) == nil)
            guard Integer.bitWidth < 64 else { return }
            #expect(try read(type, .unsigned(UInt64(Integer.max) + 1)) == out)
        }
    }

    @Test("an integer fits its type or is refused, at both ends of every width")
    func ranges() throws {
        try checkRange(Int8.self)
        try checkRange(Int16.self)
        try checkRange(Int32.self)
        try checkRange(Int64.self)
        try checkRange(Int.self)
        try checkRange(UInt8.self)
        try checkRange(UInt16.self)
        try checkRange(UInt32.self)
        try checkRange(UInt64.self)
        try checkRange(UInt.self)
    }

    @Test("a double fits a 32-bit float or is refused")
    func floats() throws {
        let greatest = Double(Float.greatestFiniteMagnitude)
        #expect(try read(Float.self, .double(greatest)) == nil)
        #expect(try read(Float.self, .double(-greatest)) == nil)
        #expect(try read(Float.self, .double(greatest * 2)) == .rejected(.floatOutOfRange, offset: 12))
        #expect(try ItemDecoder().decode(Float.self, from: .double(0.1)) == 0.1)
    }

    private struct Model: Codable, Equatable {
        var needed: Int
        var maybe: String?
    }

    @Test("unknown keys are ignored, and a missing optional key and a null both mean nil")
    func optionals() throws {
        let nodes: [ItemNode] = [
            .object(sorting: [("needed", .signed(1))]),
            .object(sorting: [("needed", .signed(1)), ("maybe", .null)]),
            .object(sorting: [("needed", .signed(1)), ("other", .array([.double(1)])), ("zzz", .object([]))]),
        ]
        for node in nodes {
            let bytes = try ItemWriter.bytes(of: node, kind: .macHealthDay)
            #expect(
                try ItemDecoder().decode(Model.self, from: bytes, kind: .macHealthDay) == Model(needed: 1, maybe: nil))
            #expect(try ItemDecoder().decode(Model.self, from: node) == Model(needed: 1, maybe: nil))
        }
    }

    @Test("a missing key that is needed is named")
    func missing() throws {
        #expect(try read(Model.self, .object([])) == .rejected(.missingKey("needed"), offset: 12))
        #expect(
            try read(Model.self, .object(sorting: [("needed", .null)]))
                == .rejected(.typeMismatch(expected: .signed, found: .null), offset: 12 + 9 + 4 + 4 + 6 + 8))
    }

    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            _ = try container.decode(Int.self)
            _ = try container.decode(Int.self)
        }
    }

    @Test("an array that is too short for its type is refused")
    func shortArray() throws {
        #expect(try read(Pair.self, .array([.signed(1), .signed(2), .signed(3)])) == nil)
        #expect(try read(Pair.self, .array([.signed(1)])) == .rejected(.missingElement, offset: 12))
    }

    private enum Word: String, Codable { case known }

    @Test("what a type refuses is reported by place, without the value")
    func valueRefused() throws {
        let error = try read([String: [Word]].self, .object(sorting: [("list", .array([.string("secret")]))]))
        #expect(error == .rejected(.valueRefused(path: "list[0]"), offset: 66))
        #expect(error.map { !$0.description.contains("secret") } == true)
        #expect(try read(UUID.self, .string("no uuid"))?.code == "value_refused")
    }

    @Test("an omitted key counts as absent at every level")
    func omitted() throws {
        var decoder = ItemDecoder()
        decoder.omittedKeys = ["maybe"]
        let inner = ItemNode.object(sorting: [("needed", .signed(1)), ("maybe", .bool(true))])
        let node = ItemNode.object(sorting: [("maybe", inner), ("kept", inner)])
        #expect(try decoder.decode([String: Model].self, from: node) == ["kept": Model(needed: 1, maybe: nil)])
    }

    @Test("a string or data over the limit is refused before it is read; text and data types stay in the file")
    func leafLimit() throws {
        let node = ItemNode.array([.string("abcde"), .string("abcdef")])
        let bytes = try ItemWriter.bytes(of: node, kind: .macHealthDay)
        var decoder = ItemDecoder()
        decoder.leafLimit = 5
        let error = try itemError { _ = try decoder.decode([String].self, from: bytes, kind: .macHealthDay) }
        #expect(error == .rejected(.leafTooLarge(limit: 5), offset: 59))
        let texts = try decoder.decode([ItemText].self, from: bytes, kind: .macHealthDay)
        #expect(try texts.map { try $0.string() } == ["abcde", "abcdef"])
        #expect(try itemError { _ = try texts[1].string(limit: 5) }?.code == "leaf_too_large")
        let data = try ItemWriter.bytes(of: .array([.data([1, 2, 3, 4, 5, 6])]), kind: .macHealthDay)
        #expect(
            try itemError { _ = try decoder.decode([Data].self, from: data, kind: .macHealthDay) }?.code
                == "leaf_too_large")
        let kept = try decoder.decode([ItemData].self, from: data, kind: .macHealthDay)
        #expect(try kept[0].bytes() == [1, 2, 3, 4, 5, 6])
    }

    @Test("one node of a file is decoded alone, and the elements of an array one by one")
    func subtrees() throws {
        let records = (0..<5).map { ItemNode.object(sorting: [("needed", .signed($0))]) }
        let bytes = try ItemWriter.bytes(
            of: .object(sorting: [("records", .array(records)), ("zone", .string("UTC"))]), kind: .macHealthDay)
        let root = try ItemFile(ItemBytes(bytes), kind: .macHealthDay).root
        let list = try #require(try root.child("records"))
        var seen: [Int] = []
        try list.forEachElement { seen.append(try ItemDecoder().decode(Model.self, from: $0).needed) }
        #expect(seen == [0, 1, 2, 3, 4])
        let zone = try #require(try root.child("zone"))
        #expect(try ItemDecoder().decode(String.self, from: zone) == "UTC")
        #expect(zone.payload.offset + 3 == UInt64(bytes.count))
        #expect(try root.child("none")?.offset == nil)
        #expect(try list.tree() == .array(records))
    }

    @Test("a subtree that is kept as a tree is written back unchanged")
    func opaque() throws {
        let record = ItemNode.object(sorting: [("a", .unsigned(1)), ("b", .array([.date(1), .data([1]), .null]))])
        let envelope = HealthDayEnvelope<ItemNode>(
            sourceDate: FixtureTests.instant, isRequestedDate: false, record: record)
        let bytes = try ItemEncoder().encode(envelope, kind: .macHealthDay)
        let decoded = try ItemDecoder().decode(HealthDayEnvelope<ItemNode>.self, from: bytes, kind: .macHealthDay)
        #expect(decoded == envelope)
        #expect(try ItemEncoder().encode(decoded, kind: .macHealthDay) == bytes)
    }
}
