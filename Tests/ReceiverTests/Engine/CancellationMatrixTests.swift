import ConnectedProtocol
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// Cancelling a job (corpus-protocol.md 15, control-api.md 10): by whom, and when.
@Suite struct CancellationMatrixTests {
    /// Who cancels.
    enum Who: CaseIterable, Sendable {
        /// A client of the control API.
        case client
        /// The phone, by its session.
        case phoneSession
        /// The phone, by the job.
        case phoneJob
    }

    /// What the job is at.
    enum When: CaseIterable, Sendable {
        case sent, betweenPartitions, inTransfer, applying, paused, writing, suspended, completed
    }

    private struct Field {
        let rig: EngineRig
        let id: UUID
        let phone: FakePhone
        var session: LiveSession? { rig.engine.session(phone.session.sessionID) }

        var hasPayload: Bool { rig.stateFiles().contains { $0.hasSuffix(".item") || $0.contains("spool-") } }
    }

    private func bring(_ when: When) throws -> Field {
        let rig = try EngineRig(sliceSeconds: 0)
        rig.connect()
        let isRaw = when == .suspended
        let (id, _) = rig.createJob { if isRaw { EngineRig.raw(&$0) } }
        let phone = isRaw ? try rig.rawPhone(id) : try rig.filePhone(id)
        let field = Field(rig: rig, id: id, phone: phone)
        let partitions = try phone.partitions(payloadBytes: 900)
        if when == .sent { return field }
        try rig.transfer(partitions[0], of: phone)
        switch when {
        case .sent, .betweenPartitions: break
        case .inTransfer: try rig.begin(partitions[1], of: phone)
        case .applying:
            let start = try rig.begin(partitions[1], of: phone)
            rig.chunk(partitions[1].transferID, 1, partitions[1].bytes)
            rig.send(.transferComplete(TransferComplete(start)))
            while field.session?.machine.application == nil { rig.settle(steps: 1) }
        case .paused: rig.disconnect()
        case .writing, .suspended, .completed:
            for partition in partitions[1...] { try rig.transfer(partition, of: phone) }
            if when == .suspended { rig.disk.setWriteFailure(ENOSPC) }
            rig.send(try phone.finalize(partitions))
            while when == .writing, (field.session?.frontier ?? 1) < 1 { rig.settle(steps: 1) }
            if when != .writing { rig.settle() }
            rig.disk.setWriteFailure(nil)
        }
        _ = rig.channel.take()
        return field
    }

    private func cancel(_ who: Who, _ field: Field) {
        switch who {
        case .client: _ = field.rig.engine.cancel(field.id)
        case .phoneSession:
            field.rig.send(
                .corpusCancel(
                    CorpusTransferCancel(
                        sessionID: field.phone.session.sessionID, jobID: field.id, reason: .userRequested,
                        requestedAt: ProtocolDate(secondsSince2001: field.rig.now.wall))))
        case .phoneJob: field.rig.send(.macExportCancel(jobID: field.id))
        }
    }

    /// What the phone was answered to its session's cancels.
    private func answers(_ field: Field) -> [Bool] {
        field.rig.settle()
        return field.rig.channel.take().compactMap { message in
            if case .corpusCancelAck(let ack) = message { ack.accepted } else { nil }
        }
    }

