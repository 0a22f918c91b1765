import Foundation

@testable import HealthData

/// An invented day that has something in most sections.
enum SampleDay {
    static let zone = "Europe/Berlin"
    /// 2026-02-03 00:00 in Berlin.
    static let start = Date(timeIntervalSince1970: 1_770_073_200)

    static func at(_ hours: Double) -> Date { start.addingTimeInterval(hours * 3_600) }

    static func record() throws -> DailyRecord {
        var record = DailyRecord(date: start, calendarTimeZoneIdentifier: zone)
        record.activity.steps = 8_421
        record.activity.walkingRunningDistance = 6_204.5
        record.activity.activeCalories = 431.25
        record.heart.averageHeartRate = 71.4
        record.heart.heartRateMin = 48
        record.heart.heartRateMax = 151
        record.heart.heartRateSamples = [
            TimeSample(timestamp: at(7), value: 58, metadata: ["HKMetadataKeyHeartRateMotionContext": "1"]),
            TimeSample(timestamp: at(18.5), value: 151),
        ]
        record.vitals.bloodOxygenAvg = 0.963
        record.vitals.bloodPressureSamples = [
            .init(
                correlationUUID: UUID(uuid: (1, 2, 3, 4, 5, 6, 0x57, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)),
                systolic: 118, diastolic: 76, startDate: at(8), endDate: at(8))
        ]
        record.body.weight = 71.8
        record.nutrition.water = 1.75
        var mood = DailyRecord.StateOfMind(
            id: UUID(uuid: (9, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)), timestamp: at(21),
            endDate: at(21), kind: "Daily Mood", valence: 0.4)
        mood.labels = ["Calm"]
        record.mindfulness.stateOfMind = [mood]
        record.symptoms.counts = ["symptom_headache": 1]
        record.reproductiveHealth.sexualActivityCount = 1
        record.sleep.totalDuration = 27_000
        record.sleep.sessionStart = at(23)
        record.sleep.sessionEnd = at(30.5)
        record.sleep.stages = [.init(stage: "core", startDate: at(23), endDate: at(30.5))]
        record.workouts = [workout()]
        return record
    }

    static func workout() -> Workout {
        var workout = Workout(
            id: UUID(uuid: (7, 2, 3, 4, 5, 6, 0x57, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)), workoutType: "running",
            startTime: at(18), duration: 1_800)
        workout.healthKitActivityType = "running"
        workout.healthKitActivityTypeRawValue = 37
        workout.actualEndDate = at(18.55)
        workout.distance = 5_250
        workout.calories = 402
        workout.avgHeartRate = 146
        workout.splits = [
            WorkoutSection(index: 1, startTime: at(18), endTime: at(18).addingTimeInterval(344), duration: 344)
        ]
        workout.timeSeries.heartRate = [TimeSample(timestamp: at(18.1), value: 144)]
        return workout
    }
}
