import Foundation
import HMDCItem
import Synchronization
import TestSupport
import Testing

/// Text of a given length that repeats with a period of 1 021 bytes, so that every chunk border cuts it elsewhere.
enum Pattern {
    static let period: [UInt8] = {
        var bytes = Array("{\"ä€😀/".utf8)
        while bytes.count < 1_021 { bytes += bytes.count % 7 == 0 ? Array("é".utf8) : [0x61] }
        return Array(bytes.prefix(1_020)) + [0x0A]
    }()

    /// Long enough that any chunk at any phase is one piece of it.
    static let expanded: [UInt8] = (0..<300).flatMap { _ in period }

    static func copy(from offset: UInt64, into buffer: inout MutableSpan<UInt8>, count: Int) {
        let phase = Int(offset % UInt64(period.count))
        buffer.withUnsafeMutableBufferPointer { target in
            _ = target.update(fromContentsOf: expanded[phase..<phase + count])
        }
    }

    static func matches(_ bytes: Span<UInt8>, at offset: UInt64) -> Bool {
        let phase = Int(offset % UInt64(period.count))
        return bytes.withUnsafeBufferPointer { left in
            expanded.withUnsafeBufferPointer { memcmp(left.baseAddress!, $0.baseAddress! + phase, left.count) == 0 }
        }
    }
}

/// A source of prefix, pattern and suffix that notes how it is read.
final class PatternSource: ItemSource {
    struct Reading {
        var largestRequest = 0
        var byteCount: UInt64 = 0
        var nextOffset: UInt64 = 0
        var isSequential = true
    }

    let prefix: [UInt8]
    let patternByteCount: UInt64
    let suffix: [UInt8]
    private let reading = Mutex(Reading())

    init(prefix: [UInt8] = [], patternByteCount: UInt64, suffix: [UInt8] = []) {
        self.prefix = prefix
        self.patternByteCount = patternByteCount
        self.suffix = suffix
    }

    var noted: Reading { reading.withLock { $0 } }
    var byteCount: UInt64 { UInt64(prefix.count) + patternByteCount + UInt64(suffix.count) }

    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        let count: Int
        let patternStart = UInt64(prefix.count)
        let patternEnd = patternStart + patternByteCount
        if (patternStart..<patternEnd).contains(offset) {
            count = Int(min(UInt64(buffer.count), patternEnd - offset))
            Pattern.copy(from: offset - patternStart, into: &buffer, count: count)
        } else {
            let bytes = offset < patternStart ? prefix : suffix
            let start = Int(offset < patternStart ? offset : offset - patternEnd)
            count = min(buffer.count, bytes.count - start)
            for index in 0..<count { buffer[index] = bytes[start + index] }
        }
        let requested = buffer.count
        reading.withLock { reading in
            reading.largestRequest = max(reading.largestRequest, requested)
            reading.isSequential = reading.isSequential && offset == reading.nextOffset
            reading.byteCount += UInt64(count)
            reading.nextOffset = offset + UInt64(count)
        }
        return count
    }
}

/// A sink that keeps what stands around a pattern, checks the pattern and notes the largest piece.
struct PatternSink: ItemSink {
    let patternStart: UInt64
    let patternByteCount: UInt64
    var around: [UInt8] = []
    var position: UInt64 = 0
    var largestPiece = 0
    var isRight = true

    mutating func write(_ bytes: Span<UInt8>) {
        largestPiece = max(largestPiece, bytes.count)
        let patternEnd = patternStart + patternByteCount
        var index = 0
        while index < bytes.count {
            if position >= patternStart, position < patternEnd {
                let count = Int(min(UInt64(bytes.count - index), patternEnd - position))
                let part = bytes.extracting(index..<index + count)
                isRight = isRight && Pattern.matches(part, at: position - patternStart)
                index += count
                position += UInt64(count)
            } else {
                around.append(bytes[index])
                index += 1
                position += 1
            }
        }
    }
}

/// A source that gives its bytes in pieces of random length.
final class CrumblingSource: ItemSource {
    private let bytes: [UInt8]
    private let random: Mutex<SplitMix64>

    init(_ bytes: [UInt8], seed: UInt64) {
        self.bytes = bytes
        random = Mutex(SplitMix64(seed: seed))
    }

    var byteCount: UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        let most = min(buffer.count, bytes.count - Int(offset))
        guard most > 0 else { return 0 }
        let count = random.withLock { Int.random(in: 1...min(most, 5), using: &$0) }
        for index in 0..<count { buffer[index] = bytes[Int(offset) + index] }
        return count
    }
}

/// A source that ends before its declared length.
final class ShortSource: ItemSource {
    let byteCount: UInt64
    private let bytes: ItemBytes

    init(_ bytes: [UInt8], declaring byteCount: UInt64) {
        self.bytes = ItemBytes(bytes)
        self.byteCount = byteCount
    }

    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        try bytes.read(at: offset, into: &buffer)
    }
}

