import ConnectedProtocol
import DurableStore
import Foundation
import TestSupport
import Testing

@testable import Sender

@Suite("Sender engine: when its own store or disk fails")
struct StoreFailureTests {
    @Test("a job whose stored journal was damaged fails by name; the others go on")
    func damagedJournal() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        fixture.disconnect()
        try fixture.store.database.transaction { connection in
            try connection.run("UPDATE jobs SET completed_item_count = 7")
        }
        let push = QueuedPush(
            jobID: UUID(), firstDay: "2026-03-01", lastDay: "2026-03-01", queuedAt: fixture.now.date)
        try fixture.store.queuePush(push)
        try fixture.restart()
        fixture.connect()
        #expect(
            fixture.events.contains { event in
                if case .jobEnded(EngineFixture.jobID, "failed", _) = event { true } else { false }
            })
        #expect(fixture.lastOpen()?.session.jobID == push.jobID)
    }

    @Test("a store that fails ends the connection before anything that depends on it is said, and is read anew")
    func failingStore() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        _ = fixture.channel.drain()
        // The table is out of reach: the commit of the partition cannot be stored.
        try fixture.store.database.transaction { connection in
            try connection.run("ALTER TABLE jobs RENAME TO hidden_jobs")
        }
        try fixture.takePartitionIgnoringOpen()
        #expect(fixture.channel.end == .storeFailed)
        #expect(!fixture.names.contains("connectedCorpusTransferFinalize"))
        #expect(fixture.events.contains { if case .storeFailed = $0 { true } else { false } })
        try fixture.store.database.transaction { connection in
            try connection.run("ALTER TABLE hidden_jobs RENAME TO jobs")
        }
        // Healed: the same partition is opened again, and the destination says that it has it.
        fixture.connect()
        let open = try #require(fixture.lastOpen())
        fixture.receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: 0,
                    partitionSHA256: open.partition.sha256, disposition: .alreadyCommitted, nextPartitionIndex: 1)))
        fixture.work()
        try fixture.confirmEnd()
        #expect(try fixture.stored()?.journal.progress.state == .completed)
    }

    @Test("a journal whose sync fails: nothing is said after it, the service ends, and a new one goes on from the disk")
    func lostJournal() throws {
        let memory = InMemoryDisk()
        let disk = FaultyDisk(memory)
        let fixture = try EngineFixture(disk: disk)
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        #expect(fixture.lastOpen() != nil)
        _ = fixture.channel.drain()
        // The commit of the partition is what fails.
        disk.setSyncFailure(EIO)
        try fixture.takePartitionIgnoringOpen()
        #expect(fixture.store.hasLostJournal && fixture.channel.end == .storeFailed)
        #expect(!fixture.names.contains("connectedCorpusTransferFinalize"))
        // The disk seems to work again, and the destination comes back: that must not count.
        disk.setSyncFailure(nil)
        fixture.connect()
        fixture.pass(seconds: 60)
        #expect(fixture.names.allSatisfy { !$0.hasPrefix("connected") }, "\(fixture.names)")
        #expect(throws: StoreError.self, "nothing can be read of a lost journal") {
            try PhoneService(
                store: fixture.store, library: fixture.library,
                configuration: .init(installationID: EngineFixture.phone, deviceName: "Test"), report: { _ in })
        }
        // A new process, after what a loss of power leaves: the partition is opened again and the job ends well.
        try fixture.restart(on: memory.afterPowerLoss(seed: nil))
        fixture.connect()
        let open = try #require(fixture.lastOpen())
        #expect(open.partition.index == 0 && open.session.jobID == EngineFixture.jobID)
        try fixture.takePartition()
        try fixture.confirmEnd()
        #expect(try fixture.stored()?.journal.progress.state == .completed)
    }

    @Test("the service of a phone whose journal is lost while it runs throws `journal_sync_failed`")
    func lostJournalEndsService() throws {
        let disk = FaultyDisk(InMemoryDisk())
        let fixture = try EngineFixture(disk: disk)
        let service = try PhoneService(
            store: fixture.store, library: fixture.library,
            configuration: .init(installationID: EngineFixture.phone, deviceName: "Test"), report: { _ in })
        disk.setSyncFailure(EIO)
        #expect(throws: StoreError.self) { try fixture.store.setSettings([("documentVersion", "8")]) }
        #expect(fixture.store.hasLostJournal)
        #expect(throws: SenderError.journalLost) { try service.run(StopToken()) }
        #expect(SenderError.journalLost.code == "journal_sync_failed")
    }

    @Test("an import that cannot be opened refuses the request, and keeps the connection")
    func brokenImport() throws {
        let fixture = try EngineFixture()
        fixture.library.failure = CocoaError(.fileReadCorruptFile)
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        guard case .exportRejected(let rejected)? = fixture.channel.sent.last else {
            Issue.record("not answered")
            return
        }
        #expect(rejected.reason == .healthKitFetchFailed)
        #expect(fixture.channel.end == nil)
    }

    @Test("a full state folder refuses no request and drops no push: both go on when there is space again")
    func fullDisk() throws {
        let fixture = try EngineFixture()
        let push = QueuedPush(
            jobID: UUID(), firstDay: "2026-03-01", lastDay: "2026-03-01", queuedAt: fixture.now.date)
        try fixture.store.queuePush(push)
        fixture.library.failure = StoreError.diskFull(path: "phone.sqlite")
        fixture.connect()
        #expect(fixture.channel.end == .storeFailed)
        #expect(try fixture.store.queuedPushes().map(\.jobID) == [push.jobID])
        fixture.connect(isReady: false)
        #expect(fixture.channel.end == nil)
        fixture.receive(.exportRequest(fixture.request()))
        #expect(!fixture.names.contains("iphoneExportRejected") && fixture.channel.end == .storeFailed)
        #expect(fixture.events.contains(.storeFailed(code: "disk_full")))
        fixture.library.failure = nil
        fixture.connect()
        fixture.work()
        #expect(fixture.lastOpen()?.session.jobID == push.jobID)
    }
}
