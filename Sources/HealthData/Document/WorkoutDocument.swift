import CanonicalJSON
import Foundation

/// How a workout's movement is told: pace, swimming pace or speed (health-data.md 3.6).
enum PaceStyle: Sendable {
    case foot, swimming, cycling, none

    init(symbol: String) {
        switch symbol {
        case "running", "walking", "hiking", "wheelchairWalkPace", "wheelchairRunPace": self = .foot
        case "swimming": self = .swimming
        case "cycling", "handCycling": self = .cycling
        default: self = .none
        }
    }
}

/// Display name and token of a workout type.
struct WorkoutName: Sendable {
    /// `Running`.
    let display: String
    /// `running`.
    let sport: String

    /// The names of a raw value and of the symbol that stands beside it.
    init(rawValue: UInt64?, symbol: String) {
        if rawValue == 33 {
            // Published behaviour: preparation and recovery shows as rolling.
            (display, sport) = ("Rolling", "rolling")
        } else if let rawValue, Registry.current.activityType(rawValue: rawValue) == nil {
            (display, sport) = ("Unknown HealthKit Activity", "healthkit-\(rawValue)")
        } else {
            let words = Self.words(rawValue.flatMap { Registry.current.activityType(rawValue: $0)?.symbol } ?? symbol)
            display = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
            sport = words.map { $0.lowercased() }.joined(separator: "-")
        }
    }

    private static func words(_ symbol: String) -> [String] {
        var words: [String] = []
        for character in symbol {
            if character.isUppercase || words.isEmpty { words.append("") }
            words[words.count - 1].append(character)
        }
        return words
    }
}

/// One element of the document's `workouts` (health-data.md 3.6).
struct WorkoutDocument {
    let workout: Workout
    let detail: DetailLevel
    let clock: ZoneClock

    private var symbol: String { workout.healthKitActivityType ?? workout.workoutType }
    private var style: PaceStyle { PaceStyle(symbol: symbol) }

    func value() -> JSONValue {
        var object = JSONObject()
        appendIdentity(to: &object)
        Movement(distance: workout.distance, seconds: workout.duration).append(to: &object)
        if let distance = workout.distance {
            object.append("distanceFormatted", .string(NumberText.fixed(distance / 1_000, 2) + " km"))
        }
        appendPace(to: &object)
        for (name, path) in Self.doubles { object.append(name, ifPresent: workout[keyPath: path].map { .double($0) }) }
        if let isIndoor = workout.isIndoor {
            object.append("isIndoor", .bool(isIndoor))
            object.append("locationType", .string(isIndoor ? "indoor" : "outdoor"))
        }
        appendSections("laps", workout.laps, isSplit: false, to: &object)
        appendSections("splits", workout.splits, isSplit: true, to: &object)
        if detail.includesSamples { appendSeries(to: &object) }
        DocumentMap.append(workout.device, workout.sourceRevision, workout.metadata, to: &object)
        return .object(object)
    }

    static let doubles: [(name: String, path: any WritableKeyPath<Workout, Double?> & Sendable)] = [
        ("calories", \.calories), ("avgHeartRate", \.avgHeartRate), ("maxHeartRate", \.maxHeartRate),
        ("minHeartRate", \.minHeartRate), ("avgRunningCadence", \.avgRunningCadence),
        ("avgStrideLength", \.avgStrideLength), ("avgGroundContactTime", \.avgGroundContactTime),
        ("avgVerticalOscillation", \.avgVerticalOscillation), ("avgCyclingCadence", \.avgCyclingCadence),
        ("avgPower", \.avgPower), ("maxPower", \.maxPower), ("elevationGainMeters", \.elevationGainMeters),
        ("elevationLossMeters", \.elevationLossMeters),
    ]

    private func appendIdentity(to object: inout JSONObject) {
        let name = WorkoutName(rawValue: workout.healthKitActivityTypeRawValue, symbol: symbol)
        object.append("id", .string(workout.id.uuidString))
        object.append("type", .string(name.display))
        object.append("sport", .string(name.sport))
        object.append("healthKitActivityType", .string(symbol))
        object.append(
            "healthKitActivityTypeRawValue",
            ifPresent: workout.healthKitActivityTypeRawValue.map { .number(JSONNumber($0)) })
        object.append("startTime", .string(clock.hourMinute(workout.startTime)))
        object.append("startTimeISO", ifPresent: DocumentDate.nanoseconds(workout.startTime))
        object.append("endTimeISO", ifPresent: DocumentDate.nanoseconds(workout.end))
        object.append("duration", .double(workout.duration))
        object.append("elapsedDuration", .double(workout.end.timeIntervalSince(workout.startTime)))
        object.append("durationFormatted", .string(DayText.duration(workout.duration)))
    }

