import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem
import HealthData

/// Renders the days of a file job and puts their files into the destination, one slice at a time, on the disk worker.
///
/// The frontier counts requested days in order; behind the last one comes the data dictionary. Each file is replaced
/// durably before the slice returns, and the slice's transaction follows: what a crash repeats is written again with
/// the same bytes.
struct FileFinalizer {
    /// What a slice starts from.
    struct Work: Sendable {
        var journal: DestinationJournal
        var items: Directory
        var binding: DestinationBinding
        var frontier: Int
        var output: OutputAccount
        var interruption: Interruption
    }

    /// What a slice did.
    struct Slice: Sendable {
        var frontier: Int
        var output: OutputAccount
        var written: [WrittenFile]
        var isFinished: Bool
    }

    /// The plan as a whole cannot be carried out: a definitive failure.
    struct Unplannable: Error {
        let message: String
    }

    /// How long a slice may go on before it hands back, in seconds: the engine answers cancels in between.
    static let sliceSeconds: Double = 0.25

    private let journal: DestinationJournal
    private let items: Directory
    private let destination: Directory
    private let settings: ExportSettings
    private let planner: FilePlanner
    private let labels: [String]
    private var frontier: Int
    private var output: OutputAccount
    private var written: [WrittenFile] = []

    /// Writes days until the slice is over, everything is done, or someone interrupts.
    static func runSlice(_ work: Work) throws -> Slice {
        var finalizer = try FileFinalizer(work)
        let end = ContinuousClock.now + .seconds(sliceSeconds)
        let stepCount = work.journal.manifest.requestedDates.count + 1
        while finalizer.frontier < stepCount, !work.interruption.isRaised, ContinuousClock.now < end {
            try finalizer.step()
        }
        return Slice(
            frontier: finalizer.frontier, output: finalizer.output, written: finalizer.written,
            isFinished: finalizer.frontier == stepCount)
    }

    private init(_ work: Work) throws {
        journal = work.journal
        items = work.items
        frontier = work.frontier
        output = work.output
        destination = try DestinationRoot.open(work.binding)
        labels = SourceDays.labels(of: work.journal.manifest)
        do {
            settings = try ExportSettings(snapshot: work.journal.manifest.settings.text)
            planner = FilePlanner(settings)
            if work.frontier == 0 { try planner.checkCollisions(for: labels.compactMap { CivilDate($0) }) }
        } catch let error as HealthDataError {
            throw Unplannable(message: "The export's settings cannot be carried out (\(error.code)).")
        }
    }

    private mutating func step() throws {
        let dates = journal.manifest.requestedDates
        if frontier < dates.count {
            try writeDay(dates[frontier], label: labels[frontier])
        } else {
            try writeDictionary()
        }
        frontier += 1
    }

    // MARK: - Days

    private mutating func writeDay(_ date: ProtocolDate, label: String) throws {
        guard let day = journal.days[date], let civil = CivilDate(label) else { throw ReceiverError.itemFileDamaged }
        switch day.content {
        case .raw: preconditionFailure("a file session holds health days")
        case .noData:
            output.failedDates.append(FailedDateDetail(date: date, reason: .noHealthData))
            output.completedDates.append(date)
        case .failed(let reason):
            output.failedDates.append(
                FailedDateDetail(date: date, reason: DayFailureReason(rawValue: reason) ?? .unknown))
        case .record:
            do {
                try writeRecord(of: day, civil)
                output.succeededDates.append(date)
                output.completedDates.append(date)
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
                "not_private", "already_exists", "not_found":
                return error.code
            default: return nil
            }
        case let error as HealthDataError: return error.code
        case let error as ItemError: return error.code
        case is DecodingError: return "record_undecodable"
        default: return nil
        }
    }

    private mutating func writeRecord(of day: DestinationJournal.Day, _ date: CivilDate) throws {
        let file = try items.file(SessionFolder.itemName(day.itemID), requiringPrivate: true)
        let source = FileItemSource(file, byteCount: UInt64(day.itemByteCount))
        let envelope = try ItemDecoder().decode(
            HealthDayEnvelope<DailyRecord>.self, from: ItemFile(source, kind: .macHealthDay).root)
        guard let record = envelope.record else { throw ReceiverError.itemFileDamaged }
        let document = try DayDocument(record, detail: settings.detail)
        let isNotesOnly = settings.dailyNotes.isEnabled && settings.dailyNotes.notesOnly
        for planned in isNotesOnly ? [] : try planner.files(for: date) {
            guard case .day(let format) = planned.content else { continue }
            try replace(planned.path) { [settings] writer in
                try DayRenderer.write(document, as: format, settings: settings) { try writer.write($0) }
            }
            output.breakdown.looseAggregateFileCount += 1
        }
        note(record, envelope.externalDailyRecords.count, of: day)
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

    // MARK: - Files

    private mutating func writeDictionary() throws {
        guard let path = planner.dataDictionaryPath, !output.succeededDates.isEmpty else { return }
        let bytes = DataDictionary(settings: settings).bytes()
        try replace(path) { try $0.write(bytes) }
        output.breakdown.dataDictionaryFileCount += 1
    }

    private mutating func replace(_ path: String, _ write: (DurableFileWriter) throws -> Void) throws {
        if let slash = path.lastIndex(of: "/") { _ = try destination.createDirectory(String(path[..<slash])) }
        var hasher = SHA256()
        let installed = try destination.durableReplace(path, observing: { hasher.update($0) }, write: write)
        written.append(
            WrittenFile(path: path, byteCount: Int64(installed.byteCount), sha256: hasher.peek()))
    }
}
