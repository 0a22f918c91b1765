import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import HealthData

@Suite("Roll-ups")
struct RollupTests {
    /// The days behind the published range (export-formats.md 7.4).
    private static func publishedDays() throws -> [DayDocument] {
        func day(_ date: String, _ change: (inout DailyRecord, Date) -> Void) throws -> DayDocument {
            let start = Date(
                timeIntervalSinceReferenceDate: try #require(RFC3339.parse("\(date)T00:00:00Z")))
            var record = DailyRecord(date: start, calendarTimeZoneIdentifier: "UTC")
            change(&record, start)
            return try DayDocument(record, detail: .summary)
        }
        func sleep(_ record: inout DailyRecord, _ hours: Double, _ start: Date, bed: Double, wake: Double) {
            record.sleep.totalDuration = hours * 3_600
            record.sleep.sessionStart = start.addingTimeInterval(bed * 3_600)
            record.sleep.sessionEnd = start.addingTimeInterval(wake * 3_600)
        }
        func workout(
            _ symbol: String, _ raw: UInt64, _ minutes: Double, average: Double, kcal: Double, metres: Double,
            maximum: Double, minimum: Double, _ start: Date
        ) -> Workout {
            var workout = Workout(id: UUID(), workoutType: symbol, startTime: start, duration: minutes * 60)
            workout.healthKitActivityType = symbol
            workout.healthKitActivityTypeRawValue = raw
            (workout.avgHeartRate, workout.maxHeartRate, workout.minHeartRate) = (average, maximum, minimum)
            (workout.calories, workout.distance) = (kcal, metres)
            return workout
        }
        func heart(_ record: inout DailyRecord, _ average: Double?, _ minimum: Double, _ maximum: Double) {
            (record.heart.averageHeartRate, record.heart.heartRateMin, record.heart.heartRateMax) =
                (average, minimum, maximum)
        }
        func cardio(_ record: inout DailyRecord, _ value: Double, age: Double, _ carried: Bool) {
            record.activity.vo2Max = value
            record.activity.vo2MaxAgeSeconds = age
            record.activity.vo2MaxCarriedForward = carried
            record.activity.vo2MaxSourceUUID = UUID(uuidString: "00000000-0000-0000-0000-000000000011")
            record.activity.vo2MaxSourceStartDate = RFC3339.parse("2026-07-11T11:00:00Z")
                .map(Date.init(timeIntervalSinceReferenceDate:))
            record.activity.vo2MaxSourceEndDate = RFC3339.parse("2026-07-11T11:01:00Z")
                .map(Date.init(timeIntervalSinceReferenceDate:))
        }
        return [
            try day("2026-07-06") { record, start in
                record.activity.steps = 4_000
                heart(&record, 70, 48, 160)
                sleep(&record, 7.75, start, bed: 21.75, wake: 30)
                record.body.weight = 70.4
                record.reproductiveHealth.menstrualFlow = "light"
                cardio(&record, 42.1, age: 0, false)
                record.workouts = [
                    workout(
                        "running", 37, 30, average: 100, kcal: 240, metres: 5_000, maximum: 160, minimum: 90, start)
                ]
            },
            try day("2026-07-08") { record, start in
                record.activity.steps = 6_000
                heart(&record, nil, 50, 165)
                sleep(&record, 8, start, bed: 22.5, wake: 30.5)
                record.reproductiveHealth.menstrualFlow = "medium"
                record.workouts = [
                    workout(
                        "cycling", 13, 60, average: 140, kcal: 510, metres: 24_000, maximum: 175, minimum: 95, start)
                ]
            },
            try day("2026-07-11") { record, start in
                record.activity.steps = 7_500
                heart(&record, 76, 52, 175)
                sleep(&record, 8.25, start, bed: 23.25, wake: 31)
                record.body.weight = 69.8
                record.reproductiveHealth.menstrualFlow = "light"
                cardio(&record, 40.2, age: 172_800, true)
                record.workouts = [
                    workout(
                        "running", 37, 15, average: 120, kcal: 130, metres: 2_500, maximum: 165, minimum: 100, start)
                ]
            },
        ]
    }

    private func rollup(_ days: [DayDocument], version: DocumentVersion = .v8) throws -> Rollup {
        let period = try RollupPeriod(from: CivilDate("2026-07-06")!, to: CivilDate("2026-07-11")!)
        var builder = RollupBuilder(period: period, version: version)
        for day in days { builder.add(day) }
        let time = try #require(RFC3339.parse("2026-07-13T12:00:00Z"))
        return try #require(builder.finish(generatedAt: Date(timeIntervalSinceReferenceDate: time)))
    }

    @Test(
        "the published range is made from its days, byte for byte in every format",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence),
        arguments: [
            (ExportFormat.json, "range.json"), (.csv, "range.csv"), (.markdown, "range.md"), (.bases, "range-bases.md"),
        ])
    func publishedRange(_ format: ExportFormat, _ name: String) throws {
        let bytes = try rollup(Self.publishedDays()).bytes(as: format)
        expectSameBytes(bytes, try SharedFixtures.bytes("health-data/rollups/\(name)"))
    }

