import ConnectedProtocol
import DurableStore
import Foundation

/// Finalizations that failed for a reason that may pass.
extension ReceiverEngine {
    /// Seconds after which what the journal refused is tried again, whether a phone asks or not.
    static let retrySeconds: Double = 15

    /// A failure that may pass: nothing is said, the session stays `finalizing`, the job pauses with the reason. It is tried again
    /// by itself (``Suspension``).
    func suspend(_ session: LiveSession, _ error: any Error) {
        session.machine.suspendFinalization()
        log("finalization_suspended", ("session", .id(session.id)), ("code", .code(of: error)))
        honourCancellation(of: session)
        guard !session.machine.journal.state.isTerminal, !isStopping, !isCancellationWanted(session) else { return }
        hold(session.id, session.jobID, cause(of: error, session), error)
        retrySuspended()
    }

    /// The wish to finalize could not be stored: nothing was said, and it is taken up again after a time.
    func suspend(_ finalize: CorpusTransferFinalize, of session: LiveSession, _ error: any Error) {
        log("finalization_failed", ("session", .id(session.id)), ("code", .code(of: error)))
        unstoredFinalizes[session.id] = finalize
        hold(session.id, session.jobID, .cheap, error)
    }

    /// A cancel that could not be stored at its boundary: the wish is stored, nobody repeats it, and it is tried again.
    func suspendCancellation(of session: LiveSession, _ error: any Error) {
        log("cancel_failed", ("session", .id(session.id)), ("code", .code(of: error)))
        session.machine.suspendFinalization()
        session.fileMemory = nil
        suspended[session.id] = suspension(after: suspended[session.id], .cheap, error)
    }

    private func isCancellationWanted(_ session: LiveSession) -> Bool {
        book.jobs[session.jobID]?.isCancellationWanted == true
    }

    private func hold(_ id: UUID, _ jobID: UUID, _ cause: Suspension.Cause, _ error: any Error) {
        let suspension = suspension(after: suspended[id], cause, error)
        suspended[id] = suspension
        pause(jobID, code: suspension.code, message: suspension.message)
    }

    private func suspension(
        after earlier: Suspension?, _ cause: Suspension.Cause, _ error: any Error
    ) -> Suspension {
        Suspension(
            after: earlier, cause, code: stableCode(of: error), message: storageMessage(error), at: now.monotonic)
    }

    private func cause(of error: any Error, _ session: LiveSession) -> Suspension.Cause {
        if case .destinationInUse? = error as? ReceiverError { return .cheap }
        guard case .diskFull? = error as? StoreError else { return .other }
        switch session.manifest.mode {
        case .strictRaw:
            // Both copies of the result hold the documents that the partitions brought (corpus-protocol.md 13.2.9).
            let (needed, overflow) = UInt64(session.machine.journal.totalPartitionBytes).multipliedReportingOverflow(
                by: 2)
            return .space(FinalizationSpace(storage: overflow ? .max : needed))
        case .writeFiles, .encryptedContext:
            // Only what is left to write is written, so little may be enough.
            return .space(
                FinalizationSpace(storage: Suspension.notableGrowth, destination: Suspension.notableGrowth))
        }
    }

    // MARK: - Again

    /// A person asks for a job: what of it is suspended is tried at once.
    func hurry(_ jobID: UUID) {
        guard let id = book.jobs[jobID]?.sessionID, suspended[id] != nil, !isStopping else { return }
        suspended[id]?.hurry()
        tryAgain(id)
    }

    /// The phone asks for the end of a suspended session: its job says again why it waits, and the disks are looked at. True when the
    /// question is dealt with by that.
    func isHeld(_ finalize: CorpusTransferFinalize) -> Bool {
        guard unstoredFinalizes[finalize.sessionID] == nil, let suspension = suspended[finalize.sessionID] else {
            return false
        }
        pause(finalize.jobID, code: suspension.code, message: suspension.message)
        suspended[finalize.sessionID]?.asked(at: now.monotonic)
        retrySuspended()
        return true
    }

    /// Tries again what was suspended and whose time has come.
    func retrySuspended() {
        guard !isStopping else { return }
        for (installationID, due) in unstoredHellos where due <= now.monotonic {
            unstoredHellos[installationID] = nil
            said(hello: installationID)
        }
        for id in suspended.keys {
            switch suspended[id]?.step(at: now.monotonic) {
            case nil, .wait: break
            case .look: look(id)
            case .attempt: tryAgain(id)
            }
        }
    }

    /// Asks the file systems beside engine and worker: one that hangs must hold neither.
    private func look(_ id: UUID) {
        let binding = session(id).flatMap { book.jobs[$0.jobID]?.destination }
        scout.post { [self, storage = store.folder, disk = configuration.destinationDisk] in
            // What cannot be asked says nothing: then the time alone counts.
            let space = FinalizationSpace(
                storage: try? storage.freeSpace().available,
                destination: binding.flatMap { try? DestinationRoot.open($0, on: disk).freeSpace().available })
            queue.post { [self] in
                guard !isStopping, suspended[id]?.looked(space, at: now.monotonic) == true else { return }
                tryAgain(id)
            }
        }
    }

    private func tryAgain(_ id: UUID) {
        let session: LiveSession
        switch lookUp(id) {
        case .found(let found): session = found
        case .unreadable(mayPass: true): suspended[id]?.failedAgain(at: now.monotonic); return
        case .absent, .unreadable: suspended[id] = nil; return
        }
        honourCancellation(of: session)
        guard !isCancellationWanted(session) else { return }
        guard !session.machine.journal.state.isTerminal else {
            suspended[id] = nil
            return
        }
        if let finalize = unstoredFinalizes.removeValue(forKey: id) {
            suspended[id] = nil
            handle(finalize, from: session.peerInstallationID)
        }
        guard session.machine.resumeFinalization() else { return }
        log("finalization_resumed", ("job", .id(session.jobID)), ("session", .id(id)))
        continueFinalization(of: session)
    }
}
