import ConnectedProtocol
import DurableStore
import Foundation

/// Making the result of a session: slices of work on the disk worker, each followed by its transaction here.
extension ReceiverEngine {
    /// Gives the next piece of work to the worker, unless one is there already.
    func continueFinalization(of session: LiveSession) {
        guard !isStopping, !endIfUnwanted(session), finalizing.insert(session.id).inserted else { return }
        session.interruption.clear()
        switch session.manifest.mode {
        case .strictRaw: composeRawResult(of: session)
        case .writeFiles: writeFiles(of: session)
        case .encryptedContext: preconditionFailure("admission refuses encrypted context")
        }
    }

    // MARK: - Strict raw

    private func composeRawResult(of session: LiveSession) {
        var durable = book.jobs[session.jobID].flatMap { $0.isDurable ? $0.durableState : nil }
        durable?.state = .completed
        durable?.isPaused = false
        if let total = durable?.totalDays {
            durable?.processedDays = total
            durable?.fractionComplete = 1
        }
        let finalizer = RawFinalizer(
            jobID: session.jobID, journal: session.machine.journal, folder: session.folder, jobs: store.jobs,
            acceptedVersions: configuration.acceptedDocumentVersions, durable: durable,
            interruption: session.interruption)
        worker.post { [self] in
            let outcome = Result { try finalizer.run() }
            queue.post { [self] in composed(outcome, session) }
        }
    }

    private func composed(_ outcome: Result<RawFinalizer.Outcome, any Error>, _ session: LiveSession) {
        finalizing.remove(session.id)
        if endIfUnwanted(session) { return }
        if book.jobs[session.jobID]?.isCancellationWanted == true { return honourCancellation(of: session) }
        let composed: RawFinalizer.Outcome
        do {
            composed = try outcome.get()
        } catch let refusal as RawResultComposer.Refusal {
            return fail(
                session, reason: .payloadDecodeFailure, failureReason: "raw_profile_response_mismatch",
                message: "The phone's data did not pass the checks: \(refusal.issue.code).")
        } catch {
            return failOrSuspend(session, error)
        }
        do {
            var machine = session.machine
            let ack = machine.complete(
                FinalizationCounts(
                    completedDates: session.manifest.requestedDates,
                    successCount: composed.response.successCount ?? 0), message: nil)
            try finish(session, machine, ack, finalMessage: nil, response: composed.response) { connection in
                try ReceiverStore.store(composed.stored, job: session.jobID, connection)
            }
        } catch {
            suspend(session, error)
        }
    }

    /// Repeats the end of a session. A raw result is read first, and repaired when it is damaged: an acknowledgement says
    /// that it is there (control-api.md 14).
    func replayFinals(of session: LiveSession, _ ack: CorpusTransferFinalAck) {
        guard ack.accepted, session.manifest.mode == .strictRaw else { return sendFinals(of: session, ack) }
        let spool: JobResponseSpool
        do {
            guard let found = try book.jobs[session.jobID].flatMap({ try responseSpool(of: $0) }) else {
                return sendFinals(of: session, ack)
            }
            spool = found
        } catch {
            return log("response_unreadable", ("job", .id(session.jobID)), ("code", .code(of: error)))
        }
        // One at a time: to a repeat that comes meanwhile nothing is said.
        guard !isStopping, finalizing.insert(session.id).inserted else { return }
        worker.post { [self] in
            let restoration = Result { try spool.restore() }
            queue.post { [self] in
                finalizing.remove(session.id)
                do {
                    // What is lost on this side stays acknowledged: clients are told, and the phone's part is over.
                    _ = try restoration.get()
                    sendFinals(of: session, ack)
                } catch {
                    log("response_not_repaired", ("job", .id(session.jobID)), ("code", .code(of: error)))
                }
            }
        }
    }

    // MARK: - Files

    private func writeFiles(of session: LiveSession) {
        guard let binding = book.jobs[session.jobID]?.destination else {
            finalizing.remove(session.id)
            return fail(
                session, reason: .noMacFolderSelected, failureReason: "mac_destination_unavailable",
                message: "The job has no destination.")
        }
        let work = FileFinalizer.Work(
            journal: session.machine.journal, folder: session.folder, binding: binding,
            disk: configuration.destinationDisk, frontier: session.frontier, output: session.output,
            memory: session.fileMemory,
            sparesRicherFiles: book.jobs[session.jobID]?.request?.sparesRicherFiles ?? false,
            sliceSeconds: configuration.sliceSeconds, interruption: session.interruption)
        // Handed over, not shared: what grows in it is not copied for each slice.
        session.fileMemory = nil
        worker.post { [self] in
            let slice = Result { try FileFinalizer.runSlice(work) }
            queue.post { [self] in wrote(slice, session) }
        }
    }

