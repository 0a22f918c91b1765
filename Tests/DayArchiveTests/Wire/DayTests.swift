import CanonicalJSON
import Cryptography
import TestSupport
import Testing

@testable import DayArchive

@Suite("Days as columns, compressed and sealed")
struct DayTests {
    private func events(_ list: [JSONValue]) throws -> [ArchiveEvent] {
        try list.map { try ArchiveEvent(try #require($0.object)) }
    }

    @Test(
        "a day packs to its canonical bytes in any order, seals as published, and comes back as the published events",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func knownDays() throws {
        var generator = SplitMix64(seed: 17)
        for entry in try ArchiveFixtures.read("days").list("cases") {
            let name = try entry.text("name")
            var input = try events(entry.list("events_in"))
            for _ in 0..<3 {
                let packed = ColumnarDay.pack(input)
                #expect(String(decoding: packed, as: UTF8.self) == (try entry.text("canonical")), "\(name)")
                #expect(SHA256.hash(packed).hex == (try entry.text("canonical_sha256")))
                input.shuffle(using: &generator)
            }
            let deflated = try entry.bytes("deflate_hex")
            let canonical = Array(try entry.text("canonical").utf8)
            #expect(try RawDeflate.inflate(deflated, ceiling: RawDeflate.dayCeiling) == canonical)
            #expect(try RawDeflate.inflate(RawDeflate.compress(canonical), ceiling: 1 << 20) == canonical)

            let context = SealContext.day(
                try BucketID(text: entry.text("bucket")), try ArchiveDay(text: entry.text("day")))
            #expect(String(decoding: context.associatedData, as: UTF8.self) == (try entry.text("aad")))
            let ephemeral = try X25519.PrivateKey(
                secret: SecretBytes(copying: try entry.bytes("ephemeral_private_hex")))
            let sealed = try SealedEnvelope.seal(
                deflated, to: TestKeys.reading.privateKey.publicKey, for: context, ephemeral: ephemeral)
            #expect(sealed == (try entry.bytes("sealed_hex")))
            #expect(sealed.count == deflated.count + SealedEnvelope.overheadByteCount)
            #expect(try SealedEnvelope.open(sealed, with: TestKeys.reading.privateKey, for: context) == deflated)

            let lines = try DayText.lines(of: canonical)
            let expected = try entry.list("events_out").map { $0.canonical + "\n" }
            #expect(String(decoding: lines, as: UTF8.self) == expected.joined(), "\(name)")
            // Packing what was read gives the same bytes.
            let read = try lines.split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)) }
            #expect(ColumnarDay.pack(try events(read)) == canonical, "\(name)")
        }
    }

