import CanonicalJSON
import Foundation

/// Time in heart rate zones of one workout (export-formats.md 5.3.2 and 13).
struct HeartRateZones {
    struct Zone {
        let number: Int
        let label: String
        let lower: Int
        let upper: Int
        var seconds = 0.0
    }

    private static let labels = ["Recovery", "Aerobic", "Tempo", "Threshold", "Max"]
    private static let shares = [0.5, 0.6, 0.7, 0.8, 0.9]
    /// The average is taken to be this share of the maximum where the workout reached no more.
    private static let averageShare = 0.85

    /// All five zones, lowest first.
    let zones: [Zone]

    /// Nil when the workout has no heart rate series.
    init?(_ workout: JSONValue) {
        let samples = WorkoutSamples(workout, "heartRate").samples
        guard let largest = samples.map(\.value).max() else { return nil }
        let reached = workout["maxHeartRate"]?.number?.double ?? largest
        let average = workout["avgHeartRate"]?.number?.double ?? 0
        let maximum = max(reached, average / Self.averageShare).rounded()
        let bounds = Self.shares.map { Int(($0 * maximum).rounded()) }
        var zones = zip(Self.labels, bounds).enumerated().map { index, zone in
            Zone(
                number: index + 1, label: zone.0, lower: zone.1,
                upper: index + 1 < bounds.count ? bounds[index + 1] - 1 : Int(maximum))
        }
        let start = DocumentDate.date(workout["startTimeISO"])?.timeIntervalSinceReferenceDate ?? 0
        let end = start + (workout["duration"]?.number?.double ?? 0)
        for (index, sample) in samples.enumerated() {
            // A sample lasts to the next one, the last to the end of the active time.
            let next = index + 1 < samples.count ? samples[index + 1].time : end
            guard next > sample.time, let zone = bounds.lastIndex(where: { sample.value >= Double($0) }) else {
                continue
            }
            zones[zone].seconds += next - sample.time
        }
        self.zones = zones
    }
}

/// One series of a workout in the document.
struct WorkoutSamples {
    let samples: [(time: Double, value: Double)]

    init(_ workout: JSONValue, _ name: String) {
        samples = (workout["timeSeries"]?[name]?.array ?? []).compactMap { sample in
            guard let time = DocumentDate.date(sample["timestamp"]), let value = sample["value"]?.number else {
                return nil
            }
            return (time.timeIntervalSinceReferenceDate, value.double)
        }
    }

    /// The values in a half-open stretch.
    func values(in stretch: Range<Double>) -> [Double] {
        samples.filter { stretch.contains($0.time) }.map(\.value)
    }
}

/// What the series say about one lap or split (export-formats.md 5.3.2).
struct SectionMeasures {
    let averageHeartRate: Double?
    let maximumHeartRate: Double?
    let averagePower: Double?
    let averageCadence: Double?

    init(_ section: JSONValue, series: WorkoutSeriesView) {
        let start = DocumentDate.date(section["startTimeISO"])?.timeIntervalSinceReferenceDate ?? 0
        let end = DocumentDate.date(section["endTimeISO"])?.timeIntervalSinceReferenceDate ?? start
        let stretch = start..<max(start, end)
        let heart = series.heartRate.values(in: stretch)
        // The section's own average stands before that of the samples.
        averageHeartRate = section["avgHeartRate"]?.number?.double ?? Self.mean(heart)
        maximumHeartRate = heart.max()
        averagePower = Self.mean(series.power.values(in: stretch))
        averageCadence = Self.mean(series.cadence.values(in: stretch))
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}

/// The series that laps and splits look at.
struct WorkoutSeriesView {
    let heartRate: WorkoutSamples
    let power: WorkoutSamples
    let cadence: WorkoutSamples

    init(_ workout: JSONValue) {
        heartRate = WorkoutSamples(workout, "heartRate")
        power = WorkoutSamples(workout, "power")
        cadence = WorkoutSamples(workout, "cadence")
    }
}
