import CanonicalJSON
import HealthRecords

/// Forms that the documents share.
enum DocumentText {
    /// `2026-04-15T08:30:00Z`; nil outside of the calendar.
    static func instant(_ instant: Instant) -> String? { RFC3339.seconds(since2001: instant.secondsSince2001) }

    /// A count by name, sorted.
    static func counts(_ counts: [String: Int]) -> JSONValue {
        .object(JSONObject(counts.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, .integer($0.value)) }))
    }
}
