import CanonicalJSON
import Cryptography
import TestSupport
import Testing

@testable import DayArchive

/// Everything that comes from outside is read from changed bytes: each reader gives a value or throws, and never traps.
@Suite("Changed bytes")
struct MutationTests {
    private static let rounds = 120

    private func mutate(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0...3, using: &generator) {
            guard !bytes.isEmpty else { return [UInt8.random(in: 0...255, using: &generator)] }
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            case 3: bytes.removeLast(min(bytes.count - index, 8))
            default: bytes.insert(contentsOf: Array("99999999999999999999".utf8), at: index)
            }
        }
        return bytes
    }

    private func run(_ name: String, _ start: [UInt8], seed: UInt64, read: ([UInt8]) throws -> Void) throws {
        try read(start)
        var generator = SplitMix64(seed: seed)
        var refused = 0
        for _ in 0..<Self.rounds {
            do { try read(mutate(start, &generator)) } catch { refused += 1 }
        }
        #expect(refused > 0, "\(name), seed \(seed)")
    }

    @Test("days, frames, envelopes, edits, outcomes, handoffs and messages", arguments: [UInt64(1), 2])
    func readers(seed: UInt64) throws {
        let bucket = TestKeys.reading.bucket
        let day = try ArchiveDay(text: "2026-03-04")
        let events = [
            try ArchiveEvent(metric: "steps", bucket: "day", start: 1_000, end: 87_400, unit: "count", value: 5),
            try ArchiveEvent(metric: "sleep", start: 2_000, end: 3_000, source: "Watch", stage: "awake"),
            try ArchiveEvent(metric: "sleep", start: 2_500, end: 3_000, source: "Watch", stage: "inBed"),
        ]
        let canonical = ColumnarDay.pack(events)
        try run("columns", canonical, seed: seed) { text in
            guard let document = try JSONParser.parse(text).object else { throw WireError.badDeflate }
            _ = try ColumnarDay.unpack(document)
        }
        try run("deflate", RawDeflate.compress(canonical), seed: seed) {
            _ = try RawDeflate.inflate($0, ceiling: 1 << 16)
        }
        let context = SealContext.day(bucket, day)
        let sealed = try SealedEnvelope.seal(
            RawDeflate.compress(canonical), to: TestKeys.reading.privateKey.publicKey, for: context)
        try run("envelope", sealed, seed: seed) {
            _ = try SealedEnvelope.open($0, with: TestKeys.reading.privateKey, for: context)
        }
        try run("frame", DayFrame.encode([SealedDay(day: day, bytes: sealed)]), seed: seed) {
            _ = try DayFrame.decode($0)
        }
        let edit = Array(
            #"{"v":1,"items":[{"op":"put","id":"a","metric":"bodyMass","start":1,"end":2,"value":1,"unit":"kg"}]}"#.utf8
        )
        try run("edit", edit, seed: seed) { _ = try EditPlaintext(bytes: $0) }
        try run("outcome", EditOutcome.whole(.replayed).body, seed: seed) { _ = try EditOutcome(body: $0) }
        let endpoint = try #require(ServiceEndpoint("http://127.0.0.1:1/p"))
        let handoff = Handoff(endpoint: endpoint, readingKey: TestKeys.reading, editorKey: TestKeys.editor).text
        try run("handoff", Array(handoff.utf8), seed: seed) {
            _ = try Handoff(text: String(decoding: $0, as: UTF8.self))
        }
        try run("message", Array(#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#.utf8), seed: seed) {
            if case .refused(let refusal) = RPCMessage.parse($0) { throw refusal }
        }
    }

    @Test("requests: whatever the target, headers and body, the service answers", arguments: [UInt64(3), 4])
    func requests(seed: UInt64) throws {
        let rig = try ServiceRig(limits: ServiceRig.patient)
        rig.prepare()
        var generator = SplitMix64(seed: seed)
        let upload = rig.uploadRequest([try sealedDay("2026-10-08", [2, 1])])
        let edit = rig.editRequest([2, 1, 2])
        let targets = [
            upload.target, edit.target, "/b/\(rig.bucket)/d?from=2026-01-01&to=2026-12-31", "/mcp/b/\(rig.bucket)",
        ]
        for round in 0..<Self.rounds {
            var request = round.isMultiple(of: 2) ? upload : edit
            request.method = ["GET", "PUT", "POST", request.method][Int.random(in: 0..<4, using: &generator)]
            request.target = String(
                decoding: mutate(Array(targets[Int.random(in: 0..<4, using: &generator)].utf8), &generator),
                as: UTF8.self)
            request.body = mutate(request.body, &generator)
            let answer = rig.send(request)
            #expect((200..<600).contains(answer.status), "round \(round), seed \(seed)")
            if answer.status >= 400, answer.contentType != nil { #expect(answer.status == 400 || answer.code != nil) }
        }
    }
}
