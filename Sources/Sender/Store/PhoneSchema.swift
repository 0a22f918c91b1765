import DurableStore

/// The tables of `phone/phone.sqlite`.
///
/// Instants of the protocol are REAL: binary64 seconds since 2001, compared as exact values. Manifests, requests and
/// acknowledgements are kept as the bytes that were or will be on the wire.
enum PhoneSchema {
    static let schema = DatabaseSchema(applicationID: "hmPH", migrations: [.sql(first), .sql(second), .sql(third)])

    private static let first = """
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            installation_id TEXT NOT NULL,
            created_at REAL NOT NULL
        ) STRICT;

        -- One trusted workstation, and the one that is being paired (secure-transport.md 9).
        CREATE TABLE trust (
            slot TEXT PRIMARY KEY CHECK (slot IN ('trusted', 'provisional')),
            installation_id TEXT NOT NULL,
            display_name TEXT NOT NULL,
            host TEXT NOT NULL,
            port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
            reconnect_secret BLOB NOT NULL CHECK (length(reconnect_secret) = 32),
            paired_at REAL NOT NULL
        ) STRICT;

        CREATE TABLE settings (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE jobs (
            job_id TEXT PRIMARY KEY,
            session_id TEXT NOT NULL UNIQUE,
            origin TEXT NOT NULL,
            protocol_version INTEGER NOT NULL,
            partition_target_bytes INTEGER NOT NULL,
            request_fingerprint TEXT NOT NULL,
            source_installation_id TEXT NOT NULL,
            destination_installation_id TEXT NOT NULL,
            session_created_at REAL NOT NULL,
            manifest BLOB NOT NULL,
            request BLOB,
            created_at REAL NOT NULL,
            generation INTEGER NOT NULL,
            document_version INTEGER NOT NULL,
            state TEXT NOT NULL,
            next_item_index INTEGER NOT NULL DEFAULT 0,
            completed_item_count INTEGER NOT NULL DEFAULT 0,
            committed_partition_count INTEGER NOT NULL DEFAULT 0,
            committed_byte_count INTEGER NOT NULL DEFAULT 0,
            last_committed_sha256 TEXT,
            current_day REAL,
            status_message TEXT,
            final_acknowledgement BLOB,
            result BLOB,
            completion_recorded INTEGER NOT NULL DEFAULT 0,
            updated_at REAL NOT NULL
        ) STRICT;

        CREATE TABLE job_items (
            job_id TEXT NOT NULL REFERENCES jobs (job_id) ON DELETE CASCADE,
            item_index INTEGER NOT NULL,
            item_id TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL,
            source_date REAL NOT NULL,
            is_requested INTEGER NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            next_offset INTEGER NOT NULL,
            PRIMARY KEY (job_id, item_index)
        ) STRICT, WITHOUT ROWID;

        -- The partition that may be on its way. Its file is never stored: it is its manifest and ranges of items.
        CREATE TABLE pending_partitions (
            job_id TEXT PRIMARY KEY REFERENCES jobs (job_id) ON DELETE CASCADE,
            transfer_id TEXT NOT NULL,
            partition_index INTEGER NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            previous_sha256 TEXT,
            manifest BLOB NOT NULL
        ) STRICT;

        CREATE TABLE pushes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            job_id TEXT NOT NULL UNIQUE,
            first_day TEXT NOT NULL,
            last_day TEXT NOT NULL,
            queued_at REAL NOT NULL
        ) STRICT;
        """

    /// Wishes of a person to cancel a job that another process works on; that process takes them (extensions.md 4).
    private static let second = """
        CREATE TABLE cancellations (
            job_id TEXT PRIMARY KEY,
            wished_at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Whether the destination has still to hear of a cancel (corpus-protocol.md 15).
    private static let third = """
        ALTER TABLE jobs ADD COLUMN owes_cancel INTEGER NOT NULL DEFAULT 0;
        """
}