    private func appendPace(to object: inout JSONObject) {
        guard let movement = Movement(distance: workout.distance, seconds: workout.duration).known else { return }
        switch style {
        case .foot:
            append(["avgPaceFormatted", "avgPacePerKmFormatted"], movement.pace(metres: 1_000, "km"), to: &object)
            append(["avgPacePerMiFormatted"], movement.pace(metres: metresPerMile, "mi"), to: &object)
        case .swimming:
            append(["avgPaceFormatted", "avgPacePer100mFormatted"], movement.pace(metres: 100, "100m"), to: &object)
            append(["avgPacePer100ydFormatted"], movement.pace(metres: 91.44, "100yd"), to: &object)
        case .cycling:
            let metric = NumberText.fixed(movement.kilometresPerHour, 1) + " km/h"
            append(["avgSpeedFormatted", "avgSpeedKmhFormatted"], metric, to: &object)
            append(["avgSpeedMphFormatted"], NumberText.fixed(movement.milesPerHour, 1) + " mph", to: &object)
        case .none: break
        }
    }

    private func append(_ names: [String], _ text: String?, to object: inout JSONObject) {
        guard let text else { return }
        for name in names { object.append(name, .string(text)) }
    }

    private func appendSections(
        _ name: String, _ sections: [WorkoutSection], isSplit: Bool, to object: inout JSONObject
    ) {
        let values = sections.filter(\.isRenderable).enumerated().map {
            section($1, position: $0 + 1, isSplit: isSplit)
        }
        if !values.isEmpty { object.append(name, .array(values)) }
    }

    private func section(_ section: WorkoutSection, position: Int, isSplit: Bool) -> JSONValue {
        var object = JSONObject()
        object.append("index", .integer(section.index ?? position))
        object.append("startTimeISO", ifPresent: section.startTime.flatMap(DocumentDate.seconds))
        object.append("endTimeISO", ifPresent: section.endTime.flatMap(DocumentDate.seconds))
        object.append("duration", ifPresent: section.duration.map { .double($0) })
        let movement = Movement(distance: section.distance, seconds: section.duration ?? 0)
        movement.append(to: &object)
        if let known = movement.known {
            switch style {
            case .foot:
                append(["paceFormatted", "pacePerKmFormatted"], known.pace(metres: 1_000, "km"), to: &object)
                append(["pacePerMiFormatted"], known.pace(metres: metresPerMile, "mi"), to: &object)
            case .swimming:
                append(["paceFormatted", "pacePer100mFormatted"], known.pace(metres: 100, "100m"), to: &object)
                append(["pacePer100ydFormatted"], known.pace(metres: 91.44, "100yd"), to: &object)
            case .cycling, .none: break
            }
        }
        if isSplit { object.append("avgHeartRate", ifPresent: section.avgHeartRate.map { .double($0) }) }
        return .object(object)
    }

    private func appendSeries(to object: inout JSONObject) {
        let points = workout.route.filter(\.isRenderable).map(point)
        if !points.isEmpty { object.append("route", .array(points)) }
        var series = JSONObject()
        for (name, path) in WorkoutSeries.names where !workout.timeSeries[keyPath: path].isEmpty {
            series.append(name, .array(workout.timeSeries[keyPath: path].map(DocumentMap.sample)))
        }
        if !series.isEmpty { object.append("timeSeries", .object(series)) }
    }

    static let pointMembers: [(name: String, path: any WritableKeyPath<WorkoutPoint, Double?> & Sendable)] = [
        ("latitude", \.latitude), ("longitude", \.longitude), ("altitude", \.altitude),
        ("horizontalAccuracyMeters", \.horizontalAccuracyMeters),
        ("verticalAccuracyMeters", \.verticalAccuracyMeters), ("speedMps", \.speedMps),
        ("courseDegrees", \.courseDegrees),
    ]

    private func point(_ point: WorkoutPoint) -> JSONValue {
        var object = JSONObject()
        object.append("timestamp", ifPresent: point.timestamp.flatMap(DocumentDate.seconds))
        for (name, path) in Self.pointMembers {
            object.append(name, ifPresent: point[keyPath: path].map { .double($0) })
        }
        return .object(object)
    }
}

/// A distance covered in a time.
private struct Movement {
    let distance: Double?
    let seconds: Double

    /// Appends distance and speed in their units.
    func append(to object: inout JSONObject) {
        guard let distance else { return }
        object.append("distance", .double(distance))
        object.append("distanceKm", .double(distance / 1_000))
        object.append("distanceMi", .double(distance / metresPerMile))
        guard let known else { return }
        object.append("speedKmh", .double(known.kilometresPerHour))
        object.append("speedMph", .double(known.milesPerHour))
    }

    /// The movement when it has a speed.
    var known: Known? {
        guard let distance, distance > 0, seconds > 0 else { return nil }
        return Known(distance: distance, seconds: seconds)
    }

    struct Known {
        let distance: Double
        let seconds: Double
        var kilometresPerHour: Double { distance / 1_000 / (seconds / 3_600) }
        var milesPerHour: Double { distance / metresPerMile / (seconds / 3_600) }

        func pace(metres: Double, _ unit: String) -> String? {
            DayText.pace(seconds / distance * metres, per: unit)
        }
    }
}

extension WorkoutSection {
    /// Whether enough is known to write it.
    var isRenderable: Bool { startTime != nil && endTime != nil && duration != nil }
}

extension WorkoutPoint {
    /// Whether enough is known to write it.
    var isRenderable: Bool { timestamp != nil && latitude != nil && longitude != nil }
}
