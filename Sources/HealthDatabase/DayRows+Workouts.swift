import CanonicalJSON
import DurableStore

/// Workouts with their laps, splits, series and routes (health-data.md 3.6). They are told apart by their place in the
/// day: what has several parts names it as `workout`.
extension DayRows {
    /// Columns of `workouts` that are numbers of the document.
    private static let numbers = [
        ("seconds", "duration"), ("elapsed_seconds", "elapsedDuration"), ("distance_m", "distance"),
        ("energy_kcal", "calories"), ("average_heart_rate", "avgHeartRate"), ("maximum_heart_rate", "maxHeartRate"),
        ("minimum_heart_rate", "minHeartRate"), ("average_power_w", "avgPower"), ("maximum_power_w", "maxPower"),
        ("running_cadence_spm", "avgRunningCadence"), ("cycling_cadence_rpm", "avgCyclingCadence"),
        ("stride_length_m", "avgStrideLength"), ("ground_contact_ms", "avgGroundContactTime"),
        ("vertical_oscillation_cm", "avgVerticalOscillation"), ("elevation_gain_m", "elevationGainMeters"),
        ("elevation_loss_m", "elevationLossMeters"),
    ]

    private static let insertWorkout: String = {
        let columns =
            ["date", "number", "id", "type", "sport", "activity_type", "start_time", "end_time", "is_indoor"]
            + ["source", "device", "metadata"] + numbers.map(\.0)
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO workouts (\(columns.joined(separator: ", "))) VALUES (\(places))"
    }()

    /// One workout; without type or start there is no row, of its parts neither.
    mutating func writeWorkout(_ workout: JSONValue, number: Int) throws {
        guard let id = workout["id"]?.string, let type = workout["type"]?.string,
            let start = DatabaseInstant.text(workout["startTimeISO"])
        else { return skip() }
        let values: [SQLValue] = [
            .text(date), .integer(number), .text(id), .text(type), .text(workout["sport"]?.string ?? ""),
            .optional(workout["healthKitActivityTypeRawValue"]?.number?.int64), .text(start),
            .optional(DatabaseInstant.text(workout["endTimeISO"])),
            .optional(workout["isIndoor"]?.bool.map { Int64($0 ? 1 : 0) }),
            .optional(workout["sourceRevision"]?["name"]?.string), .optional(workout["device"]?["name"]?.string),
            .optional(CompactJSON.textIfPresent(workout["metadata"])),
        ]
        let numbers = Self.numbers.map { SQLValue.optional(workout[$0.1]?.number?.double) }
        try connection.run(Self.insertWorkout, values: values + numbers)
        try writeSections(of: workout, number, "laps", kind: "lap")
        try writeSections(of: workout, number, "splits", kind: "split")
        for series in workout["timeSeries"]?.object?.members ?? [] {
            try writeSeries(series.value.array ?? [], ColumnName.of(series.key), number)
        }
        try writeRoute(workout["route"]?.array ?? [], number)
    }

    private mutating func writeSections(
        of workout: JSONValue, _ number: Int, _ member: String, kind: String
    ) throws {
        let sql = """
            INSERT INTO workout_sections (date, workout, kind, number, start_time, end_time, seconds, distance_m,
                average_heart_rate)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        let date = date
        try insert(sql, workout[member]?.array ?? []) { place, section in
            guard let start = DatabaseInstant.text(section["startTimeISO"]) else { return nil }
            return [
                .text(date), .integer(number), .text(kind), .integer(place), .text(start),
                .optional(DatabaseInstant.text(section["endTimeISO"])), .optional(section["duration"]?.number?.double),
                .optional(section["distance"]?.number?.double), .optional(section["avgHeartRate"]?.number?.double),
            ]
        }
    }

    private mutating func writeSeries(_ points: [JSONValue], _ series: String, _ number: Int) throws {
        let sql = "INSERT INTO workout_samples (date, workout, series, number, time, value) VALUES (?, ?, ?, ?, ?, ?)"
        let date = date
        try insert(sql, points) { place, point in
            guard let time = DatabaseInstant.text(point["timestamp"]), let value = point["value"]?.number else {
                return nil
            }
            return [
                .text(date), .integer(number), .text(series), .integer(place), .text(time), .real(value.double),
            ]
        }
    }

    private mutating func writeRoute(_ points: [JSONValue], _ number: Int) throws {
        let sql = """
            INSERT INTO route_points (date, workout, number, time, latitude, longitude, altitude_m,
                horizontal_accuracy_m, vertical_accuracy_m, speed_mps, course_degrees)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        let date = date
        try insert(sql, points) { place, point in
            guard let time = DatabaseInstant.text(point["timestamp"]),
                let latitude = point["latitude"]?.number?.double, let longitude = point["longitude"]?.number?.double
            else { return nil }
            return [
                .text(date), .integer(number), .integer(place), .text(time), .real(latitude), .real(longitude),
                .optional(point["altitude"]?.number?.double),
                .optional(point["horizontalAccuracyMeters"]?.number?.double),
                .optional(point["verticalAccuracyMeters"]?.number?.double),
                .optional(point["speedMps"]?.number?.double), .optional(point["courseDegrees"]?.number?.double),
            ]
        }
    }
}
