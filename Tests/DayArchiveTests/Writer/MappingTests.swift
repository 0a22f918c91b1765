import CanonicalJSON
import HealthData
import HealthRecords
import Testing

@testable import DayArchive

@Suite("From a stored day to events")
struct MappingTests {
    private func day(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    private func record(
        _ type: String, _ value: RecordValue, _ start: Double, _ end: Double, source: String = "Watch"
    ) -> HealthRecord {
        HealthRecord(
            type: type, source: RecordSource(name: source), value: value, start: Instant(secondsSince1970: start),
            end: Instant(secondsSince1970: end))
    }

    private func events(
        _ source: SourceDay, on text: String, zone: CalendarZone = .utc, hourlyFrom: String = "9999-01-01"
    ) throws -> [ArchiveEvent] {
        try DayEvents(zone: zone, sources: SourcePriority(), hourlyFrom: try day(hourlyFrom))
            .events(of: try day(text), from: source)
    }

    @Test("totals count overlapping sources once and have no source; a metric without data has no total")
    func totals() throws {
        let start = Double(try day("2026-03-01").daysSince1970 * 86_400)
        let steps = "HKQuantityTypeIdentifierStepCount"
        let source = SourceDay(records: [
            record(steps, .quantity(100, unit: "count"), start + 60, start + 120, source: "My Watch"),
            record(steps, .quantity(90, unit: "count"), start + 60, start + 120, source: "My iPhone"),
        ])
        let events = try events(source, on: "2026-03-01")
        #expect(
            events == [
                try ArchiveEvent(
                    metric: "steps", bucket: "day", start: Int(start), end: Int(start) + 86_400, unit: "count",
                    value: 100)
            ])
    }

    @Test("totals by the hour come from the day of installation on, and hours without data are absent")
    func hours() throws {
        let start = Double(try day("2026-03-02").daysSince1970 * 86_400)
        let energy = "HKQuantityTypeIdentifierActiveEnergyBurned"
        let source = SourceDay(records: [
            record(energy, .quantity(418.4, unit: "kJ"), start + 3_600 * 9, start + 3_600 * 9 + 60),
            record(energy, .quantity(5, unit: "kcal"), start + 3_600 * 11, start + 3_600 * 11 + 60),
        ])
        let hourly = try events(source, on: "2026-03-02", hourlyFrom: "2026-03-02").filter { $0.bucket == "hour" }
        #expect(hourly.map(\.start) == [Int(start) + 3_600 * 9, Int(start) + 3_600 * 11])
        #expect(zip(hourly.compactMap(\.value), [100, 5]).allSatisfy { abs($0 - $1) < 1e-9 })
        #expect(try events(source, on: "2026-03-02", hourlyFrom: "2026-03-03").allSatisfy { $0.bucket == "day" })
    }

    @Test("a day is the zone's own: 25 hours at the end of summer time")
    func zone() throws {
        let zone = try #require(CalendarZone(identifier: "Europe/Berlin"))
        let noon = zone.noon(try day("2026-10-25")).secondsSince1970
        let source = SourceDay(records: [
            record("HKQuantityTypeIdentifierDietaryWater", .quantity(0.5, unit: "L"), noon, noon)
        ])
        let total = try #require(try events(source, on: "2026-10-25", zone: zone).first)
        #expect(total.end - total.start == 25 * 3_600)
        #expect(total.value == 500)
        #expect(total.unit == "mL")
    }

    @Test("records belong to the day on which they start, with their source")
    func records() throws {
        let start = Double(try day("2026-03-03").daysSince1970 * 86_400)
        let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
        let source = SourceDay(records: [
            record(sleep, .category("HKCategoryValueSleepAnalysisAsleepREM"), start + 86_000, start + 90_000),
            record(sleep, .category("HKCategoryValueSleepAnalysisAsleep"), start + 80_000, start + 81_000),
            record(sleep, .category("HKCategoryValueSleepAnalysisSomethingNew"), start + 1, start + 2),
            record(sleep, .category("HKCategoryValueSleepAnalysisInBed"), start - 100, start + 100),
            record(
                "HKQuantityTypeIdentifierOxygenSaturation", .quantity(97, unit: "%"), start + 10.9, start + 10.9),
            record("HKQuantityTypeIdentifierBodyMass", .quantity(160, unit: "lb"), start + 20, start + 20),
        ])
        let events = try events(source, on: "2026-03-03")
        #expect(events.filter { $0.metric == "sleep" }.map(\.stage) == ["asleepREM", "asleepUnspecified", "unknown"])
        let oxygen = try #require(events.first { $0.metric == "oxygenSaturation" })
        #expect(oxygen.value == 0.97)
        #expect(oxygen.start == Int(start) + 10)
        #expect(oxygen.source == "Watch")
        let mass = try #require(events.first { $0.metric == "bodyMass" }?.value)
        #expect(abs(mass - 72.5747792) < 1e-9)
    }

    @Test("a workout carries Apple's number and its active seconds")
    func workouts() throws {
        let start = Double(try day("2026-03-04").daysSince1970 * 86_400)
        var run = HealthWorkout(
            activityType: "HKWorkoutActivityTypeRunning", source: RecordSource(name: "Watch"),
            start: Instant(secondsSince1970: start + 100), end: Instant(secondsSince1970: start + 1_900))
        run.durationSeconds = 1_700.5
        let unknown = HealthWorkout(
            activityType: "HKWorkoutActivityTypeFromTheFuture", source: RecordSource(name: "Watch"),
            start: Instant(secondsSince1970: start + 2_000), end: Instant(secondsSince1970: start + 2_060))
        let events = try events(SourceDay(workouts: [run, unknown]), on: "2026-03-04")
        #expect(events.map(\.activity) == ["37", nil])
        #expect(events.map(\.duration) == [1_700.5, 60])
    }
}
