import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem
import HealthData

/// Renders the days of a file job and puts their files into the destination, one slice at a time, on the disk worker.
///
/// The frontier counts steps: the requested days in order, then roll-up, data dictionary, and archive. Each file is
/// replaced durably before the slice returns, and the slice's transaction follows: what a crash repeats is written again
/// with the same bytes.
struct FileFinalizer {
    /// What a slice starts from.
    struct Work: Sendable {
        var journal: DestinationJournal
        var folder: SessionFolder
        var binding: DestinationBinding
        var frontier: Int
        var output: OutputAccount
        var archiveWriter: ZipArchiveWriter?
        var interruption: Interruption
    }

    /// What a slice did.
    struct Slice: Sendable {
        var frontier: Int
        var output: OutputAccount
        var archiveWriter: ZipArchiveWriter?
        var written: [WrittenFile]
        var isFinished: Bool
    }

    /// The plan as a whole cannot be carried out: a definitive failure.
    struct Unplannable: Error {
        let message: String
    }

    /// How long a slice may go on before it hands back, in seconds: the engine answers cancels in between.
    static let sliceSeconds: Double = 0.25
    /// Steps behind the days: roll-up, dictionary, archive.
    private static let closingStepCount = 3

    private let journal: DestinationJournal
    private let items: Directory
    private let settings: ExportSettings
    private let planner: FilePlanner
    private let labels: [String]
    private let interruption: Interruption
    private var files: LooseFiles
    private var archive: ArchiveFile?
    private var frontier: Int
    private var output: OutputAccount

    /// Writes days until the slice is over, everything is done, or someone interrupts.
    static func runSlice(_ work: Work) throws -> Slice {
        var finalizer = try FileFinalizer(work)
        let end = ContinuousClock.now + .seconds(sliceSeconds)
        let stepCount = work.journal.manifest.requestedDates.count + closingStepCount
        while finalizer.frontier < stepCount, !work.interruption.isRaised, ContinuousClock.now < end {
            do {
                try finalizer.step()
            } catch ReceiverError.interrupted {
                break
            }
        }
        try finalizer.archive?.sync()
        finalizer.output.archive = finalizer.archive?.writer.checkpoint
        return Slice(
            frontier: finalizer.frontier, output: finalizer.output, archiveWriter: finalizer.archive?.writer,
            written: finalizer.files.written, isFinished: finalizer.frontier == stepCount)
    }

    private init(_ work: Work) throws {
        journal = work.journal
        items = work.folder.items
        frontier = work.frontier
        output = work.output
        interruption = work.interruption
        files = LooseFiles(destination: try DestinationRoot.open(work.binding))
        labels = SourceDays.labels(of: work.journal.manifest)
        do {
            settings = try ExportSettings(snapshot: work.journal.manifest.settings.text)
            planner = FilePlanner(settings)
            if work.frontier == 0 { try planner.checkCollisions(for: labels.compactMap { CivilDate($0) }) }
        } catch let error as HealthDataError {
            throw Unplannable(message: "The export's settings cannot be carried out (\(error.code)).")
        }
        if settings.archivesFiles {
            archive = try ArchiveFile(
                in: work.folder.directory, at: work.output.archive, writer: work.archiveWriter)
        }
    }

    private mutating func step() throws {
        let dates = journal.manifest.requestedDates
        switch frontier - dates.count {
        case ..<0: try writeDay(dates[frontier], label: labels[frontier])
        case 0: try writeRollup()
        case 1: try writeDictionary()
        default: try publishArchive()
        }
        frontier += 1
    }

    private var writesDailyFiles: Bool {
        !settings.summaryOnly && !(settings.dailyNotes.isEnabled && settings.dailyNotes.notesOnly)
    }

    // MARK: - Days

    private mutating func writeDay(_ date: ProtocolDate, label: String) throws {
        guard let day = journal.days[date], let civil = CivilDate(label) else { throw ReceiverError.itemFileDamaged }
        switch day.content {
        case .raw: preconditionFailure("a file session holds health days")
        case .noData: output.failedDates.append(FailedDateDetail(date: date, reason: .noHealthData))
        case .failed(let reason):
            output.failedDates.append(
                FailedDateDetail(date: date, reason: DayFailureReason(rawValue: reason) ?? .unknown))
        case .record:
            do {
                try writeRecord(of: day, civil)
            } catch {
                guard let detail = FileFinalizer.dayFailure(error) else { throw error }
                output.failedDates.append(
                    FailedDateDetail(date: date, reason: .fileWriteError, errorDetails: detail))
            }
        }
    }

