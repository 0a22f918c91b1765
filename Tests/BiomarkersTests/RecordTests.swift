import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HealthRecords
import TestSupport
import Testing

@testable import Biomarkers

@Suite struct RecordTests {
    private let state = Result { try TemporaryFolder() }
    private let now = Instant(secondsSince1970: 1_776_300_000)

    private func folder() throws -> Directory { try Directory.openRoot(try state.get().path) }

    private func report(_ heartRate: String = "62", tail: String = "</HealthData>\n") throws -> ProposalReport {
        var export = SmallExport(tail: tail)
        export.add("RestingHeartRate", heartRate, "count/min", daysAgo: 0)
        export.add("VO2Max", "38.5", "mL/min·kg", daysAgo: 0)
        return try export.propose()
    }

    /// A record in which the proposals of an export wait and were shown.
    private func shown(_ report: ProposalReport) throws -> BiomarkerRecord {
        let record = try BiomarkerRecord.open(in: try folder())
        try record.replacePending(with: report, at: now)
        try record.markShown(report.proposals.map(\.id), at: now)
        return record
    }

    private func pending(_ record: BiomarkerRecord, _ id: String) throws -> PendingProposal {
        try #require(try record.pending()?.proposals.first { $0.id == id })
    }

    @Test("nothing is saved unseen")
    func unseen() throws {
        let record = try BiomarkerRecord.open(in: try folder())
        #expect(throws: BiomarkersError.nothingPending) { try record.accept(nil, at: now) }
        try record.replacePending(with: try report(), at: now)
        #expect(throws: BiomarkersError.notShown(id: "resting_heart_rate")) { try record.accept(nil, at: now) }
        try record.markShown(["vo2_max"], at: now)
        #expect(throws: BiomarkersError.notShown(id: "resting_heart_rate")) { try record.accept(nil, at: now) }
        #expect(try record.history().isEmpty)
        #expect(try record.accept(["vo2_max"], at: now).map(\.id) == ["vo2_max"])
        #expect(throws: BiomarkersError.notPending(id: "vo2_max")) { try record.accept(["vo2_max"], at: now) }
        // A new reading has to be looked at again.
        try record.replacePending(with: try report(), at: now)
        #expect(throws: BiomarkersError.notShown(id: "vo2_max")) { try record.accept(["vo2_max"], at: now) }
    }

    @Test("what was rejected stays rejected while its evidence is the same, unless it is asked for by its id")
    func rejectedAgain() throws {
        var record = try shown(try report())
        let first = try pending(record, "vo2_max")
        #expect(!first.wasRejected)
        try record.decide("vo2_max", .rejected, evidenceDigest: first.evidenceDigest, at: now)
        withExtendedLifetime(record) {}
        record = try reopened(record, with: try report())
        #expect(try pending(record, "vo2_max").wasRejected && !pending(record, "resting_heart_rate").wasRejected)
        #expect(try record.accept(nil, at: now).map(\.id) == ["resting_heart_rate"])
        #expect(try record.accept(nil, at: now).isEmpty)
        #expect(try record.current().map(\.id) == ["resting_heart_rate"])
        #expect(try record.accept(["vo2_max"], at: now).map(\.id) == ["vo2_max"])
        // Accepted since: the same evidence no longer counts as rejected.
        withExtendedLifetime(record) {}
        record = try reopened(record, with: try report())
        #expect(try !pending(record, "vo2_max").wasRejected)
        // Other evidence is a new question.
        let heart = try pending(record, "resting_heart_rate")
        try record.decide("resting_heart_rate", .rejected, evidenceDigest: heart.evidenceDigest, at: now)
        withExtendedLifetime(record) {}
        record = try reopened(record, with: try report("64"))
        #expect(try !pending(record, "resting_heart_rate").wasRejected)
        #expect(try record.accept(nil, at: now).map(\.id).contains("resting_heart_rate"))
    }

    @Test("an entry carries value, evidence and the digests of both evidence and export")
    func entry() throws {
        let report = try report()
        let record = try shown(report)
        let entry = try #require(try record.accept(["resting_heart_rate"], at: now).first)
        #expect(entry.number == 1 && entry.decision == "accepted" && entry.value == 62 && entry.display == "62")
        #expect(entry.unit == "bpm" && entry.sourceDigest == report.source.sha256)
        #expect(entry.recordedAt == "2026-04-16T00:40:00Z")
        let canonical = JSONWriter.encode(entry.evidence, style: .compactSorted)
        let proposed = try #require(report.proposal("resting_heart_rate")?.evidence)
        #expect(canonical == JSONWriter.encode(proposed, style: .compactSorted))
        #expect(SHA256.hash(canonical).hex == entry.evidenceDigest)
        #expect(entry.evidence["readings"]?.array?.count == 1)
    }

