import DurableStore

/// The index of the service (day-archive.md 14): everything but the sealed days themselves.
enum ServiceSchema {
    static let schema = DatabaseSchema(
        applicationID: "hmDA",
        migrations: [
            .sql(
                """
                CREATE TABLE service (one INTEGER PRIMARY KEY CHECK (one = 1), byte_count INTEGER NOT NULL) STRICT;
                INSERT INTO service VALUES (1, 0);
                CREATE TABLE buckets (
                    id TEXT PRIMARY KEY, writer BLOB NOT NULL, editor BLOB, reader BLOB, byte_count INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE days (
                    bucket TEXT NOT NULL, day TEXT NOT NULL, byte_count INTEGER NOT NULL, uploaded INTEGER NOT NULL,
                    blob TEXT NOT NULL, PRIMARY KEY (bucket, day)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE edits (
                    bucket TEXT NOT NULL, name TEXT NOT NULL, taken_at INTEGER NOT NULL, editor TEXT NOT NULL,
                    signature TEXT NOT NULL, timestamp TEXT NOT NULL, byte_count INTEGER NOT NULL, bytes BLOB NOT NULL,
                    PRIMARY KEY (bucket, name)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE outcomes (
                    bucket TEXT NOT NULL, name TEXT NOT NULL, taken_at INTEGER NOT NULL, byte_count INTEGER NOT NULL,
                    applied INTEGER NOT NULL, failed INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (bucket, name)
                ) STRICT, WITHOUT ROWID;
                -- Requests that changed something, for as long as a repeat would pass the clock.
                CREATE TABLE answers (
                    mark BLOB PRIMARY KEY, until INTEGER NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX answers_until ON answers (until);
                -- Blobs that no day refers to: being written, or replaced and not yet removed.
                CREATE TABLE loose_blobs (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
                """)
        ])
}
