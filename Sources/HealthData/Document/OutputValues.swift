import CanonicalJSON
import Foundation

/// The value of one output key on one day (health-data.md 9, export-formats.md 5.1).
enum OutputValue: Sendable, Equatable {
    /// A number with its fraction digits, truncated to them where the key says so.
    case number(Double, digits: Int, isTruncated: Bool)
    /// A text, time or identifier as it stands.
    case text(String)
    /// True or false.
    case bool(Bool)
    /// Lower-case hyphenated tokens, sorted and unique.
    case list([String])
    /// An array of objects that front matter writes as a block.
    case structured([JSONValue])

    /// The scalar or list as front matter shows it; nil for structured values.
    var text: String? {
        switch self {
        case .number(let value, _, true): NumberText.truncated(value)
        case .number(let value, let digits, false): NumberText.fixed(value, digits)
        case .text(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .list(let tokens): "[" + tokens.joined(separator: ", ") + "]"
        case .structured: nil
        }
    }
}

/// All output values of a day, by key sorted bytewise. Keys without a value are absent.
struct OutputValues: Sendable {
    let values: [(key: OutputKey, value: OutputValue)]

    init(_ document: DayDocument) {
        let workouts = WorkoutTotals(document.elements("workouts"))
        values = Registry.current.outputs.compactMap { key in
            let value = workouts.value(key) ?? Self.value(key, in: document)
            return value.map { (key, $0) }
        }
    }

    /// The `units` member of the document: emitted keys that have a unit (health-data.md 2.2).
    func units() -> JSONObject {
        JSONObject(values.filter { !$0.key.unit.isEmpty }.map { JSONObject.Member($0.key.key, .string($0.key.unit)) })
    }

    /// Keys that are cut off rather than rounded (export-formats.md 5.2).
    private static let truncatedKeys: Set<String> = [
        "blood_oxygen", "blood_oxygen_avg", "blood_oxygen_max", "blood_oxygen_min", "average_mood_percent",
        "daily_mood_percent",
    ]

    private static func value(_ key: OutputKey, in document: DayDocument) -> OutputValue? {
        guard let place = key.places.first, let value = document.value(place.path) else { return nil }
        switch key.key {
        case "daily_mood_percent":
            return value.number.map { .number(Double(DayText.moodPercent($0.double)), digits: 0, isTruncated: true) }
        case "medication_details", "medication_dose_events":
            return value.array.map { .structured($0) }
        case "medications":
            return value.array.map { .list(tokens($0.compactMap { $0["name"]?.string })) }
        case "mood_labels", "mood_associations":
            return value.array.map { .list(tokens($0.compactMap(\.string))) }
        default: break
        }
        switch value {
        case .number(let number):
            let converted = number.double * factor(from: place.unit, to: key.unit)
            return .number(converted, digits: key.decimals ?? 0, isTruncated: truncatedKeys.contains(key.key))
        case .string(let text): return .text(text)
        case .bool(let flag): return .bool(flag)
        case .object, .array, .null: return nil
        }
    }

    private static func factor(from unit: String, to target: String) -> Double {
        switch (unit, target) {
        case ("s", "hours"): 1 / 3_600
        case ("m", "km"): 1 / 1_000
        case ("m", "mi"): 1 / metresPerMile
        case ("ratio", "percent"), ("m", "cm"): 100
        default: 1
        }
    }

    /// `Vitamin D` as `vitamin-d`; sorted and unique.
    static func tokens(_ texts: [String]) -> [String] {
        Set(texts.map { $0.lowercased().split { $0.isWhitespace || $0 == "_" }.joined(separator: "-") })
            .filter { !$0.isEmpty }.sorted()
    }
}

/// Aggregates of the day's workouts (health-data.md 8).
private struct WorkoutTotals {
    private let workouts: [JSONValue]

    init(_ workouts: [JSONValue]) { self.workouts = workouts }

    /// The value of a workout key; nil for other keys and for values that no workout has.
    func value(_ key: OutputKey) -> OutputValue? {
        guard !workouts.isEmpty, key.metricID == "workouts" else { return nil }
        if key.key == "workouts" { return .list(OutputValues.tokens(workouts.compactMap { $0["sport"]?.string })) }
        return number(key.key).map { .number($0, digits: key.decimals ?? 0, isTruncated: false) }
    }

    private func number(_ key: String) -> Double? {
        switch key {
        case "workout_count": Double(workouts.count)
        case "workout_minutes": sum("duration").map { $0 / 60 }
        case "workout_calories": sum("calories")
        case "workout_distance_km": sum("distance").map { $0 / 1_000 }
        case "workout_distance_mi": sum("distance").map { $0 / metresPerMile }
        case "workout_avg_heart_rate": mean("avgHeartRate")
        case "workout_max_heart_rate": all("maxHeartRate").max()
        case "workout_min_heart_rate": all("minHeartRate").min()
        case "workout_avg_power": mean("avgPower")
        case "workout_max_power": all("maxPower").max()
        case "workout_running_cadence": mean("avgRunningCadence", sport: "running")
        case "workout_running_stride_length": mean("avgStrideLength", sport: "running")
        case "workout_running_ground_contact": mean("avgGroundContactTime", sport: "running")
        case "workout_running_vertical_oscillation": mean("avgVerticalOscillation", sport: "running")
        case "workout_cycling_cadence": mean("avgCyclingCadence", sport: "cycling")
        default: nil
        }
    }

    private func all(_ name: String) -> [Double] { workouts.compactMap { $0[name]?.number?.double } }

    private func sum(_ name: String) -> Double? {
        let values = all(name)
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    /// Weighted by active duration; plain when no workout with the value has a duration.
    private func mean(_ name: String, sport: String? = nil) -> Double? {
        let pairs = workouts.compactMap { workout -> (value: Double, weight: Double)? in
            guard sport == nil || workout["sport"]?.string == sport, let value = workout[name]?.number?.double else {
                return nil
            }
            return (value, workout["duration"]?.number?.double ?? 0)
        }
        guard !pairs.isEmpty else { return nil }
        let weight = pairs.reduce(0) { $0 + $1.weight }
        if weight <= 0 { return pairs.reduce(0) { $0 + $1.value } / Double(pairs.count) }
        return pairs.reduce(0) { $0 + $1.value * $1.weight } / weight
    }
}
