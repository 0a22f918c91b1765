import CanonicalJSON

/// The Obsidian Bases file of a day: front matter with the workouts as data (export-formats.md 5.4).
struct BasesRenderer {
    let view: DayView

    init(_ document: DayDocument, settings: ExportSettings) throws(HealthDataError) {
        view = try DayView(document, look: settings.customization)
    }

    func write(to writer: inout TextWriter) throws {
        try writer.line("---")
        try FrontMatter(view).write(to: &writer)
        let workouts = view.document.elements("workouts")
        if view.look.includesWorkoutDetails, !workouts.isEmpty {
            try writer.line("workout_details:")
            for (index, workout) in workouts.enumerated() {
                try YAMLBlock.write(
                    BasesWorkout(workout, index: index + 1, date: view.document.date).fields, to: &writer)
            }
        }
        try writer.line("---")
    }
}

/// One element of `workout_details`.
private struct BasesWorkout {
    private(set) var fields: [YAMLBlock.Field] = []
    private let workout: JSONValue

    init(_ workout: JSONValue, index: Int, date: CivilDate) {
        self.workout = workout
        let start = WorkoutMeasures.wholeSeconds(workout["startTimeISO"])
        add("index", "\(index)")
        add("date", date.description)
        add("time", quoted(workout["startTime"]))
        add("datetime", start)
        add("type", "workout")
        add("metric", "workouts")
        add("source", "Health.md")
        add("activity_type", quoted(workout["type"]))
        add("sport", plain(workout["sport"]))
        add("healthkit_activity_type", plain(workout["healthKitActivityType"]))
        add("healthkit_activity_type_raw_value", fixed(workout["healthKitActivityTypeRawValue"], 0))
        fields.append(.texts("tags", ["workout", "healthmd"]))
        add("duration_sec", fixed(workout["duration"], 0))
        add("duration", clock(workout["duration"]))
        add("start", start)
        add("end", WorkoutMeasures.wholeSeconds(workout["endTimeISO"]))
        add("is_indoor", workout["isIndoor"]?.bool.map { $0 ? "true" : "false" })
        add("location_type", plain(workout["locationType"]))
        addDistance(of: workout)
        addPaces(of: workout, prefix: "avgPace")
        add("speed_kmh_formatted", quoted(workout["avgSpeedKmhFormatted"]))
        add("speed_mph_formatted", quoted(workout["avgSpeedMphFormatted"]))
        addSpeeds(of: workout)
        for (name, member, digits) in Self.measures { add(name, fixed(workout[member], digits)) }
        for (name, member) in [("laps_count", "laps"), ("splits_count", "splits"), ("route_points", "route")] {
            let count = workout[member]?.array?.count ?? 0
            add(name, count > 0 ? "\(count)" : nil)
        }
        addSeries()
        addZones()
        addSections("laps", number: "lap")
        addSections("splits", number: "split")
        let metadata = DocumentMap.map(workout["metadata"]).sorted { $0.key < $1.key }
        if !metadata.isEmpty {
            fields.append(.map("metadata", metadata.map { (YAMLText.key($0.key), YAMLText.quoted($0.value)) }))
        }
    }

    private static let measures = [
        ("calories", "calories", 0), ("hr_avg", "avgHeartRate", 0), ("hr_max", "maxHeartRate", 0),
        ("hr_min", "minHeartRate", 0), ("cadence_avg_spm", "avgRunningCadence", 0),
        ("stride_length_avg_m", "avgStrideLength", 2), ("ground_contact_avg_ms", "avgGroundContactTime", 0),
        ("vertical_oscillation_avg_cm", "avgVerticalOscillation", 1), ("cadence_avg_rpm", "avgCyclingCadence", 0),
        ("power_avg_w", "avgPower", 0), ("power_max_w", "maxPower", 0), ("ascent_m", "elevationGainMeters", 0),
        ("descent_m", "elevationLossMeters", 0),
    ]
    private static let series = [
        ("heart_rate", "heartRate"), ("speed", "speed"), ("power", "power"), ("cadence", "cadence"),
        ("stride_length", "strideLength"), ("ground_contact", "groundContactTime"),
        ("vertical_oscillation", "verticalOscillation"), ("altitude", "altitude"),
    ]