/// Large values pass without being held.
@Suite struct StreamingTests {
    /// 72 MiB and a little, so that the end is no chunk border either.
    static let documentByteCount: UInt64 = 72 * 1_048_576 + 1_021 - (72 * 1_048_576) % 1_021

    static func rawDay(_ document: ItemText) -> StrictRawDayEnvelope {
        var envelope = FixtureTests.missingDay
        envelope.day = StrictRawDay(
            date: "2023-11-14", status: .complete, captureStatus: .complete, canonicalDailyJSON: document,
            recordCount: 3)
        return envelope
    }

    /// The item of a raw day with a large document, as prefix and suffix of the pattern.
    static func largeItem() throws -> (source: PatternSource, sink: PatternSink, read: PatternSource) {
        let source = PatternSource(patternByteCount: documentByteCount)
        let small = try ItemEncoder().encode(rawDay(.inMemory("{")), kind: .strictRawDay)
        let start = try #require(small.firstIndex(of: UInt8(ascii: "{")))
        var sink = PatternSink(patternStart: UInt64(start), patternByteCount: documentByteCount)
        let written = try ItemEncoder().encode(rawDay(.streamed(ItemRegion(source))), kind: .strictRawDay, to: &sink)
        #expect(written == UInt64(small.count) - 1 + documentByteCount && written == sink.position)
        let item = PatternSource(
            prefix: Array(sink.around.prefix(start)), patternByteCount: documentByteCount,
            suffix: Array(sink.around.dropFirst(start)))
        return (source, sink, item)
    }

    @Test("a 72 MiB document is written, checked, found and copied in pieces of at most 256 KiB")
    func largeDocument() throws {
        let (source, sink, item) = try Self.largeItem()
        #expect(sink.isRight && sink.largestPiece <= 262_144)
        #expect(source.noted.largestRequest <= 262_144)
        #expect(source.noted.isSequential && source.noted.byteCount == Self.documentByteCount)

        let summary = try ItemReader.validate(item, kind: .strictRawDay)
        #expect(summary.byteCount == item.byteCount)
        #expect(item.noted.isSequential && item.noted.byteCount == item.byteCount)
        #expect(item.noted.largestRequest <= 262_144)

        let before = item.noted.byteCount
        let extraction = try RawDayExtraction(item)
        #expect(item.noted.byteCount - before <= 4 * 262_144)
        #expect(extraction.metadata.day.recordCount == 3 && extraction.metadata.day.canonicalDailyJSON == nil)
        let document = try #require(extraction.document)
        #expect(document.byteCount == Self.documentByteCount)
        var copy = PatternSink(patternStart: 0, patternByteCount: Self.documentByteCount)
        #expect(try extraction.copyDocument(to: &copy) == Self.documentByteCount)
        #expect(copy.isRight && copy.position == Self.documentByteCount && copy.largestPiece <= 262_144)
    }

    @Test("a map of 96 values of 200 000 characters has the same bytes streamed and in memory")
    func largeMap() throws {
        let text = String(repeating: "x", count: 199_999) + "é"
        let region = ItemRegion(ItemBytes(Array(text.utf8)))
        var plain: [String: String] = [:]
        var streamed: [String: ItemText] = [:]
        for index in 0..<96 {
            plain["key \(index)"] = text
            streamed["key \(index)"] = .streamed(region)
        }
        let bytes = try ItemEncoder().encode(plain, kind: .macHealthDay)
        #expect(try ItemEncoder().encode(streamed, kind: .macHealthDay) == bytes)
        var sink = PieceSink()
        try ItemEncoder().encode(streamed, kind: .macHealthDay, to: &sink)
        #expect(sink.bytes == bytes && sink.largest <= 262_144)
    }

    private struct PieceSink: ItemSink {
        var bytes: [UInt8] = []
        var largest = 0
        mutating func write(_ piece: Span<UInt8>) {
            largest = max(largest, piece.count)
            for index in piece.indices { bytes.append(piece[index]) }
        }
    }