    private func wrote(_ slice: Result<FileFinalizer.Slice, any Error>, _ session: LiveSession) {
        finalizing.remove(session.id)
        do {
            let slice = try slice.get()
            try change(also: { connection in
                try ReceiverStore.storeFrontier(
                    slice.frontier, output: slice.output, session: session.id, job: session.jobID,
                    written: slice.written, connection)
            }) { book in
                (
                    (),
                    book.advanced(
                        session.jobID, committedPartitions: 0, committedBytes: 0, processedDays: 0,
                        message: "The receiver writes files.", now: now)
                )
            }
            session.frontier = slice.frontier
            session.output = slice.output
            session.fileMemory = slice.memory
            if slice.isFinished { session.mayHoldUncountedFiles = false }
            if slice.failure != nil { session.mayHoldUncountedFiles = true } else { suspended[session.id] = nil }
            if endIfUnwanted(session) { return }
            if book.jobs[session.jobID]?.isCancellationWanted == true { return honourCancellation(of: session) }
            progress(.writing, of: session)
            if let failure = slice.failure { throw failure }
            guard slice.isFinished else { return continueFinalization(of: session) }
            try complete(session)
        } catch ReceiverError.destinationUnusable(let reason) {
            fail(
                session, reason: .macFolderAccessDenied, failureReason: "mac_destination_unavailable",
                message: "The destination cannot be used: \(reason)")
        } catch let error as FileFinalizer.Unplannable {
            fail(session, reason: .exportWriteFailure, failureReason: error.failureReason, message: error.message)
        } catch {
            failOrSuspend(session, error)
        }
    }

    private func complete(_ session: LiveSession) throws {
        let result = exportResult(of: session, status: nil)
        var machine = session.machine
        let ack = machine.complete(
            FinalizationCounts(completedDates: session.completedDates, successCount: result.successCount),
            message: nil)
        try finish(
            session, machine, ack, finalMessage: SyncMessage.macExportResult(result).encode(),
            response: response(of: session.jobID, result)
        ) { _ in }
        progress(.completed, of: session)
    }

    // MARK: - Ends

    /// Session, final message, acknowledgement, job and response in one transaction; then the payload goes; then the phone hears it
    /// (corpus-protocol.md 13.5.7).
    private func finish(
        _ session: LiveSession, _ machine: ReceiverSession, _ ack: CorpusTransferFinalAck, finalMessage: [UInt8]?,
        response: ControlResponse,
        also write: @escaping (DatabaseConnection) throws -> Void
    ) throws {
        try change(also: { connection in
            try ReceiverStore.storeState(of: machine.journal, finalMessage: finalMessage, connection)
            try write(connection)
        }) { book in ((), book.finish(session.jobID, response, now: now)) }
        session.machine = machine
        session.finalMessage = finalMessage
        suspended[session.id] = nil
        log(
            "job_finished", ("job", .id(session.jobID)), ("session", .id(session.id)),
            ("state", .state(book.jobs[session.jobID]?.state ?? .completed)))
        removePayload(of: session) { [self] in sendFinals(of: session, ack) }
    }

    /// Damage of what the receiver has stored does not pass: the job fails, once. Everything else is tried again.
    private func failOrSuspend(_ session: LiveSession, _ error: any Error) {
        guard let code = StoredDamage.code(of: error, mode: session.manifest.mode) else {
            return suspend(session, error)
        }
        log("session_damaged", ("session", .id(session.id)), ("code", .code(of: error)))
        fail(
            session, reason: .payloadDecodeFailure, failureReason: code, message: StoredDamage.message(code))
    }