    @Test(
        "layout 1 passes through, other layouts are refused",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func layouts() throws {
        let fixture = try ArchiveFixtures.read("days")
        for entry in try fixture.list("layout1_and_passthrough") {
            let lines = try DayText.lines(of: Array(try entry.text("plaintext").utf8))
            let expected = try entry.list("lines").map { try #require($0.string) + "\n" }.joined()
            #expect(String(decoding: lines, as: UTF8.self) == expected)
        }
        for entry in try fixture.list("refused") {
            #expect(throws: WireError.self) { try DayText.lines(of: Array(try entry.text("plaintext").utf8)) }
        }
    }

    @Test(
        "numbers are written as ECMAScript writes them", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence)
    )
    func numbers() throws {
        for entry in try ArchiveFixtures.read("days").list("number_format") {
            let bits = try #require(UInt64(try entry.text("value_hex_be"), radix: 16))
            let event = try ArchiveEvent(metric: "m", start: 0, end: 0, value: Double(bitPattern: bits))
            let text = String(decoding: ColumnarDay.pack([event]), as: UTF8.self)
            #expect(text.contains("\"value\":[\(try entry.text("text"))]"))
        }
    }

    @Test(
        "columns that do not fit together are refused",
        arguments: [
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[0,1],"t0":0}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[0],"t0":0,"value":[1,2]}],"v":2}"#,
            #"{"series":[{"d":[0.5],"k":"hk","metric":"m","t":[0],"t0":0}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"agg","metric":"m","t":[0],"t0":0}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[0]}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[0],"t0":0,"value":["x"]}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[0],"t0":0,"other":[1]}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[0],"t0":1e18}],"v":2}"#,
            #"{"series":[{"d":[0],"k":"hk","metric":"m","t":[9223372036854775807],"t0":1}],"v":2}"#,
            #"{"series":[],"v":"2"}"#, #"{"series":{},"v":2}"#, #"{"series":[]}"#,
        ])
    func malformed(text: String) {
        #expect(throws: WireError.self) { try DayText.lines(of: Array(text.utf8)) }
    }

    @Test("sources that are canonically equivalent stay apart")
    func equivalentSources() throws {
        let events = try ["Caf\u{e9}", "Cafe\u{301}"].map {
            try ArchiveEvent(metric: "heartRate", start: 0, end: 0, source: $0, value: 60)
        }
        let document = try JSONParser.parse(ColumnarDay.pack(events))
        #expect(document["series"]?.array?.count == 2)
    }

    @Test("an event that cannot be packed is refused, never changed")
    func unpackable() throws {
        #expect(throws: WireError.unpackableEvent(field: "value")) {
            try ArchiveEvent(metric: "m", start: 0, end: 0, value: .nan)
        }
        #expect(throws: WireError.unpackableEvent(field: "metric")) { try ArchiveEvent(metric: "", start: 0, end: 0) }
        #expect(throws: WireError.unpackableEvent(field: "a field without a column")) {
            try ArchiveEvent([
                "metric": "m", "start": "2026-01-01T00:00:00Z", "end": "2026-01-01T00:00:00Z", "extra": 1,
            ])
        }
    }

    @Test("the old envelope opens", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func version1() throws {
        let fixture = try ArchiveFixtures.read("sealed-v1")
        let context = SealContext.day(
            try BucketID(text: fixture.text("bucket")), try ArchiveDay(text: fixture.text("day")))
        let opened = try SealedEnvelope.open(
            try fixture.bytes("sealed_hex"), with: TestKeys.reading.privateKey, for: context)
        #expect(opened == (try fixture.bytes("opened_hex")))
        let text = try RawDeflate.inflate(opened, ceiling: RawDeflate.dayCeiling)
        #expect(String(decoding: text, as: UTF8.self) == (try fixture.text("inflated")))
    }

    @Test("what must not open does not", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func refusals() throws {
        for entry in try ArchiveFixtures.read("sealed-refusals").list("cases") {
            let context = SealContext.day(
                try BucketID(text: entry.text("bucket")), try ArchiveDay(text: entry.text("day")))
            #expect(throws: WireError.self, "\(entry["name"]?.string ?? "")") {
                try SealedEnvelope.open(
                    try entry.bytes("sealed_hex"), with: TestKeys.reading.privateKey, for: context)
            }
        }
    }

    @Test("inflating stops at the ceiling, at a cut and at bytes that follow")
    func inflating() throws {
        let zeros = RawDeflate.compress([UInt8](repeating: 0, count: 1 << 16))
        #expect(try RawDeflate.inflate(zeros, ceiling: 1 << 16).count == 1 << 16)
        #expect(throws: WireError.inflatesTooFar(ceiling: 1 << 16 - 1)) {
            try RawDeflate.inflate(zeros, ceiling: 1 << 16 - 1)
        }
        for count in 0..<zeros.count {
            #expect(throws: WireError.badDeflate) { try RawDeflate.inflate(Array(zeros[..<count]), ceiling: 1 << 16) }
        }
        #expect(throws: WireError.badDeflate) { try RawDeflate.inflate(zeros + [0], ceiling: 1 << 16) }
        #expect(try RawDeflate.inflate(RawDeflate.compress([]), ceiling: 0) == [])
    }

    @Test("frames are read and refused", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func frames() throws {
        let fixture = try ArchiveFixtures.read("frames")
        for good in try fixture.list("good") {
            let frame = try good.bytes("frame_hex")
            let days = try good.list("days").map { pair in
                let parts = try #require(pair.array)
                return SealedDay(
                    day: try ArchiveDay(text: try #require(parts[0].string)),
                    bytes: try Hex.decode(try #require(parts[1].string)))
            }
            #expect(DayFrame.encode(days) == frame)
            #expect(try DayFrame.decode(frame) == days)
            for count in 1..<frame.count where count != DayFrame.headByteCount + days[0].bytes.count {
                #expect(throws: WireError.self) { try DayFrame.decode(Array(frame[..<count])) }
            }
        }
        for bad in try fixture.list("bad") {
            #expect(throws: WireError.self, "\(bad["why"]?.string ?? "")") {
                try DayFrame.decode(try bad.bytes("frame_hex"))
            }
        }
        #expect(try DayFrame.decode([]) == [])
    }
}
