import ConnectedProtocol
import Cryptography
import Foundation
import HMDCItem
import HealthData
import Testing

@testable import Receiver

private func acks(_ messages: [SyncMessage]) -> [CorpusTransferFinalAck] {
    messages.compactMap { message in
        if case .corpusFinalAck(let ack) = message { return ack }
        return nil
    }
}

@Suite struct RecoveryTests {
    /// Everything that a source does, from wherever the receiver stands: opens each partition, sends those that are
    /// wanted, finalizes until an ack comes. `interrupt` may kill the receiver between any two pieces of its work.
    private func drive(
        _ rig: EngineRig, _ phone: FakePhone, stepsUntilDeath: Int
    ) throws -> CorpusTransferFinalAck? {
        let partitions = try phone.partitions(payloadBytes: 900)
        var steps = stepsUntilDeath
        func settle() throws -> Bool {
            rig.settle(steps: steps)
            return true
        }
        for partition in partitions {
            for _ in 0..<3 {
                if steps > 0 {
                    steps -= 1
                } else if steps == 0 {
                    steps = -1
                    try rig.restart()
                    rig.connect()
                }
                let (disposition, ack) = try rig.transfer(partition, of: phone)
                if disposition == .alreadyCommitted || ack?.accepted == true { break }
            }
        }
        for _ in 0..<3 {
            rig.send(try phone.finalize(partitions))
            rig.settle()
            if let ack = acks(rig.channel.take()).first { return ack }
        }
        return nil
    }

