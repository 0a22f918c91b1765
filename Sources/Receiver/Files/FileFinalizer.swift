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
        var frontier: Int
        var output: OutputAccount
        var memory: Memory?
        var sliceSeconds = FileFinalizer.sliceSeconds
        var interruption: Interruption
    }

    /// What is kept between slices, and found again from frontier and files when it is lost.
    struct Memory: Sendable {
        var plan: FilePlan
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
    }

    /// How long a slice may go on before it hands back, in seconds: the engine answers cancels in between.
    static let sliceSeconds: Double = 0.25

    let journal: DestinationJournal
    let items: Directory
    let interruption: Interruption
    var memory: Memory
    var output: OutputAccount
    var writer: DestinationWriter
    private var frontier: Int

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
            isFirst || ContinuousClock.now < end
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
        return Slice(
            frontier: finalizer.frontier, output: finalizer.output, memory: failure == nil ? finalizer.memory : nil,
            written: finalizer.writer.written, isFinished: finalizer.plan.step(at: finalizer.frontier) == nil,
            failure: failure)
    }

    private init(_ work: Work) throws {
        journal = work.journal
        items = work.folder.items
        interruption = work.interruption
        frontier = work.frontier
        output = work.output
        writer = DestinationWriter(root: try DestinationRoot.open(work.binding))
        if let memory = work.memory {
            self.memory = memory
            return
        }
        memory = Memory(plan: try FilePlan(work.journal.manifest))
        if frontier == 0 { try checkCollisions() }
        if memory.plan.writesArchive {
            memory.archive = try ArchiveBuilder(in: work.folder.directory, resuming: output.archive)
        }
    }

    private func checkCollisions() throws {
        do {
            try plan.checkCollisions()
        } catch {
            throw Unplannable(message: "The export's settings cannot be carried out (\(error.code)).")
        }
    }

    /// Does one step, or a part of it; true when the step is complete.
    private mutating func perform(_ step: FilePlan.Step) throws -> Bool {
        switch step {
        case .day(let index): try writeDay(plan.requested[index])
        case .rollup(let index): return try continueRollup(index)
        case .dictionary: try writeDictionary()
        case .archive: try publishArchive()
        }
        return true
    }

    // MARK: - Days

    private mutating func writeDay(_ planned: FilePlan.Day) throws {
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
    func envelope(of day: DestinationJournal.Day) throws -> (record: DailyRecord, externalCount: Int) {
        let source = try SessionFolder.source(of: day, protocolVersion: journal.session.protocolVersion, in: items)
        let envelope = try ItemDecoder().decode(
            HealthDayEnvelope<DailyRecord>.self, from: ItemFile(source, kind: .macHealthDay).root)
        guard let record = envelope.record else { throw ReceiverError.itemFileDamaged }
        return (record, envelope.externalDailyRecords.count)
    }

    /// Makes everything that one day gives rise to. False when that is nothing but a note that is not there.
    private mutating func writeRecord(of day: DestinationJournal.Day, _ date: CivilDate) throws -> Bool {
        let (record, externalCount) = try envelope(of: day)
        let document = try DayDocument(record, detail: settings.detail)
        if plan.writesDays { try writeFiles(of: document, date) }
        if plan.writesEntries { try writeEntries(of: document, date, day) }
        var isNoteSkipped = false
        if plan.writesNotes, let path = try plan.planner.dailyNotePath(on: date) {
            isNoteSkipped = try !writer.merge(document, intoNote: path, settings: settings)
            if isNoteSkipped {
                output.breakdown.dailyNoteSkipCount += 1
            } else {
                output.breakdown.dailyNoteUpdateCount += 1
            }
        }
        note(record, externalCount, of: day)
        return !(plan.isNotesOnly && isNoteSkipped)
    }

    private mutating func writeFiles(of document: DayDocument, _ date: CivilDate) throws {
        for planned in try plan.planner.files(for: date) {
            guard case .day(let format) = planned.content else { continue }
            let isLoose = try put(planned.path, as: format, date: date) { [settings] sink in
                try DayRenderer.write(document, as: format, settings: settings, to: sink)
            }
            if isLoose { output.breakdown.looseAggregateFileCount += 1 }
        }
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
            let isLoose = try put(entry.path, as: .markdown, date: date) { try $0(entry.bytes) }
            if isLoose { output.breakdown.individualEntryFileCount += 1 }
        }
        for metricID in entries.missingMetricIDs {
            output.add(
                ConnectedProtocol.PartialFailure(
                    date: day.sourceDate, dataType: metricID, dateRangeDescription: "",
                    errorDescription: "An individual entry was requested, but the day has no value."))
        }
    }

    /// What could not be rendered is told, never silent.
    private mutating func note(_ record: DailyRecord, _ externalCount: Int, of day: DestinationJournal.Day) {
        for failure in record.partialFailures {
            output.add(
                ConnectedProtocol.PartialFailure(
                    date: ProtocolDate(secondsSince2001: failure.date.timeIntervalSinceReferenceDate),
                    dataType: failure.dataType, dateRangeDescription: failure.dateRangeDescription,
                    errorDescription: failure.errorDescription))
        }
        if externalCount > 0 {
            output.add(
                ConnectedProtocol.PartialFailure(
                    date: day.sourceDate, dataType: "external_daily_records", dateRangeDescription: "",
                    errorDescription: "Records of other providers are not written as files."))
        }
    }

    /// Puts a file into the archive, or into the destination by the write mode; true when it stands loose.
    mutating func put(
        _ path: String, as format: ExportFormat, mode: WriteMode? = nil, date: CivilDate,
        _ render: DestinationWriter.Rendering
    ) throws -> Bool {
        guard memory.archive == nil else {
            let name = plan.entryName(of: path)
            try memory.archive?.add(name, date: date, render)
            return false
        }
        try writer.put(path, as: format, mode: mode ?? settings.writeMode, render)
        return true
    }
}
