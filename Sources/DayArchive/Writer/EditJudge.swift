import CanonicalJSON
import HealthRecords

/// Judges one item of an opened edit, and turns it into a record (day-archive.md 9.3).
enum EditJudge {
    /// A stretch of sleep is at most this long, in seconds.
    private static let longestSleep = 86_400
    /// The source that entries of edits carry.
    static let source = RecordSource(name: "healthmd")

    /// The word for an item that cannot be applied; nil when it can. `now` in Unix seconds.
    static func failure(_ item: EditItem, now: Int) -> EditFailureCode? {
        guard case .put(_, let metric, let start, let end, let content) = item else { return nil }
        guard WritableMetric.isWritable(metric) else { return .unknownMetric }
        switch content {
        case .quantity(let value, let unit):
            guard metric != WritableMetric.sleepName, unit == WritableMetric.unit(of: metric) else { return .badUnit }
            guard value.isFinite, value >= 0 else { return .badRange }
        case .stage(let stage):
            guard metric == WritableMetric.sleepName, WritableMetric.stages.contains(stage) else { return .badUnit }
            guard end - start <= longestSleep else { return .badRange }
        }
        return end >= start && end <= now ? nil : .badRange
    }

    /// The record of a put that was judged before.
    static func record(_ item: EditItem) -> HealthRecord? {
        guard case .put(_, let metric, let start, let end, let content) = item,
            let (type, unit) = DayEvents.recordType(metric)
        else { return nil }
        let value: RecordValue =
            switch content {
            case .quantity(let number, _): .quantity(number, unit: unit)
            case .stage(let stage): .category(DayEvents.sleepValue(stage: stage))
            }
        return HealthRecord(
            type: type, source: source, value: value, start: Instant(secondsSince1970: Double(start)),
            end: Instant(secondsSince1970: Double(end)))
    }
}
