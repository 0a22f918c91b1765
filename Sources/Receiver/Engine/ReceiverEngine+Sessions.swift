import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// Sessions: opens, finalizations and cancels of phones.
extension ReceiverEngine {
    /// A session from memory or from the store; nil when there is none, or when it cannot be believed.
    func session(_ id: UUID) -> LiveSession? {
        switch lookUp(id) {
        case .found(let session): session
        case .absent, .unreadable: nil
        }
    }

    enum LookUp {
        case absent
        case found(LiveSession)
        /// With whether that may pass: a disk that fails says nothing about the session.
        case unreadable(mayPass: Bool)
    }

    /// A session from memory or from the store, or why there is none.
    func lookUp(_ id: UUID) -> LookUp {
        if let session = sessions[id] { return .found(session) }
        do {
            guard let stored = try store.session(id) else { return .absent }
            let session = LiveSession(
                machine: try ReceiverSession(restoring: stored.journal),
                folder: try SessionFolder.open(id, identity: stored.directory, in: store.sessions),
                peerInstallationID: stored.peerInstallationID, finalMessage: stored.finalMessage,
                frontier: stored.frontier, output: stored.output ?? OutputAccount())
            try checkFiles(of: session)
            // The process may have ended between a file and its transaction.
            session.mayHoldUncountedFiles = stored.journal.state == .finalizing
            sessions[id] = session
            return .found(session)
        } catch {
            log("session_unreadable", ("session", .id(id)), ("code", .code(of: error)))
            let mayPass = (error as? StoreError)?.mayPass ?? false
            // Afterwards: whoever asks may be in the middle of a decision.
            if !mayPass { queue.post { [self] in abandon(id, StoredDamage.code(ofUnreadable: error)) } }
            return .unreadable(mayPass: mayPass)
        }
    }

    /// The stored state of a session cannot be believed, and that does not heal: its job fails, once, and the phone is told to give it
    /// up, now or at its next hello. A session that cannot be read stays as it is until it expires (corpus-protocol.md 17.2).
    func abandon(_ id: UUID, _ code: String) {
        guard let job = book.jobs.values.first(where: { $0.sessionID == id && !$0.state.isTerminal }) else { return }
        attempt("abandonment_not_stored") {
            try change { book in
                ((), book.abandon(job.id, code: code, message: StoredDamage.message(code), now: now))
            }
            suspended[id] = nil
        }
    }

    /// Every file that the journal needs is there with its length. Digests are checked where the bytes are read.
    private func checkFiles(of session: LiveSession) throws {
        guard !session.machine.journal.state.isTerminal else { return }
        for item in session.machine.journal.partialItems.values {
            try check(SessionFolder.itemName(item.itemID), atLeast: item.nextOffset, session)
        }
        for day in session.machine.journal.days.values where day.content.isItemNeeded {
            let version = session.machine.journal.session.protocolVersion
            try check(
                SessionFolder.dayName(day.itemID, protocolVersion: version),
                atLeast: SessionFolder.usesJSONItems(version) ? 1 : day.itemByteCount, session)
        }
    }

    private func check(_ name: String, atLeast byteCount: Int64, _ session: LiveSession) throws {
        guard let status = try session.folder.items.status(of: name),
            status.kind == .regularFile, status.linkCount == 1, status.size >= UInt64(byteCount)
        else { throw ReceiverError.itemFileDamaged }
    }

    // MARK: - Open