    @Test("a receiver that dies between partitions goes on with the next one", arguments: 0..<5)
    func diesBetweenPartitions(_ step: Int) throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let ack = try #require(try drive(rig, phone, stepsUntilDeath: step))
        #expect(ack.accepted && ack.successCount == 3 && rig.destinationFiles().count == 7)
        #expect(rig.engine.book.jobs[id]?.state == .completed)
    }

    @Test("a receiver that dies at any piece of work of the last partition or the finalization loses nothing")
    func diesAnywhere() throws {
        for mode in [CorpusMode.writeFiles, .strictRaw] {
            for deadAfter in [0, 1, 2, 4, 7, 12] {
                let rig = try EngineRig()
                rig.connect()
                let (id, _) = rig.createJob { if mode == .strictRaw { EngineRig.raw(&$0) } }
                let phone = try mode == .strictRaw ? rig.rawPhone(id) : rig.filePhone(id)
                let partitions = try phone.partitions(payloadBytes: 900)
                for partition in partitions.dropLast() { try rig.transfer(partition, of: phone) }
                let last = try #require(partitions.last)
                rig.send(try phone.open(last))
                let start = TransferStart(transferID: last.transferID, partition: last.descriptor, chunkBytes: 4_096)
                rig.send(.transferStart(start))
                rig.settle(steps: deadAfter)
                rig.chunk(last.transferID, 1, last.bytes)
                rig.settle(steps: deadAfter)
                rig.send(.transferComplete(TransferComplete(start)))
                rig.settle(steps: deadAfter)
                rig.send(try phone.finalize(partitions))
                rig.settle(steps: deadAfter)
                let early = acks(rig.channel.take()).first { $0.accepted }
                try rig.restart()
                rig.settle()
                rig.connect()
                let disposition = try rig.transfer(last, of: phone).disposition
                #expect(disposition == .alreadyCommitted || disposition == .resume || disposition == .accept)
                rig.send(try phone.finalize(partitions))
                rig.settle()
                let ack = try #require(acks(rig.channel.take()).first)
                #expect(ack.accepted && (early == nil || early == ack), "\(mode) dead after \(deadAfter)")
                #expect(rig.engine.book.jobs[id]?.state == .completed)
                #expect(!rig.stateFiles().contains { $0.contains("spool-") || $0.hasSuffix(".item") })
                if mode == .writeFiles { #expect(rig.destinationFiles().count == 7) }
            }
        }
    }

    @Test("state, counters and expiry survive a restart; the request is sent again byte for byte at hello")
    func restartKeepsJob() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let first = rig.channel.take().compactMap { message -> ExportRequest? in
            if case .exportRequest(let request) = message { return request }
            return nil
        }
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        let before = try #require(rig.engine.book.jobs[id])
        try rig.restart()
        let after = try #require(rig.engine.book.jobs[id])
        #expect(after.state == .paused && after.expiresAt == before.expiresAt)
        #expect(after.committedBytes == before.committedBytes && after.committedPartitions == 1)
        rig.connect()
        let again = rig.channel.take().compactMap { message -> ExportRequest? in
            if case .exportRequest(let request) = message { return request }
            return nil
        }
        #expect(first.count == 1 && first == again)
    }

    /// A state of control-api.md 8 as a real course of events reaches it.
    enum Reached: String, CaseIterable {
        case queued, sent, accepted, preparing, transferring, paused, completed, failed, cancelled
    }

    @Test(
        "killed in any state the receiver starts with that job, its counters and its expiry",
        arguments: Reached.allCases)
    func killedInState(_ state: Reached) throws {
        let rig = try EngineRig()
        if state != .queued { rig.connect() }
        let (id, _) = rig.createJob {
            EngineRig.raw(&$0)
            $0.queueIfOffline = state == .queued
        }
        try reach(state, id, rig)
        let before = try #require(rig.engine.book.jobs[id])
        #expect(before.state.rawValue == state.rawValue)
        rig.advance(1_000)
        try rig.restart()
        let after = try #require(rig.engine.book.jobs[id])
        let isUnderWay = ![.queued, .completed, .failed, .cancelled].contains(state)
        #expect(after.state == (isUnderWay ? .paused : before.state))
        #expect(after.createdAt == before.createdAt && after.expiresAt == before.expiresAt)
        #expect(
            after.committedPartitions == before.committedPartitions && after.committedBytes == before.committedBytes)
        #expect(after.request == before.request && after.result == before.result)
        #expect(after.sessionID == before.sessionID && after.owesCancelToPeer == before.owesCancelToPeer)
        if state == .transferring { #expect(after.committedPartitions == 1 && after.committedBytes > 0) }
    }

    private func reach(_ state: Reached, _ id: UUID, _ rig: EngineRig) throws {
        let moment = ProtocolDate(secondsSince2001: rig.now.wall)
        switch state {
        case .queued, .sent: break
        case .accepted: rig.send(.exportAccepted(ExportAccepted(jobID: id, acceptedAt: moment)))
        case .preparing:
            rig.send(.exportAccepted(ExportAccepted(jobID: id, acceptedAt: moment)))
            rig.send(
                .preparationProgress(PreparationProgress(jobID: id, processedDays: 1, totalDays: 3, message: "")))
        case .paused:
            rig.disconnect()
        case .cancelled:
            _ = rig.engine.cancel(id)
        case .transferring, .completed, .failed:
            let phone = try FakePhone(
                jobID: id, mode: .strictRaw, phone: rig.phoneID, workstation: rig.engine.store.installationID,
                createdAt: moment
            ) { try FakePhone.rawDay($0, version: state == .failed ? 99 : 10) }
            let partitions = try phone.partitions(payloadBytes: 900)
            for partition in state == .transferring ? partitions[..<1] : partitions[...] {
                try rig.transfer(partition, of: phone)
            }
            if state != .transferring { rig.send(try phone.finalize(partitions)) }
        }
        rig.settle()
    }

    @Test("the final result and ack are replayed identically, also after a restart")
    func replay() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let first = Array(rig.channel.take().suffix(2))
        try rig.restart()
        rig.connect()
        _ = rig.channel.take()
        rig.advance(60)
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(Array(rig.channel.take().suffix(2)) == first)
        #expect(try rig.transfer(partitions[0], of: phone).disposition == .alreadyCommitted)
    }

    @Test("a partition with a wrong digest is refused and the session goes on")
    func wrongDigest() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions()
        var damaged = partitions[0]
        damaged.bytes[damaged.bytes.count - 1] ^= 1
        #expect(try rig.transfer(damaged, of: phone).finalAck == nil)
        #expect(try rig.transfer(partitions[0], of: phone).finalAck?.accepted == true)
    }

    @Test("another phone cannot continue, finalize or cancel a session")
    func foreignPeer() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        let stranger = UUID()
        let channel = FakeChannel()
        let connection = ConnectionID(99)
        rig.engine.handle(
            .opened(
                PeerOpening(
                    installationID: stranger, displayName: "Other",
                    capabilities: EngineRig.phoneCapabilities(stranger), usesSecureRecords: true, channel: channel)),
            from: connection)
        _ = channel.take()
        rig.engine.handle(.message(try phone.open(partitions[1])), from: connection)
        rig.engine.handle(.message(try phone.finalize(partitions)), from: connection)
        let cancel = CorpusTransferCancel(
            sessionID: phone.session.sessionID, jobID: id, reason: .userRequested,
            requestedAt: ProtocolDate(secondsSince2001: 0))
        rig.engine.handle(.message(.corpusCancel(cancel)), from: connection)
        rig.settle()
        let answers = channel.take()
        #expect(answers.count == 3)
        guard case .corpusDisposition(let disposition) = answers[0], case .corpusFinalAck(let ack) = answers[1],
            case .corpusCancelAck(let cancelAck) = answers[2]
        else {
            Issue.record("unexpected answers")
            return
        }
        #expect(disposition.disposition == .reject && !ack.accepted && !cancelAck.accepted)
        #expect(try rig.transfer(partitions[1], of: phone).finalAck?.accepted == true)
    }
}

