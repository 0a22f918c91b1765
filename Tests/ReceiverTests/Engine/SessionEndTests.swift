import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

/// Sessions that end before their result: whoever ends them, the slot is free, the payload is gone, and both know.
@Suite struct SessionEndTests {
    private func status(of phone: FakePhone, _ state: CorpusState, at now: Moment) -> SyncMessage {
        let date = ProtocolDate(secondsSince2001: now.wall)
        return .corpusStatus(
            CorpusStatus(
                jobID: phone.session.jobID, sessionID: phone.session.sessionID,
                requestFingerprint: phone.manifest.fingerprint, state: state, processedDays: 0, totalDays: 3,
                committedPartitionCount: 1, committedBytes: 1, updatedAt: date, expiresAt: date))
    }

    private func cancels(_ messages: [SyncMessage]) -> (requests: [UUID], sessions: [UUID]) {
        var requests: [UUID] = []
        var sessions: [UUID] = []
        for message in messages {
            if case .exportCancel(let jobID) = message { requests.append(jobID) }
            if case .corpusCancel(let cancel) = message { sessions.append(cancel.sessionID) }
        }
        return (requests, sessions)
    }

    @Test(
        "a job that the phone reports as over frees the phone's slot and drops the payload, so that the next one can begin",
        arguments: [CorpusState.failed, .expired, .cancelled])
    func phoneEndsJob(_ state: CorpusState) throws {
        let rig = try EngineRig()
        rig.connect()
        let (first, _) = rig.createJob()
        let phone = try rig.filePhone(first)
        try rig.transfer(try phone.partitions(payloadBytes: 900)[0], of: phone)
        #expect(rig.stateFiles().contains { $0.hasSuffix(".item") })
        rig.send(status(of: phone, state, at: rig.now))
        rig.settle()
        #expect(rig.engine.book.jobs[first]?.state == (state == .cancelled ? .cancelled : .failed))
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") || $0.contains("spool-") })

        let (second, _) = rig.createJob()
        let next = try rig.filePhone(second)
        #expect(try rig.transfer(try next.partitions()[0], of: next).disposition == .accept)
        #expect(try rig.transfer(try phone.partitions(payloadBytes: 900)[1], of: phone).disposition == .reject)
    }

