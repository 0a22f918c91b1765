import CanonicalJSON

/// The workouts of the body (export-formats.md 5.3.2).
struct WorkoutsSection {
    let view: DayView

    func append(to page: inout MarkdownPage) {
        for (index, workout) in view.document.elements("workouts").enumerated() {
            page.subheading(1, "\(index + 1). \(workout["type"]?.string ?? "Workout")")
            let measures = WorkoutMeasures(workout, view: view)
            for (label, text) in measures.bullets() { page.item("**\(label):** \(text)") }
            guard view.look.includesWorkoutDetails else { continue }
            page.subheading(2, "Details")
            page.table(["Field", "Value"], rows: measures.details().map { [$0.0, $0.1] })
            page.blank()
            appendZones(workout, to: &page)
            appendSections(workout, measures, to: &page)
            appendSeries(workout, to: &page)
            appendMetadata(workout, to: &page)
        }
    }

    /// The first bullet stands directly after the blank line of the details; later ones bring their own.
    private func appendZones(_ workout: JSONValue, to page: inout MarkdownPage) {
        guard let zones = HeartRateZones(workout)?.zones else { return }
        let used = zones.filter { $0.seconds > 0 }
        if !used.isEmpty {
            let parts = used.map { "\($0.label) \(DayText.clockDuration($0.seconds))" }
            page.item("**Heart Rate Zones:** \(parts.joined(separator: " · "))")
            page.blank()
        }
        page.item("**Heart Rate Zones:**")
        page.blank()
        page.table(
            ["Zone", "Label", "Range", "Time"],
            rows: zones.map { zone in
                [
                    "Zone \(zone.number)", zone.label, "\(zone.lower)-\(zone.upper) bpm",
                    zone.seconds > 0 ? DayText.clockDuration(zone.seconds) : "—",
                ]
            })
    }

    private func appendSections(_ workout: JSONValue, _ measures: WorkoutMeasures, to page: inout MarkdownPage) {
        let series = WorkoutSeriesView(workout)
        for (title, name) in [("Laps", "laps"), ("Splits", "splits")] {
            let sections = workout[name]?.array ?? []
            if sections.isEmpty { continue }
            page.blank()
            page.item("**\(title):**")
            page.blank()
            page.table(
                [
                    "#", "Start", "End", "Distance", "Time", "Pace", "Speed", "Avg HR", "Max HR", "Avg Power",
                    "Avg Cadence",
                ],
                rows: sections.map { row($0, series, measures) })
        }
    }

    private func row(_ section: JSONValue, _ series: WorkoutSeriesView, _ measures: WorkoutMeasures) -> [String] {
        let numbers = SectionMeasures(section, series: series)
        func whole(_ value: Double?, _ unit: String) -> String {
            value.map { "\(NumberText.fixed($0, 0)) \(unit)" } ?? ""
        }
        return [
            section["index"]?.number?.int.map { String($0) } ?? "",
            view.clockTextWithSeconds(section["startTimeISO"]) ?? "",
            view.clockTextWithSeconds(section["endTimeISO"]) ?? "",
            section["distance"]?.number.map { measures.distance($0.double) } ?? "",
            section["duration"]?.number.map { DayText.clockDuration($0.double) } ?? "",
            measures.pace(of: section, "pace") ?? "", WorkoutMeasures.speed(section) ?? "",
            whole(numbers.averageHeartRate, "bpm"), whole(numbers.maximumHeartRate, "bpm"),
            whole(numbers.averagePower, "W"), whole(numbers.averageCadence, measures.cadenceUnit),
        ]
    }

    private func appendSeries(_ workout: JSONValue, to page: inout MarkdownPage) {
        let counts = Self.seriesLabels.compactMap { name, label -> [String]? in
            let count = workout["timeSeries"]?[name]?.array?.count ?? 0
            return count > 0 ? [label, "\(count)"] : nil
        }
        guard !counts.isEmpty else { return }
        page.subheading(2, "Samples")
        page.table(["Metric", "Samples"], dashes: ["---", "---:"], rows: counts)
        page.blank()
    }

    private static let seriesLabels = [
        ("heartRate", "Heart Rate"), ("speed", "Speed"), ("power", "Power"), ("cadence", "Cadence"),
        ("strideLength", "Stride Length"), ("groundContactTime", "Ground Contact"),
        ("verticalOscillation", "Vertical Oscillation"), ("altitude", "Altitude"),
    ]

    private func appendMetadata(_ workout: JSONValue, to page: inout MarkdownPage) {
        let metadata = DocumentMap.map(workout["metadata"])
        guard !metadata.isEmpty else { return }
        page.subheading(2, "Metadata")
        page.table(["Key", "Value"], rows: metadata.sorted { $0.key < $1.key }.map { [$0.key, $0.value] })
        page.blank()
    }
}

/// The labelled values of one workout.
struct WorkoutMeasures {
    private let workout: JSONValue
    private let view: DayView
    private var isImperial: Bool { view.look.units == .imperial }

    init(_ workout: JSONValue, view: DayView) {
        self.workout = workout
        self.view = view
    }

    private func number(_ name: String) -> Double? { workout[name]?.number?.double }

    /// Steps or revolutions.
    var cadenceUnit: String { workout["sport"]?.string == "cycling" ? "rpm" : "spm" }

