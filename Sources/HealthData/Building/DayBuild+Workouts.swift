import Foundation
import HealthRecords

extension DayBuild {
    /// Workouts that start in the day, by start (health-data.md 3.6).
    mutating func buildWorkouts() {
        guard builder.selection.containsAny(ofCategory: "Workouts") else { return }
        var seen: Set<UUID> = []
        record.workouts = source.workouts.filter { frame.owns($0.start) }
            .enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map { WorkoutBuild(workout: $0.element, samples: samples).result() }
            // The same object seen twice is one (health-data.md 6).
            .filter { seen.insert($0.id).inserted }
    }
}

/// Builds one workout of an export.
struct WorkoutBuild {
    let workout: HealthWorkout
    let samples: SampleIndex
    private let timeline: WorkoutTimeline

    init(workout: HealthWorkout, samples: SampleIndex) {
        self.workout = workout
        self.samples = samples
        timeline = WorkoutTimeline(workout)
    }

    func result() -> Workout {
        let kind = WorkoutKind(exportName: workout.activityType)
        var result = Workout(
            id: identity, workoutType: kind.symbol, startTime: workout.start.date,
            duration: workout.durationSeconds ?? timeline.activeSeconds)
        result.healthKitActivityType = kind.symbol
        result.healthKitActivityTypeRawValue = kind.rawValue
        result.actualEndDate = workout.end.date
        result.sourceRevision = SourceTexts.revision(workout.source)
        result.device = SourceTexts.device(workout.source)
        result.metadata = SourceTexts.map(workout.metadata)
        result.metadata[NameBasedUUID.metadataKey] = NameBasedUUID.metadataValue
        switch result.metadata["HKIndoorWorkout"] {
        case "1", "true", "YES": result.isIndoor = true
        case "0", "false", "NO": result.isIndoor = false
        default: break
        }
        result.elevationGainMeters = metres("HKElevationAscended", in: result.metadata)
        result.elevationLossMeters = metres("HKElevationDescended", in: result.metadata)
        appendTotals(to: &result)
        appendSeries(to: &result)
        appendStatistics(to: &result)
        result.route = workout.route.map(point)
        let sections = WorkoutSections(
            workout: workout, timeline: timeline, heartRate: result.timeSeries.heartRate)
        result.laps = sections.laps()
        result.splits = sections.splits()
        return result
    }

    private var identity: UUID {
        let fallback = "\(workout.activityType)|\(workout.source.name)|\(workout.start)|\(workout.end)"
        return NameBasedUUID.uuid(workout.contentDigest.isEmpty ? Array(fallback.utf8) : workout.contentDigest)
    }

    /// Metadata holds numbers with their unit in one text: `5348 cm`.
    private func metres(_ key: String, in metadata: [String: String]) -> Double? {
        let parts = (metadata[key] ?? "").split(separator: " ")
        guard parts.count == 2, let value = Double(parts[0]) else { return nil }
        return UnitConversion.convert(value, from: String(parts[1]), to: "m")
    }

    // MARK: Totals

    /// Statistics win over the attributes of old exports; what neither has is unknown (apple-health-export.md 10).
    private func appendTotals(to result: inout Workout) {
        let distances = statistics.filter { $0.type.hasPrefix("HKQuantityTypeIdentifierDistance") }
            .compactMap { statistic in
                statistic.sum.flatMap { UnitConversion.convert($0, from: statistic.unit ?? "m", to: "m") }
            }
        result.distance =
            distances.isEmpty
            ? workout.totalDistance.flatMap { UnitConversion.convert($0.value, from: $0.unit, to: "m") }
            : distances.reduce(0, +)
        let energy = statistic("ActiveEnergyBurned").flatMap { value($0.sum, of: $0, in: "kcal") }
        result.calories =
            energy
            ?? workout.totalEnergyBurned.flatMap { UnitConversion.convert($0.value, from: $0.unit, to: "kcal") }
    }

    /// The workout's own statistics; those of its activities only where it has none itself.
    private var statistics: [WorkoutStatistics] {
        workout.statistics.isEmpty ? workout.activities.flatMap(\.statistics) : workout.statistics
    }

    private func statistic(_ suffix: String) -> WorkoutStatistics? {
        statistics.first { $0.type == "HKQuantityTypeIdentifier" + suffix }
    }

    private func value(_ number: Double?, of statistic: WorkoutStatistics, in unit: String) -> Double? {
        number.flatMap { UnitConversion.convert($0, from: statistic.unit ?? unit, to: unit) }
    }

