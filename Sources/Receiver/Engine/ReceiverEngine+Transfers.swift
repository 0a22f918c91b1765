import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// Partitions on their way: the transfer machine's actions, performed by the disk worker.
extension ReceiverEngine {
    /// Hands an event to a phone's transfer machine and performs what it says.
    func transfer(_ event: TransferReceiver.Event, of installationID: UUID, payload: ChunkPayload? = nil) {
        guard var peer = peers[installationID] else {
            if let payload { payload.release(payload.buffer) }
            return
        }
        let actions = peer.transfers.handle(event, at: now)
        peers[installationID]?.transfers = peer.transfers
        var payload = payload
        for action in actions { perform(action, of: installationID, &payload) }
        if let payload { payload.release(payload.buffer) }
    }

    /// A chunk arrived.
    func handle(
        _ transferID: UUID, _ sequence: Int, _ stated: Digest, _ payload: ChunkPayload, from installationID: UUID
    ) {
        transfer(
            .chunk(
                transferID: transferID, sequence: sequence, byteCount: payload.range.count, stated: stated,
                actual: payload.actualSHA256), of: installationID, payload: payload)
    }

    private func perform(
        _ action: TransferReceiver.Action, of installationID: UUID, _ payload: inout ChunkPayload?
    ) {
        guard let connection = peers[installationID]?.connection else { return }
        func key(_ transferID: UUID) -> SpoolKey { SpoolKey(connection: connection, transferID: transferID) }
        switch action {
        case .send(let message): send(message, to: installationID)
        case .askAdmission(let transferID, let partition):
            let isGranted = useAdmission(for: partition, of: installationID)
            transfer(.admission(transferID: transferID, isGranted: isGranted), of: installationID)
        case .openSpool(let transferID, _): openSpool(key(transferID), of: installationID)
        case .write(let transferID, let sequence, let offset):
            guard let chunk = payload else { preconditionFailure("only a chunk leads to a write") }
            payload = nil
            write(chunk, sequence: sequence, at: offset, key(transferID), of: installationID)
        case .closeSpool(let transferID): closeSpool(key(transferID), of: installationID)
        case .deliver(let transferID, let partition): apply(partition, key(transferID), of: installationID)
        case .deleteSpool(let transferID): deleteSpool(key(transferID))
        }
    }

    private func useAdmission(for partition: PartitionDescriptor, of installationID: UUID) -> Bool {
        guard let session = sessions[partition.sessionID], session.peerInstallationID == installationID else {
            return false
        }
        return session.machine.useAdmission(for: partition)
    }

    // MARK: - The spool

    /// Runs work on the disk worker and reports to the transfer machine, if its connection is still there.
    private func onWorker(
        _ key: SpoolKey, of installationID: UUID, _ work: @escaping @Sendable () throws -> TransferReceiver.Event?
    ) {
        worker.post { [self] in
            let event: TransferReceiver.Event?
            do {
                event = try work()
            } catch {
                log("spool_failed", ("code", .code(of: error)))
                event = .spoolFailed(transferID: key.transferID)
                queue.post { [self] in pauseForStorage(key, of: installationID, error) }
            }
            guard let event else { return }
            queue.post { [self] in
                guard peers[installationID]?.connection == key.connection else { return }
                transfer(event, of: installationID)
            }
        }
    }

    private func openSpool(_ key: SpoolKey, of installationID: UUID) {
        guard let active = peers[installationID]?.activeSession, let session = sessions[active] else { return }
        spoolCount += 1
        let spool = TransferSpool(
            folder: session.folder.directory, name: "spool-\(key.transferID.uuidString)-\(spoolCount)")
        spools[key] = spool
        onWorker(key, of: installationID) {
            try spool.open()
            return .spoolOpened(transferID: key.transferID)
        }
    }