    /// `10.00 km`, or miles where wanted.
    func distance(_ metres: Double) -> String {
        isImperial
            ? NumberText.fixed(metres / metresPerMile, 2) + " mi" : NumberText.fixed(metres / 1_000, 2) + " km"
    }

    /// `10.0 km/h / 6.2 mph`.
    static func speed(_ value: JSONValue) -> String? {
        guard let metric = value["speedKmh"]?.number, let imperial = value["speedMph"]?.number else { return nil }
        return "\(NumberText.fixed(metric.double, 1)) km/h / \(NumberText.fixed(imperial.double, 1)) mph"
    }

    /// The pace text of a workout (`avgPace`) or section (`pace`) in the wanted units.
    func pace(of value: JSONValue, _ prefix: String) -> String? {
        if isImperial,
            let text = value[prefix + "PerMiFormatted"]?.string ?? value[prefix + "Per100ydFormatted"]?.string
        {
            return text
        }
        return value[prefix + "Formatted"]?.string
    }

    /// The bullet list.
    func bullets() -> [(String, String)] {
        var rows: [(String, String)] = []
        func add(_ label: String, _ text: String?) { if let text { rows.append((label, text)) } }
        add("Time", workout["startTime"].flatMap { view.plain($0) })
        add("Location", location)
        add("Duration", workout["durationFormatted"]?.string)
        add("Distance", number("distance").map(distance))
        add("Avg Pace", pace(of: workout, "avgPace"))
        add("Avg Speed", speedText)
        rows += shared(running: "Avg Cadence", cycling: "Avg Cadence")
        let points = workout["route"]?.array?.count ?? 0
        add("GPS Route", points > 0 ? "\(points) points" : nil)
        return rows
    }

    /// The rows of the details table.
    func details() -> [(String, String)] {
        var rows: [(String, String)] = [("Source", "Health.md")]
        func add(_ label: String, _ text: String?) { if let text { rows.append((label, text)) } }
        add("Activity Type", workout["type"]?.string)
        add("Sport", workout["sport"]?.string)
        add("HealthKit Activity Type", workout["healthKitActivityType"]?.string)
        add("HealthKit Activity Type Raw Value", workout["healthKitActivityTypeRawValue"].flatMap { view.plain($0) })
        add("Start", Self.wholeSeconds(workout["startTimeISO"]))
        add("End", Self.wholeSeconds(workout["endTimeISO"]))
        add("Duration", number("duration").map(DayText.clockDuration))
        add("Location", location)
        add(
            "Distance",
            number("distance").map { metres in
                let both = [metres / 1_000, metres / metresPerMile].map { NumberText.fixed($0, 2) }
                return "\(distance(metres)) (\(both[0]) km / \(both[1]) mi)"
            })
        add("Average Pace", pace(of: workout, "avgPace"))
        add("Average Speed", speedText)
        add("Speed", Self.speed(workout))
        rows += shared(running: "Avg Running Cadence", cycling: "Avg Cycling Cadence")
        for (label, name) in [("GPS Route Points", "route"), ("Laps", "laps"), ("Splits", "splits")] {
            let count = workout[name]?.array?.count ?? 0
            add(label, count > 0 ? "\(count)" : nil)
        }
        return rows
    }

    /// A document instant cut to whole seconds.
    static func wholeSeconds(_ value: JSONValue?) -> String? {
        DocumentDate.date(value).flatMap { DocumentDate.seconds($0)?.string }
    }

    private var location: String? { workout["isIndoor"]?.bool.map { $0 ? "Indoor" : "Outdoor" } }

    private var speedText: String? {
        if isImperial, let text = workout["avgSpeedMphFormatted"]?.string { return text }
        return workout["avgSpeedFormatted"]?.string
    }

    private func shared(running: String, cycling: String) -> [(String, String)] {
        let stature = isImperial ? 3.28084 : 1
        let statureUnit = isImperial ? "ft" : "m"
        let values: [(label: String, name: String, digits: Int, factor: Double, unit: String)] = [
            ("Avg Heart Rate", "avgHeartRate", 0, 1, "bpm"), ("Max Heart Rate", "maxHeartRate", 0, 1, "bpm"),
            ("Min Heart Rate", "minHeartRate", 0, 1, "bpm"), (running, "avgRunningCadence", 0, 1, "spm"),
            ("Avg Stride Length", "avgStrideLength", 2, stature, statureUnit),
            ("Avg Ground Contact", "avgGroundContactTime", 0, 1, "ms"),
            ("Avg Vertical Oscillation", "avgVerticalOscillation", 1, 1, "cm"),
            (cycling, "avgCyclingCadence", 0, 1, "rpm"), ("Avg Power", "avgPower", 0, 1, "W"),
            ("Max Power", "maxPower", 0, 1, "W"), ("Elevation Gain", "elevationGainMeters", 0, stature, statureUnit),
            ("Elevation Loss", "elevationLossMeters", 0, stature, statureUnit),
        ]
        var rows = number("calories").map { [("Calories", "\(NumberText.grouped($0, 0)) kcal")] } ?? []
        for value in values {
            guard let number = number(value.name) else { continue }
            rows.append((value.label, "\(NumberText.fixed(number * value.factor, value.digits)) \(value.unit)"))
        }
        return rows
    }
}
