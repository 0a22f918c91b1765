import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite("Sender session: answers, waits and retries (corpus-protocol.md 12.1)")
struct SenderSessionAnswerTests {
    private func opened(days: Int = 2) throws -> SessionFixture {
        var fixture = try SessionFixture(days: days)
        fixture.handle(.peerReady)
        return fixture
    }

    @Test("already_committed counts as accepted and moves no bytes")
    func alreadyCommitted() throws {
        var fixture = try opened()
        fixture.handle(.disposition(try fixture.disposition(.alreadyCommitted)))
        #expect(!fixture.log.names.contains("begin:0"))
        #expect(fixture.session.journal.progress.committedPartitionCount == 1)
        #expect(fixture.log.messages.last == "connectedCorpusTransferFinalize")
    }

    @Test("a reject pauses the job and keeps everything")
    func reject() throws {
        var fixture = try opened()
        fixture.handle(.disposition(try fixture.disposition(.reject)))
        #expect(fixture.session.journal.progress.state == .paused)
        #expect(fixture.session.journal.progress.pendingPartition != nil)
        #expect(fixture.log.lastStatus?.state == .paused)
    }

    @Test("a parked job is taken up again after its retry time, with the same transfer and descriptor")
    func parkedRetry() throws {
        var fixture = try opened()
        let before = fixture.session.journal.progress.pendingPartition
        fixture.handle(.disposition(try fixture.disposition(.reject)))
        #expect(fixture.pass(seconds: 29).isEmpty)
        let actions = fixture.pass(seconds: 1)
        #expect(actions.messages.last == "connectedCorpusTransferOpen")
        #expect(fixture.session.journal.progress.pendingPartition == before)
    }

    @Test("an answer about another partition fails the job")
    func foreignAnswer() throws {
        var fixture = try opened()
        fixture.handle(.disposition(try fixture.disposition(.accept, sha256: SHA256.hash("other"))))
        #expect(fixture.session.journal.progress.state == .failed)
        #expect(fixture.log.names.last == "ended:failed")
    }

    @Test("a repeated answer for the committed partition before is ignored")
    func staleAnswer() throws {
        var fixture = try SessionFixture(days: 2, itemSizes: [40_000_000, 10])
        fixture.handle(.peerReady)
        let stale = try fixture.disposition(.accept)
        try fixture.sendPartition()
        #expect(fixture.handle(.disposition(stale)).isEmpty)
        #expect(fixture.session.journal.progress.state == .transferring)
    }

    @Test("an answer that nobody waits for changes nothing")
    func unaskedAnswer() throws {
        var fixture = try opened()
        let answer = try fixture.disposition(.accept)
        fixture.handle(.disposition(answer))
        #expect(fixture.handle(.disposition(answer)).isEmpty)
    }

    @Test("open is sent three times in each of two attempts, then the job pauses")
    func openTimeouts() throws {
        var fixture = try opened()
        var opens = 1
        for _ in 0..<40 where fixture.session.journal.progress.state != .paused {
            opens += fixture.pass(seconds: fixture.nextWait).count(of: .connectedCorpusTransferOpen)
        }
        #expect(opens == 6)
        #expect(fixture.session.journal.progress.state == .paused)
        #expect(fixture.now.monotonic - 100 == 6 * 20 + 0.5)
    }

    @Test(
        "an abort is retried, ends the job or cancels it by its class",
        arguments: AbortReason.allCases)
    func aborts(reason: AbortReason) throws {
        var fixture = try opened()
        fixture.handle(.disposition(try fixture.disposition(.accept)))
        fixture.handle(.transferEnded(.aborted(reason, message: nil)))
        switch reason.retryClass {
        case .fatal: #expect(fixture.session.journal.progress.state == .failed)
        case .cancellation: #expect(fixture.session.journal.progress.state == .cancelled)
        case .retryable:
            #expect(fixture.session.journal.progress.state == .transferring)
            let again = fixture.pass(seconds: 0.5)
            #expect(again.messages == ["connectedCorpusTransferOpen"])
            fixture.handle(.disposition(try fixture.disposition(.accept)))
            fixture.handle(.transferEnded(.aborted(reason, message: nil)))
            #expect(fixture.session.journal.progress.state == .paused)
        }
    }