    private func write(
        _ chunk: ChunkPayload, sequence: Int, at offset: Int64, _ key: SpoolKey, of installationID: UUID
    ) {
        guard let spool = spools[key] else {
            chunk.release(chunk.buffer)
            return
        }
        onWorker(key, of: installationID) {
            defer { chunk.release(chunk.buffer) }
            try chunk.buffer.withUnsafeBytes {
                try spool.write(UnsafeRawBufferPointer(rebasing: $0[chunk.range]), at: offset)
            }
            return .chunkWritten(transferID: key.transferID, sequence: sequence)
        }
        if let active = peers[installationID]?.activeSession, let session = sessions[active] {
            book.noteProgress(of: session.jobID, now: now)
        }
    }

    private func closeSpool(_ key: SpoolKey, of installationID: UUID) {
        guard let spool = spools[key] else { return }
        onWorker(key, of: installationID) {
            .spoolClosed(transferID: key.transferID, byteCount: spool.byteCount, sha256: spool.digest())
        }
    }

    private func deleteSpool(_ key: SpoolKey) {
        guard let spool = spools.removeValue(forKey: key) else { return }
        worker.post { [log] in
            do {
                try spool.delete()
            } catch {
                // Nobody reads it any more; it goes with the session's folder at the latest.
                log("spool_removal_failed", ("code", .code(of: error)))
            }
        }
    }

    /// The job of a transfer pauses because our own storage failed; its waiter hears why. The phone opens the partition again by
    /// itself, and a later open revives the job.
    private func pauseForStorage(_ key: SpoolKey, of installationID: UUID, _ error: any Error) {
        guard peers[installationID]?.connection == key.connection,
            let partition = peers[installationID]?.transfers.partition(of: key.transferID)
        else { return }
        pauseForStorage(partition.jobID, error)
    }

    private func pauseForStorage(_ jobID: UUID, _ error: any Error) {
        pause(jobID, code: stableCode(of: error), message: storageMessage(error))
    }

    /// What to do about a failure of our own storage.
    func storageMessage(_ error: any Error) -> String {
        let code = stableCode(of: error)
        if case .destinationInUse? = error as? ReceiverError {
            return
                "Another receiver writes into the destination (\(code)). The job goes on when that one is done; to end the wait stop the other receiver, or cancel the job and choose another destination."
        }
        guard case .diskFull? = error as? StoreError else {
            return
                "The receiver could not store what it received (\(code)). Check its disk; the job goes on when it works again."
        }
        return "The receiver's disk is full (\(code)). Free some space; the job goes on by itself."
    }

    // MARK: - Application

    private func apply(_ partition: PartitionDescriptor, _ key: SpoolKey, of installationID: UUID) {
        guard let session = sessions[partition.sessionID], let spool = spools[key] else {
            transfer(
                .applied(transferID: key.transferID, isAccepted: false, message: "session_not_open"),
                of: installationID)
            return
        }
        do throws(PartitionRefusal) {
            guard try session.machine.beginApplication(of: partition) else {
                transfer(.applied(transferID: key.transferID, isAccepted: true, message: nil), of: installationID)
                return
            }
        } catch {
            refuse(partition, key, error, of: installationID)
            return
        }
        let machine = session.machine
        let folder = session.folder
        let hashers = session.prefixHashers
        worker.post { [self] in
            let outcome = Result<PartitionApplier.Outcome, any Error> {
                guard let file = spool.file else { throw ReceiverError.itemFileDamaged }
                return try PartitionApplier(
                    session: machine, folder: folder, spool: file, spoolByteCount: spool.byteCount,
                    spoolSHA256: spool.digest(), prefixHashers: hashers
                ).run()
            }
            queue.post { [self] in applied(partition, outcome, session, key, of: installationID) }
        }
    }