    @Test("an edited value stands beside what was proposed; a rejected one has no value and changes none")
    func decisions() throws {
        var record = try shown(try report())
        var proposal = try pending(record, "resting_heart_rate")
        try record.decide(
            "resting_heart_rate", .edited(58.5), evidenceDigest: proposal.evidenceDigest, at: now)
        #expect(try record.current().map(\.display) == ["58.5"])
        #expect(try record.current().first?.evidence["value"]?.number?.double == 62)
        // One holder of the lock at a time.
        withExtendedLifetime(record) {}
        record = try reopened(record, with: try report("64"))
        proposal = try pending(record, "resting_heart_rate")
        try record.decide("resting_heart_rate", .rejected, evidenceDigest: proposal.evidenceDigest, at: now)
        #expect(try record.current().map(\.value) == [58.5])
        #expect(try record.history().map(\.decision) == ["edited", "rejected"])
        #expect(try record.history().map(\.value) == [58.5, nil])
        #expect(try record.history(of: "vo2_max").isEmpty)
    }

    private func reopened(_ record: BiomarkerRecord, with report: ProposalReport) throws -> BiomarkerRecord {
        try record.replacePending(with: report, at: now)
        try record.markShown(report.proposals.map(\.id), at: now)
        return record
    }

    @Test("a decision about a proposal that was replaced meanwhile is refused")
    func replaced() throws {
        let record = try shown(try report())
        let old = try pending(record, "resting_heart_rate")
        _ = try reopened(record, with: try report("70"))
        #expect(throws: BiomarkersError.proposalChanged(id: "resting_heart_rate")) {
            try record.decide("resting_heart_rate", .accepted, evidenceDigest: old.evidenceDigest, at: now)
        }
    }

    @Test("accepting the same proposal of the same export again adds no entry")
    func repeated() throws {
        let report = try report()
        let record = try shown(report)
        #expect(try record.accept(nil, at: now).count == 2)
        _ = try reopened(record, with: report)
        #expect(try record.accept(nil, at: now).isEmpty)
        #expect(try record.history().count == 2)
        #expect(try record.pending()?.proposals.isEmpty == true)
    }

    @Test("a broken export is not accepted all at once, and one by one it is")
    func incomplete() throws {
        let record = try shown(try report(tail: ""))
        #expect(throws: BiomarkersError.incompleteSource) { try record.accept(nil, at: now) }
        #expect(try record.accept(["vo2_max"], at: now).count == 1)
    }

    @Test("entries can be neither changed nor removed, not even by SQL")
    func appendOnly() throws {
        let record = try shown(try report())
        try record.accept(nil, at: now)
        let database = try Database.open(RecordSchema.name, in: try folder(), schema: RecordSchema.schema)
        for statement in ["UPDATE entry SET value = 1", "DELETE FROM entry"] {
            #expect(throws: StoreError.self) { try database.transaction { try $0.run(statement) } }
        }
        #expect(try record.history().map(\.value) == [62, 38.5])
    }

    @Test("a second review is told who holds the record, and readers are not kept out")
    func locked() throws {
        let record = try shown(try report())
        try record.accept(nil, at: now)
        let error = #expect(throws: StoreError.self) { try BiomarkerRecord.open(in: try folder()) }
        #expect(error?.code == "locked_by")
        #expect(try BiomarkerRecord.openForReading(in: try folder())?.current().count == 2)
        withExtendedLifetime(record) {}
    }

    @Test("there is no record before the first proposal")
    func absent() throws {
        #expect(try BiomarkerRecord.openForReading(in: try folder()) == nil)
    }

    @Test("optimal ranges come from the owner's file alone")
    func bands() throws {
        let bands = try OptimalBands.parse(Array(#"{"hba1c": {"high": 5.4}, "spo2": {"low": 95, "high": null}}"#.utf8))
        #expect(bands["hba1c"]?.grade(5.4) == .optimal && bands["hba1c"]?.grade(5.5) == .above)
        #expect(bands["spo2"]?.grade(94.9) == .below)
        for text in ["[]", "{", #"{"steps": {"low": 1}}"#, #"{"spo2": {}}"#, #"{"spo2": {"low": 2, "high": 1}}"#] {
            let error = #expect(throws: BiomarkersError.self) { try OptimalBands.parse(Array(text.utf8)) }
            #expect(error?.code == "invalid_bands")
        }
    }
}
