import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

/// A request that meets a phone at work is not lost: it keeps its place and is sent again.
@Suite struct BusyPhoneTests {
    private func requests(_ rig: EngineRig) -> [UUID] {
        rig.settle()
        return rig.channel.take().compactMap { if case .exportRequest(let request) = $0 { request.jobID } else { nil } }
    }

    private func refuse(_ jobID: UUID?, _ rig: EngineRig, _ reason: ExportRejectionReason = .requestAlreadyInProgress) {
        rig.send(
            .exportRejected(
                ExportRejected(
                    jobID: jobID, reason: reason, message: "Busy.",
                    occurredAt: ProtocolDate(secondsSince2001: rig.now.wall))))
        rig.settle()
    }

    @Test(
        "a busy phone fails no job: it stays queued, its waiter waits, and the request is sent again after a bounded time"
    )
    func timer() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        #expect(requests(rig) == [id])
        var delays: [Double] = []
        for _ in 0..<8 {
            refuse(id, rig)
            #expect(rig.engine.book.jobs[id]?.state == .queued && answers.answers.isEmpty)
            #expect(requests(rig).isEmpty)
            let delay = rig.engine.secondsUntilTick()
            delays.append(delay)
            rig.advance(delay - 0.5)
            rig.engine.tick()
            #expect(requests(rig).isEmpty)
            rig.advance(0.5)
            rig.engine.tick()
            #expect(requests(rig) == [id] && rig.engine.book.jobs[id]?.state == .sent)
        }
        #expect(delays == [2, 4, 8, 16, 32, 60, 60, 60])
        #expect(rig.engine.book.turns[id]?.dueAt == nil)
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { #expect(try rig.transfer(partition, of: phone).finalAck?.accepted == true) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == .completed && rig.engine.book.turns.isEmpty)
    }

    @Test("the end of the phone's own export that was in the way sends the request at once, after the final ack")
    func endOfTheOther() throws {
        let rig = try EngineRig()
        rig.disconnect()
        // Queued while the phone was away; its push reaches the receiver first.
        let (id, _) = rig.createJob { $0.queueIfOffline = true }
        rig.connect()
        #expect(requests(rig) == [id])
        let push = try rig.filePhone(UUID())
        let partitions = try push.partitions()
        rig.send(try push.open(partitions[0]))
        refuse(id, rig)
        for partition in partitions { try rig.transfer(partition, of: push) }
        #expect(requests(rig).isEmpty && rig.engine.book.jobs[id]?.state == .queued)
        rig.send(try push.finalize(partitions))
        rig.settle()
        let sent = rig.channel.take()
        let ack = sent.firstIndex { if case .corpusFinalAck = $0 { true } else { false } }
        let request = sent.firstIndex {
            if case .exportRequest(let request) = $0 { request.jobID == id } else { false }
        }
        #expect(try #require(ack) < #require(request))
        #expect(rig.engine.book.jobs[id]?.state == .sent)
    }

    @Test("a job of a phone that leaves while it is busy is sent at its next hello, also after a restart")
    func reconnect() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        refuse(id, rig)
        rig.disconnect()
        #expect(rig.engine.book.turns.isEmpty && rig.engine.secondsUntilTick() > 1)
        rig.connect()
        #expect(requests(rig) == [id])
        refuse(id, rig)
        try rig.restart()
        #expect(rig.engine.book.jobs[id]?.state == .queued)
        rig.connect()
        #expect(requests(rig) == [id])
    }

    @Test("a job that had a session already pauses and goes on; a refusal without an id is for the one that was sent")
    func paused() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        rig.disconnect()
        rig.connect()
        #expect(requests(rig) == [id])
        refuse(nil, rig)
        #expect(rig.engine.book.jobs[id]?.state == .paused)
        for partition in partitions[1...] { try rig.transfer(partition, of: phone) }
        #expect(rig.engine.book.jobs[id]?.state == .transferring && rig.engine.book.turns.isEmpty)
    }

    @Test("a cancelled job is not sent again")
    func cancelled() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        #expect(requests(rig) == [id])
        refuse(id, rig)
        #expect(rig.engine.cancel(id).response.status == .cancelled && answers.answers.count == 1)
        rig.advance(120)
        rig.engine.tick()
        #expect(requests(rig).isEmpty && rig.engine.book.turns.isEmpty)
    }
}