    /// A definitive failure: stored with its negative ack, then said (corpus-protocol.md 13.5).
    private func fail(
        _ session: LiveSession, reason: MacExportFailureReason, failureReason: String, message: String
    ) {
        var machine = session.machine
        guard machine.journal.state == .finalizing else { return }
        let ack = machine.fail(message: message)
        var breakdown = session.output.breakdown
        breakdown.requestedDataDayCount = session.manifest.requestedDates.count
        breakdown.successfulDataDayCount = session.succeededDates.count
        breakdown.isFileCategoryBreakdownComplete = !session.mayHoldUncountedFiles
        let failure = MacExportFailed(
            jobID: session.jobID, reason: reason, message: message, totalFilesWritten: session.output.fileCount,
            outputBreakdown: breakdown, occurredAt: ProtocolDate(secondsSince2001: now.wall))
        var response = ControlResponse(
            status: .failure, message: message, jobID: session.jobID, failureReason: failureReason)
        response.successCount = session.succeededDates.count
        response.totalCount = session.manifest.requestedDates.count
        response.filesWritten = session.output.fileCount
        response.externalRecordCount = session.output.breakdown.providerSidecarFileCount
        fillDestination(of: session.jobID, &response)
        do {
            try finish(
                session, machine, ack, finalMessage: SyncMessage.macExportFailed(failure).encode(), response: response
            ) { _ in }
        } catch {
            suspend(session, error)
        }
    }

    // MARK: - Messages

    /// The result of a file job as it stands; the status follows from the days unless it is given
    /// (corpus-protocol.md 13.5).
    func exportResult(of session: LiveSession, status: MacExportStatus?) -> MacExportResult {
        let output = session.output
        let total = session.manifest.requestedDates.count
        let succeeded = session.succeededDates.count
        let derived: MacExportStatus =
            succeeded == total && output.failedDates.isEmpty && output.hasFailedAggregate != true
            ? .success : succeeded > 0 || output.breakdown.dailyNoteSkipCount > 0 ? .partialSuccess : .failure
        var result = MacExportResult(
            jobID: session.jobID, status: status ?? derived, successCount: succeeded, totalCount: total,
            formatsPerDate: session.manifest.settings.exportFormats.count, totalFilesWritten: output.fileCount,
            completedAt: ProtocolDate(secondsSince2001: now.wall))
        result.isTotalFilesWrittenAuthoritative = !session.mayHoldUncountedFiles
        result.hadTerminalRangeFailure = output.hasFailedAggregate == true
        result.externalRecordFileCount = output.breakdown.providerSidecarFileCount
        result.dailyNoteUpdateCount = output.breakdown.dailyNoteUpdateCount
        result.dailyNoteSkipCount = output.breakdown.dailyNoteSkipCount
        var breakdown = output.breakdown
        breakdown.requestedDataDayCount = total
        breakdown.successfulDataDayCount = succeeded
        breakdown.isFileCategoryBreakdownComplete = !session.mayHoldUncountedFiles
        result.outputBreakdown = breakdown
        result.failedDateDetails = output.failedDates
        result.completedDates = session.completedDates
        result.partialFailures = output.partialFailures.isEmpty ? nil : output.partialFailures
        let binding = book.jobs[session.jobID]?.destination
        result.destinationDisplayName = binding?.displayName
        result.destinationPathForDisplay = binding?.path
        return result
    }

    /// The control API's response for a result.
    func response(of jobID: UUID, _ result: MacExportResult) -> ControlResponse {
        let status: ControlResponse.Status
        switch result.status {
        case .success: status = .success
        case .partialSuccess: status = .partialSuccess
        case .failure: status = .failure
        case .cancelled: status = .cancelled
        }
        let files = result.totalFilesWritten == 1 ? "1 file" : "\(result.totalFilesWritten) files"
        let days = "\(result.successCount) of \(result.totalCount) days"
        var response = ControlResponse(
            status: status,
            message: status == .cancelled ? "Export cancelled." : "Exported \(days) and wrote \(files).",
            jobID: jobID,
            failureReason: status == .cancelled ? "cancelled" : result.failedDateDetails.first.map { Self.code(of: $0) }
        )
        response.successCount = result.successCount
        response.totalCount = result.totalCount
        response.filesWritten = result.totalFilesWritten
        response.externalRecordCount = result.externalRecordFileCount
        if result.dailyNoteUpdateCount > 0 { response.dailyNotesUpdated = result.dailyNoteUpdateCount }
        if result.dailyNoteSkipCount > 0 { response.dailyNotesSkipped = result.dailyNoteSkipCount }
        let missing = failedDays(of: jobID, result) + partialFailures(of: jobID, result)
        if !missing.isEmpty { response.partialFailures = missing }
        fillDestination(of: jobID, &response)
        return response
    }

