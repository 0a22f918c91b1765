import CanonicalJSON
import ConnectedProtocol
import Foundation
import HealthData

/// What the finalization of a file job makes, in which order: a pure function of the manifest.
///
/// The commit frontier counts its steps: the requested days in order, then the roll-ups by the end of their period, the
/// data dictionary, and the archive's move to its place.
struct FilePlan: Sendable {
    /// A day that was transferred.
    struct Day: Sendable, Hashable {
        let date: ProtocolDate
        let day: CivilDate
        let isRequested: Bool
    }

    /// One unit of the commit frontier.
    enum Step: Sendable, Hashable {
        /// A requested day, by its place.
        case day(Int)
        /// A roll-up, by its place in ``FilePlan/periods``.
        case rollup(Int)
        case dictionary
        /// The finished archive goes to its place.
        case archive
    }

    let settings: ExportSettings
    let planner: FilePlanner
    /// The requested days in order.
    let requested: [Day]
    /// Every transferred day in ascending order, supporting days of roll-ups included.
    let transferred: [Day]
    /// Roll-ups in the order of their last days: at most one period of a kind is open while days pass.
    let periods: [RollupPeriod]
    /// Places of ``periods``.
    let periodIndex: [RollupPeriod: Int]
    /// Whether a source's renderer is pinned and roll-ups are wanted (corpus-protocol.md 13.6).
    let isPinnedRollup: Bool
    /// When the source made the manifest: what roll-ups say of their making, so that a repetition gives the same bytes.
    let generatedAt: Date

    /// The plan of a manifest. Throws `FileFinalizer.Unplannable` when settings or days cannot be used.
    init(_ manifest: ExportManifest) throws(FileFinalizer.Unplannable) {
        do {
            settings = try ExportSettings(snapshot: manifest.settings.text)
        } catch {
            let code = (error as? HealthDataError)?.code ?? "setting_invalid"
            throw FileFinalizer.Unplannable(message: "The export's settings cannot be carried out (\(code)).")
        }
        planner = FilePlanner(settings)
        generatedAt = Date(timeIntervalSinceReferenceDate: manifest.createdAt.secondsSince2001)
        requested = try FilePlan.requestedDays(of: manifest)
        transferred = try FilePlan.transferredDays(of: manifest, requested)
        periods = FilePlan.periods(settings, requested)
        periodIndex = Dictionary(uniqueKeysWithValues: periods.enumerated().map { ($1, $0) })
        isPinnedRollup = manifest.isPinnedRollup
        if !periods.isEmpty, zip(transferred, transferred.dropFirst()).contains(where: { $0.day >= $1.day }) {
            throw FileFinalizer.Unplannable(message: "The days of the export are not in the order of the calendar.")
        }
    }

    // MARK: What is made

    /// Daily notes suppress everything else (export-formats.md 11).
    var isNotesOnly: Bool { settings.dailyNotes.isEnabled && settings.dailyNotes.notesOnly }
    /// Roll-ups alone.
    private var isSummaryOnly: Bool { settings.summaryOnly && !isNotesOnly }
    /// Whether days have files of their own.
    var writesDays: Bool { !isNotesOnly && !isSummaryOnly }
    /// Whether single entries have files.
    var writesEntries: Bool { writesDays && settings.individualTracking.isEnabled }
    /// Whether notes are touched.
    var writesNotes: Bool { settings.dailyNotes.isEnabled && !isSummaryOnly }
    /// Whether files go into one archive instead of standing loose (export-formats.md 8).
    var writesArchive: Bool { settings.archivesFiles && !isNotesOnly }
    /// The path of the dictionary, if there is to be one.
    var dictionaryPath: String? { isNotesOnly ? nil : planner.dataDictionaryPath }

    /// The path of the archive, if there is to be one.
    var archivePath: String? {
        guard writesArchive, let first = requested.first, let last = requested.last else { return nil }
        return planner.archivePath(from: first.day, to: last.day)
    }

    /// The name of an archive entry: its path below the health subfolder.
    func entryName(of path: String) -> String {
        let subfolder = settings.healthSubfolder.split(separator: "/").joined(separator: "/")
        return subfolder.isEmpty || !path.hasPrefix(subfolder + "/")
            ? path : String(path.dropFirst(subfolder.count + 1))
    }

    // MARK: Steps

