import CanonicalJSON
import Cryptography
import DurableStore
import HealthData

/// What stands in the database whatever the days are: whose it is, what every column means, what every metric is called.
enum HealthDatabaseContents {
    /// Writes it when it is not there as this program has it.
    static func write(in connection: DatabaseConnection) throws {
        let definitions = Registry.current.metrics.flatMap { metric in metric.outputs.map { (metric, $0) } }
        var hasher = SHA256()
        for line in HealthDatabaseDocumentation.lines { hasher.update(Array("\(line)\n".utf8)) }
        for (metric, output) in definitions {
            hasher.update(Array("\(output.key)|\(metric.name)|\(output.unit)|\(output.dailyRule)\n".utf8))
        }
        let digest = hasher.finalize().hex
        guard
            try !connection.exists("SELECT 1 FROM about WHERE key = 'contents_sha256' AND value = ?", .text(digest))
        else { return }
        try connection.runScript("DELETE FROM documentation; DELETE FROM metric_definitions")
        try connection.runForEach(
            "INSERT INTO documentation (object, column_name, meaning) VALUES (?, ?, ?)",
            HealthDatabaseDocumentation.lines
        ) { statement, line in
            try statement.bind(1, line.object)
            try statement.bind(2, line.column)
            try statement.bind(3, line.meaning)
        }
        try connection.runForEach(
            """
            INSERT INTO metric_definitions (key, metric_id, name, category, unit, daily_rule)
            VALUES (?, ?, ?, ?, ?, ?)
            """, definitions
        ) { statement, definition in
            let (metric, output) = definition
            for (index, text) in [
                output.key, metric.id, metric.name, metric.category, output.unit, output.dailyRule,
            ].enumerated() {
                try statement.bind(index + 1, text)
            }
        }
        for (key, value) in [
            ("schema", HealthDatabaseSchema.name), ("schema_version", String(HealthDatabaseSchema.schema.version)),
            ("document_schema", DocumentVersion.schema), ("instants", "RFC 3339, UTC, milliseconds"),
            ("contents_sha256", digest),
        ] {
            try connection.run("INSERT OR REPLACE INTO about (key, value) VALUES (?, ?)", .text(key), .text(value))
        }
    }
}
