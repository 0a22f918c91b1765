import Foundation
import HealthRecords
import Testing

@testable import HealthData

@Suite("Workouts of an export")
struct WorkoutBuildTests {
    private let day: TestDay

    init() throws { day = try TestDay() }

    private func run(_ hours: Double = 18, minutes: Double = 30) -> HealthWorkout {
        var workout = HealthWorkout(
            activityType: "HKWorkoutActivityTypeRunning", source: Source.watch,
            start: Instant(secondsSince1970: day.at(hours)),
            end: Instant(secondsSince1970: day.at(hours) + minutes * 60))
        workout.contentDigest = [9, 9, UInt8(hours + 1)]
        return workout
    }

    @Test("statistics win over the totals of old exports")
    func totals() throws {
        var workout = run()
        workout.totalDistance = UnitValue(value: 3, unit: "mi")
        workout.totalEnergyBurned = UnitValue(value: 100, unit: "kcal")
        let old = try day.build(workouts: [workout]).workouts[0]
        #expect(old.distance == 3 * 1_609.344)
        #expect(old.calories == 100)
        var distance = WorkoutStatistics(type: "HKQuantityTypeIdentifierDistanceWalkingRunning", unit: "km")
        distance.sum = 5.2
        var energy = WorkoutStatistics(type: "HKQuantityTypeIdentifierActiveEnergyBurned", unit: "kJ")
        energy.sum = 1_673.6
        var heart = WorkoutStatistics(type: "HKQuantityTypeIdentifierHeartRate", unit: "count/min")
        (heart.average, heart.minimum, heart.maximum) = (150, 92, 176)
        workout.statistics = [distance, energy, heart]
        let new = try day.build(workouts: [workout]).workouts[0]
        #expect(new.distance == 5_200)
        #expect(abs((new.calories ?? 0) - 400) < 1e-9)
        #expect(new.avgHeartRate == 150 && new.minHeartRate == 92 && new.maxHeartRate == 176)
        #expect(new.metadata["healthmd_id_source"] == "apple_health_export_content_digest")
    }

    @Test("what neither totals nor statistics hold is unknown, except heart rate, which its samples tell")
    func samplesOnly() throws {
        let heart = [(18.1, 140.0), (18.2, 160.0), (19.0, 80.0)].map {
            Source.quantity("HeartRate", $0.1, "count/min", from: day.at($0.0), to: day.at($0.0))
        }
        let workout = try day.build(heart, workouts: [run()]).workouts[0]
        #expect(workout.distance == nil && workout.calories == nil)
        #expect(workout.avgHeartRate == 150 && workout.maxHeartRate == 160)
        #expect(workout.timeSeries.heartRate.map(\.value) == [140, 160])
        #expect(workout.duration == 1_800)
    }

    @Test("pauses are not active time; metadata says indoor and elevation")
    func pauses() throws {
        var workout = run()
        workout.events = [
            WorkoutEvent(
                type: "HKWorkoutEventTypePause", date: Instant(secondsSince1970: day.at(18) + 600)),
            WorkoutEvent(
                type: "HKWorkoutEventTypeResume", date: Instant(secondsSince1970: day.at(18) + 900)),
        ]
        workout.metadata = [
            MetadataEntry(key: "HKIndoorWorkout", value: "0"),
            MetadataEntry(key: "HKElevationAscended", value: "5348 cm"),
        ]
        let result = try day.build(workouts: [workout]).workouts[0]
        #expect(result.duration == 1_500)
        #expect(result.isIndoor == false)
        #expect(result.elevationGainMeters == 53.48)
    }

    @Test("laps come from lap events, splits are whole kilometres of the route")
    func sections() throws {
        var workout = run()
        workout.events = [
            WorkoutEvent(
                type: "HKWorkoutEventTypeLap", date: Instant(secondsSince1970: day.at(18)), durationSeconds: 600),
            WorkoutEvent(type: "HKWorkoutEventTypeLap", date: Instant(secondsSince1970: day.at(18) + 1_300)),
        ]
        // 0.01 degrees of latitude are 1,112 m; a point each 5 minutes.
        workout.route = (0...6).map {
            RoutePoint(
                time: Instant(secondsSince1970: day.at(18) + Double($0) * 300), latitude: 52 + Double($0) * 0.009,
                longitude: 13)
        }
        let result = try day.build(workouts: [workout]).workouts[0]
        #expect(result.laps.map(\.duration) == [600, 700])
        #expect(abs((result.laps[0].distance ?? 0) - 2_001.5) < 1)
        #expect(result.splits.count == 6)
        #expect(result.splits.allSatisfy { $0.distance == 1_000 })
        #expect(abs((result.splits[0].duration ?? 0) - 300) <= 1)
        #expect(result.route.count == 7)
    }

    @Test("workouts belong to the day of their start, are ordered by it, and a copy is one workout")
    func ownership() throws {
        let workouts = try day.build(workouts: [run(20), run(7), run(-1), run(24), run(7)]).workouts
        #expect(workouts.map(\.startTime) == [7, 20].map { Date(timeIntervalSince1970: day.at($0)) })
    }

    @Test("names: raw 33 shows as rolling, unknown numbers as such, symbols are split into words")
    func names() {
        #expect(WorkoutName(rawValue: 33, symbol: "preparationAndRecovery").display == "Rolling")
        #expect(WorkoutName(rawValue: 81, symbol: "unknown").sport == "healthkit-81")
        #expect(WorkoutName(rawValue: 81, symbol: "unknown").display == "Unknown HealthKit Activity")
        #expect(WorkoutName(rawValue: 20, symbol: "other").display == "Functional Strength Training")
        #expect(WorkoutName(rawValue: 37, symbol: "running").sport == "running")
    }

    @Test("the printed device is split at known keys only")
    func device() {
        let device = SourceTexts.device(Source.watch)
        #expect(device?.hardwareVersion == "Watch6,2")
        #expect(device?.manufacturer == "Apple Inc.")
        #expect(device?.softwareVersion == "9.4")
        let odd = RecordSource(name: "x", device: "name:A, B, model:C")
        #expect(SourceTexts.device(odd)?.name == "A, B")
    }
}
