import CSQLite

/// The inside of a ``Database`` during one access: statements and rows. Never leaves the closure that got it.
public final class DatabaseConnection {
    /// Prepared statements that are kept for the next use.
    private static let maximumCachedStatements = 128

    let displayPath: String
    private var pointer: OpaquePointer?
    /// Statements that nobody uses now; one in use is taken out, so that the same text may be nested.
    private var idle: [String: OpaquePointer] = [:]
    /// Set when a sync failed: the pages count as clean although they are not on the disk, so nothing may follow.
    private var finalFailure: StoreError?

    /// Whether a sync failed: every access fails from now on.
    var hasFailedForGood: Bool { finalFailure != nil }

    init(pointer: OpaquePointer?, displayPath: String) {
        self.pointer = pointer
        self.displayPath = displayPath
    }

    deinit {
        close()
    }

    /// Runs one statement.
    public func run(_ sql: String, _ values: SQLValue...) throws(StoreError) {
        try run(sql, values: values)
    }

    /// Runs one statement.
    public func run(_ sql: String, values: [SQLValue]) throws(StoreError) {
        let statement = try take(sql)
        defer { giveBack(sql, statement) }
        try statement.bindAll(values)
        try statement.run()
    }

    /// Runs several statements without parameters, as in a schema.
    public func runScript(_ sql: String) throws(StoreError) {
        if let finalFailure { throw finalFailure }
        let code = sqlite3_exec(pointer, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Passes each row in order.
    public func forEach(_ sql: String, _ values: SQLValue..., body: (Row) throws -> Void) throws {
        try forEach(sql, values: values, body: body)
    }

    /// Passes each row in order.
    public func forEach(_ sql: String, values: [SQLValue], body: (Row) throws -> Void) throws {
        let statement = try take(sql)
        defer { giveBack(sql, statement) }
        try statement.bindAll(values)
        try statement.forEachRow(body)
    }

    /// The first row, or nil when there is none.
    public func first<Result>(
        _ sql: String, _ values: SQLValue..., read: (Row) throws -> Result
    ) throws -> Result? {
        let statement = try take(sql)
        defer { giveBack(sql, statement) }
        try statement.bindAll(values)
        guard try statement.step() else { return nil }
        return try read(Row(pointer: statement.pointer, path: displayPath))
    }

    /// All rows. For results that are known to be few; others go through ``forEach(_:_:body:)``.
    public func all<Result>(
        _ sql: String, _ values: SQLValue..., read: (Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try forEach(sql, values: values) { results.append(try read($0)) }
        return results
    }

    /// Whether the statement finds a row.
    public func exists(_ sql: String, _ values: SQLValue...) throws -> Bool {
        let statement = try take(sql)
        defer { giveBack(sql, statement) }
        try statement.bindAll(values)
        return try statement.step()
    }

    /// Lends the prepared statement for a loop of binds and runs: the fast path of bulk work.
    public func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
        let statement = try take(sql)
        defer { giveBack(sql, statement) }
        return try body(statement)
    }

    /// Runs one statement for each element; returns how many there were.
    @discardableResult
    public func runForEach<Elements: Sequence>(
        _ sql: String, _ elements: Elements, bind: (Statement, Elements.Element) throws -> Void
    ) throws -> Int {
        try withStatement(sql) { statement in
            var count = 0
            for element in elements {
                try bind(statement, element)
                try statement.run()
                count += 1
            }
            return count
        }
    }

    /// Does the work as one step inside the running transaction: an error undoes it alone.
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try run("SAVEPOINT step")
        do {
            let result = try body()
            try run("RELEASE step")
            return result
        } catch {
            // The first error tells; when even this fails the transaction as a whole is rolled back.
            try? runScript("ROLLBACK TO step; RELEASE step")
            throw error
        }
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    public var changedRowCount: Int { Int(sqlite3_changes64(pointer)) }

    /// The row number of the last INSERT.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(pointer) }

    // MARK: Inside the database

    var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

    func close() {
        for statement in idle.values { sqlite3_finalize(statement) }
        idle = [:]
        if let pointer { sqlite3_close_v2(pointer) }
        pointer = nil
    }

    private func take(_ sql: String) throws(StoreError) -> Statement {
        if let finalFailure { throw finalFailure }
        if let statement = idle.removeValue(forKey: sql) { return Statement(pointer: statement, connection: self) }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        guard let statement else { preconditionFailure("a statement without text") }
        return Statement(pointer: statement, connection: self)
    }

    private func giveBack(_ sql: String, _ statement: Statement) {
        statement.reset()
        if idle.count < Self.maximumCachedStatements, idle[sql] == nil {
            idle[sql] = statement.pointer
        } else {
            sqlite3_finalize(statement.pointer)
        }
    }

    /// The meaning of a result code, with the database's own text where that names no values.
    func failure(_ code: Int32) -> StoreError {
        let detail = pointer.map { String(cString: sqlite3_errmsg($0)) } ?? "closed"
        let systemNumber = pointer.map { sqlite3_system_errno($0) } ?? 0
        let error = StoreError(resultCode: code, systemNumber: systemNumber, detail: detail, path: displayPath)
        if code == SQLITE_IOERR | (4 << 8) || code == SQLITE_IOERR | (5 << 8) { finalFailure = error }
        return error
    }
}

extension StoreError {
    /// The meaning of an extended SQLite result code.
    init(resultCode: Int32, systemNumber: Int32, detail: String, path: String) {
        switch resultCode & 0xff {
        case SQLITE_FULL: self = .diskFull(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt(path: path, detail: detail)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .databaseBusy(path: path)
        case SQLITE_READONLY: self = .readOnly(path: path)
        case SQLITE_PERM, SQLITE_AUTH: self = .permissionDenied(path: path)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            self =
                systemNumber == 0
                ? .inputOutput(path: path, operation: "SQLite (\(resultCode))", number: 0)
                : StoreError(SystemError(systemNumber), "SQLite (\(resultCode))", path)
        default: self = .databaseRefused(path: path, resultCode: resultCode, detail: detail)
        }
    }
}
