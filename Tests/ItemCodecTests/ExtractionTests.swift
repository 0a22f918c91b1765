import Foundation
import HMDCItem
import Testing

/// The metadata and the document of a raw day (hmdcitem.md 5).
@Suite struct ExtractionTests {
    private func item(document node: ItemNode?) throws -> [UInt8] {
        let day = try ItemEncoder().node(of: FixtureTests.missingDay.day)
        guard case .object(var entries) = day else { return [] }
        if let node { entries.append(.init(key: "canonical_daily_json", value: node)) }
        let root = ItemNode.object(sorting: [
            ("day", .object(sorting: entries.map { ($0.key, $0.value) })),
            ("sourceDate", .date(FixtureTests.instant.timeIntervalSinceReferenceDate)),
        ])
        return try ItemWriter.bytes(of: root, kind: .strictRawDay)
    }

    @Test("a document with multi-byte text is extracted byte for byte, and its place in the file is named")
    func document() throws {
        let text = "{\n  \"é\\/\" : \"日本 😀\"\n}\n"
        let bytes = try item(document: .string(text))
        let extraction = try RawDayExtraction(ItemBytes(bytes))
        #expect(extraction.metadata == FixtureTests.missingDay)
        let region = try #require(extraction.document)
        let range = Int(region.offset)..<Int(region.offset + region.byteCount)
        #expect(Array(bytes[range]) == Array(text.utf8))
        var buffer = ItemByteBuffer()
        #expect(try extraction.copyDocument(to: &buffer) == UInt64(text.utf8.count))
        #expect(buffer.bytes == Array(text.utf8))
    }

    @Test("a missing key and a null both mean that there is no document")
    func absent() throws {
        for node in [nil, ItemNode.null] {
            let extraction = try RawDayExtraction(ItemBytes(try item(document: node)))
            #expect(extraction.document == nil && extraction.metadata == FixtureTests.missingDay)
            var buffer = ItemByteBuffer()
            #expect(try extraction.copyDocument(to: &buffer) == 0 && buffer.bytes.isEmpty)
        }
    }

    @Test("a document of another tag is refused")
    func otherTags() throws {
        for node in DecodingTests.everyTag where node.tag != .string && node.tag != .null {
            let error = try itemError { _ = try RawDayExtraction(ItemBytes(try item(document: node))) }
            #expect(error?.code == "type_mismatch")
        }
    }

    @Test("a document that is not UTF-8 is refused while it is copied")
    func notUTF8() throws {
        var bytes = try item(document: .string("{\"a\":1}"))
        let start = try #require(bytes.firstIndex(of: UInt8(ascii: "{")))
        bytes[start + 2] = 0xFF
        let extraction = try RawDayExtraction(ItemBytes(bytes))
        var buffer = ItemByteBuffer()
        let error = try itemError { _ = try extraction.copyDocument(to: &buffer) }
        #expect(error == .rejected(.stringNotUTF8, offset: UInt64(start)))
        #expect(buffer.bytes.isEmpty)
    }

    @Test("a health day is no raw day")
    func otherKind() throws {
        let error = try itemError { _ = try RawDayExtraction(ItemBytes(FixtureTests.emptyHealthDayBytes)) }
        #expect(error == .rejected(.unexpectedKind(expected: .strictRawDay), offset: 10))
    }

    @Test("the document of a decoded day stays in the file and is written back from there")
    func roundTrip() throws {
        let envelope = StreamingTests.rawDay(.inMemory("{\"ü\":1}"))
        let bytes = try ItemEncoder().encode(envelope, kind: .strictRawDay)
        let decoded = try ItemDecoder().decode(StrictRawDayEnvelope.self, from: bytes, kind: .strictRawDay)
        guard case .streamed = decoded.day.canonicalDailyJSON else { return #expect(Bool(false)) }
        #expect(try decoded.day.canonicalDailyJSON?.string() == "{\"ü\":1}")
        #expect(try ItemEncoder().encode(decoded, kind: .strictRawDay) == bytes)
        // The JSON form takes the document from the file too.
        #expect(try ItemJSON.encode(decoded) == ItemJSON.encode(envelope))
    }
}
