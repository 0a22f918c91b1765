import CanonicalJSON
import Foundation

extension DocumentSections {
    /// The `diagnostics` member: what the source could not read, and what we could not render. Nil when all went well.
    func diagnostics() -> JSONValue? {
        let failures = record.partialFailures + unrenderedParts()
        guard !failures.isEmpty else { return nil }
        let values = failures.map { failure -> JSONValue in
            var object: JSONObject = ["data_type": .string(failure.dataType)]
            object.append("date", ifPresent: DocumentDate.nanoseconds(failure.date))
            object.append("date_range_description", .string(failure.dateRangeDescription))
            object.append("error_description", .string(failure.errorDescription))
            return .object(object)
        }
        return ["partial_failures": .array(values)]
    }

    /// Elements of a real phone that carry names unknown to us (extensions.md 4): said, never dropped in silence.
    private func unrenderedParts() -> [DailyRecord.PartialFailure] {
        var parts: [(type: String, count: Int)] = [
            ("workouts.laps", record.workouts.reduce(0) { $0 + $1.laps.count { !$0.isRenderable } }),
            ("workouts.splits", record.workouts.reduce(0) { $0 + $1.splits.count { !$0.isRenderable } }),
        ]
        if detail.includesSamples {
            parts.append(("workouts.route", record.workouts.reduce(0) { $0 + $1.route.count { !$0.isRenderable } }))
            parts.append(("workouts.timeSeries", record.workouts.reduce(0) { $0 + $1.timeSeries.unknown.count }))
        }
        if let section = record.medications {
            parts.append(("medications.medications", section.medications.count { !$0.isRenderable }))
            parts.append(("medications.doseEvents", section.doseEvents.count { !$0.isRenderable }))
        }
        return parts.filter { $0.count > 0 }.map { part in
            DailyRecord.PartialFailure(
                date: record.date, dataType: part.type,
                dateRangeDescription: clock.day(record.date)?.description ?? "the day",
                errorDescription: "\(part.count) not rendered: their members are not known to this version")
        }
    }
}