    @Test("a job can be cancelled by each side at any time before its end", arguments: Who.allCases, When.allCases)
    func cancels(_ who: Who, _ when: When) throws {
        let field = try bring(when)
        let rig = field.rig
        let isAway = when == .paused
        if isAway, who != .client { return }
        let before = rig.engine.book.jobs[field.id]
        cancel(who, field)
        let isInStep = when == .applying || when == .writing
        if isInStep, who == .client {
            #expect(rig.engine.book.jobs[field.id]?.response.failureReason == "cancellation_deferred")
        }
        let first = answers(field)
        if who == .phoneSession {
            // No session yet, a step in flight, or over: the phone is told to try again, or that there is nothing.
            #expect(first == [![.sent, .applying, .writing, .completed].contains(when)])
        }
        if when == .completed || (when == .sent && who == .phoneSession) {
            #expect(rig.engine.book.jobs[field.id] == before)
            return
        }
        let job = try #require(rig.engine.book.jobs[field.id])
        #expect(job.state == .cancelled && job.result?.status == .cancelled && !job.isCancellationWanted)
        #expect(!field.hasPayload)
        if let session = field.session { #expect(session.machine.journal.state == .cancelled) }
        // Exactly the days that were complete stay, and are counted.
        let days = rig.destinationFiles().filter { $0.hasSuffix(".json") }.count
        #expect(job.result?.successCount == days && (when == .writing) == (days > 0))
        if who == .phoneSession {
            cancel(who, field)
            #expect(answers(field) == [true], "a repeat is answered like the first")
        }
        // Nothing revives it; what is durable is still answered as that (corpus-protocol.md 13.2.10).
        let partition = try field.phone.partitions(payloadBytes: 900)[1]
        if isAway { rig.connect() }
        let isDurable = isInStep || when == .suspended
        #expect(try rig.transfer(partition, of: field.phone).disposition == (isDurable ? .alreadyCommitted : .reject))
        try rig.restart()
        rig.connect()
        let told = rig.channel.take().contains { message in
            if case .exportCancel(field.id) = message { true } else { false }
        }
        #expect(told == (who == .client || isInStep))
        #expect(rig.engine.book.jobs[field.id]?.state == .cancelled)
    }

    @Test("a cancel that cannot be stored is not accepted, and nothing is deleted", arguments: Who.allCases)
    func notStored(_ who: Who) throws {
        let field = try bring(.betweenPartitions)
        let database = field.rig.engine.store.database
        try database.transaction { try $0.run("ALTER TABLE sessions RENAME TO hidden_sessions") }
        cancel(who, field)
        let answers = answers(field)
        if who == .phoneSession { #expect(answers == [false]) }
        #expect(field.rig.engine.book.jobs[field.id]?.state == .transferring && field.hasPayload)
        try database.transaction { try $0.run("ALTER TABLE hidden_sessions RENAME TO sessions") }
        cancel(who, field)
        field.rig.settle()
        #expect(field.rig.engine.book.jobs[field.id]?.state == .cancelled && !field.hasPayload)
    }

    @Test("a phone that did not keep the cancel, and opens again, is told again", arguments: Who.allCases)
    func forgotten(_ who: Who) throws {
        let field = try bring(.betweenPartitions)
        cancel(who, field)
        field.rig.settle()
        _ = field.rig.channel.take()
        field.rig.send(try field.phone.open(field.phone.partitions(payloadBytes: 900)[1]))
        field.rig.settle()
        let told = field.rig.channel.take()
        #expect(
            told.contains { message in
                if case .corpusDisposition(let answer) = message { answer.disposition == .reject } else { false }
            })
        #expect(
            told.contains { message in
                if case .exportCancel(field.id) = message { true } else { false }
            })
    }

    @Test("a process that ends between a cancel and the removal leaves no result behind: the next start removes it")
    func killedBeforeRemoval() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        func results() -> Int { rig.stateFiles().count { $0.hasSuffix("control-response.json") } }
        while results() < 2 { rig.settle(steps: 1) }
        // Both copies are composed; the cancel is stored; the removal has not begun.
        _ = rig.engine.cancel(id)
        while rig.engine.book.jobs[id]?.state != .cancelled { rig.settle(steps: 1) }
        try #require(results() == 2)
        try rig.restart()
        #expect(results() == 0 && rig.engine.book.jobs[id]?.state == .cancelled)
    }

    @Test("a disconnect is no cancel")
    func disconnect() throws {
        for when in [When.betweenPartitions, .inTransfer, .applying, .writing] {
            let field = try bring(when)
            field.rig.disconnect()
            field.rig.settle()
            let state = field.rig.engine.book.jobs[field.id]?.state
            #expect(state == (when == .writing ? .completed : .paused), "\(when)")
        }
    }
}
