import ConnectedProtocol
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// The receiver's own disk is full or fails: the job pauses with the reason, is not failed, and ends well when there is space again.
@Suite struct StorageFailureTests {
    private func isPaused(_ rig: EngineRig, _ id: UUID, _ code: String) -> Bool {
        guard let job = rig.engine.book.jobs[id] else { return false }
        return job.state == .paused && job.message.contains(code)
    }

    private func finish(_ rig: EngineRig, _ id: UUID, _ phone: FakePhone, _ partitions: [FakePhone.Partition]) throws {
        for partition in partitions { #expect(try rig.transfer(partition, of: phone).finalAck?.accepted == true) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == .completed)
    }

    @Test(
        "a spool that cannot be written pauses the job with the reason and tells who waits; the phone opens again",
        arguments: [(ENOSPC, "disk_full"), (EDQUOT, "disk_full"), (EIO, "io_error"), (EMFILE, "too_many_open_files")])
    func spool(_ number: Int32, _ code: String) throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        try rig.begin(partition, of: phone)
        _ = rig.channel.take()
        rig.disk.setWriteFailure(number)
        rig.chunk(partition.transferID, 1, partition.bytes)
        rig.settle()
        #expect(rig.channel.take().aborts.map(\.reason) == [.timedOut])
        #expect(isPaused(rig, id, code) && answers.answers.first?.response.failureReason == code)
        #expect(answers.answers.first?.response.status == .accepted)
        rig.disk.setWriteFailure(nil)
        try finish(rig, id, phone, [partition])
    }