    @Test("a sequence that crosses a chunk border is valid wherever the border falls, and half a one is not")
    func chunkBorders() throws {
        let scalars = ["é", "€", "😀"]
        for scalar in scalars {
            // The window ends 262 144 bytes into the file; the text starts at byte 21.
            for shift in 0...scalar.utf8.count {
                let lead = 262_144 - 21 - shift
                let text = Array(String(repeating: "a", count: lead).utf8) + Array(scalar.utf8)
                #expect(try itemError { try ItemReader.validate(ItemBytes(Raw.file(Raw.node(8, text)))) } == nil)
                let region = ItemRegion(ItemBytes(text))
                let streamed = try ItemWriter.bytes(of: .streamedString(region), kind: .strictRawDay)
                #expect(streamed == Raw.file(Raw.node(8, text)))
                for kept in 1..<scalar.utf8.count {
                    let half = Array(text.prefix(lead + kept))
                    for broken in [half, half + [0x61]] {
                        let file = Raw.file(Raw.node(8, broken))
                        #expect(try itemError { try ItemReader.validate(ItemBytes(file)) }?.code == "string_not_utf8")
                        let region = ItemRegion(ItemBytes(broken))
                        #expect(
                            try itemError {
                                _ = try ItemWriter.bytes(of: .streamedString(region), kind: .strictRawDay)
                            } == .refused(.streamedStringNotUTF8, path: ""))
                    }
                }
            }
        }
    }

    @Test("chunks of a string are valid UTF-8 each, also when the source gives single bytes")
    func wholeChunks() throws {
        struct Collector: ItemVisitor {
            var bytes: [UInt8] = []
            var areValid = true
            mutating func stringChunk(_ chunk: Span<UInt8>) {
                var piece: [UInt8] = []
                for index in chunk.indices { piece.append(chunk[index]) }
                areValid = areValid && String(validating: piece, as: UTF8.self) != nil
                bytes += piece
            }
        }
        let text = Array(String(repeating: "aé€😀", count: 200).utf8)
        for seed in 0..<20 as Range<UInt64> {
            var collector = Collector()
            try ItemReader.read(CrumblingSource(Raw.file(Raw.node(8, text)), seed: seed), visitor: &collector)
            #expect(collector.areValid && collector.bytes == text)
        }
    }

    @Test("a source that ends early is reported by the reader and by the writer")
    func shortSources() throws {
        let file = Raw.file(Raw.string("abcdefgh"))
        let cut = ShortSource(Array(file.dropLast(3)), declaring: UInt64(file.count))
        #expect(try itemError { try ItemReader.validate(cut) } == .rejected(.sourceEndedEarly, offset: 26))
        let region = ItemRegion(ShortSource([1, 2], declaring: 3))
        let node = ItemNode.object(sorting: [("x", .array([.streamedData(region)]))])
        #expect(
            try itemError { _ = try ItemWriter.bytes(of: node, kind: .strictRawDay) }
                == .refused(.streamedSourceShort, path: "x[0]"))
    }

    @Test("a streamed string needs a byte, streamed data do not")
    func emptyStreams() throws {
        let empty = ItemRegion(ItemBytes([]))
        #expect(
            try itemError { _ = try ItemWriter.byteCount(of: .streamedString(empty)) }
                == .refused(.emptyStreamedString, path: ""))
        #expect(try ItemWriter.bytes(of: .streamedData(empty), kind: .strictRawDay) == Raw.file(Raw.node(9)))
    }

    @Test("lengths over 2^63 - 1 are refused before anything is written")
    func tooLarge() throws {
        final class Endless: ItemSource {
            let byteCount = UInt64(1) << 62
            func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int { 0 }
        }
        let half = ItemNode.streamedData(ItemRegion(Endless()))
        #expect(try ItemWriter.byteCount(of: .array([half])) == 1 << 62 + 12 + 9 + 8 + 8 + 9)
        #expect(
            try itemError { _ = try ItemWriter.byteCount(of: .array([half, half])) } == .refused(.tooLarge, path: "[1]")
        )
    }

    @Test("the digest of a reading covers the whole file")
    func digest() throws {
        let bytes = Raw.file(Raw.nested(depth: 20))
        let summary = try ItemReader.validate(CrumblingSource(bytes, seed: 1), digest: TestSHA256())
        #expect(summary.digest.map(hexText) == sha256Text(bytes))
        #expect(summary.nodeCount == 21)
    }

    @Test("length and digest of an item and of a streamed value are known when it is written")
    func digesting() throws {
        let document = Array(String(repeating: "{é}", count: 400).utf8)
        let source = DigestingSource(CrumblingSource(document, seed: 4), digest: TestSHA256())
        var sink = DigestingSink(ItemByteBuffer(), digest: TestSHA256())
        try ItemEncoder().encode(Self.rawDay(.streamed(ItemRegion(source))), kind: .strictRawDay, to: &sink)
        #expect(hexText(source.finish()) == sha256Text(document))
        #expect(sink.byteCount == UInt64(sink.base.bytes.count))
        #expect(hexText(sink.finish()) == sha256Text(sink.base.bytes))
    }

    @Test("a file that shrank after it was opened is reported when its values are read")
    func shrunk() throws {
        final class Shrinking: ItemSource {
            private let bytes: ItemBytes
            private let lost = Mutex<UInt64>(0)
            init(_ bytes: [UInt8]) { self.bytes = ItemBytes(bytes) }
            var byteCount: UInt64 { bytes.byteCount - lost.withLock { $0 } }
            func lose(_ count: UInt64) { lost.withLock { $0 = count } }
            func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
                offset < byteCount ? min(try bytes.read(at: offset, into: &buffer), Int(byteCount - offset)) : 0
            }
        }
        let source = Shrinking(try ItemEncoder().encode(["abcdef"], kind: .strictRawDay))
        let texts = try ItemDecoder().decode([ItemText].self, from: source, kind: .strictRawDay)
        source.lose(2)
        #expect(try itemError { _ = try texts[0].string() }?.code == "source_ended_early")
    }
}