    /// Decides about an open whose destination was looked at.
    func decide(
        _ open: CorpusTransferOpen, from installationID: UUID, destination: AdmissionFacts.Destination
    ) {
        let found = lookUp(open.session.sessionID)
        var live: LiveSession?
        if case .found(let session) = found { live = session }
        var isUnreadable = false
        if case .unreadable = found { isUnreadable = true }
        var slot = live?.machine
        let facts = admissionFacts(
            open, from: installationID, destination: destination, isUnreadable: isUnreadable)
        let answer = ReceiverSession.admit(open, into: &slot, facts: facts)
        switch answer.verdict {
        case .rejected(let refusal):
            log("open_rejected", ("session", .id(open.session.sessionID)), ("code", .code(of: refusal)))
            reject(open, nextIndex: answer.nextPartitionIndex, message: refusal.message, to: installationID)
            noteRefusal(refusal, of: open, from: installationID)
            // A phone whose disk did not keep a cancel, its own or ours, goes on asking: it is told again.
            if let live, live.machine.journal.state == .cancelled, live.peerInstallationID == installationID,
                isSession(ofItsJob: live)
            {
                sendCancel(open.session.jobID)
            }
        case .alreadyCommitted:
            book.noteProgress(of: open.session.jobID, now: now)
            respond(to: open, .alreadyCommitted, nextIndex: answer.nextPartitionIndex, to: installationID)
        case .granted(let disposition, let isNew):
            guard let machine = slot else { preconditionFailure("a grant leaves the session in its slot") }
            do {
                try granted(machine, live: live, isNew: isNew, open, from: installationID)
                respond(to: open, disposition, nextIndex: answer.nextPartitionIndex, to: installationID)
            } catch {
                log("open_failed", ("session", .id(open.session.sessionID)), ("code", .code(of: error)))
                reject(open, nextIndex: 0, message: "The receiver could not store the session.", to: installationID)
                pause(open.session.jobID, code: stableCode(of: error), message: storageMessage(error))
            }
        }
    }

    /// Tells the job and its waiter why its phone may not send. Of a job that already has its session only what stands in
    /// the receiver's own way counts: a stale or repeated open must not pause a transfer that goes on.
    private func noteRefusal(_ refusal: OpenRefusal, of open: CorpusTransferOpen, from installationID: UUID) {
        guard let job = book.jobs[open.session.jobID], job.peerInstallationID == installationID else { return }
        switch refusal {
        case .destination, .storageSpace, .destinationSpace:
            guard job.sessionID == nil || job.sessionID == open.session.sessionID else { return }
        default:
            guard job.sessionID == nil else { return }
        }
        pause(job.id, code: refusal.code, message: refusal.message)
    }

    /// Pauses a job that cannot go on now, with the reason.
    func pause(_ jobID: UUID, code: String, message: String) {
        attempt("pause_not_stored") {
            try change { book in ((), book.heldUp(jobID, code: code, message: message, now: now)) }
        }
    }

    /// Makes a new session durable, moves the job, and takes the session into memory.
    private func granted(
        _ machine: ReceiverSession, live: LiveSession?, isNew: Bool, _ open: CorpusTransferOpen,
        from installationID: UUID
    ) throws {
        let job = try isNew ? newSourceJob(open, from: installationID) : nil
        let session: LiveSession
        if let live {
            session = live
        } else {
            session = LiveSession(
                machine: machine, folder: try makeFolder(machine.id), peerInstallationID: installationID)
        }
        do {
            let identity = try session.folder.directory.identity()
            try change(also: { connection in
                guard isNew else { return }
                try ReceiverStore.insert(machine.journal, peer: installationID, directory: identity, connection)
            }) { book in
                var actions = job.map { book.admitSourceInitiated($0, now: now) } ?? []
                actions += book.sessionOpened(
                    open.session.jobID, sessionID: machine.id,
                    sessionCreatedAt: Int64(open.session.createdAt.secondsSince1970.rounded(.down)),
                    totalDays: machine.journal.manifest.requestedDates.count, now: now)
                return ((), actions)
            }
        } catch {
            // Nothing was stored: the folder must not stand in the way of the next open. After the journal failed for good nobody
            // knows whether the row is there: the next start looks, and removes the folder when there is none.
            if isNew, !store.database.hasFailedForGood {
                do { try store.sessions.removeTree(machine.id.uuidString) } catch { noteLeftFolder(machine.id, error) }
            }
            throw error
        }
        session.machine = machine
        sessions[machine.id] = session
        peers[installationID]?.activeSession = machine.id
        if isNew { log("session_opened", ("session", .id(machine.id)), ("job", .id(open.session.jobID))) }
    }

    /// The folder of a new session. What an earlier open left there because the disk failed is ours, and goes first.
    private func makeFolder(_ id: UUID) throws -> SessionFolder {
        if leftSessionFolders.contains(id) {
            try store.sessions.removeTree(id.uuidString)
            leftSessionFolders.remove(id)
        }
        return try SessionFolder.create(id, in: store.sessions) { noteLeftFolder(id, $0) }
    }

    /// A folder of ours that no row knows could not be removed: it is tried again at the phone's next open.
    private func noteLeftFolder(_ id: UUID, _ error: any Error) {
        leftSessionFolders.insert(id)
        log("session_folder_left", ("code", .code(of: error)))
    }

