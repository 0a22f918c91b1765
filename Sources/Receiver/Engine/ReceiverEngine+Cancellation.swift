import ConnectedProtocol
import DurableStore
import Foundation

/// Sessions that end before their result, whoever ends them (corpus-protocol.md 15).
extension ReceiverEngine {
    /// A job that ended by the phone's word takes its unfinished session along; nothing more is admitted to it.
    func endSession(ofTerminalJob jobID: UUID) {
        guard let job = book.jobs[jobID], job.state.isTerminal, let session = job.sessionID.flatMap({ session($0) })
        else { return }
        endIfUnwanted(session)
    }

    /// Ends a session that its job has no use for: the job ended by another word, or goes on with a later session. While a step of its
    /// finalization runs, that step is told to stop and the session ends with it.
    ///
    /// - Returns: whether nothing more may be made of the session.
    @discardableResult
    func endIfUnwanted(_ session: LiveSession) -> Bool {
        guard let job = book.jobs[session.jobID], job.state.isTerminal || !isSession(ofItsJob: session) else {
            return false
        }
        guard !finalizing.contains(session.id) else {
            session.interruption.raise()
            return true
        }
        var machine = session.machine
        guard machine.cancel(isFileTransactionInFlight: false) == .cancelled else { return false }
        attempt("session_end_failed") { try end(session, machine) }
        return true
    }

    /// Ends a session without touching its job.
    private func end(
        _ session: LiveSession, _ machine: ReceiverSession, then next: @escaping @Sendable () -> Void = {}
    ) throws {
        try store.transaction { connection in
            try ReceiverStore.storeState(of: machine.journal, finalMessage: nil, connection)
        }
        session.machine = machine
        suspended[session.id] = nil
        removePayload(of: session, then: next)
        log("session_cancelled", ("session", .id(session.id)))
    }

    /// Whether the job works with this session, and not with a later one: a phone that keeps nothing over a disconnect begins anew.
    func isSession(ofItsJob session: LiveSession) -> Bool {
        guard let current = book.jobs[session.jobID]?.sessionID else { return true }
        return current == session.id
    }

    // MARK: - Cancel

    /// A cancel of the phone (corpus-protocol.md 15).
    func handle(_ cancel: CorpusTransferCancel, from installationID: UUID) {
        @Sendable func answer(_ accepted: Bool, _ message: String?) {
            let ack = CorpusTransferCancelAck(
                sessionID: cancel.sessionID, jobID: cancel.jobID, accepted: accepted,
                acknowledgedAt: ProtocolDate(secondsSince2001: now.wall), message: message)
            send(.corpusCancelAck(ack), to: installationID)
        }
        forgetOpen(of: cancel.jobID, session: cancel.sessionID, from: installationID)
        guard let session = session(cancel.sessionID), session.peerInstallationID == installationID,
            session.jobID == cancel.jobID
        else { return answer(false, "There is no such session.") }
        do {
            switch try cancelSession(session, tellPeer: false, then: { answer(true, nil) }) {
            case .refusedForNow:
                // Steps follow each other closely: without the wish the next attempt would meet the next one.
                try cancelAtBoundary(session)
                answer(false, "A file is being written. Try again.")
            case .refused:
                // A repeat of a cancel that was honoured meanwhile is answered like the first.
                let isCancelled = session.machine.journal.state == .cancelled
                answer(isCancelled, isCancelled ? nil : "The session has ended.")
            case .cancelled: break
            }
        } catch {
            log("cancel_failed", ("session", .id(session.id)), ("code", .code(of: error)))
            answer(false, "The receiver could not store the cancellation.")
        }
    }

    /// A job that the phone gives up by its id.
    func cancelFromPeer(_ jobID: UUID, from installationID: UUID) {
        forgetOpen(of: jobID, from: installationID)
        guard let job = book.jobs[jobID], job.peerInstallationID == installationID else { return }
        attempt("cancel_failed") {
            if let session = job.sessionID.flatMap({ session($0) }) {
                if try cancelSession(session, tellPeer: false) == .refusedForNow { try cancelAtBoundary(session) }
            } else {
                try cancelJob(jobID, isStepInFlight: false, tellsPeer: false)
            }
        }
    }

    /// Notes the wish to cancel while a step is in flight; it is honoured at the end of the step.
    func cancelAtBoundary(_ session: LiveSession) throws {
        session.interruption.raise()
        try cancelJob(session.jobID, isStepInFlight: true)
    }

    /// Journals a cancelled session together with its job, then drops the payload, then says so and calls `answer`.
    ///
    /// Files that were already written stay.
    func cancelSession(
        _ session: LiveSession, tellPeer: Bool, then answer: @escaping @Sendable () -> Void = {}
    ) throws -> ReceiverSession.CancelAnswer {
        var machine = session.machine
        let isWriting = finalizing.contains(session.id)
        let verdict = machine.cancel(isFileTransactionInFlight: isWriting)
        guard verdict == .cancelled else { return verdict }
        guard isSession(ofItsJob: session) else {
            try end(session, machine, then: answer)
            return .cancelled
        }
        let result = cancelledResult(of: session)
        let message = session.manifest.mode == .strictRaw ? nil : SyncMessage.macExportResult(result).encode()
        try change(also: { connection in
            try ReceiverStore.storeState(of: machine.journal, finalMessage: message, connection)
        }) { book in
            let (_, actions) = book.cancel(
                session.jobID, result: cancelledResponse(of: session.jobID, result), isStepInFlight: false,
                tellsPeer: tellPeer, now: now)
            return ((), actions)
        }
        session.machine = machine
        session.finalMessage = message
        suspended[session.id] = nil
        transfer(.dropJob(jobID: session.jobID, telling: .cancelled), of: session.peerInstallationID)
        removePayload(of: session) { [self] in
            if let message { peers[session.peerInstallationID]?.opening.channel.send(message) }
            answer()
        }
        log("session_cancelled", ("session", .id(session.id)))
        return .cancelled
    }

    private func cancelledResult(of session: LiveSession) -> MacExportResult {
        exportResult(of: session, status: .cancelled)
    }

    /// Deletes the payload of a session that is over and then goes on; its rows stay until the job expires.
    func removePayload(of session: LiveSession, then next: @escaping @Sendable () -> Void = {}) {
        // With it goes the lock of the destination.
        session.fileMemory = nil
        let folder = session.folder
        let jobID = session.jobID
        // A cancel may come between a raw result and its transaction: then the result is payload too. A phone that keeps nothing begins
        // a job again with another session, and the result is of that one.
        let isCompleted = session.machine.journal.state == .completed
        let isResultKept = isCompleted || !isSession(ofItsJob: session)
        worker.post { [log, queue, jobs = store.jobs] in
            defer { queue.post(next) }
            do {
                try folder.directory.removeTree("items")
                try folder.directory.removeTree("finalization")
                if !isCompleted { try folder.directory.removeTree(JobResponseSpool.terminalFolderName) }
                if !isResultKept { try jobs.removeTree(jobID.uuidString) }
            } catch {
                // What is left goes at the next start: a session that is over needs no payload.
                log("payload_removal_failed", ("code", .code(of: error)))
            }
        }
        if peers[session.peerInstallationID]?.activeSession == session.id {
            peers[session.peerInstallationID]?.activeSession = nil
        }
    }

    /// A cancel that had to wait for the end of a step is honoured now.
    func honourCancellation(of session: LiveSession) {
        guard book.jobs[session.jobID]?.isCancellationWanted == true else { return }
        do {
            _ = try cancelSession(session, tellPeer: true)
        } catch {
            suspendCancellation(of: session, error)
        }
    }
}
