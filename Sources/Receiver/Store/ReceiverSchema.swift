import DurableStore

/// The tables of `receiver/receiver.sqlite`.
///
/// Instants of the protocol are REAL, binary64 seconds since 2001, compared as exact values; times of jobs are whole
/// Unix seconds. Manifests, requests and final messages are kept as the bytes that were or will be on the wire.
enum ReceiverSchema {
    static let schema = DatabaseSchema(applicationID: "hmRX", migrations: [.sql(first)])

    private static let first = """
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            installation_id TEXT NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE destination (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            path TEXT NOT NULL,
            device INTEGER NOT NULL,
            inode INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE trust (
            installation_id TEXT PRIMARY KEY,
            display_name TEXT NOT NULL,
            reconnect_secret BLOB NOT NULL CHECK (length(reconnect_secret) = 32),
            pairing_strength TEXT NOT NULL,
            paired_at REAL NOT NULL,
            last_connected_at REAL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE provisional_trust (
            id TEXT PRIMARY KEY,
            installation_id TEXT NOT NULL,
            display_name TEXT NOT NULL,
            secret BLOB NOT NULL CHECK (length(secret) = 32),
            pairing_strength TEXT NOT NULL,
            pairing_id TEXT NOT NULL,
            created_at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE jobs (
            job_id TEXT PRIMARY KEY,
            origin TEXT NOT NULL,
            request BLOB,
            wire_request BLOB,
            peer_installation_id TEXT NOT NULL,
            peer_name TEXT NOT NULL,
            is_durable INTEGER NOT NULL,
            destination_path TEXT,
            destination_device INTEGER,
            destination_inode INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            session_id TEXT,
            session_created_at INTEGER,
            processed_days INTEGER NOT NULL,
            total_days INTEGER NOT NULL,
            committed_partitions INTEGER NOT NULL,
            committed_bytes INTEGER NOT NULL,
            last_peer_status_at REAL,
            message TEXT NOT NULL,
            is_cancellation_wanted INTEGER NOT NULL,
            owes_cancel_to_peer INTEGER NOT NULL,
            result BLOB
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE job_dates (
            job_id TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
            position INTEGER NOT NULL,
            label TEXT NOT NULL,
            PRIMARY KEY (job_id, position)
        ) STRICT, WITHOUT ROWID;

        -- The spooled response of a finished raw job (control-api.md 14).
        CREATE TABLE responses (
            job_id TEXT PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
            status TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            first_date TEXT NOT NULL,
            last_date TEXT NOT NULL,
            total_days INTEGER NOT NULL,
            document_version INTEGER,
            directory_device INTEGER NOT NULL,
            directory_inode INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What a file job wrote, for `verify`.
        CREATE TABLE outputs (
            job_id TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE,
            path TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            PRIMARY KEY (job_id, path)
        ) STRICT, WITHOUT ROWID;

        -- Jobs whose stored state could not be believed; the id stays refused for seven days.
        CREATE TABLE corrupt_jobs (
            job_id TEXT PRIMARY KEY,
            noticed_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sessions (
            session_id TEXT PRIMARY KEY,
            job_id TEXT NOT NULL,
            peer_installation_id TEXT NOT NULL,
            session BLOB NOT NULL,
            manifest BLOB NOT NULL,
            state TEXT NOT NULL,
            directory_device INTEGER NOT NULL,
            directory_inode INTEGER NOT NULL,
            expires_at REAL NOT NULL,
            final_ack BLOB,
            final_message BLOB,
            frontier INTEGER NOT NULL DEFAULT 0,
            output BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_by_job ON sessions (job_id);

        CREATE TABLE partitions (
            session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            position INTEGER NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            PRIMARY KEY (session_id, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE partial_items (
            session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            item_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            source_date REAL NOT NULL,
            is_requested INTEGER NOT NULL,
            total_bytes INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            next_offset INTEGER NOT NULL,
            prefix_sha256 TEXT NOT NULL,
            PRIMARY KEY (session_id, item_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE days (
            session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            source_date REAL NOT NULL,
            item_id TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            content TEXT NOT NULL CHECK (content IN ('record', 'no_data', 'failed', 'raw')),
            word TEXT,
            document_offset INTEGER,
            document_bytes INTEGER,
            PRIMARY KEY (session_id, source_date)
        ) STRICT, WITHOUT ROWID;
        """
}