    private func appendStatistics(to result: inout Workout) {
        func set(
            _ suffix: String, unit: String, series: [TimeSample],
            average: WritableKeyPath<Workout, Double?>, maximum: WritableKeyPath<Workout, Double?>? = nil,
            minimum: WritableKeyPath<Workout, Double?>? = nil
        ) {
            let statistic = statistic(suffix)
            let values = series.map(\.value)
            func number(_ path: KeyPath<WorkoutStatistics, Double?>) -> Double? {
                statistic.flatMap { value($0[keyPath: path], of: $0, in: unit) }
            }
            let mean = values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
            if result[keyPath: average] == nil { result[keyPath: average] = number(\.average) ?? mean }
            if let maximum, result[keyPath: maximum] == nil {
                result[keyPath: maximum] = number(\.maximum) ?? values.max()
            }
            if let minimum { result[keyPath: minimum] = number(\.minimum) ?? values.min() }
        }
        let series = result.timeSeries
        set(
            "HeartRate", unit: "count/min", series: series.heartRate, average: \.avgHeartRate,
            maximum: \.maxHeartRate, minimum: \.minHeartRate)
        set("RunningStrideLength", unit: "m", series: series.strideLength, average: \.avgStrideLength)
        set("RunningGroundContactTime", unit: "ms", series: series.groundContactTime, average: \.avgGroundContactTime)
        set(
            "RunningVerticalOscillation", unit: "cm", series: series.verticalOscillation,
            average: \.avgVerticalOscillation)
        set("RunningPower", unit: "W", series: [], average: \.avgPower, maximum: \.maxPower)
        set("CyclingPower", unit: "W", series: series.power, average: \.avgPower, maximum: \.maxPower)
        set("CyclingCadence", unit: "count/min", series: series.cadence, average: \.avgCyclingCadence)
        if let steps = statistic("StepCount"), let count = value(steps.sum, of: steps, in: "count"),
            PaceStyle(symbol: result.workoutType) == .foot, result.duration > 0
        {
            result.avgRunningCadence = count / (result.duration / 60)
        }
    }

    // MARK: Series

    private func appendSeries(to result: inout Workout) {
        result.timeSeries.heartRate = series("HeartRate", "count/min")
        result.timeSeries.strideLength = series("RunningStrideLength", "m")
        result.timeSeries.groundContactTime = series("RunningGroundContactTime", "ms")
        result.timeSeries.verticalOscillation = series("RunningVerticalOscillation", "cm")
        result.timeSeries.power = firstSeries(["RunningPower", "CyclingPower"], "W")
        result.timeSeries.cadence = series("CyclingCadence", "count/min")
        result.timeSeries.speed = firstSeries(["RunningSpeed", "CyclingSpeed"], "m/s")
        if result.timeSeries.speed.isEmpty {
            result.timeSeries.speed = workout.route.compactMap { point in
                point.speed.flatMap { $0 < 0 ? nil : TimeSample(timestamp: point.time.date, value: $0) }
            }
        }
        result.timeSeries.altitude = workout.route.compactMap { point in
            point.altitude.map { TimeSample(timestamp: point.time.date, value: $0) }
        }
    }

    private func firstSeries(_ suffixes: [String], _ unit: String) -> [TimeSample] {
        suffixes.lazy.map { series($0, unit) }.first { !$0.isEmpty } ?? []
    }

    /// Samples that start inside the workout.
    private func series(_ suffix: String, _ unit: String) -> [TimeSample] {
        let inside = samples.records("HKQuantityTypeIdentifier" + suffix).filter {
            $0.start >= workout.start && $0.start <= workout.end
        }
        return DayBuild.series(SampleIndex.values(inside, unit: unit))
    }

    private func point(_ point: RoutePoint) -> WorkoutPoint {
        var result = WorkoutPoint(
            timestamp: point.time.date, latitude: point.latitude, longitude: point.longitude)
        result.altitude = point.altitude
        result.horizontalAccuracyMeters = point.horizontalAccuracy
        result.verticalAccuracyMeters = point.verticalAccuracy
        // A negative speed or course means unknown (apple-health-export.md 13).
        result.speedMps = point.speed.flatMap { $0 < 0 ? nil : $0 }
        result.courseDegrees = point.course.flatMap { $0 < 0 ? nil : $0 }
        return result
    }
}

/// The type of an export's workout.
private struct WorkoutKind {
    let symbol: String
    let rawValue: UInt64?

    init(exportName: String) {
        if let type = Registry.current.activityType(exportName: exportName) {
            (symbol, rawValue) = (type.symbol, type.rawValue)
            return
        }
        let suffix = exportName.hasPrefix("HKWorkoutActivityType") ? exportName.dropFirst(21) : exportName[...]
        if let number = UInt64(suffix.filter(\.isNumber)), !suffix.contains(where: \.isLetter) {
            (symbol, rawValue) = ("unknown", number)
        } else {
            (symbol, rawValue) = (suffix.prefix(1).lowercased() + suffix.dropFirst(), nil)
        }
    }
}
