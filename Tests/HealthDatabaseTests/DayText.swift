import CanonicalJSON
import DurableStore
import Foundation
import TestSupport

@testable import HealthDatabase

/// An invented day document as text, with one of everything.
enum DayText {
    static func day(_ date: String, steps: Int, extra: String = "") -> String {
        """
        {"schema":"healthmd.health_data","schema_version":8,"type":"health-data","date":"\(date)",
         "time_context":{"calendar_timezone":"Europe/Berlin","timestamp_timezone":"UTC"},
         "unit_system":"metric","units":{},"raw_capture_status":"not_requested",
         "activity":{"steps":\(steps),"walkingRunningDistance":1234.5}\(extra)}
        """
    }

    /// Sections with arrays; one element in most of them cannot be read.
    static let everything = """
        ,"heart":{"restingHeartRate":52,"heartRateSamples":[{"timestamp":"2026-03-28T22:59:59Z","value":61},
          {"timestamp":"2026-03-29T06:00:00.125000000Z","value":62.5,"metadata":{"b":"2","a":"1"}},{"timestamp":"soon","value":1}]},
         "vitals":{"bloodPressureSamples":[{"id":"x","timestamp":"2026-03-29T07:00:00.000000000Z",
          "endDate":"2026-03-29T07:00:00.000000000Z","systolic":121,"diastolic":79,"unit":"mmHg"}]},
         "sleep":{"totalDuration":27000,"bedtime":"22:30","sleepStages":[{"stage":"deep","startDate":"2026-03-29T21:00:00Z",
          "endDate":"2026-03-29T22:00:00Z","durationSeconds":3600}]},
         "mindfulness":{"stateOfMindEntries":[{"id":"m","kind":"Daily Mood","timestamp":"2026-03-29T18:00:00Z","valence":0.25,
          "labels":["calm"]}]},
         "medications":{"doseEvents":[{"id":"d","medicationName":"Invented","logStatus":"taken",
          "startDate":"2026-03-29T06:00:00Z","doseQuantity":2,"unit":"tablet"}]},
         "workouts":[{"id":"w1","type":"Running","sport":"running","healthKitActivityTypeRawValue":37,
          "startTimeISO":"2026-03-29T08:00:00.000000000Z","endTimeISO":"2026-03-29T09:00:00.000000000Z","duration":3500,
          "elapsedDuration":3600,"distance":10000,"calories":640.5,"isIndoor":false,
          "splits":[{"index":1,"startTimeISO":"2026-03-29T08:00:00Z","endTimeISO":"2026-03-29T08:05:00Z","duration":300,"distance":1000}],
          "route":[{"timestamp":"2026-03-29T08:00:00Z","latitude":52.5,"longitude":13.4,"altitude":34},{"latitude":1}],
          "timeSeries":{"strideLength":[{"timestamp":"2026-03-29T08:00:00Z","value":1.1}]}}],
         "healthkit_record_archive":{"schema":"healthmd.healthkit_records","schema_version":1,
          "records":[{"original_uuid":"U","object_type_identifier":"HKQuantityTypeIdentifierStepCount","record_kind":"quantity",
            "start_date":"2026-03-29T08:00:00.000000000Z","end_date":"2026-03-29T08:01:00.000000000Z",
            "source_revision":{"name":"Watch"},"payload":{"type":"quantity","value":42,"unit":"count"}},{"bad":true}],
          "external_records":[{"external_identifier":"e|1","external_identity_kind":"apple_health_export_content_digest",
            "object_type_identifier":"HKQuantityTypeIdentifierHeartRate","record_kind":"quantity",
            "fields":{"value":{"type":"floating_point","value":61.5},"unit":{"type":"string","value":"count\\/min"},
              "startDate":{"type":"date","value":"2026-03-29T08:00:00.000000000Z"}}}]},
         "diagnostics":{"partial_failures":[{"data_type":"hrv","error_description":"not readable"}]}
        """
}

/// A folder of documents beside a database.
final class Fixture {
    let folder: TemporaryFolder
    let root: Directory
    let documents: Directory
    /// What the next update takes for now, seconds since 1970.
    var now: Double = 1_775_000_000

    init() throws {
        folder = try TemporaryFolder()
        root = try Directory.openRoot(folder.path)
        documents = try root.createDirectory("days")
    }

    func put(_ name: String, _ text: String) throws {
        let parts = name.split(separator: "/").dropLast().joined(separator: "/")
        if !parts.isEmpty { _ = try documents.createDirectory(parts) }
        try documents.durableReplace(name) { try $0.write(Array(text.utf8)) }
    }

    func open(_ name: String = "health.sqlite") throws -> HealthDatabase {
        try HealthDatabase(name, in: root, now: { [now] in now })
    }

    @discardableResult
    func update(removingMissing: Bool = false, shouldStop: () -> Bool = { false }) throws -> UpdateReport {
        let database = try open()
        let report = try database.update(
            from: documents, named: "days", removingMissing: removingMissing, shouldStop: shouldStop)
        try database.finish()
        return report
    }

    /// The rows of a statement as texts, columns joined with `|`.
    func rows(_ sql: String, columns: Int) throws -> [String] {
        try open().database.read { connection in
            try connection.all("SELECT \((1...columns).map { "quote(c\($0))" }.joined(separator: ", ")) FROM (\(sql))")
            {
                row in
                try (0..<columns).map { try row.text($0) }.joined(separator: "|")
            }
        }
    }
}
