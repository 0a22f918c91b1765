import DurableStore

/// The writer's ledger (day-archive.md 10, 9.4). Nothing in it has to be right for correctness but the entries of edits: days are
/// rebuilt from their source.
enum WriterSchema {
    static let schema = DatabaseSchema(
        applicationID: "hmDW",
        migrations: [
            .sql(
                """
                CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
                -- digest and sealed size: what the service last accepted.
                CREATE TABLE days (
                    day TEXT PRIMARY KEY, is_dirty INTEGER NOT NULL, digest BLOB, byte_count INTEGER,
                    refusals INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX days_dirty ON days (is_dirty, day);
                CREATE TABLE answered (digest BLOB PRIMARY KEY, name TEXT NOT NULL, signed_at INTEGER NOT NULL)
                STRICT, WITHOUT ROWID;
                -- What stands under each id that an edit wrote; NULL: removed. version: changes that stand on each other.
                -- is_settled: whether the day source has been told.
                CREATE TABLE entries (
                    id TEXT PRIMARY KEY, version INTEGER NOT NULL, item TEXT, is_settled INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                -- What each item of an edit displaced, so that its owner can put it back.
                CREATE TABLE changes (
                    digest BLOB NOT NULL, item INTEGER NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL,
                    version INTEGER NOT NULL, changed TEXT, previous TEXT, is_undone INTEGER NOT NULL DEFAULT 0,
                    PRIMARY KEY (digest, item)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX changes_name ON changes (name, item);
                """)
        ])
}