    /// The step at a frontier; nil when everything is done.
    func step(at frontier: Int) -> Step? {
        if frontier < requested.count { return .day(frontier) }
        let rest = frontier - requested.count
        if rest < periods.count { return .rollup(rest) }
        switch rest - periods.count {
        case 0: return .dictionary
        case 1 where writesArchive: return .archive
        default: return nil
        }
    }

    /// The day that a step's files bear as their time in an archive.
    func date(of step: Step) -> CivilDate {
        switch step {
        case .day(let index): return requested[index].day
        case .rollup(let index): return periods[index].end
        case .dictionary, .archive:
            guard let last = requested.last else { preconditionFailure("a manifest without days") }
            return last.day
        }
    }

    // MARK: Collisions

    /// Refuses a plan in which two targets are one file, before anything is written (export-formats.md 2): days,
    /// dictionary, roll-ups, archive and daily notes. Loose files and entries of an archive have the same paths.
    func checkCollisions() throws(HealthDataError) {
        var seen: Set<String> = []
        func claim(_ path: String) throws(HealthDataError) {
            guard seen.insert(HealthData.RelativePath.collisionKey(path)).inserted else { throw .pathCollision(path) }
        }
        if let dictionaryPath { try claim(dictionaryPath) }
        if let archivePath { try claim(archivePath) }
        for period in periods {
            for format in settings.formats { try claim(planner.path(of: period, as: format)) }
        }
        for day in requested {
            if writesDays { for file in try planner.files(for: day.day) { try claim(file.path) } }
            if writesNotes, let path = try planner.dailyNotePath(on: day.day) { try claim(path) }
        }
    }

    /// The paths of one day that no file of a single entry may take.
    func reservedPaths(on day: CivilDate) throws(HealthDataError) -> Set<String> {
        var paths = try planner.files(for: day).map(\.path)
        if let path = try planner.dailyNotePath(on: day) { paths.append(path) }
        if let dictionaryPath { paths.append(dictionaryPath) }
        return Set(paths.map(HealthData.RelativePath.collisionKey))
    }

    // MARK: Days and periods

    private static func requestedDays(of manifest: ExportManifest) throws(FileFinalizer.Unplannable) -> [Day] {
        var days: [Day] = []
        for (date, label) in zip(manifest.requestedDates, SourceDays.labels(of: manifest)) {
            guard let day = CivilDate(label) else {
                throw FileFinalizer.Unplannable(message: "A requested day is no day of the calendar.")
            }
            days.append(Day(date: date, day: day, isRequested: true))
        }
        return days
    }

    private static func transferredDays(
        of manifest: ExportManifest, _ requested: [Day]
    ) throws(FileFinalizer.Unplannable) -> [Day] {
        guard manifest.transferDates.count > requested.count else { return requested }
        let known = Dictionary(uniqueKeysWithValues: requested.map { ($0.date, $0) })
        let calendar = manifest.sourceTimeZoneIdentifier.flatMap(SourceDays.init) ?? .local
        var days: [Day] = []
        for date in manifest.transferDates {
            if let day = known[date] {
                days.append(day)
                continue
            }
            let instant = Date(timeIntervalSinceReferenceDate: date.secondsSince2001)
            guard let day = calendar.day(of: instant).flatMap({ CivilDate($0.description) }) else {
                throw FileFinalizer.Unplannable(message: "A supporting day is no day of the calendar.")
            }
            days.append(Day(date: date, day: day, isRequested: false))
        }
        return days
    }

    private static func periods(_ settings: ExportSettings, _ requested: [Day]) -> [RollupPeriod] {
        guard !(settings.dailyNotes.isEnabled && settings.dailyNotes.notesOnly) else { return [] }
        var periods: Set<RollupPeriod> = []
        for kind in settings.calendarRollups {
            for day in requested { periods.insert(RollupPeriod(kind, containing: day.day)) }
        }
        // Summary only without any roll-up would be an export of nothing.
        let isRangeMeant = settings.summaryOnly && settings.calendarRollups.isEmpty
        if settings.generatesRangeSummary || isRangeMeant, let range = RollupPeriod(covering: requested.map(\.day)) {
            periods.insert(range)
        }
        let order: [RollupPeriod.Kind: Int] = [.weekly: 0, .monthly: 1, .yearly: 2, .range: 3]
        return periods.sorted { ($0.end, order[$0.kind] ?? 0) < ($1.end, order[$1.kind] ?? 0) }
    }
}