    // MARK: Fields

    private mutating func add(_ name: String, _ text: String?) {
        if let text { fields.append(.scalar(name, text)) }
    }

    /// A text that stands without quotes when it can.
    private func plain(_ value: JSONValue?) -> String? { value?.string.map(YAMLText.value) }

    private func quoted(_ value: JSONValue?) -> String? { value?.string.map(YAMLText.quoted) }

    private func fixed(_ value: JSONValue?, _ digits: Int) -> String? {
        value?.number.map { NumberText.fixed($0.double, digits) }
    }

    private func clock(_ value: JSONValue?) -> String? {
        value?.number.map { YAMLText.quoted(DayText.clockDuration($0.double)) }
    }

    private mutating func addDistance(of value: JSONValue) {
        add("distance_m", fixed(value["distance"], 0))
        add("distance_km", fixed(value["distanceKm"], 2))
        add("distance_mi", fixed(value["distanceMi"], 2))
    }

    private mutating func addPaces(of value: JSONValue, prefix: String) {
        for (name, suffix) in [
            ("pace_per_km", "PerKm"), ("pace_per_mi", "PerMi"), ("pace_per_100m", "Per100m"),
            ("pace_per_100yd", "Per100yd"),
        ] {
            add(name, quoted(value["\(prefix)\(suffix)Formatted"]))
        }
    }

    private mutating func addSpeeds(of value: JSONValue) {
        add("speed_kmh", fixed(value["speedKmh"], 1))
        add("speed_mph", fixed(value["speedMph"], 1))
    }

    private mutating func addSeries() {
        let counts = Self.series.compactMap { name, member -> (String, String)? in
            let count = workout["timeSeries"]?[member]?.array?.count ?? 0
            return count > 0 ? (name, "\(count)") : nil
        }
        if !counts.isEmpty { fields.append(.map("sample_counts", counts)) }
    }

    private mutating func addZones() {
        guard let zones = HeartRateZones(workout)?.zones else { return }
        let blocks = zones.map { zone -> YAMLBlock.Field in
            .block(
                "zone\(zone.number)",
                [
                    .scalar("label", YAMLText.value(zone.label)), .scalar("range", "\"\(zone.lower)-\(zone.upper)\""),
                    .scalar("seconds", NumberText.fixed(zone.seconds, 0)),
                    .scalar(
                        "duration",
                        zone.seconds > 0 ? YAMLText.quoted(DayText.clockDuration(zone.seconds)) : "null"),
                ])
        }
        fields.append(.block("heart_rate_zones", blocks))
    }

    private mutating func addSections(_ name: String, number: String) {
        let sections = workout[name]?.array ?? []
        guard !sections.isEmpty else { return }
        let series = WorkoutSeriesView(workout)
        let outer = fields
        let objects = sections.map { section -> [YAMLBlock.Field] in
            fields = []
            add(number, fixed(section["index"], 0))
            add("start", WorkoutMeasures.wholeSeconds(section["startTimeISO"]))
            add("end", WorkoutMeasures.wholeSeconds(section["endTimeISO"]))
            add("time_sec", fixed(section["duration"], 0))
            add("duration", clock(section["duration"]))
            addDistance(of: section)
            addPaces(of: section, prefix: "pace")
            if let pace = quoted(section["paceFormatted"]) {
                add("rate_label", "\"Pace\"")
                add("rate", pace)
            }
            addSpeeds(of: section)
            let numbers = SectionMeasures(section, series: series)
            add("hr_avg", numbers.averageHeartRate.map { NumberText.fixed($0, 0) })
            add("hr_max", numbers.maximumHeartRate.map { NumberText.fixed($0, 0) })
            add("power_avg_w", numbers.averagePower.map { NumberText.fixed($0, 0) })
            let isCycling = workout["sport"]?.string == "cycling"
            add(
                isCycling ? "cadence_avg_rpm" : "cadence_avg_spm",
                numbers.averageCadence.map { NumberText.fixed($0, 0) })
            return fields
        }
        fields = outer + [.objects(name, objects)]
    }
}
