import CSQLite
import Foundation
import Synchronization

/// One connection to a SQLite database, used by one thread at a time.
///
/// WAL, `synchronous=FULL`, foreign keys, private files: when ``transaction(_:)`` returns the decision is durable
/// (architecture.md, "Decide, journal, act"). Threads wait for each other; those that must not wait open a connection of their own.
/// Never call from Swift's cooperative threads.
///
/// On a disk of the operating system SQLite opens its files itself, past the disk seam: this class checks the name before,
/// and SQLite follows no link. On any other disk it works through ``DiskFileSystem``.
public final class Database: @unchecked Sendable {
    /// Whether the connection may change the database.
    public enum Access: Sendable {
        /// Makes the database when it is missing, and migrates it.
        case readWrite
        /// For looking into a database that another process owns.
        case readOnly
    }

    /// How long a connection waits for another one's transaction.
    public static let busyTimeoutMilliseconds: Int32 = 5_000
    /// The write-ahead log is cut back to this size, in bytes, when it was larger.
    private static let journalSizeLimit = 16 * 1024 * 1024

    /// The path relative to the root that was opened, for messages.
    public let displayPath: String
    private let connection: DatabaseConnection
    /// What SQLite reaches the disk through, where the operating system does not know the disk.
    private let fileSystem: DiskFileSystem?
    private let lock = NSLock()
    /// The thread inside an access, 0 for none: to trap where a thread would wait for itself for ever.
    private let owner = Atomic<UInt>(0)

    private init(connection: DatabaseConnection, fileSystem: DiskFileSystem? = nil) {
        self.connection = connection
        self.fileSystem = fileSystem
        displayPath = connection.displayPath
    }

    /// Opens a database file of a folder.
    ///
    /// - Parameter mustBePrivate: refuses an existing file that group or others can reach. False is for databases that a
    ///   person may have opened to other programs; a new file is private either way.
    /// - Throws: `corrupt`, `newer_schema`, `older_schema` (read only), `not_private`, `is_symlink`, `not_found` (read only),
    ///   `database_busy`.
    public static func open(
        _ name: String, in directory: Directory, schema: DatabaseSchema, access: Access = .readWrite,
        mustBePrivate: Bool = true
    ) throws -> Database {
        let fileSystem = directory.disk.descriptor(directory.handle) == nil ? DiskFileSystem(name, in: directory) : nil
        try prepareFile(name, in: directory, access, mustBePrivate)
        let path = try fileSystem?.path ?? systemPath(name, in: directory)
        var pointer: OpaquePointer?
        let mode = access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
        let code = sqlite3_open_v2(path, &pointer, flags, fileSystem == nil ? nil : DiskFileSystem.name)
        let connection = DatabaseConnection(pointer: pointer, displayPath: directory.display(name))
        guard code == SQLITE_OK else { throw connection.failure(code) }
        sqlite3_busy_timeout(pointer, busyTimeoutMilliseconds)
        let database = Database(connection: connection, fileSystem: fileSystem)
        try database.configure(schema, access)
        try database.prepare(schema, access)
        return database
    }

    /// A database in memory, for tests and for scratch work. Nothing of it is durable.
    public static func inMemory(schema: DatabaseSchema) throws -> Database {
        var pointer: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(":memory:", &pointer, flags, nil)
        let connection = DatabaseConnection(pointer: pointer, displayPath: ":memory:")
        guard code == SQLITE_OK else { throw connection.failure(code) }
        let database = Database(connection: connection)
        try database.read { try $0.runScript("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF") }
        try database.prepare(schema, .readWrite)
        return database
    }

    // MARK: Access

    /// Looks, in one consistent state of the database.
    public func read<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result {
        try exclusively { connection in
            try connection.run("BEGIN DEFERRED")
            defer { rollBackIfOpen(connection) }
            return try body(connection)
        }
    }

    /// Changes, all or nothing. When it returns the change is durable; when it throws nothing changed.
    ///
    /// One exception: when the error is about the commit itself (`disk_full`, `io_error`) the change may come back after a loss
    /// of power, so nothing that denies it may have been said.
    public func transaction<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result {
        try exclusively { connection in
            try connection.run("BEGIN IMMEDIATE")
            defer { rollBackIfOpen(connection) }
            let result = try body(connection)
            try connection.run("COMMIT")
            return result
        }
    }