    /// The job of a file export that the phone started itself.
    private func newSourceJob(_ open: CorpusTransferOpen, from installationID: UUID) throws -> Job? {
        guard book.jobs[open.session.jobID] == nil else { return nil }
        guard let binding = storedDestination() else {
            throw ReceiverError.destinationUnusable("none is selected.")
        }
        return Job(
            id: open.session.jobID, origin: .sourceInitiated, request: nil, peerInstallationID: installationID,
            peerName: peers[installationID]?.opening.displayName ?? "",
            isDurable: open.session.peerBinding != nil, destination: binding, createdAt: now.unixSeconds,
            state: .transferring, message: "The phone sends its data.")
    }

    private func respond(
        to open: CorpusTransferOpen, _ disposition: PartitionDisposition, nextIndex: Int, to installationID: UUID
    ) {
        sendDisposition(
            sessionID: open.session.sessionID, jobID: open.session.jobID, index: open.partition.index,
            sha256: open.partition.sha256, disposition, nextIndex: nextIndex, message: nil, to: installationID)
    }

    private func reject(_ open: CorpusTransferOpen, nextIndex: Int, message: String, to installationID: UUID) {
        reject(
            sessionID: open.session.sessionID, jobID: open.session.jobID, index: open.partition.index,
            sha256: open.partition.sha256, nextIndex: nextIndex, message: message, to: installationID)
    }

    /// Refuses an open.
    func reject(
        sessionID: UUID, jobID: UUID, index: Int, sha256: Digest, nextIndex: Int, message: String,
        to installationID: UUID
    ) {
        sendDisposition(
            sessionID: sessionID, jobID: jobID, index: index, sha256: sha256, .reject, nextIndex: nextIndex,
            message: message, to: installationID)
    }

    private func sendDisposition(
        sessionID: UUID, jobID: UUID, index: Int, sha256: Digest, _ disposition: PartitionDisposition,
        nextIndex: Int, message: String?, to installationID: UUID
    ) {
        do {
            let answer = try CorpusTransferDisposition(
                sessionID: sessionID, jobID: jobID, partitionIndex: index, partitionSHA256: sha256,
                disposition: disposition, nextPartitionIndex: nextIndex, message: message)
            send(.corpusDisposition(answer), to: installationID)
        } catch {
            preconditionFailure("a disposition of our own contradicts itself")
        }
    }

    // MARK: - Finalize

    func handle(_ finalize: CorpusTransferFinalize, from installationID: UUID) {
        guard !isStopping else { return }
        let found = lookUp(finalize.sessionID)
        // Without an answer the phone asks again, and is not told that its session is gone.
        if case .unreadable(mayPass: true) = found { return }
        guard case .found(let session) = found, session.peerInstallationID == installationID,
            now.wall < session.machine.journal.expiresAt.secondsSince2001
        else {
            let refusal = ReceiverSession.refusal(of: finalize, "There is no such session.")
            send(.corpusFinalAck(refusal), to: installationID)
            return
        }
        var machine = session.machine
        switch machine.finalize(finalize) {
        case .refused(let ack): send(.corpusFinalAck(ack), to: installationID)
        case .ignored: break
        case .replayed(let ack): replayFinals(of: session, ack)
        case .begun:
            guard !isHeld(finalize) else { return }
            do {
                try change(also: { connection in
                    try ReceiverStore.storeState(of: machine.journal, finalMessage: nil, connection)
                }) { book in
                    ((), book.finalizing(session.jobID, message: "The receiver writes the result.", now: now))
                }
                session.machine = machine
                unstoredFinalizes[session.id] = nil
                suspended[session.id] = nil
                log("finalization_begun", ("session", .id(session.id)))
                continueFinalization(of: session)
            } catch {
                suspend(finalize, of: session, error)
            }
        }
    }

    /// The stored result or failure, then the stored acknowledgement (corpus-protocol.md 13.5).
    func sendFinals(of session: LiveSession, _ ack: CorpusTransferFinalAck) {
        guard let peer = peers[session.peerInstallationID] else { return }
        if let message = session.finalMessage { peer.opening.channel.send(message) }
        send(.corpusFinalAck(ack), to: session.peerInstallationID)
        forgetIdleSessions()
    }
}