    /// The days that have no files, each with its reason.
    private func failedDays(of jobID: UUID, _ result: MacExportResult) -> [ControlResponse.PartialFailure] {
        let labels = dayLabels(of: jobID)
        return result.failedDateDetails.prefix(OutputAccount.partialFailureLimit).map { failed in
            let message =
                switch failed.reason {
                case .fileWriteError where Self.code(of: failed) == Self.wouldReplace:
                    "A file of this day holds more than was asked for and stays as it was. Choose another folder with "
                        + "`--destination`, or replace it with `--replace`."
                case .noHealthData: "The phone has no data of this day."
                // Details are codes of our own here: the reasons of a phone carry none.
                case .fileWriteError:
                    "The files of this day could not be written (\(failed.errorDetails ?? "unknown"))."
                default: "The phone could not read this day (\(failed.reason.rawValue))."
                }
            return ControlResponse.PartialFailure(
                date: labels[failed.date], code: Self.code(of: failed), message: message)
        }
    }

    private static let wouldReplace = "selection_would_replace"

    /// The reason of a day, or what is more to the point.
    private static func code(of failed: FailedDateDetail) -> String {
        failed.errorDetails == wouldReplace ? wouldReplace : failed.reason.rawValue
    }

    /// A peer's texts are free and could hold anything: only the day and the kind of data are passed on.
    private func partialFailures(of jobID: UUID, _ result: MacExportResult) -> [ControlResponse.PartialFailure] {
        let labels = dayLabels(of: jobID)
        return (result.partialFailures ?? []).map { failure in
            let kind = String(
                failure.dataType.unicodeScalars.filter { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_") }
                    .prefix(64))
            return ControlResponse.PartialFailure(
                date: labels[failure.date], code: "source_partial_failure",
                message: "A part of the day is missing: \(kind).")
        }
    }

    /// The labels of a job's requested days by the source's instants: the receiver's own calendar may call them otherwise.
    private func dayLabels(of jobID: UUID) -> [ProtocolDate: String] {
        guard let session = book.jobs[jobID]?.sessionID.flatMap({ session($0) }) else { return [:] }
        let manifest = session.manifest
        return Dictionary(
            zip(manifest.requestedDates, SourceDays.labels(of: manifest)), uniquingKeysWith: { first, _ in first })
    }

    private func fillDestination(of jobID: UUID, _ response: inout ControlResponse) {
        let binding = book.jobs[jobID]?.destination
        response.destinationDisplayName = binding?.displayName
        response.destinationPath = binding?.path
    }

    /// The response of a cancelled job with the exact counts.
    func cancelledResponse(of jobID: UUID, _ result: MacExportResult?) -> ControlResponse {
        guard let job = book.jobs[jobID] else {
            return ControlResponse(status: .cancelled, message: "Export cancelled.", jobID: jobID)
        }
        if let result, job.responseMode == .writeFiles { return response(of: jobID, result) }
        var response = ControlResponse(
            status: .cancelled, message: "Export cancelled.", jobID: jobID, failureReason: "cancelled")
        response.successCount = 0
        response.totalCount = job.totalDays
        response.filesWritten = 0
        if job.responseMode == .writeFiles { fillDestination(of: jobID, &response) }
        return response
    }

    /// A progress message to the phone, at most every 0.2 s except for the last one (corpus-protocol.md 4.5).
    func progress(_ phase: MacExportPhase, of session: LiveSession) {
        guard session.manifest.mode == .writeFiles, let peer = peers[session.peerInstallationID] else { return }
        guard phase == .completed || now.monotonic - peer.lastProgressAt >= 0.2 else { return }
        peers[session.peerInstallationID]?.lastProgressAt = now.monotonic
        let total = session.manifest.requestedDates.count
        let processed =
            phase == .receiving
            ? session.machine.journal.processedRequestedDayCount : min(session.frontier, total)
        send(
            .macExportProgress(
                MacExportProgress(
                    jobID: session.jobID, phase: phase, processedDays: processed, totalDays: total, currentDate: nil,
                    filesWritten: session.output.fileCount, message: "\(processed) of \(total) days")),
            to: session.peerInstallationID)
    }
}
