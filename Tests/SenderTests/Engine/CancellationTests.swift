import Foundation
import Testing

@testable import ConnectedProtocol
@testable import Sender

@Suite("Sender engine: cancellation and odd messages")
struct CancellationTests {
    private func running() throws -> EngineFixture {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        return fixture
    }

    private func sessionID(_ fixture: EngineFixture) throws -> UUID {
        try #require(fixture.lastOpen()).session.sessionID
    }

    @Test("the destination's job cancel ends the job and deletes its items")
    func jobCancel() throws {
        let fixture = try running()
        fixture.receive(.exportCancel(jobID: EngineFixture.jobID))
        fixture.work()
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
        #expect(fixture.itemFileCount == 0)
        guard case .corpusStatus(let status)? = fixture.channel.sent.last else {
            Issue.record("no status")
            return
        }
        #expect(status.state == .cancelled)
    }

    @Test("the destination's session cancel is acknowledged; for an unknown session it is refused")
    func sessionCancel() throws {
        let fixture = try running()
        let cancel = CorpusTransferCancel(
            sessionID: try sessionID(fixture), jobID: EngineFixture.jobID, reason: .userRequested,
            requestedAt: fixture.now.date)
        fixture.receive(.corpusCancel(cancel))
        fixture.receive(.corpusCancel(cancel))
        let answers = fixture.channel.sent.compactMap { message -> Bool? in
            if case .corpusCancelAck(let answer) = message { answer.accepted } else { nil }
        }
        #expect(answers == [true, false])
    }