    @Test("finalize is repeated three times, then the job pauses; a late ack still completes it")
    func finalizeTimeouts() throws {
        var fixture = try opened()
        try fixture.sendPartition()
        var finalizes = 1
        while fixture.session.journal.progress.state == .finalizing {
            finalizes += fixture.pass(seconds: 120).count(of: .connectedCorpusTransferFinalize)
        }
        #expect(finalizes == 3)
        #expect(fixture.session.journal.progress.state == .paused)
        fixture.handle(.finalAck(try fixture.finalAck()))
        #expect(fixture.session.journal.progress.state == .completed)
    }

    @Test("finalization is resumed alone, without another open")
    func finalizeAlone() throws {
        var fixture = try opened()
        try fixture.sendPartition()
        fixture.handle(.peerLost)
        try fixture.restart()
        let actions = fixture.handle(.peerReady)
        #expect(actions.count(of: .connectedCorpusTransferOpen) == 0)
        #expect(actions.count(of: .connectedCorpusTransferFinalize) == 1)
    }

    @Test("a final ack that refuses, or confirms other data, fails the job", arguments: [true, false])
    func badFinalAck(refuses: Bool) throws {
        var fixture = try opened()
        try fixture.sendPartition()
        let acknowledgement =
            refuses ? try fixture.finalAck(accepted: false) : try fixture.finalAck(sha256: SHA256.hash("other"))
        fixture.handle(.finalAck(acknowledgement))
        #expect(fixture.session.journal.progress.state == .failed)
    }

    @Test("a final ack before all is committed is ignored")
    func earlyFinalAck() throws {
        var fixture = try opened()
        #expect(fixture.handle(.finalAck(try fixture.finalAck(sha256: SHA256.hash("x")))).isEmpty)
    }

    @Test("work that was asked for twice after a failure is taken once")
    func repeatedWork() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.isManual = true
        fixture.handle(.peerReady)
        // The first day fails, the job waits, and the day is asked for again; then both results come.
        fixture.handle(.localFailure(code: "disk_full", message: "Full.", isFinal: false))
        _ = fixture.pass(seconds: 30)
        #expect(fixture.log.names.count { $0 == "produce" } == 2)
        let first = fixture.session.journal.manifest.transferDates[0]
        let items = (101...102).map { number in
            PendingItem(
                itemID: SessionFixture.uuid("17E7", number), kind: .strictRawDay, sourceDate: first,
                isRequestedDate: true, totalBytes: 10, sha256: SHA256.hash("x"))
        }
        fixture.handle(.itemProduced(items[0]))
        #expect(fixture.handle(.itemProduced(items[1])).names == ["delete:1"])
        #expect(fixture.session.journal.progress.nextItemIndex == 1)
        fixture.isManual = false
        fixture.handle(.itemProduced(try fixture.nextItem()))
        let pending = try #require(fixture.session.journal.progress.pendingPartition)
        #expect(fixture.handle(.partitionBuilt(pending)).isEmpty)
        #expect(fixture.session.journal.progress.pendingPartition == pending)
        try fixture.sendPartition()
        #expect(fixture.session.journal.hasCommittedAllItems)
    }

    @Test("a partition of items that the journal does not know is not taken")
    func strangePartition() throws {
        var first = try SessionFixture(days: 2)
        first.handle(.peerReady)
        let partition = try #require(first.session.journal.progress.pendingPartition)
        var second = try SessionFixture(days: 2)
        second.isManual = true
        second.handle(.peerReady)
        #expect(second.handle(.partitionBuilt(partition)).isEmpty)
        #expect(second.session.journal.progress.pendingPartition == nil)
    }

    @Test("want of space pauses the job; a damaged item file fails it")
    func localFailures() throws {
        var full = try opened()
        full.handle(.localFailure(code: "disk_full", message: "The disk is full.", isFinal: false))
        #expect(full.session.journal.progress.state == .paused)
        #expect(full.pass(seconds: 30).count(of: .connectedCorpusTransferOpen) == 1)
        var damaged = try opened()
        let actions = damaged.handle(.localFailure(code: "item_damaged", message: "Gone.", isFinal: true))
        #expect(damaged.session.journal.progress.state == .failed)
        #expect(actions.names.contains("delete:2"))
    }
}

extension SessionFixture {
    /// Seconds until something is due.
    var nextWait: Double { (session.nextDeadline ?? now.monotonic) - now.monotonic }
}