    @Test(
        "a partition that cannot be applied for want of space is not refused; nothing of it was used; it is applied later"
    )
    func application() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        let start = try rig.begin(partition, of: phone)
        rig.chunk(partition.transferID, 1, partition.bytes)
        rig.settle()
        _ = rig.channel.take()
        rig.disk.setWriteFailure(ENOSPC)
        rig.send(.transferComplete(TransferComplete(start)))
        rig.settle()
        let sent = rig.channel.take()
        #expect(
            sent.aborts.map(\.reason) == [.timedOut]
                && !sent.contains { if case .transferFinalAck = $0 { true } else { false } })
        #expect(isPaused(rig, id, "disk_full"))
        #expect(rig.engine.session(phone.session.sessionID)?.machine.nextPartitionIndex == 0)
        #expect(!rig.stateFiles().contains { $0.contains("spool-") })
        rig.disk.setWriteFailure(nil)
        try finish(rig, id, phone, [partition])
    }

    @Test(
        "a result that cannot be composed pauses the job; it is tried again by itself, without the phone, and the ack is kept"
    )
    func finalization() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.disk.setWriteFailure(ENOSPC)
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(isPaused(rig, id, "disk_full") && answers.answers.first?.response.failureReason == "disk_full")
        #expect(!rig.channel.take().contains { if case .corpusFinalAck = $0 { true } else { false } })
        rig.disconnect()
        rig.advance(rig.engine.secondsUntilTick())
        rig.engine.tick()
        rig.settle()
        #expect(isPaused(rig, id, "disk_full"))
        rig.disk.setWriteFailure(nil)
        rig.advance(15)
        rig.engine.tick()
        rig.settle()
        #expect(isPaused(rig, id, "disk_full"), "a second failure is waited out twice as long")
        rig.advance(15)
        rig.engine.tick()
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == .completed && rig.engine.suspended.isEmpty)
        rig.connect()
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let acks = rig.channel.take().compactMap { message -> Bool? in
            if case .corpusFinalAck(let ack) = message { ack.accepted } else { nil }
        }
        #expect(acks == [true])
    }

    @Test("a phone's own pause keeps the reason that the receiver gave")
    func reasonStays() throws {
        var book = JobBook()
        let id = UUID()
        let now = Moment(wall: 790_000_000, monotonic: 0)
        var job = Job(
            id: id, origin: .sourceInitiated, request: nil, peerInstallationID: UUID(), peerName: "Phone",
            isDurable: true,
            destination: nil, createdAt: 0, state: .transferring, message: "")
        job.totalDays = 2
        _ = book.admitSourceInitiated(job, now: now)
        _ = book.heldUp(id, code: "disk_full", message: "Full.", now: now)
        let status = PeerJobStatus(state: .paused, processedDays: 0, totalDays: 2, updatedAt: 1)
        _ = book.peerStatus(id, status, now: now)
        #expect(book.jobs[id]?.message == "Full." && book.jobs[id]?.state == .paused)
        _ = book.finalizing(id, message: "Writing.", now: now)
        #expect(book.jobs[id]?.state == .transferring)
    }

    @Test("other sessions reserve what they still need, not what they have committed already")
    func reserved() throws {
        let rig = try EngineRig()
        rig.connect()
        let (files, _) = rig.createJob()
        let phone = try rig.filePhone(files)
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        let id = phone.session.sessionID
        #expect(try rig.engine.storageNeeds(except: UUID()) == 0)
        rig.send(try phone.open(partitions[1]))
        rig.settleOpens()
        let twice = 2 * partitions[1].descriptor.byteCount
        #expect(try rig.engine.storageNeeds(except: UUID()) == twice && rig.engine.storageNeeds(except: id) == 0)
        rig.send(
            .transferStart(TransferStart(transferID: partitions[1].transferID, partition: partitions[1].descriptor)))
        rig.settle()
        #expect(try rig.engine.storageNeeds(except: UUID()) == twice && rig.engine.storageNeeds(except: id) == 0)
        rig.disconnect()
        #expect(try rig.engine.storageNeeds(except: UUID()) == 0)
        _ = rig.engine.cancel(files)
        rig.connect()
        let (raw, _) = rig.createJob(EngineRig.raw)
        let other = try rig.rawPhone(raw)
        let rawPartitions = try other.partitions(payloadBytes: 900)
        try rig.transfer(rawPartitions[0], of: other)
        // The documents are written twice more when the result is composed: for clients, and as the terminal copy.
        #expect(try rig.engine.storageNeeds(except: UUID()) == 2 * rawPartitions[0].descriptor.byteCount)
        #expect(try rig.engine.storageNeeds(except: other.session.sessionID) == 0)
    }

    /// The database takes no change of a job until it is told otherwise.
    private func setJournalFails(_ fails: Bool, _ rig: EngineRig) throws {
        try rig.engine.store.transaction { connection in
            if fails {
                try connection.runScript(
                    "CREATE TRIGGER full BEFORE UPDATE ON jobs BEGIN SELECT RAISE(FAIL, 'full'); END;"
                        + "CREATE TRIGGER full_sessions BEFORE UPDATE ON sessions BEGIN SELECT RAISE(FAIL, 'full'); END;"
                )
            } else {
                try connection.runScript("DROP TRIGGER full; DROP TRIGGER full_sessions;")
            }
        }
    }

    private func requests(_ messages: [SyncMessage]) -> [UUID] {
        messages.compactMap { if case .exportRequest(let request) = $0 { request.jobID } else { nil } }
    }

    @Test("a hello that could not be stored is taken up again by itself: the phone need not come back")
    func hello() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        rig.disconnect()
        try setJournalFails(true, rig)
        rig.connect()
        #expect(requests(rig.channel.take()).isEmpty && rig.engine.book.jobs[id]?.state == .paused)
        #expect(rig.engine.book.jobs[id]?.message.contains("could not store") == true)
        try setJournalFails(false, rig)
        rig.advance(rig.engine.secondsUntilTick())
        rig.engine.tick()
        #expect(requests(rig.channel.take()) == [id] && rig.engine.unstoredHellos.isEmpty)
    }

    @Test(
        "a finalize that could not be stored pauses the job, and is taken up again by itself or when a person resumes")
    func finalizeUnstored() throws {
        for isHurried in [false, true] {
            let rig = try EngineRig()
            rig.connect()
            let (id, _) = rig.createJob()
            let phone = try rig.filePhone(id)
            let partitions = try phone.partitions()
            for partition in partitions { try rig.transfer(partition, of: phone) }
            try setJournalFails(true, rig)
            rig.send(try phone.finalize(partitions))
            rig.settle()
            #expect(rig.engine.book.jobs[id]?.state == .paused, "although no pause can be stored either")
            #expect(!rig.channel.take().contains { if case .corpusFinalAck = $0 { true } else { false } })
            try setJournalFails(false, rig)
            if isHurried {
                _ = rig.engine.resume(id, waitTimeoutSeconds: 30) { _ in }
            } else {
                rig.advance(rig.engine.secondsUntilTick())
                rig.engine.tick()
            }
            rig.settle()
            #expect(rig.engine.book.jobs[id]?.state == .completed)
        }
    }

    @Test("a turn that cannot be stored is put off, and taken by itself when the disk works again")
    func turn() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        rig.send(
            .exportRejected(
                ExportRejected(
                    jobID: id, reason: .requestAlreadyInProgress, message: "Busy.",
                    occurredAt: ProtocolDate(secondsSince2001: rig.now.wall))))
        _ = rig.channel.take()
        try setJournalFails(true, rig)
        rig.advance(rig.engine.secondsUntilTick())
        rig.engine.tick()
        rig.settle()
        #expect(requests(rig.channel.take()).isEmpty && rig.engine.book.jobs[id]?.state == .queued)
        #expect(rig.engine.secondsUntilTick() == ReceiverEngine.retrySeconds, "it is not due again at once")
        try setJournalFails(false, rig)
        rig.advance(rig.engine.secondsUntilTick())
        rig.engine.tick()
        #expect(requests(rig.channel.take()) == [id])
    }

    @Test(
        "a deferred cancel that cannot be stored at its boundary is stored later by itself", arguments: [false, true])
    func deferredCancel(_ isRaw: Bool) throws {
        let rig = try EngineRig(sliceSeconds: 0)
        rig.connect()
        let (id, _) = rig.createJob { if isRaw { EngineRig.raw(&$0) } }
        let phone = isRaw ? try rig.rawPhone(id) : try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        #expect(rig.engine.cancel(id).response.failureReason == "cancellation_deferred")
        try rig.engine.store.transaction {
            try $0.runScript(
                """
                CREATE TRIGGER full BEFORE UPDATE ON jobs WHEN NEW.state = 'cancelled'
                BEGIN SELECT RAISE(FAIL, 'full'); END
                """)
        }
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state.isTerminal == false)
        rig.advance(rig.engine.secondsUntilTick())
        rig.engine.tick()
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state.isTerminal == false)
        try rig.engine.store.transaction { try $0.run("DROP TRIGGER full") }
        rig.advance(rig.engine.secondsUntilTick())
        rig.engine.tick()
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == .cancelled && rig.engine.suspended.isEmpty)
        #expect(rig.engine.session(phone.session.sessionID)?.machine.journal.state == .cancelled)
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") || $0.hasSuffix(".json") })
    }

    @Test("a pause needs no transaction: a restart pauses whatever was under way")
    func pauseIsDerived() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let sent = try #require(rig.engine.book.jobs[id])
        var paused = sent
        paused.state = .paused
        #expect(sent.state == .sent && !paused.durablyDiffers(from: sent) && sent.durablyDiffers(from: paused))
        try rig.restart()
        #expect(rig.engine.book.jobs[id]?.state == .paused)
    }
}

