/// What a database must look like: who it belongs to, and the steps that led there.
public struct DatabaseSchema: Sendable {
    /// One step. Never edited once released; a change is a further step.
    public struct Migration: Sendable {
        let apply: @Sendable (DatabaseConnection) throws -> Void

        /// A step that is SQL alone.
        public static func sql(_ script: String) -> Migration {
            Migration { connection in try connection.runScript(script) }
        }

        /// A step that needs code.
        public static func code(_ body: @escaping @Sendable (DatabaseConnection) throws -> Void) -> Migration {
            Migration(apply: body)
        }
    }

    /// Stored as `application_id`, so that one database of ours is not taken for another.
    let applicationID: Int32
    let migrations: [Migration]

    /// A schema with `migrations.count` as its version (`user_version`).
    ///
    /// - Parameter applicationID: four characters of ASCII, different for each kind of database, e.g. `"hmRX"`.
    public init(applicationID: StaticString, migrations: [Migration]) {
        precondition(applicationID.utf8CodeUnitCount == 4, "four characters of ASCII are needed")
        self.applicationID = applicationID.withUTF8Buffer { bytes in
            Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        }
        self.migrations = migrations
    }

    /// The version that this program writes.
    public var version: Int { migrations.count }

    /// Refuses a database of another kind. Only looks, so that such a one stays as it is.
    ///
    /// - Returns: the version that the database has.
    @discardableResult
    func requireOwn(_ connection: DatabaseConnection, path: String) throws -> Int {
        let found = try connection.first("PRAGMA user_version") { try $0.int(0) } ?? 0
        let owner = try connection.first("PRAGMA application_id") { try $0.int64(0) } ?? 0
        let isEmpty = try !connection.exists("SELECT 1 FROM sqlite_schema")
        let isUnclaimed = found == 0 && owner == 0 && isEmpty
        guard isUnclaimed || owner == Int64(applicationID) else {
            throw StoreError.corrupt(path: path, detail: "it is a database of another kind")
        }
        return found
    }

    /// Brings a database to this version, in one transaction, or refuses it.
    func prepare(_ connection: DatabaseConnection, path: String, mayChange: Bool) throws {
        let found = try requireOwn(connection, path: path)
        guard found <= version else { throw StoreError.newerSchema(path: path, found: found, supported: version) }
        guard found < version else { return }
        guard mayChange else { throw StoreError.olderSchema(path: path, found: found, supported: version) }
        for migration in migrations[found...] { try migration.apply(connection) }
        try connection.runScript("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }
}
