import DurableStore

/// The tables of the analysis database, as its readers see them (docs/DATABASE.md).
///
/// Every table of a day begins its key with `date`, so that a day is replaced as one stretch of each table, and rows of a
/// day lie together. Instants are RFC 3339 texts in UTC with three fraction digits, which SQLite, DuckDB and Grafana
/// read as times and which sort as texts.
enum HealthDatabaseSchema {
    /// What `about.schema` says.
    static let name = "healthmd.database"

    /// Never edit a released migration; add one.
    static let schema = DatabaseSchema(
        applicationID: "hmDB",
        migrations: [
            .code { connection in
                try connection.runScript(tables)
                try connection.runScript(HealthDatabaseViews.script)
            }
        ])

    /// `application_id` in the file's header, by which a file is known before SQLite opens it.
    static let applicationIDBytes = Array("hmDB".utf8)

    /// The tables that hold rows of a day and go with it.
    static let tablesOfDays = [
        "metrics", "samples", "sleep_stages", "workouts", "workout_sections", "workout_samples", "route_points",
        "moods", "doses", "records", "failures",
    ]

    private static let tables = """
        CREATE TABLE about (
            key TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT;

        CREATE TABLE documentation (
            object TEXT NOT NULL,
            column_name TEXT NOT NULL,
            meaning TEXT NOT NULL,
            PRIMARY KEY (object, column_name)
        ) STRICT;

        CREATE TABLE metric_definitions (
            key TEXT NOT NULL PRIMARY KEY,
            metric_id TEXT NOT NULL,
            name TEXT NOT NULL,
            category TEXT NOT NULL,
            unit TEXT NOT NULL,
            daily_rule TEXT NOT NULL
        ) STRICT;

        CREATE TABLE documents (
            path TEXT NOT NULL PRIMARY KEY,
            state TEXT NOT NULL CHECK (state IN ('read', 'failed', 'missing', 'other')),
            date TEXT,
            sha256 TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            failure_code TEXT,
            checked_at TEXT NOT NULL
        ) STRICT;
        CREATE INDEX documents_by_date ON documents (date);

        CREATE TABLE calendar (
            date TEXT NOT NULL PRIMARY KEY,
            day_number INTEGER NOT NULL,
            week TEXT NOT NULL,
            month TEXT NOT NULL,
            year INTEGER NOT NULL,
            weekday INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE days (
            date TEXT NOT NULL PRIMARY KEY,
            time_zone TEXT NOT NULL,
            starts_at TEXT,
            ends_at TEXT,
            document_version INTEGER NOT NULL,
            capture_status TEXT,
            document_path TEXT NOT NULL,
            document_sha256 TEXT NOT NULL,
            skipped_elements INTEGER NOT NULL,
            updated_at TEXT NOT NULL
        ) STRICT;

        CREATE TABLE metrics (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            key TEXT NOT NULL,
            value REAL,
            text TEXT,
            unit TEXT NOT NULL,
            PRIMARY KEY (date, key)
        ) STRICT;
        CREATE INDEX metrics_by_key ON metrics (key, date);

        CREATE TABLE samples (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            metric TEXT NOT NULL,
            number INTEGER NOT NULL,
            time TEXT NOT NULL,
            value REAL NOT NULL,
            unit TEXT NOT NULL,
            metadata TEXT,
            PRIMARY KEY (date, metric, number)
        ) STRICT;
        CREATE INDEX samples_by_time ON samples (metric, time);

        CREATE TABLE sleep_stages (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            stage TEXT NOT NULL,
            start_time TEXT NOT NULL,
            end_time TEXT NOT NULL,
            seconds REAL NOT NULL,
            metadata TEXT,
            PRIMARY KEY (date, number)
        ) STRICT;

        CREATE TABLE workouts (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            id TEXT NOT NULL,
            type TEXT NOT NULL,
            sport TEXT NOT NULL,
            activity_type INTEGER,
            start_time TEXT NOT NULL,
            end_time TEXT,
            seconds REAL,
            elapsed_seconds REAL,
            distance_m REAL,
            energy_kcal REAL,
            average_heart_rate REAL,
            maximum_heart_rate REAL,
            minimum_heart_rate REAL,
            average_power_w REAL,
            maximum_power_w REAL,
            running_cadence_spm REAL,
            cycling_cadence_rpm REAL,
            stride_length_m REAL,
            ground_contact_ms REAL,
            vertical_oscillation_cm REAL,
            elevation_gain_m REAL,
            elevation_loss_m REAL,
            is_indoor INTEGER,
            source TEXT,
            device TEXT,
            metadata TEXT,
            PRIMARY KEY (date, number)
        ) STRICT;
        CREATE INDEX workouts_by_id ON workouts (id);

        CREATE TABLE workout_sections (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            workout INTEGER NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('lap', 'split')),
            number INTEGER NOT NULL,
            start_time TEXT NOT NULL,
            end_time TEXT,
            seconds REAL,
            distance_m REAL,
            average_heart_rate REAL,
            PRIMARY KEY (date, workout, kind, number)
        ) STRICT;

        CREATE TABLE workout_samples (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            workout INTEGER NOT NULL,
            series TEXT NOT NULL,
            number INTEGER NOT NULL,
            time TEXT NOT NULL,
            value REAL NOT NULL,
            PRIMARY KEY (date, workout, series, number)
        ) STRICT;

        CREATE TABLE route_points (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            workout INTEGER NOT NULL,
            number INTEGER NOT NULL,
            time TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            altitude_m REAL,
            horizontal_accuracy_m REAL,
            vertical_accuracy_m REAL,
            speed_mps REAL,
            course_degrees REAL,
            PRIMARY KEY (date, workout, number)
        ) STRICT;

        CREATE TABLE moods (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            id TEXT,
            kind TEXT NOT NULL,
            time TEXT NOT NULL,
            valence REAL NOT NULL,
            labels TEXT,
            associations TEXT,
            PRIMARY KEY (date, number)
        ) STRICT;

        CREATE TABLE doses (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            id TEXT,
            medication TEXT,
            status TEXT NOT NULL,
            time TEXT NOT NULL,
            scheduled_time TEXT,
            schedule_type TEXT,
            quantity REAL,
            scheduled_quantity REAL,
            unit TEXT,
            PRIMARY KEY (date, number)
        ) STRICT;

        CREATE TABLE records (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            identity_kind TEXT NOT NULL,
            object_type TEXT NOT NULL,
            record_kind TEXT NOT NULL,
            start_time TEXT,
            end_time TEXT,
            value REAL,
            unit TEXT,
            source TEXT,
            device TEXT,
            json TEXT NOT NULL,
            PRIMARY KEY (date, number)
        ) STRICT;
        CREATE INDEX records_by_type ON records (object_type, start_time);
        CREATE INDEX records_by_identifier ON records (identifier);

        CREATE TABLE failures (
            date TEXT NOT NULL REFERENCES days (date) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            data_type TEXT NOT NULL,
            description TEXT NOT NULL,
            PRIMARY KEY (date, number)
        ) STRICT;
        """
}
