import DurableStore

/// The two kinds of database of the day store.
enum DayStoreSchema {
    /// `days.sqlite`: which generation holds, and what lies over every generation.
    static let indexName = "days.sqlite"
    /// The folder of the generations.
    static let generationFolder = "generations"
    /// The lock of an import (extensions.md 4).
    static let lockName = "import.lock"

    /// What a store remembers for good. `overlay` has the records that edits made: they lie over every generation, so
    /// that an import does not lose them (extensions.md 7).
    static let index = DatabaseSchema(
        applicationID: "hmDS",
        migrations: [
            .sql(
                """
                CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
                CREATE TABLE generation (
                    number INTEGER PRIMARY KEY,
                    imported_at REAL NOT NULL,
                    first_day INTEGER,
                    last_day INTEGER,
                    is_complete INTEGER NOT NULL,
                    report TEXT NOT NULL
                ) STRICT;
                CREATE TABLE overlay (
                    id TEXT PRIMARY KEY,
                    day INTEGER NOT NULL,
                    last_day INTEGER NOT NULL,
                    bytes BLOB NOT NULL
                ) WITHOUT ROWID, STRICT;
                CREATE INDEX overlay_by_day ON overlay (day, last_day);
                """)
        ])

    /// `generations/N.sqlite`: one import, by day. Written once, then only read.
    ///
    /// - `block`: packed records of one type of one day (`RecordCoding`), at most ``blockSize`` bytes. Clustered by day
    ///   and type, because a day is always read whole; the index by type serves "the newest of a type" and series.
    /// - `structure`: correlations, tests and so on (`StructureCoding`) by kind and day of their start.
    /// - `last_day` of both is the day of the latest end, for what reaches over midnight.
    static let generation = DatabaseSchema(
        applicationID: "hmDG",
        migrations: [
            .sql(
                """
                CREATE TABLE text (number INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
                CREATE TABLE source (
                    number INTEGER PRIMARY KEY, name INTEGER NOT NULL, version INTEGER NOT NULL,
                    device INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE block (
                    day INTEGER NOT NULL, type INTEGER NOT NULL, part INTEGER NOT NULL, count INTEGER NOT NULL,
                    last_day INTEGER NOT NULL, first_start INTEGER NOT NULL, bytes BLOB NOT NULL,
                    PRIMARY KEY (day, type, part)
                ) WITHOUT ROWID, STRICT;
                CREATE INDEX block_by_type ON block (type, day);
                CREATE INDEX block_long ON block (last_day) WHERE last_day > day + 2;
                CREATE TABLE structure (
                    kind INTEGER NOT NULL, day INTEGER NOT NULL, number INTEGER NOT NULL, last_day INTEGER NOT NULL,
                    bytes BLOB NOT NULL, body BLOB,
                    PRIMARY KEY (kind, day, number)
                ) WITHOUT ROWID, STRICT;
                CREATE INDEX structure_long ON structure (kind, last_day) WHERE last_day > day + 2;
                CREATE TABLE summary (date TEXT PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID, STRICT;
                CREATE TABLE route (
                    workout INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
                    PRIMARY KEY (workout, part)
                ) WITHOUT ROWID, STRICT;
                CREATE TABLE route_file (
                    number INTEGER PRIMARY KEY, workout INTEGER NOT NULL, day INTEGER NOT NULL, path TEXT NOT NULL
                ) STRICT;
                CREATE TABLE failure (
                    day INTEGER NOT NULL, data_type TEXT NOT NULL, code TEXT NOT NULL,
                    PRIMARY KEY (day, data_type, code)
                ) WITHOUT ROWID, STRICT;
                """)
        ])

    /// Bytes of records in one block.
    static let blockSize = 32 << 10

    /// Kinds of `structure`. Numbers are stored: never reused.
    enum Kind: Int64 {
        case correlation = 1
        case workout = 2
        case audiogram = 3
        case visionPrescription = 4
        case electrocardiogram = 5
        case clinicalRecord = 6
        case characteristics = 7
    }
}
