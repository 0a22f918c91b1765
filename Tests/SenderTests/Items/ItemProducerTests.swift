import CanonicalJSON
import DurableStore
import Foundation
import HMDCItem
import HealthData
import TestSupport
import Testing

@testable import ConnectedProtocol
@testable import Sender

@Suite("Items of days (hmdcitem.md 6, 7, 8)")
struct ItemProducerTests {
    private let temporary: TemporaryFolder
    private let folder: Directory
    private let library = FakeLibrary()

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Directory.openRoot(temporary.path).createDirectory("items")
    }

    private func order(
        _ day: String, kind: ConnectedProtocol.ItemKind, version: Int = 4, profile: RawProfile? = nil,
        selection: CanonicalSelection? = nil, change: (inout SettingsContent) -> Void = { _ in }
    ) throws -> ItemOrder {
        var settings = SettingsContent()
        change(&settings)
        let instant = ProtocolDate(
            secondsSince1970: Double(FakeLibrary.day(day).daysSince1970) * 86_400)
        var content = ManifestContent(
            mode: kind == .macHealthDay ? .writeFiles : .strictRaw, createdAt: instant, sourceDeviceName: "Test",
            sourceTimeZoneIdentifier: "UTC", requestedDates: [instant], requestedDateIdentifiers: [day])
        content.rawProfile = profile
        content.canonicalSelection = selection
        let manifest = try ExportManifest(content, settings: SettingsSnapshot(settings))
        let session = try CorpusSession(
            sessionID: UUID(), jobID: UUID(), requestFingerprint: manifest.fingerprint, protocolVersion: version,
            partitionTargetBytes: 33_554_432, createdAt: instant, peerBinding: nil)
        let journal = SourceJournal(origin: .macInitiated, session: session, manifest: manifest, createdAt: instant)
        let job = StoredJob(journal: journal, request: nil, generation: 1, documentVersion: 8)
        return ItemOrder(job, sourceDate: instant, isRequestedDate: true, kind: kind)
    }

    /// Makes an item; returns it with the bytes of its file, after its digest and length were checked.
    private func produce(_ order: ItemOrder) throws -> (item: PendingItem, bytes: [UInt8]) {
        let store = ItemStore(folder)
        let item = try ItemProducer(library: library, store: store).produce(order)
        try store.verify(item, protocolVersion: order.protocolVersion)
        return (item, try folder.file(ItemStore.name(of: item.itemID)).contents(maximumByteCount: 1 << 24))
    }

    private func healthDay(_ bytes: [UInt8]) throws -> HealthDayEnvelope<DailyRecord> {
        try ItemDecoder().decode(HealthDayEnvelope<DailyRecord>.self, from: bytes, kind: .macHealthDay)
    }

    @Test("a health day carries its record and the exact instant")
    func healthDay() throws {
        let order = try order("2026-03-05", kind: .macHealthDay)
        let envelope = try healthDay(produce(order).bytes)
        #expect(envelope.record?.activity.steps == 1_005)
        #expect(envelope.sourceDate.timeIntervalSinceReferenceDate == order.sourceDate.secondsSince2001)
        #expect(envelope.isRequestedDate)
        #expect(envelope.failure == nil)
    }

    @Test("single samples go along only when a file will show them")
    func samples() throws {
        library.hasSamples = true
        let without = try healthDay(produce(order("2026-03-05", kind: .macHealthDay)).bytes)
        #expect(without.record?.heart.heartRateSamples.isEmpty == true)
        let with = try healthDay(
            produce(order("2026-03-05", kind: .macHealthDay) { $0.compatibilityDetail = .selectedTimeSeries }).bytes)
        #expect(with.record?.heart.heartRateSamples.count == 1)
        let tracked = try healthDay(
            produce(order("2026-03-05", kind: .macHealthDay) { $0.individualTracking.globalEnabled = true }).bytes)
        #expect(tracked.record?.heart.heartRateSamples.count == 1)
    }

    @Test("the archive goes along only when the settings want it")
    func archive() throws {
        let without = try healthDay(produce(order("2026-03-05", kind: .macHealthDay)).bytes)
        #expect(without.record?.healthKitRecordArchive == nil)
        let with = try healthDay(
            produce(order("2026-03-05", kind: .macHealthDay) { $0.healthKitSourceArchivePolicy = .canonical }).bytes)
        #expect(with.record?.healthKitRecordArchive != nil)
    }

    @Test("a day without anything has no record and no failure; one outside of the import says so")
    func emptyAndMissing() throws {
        library.emptyDays = ["2026-03-05"]
        let empty = try healthDay(produce(order("2026-03-05", kind: .macHealthDay)).bytes)
        #expect(empty.record == nil && empty.failure == nil)
        let missing = try healthDay(produce(order("2027-03-05", kind: .macHealthDay)).bytes)
        #expect(missing.failure?.reason == .noHealthData)
        library.unreadableDays = ["2026-03-06"]
        let failed = try healthDay(produce(order("2026-03-06", kind: .macHealthDay)).bytes)
        #expect(failed.failure?.reason == .healthKitError)
    }

    @Test("up to version 3 a health day is JSON text")
    func jsonForm() throws {
        let bytes = try produce(order("2026-03-05", kind: .macHealthDay, version: 3)).bytes
        let envelope = try ItemJSON.decode(HealthDayEnvelope<DailyRecord>.self, from: bytes)
        #expect(envelope.record?.activity.steps == 1_005)
        #expect(bytes.first == UInt8(ascii: "{"))
    }

    @Test("a full archive carries the lossless document of the job's version")
    func rawDay() throws {
        let bytes = try produce(
            order("2026-03-05", kind: .strictRawDay, profile: .canonicalSourceRecords)
        ).bytes
        let day = try RawDayDecoding.decode(bytes).day
        let text = try #require(try day.canonicalDailyJSON?.string())
        let document = try DayDocument(parsing: Array(text.utf8))
        #expect(document.version == .v8)
        #expect(document.archive != nil)
        #expect(day.captureStatus == .complete)
        #expect(day.status == .complete)
    }

    @Test("a projection has an archive exactly when its detail is lossless", arguments: [true, false])
    func projection(isLossless: Bool) throws {
        let selection = CanonicalSelection(metricIDs: ["steps"], detailLevel: isLossless ? .lossless : .summary)
        let bytes = try produce(
            order("2026-03-05", kind: .strictRawDay, profile: .healthDataProjection, selection: selection)
        ).bytes
        let day = try RawDayDecoding.decode(bytes).day
        let document = try DayDocument(parsing: Array(try #require(try day.canonicalDailyJSON?.string()).utf8))
        #expect((document.archive != nil) == isLossless)
        #expect(day.captureStatus == (isLossless ? .complete : .notRequested))
        #expect(library.askedMetricIDs == ["steps"])
    }

    @Test("an empty captured day is complete_empty, and has its document")
    func emptyRawDay() throws {
        library.emptyDays = ["2026-03-05"]
        let selection = CanonicalSelection(metricIDs: ["steps"], detailLevel: .summary)
        let day = try RawDayDecoding.decode(
            produce(
                order("2026-03-05", kind: .strictRawDay, profile: .healthDataProjection, selection: selection)
            ).bytes
        ).day
        #expect(day.status == .completeEmpty)
        #expect(day.canonicalDailyJSON != nil)
    }

    @Test("the status of a captured day is the first published rule that holds")
    func statuses() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        func day(_ change: (inout DailyRecord) -> Void) throws -> StrictRawDay.Status {
            var record = DailyRecord(date: date, calendarTimeZoneIdentifier: "UTC")
            record.healthKitRecordArchive = RecordArchive(
                captureStatus: .complete,
                dailyOwnership: .init(
                    ownerDate: "2001-01-01", intervalStart: date, intervalEnd: date,
                    calendarTimeZoneIdentifier: "UTC"))
            change(&record)
            return RawDayDocument(try LosslessDay(record, version: .v8)).status
        }
        #expect(try day { _ in } == .completeEmpty)
        #expect(try day { $0.activity.steps = 1 } == .complete)
        let warning = RecordArchive.IntegrityWarning(code: "a", message: "b", metricIDs: [])
        #expect(try day { $0.healthKitRecordArchive?.integrityWarnings = [warning] } == .completeWithWarnings)
        let failure = DailyRecord.PartialFailure(
            date: date, dataType: "t", dateRangeDescription: "d", errorDescription: "e")
        #expect(
            try day {
                $0.healthKitRecordArchive?.integrityWarnings = [warning]
                $0.partialFailures = [failure]
            } == .partial)
        #expect(try day { $0.healthKitRecordArchive?.captureStatus = .partial } == .partial)
        #expect(try day { $0.healthKitRecordArchive = nil } == .partial)
        for status in RecordArchive.QueryStatus.allCases {
            let result = RecordArchive.QueryResult(
                identifier: "i", objectTypeIdentifier: nil, operation: "o", metricIDs: [],
                interval: .init(startDate: date, endDate: date), status: status, recordCount: 0)
            let expected: StrictRawDay.Status = status == .success ? .completeEmpty : .partial
            #expect(try day { $0.healthKitRecordArchive?.queryManifest.results = [result] } == expected)
        }
    }

    @Test("an item that cannot be written leaves no file, whichever call of the disk fails")
    func failingDisk() throws {
        let order = try order("2026-03-05", kind: .macHealthDay)
        var failures = 0
        while true {
            let base = InMemoryDisk()
            _ = try Directory.openRoot("/state", on: base, creating: true).createDirectory("items")
            let counting = FaultyDisk(base)
            _ = try Directory.openRoot("/state", on: counting).directory("items")
            let disk = FaultyDisk(base, fault: .init(call: counting.calls.count + failures + 1, number: ENOSPC))
            let folder = try Directory.openRoot("/state", on: disk).directory("items")
            let result = Result { try ItemProducer(library: library, store: ItemStore(folder)).produce(order) }
            let names = try Directory.openRoot("/state", on: base).directory("items").entries().map(\.name)
            guard disk.didFail else {
                #expect(names == [ItemStore.name(of: try result.get().itemID)])
                break
            }
            failures += 1
            #expect(throws: (any Error).self) { try result.get() }
            #expect(names.isEmpty)
        }
        #expect(failures >= 4)
    }
}
