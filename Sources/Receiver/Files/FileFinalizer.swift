import CanonicalJSON
import ConnectedProtocol
import DurableStore
import Foundation
import HMDCItem
import HealthData

/// Makes the files of a file job, one slice at a time, on the disk worker, by the steps of its ``FilePlan``.
///
/// Each file is durable before the slice returns, and the slice's transaction follows: what a crash repeats finds its own
/// bytes and leaves them alone, and joining with a file that holds the new content already changes nothing.
struct FileFinalizer {
    /// What a slice starts from.
    struct Work: Sendable {
        var journal: DestinationJournal
        var folder: SessionFolder
        var binding: DestinationBinding
        var disk: any Disk = PosixDisk()
        var frontier: Int
        var output: OutputAccount
        var memory: Memory?
        /// Whether files that hold more than this export are left as they are (``ContentOutline``).
        var sparesRicherFiles = false
        var sliceSeconds = FileFinalizer.sliceSeconds
        var interruption: Interruption
    }

    /// What is kept between slices, and found again from frontier and files when it is lost.
    struct Memory: Sendable {
        var plan: FilePlan
        /// Keeps other receivers out of the destination while the job writes.
        var lock: DestinationLock
        /// A range plan while its files are rendered.
        var spool: RangePlanSpool?
        /// A range plan that is journaled.
        var rangePlan: RangePlan?
        var archive: ArchiveBuilder?
        var rollups: RollupPass?
    }

    /// What a slice did.
    struct Slice: Sendable {
        var frontier: Int
        var output: OutputAccount
        /// Nil after a failure: the next slice begins from what was committed.
        var memory: Memory?
        var written: [WrittenFile]
        var isFinished: Bool
        /// What stopped the slice behind its last complete step.
        var failure: (any Error)?
    }

    /// The plan as a whole cannot be carried out: a definitive failure.
    struct Unplannable: Error {
        let message: String
        var failureReason = "exportWriteFailure"
    }

    /// How long a slice may go on before it hands back, in seconds: the engine answers cancels in between.
    static let sliceSeconds: Double = 0.25

    let journal: DestinationJournal
    let folder: SessionFolder
    let interruption: Interruption
    var memory: Memory
    var output: OutputAccount
    var writer: DestinationWriter
    private let sparesRicherFiles: Bool
    private(set) var frontier: Int
    /// The slice must end here: what follows may happen only after its transaction.
    var isJournalDue = false

    var plan: FilePlan { memory.plan }
    var settings: ExportSettings { memory.plan.settings }

    /// Does steps until the slice is over, everything is done, or someone interrupts. What was complete before a failure
    /// is in the result; the step that failed is neither counted nor kept.
    static func runSlice(_ work: Work) throws -> Slice {
        var finalizer = try FileFinalizer(work)
        let end = ContinuousClock.now + .seconds(work.sliceSeconds)
        var failure: (any Error)?
        var isFirst = true
        while let step = finalizer.plan.step(at: finalizer.frontier), !work.interruption.isRaised,
            !finalizer.isJournalDue, isFirst || ContinuousClock.now < end
        {
            isFirst = false
            let (output, fileCount) = (finalizer.output, finalizer.writer.written.count)
            do {
                if try finalizer.perform(step) {
                    finalizer.frontier += 1
                    finalizer.output.archive = finalizer.memory.archive?.checkpoint
                }
            } catch ReceiverError.interrupted {
                break
            } catch {
                finalizer.output = output
                finalizer.writer.forget(after: fileCount)
                failure = error
                break
            }
        }
        try finalizer.memory.archive?.sync()
        let isFinished = finalizer.plan.step(at: finalizer.frontier) == nil
        return Slice(
            frontier: finalizer.frontier, output: finalizer.output,
            memory: failure == nil && !isFinished ? finalizer.memory : nil,
            written: finalizer.writer.written, isFinished: isFinished, failure: failure)
    }

    private init(_ work: Work) throws {
        journal = work.journal
        folder = work.folder
        interruption = work.interruption
        sparesRicherFiles = work.sparesRicherFiles
        frontier = work.frontier
        output = work.output
        writer = DestinationWriter(root: try DestinationRoot.open(work.binding, on: work.disk))
        if let memory = work.memory {
            self.memory = memory
            return
        }
        memory = Memory(
            plan: try FilePlan(work.journal.manifest),
            lock: try DestinationLock.take(work.binding, on: work.disk))
        if frontier == 0 {
            try checkPlan()
            try checkArchive()
        }
        if isRangePlan, let mark = output.rangePlan {
            memory.rangePlan = try RangePlanSpool.plan(in: folder.directory, mark)
        }
        if memory.plan.writesArchive {
            memory.archive = try ArchiveBuilder(in: work.folder.directory, resuming: output.archive)
        }
    }

