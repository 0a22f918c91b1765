import DurableStore

/// The database of the review: what waits for a decision, and what was decided.
enum RecordSchema {
    static let name = "record.sqlite"
    static let lockName = "lock"

    /// - `entry`: decisions, in order, never changed and never removed; the triggers hold that also against a later
    ///   mistake of ours. `evidence` is the proposal as it was looked at, with its readings.
    /// - `pending`: what the last reading of an export proposed and nobody has decided. `shown_at` is set when it was
    ///   printed: nothing is saved unseen. `surroundings` is the rest of its document: warnings, and what has no place.
    static let schema = DatabaseSchema(
        applicationID: "hmBM",
        migrations: [
            .sql(
                """
                CREATE TABLE entry (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    recorded_at TEXT NOT NULL,
                    decision TEXT NOT NULL CHECK (decision IN ('accepted', 'edited', 'rejected')),
                    biomarker TEXT NOT NULL,
                    value REAL,
                    display TEXT,
                    unit TEXT NOT NULL,
                    source_name TEXT NOT NULL,
                    source_sha256 TEXT NOT NULL,
                    evidence TEXT NOT NULL,
                    evidence_sha256 TEXT NOT NULL,
                    CHECK ((decision = 'rejected') = (value IS NULL))
                ) STRICT;
                CREATE INDEX entry_by_biomarker ON entry (biomarker, number);
                CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
                    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
                CREATE TRIGGER entry_is_never_removed BEFORE DELETE ON entry
                    BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
                CREATE TABLE pending_source (
                    only INTEGER PRIMARY KEY CHECK (only = 1),
                    computed_at TEXT NOT NULL,
                    name TEXT NOT NULL,
                    sha256 TEXT NOT NULL,
                    is_complete INTEGER NOT NULL,
                    surroundings TEXT NOT NULL
                ) STRICT;
                CREATE TABLE pending (
                    position INTEGER PRIMARY KEY,
                    biomarker TEXT NOT NULL UNIQUE,
                    evidence TEXT NOT NULL,
                    evidence_sha256 TEXT NOT NULL,
                    shown_at TEXT
                ) STRICT;
                """)
        ])
}
