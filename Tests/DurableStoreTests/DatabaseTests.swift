import CSQLite
import Foundation
import Testing

@testable import DurableStore

@Suite("Database")
struct DatabaseTests {
    static let first = DatabaseSchema.Migration.sql(
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent (id), data BLOB, size INTEGER, real REAL) STRICT;
        """)
    static let second = DatabaseSchema.Migration.code { try $0.run("ALTER TABLE parent ADD COLUMN extra TEXT") }
    static let schema = DatabaseSchema(applicationID: "test", migrations: [first])
    static let nextSchema = DatabaseSchema(applicationID: "test", migrations: [first, second])

    private func withDatabase(_ body: (Database, Directory) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        try body(try Database.open("d.sqlite", in: root, schema: Self.schema), root)
    }

    @Test("a connection is set up for durability: WAL, FULL, foreign keys")
    func setUp() throws {
        try withDatabase { database, _ in
            try database.read { (connection) throws in
                #expect(try connection.first("PRAGMA journal_mode") { try $0.text(0) } == "wal")
                #expect(try connection.first("PRAGMA synchronous") { try $0.int(0) } == 2)
                #expect(try connection.first("PRAGMA foreign_keys") { try $0.boolean(0) } == true)
                #expect(try connection.first("PRAGMA user_version") { try $0.int(0) } == 1)
            }
        }
    }

    @Test("values come back as they went in, at their limits")
    func values() throws {
        try withDatabase { database, _ in
            let blobs: [[UInt8]] = [[], [0], Array(0...255)]
            try database.transaction { connection in
                try connection.run("INSERT INTO parent VALUES (?, ?)", .integer(Int64.max), "näme\0with zero")
                try connection.run("INSERT INTO parent VALUES (?, ?)", .integer(Int64.min), "")
                for blob in blobs {
                    try connection.run(
                        "INSERT INTO child VALUES (?, ?, ?, ?)", .integer(Int64.max), .blob(blob),
                        .unsigned(UInt64(blob.count)), .real(0.1))
                }
                try connection.run("INSERT INTO child VALUES (?, NULL, NULL, ?)", .integer(Int64.max), nil)
            }
            try database.read { connection in
                let names = try connection.all("SELECT id, name FROM parent ORDER BY id") {
                    (try $0.int64(0), try $0.text(1))
                }
                #expect(names.map(\.0) == [.min, .max] && names.map(\.1) == ["", "näme\0with zero"])
                var rows = 0
                try connection.forEach("SELECT data, size, real FROM child ORDER BY rowid") { (row) throws in
                    if rows < 3 {
                        #expect(try row.blob(0) == blobs[rows])
                        #expect(try row.withBytes(0) { Array($0) } == blobs[rows])
                        #expect(try row.uint64(1) == UInt64(blobs[rows].count) && row.double(2) == 0.1)
                    } else {
                        #expect(try row.blobIfPresent(0) == nil && row.uint64IfPresent(1) == nil)
                        #expect(try row.doubleIfPresent(2) == nil && row.int64IfPresent(1) == nil && row.isNull(0))
                        #expect(storeCode { _ = try row.blob(0) } == "corrupt")
                    }
                    rows += 1
                }
                #expect(rows == 4)
                #expect(
                    storeCode {
                        _ = try connection.first("SELECT id FROM parent ORDER BY id") { try $0.uint64(0) }
                    } == "corrupt")
                #expect(try connection.first("SELECT 1 WHERE 0") { try $0.int(0) } == nil)
                #expect(try connection.exists("SELECT 1 FROM parent WHERE name = ?", ""))
            }
        }
    }

    @Test("a transaction that throws changes nothing, a savepoint undoes its own part alone")
    func rollback() throws {
        struct Stop: Error {}
        try withDatabase { database, _ in
            #expect(throws: Stop.self) {
                try database.transaction { connection in
                    try connection.run("INSERT INTO parent VALUES (1, 'a')")
                    throw Stop()
                }
            }
            try database.transaction { connection in
                try connection.run("INSERT INTO parent VALUES (2, 'b')")
                #expect(connection.lastInsertedRow == 2 && connection.changedRowCount == 1)
                do {
                    try connection.savepoint {
                        try connection.run("INSERT INTO parent VALUES (3, 'c')")
                        throw Stop()
                    }
                } catch is Stop {}
                try connection.savepoint { try connection.run("INSERT INTO parent VALUES (4, 'd')") }
            }
            #expect(try database.read { try $0.all("SELECT id FROM parent ORDER BY id") { try $0.int(0) } } == [2, 4])
        }
    }

    @Test("constraints refuse with SQLite's words, which name columns and no values")
    func constraints() throws {
        try withDatabase { database, _ in
            try database.transaction { try $0.run("INSERT INTO parent VALUES (1, 'secret-value')") }
            do {
                try database.transaction { try $0.run("INSERT INTO parent VALUES (2, ?)", "secret-value") }
                Issue.record("a duplicate was taken")
            } catch let error as StoreError {
                #expect(error.code == "database_refused")
                #expect(!"\(error)".contains("secret-value") && "\(error)".contains("parent.name"))
            }
            #expect(
                storeCode {
                    try database.transaction { try $0.run("INSERT INTO child VALUES (9, NULL, NULL, NULL)") }
                } == "database_refused")
            #expect("\(SQLValue.text("secret-value")) \(SQLValue.real(1.5))" == "text real")
            #expect(String(reflecting: SQLValue.text("secret-value")) == "text")
        }
    }

    @Test("a loop over one statement inserts many rows fast")
    func bulk() throws {
        try withDatabase { database, _ in
            let bytes: [UInt8] = [1, 2, 3]
            let count = try database.transaction { connection in
                try connection.run("INSERT INTO parent VALUES (1, 'a')")
                return try connection.runForEach("INSERT INTO child VALUES (1, ?, ?, ?)", 0..<20_000) {
                    statement, index in
                    try bytes.withUnsafeBytes { try statement.bind(1, $0) }
                    try statement.bind(2, Int64(index))
                    try statement.bind(3, Double(index) / 2)
                }
            }
            #expect(count == 20_000)
            let sum = try database.read { try $0.first("SELECT sum(size) FROM child") { try $0.int(0) } }
            #expect(sum == 20_000 * 19_999 / 2)
            try database.checkpoint()
            try database.checkIntegrity()
        }
    }

    @Test("migrations run once and in order; a newer schema, an older one read-only and a stranger are refused")
    func migrations() throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        try Database.open("d.sqlite", in: root, schema: Self.schema).transaction {
            try $0.run("INSERT INTO parent VALUES (1, 'a')")
        }
        #expect(throws: StoreError.olderSchema(path: "d.sqlite", found: 1, supported: 2)) {
            try Database.open("d.sqlite", in: root, schema: Self.nextSchema, access: .readOnly)
        }
        for _ in 0..<2 {
            let database = try Database.open("d.sqlite", in: root, schema: Self.nextSchema)
            #expect(try database.read { try $0.first("SELECT name, extra FROM parent") { try $0.text(0) } } == "a")
        }
        #expect(throws: StoreError.newerSchema(path: "d.sqlite", found: 2, supported: 1)) {
            try Database.open("d.sqlite", in: root, schema: Self.schema)
        }
        let stranger = DatabaseSchema(applicationID: "othr", migrations: [Self.first, Self.second])
        #expect(storeCode { _ = try Database.open("d.sqlite", in: root, schema: stranger) } == "corrupt")
        let failing = DatabaseSchema(
            applicationID: "test",
            migrations: [Self.first, Self.second, .sql("CREATE TABLE x (a); CREATE TABLE x (a);")])
        #expect(storeCode { _ = try Database.open("d.sqlite", in: root, schema: failing) } == "database_refused")
        let after = try Database.open("d.sqlite", in: root, schema: Self.nextSchema, access: .readOnly)
        #expect(try after.read { try $0.exists("SELECT 1 FROM sqlite_schema WHERE name = 'x'") } == false)
        #expect(storeCode { try after.read { try $0.run("INSERT INTO parent VALUES (5, 'e', '')") } } == "read_only")
    }

    @Test("a damaged file, a link, a second name and loose permissions are refused by code")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        func open(_ name: String, _ access: Database.Access = .readWrite) -> String? {
            storeCode { _ = try Database.open(name, in: root, schema: Self.schema, access: access) }
        }
        try root.durableReplace("text", with: Array("this is not a database, not at all".utf8))
        #expect(open("text") == "corrupt")
        #expect(open("absent", .readOnly) == "not_found")
        #expect(open("a/b") == "invalid_path")
        #expect(open("../b") == "path_escapes_root")
        #expect(open("good") == nil)
        symlink("good", folder.path + "/link")
        #expect(open("link") == "is_symlink")
        link(folder.path + "/good", folder.path + "/second")
        #expect(open("good") == "not_private")
        try root.remove("second")
        chmod(folder.path + "/good", 0o644)
        #expect(open("good") == "not_private")
    }

    @Test("damage inside the file is found by the integrity check")
    func integrity() throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        var database: Database? = try Database.open("d.sqlite", in: root, schema: Self.schema)
        try database?.transaction { connection in
            for index in 0..<2_000 {
                try connection.run("INSERT INTO parent VALUES (?, ?)", .integer(index), .text("name \(index)"))
            }
        }
        try database?.checkIntegrity()
        database = nil
        let file = try root.file("d.sqlite", .readWrite)
        try file.write([UInt8](repeating: 0xA5, count: 4_096), at: 4_096 * 5)
        let damaged = try Database.open("d.sqlite", in: root, schema: Self.schema)
        #expect(storeCode { try damaged.checkIntegrity() } == "corrupt")
    }

    @Test(
        "SQLite's failures keep their meaning",
        arguments: [
            (SQLITE_FULL, Int32(0), "disk_full"), (SQLITE_CORRUPT, 0, "corrupt"), (SQLITE_NOTADB, 0, "corrupt"),
            (SQLITE_BUSY, 0, "database_busy"), (SQLITE_LOCKED, 0, "database_busy"), (SQLITE_READONLY, 0, "read_only"),
            (SQLITE_PERM, 0, "permission_denied"), (SQLITE_IOERR, EIO, "io_error"), (SQLITE_IOERR, ENOSPC, "disk_full"),
            (SQLITE_IOERR, EDQUOT, "disk_full"), (SQLITE_CANTOPEN, EMFILE, "too_many_open_files"),
            (SQLITE_CANTOPEN, EACCES, "permission_denied"), (SQLITE_IOERR, 0, "io_error"),
            (SQLITE_CONSTRAINT, 0, "database_refused"),
        ])
    func codes(_ code: Int32, _ number: Int32, _ expected: String) {
        #expect(StoreError(resultCode: code | (3 << 8), systemNumber: number, detail: "", path: "d").code == expected)
    }

    @Test("threads take turns, and a second connection sees what was committed")
    func threads() throws {
        try withDatabase { database, root in
            try database.transaction { try $0.run("INSERT INTO parent VALUES (0, '0')") }
            let threads = (1...4).map { worker in
                Thread {
                    for step in 0..<50 {
                        do {
                            try database.transaction { connection in
                                let next = try connection.first("SELECT max(id) FROM parent") { try $0.int(0) } ?? 0
                                try connection.run(
                                    "INSERT INTO parent VALUES (?, ?)", .integer(next + 1), .text("\(worker) \(step)"))
                            }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
            }
            for thread in threads { thread.start() }
            for thread in threads { while !thread.isFinished { usleep(1_000) } }
            let other = try Database.open("d.sqlite", in: root, schema: Self.schema, access: .readOnly)
            #expect(
                try other.read {
                    try $0.first("SELECT count(*), max(id) FROM parent") { [try $0.int(0), try $0.int(1)] }
                } == [201, 200])
        }
    }

    @Test("a statement in use can be nested with its own text")
    func nesting() throws {
        let database = try Database.inMemory(schema: Self.schema)
        try database.transaction { connection in
            for index in 1...3 {
                try connection.run("INSERT INTO parent VALUES (?, ?)", .integer(index), .text("\(index)"))
            }
            var pairs = 0
            try connection.forEach("SELECT id FROM parent") { _ in
                try connection.forEach("SELECT id FROM parent") { _ in pairs += 1 }
            }
            #expect(pairs == 9)
        }
    }
}