    @Test(
        "a job that the phone reports as over while its result is made stops there: no further file, no success, no payload",
        arguments: [CorpusState.failed, .expired, .cancelled], [false, true])
    func phoneEndsJobWhileFinalizing(_ state: CorpusState, isRaw: Bool) throws {
        let rig = try EngineRig(sliceSeconds: 0)
        rig.connect()
        let (id, _) = rig.createJob { if isRaw { EngineRig.raw(&$0) } }
        let phone = isRaw ? try rig.rawPhone(id) : try rig.filePhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle(steps: isRaw ? 0 : 3)
        let before = rig.destinationFiles()
        rig.send(status(of: phone, state, at: rig.now))
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == (state == .cancelled ? .cancelled : .failed))
        #expect(rig.engine.session(phone.session.sessionID)?.machine.journal.state == .cancelled)
        // The step that ran may have ended; a later one did not begin.
        #expect(rig.destinationFiles().count <= before.count + 2)
        #expect(
            !rig.channel.take().contains { if case .corpusFinalAck(let ack) = $0 { ack.accepted } else { false } })
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") || $0.hasSuffix("control-response.json") })
    }

    @Test(
        "cancelling an export that the phone started tells the phone by its session, at once and at every later hello")
    func cancelOfPushIsTold() throws {
        let rig = try EngineRig()
        rig.connect()
        let phone = try rig.filePhone(UUID())
        try rig.transfer(try phone.partitions(payloadBytes: 900)[0], of: phone)
        _ = rig.channel.take()
        #expect(rig.engine.cancel(phone.session.jobID).response.status == .cancelled)
        let told = cancels(rig.channel.take())
        #expect(told.sessions == [phone.session.sessionID] && told.requests.isEmpty)
        rig.disconnect()
        rig.connect()
        #expect(cancels(rig.channel.take()).sessions == [phone.session.sessionID])
    }

    @Test("a cancel that the phone sent is answered, and not sent back to it")
    func ownCancelIsNotEchoed() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        try rig.transfer(try phone.partitions(payloadBytes: 900)[0], of: phone)
        _ = rig.channel.take()
        rig.send(
            .corpusCancel(
                CorpusTransferCancel(
                    sessionID: phone.session.sessionID, jobID: id, reason: .userRequested,
                    requestedAt: ProtocolDate(secondsSince2001: rig.now.wall))))
        #expect(!rig.channel.sent.contains { if case .corpusCancelAck = $0 { true } else { false } })
        rig.settle()
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") })
        let messages = rig.channel.take().filter { if case .macStatus = $0 { false } else { true } }
        guard messages.count == 2, case .macExportResult(let result) = messages[0],
            case .corpusCancelAck(let ack) = messages[1]
        else {
            Issue.record("the result, then the answer, and nothing else")
            return
        }
        #expect(result.status == .cancelled && ack.accepted)
        rig.disconnect()
        rig.connect()
        #expect(cancels(rig.channel.take()).requests.isEmpty)
    }

    @Test("a cancel of the receiver aborts the transfer that runs, so that the phone waits for nothing")
    func cancelAbortsTransfer() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        try rig.begin(partition, of: phone)
        _ = rig.channel.take()
        #expect(rig.engine.cancel(id).response.status == .cancelled)
        rig.settle()
        let aborts = rig.channel.take().aborts
        #expect(aborts.map(\.reason) == [.cancelled] && aborts.first?.transferID == partition.transferID)
        #expect(!rig.stateFiles().contains { $0.contains("spool-") || $0.hasSuffix(".item") })
    }

    @Test("a phone that says it paused is sent no abort: it could take that for a cancel")
    func pauseIsNotAborted() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        try rig.begin(partition, of: phone)
        _ = rig.channel.take()
        rig.send(status(of: phone, .paused, at: rig.now))
        rig.settle()
        #expect(!rig.channel.take().contains { if case .transferAbort = $0 { true } else { false } })
        #expect(!rig.stateFiles().contains { $0.contains("spool-") } && rig.engine.book.jobs[id]?.state == .paused)
    }

    @Test("the payload of a finished session is gone before the phone hears that it is done")
    func payloadGoesFirst() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        func isTold() -> Bool { rig.channel.sent.contains { if case .corpusFinalAck = $0 { true } else { false } } }
        while rig.engine.book.jobs[id]?.state != .completed { rig.settle(steps: 1) }
        #expect(!isTold() && rig.stateFiles().contains { $0.hasSuffix(".item") })
        while !isTold() { rig.settle(steps: 1) }
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") || $0.contains("spool-") })
    }

    @Test("an export that the phone started ends with its session's seven days: nothing is finalized after them")
    func sessionLife() throws {
        let rig = try EngineRig()
        rig.connect()
        let born = ProtocolDate(secondsSince2001: rig.now.wall - 6 * 86_400)
        let phone = try FakePhone(
            jobID: UUID(), mode: .writeFiles, phone: rig.phoneID, workstation: rig.engine.store.installationID,
            createdAt: born
        ) { try FakePhone.healthDay($0) }
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        #expect(rig.engine.book.jobs[phone.session.jobID]?.expiresAt == Int64(born.secondsSince1970) + 604_800)
        rig.advance(86_400)
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let acks = rig.channel.take().compactMap { message -> Bool? in
            if case .corpusFinalAck(let ack) = message { ack.accepted } else { nil }
        }
        #expect(acks == [false] && rig.destinationFiles().isEmpty)
        rig.engine.tick()
        rig.settle()
        #expect(rig.engine.book.jobs.isEmpty && !rig.stateFiles().contains { $0.hasPrefix("sessions/") })
    }

    @Test("a cancel that waited for the end of a step is honoured by the next process, before the phone is asked again")
    func deferredCancelSurvivesDeath() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        let start = try rig.begin(partition, of: phone)
        rig.chunk(partition.transferID, 1, partition.bytes)
        rig.send(.transferComplete(TransferComplete(start)))
        // The spool is closed; the partition goes to the worker, which has not begun.
        while rig.engine.session(phone.session.sessionID)?.machine.application == nil { rig.settle(steps: 1) }
        #expect(rig.engine.cancel(id).response.failureReason == "cancellation_deferred")
        try rig.restart()
        #expect(rig.engine.book.jobs[id]?.state == .cancelled)
        rig.connect()
        let messages = rig.channel.take()
        #expect(cancels(messages).requests == [id])
        #expect(!messages.contains { if case .exportRequest = $0 { true } else { false } })
    }
}