    @Test("days without data are missing, not zero; no metric at all gives no roll-up")
    func missingDays() throws {
        let empty = try DayDocument(
            DailyRecord(
                date: Date(timeIntervalSinceReferenceDate: RFC3339.parse("2026-07-07T00:00:00Z")!),
                calendarTimeZoneIdentifier: "UTC"), detail: .summary)
        var days = try Self.publishedDays()
        days.insert(empty, at: 1)
        #expect(try rollup(days).sourceDates.count == 3)
        let builder = RollupBuilder(period: RollupPeriod(.monthly, containing: CivilDate("2026-07-07")!))
        #expect(builder.finish(generatedAt: Date(timeIntervalSinceReferenceDate: 0)) == nil)
    }

    @Test("version 10 names the zone, in CSV before all other columns")
    func version10() throws {
        let rollup = try rollup(Self.publishedDays(), version: .v10)
        let csv = String(decoding: try rollup.bytes(as: .csv), as: UTF8.self)
        #expect(
            csv.hasPrefix("Schema,Schema Version,Source Schema,Source Schema Version,Rollup Rules Version,Calendar"))
        #expect(csv.contains("\nhealthmd.rollup_summary,10,healthmd.health_data,10,10,UTC,range,"))
        #expect(String(decoding: try rollup.bytes(as: .json), as: UTF8.self).contains(#""calendar_timezone" : "UTC""#))
    }

    @Test("clock times across midnight are one cluster")
    func clockTimes() throws {
        var accumulator = RollupAccumulator()
        for text in ["23:30", "00:30", "23:45"] { accumulator.add(.text(text), workoutMinutes: 0) }
        let key = try #require(Registry.current.output("sleep_bedtime"))
        #expect(accumulator.statistic("earliest_time", of: key) == "23:30")
        #expect(accumulator.statistic("latest_time", of: key) == "00:30")
        #expect(accumulator.statistic("average_time_of_day", of: key) == "23:55")
    }

    @Test(
        "periods have the ISO names and bounds",
        arguments: [
            ("2026-03-15", "2026-W11", "2026-03-09", "2026-03-15"),
            ("2027-01-01", "2026-W53", "2026-12-28", "2027-01-03"),
            ("2024-12-30", "2025-W01", "2024-12-30", "2025-01-05"),
        ])
    func weeks(_ day: String, _ id: String, _ start: String, _ end: String) throws {
        let period = RollupPeriod(.weekly, containing: CivilDate(day)!)
        #expect(period.id == id && period.start.description == start && period.end.description == end)
    }

    @Test("files stand under Rollups, with the folder of their format where formats have folders")
    func paths() throws {
        var settings = ExportSettings()
        settings.formats = [.markdown, .bases]
        let period = try RollupPeriod(from: CivilDate("2026-07-06")!, to: CivilDate("2026-07-11")!)
        #expect(
            FilePlanner(settings).path(of: period, as: .bases)
                == "Health/Rollups/Range/2026-07-06_to_2026-07-11-bases.md")
        settings.organizesFormatsIntoFolders = true
        #expect(
            FilePlanner(settings).path(of: RollupPeriod(.monthly, containing: period.start), as: .bases)
                == "Health/Rollups/Bases/Monthly/2026-07.md")
        #expect(throws: HealthDataError.self) {
            try RollupPeriod(from: CivilDate("1990-01-01")!, to: CivilDate("2026-07-11")!)
        }
    }
}