    private func applied(
        _ partition: PartitionDescriptor, _ outcome: Result<PartitionApplier.Outcome, any Error>,
        _ session: LiveSession, _ key: SpoolKey, of installationID: UUID
    ) {
        do {
            let outcome = try outcome.get()
            var machine = session.machine
            let commit = try machine.commit(outcome.plans, outcome.results)
            try store(commit, machine, session)
            session.machine = machine
            session.prefixHashers = outcome.prefixHashers
            removeUnneededItems(commit, session)
            log(
                "partition_committed", ("session", .id(session.id)), ("index", .number(Int64(commit.index))),
                ("bytes", .number(commit.partition.byteCount)))
            finish(key, isAccepted: true, message: nil, of: installationID)
        } catch let error as StoreError where error.mayPass {
            // Our own disk or database: nothing is wrong with the partition.
            session.machine.abandonApplication()
            log(
                "partition_not_stored", ("session", .id(session.id)), ("index", .number(Int64(partition.index))),
                ("code", .code(of: error)))
            pauseForStorage(session.jobID, error)
            if peers[installationID]?.connection == key.connection {
                transfer(.applicationFailed(transferID: key.transferID), of: installationID)
            } else {
                deleteSpool(key)
            }
        } catch {
            session.machine.abandonApplication()
            refuse(partition, key, error, of: installationID)
            // Not the partition is at fault but what was stored before it: no further one can mend that.
            if let code = StoredDamage.code(ofApplication: error) { abandon(session.id, code) }
        }
        honourCancellation(of: session)
        endSession(ofTerminalJob: session.jobID)
    }

    /// The rows of a partition and the counters of its job, in one transaction: only then may it be acknowledged.
    private func store(_ commit: PartitionCommit, _ machine: ReceiverSession, _ session: LiveSession) throws {
        let journal = machine.journal
        try change(also: { connection in
            try ReceiverStore.store(commit, session: session.id, connection)
        }) { book in
            (
                (),
                book.advanced(
                    session.jobID, committedPartitions: journal.committedPartitions.count,
                    committedBytes: journal.totalPartitionBytes, processedDays: journal.processedRequestedDayCount,
                    message: "The phone sends its data.", now: now)
            )
        }
        if book.jobs[session.jobID] != nil { progress(.receiving, of: session) }
    }

    private func refuse(
        _ partition: PartitionDescriptor, _ key: SpoolKey, _ error: any Error, of installationID: UUID
    ) {
        log(
            "partition_refused", ("session", .id(partition.sessionID)), ("index", .number(Int64(partition.index))),
            ("code", .code(of: error)))
        attempt("refusal_not_stored") {
            try change { book in
                (
                    (),
                    book.troubled(
                        partition.jobID,
                        message:
                            "Partition \(partition.index) was refused (\(stableCode(of: error))); nothing of it was used.",
                        now: now)
                )
            }
        }
        finish(key, isAccepted: false, message: stableCode(of: error), of: installationID)
    }

    private func finish(_ key: SpoolKey, isAccepted: Bool, message: String?, of installationID: UUID) {
        guard peers[installationID]?.connection == key.connection else {
            // The connection went while the partition was applied: only the spool is left.
            deleteSpool(key)
            return
        }
        transfer(
            .applied(transferID: key.transferID, isAccepted: isAccepted, message: message), of: installationID)
    }

    /// Items of days without a record are not needed for the result, and JSON items are translated by then.
    private func removeUnneededItems(_ commit: PartitionCommit, _ session: LiveSession) {
        let usesJSON = SessionFolder.usesJSONItems(session.machine.journal.session.protocolVersion)
        let names = commit.days.flatMap { day -> [String] in
            if !day.content.isItemNeeded {
                return [SessionFolder.itemName(day.itemID), SessionFolder.dayName(day.itemID, protocolVersion: 1)]
            }
            return usesJSON ? [SessionFolder.itemName(day.itemID)] : []
        }
        guard !names.isEmpty else { return }
        let items = session.folder.items
        worker.post { [log] in
            do {
                for name in names { try items.removeIfPresent(name) }
            } catch {
                log("item_removal_failed", ("code", .code(of: error)))
            }
        }
    }
}