@Suite struct OldVersionTests {
    @Test("items of versions 1 to 3 are JSON and give the same result", arguments: [1, 2, 3])
    func jsonItems(version: Int) throws {
        for mode in [CorpusMode.writeFiles, .strictRaw] {
            let rig = try EngineRig()
            rig.connect()
            let (id, _) = rig.createJob { if mode == .strictRaw { EngineRig.raw(&$0) } }
            let phone = try FakePhone(
                jobID: id, mode: mode, phone: rig.phoneID, workstation: rig.engine.store.installationID,
                createdAt: ProtocolDate(secondsSince2001: rig.now.wall), version: version
            ) { label in
                let item = try mode == .strictRaw ? FakePhone.rawDay(label) : FakePhone.healthDay(label)
                let decoder = ItemDecoder()
                return try mode == .strictRaw
                    ? ItemJSON.encode(decoder.decode(StrictRawDayEnvelope.self, from: item, kind: .strictRawDay))
                    : ItemJSON.encode(
                        decoder.decode(HealthDayEnvelope<DailyRecord>.self, from: item, kind: .macHealthDay))
            }
            let partitions = try phone.partitions(payloadBytes: 300)
            for partition in partitions {
                #expect(try rig.transfer(partition, of: phone).finalAck?.accepted == true)
            }
            try rig.restart()
            rig.connect()
            rig.send(try phone.finalize(partitions))
            rig.settle()
            #expect(acks(rig.channel.take()).first?.successCount == 3)
            #expect(rig.engine.book.jobs[id]?.state == .completed)
            if mode == .writeFiles { #expect(rig.destinationFiles().count == 7) }
        }
    }
}

@Suite struct CancellationTests {
    @Test("a cancel of the client tears the session down, keeps written files, and reaches the phone")
    func clientCancels() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        _ = rig.channel.take()
        let answer = rig.engine.cancel(id)
        rig.settle()
        #expect(answer.response.status == .cancelled && answer.response.httpStatus == 409)
        #expect(answers.answers.first?.response.status == .cancelled)
        let messages = rig.channel.take()
        #expect(messages.contains(.exportCancel(jobID: id)))
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") })
        #expect(try rig.transfer(partitions[1], of: phone).disposition == .reject)
        try rig.restart()
        rig.connect()
        #expect(rig.channel.take().contains(.exportCancel(jobID: id)))
        #expect(rig.engine.book.jobs[id]?.state == .cancelled)
    }

