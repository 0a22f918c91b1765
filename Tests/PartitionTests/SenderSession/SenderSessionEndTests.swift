import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite("Sender session: loss, resumption, cancellation, expiry (corpus-protocol.md 15, 16, 18)")
struct SenderSessionEndTests {
    @Test("a lost connection pauses the job; the same transfer and descriptor are used after the next hello")
    func resumeInFlight() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        fixture.handle(.disposition(try fixture.disposition(.accept)))
        let pending = fixture.session.journal.progress.pendingPartition
        #expect(fixture.handle(.peerLost).names == ["stop:silently", "store:paused"])
        try fixture.restart()
        #expect(fixture.session.journal.progress.pendingPartition == pending)
        let actions = fixture.handle(.peerReady)
        #expect(
            actions.names == ["store:transferring", "send:connectedCorpusStatus", "send:connectedCorpusTransferOpen"])
    }

    @Test("a restart without a stored partition makes the items anew")
    func restartBeforeFirstStore() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.stored = fixture.session.journal
        fixture.handle(.peerReady)
        #expect(fixture.session.journal.progress.nextItemIndex == 2)
        fixture.stored = try SessionFixture.journal(days: 2)
        try fixture.restart()
        fixture.handle(.peerReady)
        #expect(fixture.session.journal.progress.nextItemIndex == 2)
        #expect(fixture.session.journal.progress.pendingPartition != nil)
    }

    @Test("hello and the re-sent request resume once")
    func resumeOnce() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        #expect(fixture.handle(.peerReady).isEmpty)
    }

    @Test("the peer's cancel deletes the items, keeps the journal and is acknowledged")
    func peerCancel() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        let actions = fixture.handle(.peerCancelled(answer: true, message: nil))
        #expect(
            actions.names == [
                "store:cancelled", "send:connectedCorpusStatus", "delete:2", "send:connectedCorpusTransferCancelAck",
                "ended:cancelled",
            ])
        #expect(cancelAnswers(actions) == [true])
    }

    @Test("a cancel after the end is acknowledged with accepted: false")
    func lateCancel() throws {
        var fixture = try SessionFixture(days: 1)
        fixture.handle(.peerReady)
        fixture.handle(.peerCancelled(answer: false, message: nil))
        let actions = fixture.handle(.peerCancelled(answer: true, message: nil))
        #expect(cancelAnswers(actions) == [false])
    }

    private func cancelAnswers(_ actions: [SenderSession.Action]) -> [Bool] {
        actions.compactMap { action in
            if case .send(.corpusCancelAck(let answer)) = action { return answer.accepted }
            return nil
        }
    }

    @Test("a person's cancel asks the destination, repeats while that is busy, and ends with its consent")
    func userCancel() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        fixture.handle(.disposition(try fixture.disposition(.accept)))
        #expect(fixture.handle(.userCancelled).names == ["stop:cancelled", "send:connectedCorpusTransferCancel"])
        fixture.handle(.cancelAck(cancelAck(fixture, accepted: false)))
        #expect(fixture.pass(seconds: 0.5).messages == ["connectedCorpusTransferCancel"])
        #expect(fixture.session.journal.progress.state == .transferring)
        fixture.handle(.cancelAck(cancelAck(fixture, accepted: true)))
        #expect(fixture.session.journal.progress.state == .cancelled)
    }

    @Test(
        "a destination that was busy honours a person's cancel with its own: the job ends as cancelled here",
        arguments: [false, true])
    func cancelsCross(answer: Bool) throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        fixture.handle(.userCancelled)
        fixture.handle(.cancelAck(cancelAck(fixture, accepted: false)))
        let actions = fixture.handle(.peerCancelled(answer: answer, message: nil))
        #expect(cancelAnswers(actions) == (answer ? [true] : []))
        #expect(fixture.session.journal.progress.statusMessage == "Cancelled by the person at the source.")
        #expect(!fixture.session.journal.progress.owesCancel)
    }

    @Test("a person's cancel without an answer ends the job after 20 seconds")
    func userCancelTimeout() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        fixture.handle(.userCancelled)
        let actions = fixture.pass(seconds: 20)
        #expect(actions.names.last == "ended:cancelled")
    }

    private func cancelAck(_ fixture: SessionFixture, accepted: Bool) -> CorpusTransferCancelAck {
        CorpusTransferCancelAck(
            sessionID: fixture.session.journal.session.sessionID, jobID: fixture.session.journal.session.jobID,
            accepted: accepted, acknowledgedAt: fixture.now.date)
    }

    @Test("another identity fails the job")
    func identityChange() throws {
        var fixture = try SessionFixture(days: 1)
        fixture.handle(.identityChanged)
        #expect(fixture.session.journal.progress.state == .failed)
    }

    @Test("a job expires seven days after its creation, not before")
    func expiry() throws {
        var fixture = try SessionFixture(days: 1)
        fixture.handle(.peerReady)
        fixture.now.wall = fixture.session.journal.expiresAt.secondsSince2001 - 0.001
        fixture.handle(.timer)
        #expect(!fixture.session.journal.progress.state.isTerminal)
        fixture.now.wall += 0.001
        let actions = fixture.handle(.timer)
        #expect(fixture.session.journal.progress.state == .expired)
        #expect(actions.names.contains("delete:1"))
    }

    @Test("an item that is done when its job has expired meanwhile is deleted too")
    func itemAfterExpiry() throws {
        var fixture = try SessionFixture(days: 1)
        fixture.isManual = true
        fixture.handle(.peerReady)
        let item = try fixture.nextItem()
        fixture.now.wall = fixture.session.journal.expiresAt.secondsSince2001
        let actions = fixture.handle(.itemProduced(item))
        #expect(fixture.session.journal.progress.state == .expired)
        #expect(actions.names.contains("delete:1"))
    }

    @Test("a clock that was set back does not turn the journal's time back")
    func clockSetBack() throws {
        var fixture = try SessionFixture(days: 1)
        fixture.handle(.peerReady)
        let before = fixture.session.journal.progress.updatedAt
        fixture.now.wall -= 3_600
        fixture.handle(.peerLost)
        #expect(fixture.session.journal.progress.updatedAt == before)
    }

    @Test("an item that is finished after the end is deleted")
    func lateItem() throws {
        var fixture = try SessionFixture(days: 2)
        let item = PendingItem(
            itemID: SessionFixture.uuid("17E7", 9), kind: .strictRawDay,
            sourceDate: fixture.session.journal.manifest.transferDates[0], isRequestedDate: true, totalBytes: 1,
            sha256: SHA256.hash(""))
        fixture.handle(.peerCancelled(answer: false, message: nil))
        #expect(fixture.handle(.itemProduced(item)).names == ["delete:1"])
    }

    // MARK: The in-memory sender (corpus-protocol.md 12.2)

    @Test("the in-memory sender stores nothing and sends no status")
    func inMemoryIsSilent() throws {
        var fixture = try SessionFixture(days: 1, durability: .inMemory)
        fixture.handle(.peerReady)
        try fixture.sendPartition()
        fixture.handle(.finalAck(try fixture.finalAck()))
        #expect(fixture.stored == nil)
        #expect(fixture.log.count(of: .connectedCorpusStatus) == 0)
        #expect(fixture.session.journal.progress.state == .completed)
    }

    @Test("the in-memory sender fails on a reject and tells the peer with a cancel")
    func inMemoryReject() throws {
        var fixture = try SessionFixture(days: 1, durability: .inMemory)
        fixture.handle(.peerReady)
        let actions = fixture.handle(.disposition(try fixture.disposition(.reject)))
        #expect(actions.messages == ["connectedCorpusTransferCancel"])
        #expect(fixture.session.journal.progress.state == .failed)
    }

    @Test("the in-memory sender retries a partition for 15 minutes, one second apart")
    func inMemoryRetries() throws {
        var fixture = try SessionFixture(days: 1, durability: .inMemory)
        fixture.handle(.peerReady)
        var attempts = 0
        while !fixture.session.journal.progress.state.isTerminal {
            fixture.handle(.disposition(try fixture.disposition(.accept)))
            fixture.now.monotonic += 99
            fixture.handle(.transferEnded(.aborted(.timedOut, message: nil)))
            attempts += 1
            _ = fixture.pass(seconds: 1)
        }
        #expect(attempts == 10)
        #expect(fixture.session.journal.progress.state == .failed)
    }

    @Test("the in-memory sender does not survive its connection")
    func inMemoryLoss() throws {
        var fixture = try SessionFixture(days: 1, durability: .inMemory)
        fixture.handle(.peerReady)
        fixture.handle(.peerLost)
        #expect(fixture.session.journal.progress.state == .failed)
    }

    @Test("the in-memory sender asks to finalize every minute for 45 minutes")
    func inMemoryFinalize() throws {
        var fixture = try SessionFixture(days: 1, durability: .inMemory)
        fixture.handle(.peerReady)
        try fixture.sendPartition()
        var finalizes = 1
        while !fixture.session.journal.progress.state.isTerminal {
            finalizes += fixture.pass(seconds: 60).count(of: .connectedCorpusTransferFinalize)
        }
        #expect(finalizes == 45)
    }
}
