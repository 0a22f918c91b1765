import CanonicalJSON
import DurableStore
import Foundation
import HealthRecords
import Synchronization

/// The phone side's store of days, filled by imports of Apple Health exports (extensions.md 4).
///
/// Each import is a *generation*: a file of its own, built unseen and published in one short transaction, so that a
/// reader never sees half an import and a running job keeps the generation it began with. The calendar zone is named once
/// for the whole store.
///
/// Blocks on disks: never call from Swift's cooperative threads.
public final class DayStore: Sendable {
    private let folder: Directory
    private let generations: Directory
    let index: Database
    private let open = Mutex<[Int: DayGeneration]>([:])

    private init(folder: Directory, generations: Directory, index: Database) {
        self.folder = folder
        self.generations = generations
        self.index = index
    }

    /// Opens the day store of a folder (`phone/`), making it when it is missing.
    public static func open(in folder: Directory) throws -> DayStore {
        let generations = try folder.createDirectory(DayStoreSchema.generationFolder)
        let index = try Database.open(DayStoreSchema.indexName, in: folder, schema: DayStoreSchema.index)
        return DayStore(folder: folder, generations: generations, index: index)
    }

    // MARK: Settings

    /// The zone of the days; nil before the first import.
    public func zone() throws -> CalendarZone? {
        guard let name = try setting("time_zone") else { return nil }
        guard let zone = CalendarZone(identifier: name) else { throw ExportError.unknownTimeZone(name) }
        return zone
    }

    /// The sources from best to worst, for kinds that several devices count at once. Empty means the usual order.
    public func sourcePriority() throws -> [String] {
        guard let text = try setting("sources") else { return [] }
        return try JSONDecoder().decode([String].self, from: Data(text.utf8))
    }

    private func setting(_ name: String) throws -> String? {
        try index.read { try $0.first("SELECT value FROM setting WHERE name = ?", .text(name)) { try $0.text(0) } }
    }

    private func resolveZone(_ given: String?) throws -> CalendarZone {
        let stored = try setting("time_zone")
        if let stored, let given, stored != given { throw ExportError.timeZoneDiffers(stored: stored, given: given) }
        guard let name = stored ?? given else { throw ExportError.timeZoneRequired }
        guard let zone = CalendarZone(identifier: name) else { throw ExportError.unknownTimeZone(name) }
        return zone
    }

    // MARK: Generations

    /// The numbers of all generations, ascending.
    public func generationNumbers() throws -> [Int] {
        try index.read { try $0.all("SELECT number FROM generation ORDER BY number") { try $0.int(0) } }
    }

    /// The newest generation.
    ///
    /// - Throws: `store_empty` before the first import.
    public func generation() throws -> DayGeneration {
        guard let number = try generationNumbers().last else { throw ExportError.storeEmpty }
        return try generation(number)
    }

    /// A generation by its number.
    public func generation(_ number: Int) throws -> DayGeneration {
        if let known = open.withLock({ $0[number] }) { return known }
        let zone = try resolveZone(nil)
        let row = try index.read { connection in
            try connection.first(
                "SELECT first_day, last_day, report FROM generation WHERE number = ?", .integer(number)
            ) { (try $0.int64IfPresent(0), try $0.int64IfPresent(1), try $0.text(2)) }
        }
        guard let (first, last, report) = row else { throw ExportError.storeEmpty }
        let dates = (
            first.flatMap { CivilDate(daysSince1970: Int($0)) }, last.flatMap { CivilDate(daysSince1970: Int($0)) }
        )
        var range: ClosedRange<CivilDate>?
        if case (let from?, let to?) = dates { range = from...to }
        let found = try DayGeneration(
            number: number, zone: zone, dayRange: range,
            report: try JSONDecoder().decode(ImportReport.self, from: Data(report.utf8)),
            database: try Database.open(
                Self.fileName(number), in: generations, schema: DayStoreSchema.generation, access: .readOnly),
            index: index)
        open.withLock { $0[number] = found }
        return found
    }

    /// Removes all generations but the newest and those that jobs still use.
    public func removeGenerations(keeping used: Set<Int>) throws {
        let numbers = try generationNumbers()
        for number in numbers.dropLast() where !used.contains(number) {
            try index.transaction { try $0.run("DELETE FROM generation WHERE number = ?", .integer(number)) }
            open.withLock { $0[number] = nil }
            try removeFiles(number)
        }
    }

    private static func fileName(_ number: Int) -> String { "\(number).sqlite" }

    private func removeFiles(_ number: Int) throws {
        for suffix in ["", "-wal", "-shm"] { _ = try generations.removeIfPresent(Self.fileName(number) + suffix) }
    }

    // MARK: The newest generation

    /// The first and last day with data of the newest generation, with its overlay.
    public func dayRange() throws -> ClosedRange<CivilDate>? {
        let days = try days()
        guard let first = days.first, let last = days.last else { return nil }
        return first...last
    }

    /// The days with data of the newest generation.
    public func days() throws -> [CivilDate] { try generation().days() }

    /// What the document of one day needs, from the newest generation.
    public func sourceDay(_ date: CivilDate, digests: Bool = true, documents: Bool = true) throws -> SourceDay {
        try generation().sourceDay(date, digests: digests, documents: documents)
    }

    // MARK: Import