    /// Moves the write-ahead log into the database file, so that the file alone is complete.
    public func checkpoint() throws {
        try exclusively { connection in
            let busy = try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.int(0) }
            if busy == 1 { throw StoreError.databaseBusy(path: displayPath) }
        }
    }

    /// Ends the write-ahead log, so that the file stands alone: it can be copied as it is and read from a folder that
    /// cannot be written. The next opening begins a new log. False when another connection uses the database: then the
    /// log stays, complete as before.
    @discardableResult
    public func leaveWriteAheadLog() throws -> Bool {
        do {
            return try exclusively { connection in
                try connection.first("PRAGMA journal_mode = DELETE") { try $0.text(0) } == "delete"
            }
        } catch StoreError.databaseBusy {
            return false
        }
    }

    /// Reads every page and every reference.
    ///
    /// - Throws: `corrupt` with the first finding.
    public func checkIntegrity() throws {
        try exclusively { connection in
            let finding = try connection.first("PRAGMA integrity_check(1)") { try $0.text(0) }
            guard finding == "ok" else {
                throw StoreError.corrupt(path: displayPath, detail: finding ?? "no answer to integrity_check")
            }
            if let table = try connection.first("PRAGMA foreign_key_check", read: { try $0.text(0) }) {
                throw StoreError.corrupt(path: displayPath, detail: "a row of \(table) refers to nothing")
            }
        }
    }

    /// Whether the disk failed a sync. Every access fails from now on, since the kernel takes the pages for written and a retry
    /// would lie; what is on the disk stays in force. Only a new process may go on from it.
    public var hasFailedForGood: Bool {
        // Nothing is thrown: no statement is run.
        (try? exclusively { $0.hasFailedForGood }) ?? false
    }

    private func exclusively<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result {
        let thread = UInt(pthread_self())
        precondition(
            owner.load(ordering: .relaxed) != thread, "an access inside an access; use the connection that was passed")
        lock.lock()
        owner.store(thread, ordering: .relaxed)
        defer {
            owner.store(0, ordering: .relaxed)
            lock.unlock()
        }
        return try body(connection)
    }

    private func rollBackIfOpen(_ connection: DatabaseConnection) {
        guard connection.isInTransaction else { return }
        // The error that led here is the one to report; SQLite drops what is left of the transaction at the latest when it closes.
        try? connection.runScript("ROLLBACK")
    }

    // MARK: Opening

    /// The path of a database file in the system.
    private static func systemPath(_ name: String, in directory: Directory) throws(StoreError) -> String {
        guard let folder = try directory.systemPath() else {
            preconditionFailure("a disk of the operating system has paths")
        }
        return "\(folder)/\(name)"
    }

    /// Checks the database file, and makes it when it is missing.
    private static func prepareFile(
        _ name: String, in directory: Directory, _ access: Access, _ mustBePrivate: Bool
    ) throws(StoreError) {
        let single = try RelativePath(name)
        guard single.parent == nil else {
            throw .invalidPath(path: name, reason: "a database is opened in its own folder")
        }
        // Looked at, never opened and closed: closing drops the locks that SQLite holds on the same file in this process.
        if let status = try directory.status(of: name) {
            if mustBePrivate {
                try status.requirePrivateFile(directory.display(name))
            } else {
                try status.requirePlainFile(directory.display(name))
            }
        } else {
            guard access == .readWrite else { throw .notFound(path: directory.display(name)) }
            do {
                _ = try directory.createFile(name)
                try directory.sync()
            } catch .alreadyExists {
                // Another thread was first.
            }
        }
    }

    private func configure(_ schema: DatabaseSchema, _ access: Access) throws {
        try exclusively { connection in
            // First: whatever looks into the database opens its log.
            if fileSystem != nil { try connection.runScript("PRAGMA locking_mode = EXCLUSIVE") }
            try connection.runScript(
                """
                PRAGMA foreign_keys = ON;
                PRAGMA trusted_schema = OFF;
                PRAGMA cell_size_check = ON;
                PRAGMA temp_store = MEMORY;
                PRAGMA synchronous = FULL;
                """)
            guard access == .readWrite else { return }
            // Before anything is written: the way of journalling stands in the file, and another's file is left alone.
            try schema.requireOwn(connection, path: displayPath)
            // To its end: the change is committed behind its row, and a failure there would leave a rollback journal, whose
            // last commit a loss of power may undo.
            let mode = try connection.all("PRAGMA journal_mode = WAL") { try $0.text(0) }
            guard mode == ["wal"] else { throw StoreError.readOnly(path: displayPath) }
            try connection.runScript("PRAGMA journal_size_limit = \(Self.journalSizeLimit)")
            // What a killed process had written but not yet synced was read from the cache: it must not be spoken of before
            // it is as durable as it looks. When another process is at work it has done so already.
            do {
                try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
            } catch StoreError.diskFull {
                // The log is synced before its pages are moved; they stay where they are until there is room.
            }
        }
    }

    private func prepare(_ schema: DatabaseSchema, _ access: Access) throws {
        switch access {
        case .readWrite: try transaction { try schema.prepare($0, path: displayPath, mayChange: true) }
        case .readOnly: try read { try schema.prepare($0, path: displayPath, mayChange: false) }
        }
    }
}
