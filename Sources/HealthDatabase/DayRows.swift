import CanonicalJSON
import DurableStore
import HealthData

/// Writes the rows of one day document into an open transaction. An element that cannot be read is left out and counted,
/// so that one bad record does not cost the day.
struct DayRows {
    let connection: DatabaseConnection
    let document: DayDocument
    /// The day's label, the key of every row.
    let date: String
    /// Elements that were left out.
    private(set) var skippedCount = 0

    init(_ document: DayDocument, in connection: DatabaseConnection) {
        self.document = document
        self.connection = connection
        date = document.date.description
    }

    /// Writes everything; the row in `days` stands already.
    mutating func write() throws {
        try writeMetrics()
        for series in SampleSeries.all { try writeSamples(series) }
        try writeBloodPressure()
        try writeSleepStages()
        try writeMoods()
        try writeDoses()
        try writeFailures()
        for (index, workout) in elements("workouts").enumerated() { try writeWorkout(workout, number: index + 1) }
        try writeRecords()
    }

    func elements(_ path: String) -> [JSONValue] { document.value(path)?.array ?? [] }

    /// Runs an INSERT for each element for which there are values; the others are counted.
    mutating func insert(
        _ sql: String, _ elements: [JSONValue], _ values: (Int, JSONValue) -> [SQLValue]?
    ) throws {
        guard !elements.isEmpty else { return }
        var skipped = 0
        try connection.withStatement(sql) { statement in
            for (index, element) in elements.enumerated() {
                guard let values = values(index + 1, element) else {
                    skipped += 1
                    continue
                }
                for (place, value) in values.enumerated() { try statement.bind(place + 1, value) }
                try statement.run()
            }
        }
        skippedCount += skipped
    }

    /// Counts one element that was left out.
    mutating func skip() { skippedCount += 1 }

    // MARK: Values of the day

    private func writeMetrics() throws {
        let sql = "INSERT INTO metrics (date, key, value, text, unit) VALUES (?, ?, ?, ?, ?)"
        try connection.runForEach(sql, document.dayValues()) { statement, value in
            try statement.bind(1, date)
            try statement.bind(2, value.key.key)
            switch value.content {
            case .number(let number): try statement.bind(3, number)
            case .flag(let flag): try statement.bind(3, flag ? 1.0 : 0.0)
            case .text(let text): try statement.bind(4, text)
            case .list(let tokens): try statement.bind(4, CompactJSON.text(.array(tokens.map { .string($0) })))
            case .objects(let objects): try statement.bind(4, CompactJSON.text(.array(objects)))
            }
            try statement.bind(5, value.key.unit)
        }
    }

    // MARK: Samples

    /// An array of the document with one number per element (health-data.md 3.3).
    private struct SampleSeries {
        let metric: String
        let path: String
        let unit: String

        static let all = [
            SampleSeries(metric: "heart_rate", path: "heart.heartRateSamples", unit: "bpm"),
            SampleSeries(metric: "hrv", path: "heart.hrvSamples", unit: "ms"),
            SampleSeries(metric: "blood_oxygen", path: "vitals.bloodOxygenSamples", unit: "ratio"),
            SampleSeries(metric: "blood_glucose", path: "vitals.bloodGlucoseSamples", unit: "mg/dL"),
            SampleSeries(metric: "respiratory_rate", path: "vitals.respiratoryRateSamples", unit: "breaths/min"),
        ]
    }

    private static let insertSample = """
        INSERT INTO samples (date, metric, number, time, value, unit, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)
        """

    private mutating func writeSamples(_ series: SampleSeries) throws {
        let date = date
        try insert(Self.insertSample, elements(series.path)) { number, element in
            guard let time = DatabaseInstant.text(element["timestamp"]), let value = element["value"]?.number else {
                return nil
            }
            return [
                .text(date), .text(series.metric), .integer(number), .text(time), .real(value.double),
                .text(series.unit), .optional(CompactJSON.textIfPresent(element["metadata"])),
            ]
        }
    }

    /// Two series of one array.
    private mutating func writeBloodPressure() throws {
        let date = date
        for (member, metric) in [("systolic", "blood_pressure_systolic"), ("diastolic", "blood_pressure_diastolic")] {
            try insert(Self.insertSample, elements("vitals.bloodPressureSamples")) { number, element in
                guard let time = DatabaseInstant.text(element["timestamp"]), let value = element[member]?.number else {
                    return nil
                }
                return [
                    .text(date), .text(metric), .integer(number), .text(time), .real(value.double),
                    .text(element["unit"]?.string ?? "mmHg"), .optional(CompactJSON.textIfPresent(element["metadata"])),
                ]
            }
        }
    }

    private mutating func writeSleepStages() throws {
        let sql = """
            INSERT INTO sleep_stages (date, number, stage, start_time, end_time, seconds, metadata)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        let date = date
        try insert(sql, elements("sleep.sleepStages")) { number, element in
            guard let stage = element["stage"]?.string, let start = DatabaseInstant.text(element["startDate"]),
                let end = DatabaseInstant.text(element["endDate"]),
                let seconds = element["durationSeconds"]?.number
            else { return nil }
            return [
                .text(date), .integer(number), .text(stage), .text(start), .text(end), .real(seconds.double),
                .optional(CompactJSON.textIfPresent(element["metadata"])),
            ]
        }
    }

    // MARK: Mind, medications, failures

    private mutating func writeMoods() throws {
        let sql = """
            INSERT INTO moods (date, number, id, kind, time, valence, labels, associations)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        let date = date
        try insert(sql, elements("mindfulness.stateOfMindEntries")) { number, element in
            guard let kind = element["kind"]?.string, let time = DatabaseInstant.text(element["timestamp"]),
                let valence = element["valence"]?.number
            else { return nil }
            return [
                .text(date), .integer(number), .optional(element["id"]?.string), .text(kind), .text(time),
                .real(valence.double), .optional(CompactJSON.textIfPresent(element["labels"])),
                .optional(CompactJSON.textIfPresent(element["associations"])),
            ]
        }
    }

    private mutating func writeDoses() throws {
        let sql = """
            INSERT INTO doses (date, number, id, medication, status, time, scheduled_time, schedule_type, quantity,
                scheduled_quantity, unit)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        let date = date
        try insert(sql, elements("medications.doseEvents")) { number, element in
            guard let status = element["logStatus"]?.string, let time = DatabaseInstant.text(element["startDate"])
            else { return nil }
            return [
                .text(date), .integer(number), .optional(element["id"]?.string),
                .optional(element["medicationName"]?.string), .text(status), .text(time),
                .optional(DatabaseInstant.text(element["scheduledDate"])),
                .optional(element["scheduleType"]?.string), .optional(element["doseQuantity"]?.number?.double),
                .optional(element["scheduledDoseQuantity"]?.number?.double), .optional(element["unit"]?.string),
            ]
        }
    }

    private mutating func writeFailures() throws {
        let sql = "INSERT INTO failures (date, number, data_type, description) VALUES (?, ?, ?, ?)"
        let date = date
        try insert(sql, elements("diagnostics.partial_failures")) { number, element in
            [
                .text(date), .integer(number), .text(element["data_type"]?.string ?? ""),
                .text(element["error_description"]?.string ?? ""),
            ]
        }
    }
}