    /// The code of an error that fails one day; nil when it concerns the disk as a whole and may pass.
    private static func dayFailure(_ error: any Error) -> String? {
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

    private func envelope(of day: DestinationJournal.Day) throws -> HealthDayEnvelope<DailyRecord> {
        let source = try SessionFolder.source(
            of: day, protocolVersion: journal.session.protocolVersion, in: items)
        return try ItemDecoder().decode(
            HealthDayEnvelope<DailyRecord>.self, from: ItemFile(source, kind: .macHealthDay).root)
    }

    private mutating func writeRecord(of day: DestinationJournal.Day, _ date: CivilDate) throws {
        let envelope = try envelope(of: day)
        guard let record = envelope.record else { throw ReceiverError.itemFileDamaged }
        let document = try DayDocument(record, detail: settings.detail)
        if writesDailyFiles {
            for format in settings.formats { try write(document, as: format, on: date) }
            try writeEntries(of: document, day)
        }
        try writeNote(of: document, day, date)
        note(record, envelope.externalDailyRecords.count, of: day)
    }

    private mutating func write(_ document: DayDocument, as format: ExportFormat, on date: CivilDate) throws {
        let render: (@escaping ([UInt8]) throws -> Void) throws -> Void = { [settings] sink in
            try DayRenderer.write(document, as: format, settings: settings, to: sink)
        }
        if let archive {
            try archive.add(planner.pathBelowSubfolder(of: format, on: date), date: date, render)
        } else {
            try files.write(planner.path(of: format, on: date), as: format, mode: settings.writeMode, render)
            output.breakdown.looseAggregateFileCount += 1
        }
    }

    private mutating func writeEntries(of document: DayDocument, _ day: DestinationJournal.Day) throws {
        guard settings.individualTracking.isEnabled else { return }
        let entries = try IndividualEntries(document, settings: settings)
        for entry in entries.entries {
            if let archive {
                try archive.add(belowSubfolder(entry.path), date: document.date) { try $0(entry.bytes) }
            } else {
                try files.replace(entry.path) { try $0(entry.bytes) }
                output.breakdown.individualEntryFileCount += 1
            }
        }
        for metric in entries.missingMetricIDs {
            warn(day, metric, "Entries of this metric were asked for; the day has none.")
        }
    }

    /// Entries of an archive are named relative to the health subfolder.
    private func belowSubfolder(_ path: String) -> String {
        let prefix = settings.healthSubfolder + "/"
        return !settings.healthSubfolder.isEmpty && path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }

    private mutating func writeNote(
        of document: DayDocument, _ day: DestinationJournal.Day, _ date: CivilDate
    ) throws {
        guard let path = try planner.dailyNotePath(on: date) else { return }
        let existing = try files.existing(path)
        switch try DailyNote.merging(document, into: existing, settings: settings) {
        case .skip:
            output.breakdown.dailyNoteSkipCount += 1
            if settings.dailyNotes.notesOnly { output.skippedDates.append(day.sourceDate) }
        case .unchanged: output.breakdown.dailyNoteUpdateCount += 1
        case .update(let content):
            try files.replace(path) { try $0(content) }
            output.breakdown.dailyNoteUpdateCount += 1
        }
    }

    // MARK: - Warnings

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
            warn(day, "external_daily_records", "Records of other providers are not written as files.")
        }
    }

    private mutating func warn(_ day: DestinationJournal.Day, _ dataType: String, _ text: String) {
        output.add(
            ConnectedProtocol.PartialFailure(
                date: day.sourceDate, dataType: dataType, dateRangeDescription: "", errorDescription: text))
    }

    // MARK: - Closing steps

    private var firstAndLastDay: (CivilDate, CivilDate)? {
        guard let first = labels.first.flatMap({ CivilDate($0) }), let last = labels.last.flatMap({ CivilDate($0) })
        else { return nil }
        return (first, last)
    }

    /// The roll-up of exactly the requested days. Its time is that of the job, so that a repetition gives equal bytes.
    private mutating func writeRollup() throws {
        guard settings.generatesRangeSummary || settings.summaryOnly, let (first, last) = firstAndLastDay else {
            return
        }
        let period: RollupPeriod
        do {
            period = try RollupPeriod(from: first, to: last)
        } catch {
            return warnOfRollup(error)
        }
        var builder = RollupBuilder(period: period, settings: settings)
        for date in journal.manifest.requestedDates {
            try interruption.check()
            guard let day = journal.days[date], case .record = day.content, let record = try envelope(of: day).record
            else { continue }
            builder.add(try DayDocument(record, detail: .summary))
        }
        let generatedAt = Date(
            timeIntervalSinceReferenceDate: journal.manifest.createdAt.secondsSince2001.rounded(.down))
        guard let rollup = builder.finish(generatedAt: generatedAt) else { return }
        for format in settings.formats {
            let bytes = try rollup.bytes(as: format)
            let path = planner.path(of: period, as: format)
            if let archive {
                try archive.add(belowSubfolder(path), date: last) { try $0(bytes) }
            } else {
                try files.replace(path) { try $0(bytes) }
                output.breakdown.rollupFileCount += 1
            }
        }
    }

    private mutating func warnOfRollup(_ error: any Error) {
        output.add(
            ConnectedProtocol.PartialFailure(
                date: journal.manifest.dateRangeStart, dataType: "rollup", dateRangeDescription: "",
                errorDescription: "The roll-up cannot be made (\(stableCode(of: error)))."))
    }

    private var hasSucceededDay: Bool {
        let requested = journal.manifest.requestedDates
        return !output.succeededDates(among: requested, frontier: requested.count).isEmpty
    }

    private mutating func writeDictionary() throws {
        guard let path = planner.dataDictionaryPath, writesDailyFiles || settings.summaryOnly, hasSucceededDay else {
            return
        }
        let bytes = DataDictionary(settings: settings).bytes()
        if let archive {
            guard let (_, last) = firstAndLastDay else { return }
            try archive.add(belowSubfolder(path), date: last) { try $0(bytes) }
        } else {
            try files.replace(path) { try $0(bytes) }
            output.breakdown.dataDictionaryFileCount += 1
        }
    }

    private mutating func publishArchive() throws {
        guard let archive, archive.writer.checkpoint.entryCount > 0, let (first, last) = firstAndLastDay else { return }
        try archive.publish(as: planner.archivePath(from: first, to: last), into: &files)
        output.breakdown.zipArchiveFileCount = 1
    }
}
