import DurableStore
import HealthData

/// One SQLite database made of written day documents, for Datasette, DuckDB, Grafana and everything else that reads
/// SQLite (docs/DATABASE.md; extensions.md 11).
///
/// It is derived: everything in it can be made again from the documents. An update replaces whole days, by the digest of
/// their documents, some days in each transaction: an interruption leaves every day as it was before or as it is after,
/// and the next update goes on.
public final class HealthDatabase {
    /// The largest document that is read; its text and its tree are in memory while its rows are written.
    public static let maximumDocumentByteCount = 256 << 20
    /// A transaction ends after this many days, or after ``bytesPerTransaction``: a sync for each day would be slow, and
    /// a reader should not wait for long.
    static let daysPerTransaction = 64
    /// Bytes of documents after which a transaction ends.
    static let bytesPerTransaction = 4 << 20

    /// The version of the schema that this program writes, `PRAGMA user_version`.
    public static var schemaVersion: Int { HealthDatabaseSchema.schema.version }

    let database: Database
    private let now: () -> Double

    /// Opens a database file, or makes it.
    ///
    /// - Parameters:
    ///   - name: a file of `folder`. A new one is private (0600), and so is one in the place of an empty file; an existing
    ///     database keeps its mode.
    ///   - now: seconds since 1970.
    /// - Throws: `not_a_health_database` when the file is another; the errors of ``Database``.
    public init(_ name: String, in folder: Directory, now: @escaping () -> Double) throws {
        let isKnown = try Self.bearsOurMark(name, in: folder)
        try Self.removeEmpty(name, in: folder)
        do {
            database = try Database.open(
                name, in: folder, schema: HealthDatabaseSchema.schema, mustBePrivate: false)
        } catch StoreError.corrupt where !isKnown {
            throw HealthDatabaseError.foreignFile(path: name)
        }
        self.now = now
        try database.transaction { try HealthDatabaseContents.write(in: $0) }
    }

    /// Looks at the header before SQLite opens the file, which may be a note or a picture. False for a file that may be
    /// ours all the same: a new one, or one whose first transaction stands in the log only; there SQLite looks on.
    private static func bearsOurMark(_ name: String, in folder: Directory) throws -> Bool {
        guard let status = try folder.status(of: name), status.kind == .regularFile, status.size > 0 else {
            return false
        }
        let header = try folder.file(name).bytes(at: 0, count: Int(min(status.size, headerByteCount)))
        guard header.count == headerByteCount, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw HealthDatabaseError.foreignFile(path: name)
        }
        if Array(header[68..<72]) == HealthDatabaseSchema.applicationIDBytes { return true }
        let mayBeYoung = try status.size <= youngByteCount || folder.status(of: name + "-wal") != nil
        guard mayBeYoung else { throw HealthDatabaseError.foreignFile(path: name) }
        do {
            // Read only: a connection that may write would move the log of another's database when it closes.
            _ = try Database.open(
                name, in: folder, schema: HealthDatabaseSchema.schema, access: .readOnly, mustBePrivate: false)
        } catch StoreError.olderSchema {
            // Without a table: nobody's yet.
        } catch StoreError.corrupt {
            throw HealthDatabaseError.foreignFile(path: name)
        }
        return false
    }

    /// An empty file has a mode that was not chosen for health data: a new one takes its place.
    private static func removeEmpty(_ name: String, in folder: Directory) throws {
        guard let status = try folder.status(of: name), status.kind == .regularFile, status.size == 0,
            try folder.status(of: name + "-wal") == nil
        else { return }
        _ = try folder.removeIfPresent(name)
    }

    /// Refuses, without changing anything, a name under which no database can be made or brought up to date: before work is
    /// done whose result should go there.
    ///
    /// - Throws: `not_a_health_database`, `read_only`, `wrong_type`, `is_symlink`.
    public static func requireUsable(_ name: String, in folder: Directory) throws {
        guard try folder.isWritable() else { throw StoreError.readOnly(path: folder.displayPath) }
        switch try folder.status(of: name)?.kind {
        case nil, .regularFile?: _ = try bearsOurMark(name, in: folder)
        case .symbolicLink?: throw StoreError.isSymbolicLink(path: name)
        case .directory?, .other?: throw StoreError.wrongType(path: name, expected: "plain file")
        }
    }

    /// Whether there is nothing under a name yet: no file, or an empty one.
    public static func isAbsent(_ name: String, in folder: Directory) throws -> Bool {
        try folder.status(of: name).map { $0.size == 0 } ?? true
    }

    /// Whether a folder holds a day document, readable or not: without one there is nothing to make a database of.
    public static func holdsDays(_ folder: Directory) throws -> Bool {
        var search = DocumentSearch()
        try search.run(in: folder)
        return try search.paths.contains { try DocumentUpdate.isDay($0, in: folder) }
    }

    /// The header of a SQLite file; the mark stands at byte 68.
    private static let headerByteCount: UInt64 = 100
    /// One page: a database without a table.
    private static let youngByteCount: UInt64 = 4_096

    private static func instant(_ seconds: Double) -> String { DatabaseInstant.text(since1970: seconds) ?? "" }

    // MARK: Updating

    /// Brings the database to the documents below a folder.
    ///
    /// - Parameters:
    ///   - folder: searched without following links; hidden folders are left out.
    ///   - shown: what messages call the folder.
    ///   - removingMissing: days whose document is gone go too. Without it they stay, and are reported.
    ///   - shouldStop: asked between documents; true ends the update after the running transaction.
    /// - Throws: `no_documents` when the folder has none; the days of the database stay then, whatever was asked for.
    @discardableResult
    public func update(
        from folder: Directory, named shown: String, removingMissing: Bool = false,
        shouldStop: () -> Bool = { false }
    ) throws -> UpdateReport {
        var update = DocumentUpdate(folder: folder, now: Self.instant(now()))
        var search = DocumentSearch()
        try search.run(in: folder)
        let paths = search.paths
        for unreadable in search.unreadable { update.report.skip(unreadable) }
        var next = 0
        while next < paths.count, !shouldStop() {
            try database.transaction { connection in
                update.beginTransaction()
                while next < paths.count, !update.isTransactionFull, !shouldStop() {
                    try update.take(paths[next], connection)
                    next += 1
                }
                // With the days, so that the views of a stopped update know them too.
                try CalendarRows.extend(in: connection)
            }
        }
        update.report.isInterrupted = next < paths.count
        if next == paths.count {
            // A disk that is not there looks just so.
            guard update.report.hasMetDays else { throw HealthDatabaseError.noDocuments(folder: shown) }
            let hidden = search.unreadable.map(\.path)
            try database.transaction { connection in
                try update.findMissing(among: Set(paths), behind: hidden, removing: removingMissing, connection)
                try CalendarRows.update(in: connection)
                try connection.run(
                    "INSERT OR REPLACE INTO about (key, value) VALUES ('updated_at', ?)", .text(update.now))
            }
        }
        update.report.totalDays = try database.read { connection in
            try connection.first("SELECT count(*) FROM days") { try $0.int(0) } ?? 0
        }
        return update.report
    }

    /// Makes the file complete by itself, without a log beside it. False when another program has it open: then the log
    /// stays, and nothing is lost.
    @discardableResult
    public func finish() throws -> Bool {
        try database.leaveWriteAheadLog()
    }
}
