import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol
@testable import Sender

@Suite("Sender engine: a job from request to end")
struct SenderEngineTests {
    @Test("a request is accepted, its days are sent in one partition, and the final ack completes the stored job")
    func wholeJob() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        #expect(fixture.names.first == "iphoneExportAccepted")
        #expect(fixture.names.count { $0 == "iphoneExportPreparationProgress" } == 2)
        let bytes = try fixture.takePartition()
        let open = try #require(fixture.lastOpen())
        #expect(SHA256.hash(bytes) == open.partition.sha256)
        #expect(Int64(bytes.count) == open.partition.byteCount)
        #expect(fixture.channel.badChunks == 0)
        try fixture.confirmEnd(successCount: 2)
        let stored = try #require(try fixture.stored())
        #expect(stored.journal.progress.state == .completed)
        #expect(stored.journal.progress.completionRecorded)
        #expect(fixture.itemFileCount == 0)
    }

    @Test("the partition holds the items that the manifest names, byte for byte")
    func partitionContent() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let bytes = try fixture.takePartition()
        let manifestCount = try PartitionFile.manifestByteCount(prefix: Array(bytes.prefix(12)))
        let file = try PartitionFile(
            manifestText: Array(bytes[12..<12 + manifestCount]), fileByteCount: Int64(bytes.count))
        #expect(file.segments.count == 2)
        for placed in file.segments {
            let item = Array(bytes[Int(placed.fileRange.lowerBound)..<Int(placed.fileRange.upperBound)])
            #expect(SHA256.hash(item) == placed.segment.itemSHA256)
            #expect(item.starts(with: Array("HMDCITEM".utf8)))
            #expect(item[10] == 2)
        }
    }

    @Test("without secure records the same bytes travel as JSON chunks, one at a time")
    func plainMode() throws {
        let fixture = try EngineFixture()
        fixture.library.paddingByteCount = 700_000
        fixture.connect(secureRecords: false)
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let bytes = try fixture.takePartition()
        let open = try #require(fixture.lastOpen())
        #expect(SHA256.hash(bytes) == open.partition.sha256)
        #expect(fixture.channel.frames.isEmpty)
        #expect(fixture.names.count { $0 == "connectedTransferChunk" } > 2)
    }

    @Test("with secure records never more than the window of frames is unanswered")
    func window() throws {
        let fixture = try EngineFixture()
        fixture.library.paddingByteCount = 3_000_000
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let open = try #require(fixture.lastOpen())
        fixture.receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: 0,
                    partitionSHA256: open.partition.sha256, disposition: .accept, nextPartitionIndex: 0)))
        guard case .transferStart(let start)? = fixture.channel.sent.last else {
            Issue.record("no start")
            return
        }
        fixture.receive(.transferAck(TransferAck(transferID: start.transferID, sequence: 0, sha256: start.sha256)))
        #expect(fixture.channel.frames.count == 4)
    }

    @Test("a day outside of what was imported is sent as missing, one that cannot be read as failed")
    func missingAndFailedDays() throws {
        let fixture = try EngineFixture()
        fixture.library.unreadableDays = ["2026-03-02"]
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request(["2025-12-31", "2026-03-01", "2026-03-02"])))
        fixture.work()
        let days = try rawDays(in: try fixture.takePartition())
        #expect(days.map(\.day.status) == [.missing, .complete, .failed])
        #expect(days.map(\.day.failureCode) == ["missing_day", nil, "healthkit_error"])
        #expect(days[1].day.canonicalDailyJSON != nil)
        #expect(days[0].day.canonicalDailyJSON == nil)
    }

    @Test("all history is pinned in the acceptance, from the first to the last imported day")
    func allHistory() throws {
        let fixture = try EngineFixture()
        fixture.now.wall = Double(FakeLibrary.day("2026-01-05").daysSince1970) * 86_400 - 978_307_200 + 50_000
        fixture.library.range = FakeLibrary.day("2026-01-02")...FakeLibrary.day("2026-01-03")
        fixture.connect()
        var request = fixture.request()
        request.dateSelection = .allAvailable
        request.requestedDateIdentifiers = nil
        fixture.receive(.exportRequest(request))
        guard case .exportAccepted(let accepted)? = fixture.channel.sent.first else {
            Issue.record("not accepted")
            return
        }
        #expect(accepted.resolvedDateIdentifiers == ["2026-01-02", "2026-01-03"])
        #expect(try fixture.stored()?.journal.manifest.requestedDateIdentifiers == accepted.resolvedDateIdentifiers)
    }

    @Test("a second request while one is at work is refused; an exact replay is accepted again")
    func secondRequest() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        let other = UUID()
        fixture.receive(.exportRequest(fixture.request(jobID: other)))
        guard case .exportRejected(let rejected)? = fixture.channel.sent.last else {
            Issue.record("not rejected")
            return
        }
        #expect(rejected.jobID == other)
        #expect(rejected.reason == .requestAlreadyInProgress)
        fixture.receive(.exportRequest(fixture.request()))
        #expect(fixture.names.count { $0 == "iphoneExportAccepted" } == 2)
    }

    @Test("without an import every request is refused")
    func nothingImported() throws {
        let fixture = try EngineFixture()
        fixture.library.generation = nil
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        guard case .exportRejected(let rejected)? = fixture.channel.sent.last else {
            Issue.record("not rejected")
            return
        }
        #expect(rejected.reason == .healthKitNotAuthorized)
        #expect(try fixture.stored() == nil)
    }

    @Test("a push is sent when the destination is ready, and leaves the queue with its job")
    func push() throws {
        let fixture = try EngineFixture()
        let push = QueuedPush(
            jobID: UUID(), firstDay: "2026-03-01", lastDay: "2026-03-03", queuedAt: fixture.now.date)
        try fixture.store.queuePush(push)
        fixture.connect(isReady: false)
        #expect(fixture.channel.sent.isEmpty)
        fixture.connect()
        #expect(fixture.lastOpen()?.session.jobID == push.jobID)
        #expect(fixture.lastOpen()?.exportManifest?.mode == .writeFiles)
        #expect(!fixture.names.contains("iphoneExportAccepted"))
        #expect(try fixture.store.queuedPushes().isEmpty)
        try fixture.takePartition()
        try fixture.confirmEnd()
        #expect(try fixture.stored(push.jobID)?.journal.progress.state == .completed)
    }

    @Test("a push for no days is dropped and reported")
    func badPush() throws {
        let fixture = try EngineFixture()
        let push = QueuedPush(jobID: UUID(), firstDay: "2026-03-05", lastDay: "2026-03-03", queuedAt: fixture.now.date)
        try fixture.store.queuePush(push)
        fixture.connect()
        #expect(fixture.events.contains(.pushDropped(jobID: push.jobID, code: "invalid_date_range")))
        #expect(try fixture.store.queuedPushes().isEmpty)
    }

    @Test("a peer without durable recovery gets an in-memory session: nothing is stored")
    func inMemory() throws {
        let fixture = try EngineFixture()
        fixture.peer.flags.remove(.durableConnectedExportRecovery)
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        #expect(try fixture.stored() == nil)
        #expect(!fixture.names.contains("connectedCorpusStatus"))
        #expect(fixture.lastOpen()?.session.peerBinding == nil)
        try fixture.takePartition()
        try fixture.confirmEnd()
        #expect(fixture.itemFileCount == 0)
    }

    @Test("a peer of corpus version 3 gets items as JSON text")
    func version3() throws {
        let fixture = try EngineFixture()
        fixture.peer.corpus = try CorpusCapabilities(
            protocolVersions: [1, 2, 3], partitionTargetBounds: PartitionTargetBounds.standard)
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request(["2025-12-31"])))
        fixture.work()
        let bytes = try fixture.takePartition()
        let manifestCount = try PartitionFile.manifestByteCount(prefix: Array(bytes.prefix(12)))
        let item = String(decoding: bytes[(12 + manifestCount)...], as: UTF8.self)
        #expect(item.hasPrefix(#"{"day":{"date":"2025-12-31","failure_code":"missing_day","#))
    }

    @Test(
        "calendar roll-ups bring the imported rest of their periods as supporting days; requested dates only does not")
    func supportingDays() throws {
        let fixture = try EngineFixture()
        fixture.library.range = FakeLibrary.day("2026-02-25")...FakeLibrary.day("2026-03-05")
        try fixture.store.setSettings([("generateWeeklyRollups", "true"), ("generateMonthlyRollups", "true")])
        fixture.connect()
        var request = fixture.request(profile: nil)
        request.settingsPolicy = .currentIPhoneSettings
        fixture.receive(.exportRequest(request))
        fixture.work()
        let manifest = try #require(try fixture.stored()).journal.manifest
        func labels(_ dates: [ProtocolDate]) -> [String] {
            dates.compactMap { ZoneCalendar(zone: .utc).day(containing: $0)?.description }
        }
        #expect(labels(manifest.requestedDates) == ["2026-03-01", "2026-03-02"])
        // The week of 1 March begins on 23 February; its first imported day is the 25th, the last of March the 5th.
        #expect(
            labels(manifest.transferDates) == [
                "2026-02-25", "2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03",
                "2026-03-04", "2026-03-05",
            ])
        #expect(fixture.names.count { $0 == "iphoneExportPreparationProgress" } == 9)

        let other = try EngineFixture()
        try other.store.setSettings([("generateMonthlyRollups", "true")])
        other.connect()
        other.receive(.exportRequest(other.request(profile: nil)))
        other.work()
        let plain = try #require(try other.stored()).journal.manifest
        #expect(plain.transferDates == plain.requestedDates)
    }
}
