import CanonicalJSON
import Foundation
import HealthRecords
import Testing

@testable import HealthData

/// Short ways to write samples of an export.
enum Source {
    static let watch = RecordSource(
        name: "Robin’s Apple\u{A0}Watch",
        device: "name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:9.4")
    static let phone = RecordSource(
        name: "Robin’s iPhone", device: "name:iPhone, manufacturer:Apple Inc., model:iPhone")
    static let app = RecordSource(name: "Steps & More")

    static func quantity(
        _ type: String, _ value: Double, _ unit: String, from start: Double, to end: Double,
        _ source: RecordSource = watch
    ) -> HealthRecord {
        HealthRecord(
            type: "HKQuantityTypeIdentifier" + type, source: source, value: .quantity(value, unit: unit),
            start: Instant(secondsSince1970: start), end: Instant(secondsSince1970: end))
    }

    static func category(
        _ type: String, _ value: String, from start: Double, to end: Double, _ source: RecordSource = watch
    ) -> HealthRecord {
        HealthRecord(
            type: "HKCategoryTypeIdentifier" + type, source: source,
            value: .category("HKCategoryValue" + value), start: Instant(secondsSince1970: start),
            end: Instant(secondsSince1970: end))
    }
}

/// One day under test: `at(hours)` counts from its first instant.
struct TestDay {
    let day: CivilDate
    let zone: CalendarZone
    let frame: DayFrame

    init(_ text: String = "2026-02-03", zone: String = "Europe/Berlin") throws {
        day = CivilDate(text)!
        self.zone = try #require(CalendarZone(identifier: zone))
        frame = DayFrame(day: day, zone: self.zone)
    }

    func at(_ hours: Double) -> Double { frame.interval.lowerBound + hours * 3_600 }

    func build(
        _ records: [HealthRecord] = [], correlations: [HealthCorrelation] = [], workouts: [HealthWorkout] = [],
        carried: [HealthRecord] = [], sources: [String] = [], selection: MetricSelection = .all
    ) throws -> DailyRecord {
        let builder = DayBuilder(zone: zone, sources: SourcePriority(sources), selection: selection)
        return builder.record(
            of: day,
            from: SourceDay(
                records: records, correlations: correlations, workouts: workouts, carriedForward: carried))
    }
}