    private func checkPlan() throws {
        if isRangePlan { try Self.requireRangePlan(plan, protocolVersion: journal.session.protocolVersion) }
        do {
            try plan.checkCollisions()
        } catch {
            throw Unplannable(message: "The export's settings cannot be carried out (\(error.code)).")
        }
        try PlannedFolders.check(plan, in: writer.root)
    }

    /// An archive of the same days may hold more than a selection of them; it is told before anything is made.
    private func checkArchive() throws {
        guard sparesRicherFiles, let path = plan.archivePath, try writer.root.status(of: path) != nil else { return }
        let refusal = HealthDataError.selectionWouldReplace(path: path)
        throw Unplannable(message: refusal.description, failureReason: refusal.code)
    }

    /// Does one step, or a part of it; true when the step is complete.
    private mutating func perform(_ step: FilePlan.Step) throws -> Bool {
        if isRangePlan { return try performOfRangePlan(step) }
        switch step {
        case .day(let index): try writeDay(plan.requested[index])
        case .rollup(let index): return try continueRollup(index)
        case .dictionary: try writeDictionary()
        case .archive: try publishArchive()
        }
        return true
    }

    private mutating func performOfRangePlan(_ step: FilePlan.Step) throws -> Bool {
        guard output.rangePlan != nil else {
            try continueSpool()
            return false
        }
        switch step {
        case .day(let index): try commitDay(plan.requested[index], step)
        case .rollup(let index):
            do {
                try commitArtifacts(of: step)
            } catch {
                try noteAggregateFailure(error, "rollup_\(plan.periods[index].kind.rawValue)")
            }
        case .dictionary:
            do {
                try commitArtifacts(of: step)
            } catch {
                try noteAggregateFailure(error, "data_dictionary")
            }
        case .archive: try publishArchive()
        }
        return true
    }

    // MARK: - Days

    mutating func writeDay(_ planned: FilePlan.Day) throws {
        let date = planned.date
        guard let day = journal.days[date] else { throw ReceiverError.itemFileDamaged }
        switch day.content {
        case .raw: preconditionFailure("a file session holds health days")
        case .noData: output.failedDates.append(FailedDateDetail(date: date, reason: .noHealthData))
        case .failed(let reason):
            output.failedDates.append(
                FailedDateDetail(date: date, reason: DayFailureReason(rawValue: reason) ?? .unknown))
        case .record:
            do {
                if try !writeRecord(of: day, planned.day) { output.skippedDates.append(date) }
            } catch {
                guard let detail = FileFinalizer.lastingCode(of: error) else { throw error }
                output.failedDates.append(
                    FailedDateDetail(date: date, reason: .fileWriteError, errorDetails: detail))
            }
        }
    }

    /// The code of an error that trying again does not help; nil when it concerns the disk as a whole and may pass.
    static func lastingCode(of error: any Error) -> String? {
        switch error {
        case let error as StoreError:
            switch error.code {
            case "permission_denied", "is_symlink", "wrong_type", "read_only", "name_too_long", "invalid_path",
                "not_private", "already_exists", "not_found", "corrupt":
                return error.code
            default: return nil
            }
        case let error as HealthDataError: return error.code
        case let error as ItemError: return error.code
        case is DecodingError: return "record_undecodable"
        default: return nil
        }
    }

    /// A day as its item has it.
    func envelope(of day: DestinationJournal.Day) throws -> HealthDayEnvelope<DailyRecord> {
        let source = try SessionFolder.source(
            of: day, protocolVersion: journal.session.protocolVersion, in: folder.items)
        let envelope = try ItemDecoder().decode(
            HealthDayEnvelope<DailyRecord>.self, from: ItemFile(source, kind: .macHealthDay).root)
        guard envelope.record != nil || !envelope.externalDailyRecords.isEmpty else {
            throw ReceiverError.itemFileDamaged
        }
        return envelope
    }
    /// Makes everything that one day gives rise to. False when that is nothing but a note that is not there.
    private mutating func writeRecord(of day: DestinationJournal.Day, _ date: CivilDate) throws -> Bool {
        let envelope = try envelope(of: day)
        guard let record = envelope.record else {
            try writeProvidersOnly(envelope, date, day)
            return true
        }
        let document = try DayDocument(record, detail: settings.detail)
        if plan.writesDays {
            try writeFiles(of: document, date)
            try writeSidecars(envelope.externalDailyRecords, date, day)
        }
        if plan.writesEntries { try writeEntries(of: document, date, day) }
        // A note is merged with what stands there: never spooled.
        let hasNote = try memory.spool != nil || mergeNote(document, date)
        note(record, of: day)
        return hasNote
    }

