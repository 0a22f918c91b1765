import CanonicalJSON
import HealthData
import HealthRecords

/// Turns what the day store holds of a day into the day's events (day-archive.md 2.1).
public struct DayEvents: Sendable {
    private struct Total {
        let metric: String
        let type: String
        let unit: String
    }

    private static let totals = [
        Total(metric: "steps", type: "HKQuantityTypeIdentifierStepCount", unit: "count"),
        Total(
            metric: "distanceWalkingRunning", type: "HKQuantityTypeIdentifierDistanceWalkingRunning", unit: "m"),
        Total(metric: "activeEnergy", type: "HKQuantityTypeIdentifierActiveEnergyBurned", unit: "kcal"),
        Total(metric: "basalEnergy", type: "HKQuantityTypeIdentifierBasalEnergyBurned", unit: "kcal"),
        Total(metric: "flightsClimbed", type: "HKQuantityTypeIdentifierFlightsClimbed", unit: "count"),
        Total(metric: "exerciseTime", type: "HKQuantityTypeIdentifierAppleExerciseTime", unit: "min"),
        Total(metric: "standTime", type: "HKQuantityTypeIdentifierAppleStandTime", unit: "min"),
        Total(metric: "dietaryEnergy", type: "HKQuantityTypeIdentifierDietaryEnergyConsumed", unit: "kcal"),
        Total(metric: "dietaryProtein", type: "HKQuantityTypeIdentifierDietaryProtein", unit: "g"),
        Total(metric: "dietaryCarbohydrates", type: "HKQuantityTypeIdentifierDietaryCarbohydrates", unit: "g"),
        Total(metric: "dietaryFat", type: "HKQuantityTypeIdentifierDietaryFatTotal", unit: "g"),
        Total(metric: "dietaryWater", type: "HKQuantityTypeIdentifierDietaryWater", unit: "mL"),
    ]
    private static let quantities = [
        Total(metric: "heartRate", type: "HKQuantityTypeIdentifierHeartRate", unit: "count/min"),
        Total(
            metric: "heartRateVariability", type: "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", unit: "ms"),
        Total(metric: "restingHeartRate", type: "HKQuantityTypeIdentifierRestingHeartRate", unit: "count/min"),
        Total(metric: "respiratoryRate", type: "HKQuantityTypeIdentifierRespiratoryRate", unit: "count/min"),
        Total(metric: "oxygenSaturation", type: "HKQuantityTypeIdentifierOxygenSaturation", unit: "%"),
        Total(metric: "bodyMass", type: "HKQuantityTypeIdentifierBodyMass", unit: "kg"),
    ]
    static let sleepType = "HKCategoryTypeIdentifierSleepAnalysis"
    private static let sleepPrefix = "HKCategoryValueSleepAnalysis"
    private static let hour = 3_600.0

    /// The zone of the days.
    public let zone: CalendarZone
    /// Which source counts where several overlap.
    public let sources: SourcePriority
    /// The first day with totals by the hour: the day the writer was set up.
    public let hourlyFrom: CivilDate

    /// A mapping for one zone.
    public init(zone: CalendarZone, sources: SourcePriority, hourlyFrom: CivilDate) {
        self.zone = zone
        self.sources = sources
        self.hourlyFrom = hourlyFrom
    }

    /// The record type of a metric that edits may write.
    static func recordType(_ metric: String) -> (type: String, unit: String)? {
        if metric == WritableMetric.sleepName { return (sleepType, "") }
        return (totals + quantities).first { $0.metric == metric }.map { ($0.type, $0.unit) }
    }

    /// The export's word for a stage of sleep.
    static func sleepValue(stage: String) -> String {
        sleepPrefix + stage.prefix(1).uppercased() + stage.dropFirst()
    }

    /// The events of a day, in no particular order.
    ///
    /// - Throws: `unpackable_event` for an instant outside the calendar.
    public func events(of day: CivilDate, from source: SourceDay) throws(WireError) -> [ArchiveEvent] {
        let measures = DayMeasures(of: day, from: source, zone: zone, sources: sources)
        var events: [ArchiveEvent] = []
        try appendTotals(day, measures, to: &events)
        for quantity in Self.quantities {
            for (record, value) in measures.readings(quantity.type, unit: quantity.unit) {
                events.append(
                    try ArchiveEvent(
                        metric: quantity.metric, start: Self.second(record.start), end: Self.second(record.end),
                        unit: quantity.unit, source: record.source.name, value: value))
            }
        }
        for record in measures.records(Self.sleepType) {
            events.append(
                try ArchiveEvent(
                    metric: WritableMetric.sleepName, start: Self.second(record.start),
                    end: Self.second(record.end), source: record.source.name, stage: Self.stage(record.value)))
        }
        for workout in source.workouts where measures.interval.contains(workout.start.secondsSince1970) {
            events.append(try Self.event(workout))
        }
        return events
    }

    private func appendTotals(
        _ day: CivilDate, _ measures: DayMeasures, to events: inout [ArchiveEvent]
    ) throws(WireError) {
        let interval = measures.interval
        for total in Self.totals {
            // A bucket without data is absent, never zero.
            guard let sum = measures.sum(total.type, unit: total.unit) else { continue }
            events.append(
                try ArchiveEvent(
                    metric: total.metric, bucket: "day", start: Int(interval.lowerBound),
                    end: Int(interval.upperBound), unit: total.unit, value: sum))
            guard day >= hourlyFrom else { continue }
            var start = interval.lowerBound
            while start < interval.upperBound {
                let end = min(start + Self.hour, interval.upperBound)
                if let sum = measures.sum(total.type, unit: total.unit, in: start..<end) {
                    events.append(
                        try ArchiveEvent(
                            metric: total.metric, bucket: "hour", start: Int(start), end: Int(end), unit: total.unit,
                            value: sum))
                }
                start = end
            }
        }
    }

    private static func stage(_ value: RecordValue) -> String {
        guard case .category(let spelling) = value, spelling.hasPrefix(sleepPrefix) else { return "unknown" }
        let word = spelling.dropFirst(sleepPrefix.count)
        // Old exports know only one kind of being asleep (health-data.md 10.2.8).
        if word == "Asleep" { return "asleepUnspecified" }
        let stage = word.prefix(1).lowercased() + word.dropFirst()
        return WritableMetric.stages.contains(stage) ? stage : "unknown"
    }

    private static func event(_ workout: HealthWorkout) throws(WireError) -> ArchiveEvent {
        let activity = Registry.current.activityType(exportName: workout.activityType).map { String($0.rawValue) }
        let length = workout.end.secondsSince1970 - workout.start.secondsSince1970
        return try ArchiveEvent(
            metric: "workout", start: second(workout.start), end: second(workout.end), source: workout.source.name,
            activity: activity, duration: workout.durationSeconds ?? length)
    }

    private static func second(_ instant: Instant) -> Int {
        // Outside the calendar the event refuses itself.
        Int(max(-1e12, min(1e12, instant.secondsSince1970.rounded(.down))))
    }
}
