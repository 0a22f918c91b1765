import CanonicalJSON
import ConnectedProtocol
import HealthData

/// Pinned roll-up jobs (corpus-protocol.md 13.6): first every file is rendered into the session's spool and the plan is
/// journaled; then the steps of the frontier bring the spooled files to the destination, in order.
extension FileFinalizer {
    /// Whether the job is made by a range plan: an engine pin and roll-ups.
    var isRangePlan: Bool { plan.isPinnedRollup }

    /// What a range plan cannot do is refused before anything is rendered.
    static func requireRangePlan(_ plan: FilePlan, protocolVersion: Int) throws {
        // Admission refuses such a session; one that was stored before it did ends here.
        guard protocolVersion >= CorpusNegotiation.rangePlanVersion else {
            throw Unplannable(message: OpenRefusal.rangePlanVersion(protocolVersion).message)
        }
        guard plan.settings.writeMode == .overwrite else {
            throw Unplannable(
                message: "A pinned range is written in the mode Overwrite only. Choose that mode, then export again.")
        }
        guard plan.transferred.count <= RangePlan.maximumDateCount else {
            throw Unplannable(
                message: "A pinned range has at most \(RangePlan.maximumDateCount) days. Ask for fewer days.")
        }
    }

    /// Renders one step into the spool; the last one seals the plan, and the slice must end so that it is journaled.
    mutating func continueSpool() throws {
        if memory.spool == nil { memory.spool = try RangePlanSpool(in: folder.directory) }
        guard let spool = memory.spool else { return }
        let committed = output
        output = spool.output
        switch plan.step(at: spool.nextStep) {
        case .day(let index): try writeDay(plan.requested[index])
        case .rollup(let index):
            guard try continueRollup(index) else { return keepSpool(at: spool.nextStep, committed) }
        case .dictionary: try writeDictionary()
        case .archive, nil:
            output.rangePlan = try memory.spool?.seal()
            memory.rangePlan = memory.spool?.plan
            memory.spool = nil
            isJournalDue = true
            return
        }
        keepSpool(at: spool.nextStep + 1, committed)
    }

    /// What the spool found out waits in it: only a sealed plan changes the account.
    private mutating func keepSpool(at step: Int, _ committed: OutputAccount) {
        memory.spool?.output = output
        memory.spool?.nextStep = step
        output = committed
    }

    /// Brings the spooled files of the present step to the destination.
    mutating func commitArtifacts(of step: FilePlan.Step) throws {
        guard let rangePlan = memory.rangePlan else { throw ReceiverError.itemFileDamaged }
        for artifact in rangePlan.artifacts(of: frontier) {
            let bytes = try RangePlanSpool.bytes(of: artifact, in: folder.directory)
            try put(artifact.kind, artifact.path, as: .json, mode: .overwrite, date: plan.date(of: step)) {
                try $0(bytes)
            }
        }
    }

    /// A day of a range plan: its spooled files, and the note, which is merged with what stands there.
    mutating func commitDay(_ planned: FilePlan.Day, _ step: FilePlan.Step) throws {
        do {
            try commitArtifacts(of: step)
            guard plan.writesNotes, let day = journal.days[planned.date], case .record = day.content else { return }
            guard let record = try envelope(of: day).record else { return }
            let document = try DayDocument(record, detail: settings.detail)
            if try !mergeNote(document, planned.day) { output.skippedDates.append(planned.date) }
        } catch {
            guard let detail = FileFinalizer.lastingCode(of: error) else { throw error }
            output.failedDates.removeAll { $0.date == planned.date }
            output.failedDates.append(
                FailedDateDetail(date: planned.date, reason: .fileWriteError, errorDetails: detail))
        }
    }
}
