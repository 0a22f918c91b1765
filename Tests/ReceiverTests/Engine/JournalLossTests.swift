import ConnectedProtocol
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// The disk fails a sync of the journal. Linux then takes the pages for written, so that a retry would lie: nothing more is believed or
/// said, the process is told to end, and a new one goes on from what is on the disk.
@Suite struct JournalLossTests {
    private struct Field {
        let memory = InMemoryDisk()
        let disk: FaultyDisk
        let rig: EngineRig
        let id: UUID
        let answers: AnswerBox
        let phone: FakePhone
        let partitions: [FakePhone.Partition]

        /// A raw job of which one partition is durable.
        init() throws {
            disk = FaultyDisk(memory)
            rig = try EngineRig(state: disk)
            rig.connect()
            (id, answers) = rig.createJob(EngineRig.raw)
            phone = try rig.rawPhone(id)
            partitions = try phone.partitions(payloadBytes: 900)
            try rig.transfer(partitions[0], of: phone)
            _ = rig.channel.take()
        }

        var isLost: Bool { rig.engine.store.database.hasFailedForGood }
        var committed: Int? { rig.engine.book.jobs[id]?.committedPartitions }

        /// What was said that promises something to be on the disk.
        func promises() -> [SyncMessage] {
            rig.channel.take().filter { message in
                switch message {
                case .transferFinalAck(let ack): ack.accepted
                case .corpusFinalAck(let ack): ack.accepted
                case .corpusDisposition(let answer): answer.disposition != .reject
                case .corpusCancelAck(let ack): ack.accepted
                default: false
                }
            }
        }
    }

    @Test("from the failing sync on nothing is acknowledged or told as durable, and the process is told once to end")
    func partition() throws {
        var steps = 0
        var losses = 0
        while true {
            let field = try Field()
            let rig = field.rig
            let told = LineBox()
            rig.engine.journalLoss = { told.put("lost") }
            let start = try rig.begin(field.partitions[1], of: field.phone)
            rig.chunk(1, of: field.partitions[1], start)
            rig.send(.transferComplete(TransferComplete(start)))
            rig.settle(steps: steps)
            let isAcknowledged = !field.promises().filter { if case .transferFinalAck = $0 { true } else { false } }
                .isEmpty
            field.disk.setSyncFailure(EIO)
            rig.settle()
            rig.engine.tellJournalLoss()
            rig.engine.tellJournalLoss()
            if field.isLost {
                losses += 1
                #expect(!isAcknowledged && field.promises().isEmpty && field.committed == 1)
                #expect(told.lines == ["lost"] && rig.lines.count { $0.contains("journal_lost") } == 1)
                try checkAfterwards(field)
            } else {
                #expect(told.lines.isEmpty)
            }
            // A new process on a disk that works, after what the power left: the same transfer ends well.
            try rig.restart(on: FaultyDisk(field.memory.afterPowerLoss(seed: nil)))
            #expect(try #require(rig.engine.book.jobs[field.id]).committedPartitions == (isAcknowledged ? 2 : 1))
            rig.connect()
            for partition in field.partitions { try rig.transfer(partition, of: field.phone) }
            rig.send(try field.phone.finalize(field.partitions))
            rig.settle()
            #expect(rig.engine.book.jobs[field.id]?.state == .completed)
            if isAcknowledged { break }
            steps += 1
        }
        #expect(losses > 0)
    }

    /// Whatever is asked of a receiver that lost its journal, it promises nothing and changes nothing.
    private func checkAfterwards(_ field: Field) throws {
        let rig = field.rig
        // The disk seems to work again: that must not count.
        field.disk.setSyncFailure(nil)
        rig.send(try field.phone.open(field.partitions[1]))
        rig.send(try field.phone.finalize(field.partitions))
        rig.send(
            .corpusCancel(
                CorpusTransferCancel(
                    sessionID: field.phone.session.sessionID, jobID: field.id, reason: .userRequested,
                    requestedAt: ProtocolDate(secondsSince2001: rig.now.wall))))
        rig.settle()
        #expect(field.promises().filter { if case .corpusDisposition = $0 { false } else { true } }.isEmpty)
        #expect(rig.engine.cancel(field.id).response.failureReason == "job_persistence_failed")
        let (submission, _) = rig.create(
            JobRequest(jobID: UUID(), dateSelection: .allAvailable))
        guard case .answered(let answer) = submission else {
            Issue.record("a job was taken")
            return
        }
        #expect(answer.response.status == .unavailable)
        #expect(field.committed == 1 && rig.engine.book.jobs[field.id]?.state.isTerminal == false)
    }

    @Test("a result whose transaction is lost is not acknowledged, and is there after the next start")
    func result() throws {
        let field = try Field()
        let rig = field.rig
        for partition in field.partitions[1...] { try rig.transfer(partition, of: field.phone) }
        rig.send(try field.phone.finalize(field.partitions))
        // The worker composes; what is left is the transaction.
        while !rig.stateHas("control-response.json", on: field.disk, of: field.id) { rig.settle(steps: 1) }
        _ = rig.channel.take()
        field.disk.setSyncFailure(EIO)
        rig.settle()
        #expect(field.isLost && field.promises().isEmpty)
        #expect(rig.engine.book.jobs[field.id]?.state.isTerminal == false)
        #expect(field.answers.answers.allSatisfy { $0.response.status == .accepted })
        try rig.restart(on: FaultyDisk(field.memory.afterPowerLoss(seed: nil)))
        rig.settle()
        #expect(rig.engine.book.jobs[field.id]?.state == .completed)
        rig.connect()
        rig.send(try field.phone.finalize(field.partitions))
        rig.settle()
        #expect(field.promises().count == 1)
    }
}

extension EngineRig {
    /// Whether a job's folder on a disk holds a file of this name.
    fileprivate func stateHas(_ name: String, on disk: any Disk, of jobID: UUID) -> Bool {
        do {
            let folder = try Directory.openRoot(root + "/state", on: disk).directory("jobs/\(jobID.uuidString)")
            return try folder.status(of: name) != nil
        } catch {
            return false
        }
    }
}