    @Test("a person's cancel in the middle of a transfer aborts it and asks the destination")
    func userCancel() throws {
        let fixture = try running()
        let open = try #require(fixture.lastOpen())
        fixture.receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: 0,
                    partitionSHA256: open.partition.sha256, disposition: .accept, nextPartitionIndex: 0)))
        _ = fixture.channel.drain()
        fixture.engine.handle(.cancel(jobID: EngineFixture.jobID))
        #expect(fixture.names == ["connectedTransferAbort", "connectedCorpusTransferCancel"])
        fixture.receive(
            .corpusCancelAck(
                CorpusTransferCancelAck(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, accepted: true,
                    acknowledgedAt: fixture.now.date)))
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
    }

    @Test(
        "a wish that another process left is taken once: the destination is asked, as by a person at this process; the wish goes with the job"
    )
    func wishedCancel() throws {
        let fixture = try running()
        let sessionID = try sessionID(fixture)
        _ = fixture.channel.drain()
        try fixture.store.wishCancellation(of: EngineFixture.jobID, at: fixture.now.date)
        fixture.engine.handle(.storeChanged)
        fixture.engine.handle(.storeChanged)
        #expect(fixture.names == ["connectedCorpusTransferCancel"])
        fixture.receive(
            .corpusCancelAck(
                CorpusTransferCancelAck(
                    sessionID: sessionID, jobID: EngineFixture.jobID, accepted: true,
                    acknowledgedAt: fixture.now.date)))
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
        #expect(try fixture.store.wishedCancellations().isEmpty)
    }

    @Test("a process that ends while the destination is asked does not lose the wish")
    func wishSurvives() throws {
        let fixture = try running()
        try fixture.store.wishCancellation(of: EngineFixture.jobID, at: fixture.now.date)
        fixture.engine.handle(.storeChanged)
        #expect(try fixture.stored()?.journal.progress.state != .cancelled)
        try fixture.restart()
        fixture.engine.handle(.storeChanged)
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
        #expect(try fixture.store.wishedCancellations().isEmpty)
    }

    private func cancelAck(_ fixture: EngineFixture, _ sessionID: UUID, accepted: Bool) {
        fixture.receive(
            .corpusCancelAck(
                CorpusTransferCancelAck(
                    sessionID: sessionID, jobID: EngineFixture.jobID, accepted: accepted,
                    acknowledgedAt: fixture.now.date)))
    }

    private func cancelCount(_ fixture: EngineFixture) -> Int {
        fixture.channel.drain().count { message in
            if case .corpusCancel = message { true } else { false }
        }
    }

    @Test("a cancel while the destination is away is told at every connection, across restarts, until it is confirmed")
    func owedCancel() throws {
        let fixture = try running()
        let sessionID = try sessionID(fixture)
        fixture.disconnect()
        fixture.engine.handle(.cancel(jobID: EngineFixture.jobID))
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
        fixture.connect()
        #expect(cancelCount(fixture) == 1)
        try fixture.restart()
        fixture.connect()
        #expect(cancelCount(fixture) == 1)
        cancelAck(fixture, sessionID, accepted: false)
        #expect(fixture.names == ["macExportCancel"], "it may know the job that it asked for, and no session")
        cancelAck(fixture, UUID(), accepted: true)
        fixture.pass(seconds: 29)
        #expect(cancelCount(fixture) == 0)
        fixture.pass(seconds: 1)
        #expect(cancelCount(fixture) == 1, "refused: the destination was busy, or its disk full")
        cancelAck(fixture, sessionID, accepted: true)
        fixture.pass(seconds: 7_200)
        fixture.connect()
        #expect(cancelCount(fixture) == 0)
    }

    @Test("a cancel that the destination refuses until its patience is over is told again while the connection lasts")
    func refusedCancel() throws {
        let fixture = try running()
        let sessionID = try sessionID(fixture)
        fixture.engine.handle(.cancel(jobID: EngineFixture.jobID))
        for _ in 0..<41 {
            cancelAck(fixture, sessionID, accepted: false)
            fixture.pass(seconds: 0.5)
        }
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
        _ = fixture.channel.drain()
        for wait in [30.0, 30, 60] {
            fixture.pass(seconds: wait)
            #expect(cancelCount(fixture) == 1)
        }
        cancelAck(fixture, sessionID, accepted: true)
        #expect(try fixture.store.owedCancels().isEmpty)
    }

    @Test("a cancel before anything was opened is owed to nobody")
    func unknownCancel() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.engine.handle(.cancel(jobID: EngineFixture.jobID))
        #expect(try fixture.stored()?.journal.progress.state == .cancelled)
        fixture.connect()
        #expect(cancelCount(fixture) == 0)
    }

    @Test("a push that is no job yet is dropped by a cancel; an unknown id changes nothing")
    func cancelledPush() throws {
        let fixture = try EngineFixture()
        let push = QueuedPush(
            jobID: UUID(), firstDay: "2026-03-01", lastDay: "2026-03-02", queuedAt: fixture.now.date)
        try fixture.store.queuePush(push)
        fixture.engine.handle(.cancel(jobID: UUID()))
        #expect(try fixture.store.queuedPushes() == [push])
        fixture.engine.handle(.cancel(jobID: push.jobID))
        #expect(try fixture.store.queuedPushes().isEmpty)
        #expect(fixture.events.contains(.pushDropped(jobID: push.jobID, code: "cancelled")))
    }

    @Test("a destination that refuses a partition's bytes fails the job")
    func refusedTransfer() throws {
        let fixture = try running()
        try fixture.takePartition(finalAck: false)
        let start = fixture.channel.sent.compactMap { message -> TransferStart? in
            if case .transferStart(let start) = message { start } else { nil }
        }.last
        let transfer = try #require(start)
        fixture.receive(
            .transferFinalAck(
                TransferFinalAck(transferID: transfer.transferID, accepted: false, sha256: transfer.sha256)))
        #expect(try fixture.stored()?.journal.progress.state == .failed)
    }

    @Test("answers to transfers and jobs that are over change nothing")
    func lateAnswers() throws {
        let fixture = try running()
        let open = try #require(fixture.lastOpen())
        fixture.receive(.exportCancel(jobID: EngineFixture.jobID))
        _ = fixture.channel.drain()
        fixture.receive(.transferAck(TransferAck(transferID: UUID(), sequence: 1, sha256: open.partition.sha256)))
        fixture.receive(.exportCancel(jobID: EngineFixture.jobID))
        #expect(fixture.channel.sent.isEmpty)
    }

    @Test("the destination's report about a file job is kept with the job")
    func result() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request(profile: nil)))
        fixture.work()
        try fixture.takePartition()
        let result = MacExportResult(
            jobID: EngineFixture.jobID, status: .success, successCount: 2, totalCount: 2, formatsPerDate: 2,
            totalFilesWritten: 5, completedAt: fixture.now.date)
        fixture.receive(.macExportResult(result))
        try fixture.confirmEnd()
        #expect(try fixture.stored()?.result == result)
    }

    @Test("a request that breaks a rule of its types is answered")
    func malformedRequest() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        let message = try SyncMessage.decode(
            Array(#"{"iphoneExportRequest":{"_0":{"jobID":"10B00000-0000-4000-8000-000000000001"}}}"#.utf8))
        fixture.receive(message)
        guard case .exportRejected(let rejected)? = fixture.channel.sent.last else {
            Issue.record("not answered")
            return
        }
        #expect(rejected.jobID == EngineFixture.jobID)
        #expect(rejected.reason == .unsupportedPeer)
    }

    @Test("a message of a connection that was replaced is ignored")
    func replacedConnection() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        let old = fixture.channel
        fixture.connect()
        #expect(old.end == .replaced)
        fixture.engine.handle(.message(old, .exportRequest(fixture.request())))
        #expect(try fixture.stored() == nil)
    }
}