    /// A day that only other providers know: their files are its only ones. What the phone said of its own data is told; a day
    /// with files that did not fail is a success.
    private mutating func writeProvidersOnly(
        _ envelope: HealthDayEnvelope<DailyRecord>, _ date: CivilDate, _ day: DestinationJournal.Day
    ) throws {
        let before = output.breakdown.providerSidecarFileCount
        if plan.writesDays { try writeSidecars(envelope.externalDailyRecords, date, day) }
        let hasFiles = output.breakdown.providerSidecarFileCount > before || memory.spool != nil
        if let failure = envelope.failure {
            output.failedDates.append(
                FailedDateDetail(
                    date: day.sourceDate, reason: DayFailureReason(rawValue: failure.reason.rawValue) ?? .unknown))
        } else if !hasFiles {
            output.failedDates.append(FailedDateDetail(date: day.sourceDate, reason: .noHealthData))
        }
    }

    /// Merges a day into its note, if notes are wanted. False when the note is the only output and is not there.
    mutating func mergeNote(_ document: DayDocument, _ date: CivilDate) throws -> Bool {
        guard plan.writesNotes, let path = try plan.planner.dailyNotePath(on: date) else { return true }
        let isMerged = try writer.merge(
            document, intoNote: path, settings: settings, sparesRicherNotes: sparesRicherFiles)
        if isMerged {
            output.breakdown.dailyNoteUpdateCount += 1
        } else {
            output.breakdown.dailyNoteSkipCount += 1
        }
        return isMerged || !plan.isNotesOnly
    }

    private mutating func writeFiles(of document: DayDocument, _ date: CivilDate) throws {
        let files = try plan.planner.files(for: date)
        if sparesRicherFiles, memory.archive == nil, memory.spool == nil {
            // All formats of the day before the first one: a day is replaced whole or not at all.
            for planned in files {
                guard case .day(let format) = planned.content else { continue }
                try writer.requireNothingLost(planned.path, as: format, mode: settings.writeMode) { [settings] sink in
                    try DayRenderer.write(document, as: format, settings: settings, to: sink)
                }
            }
        }
        for planned in files {
            guard case .day(let format) = planned.content else { continue }
            try put(.day, planned.path, as: format, date: date) { [settings] sink in
                try DayRenderer.write(document, as: format, settings: settings, to: sink)
            }
        }
    }

    /// Records of other providers are files of their own. They are replaced whatever the write mode is: nobody's words
    /// are in them.
    private mutating func writeSidecars(
        _ records: [ExternalDailyRecord], _ date: CivilDate, _ day: DestinationJournal.Day
    ) throws {
        guard !records.isEmpty else { return }
        let (sidecars, unwritable) = try ProviderSidecar.all(records, on: date, plan.planner)
        for sidecar in sidecars {
            try put(.sidecar, sidecar.path, as: .json, mode: .overwrite, date: date) { try $0(sidecar.bytes()) }
        }
        guard unwritable > 0 else { return }
        output.add(
            ConnectedProtocol.PartialFailure(
                date: day.sourceDate, dataType: "external_daily_records", dateRangeDescription: "",
                errorDescription: "\(unwritable) records of other providers have no usable or a repeated name."))
    }

    private mutating func writeEntries(
        of document: DayDocument, _ date: CivilDate, _ day: DestinationJournal.Day
    ) throws {
        let entries = try IndividualEntries(document, settings: settings)
        let reserved = try plan.reservedPaths(on: date)
        for entry in entries.entries where reserved.contains(HealthData.RelativePath.collisionKey(entry.path)) {
            throw HealthDataError.pathCollision(entry.path)
        }
        for entry in entries.entries {
            try put(.entry, entry.path, as: .markdown, date: date) { try $0(entry.bytes) }
        }
        for metricID in entries.missingMetricIDs {
            output.add(
                ConnectedProtocol.PartialFailure(
                    date: day.sourceDate, dataType: metricID, dateRangeDescription: "",
                    errorDescription: "An individual entry was requested, but the day has no value."))
        }
    }

    /// What could not be rendered is told, never silent.
    private mutating func note(_ record: DailyRecord, of day: DestinationJournal.Day) {
        for failure in record.partialFailures {
            output.add(
                ConnectedProtocol.PartialFailure(
                    date: ProtocolDate(secondsSince2001: failure.date.timeIntervalSinceReferenceDate),
                    dataType: failure.dataType, dateRangeDescription: failure.dateRangeDescription,
                    errorDescription: failure.errorDescription))
        }
    }

    /// Puts a file into the spool of a range plan, into the archive, or into the destination by the write mode; one that
    /// stands loose is counted.
    mutating func put(
        _ kind: OutputKind, _ path: String, as format: ExportFormat, mode: WriteMode? = nil, date: CivilDate,
        _ render: DestinationWriter.Rendering
    ) throws {
        guard memory.spool == nil else {
            try memory.spool?.add(kind, path, render)
            return
        }
        guard memory.archive == nil else {
            let name = plan.entryName(of: path)
            try memory.archive?.add(name, date: date, render)
            return
        }
        try writer.put(path, as: format, mode: mode ?? settings.writeMode, render)
        output.count(kind)
    }
}