/// A result that a full disk cannot take is not composed again and again.
@Suite struct RetryTests {
    private static let mebibyte: UInt64 = 1 << 20

    /// A raw job whose result does not fit: the disk says how much is free.
    private func fullRawJob(_ rig: EngineRig) throws -> (id: UUID, finalize: SyncMessage) {
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        setFree(rig, 0)
        rig.disk.setWriteFailure(ENOSPC)
        rig.send(try phone.finalize(partitions))
        rig.settle()
        return (id, try phone.finalize(partitions))
    }

    private func setFree(_ rig: EngineRig, _ bytes: UInt64) {
        rig.disk.setFreeSpace(FreeSpace(available: bytes, total: 1 << 30))
    }

    /// Lets time pass, ticking whenever the engine asks for it; gives how many compositions were begun.
    private func attempts(_ rig: EngineRig, seconds: Double, each: (() -> Void)? = nil) -> Int {
        let end = rig.now.monotonic + seconds
        let before = compositions(rig)
        while rig.now.monotonic < end {
            rig.advance(min(rig.engine.secondsUntilTick(), end - rig.now.monotonic))
            each?()
            rig.engine.tick()
            rig.settle()
        }
        return compositions(rig) - before
    }

    private func compositions(_ rig: EngineRig) -> Int { rig.lines.count { $0.contains("finalization_resumed") } }

    @Test(
        "while nothing is freed nothing is composed, however often time or the phone asks; with space it ends at once")
    func noSpace() throws {
        let rig = try EngineRig()
        let (id, finalize) = try fullRawJob(rig)
        let writes = rig.disk.calls.count { $0 == "write" }
        #expect(attempts(rig, seconds: 3_600) { rig.send(finalize) } == 0)
        #expect(rig.disk.calls.count { $0 == "write" } == writes)
        #expect(rig.engine.book.jobs[id]?.state == .paused)
        #expect(rig.engine.book.jobs[id]?.message.contains("disk_full") == true)
        rig.disk.setWriteFailure(nil)
        setFree(rig, 10 * Self.mebibyte)
        #expect(attempts(rig, seconds: 15) == 1)
        #expect(rig.engine.book.jobs[id]?.state == .completed && rig.engine.suspended.isEmpty)
    }

    @Test("a failure that the free space does not explain is tried after 15 seconds, 30, and so on to 15 minutes")
    func backOff() throws {
        let rig = try EngineRig()
        let (id, _) = try fullRawJob(rig)
        rig.disk.setFreeSpace(nil)
        // The first look saw an empty disk, so what is free now is a change: one attempt at once.
        #expect(attempts(rig, seconds: 15) == 1)
        #expect(attempts(rig, seconds: 15 + 30 + 60 + 120 + 240 + 480) == 6)
        #expect(attempts(rig, seconds: 9_000) == 10)
        rig.disk.setWriteFailure(nil)
        // A person need not wait.
        _ = rig.engine.resume(id, waitTimeoutSeconds: 30) { _ in }
        rig.settle()
        #expect(rig.engine.book.jobs[id]?.state == .completed)
    }

    @Test("a cancel of a job that waits for space is honoured at once, and nothing is tried after it")
    func cancelled() throws {
        let rig = try EngineRig()
        let (id, _) = try fullRawJob(rig)
        #expect(rig.engine.cancel(id).response.status == .cancelled && rig.engine.suspended.isEmpty)
        rig.disk.setWriteFailure(nil)
        #expect(attempts(rig, seconds: 3_600) == 0)
    }
}