    @Test("a cancel of a phone that is away reaches that phone when it comes, and no other")
    func cancelOfAbsentPhone() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        rig.disconnect()
        rig.settle()
        #expect(rig.engine.cancel(id).response.status == .cancelled)
        #expect(answers.answers.first?.response.status == .accepted, "the wait ended when the phone left")
        try rig.restart()
        let stranger = UUID()
        let channel = FakeChannel()
        rig.engine.handle(
            .opened(
                PeerOpening(
                    installationID: stranger, displayName: "Other",
                    capabilities: EngineRig.phoneCapabilities(stranger), usesSecureRecords: true, channel: channel)),
            from: ConnectionID(77))
        rig.settle()
        #expect(!channel.take().contains(.exportCancel(jobID: id)))
        rig.connect()
        rig.settle()
        #expect(rig.channel.take().contains(.exportCancel(jobID: id)))
    }

    @Test("a cancel while files are written waits for the next boundary and is honoured there")
    func deferred() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        let answer = rig.engine.cancel(id)
        #expect(answer.response.httpStatus == 202 && answer.response.failureReason == "cancellation_deferred")
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == .cancelled)
        #expect(acks(rig.channel.take()).isEmpty)
    }

    @Test("a cancel of the phone is answered after it is stored, with the exact days before it")
    func phoneCancels() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        try rig.transfer(try phone.partitions(payloadBytes: 900)[0], of: phone)
        _ = rig.channel.take()
        rig.send(
            .corpusCancel(
                CorpusTransferCancel(
                    sessionID: phone.session.sessionID, jobID: id, reason: .userRequested,
                    requestedAt: ProtocolDate(secondsSince2001: 0))))
        rig.settle()
        let messages = rig.channel.take()
        guard case .corpusCancelAck(let ack) = messages.last else {
            Issue.record("the ack comes last")
            return
        }
        #expect(ack.accepted)
        #expect(
            messages.contains { message in
                if case .macExportResult(let result) = message { return result.status == .cancelled }
                return false
            })
        #expect(answers.answers.first?.response.status == .cancelled)
    }

    @Test("a job that failed at the phone ends its session: payload gone, nothing more admitted")
    func phoneFails() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        rig.send(
            .corpusStatus(
                CorpusStatus(
                    jobID: id, sessionID: phone.session.sessionID, requestFingerprint: phone.manifest.fingerprint,
                    state: .failed, processedDays: 0, totalDays: 3, committedPartitionCount: 1, committedBytes: 0,
                    updatedAt: ProtocolDate(secondsSince2001: 1), expiresAt: ProtocolDate(secondsSince2001: 2))))
        rig.settle()
        #expect(answers.answers.first?.response.failureReason == "failed")
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") })
        #expect(try rig.transfer(partitions[1], of: phone).disposition == .reject)
        #expect(try rig.transfer(partitions[0], of: phone).disposition == .alreadyCommitted)
    }

    @Test("a queued job can be cancelled before any phone comes")
    func queued() throws {
        let rig = try EngineRig()
        let (id, _) = rig.createJob { $0.queueIfOffline = true }
        #expect(rig.engine.book.jobs[id]?.state == .queued)
        #expect(rig.engine.cancel(id).response.status == .cancelled)
    }

    @Test("after seven days job, session and folders are gone")
    func expiry() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        try rig.transfer(try phone.partitions(payloadBytes: 900)[0], of: phone)
        #expect(rig.stateFiles().contains { $0.hasSuffix(".item") })
        rig.advance(604_800)
        rig.engine.tick()
        rig.settle()
        #expect(rig.engine.book.jobs[id] == nil)
        #expect(answers.answers.first?.response.failureReason == "job_expired")
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") })
        #expect(try rig.engine.store.session(phone.session.sessionID) == nil)
    }

    @Test("the destination cannot be changed while a file job is live, and must be a real folder")
    func destinationRules() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        #expect(throws: ReceiverControlError.exportInProgress(activeJobID: id)) {
            try rig.engine.setDestination(rig.root)
        }
        _ = rig.engine.cancel(id)
        #expect(throws: ReceiverControlError.self) { try rig.engine.setDestination("relative") }
        #expect(throws: ReceiverControlError.self) { try rig.engine.setDestination(rig.root + "/nowhere") }
        let link = rig.root + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: rig.root)
        #expect(throws: ReceiverControlError.self) { try rig.engine.setDestination(link) }
        #expect(try rig.engine.setDestination(rig.root).isWritable)
    }
}
