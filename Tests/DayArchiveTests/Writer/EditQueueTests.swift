import CanonicalJSON
import Cryptography
import HealthRecords
import Testing

@testable import DayArchive

@Suite("Collecting and answering edits")
struct EditQueueTests {
    private func put(_ id: String, _ value: Double, start: Int = 1_791_600_000) -> JSONValue {
        [
            "op": "put", "id": .string(id), "metric": "bodyMass", "start": .integer(start), "end": .integer(start),
            "value": .double(value), "unit": "kg",
        ]
    }

    private func delete(_ id: String) -> JSONValue { ["op": "delete", "id": .string(id)] }

    private func submit(_ reader: ArchiveReader, _ items: [JSONValue]) throws -> EditName {
        let answer = try reader.call("phone_data_write", ["items": .array(items)])
        return try EditName(text: try #require(answer["name"]?.string))
    }

    private func prepared() throws -> (WriterRig, ArchiveWriter, ArchiveReader) {
        let rig = try WriterRig()
        try rig.days.addSteps(1, on: "2026-10-01")
        let writer = try rig.readyWriter()
        _ = try writer.push()
        return (rig, writer, try rig.reader(of: writer))
    }

    /// Seals and posts what no honest editor would.
    private func post(_ rig: WriterRig, _ writer: ArchiveWriter, _ body: [UInt8]) throws -> EditName {
        let keys = try writer.keys()
        let client = writer.client(keys, try writer.endpoint())
        let bucket = client.bucket
        let signature = ArchiveClient.Signature(key: keys.editor.privateKey, signer: .editor) {
            SignedText.edit(bucket, timestamp: $0, body: body)
        }
        let answer = try client.send("POST", client.target("/edits"), signature, body: body)
        return try EditName(text: try #require(try JSONParser.parse(answer.body)["name"]?.string))
    }

    private func seal(_ writer: ArchiveWriter, _ text: String) throws -> [UInt8] {
        let keys = try writer.keys()
        return try SealedEnvelope.seal(
            RawDeflate.compress(Array(text.utf8)), to: keys.reading.privateKey.publicKey,
            for: .edit(keys.reading.bucket))
    }

    @Test("items are applied in order, each for itself, and the days touched are owed")
    func applying() throws {
        let (rig, writer, reader) = try prepared()
        let name = try submit(reader, [put("a", 70), put("b", 71, start: 1_791_000_000), delete("never")])
        let report = try writer.applyEdits()
        let outcome = EditOutcome(applied: 2, failed: [.init(item: 2, code: .notFound)])
        #expect(report == .init(answered: [.init(name: name, outcome: outcome)], stopped: nil))
        #expect(rig.days.entryIDs == ["a", "b"])
        #expect(try writer.status().owedDays == 2)
        #expect(try writer.applyEdits() == .init())
        // A put replaces, a delete removes; both days are owed.
        _ = try writer.push()
        _ = try submit(reader, [put("a", 72, start: 1_791_300_000), delete("b")])
        #expect(try writer.applyEdits().answered.first?.outcome.applied == 2)
        #expect(rig.days.entryIDs == ["a"])
        #expect(try writer.status().owedDays == 3)
    }

    @Test("each item that cannot be applied gets its word")
    func words() throws {
        let (rig, writer, _) = try prepared()
        let now = rig.clock.now.seconds
        let items = [
            #"{"op":"put","id":"1","metric":"steps","start":1,"end":2,"value":1,"unit":"count"}"#,
            #"{"op":"put","id":"2","metric":"bodyMass","start":1,"end":2,"value":1,"unit":"lb"}"#,
            #"{"op":"put","id":"3","metric":"sleep","start":1,"end":2,"value":1,"unit":"h"}"#,
            #"{"op":"put","id":"4","metric":"sleep","start":1,"end":2,"stage":"nap"}"#,
            #"{"op":"put","id":"5","metric":"bodyMass","start":3,"end":2,"value":1,"unit":"kg"}"#,
            #"{"op":"put","id":"6","metric":"bodyMass","start":1,"end":2,"value":-1,"unit":"kg"}"#,
            #"{"op":"put","id":"7","metric":"bodyMass","start":1,"end":\#(now + 10),"value":1,"unit":"kg"}"#,
            #"{"op":"put","id":"8","metric":"sleep","start":1,"end":86402,"stage":"inBed"}"#,
            #"{"op":"put","id":"9","metric":"bodyMass","start":1,"end":2,"value":1e999,"unit":"kg"}"#,
            #"{"op":"put","id":"10","metric":"sleep","start":1700000000,"end":1700000060,"stage":"asleepREM"}"#,
        ]
        _ = try post(rig, writer, try seal(writer, "{\"v\":1,\"items\":[\(items.joined(separator: ","))]}"))
        let outcome = try #require(try writer.applyEdits().answered.first?.outcome)
        #expect(outcome.applied == 1)
        let codes: [EditFailureCode] = [
            .unknownMetric, .badUnit, .badUnit, .badUnit, .badRange, .badRange, .badRange, .badRange, .badRange,
        ]
        #expect(outcome.failed == codes.enumerated().map { .init(item: $0.offset, code: $0.element) })
        let record = try #require(rig.days.state.withLock { $0.entries["10"] })
        #expect(record.value == .category("HKCategoryValueSleepAnalysisAsleepREM"))
    }

    @Test("an edit that does not open or is malformed fails as one and does not block the queue")
    func wholeFailures() throws {
        let (rig, writer, reader) = try prepared()
        let unopened = try post(rig, writer, [2] + [UInt8](repeating: 7, count: 80))
        let malformed = try post(rig, writer, try seal(writer, #"{"v":1,"items":[{"op":"move"}]}"#))
        let good = try submit(reader, [put("a", 70)])
        let report = try writer.applyEdits()
        #expect(
            report.answered.map(\.outcome) == [
                .whole(.cannotOpen), .whole(.malformed), EditOutcome(applied: 1, failed: []),
            ])
        #expect(report.answered.map(\.name) == [unopened, malformed, good])
    }

    @Test("a service that changes an edit, or its signature, is found out")
    func forged() throws {
        let (rig, writer, reader) = try prepared()
        _ = try submit(reader, [put("a", 70)])
        rig.exchange.change { target, answer in
            guard target.contains("/e/"), answer.status == 200, answer.body.first == 2 else { return answer }
            var headers = answer.headers
            headers["x-efferent-timestamp"] = "1"
            return ExchangeAnswer(status: 200, headers: headers, body: answer.body)
        }
        #expect(try writer.applyEdits().answered.first?.outcome == .whole(.badSignature))
        #expect(rig.days.entryIDs == [])
    }

    @Test("an edit that was answered is never applied again, whoever serves it")
    func replayed() throws {
        let (rig, writer, reader) = try prepared()
        _ = try submit(reader, [put("a", 70)])
        let held = WrittenDown()
        rig.exchange.change { target, answer in
            if target.contains("/e/"), answer.body.first == 2 { held.answer = answer }
            return answer
        }
        _ = try writer.applyEdits()
        _ = try submit(reader, [put("a", 75)])
        rig.exchange.change { target, answer in
            target.contains("/e/") && answer.body.first == 2 ? held.answer ?? answer : answer
        }
        #expect(try writer.applyEdits().answered.first?.outcome == .whole(.replayed))
        #expect(rig.days.state.withLock { $0.entries["a"]?.value } == .quantity(70, unit: "kg"))
    }

    @Test("an outcome that is not taken leaves the edit, which is applied again with the same end")
    func unreported() throws {
        let (rig, writer, reader) = try prepared()
        _ = try submit(reader, [put("a", 70), put("a", 71), delete("a"), put("a", 72)])
        rig.exchange.refuse { method, target in target.hasSuffix("/outcome") ? 502 : nil }
        let stopped = try writer.applyEdits()
        #expect(stopped.answered == [])
        #expect(stopped.stopped != nil)
        #expect(rig.days.state.withLock { $0.entries["a"]?.value } == .quantity(72, unit: "kg"))
        rig.exchange.refuse(nil)
        #expect(try writer.applyEdits().answered.first?.outcome == EditOutcome(applied: 4, failed: []))
        #expect(rig.days.state.withLock { $0.entries["a"]?.value } == .quantity(72, unit: "kg"))
    }

    @Test("a store that is locked stops the run and leaves the edit")
    func locked() throws {
        let (rig, writer, reader) = try prepared()
        let name = try submit(reader, [put("a", 70)])
        rig.days.state.withLock { $0.refusesEntries = true }
        #expect(throws: MemoryDays.Locked.self) { try writer.applyEdits() }
        rig.days.state.withLock { $0.refusesEntries = false }
        #expect(try writer.applyEdits().answered == [.init(name: name, outcome: EditOutcome(applied: 1, failed: []))])
        #expect(rig.days.entryIDs == ["a"])
    }

    @Test("undo puts back what stood before, and leaves what a later edit wrote")
    func undoing() throws {
        let (rig, writer, reader) = try prepared()
        let first = try submit(reader, [put("a", 70), put("b", 1)])
        _ = try writer.applyEdits()
        rig.clock.advance(seconds: 1)
        let second = try submit(reader, [put("a", 71), delete("b"), put("a", 72)])
        _ = try writer.applyEdits()
        #expect(try writer.changes().filter(\.stands).map(\.name) == [second, second])
        // The first edit's changes lie under the second's.
        #expect(throws: WriterError.unknownEdit(first.text)) { try writer.undo(first) }
        #expect(try writer.undo(second) == 3)
        #expect(rig.days.entryIDs == ["a", "b"])
        #expect(rig.days.state.withLock { $0.entries["a"]?.value } == .quantity(70, unit: "kg"))
        #expect(throws: WriterError.unknownEdit(second.text)) { try writer.undo(second) }
        #expect(try writer.undo(first) == 2)
        #expect(rig.days.entryIDs == [])
        #expect(try writer.changes().filter(\.stands).isEmpty)
    }
}

/// Remembers an answer across closures.
private final class WrittenDown: @unchecked Sendable {
    var answer: ExchangeAnswer?
}
