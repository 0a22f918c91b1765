import CanonicalJSON
import Cryptography
import DurableStore

/// What the writer remembers: which days are owed, and what was accepted of each (day-archive.md 10).
struct WriterLedger: Sendable {
    /// After so many refusals a day is set aside until the daily check.
    static let maximumRefusals = 5

    let database: Database

    init(folder: Directory) throws {
        database = try Database.open("writer.sqlite", in: folder, schema: WriterSchema.schema)
    }

    // MARK: Settings

    enum Setting: String {
        case endpoint
        /// The day of `init`, from which on totals come by the hour too.
        case installationDay = "installation_day"
        case generation
        /// Unix milliseconds of the last daily check that came to its end.
        case lastCheck = "last_check"
        /// The bucket whose keys are registered.
        case registeredEditor = "registered_editor"
        case registeredReader = "registered_reader"
    }

    func setting(_ name: Setting) throws -> String? {
        try database.read {
            try $0.first("SELECT value FROM setting WHERE name = ?", .text(name.rawValue)) { try $0.text(0) }
        }
    }

    func set(_ name: Setting, _ value: String) throws {
        try database.transaction { try Self.set(name, value, $0) }
    }

    private static func set(_ name: Setting, _ value: String, _ connection: DatabaseConnection) throws {
        try connection.run("INSERT OR REPLACE INTO setting VALUES (?, ?)", .text(name.rawValue), .text(value))
    }

    /// Another service holds nothing yet: every digest is forgotten, every known day owed (day-archive.md 10).
    func changeEndpoint(_ endpoint: String) throws {
        try database.transaction { connection in
            try Self.set(.endpoint, endpoint, connection)
            try connection.run(
                "DELETE FROM setting WHERE name IN ('last_check', 'registered_editor', 'registered_reader')")
            try connection.run("UPDATE days SET is_dirty = 1, digest = NULL, byte_count = NULL, refusals = 0")
        }
    }

    // MARK: Days

    /// What was accepted of a day.
    struct Accepted: Equatable {
        let digest: Digest?
        let byteCount: Int?
    }

    /// Makes sure that every day of a stretch is known; new ones are owed.
    func know(from first: ArchiveDay, to last: ArchiveDay) throws {
        guard first <= last else { return }
        _ = try database.transaction { connection in
            try connection.runForEach(
                "INSERT OR IGNORE INTO days (day, is_dirty) VALUES (?, 1)", 0...(last.number - first.number)
            ) { statement, offset in
                try statement.bind(1, first.adding(days: offset)?.description ?? last.description)
            }
        }
    }

    /// Owes days again. Those that were set aside stay so, unless `forgets`.
    func mark(_ days: some Sequence<ArchiveDay>, forgettingDigest forgets: Bool = false) throws {
        try database.transaction { try Self.mark(days, forgetting: forgets, $0) }
    }

    static func mark(
        _ days: some Sequence<ArchiveDay>, forgetting: Bool = false, _ connection: DatabaseConnection
    ) throws {
        for day in days {
            let text = SQLValue.text(day.description)
            try connection.run("INSERT OR IGNORE INTO days (day, is_dirty) VALUES (?, 1)", text)
            try connection.run("UPDATE days SET is_dirty = 1 WHERE day = ?", text)
            if forgetting {
                try connection.run(
                    "UPDATE days SET digest = NULL, byte_count = NULL, refusals = 0 WHERE day = ?", text)
            }
        }
    }

    /// A new import may have changed any day.
    func markAll(generation: Int) throws {
        try database.transaction { connection in
            try Self.set(.generation, String(generation), connection)
            try connection.run("UPDATE days SET is_dirty = 1")
        }
    }

    /// The days owed, newest first; those set aside are left out.
    func dirtyDays() throws -> [ArchiveDay] {
        try database.read { connection in
            try connection.all(
                "SELECT day FROM days WHERE is_dirty = 1 AND refusals < ? ORDER BY day DESC",
                .integer(Self.maximumRefusals)
            ) { try ArchiveDay(text: try $0.text(0)) }
        }
    }

    func accepted(_ day: ArchiveDay) throws -> Accepted {
        try database.read { connection in
            try connection.first("SELECT digest, byte_count FROM days WHERE day = ?", .text(day.description)) { row in
                Accepted(
                    digest: try row.blobIfPresent(0).map { try Digest(bytes: $0) },
                    byteCount: try row.int64IfPresent(1).map { Int($0) })
            }
        } ?? Accepted(digest: nil, byteCount: nil)
    }

    /// The sealed sizes of all days that were accepted.
    func acceptedSizes() throws -> [ArchiveDay: Int] {
        var sizes: [ArchiveDay: Int] = [:]
        try database.read { connection in
            try connection.forEach("SELECT day, byte_count FROM days WHERE byte_count IS NOT NULL") { row in
                sizes[try ArchiveDay(text: try row.text(0))] = try row.int(1)
            }
        }
        return sizes
    }

    /// A day that came out as it was accepted.
    func markClean(_ days: [ArchiveDay]) throws {
        _ = try database.transaction { connection in
            try connection.runForEach("UPDATE days SET is_dirty = 0 WHERE day = ?", days) {
                try $0.bind(1, $1.description)
            }
        }
    }

    /// Days that the service named as stored.
    func accept(_ days: [(day: ArchiveDay, digest: Digest, byteCount: Int)]) throws {
        try database.transaction { connection in
            for (day, digest, byteCount) in days {
                try connection.run(
                    "UPDATE days SET is_dirty = 0, digest = ?, byte_count = ?, refusals = 0 WHERE day = ?",
                    .blob(digest.bytes), .integer(byteCount), .text(day.description))
            }
        }
    }

    /// Days that the service refused.
    func refuse(_ days: [ArchiveDay]) throws {
        _ = try database.transaction { connection in
            try connection.runForEach("UPDATE days SET refusals = refusals + 1 WHERE day = ?", days) {
                try $0.bind(1, $1.description)
            }
        }
    }

    /// How many days are known, owed and set aside.
    func counts() throws -> (known: Int, dirty: Int, setAside: Int) {
        try database.read { connection in
            try connection.first(
                """
                SELECT COUNT(*), COALESCE(SUM(is_dirty AND refusals < ?1), 0), COALESCE(SUM(is_dirty AND refusals >= ?1), 0)
                FROM days
                """, .integer(Self.maximumRefusals)
            ) { (known: try $0.int(0), dirty: try $0.int(1), setAside: try $0.int(2)) } ?? (0, 0, 0)
        }
    }

    // MARK: Answered edits

    func answeredEdits() throws -> AnsweredEdits {
        AnsweredEdits(
            try database.read { connection in
                try connection.all("SELECT digest, name, signed_at FROM answered") { row in
                    AnsweredEdits.Entry(
                        digest: try Digest(bytes: try row.blob(0)), name: try EditName(text: try row.text(1)),
                        signedAt: try row.int(2))
                }
            })
    }

    func save(_ answered: AnsweredEdits) throws {
        try database.transaction { connection in
            try connection.run("DELETE FROM answered")
            for entry in answered.entries {
                try connection.run(
                    "INSERT OR REPLACE INTO answered VALUES (?, ?, ?)", .blob(entry.digest.bytes),
                    .text(entry.name.text), .integer(entry.signedAt))
            }
        }
    }
}