    /// Reads one or more exports into a new generation.
    ///
    /// - Parameters:
    ///   - paths: zips, folders or bare XML files; several are merged.
    ///   - timeZone: the IANA name of the days' zone; required once, and never to be changed.
    ///   - sources: the order of sources from now on; nil keeps it.
    ///   - replacesLonger: whether an export that breaks off may take the place of a generation with more records. One that cannot be
    ///     read any more may always be replaced.
    ///   - now: when this happens. Data later than the export (than this, when an export has no date) do not widen the range of days.
    ///   - progress: called now and then; an error thrown from it ends the import, which leaves nothing behind.
    /// - Throws: ``ExportError`` or `StoreError`; the store is then as it was.
    public func importExport(
        paths: [String], timeZone: String?, sources: [String]? = nil, options: ExportOptions = ExportOptions(),
        replacesLonger: Bool = false, now: Instant, progress: @escaping (ImportProgress) throws -> Void = { _ in }
    ) throws -> ImportReport {
        let zone = try resolveZone(timeZone)
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        try removeAbandoned()
        let number = (try generationNumbers().last ?? 0) + 1
        do {
            let earlier = try generationNumbers().last.map(earlierImport)
            return try build(number, paths, zone, sources, options, now, earlier, progress) { report in
                guard !replacesLonger, case .readable(let generation, _)? = earlier, !report.isComplete,
                    case let stored = generation.report.storedRecordCount, report.storedRecordCount < stored
                else { return }
                throw ExportError.incompleteWouldReplace(
                    path: paths.joined(separator: ", "), found: report.storedRecordCount, stored: stored)
            }
        } catch {
            // The first error tells; what cannot be removed now is removed by the next import.
            try? removeFiles(number)
            throw error
        }
    }

    /// Looks at the import that a new one takes the place of. A damaged one is no reason to refuse the new one, which is the
    /// only way to have a whole store again; so it is looked at before anything is read.
    private func earlierImport(_ number: Int) throws -> EarlierImport {
        do {
            let earlier = try generation(number)
            return .readable(earlier, days: try earlier.importedDayNumbers())
        } catch let error where EarlierImport.isDamage(error) {
            return .unreadable(number)
        }
    }

    private func takeLock() throws -> FolderLock {
        do {
            return try FolderLock.take(DayStoreSchema.lockName, in: folder)
        } catch {
            guard case .lockedBy(_, let holder) = error else { throw error }
            throw ExportError.importRunning(holder: holder.map(Int.init))
        }
    }

    /// Files of an import that ended without publishing.
    private func removeAbandoned() throws {
        let known = Set(try generationNumbers().map(Self.fileName))
        for entry in try generations.entries() {
            let base = entry.name.replacing("-wal", with: "").replacing("-shm", with: "")
            if base.hasSuffix(".sqlite"), !known.contains(base) { _ = try generations.removeIfPresent(entry.name) }
        }
        _ = try generations.removeAbandonedTemporaries()
    }

    private func build(
        _ number: Int, _ paths: [String], _ zone: CalendarZone, _ sources: [String]?, _ options: ExportOptions,
        _ now: Instant, _ earlier: EarlierImport?, _ progress: @escaping (ImportProgress) throws -> Void,
        check: (ImportReport) throws -> Void
    ) throws -> ImportReport {
        let database = try Database.open(
            Self.fileName(number), in: generations, schema: DayStoreSchema.generation)
        var work = GenerationImport(
            database: database, scratchFolder: generations, zone: zone, options: options, progress: progress)
        try work.run(paths: paths)
        try check(work.report)
        try database.checkpoint()
        var report = work.report
        report.generation = number
        let exportDates = report.exports.compactMap(\.exportDate)
        let latest = exportDates.count == report.exports.count ? exportDates.max() : nil
        // One day of tolerance for clocks and zones.
        let lastPlausible = Int(latest ?? now.secondsSince1970) + 86_400
        let plausible = 0...zone.dayNumber(atSecond: lastPlausible)
        let days = try DayGeneration.dayNumbers(database, zone: zone).filter { plausible.contains($0) }
        report.dayCount = days.count
        report.firstDay = days.first.flatMap { CivilDate(daysSince1970: $0) }?.description
        report.lastDay = days.last.flatMap { CivilDate(daysSince1970: $0) }?.description
        report.gaps = DayGap.gaps(in: days)
        report.replaced = earlier.map { ReplacedImport($0, by: days) }
        try publish(report, days, zone, sources, now)
        return report
    }

    private func publish(
        _ report: ImportReport, _ days: [Int], _ zone: CalendarZone, _ sources: [String]?, _ now: Instant
    ) throws {
        let text = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
        let list = try sources.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        try index.transaction { connection in
            try connection.run(
                """
                INSERT INTO generation (number, imported_at, first_day, last_day, is_complete, report)
                VALUES (?, ?, ?, ?, ?, ?)
                """, .integer(report.generation), .real(now.secondsSince1970),
                .optional(days.first.map(Int64.init)), .optional(days.last.map(Int64.init)),
                .boolean(report.isComplete), .text(text))
            try connection.run(
                "INSERT OR IGNORE INTO setting (name, value) VALUES ('time_zone', ?)", .text(zone.identifier))
            if let list {
                try connection.run("INSERT OR REPLACE INTO setting (name, value) VALUES ('sources', ?)", .text(list))
            }
        }
    }
}
