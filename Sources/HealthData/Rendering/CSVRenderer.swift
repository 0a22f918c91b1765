import CanonicalJSON

/// The CSV file of a day (export-formats.md 4). Display preferences do not reach it.
struct CSVRenderer {
    let view: DayView
    private let date: String

    init(_ document: DayDocument) throws(HealthDataError) {
        view = try DayView(document)
        date = document.date.description
    }

    private var document: DayDocument { view.document }

    func write(to writer: inout TextWriter) throws {
        try writer.line("Date,Category,Metric,Value,Unit,Timestamp")
        try writeMetadata(to: &writer)
        try writeArchive(to: &writer)
        for failure in document.elements("diagnostics.partial_failures") {
            try row(
                ["Diagnostics", "Partial Failure", Self.compact(failure), "json"],
                timestamp: failure["date"]?.string ?? "", to: &writer)
        }
        for section in FileFormat.current.csvSections { try write(section, to: &writer) }
    }

    // MARK: Rows

    /// A row of six fields; an empty timestamp leaves a comma at the end.
    private func row(_ fields: [String], timestamp: String, to writer: inout TextWriter) throws {
        try writer.line(([date] + fields + [timestamp]).map(Self.field).joined(separator: ","))
    }

    /// A row of five fields.
    private func row(_ fields: [String], to writer: inout TextWriter) throws {
        try writer.line(([date] + fields).map(Self.field).joined(separator: ","))
    }

    /// Quoted only where the grammar needs it; control characters as text.
    static func field(_ text: String) -> String {
        var needsQuotes = false
        var needsEscape = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x2C, 0x22, 0x0D, 0x0A: needsQuotes = true
            default: if isEscaped(scalar.value) { needsEscape = true }
            }
        }
        var text = text
        if needsEscape {
            text = text.unicodeScalars.reduce(into: "") { output, scalar in
                if isEscaped(scalar.value) {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    output.unicodeScalars.append(scalar)
                }
            }
        }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }

    private static func isEscaped(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0...8, 0xB, 0xC, 0xE...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }

    /// The compact canonical text (health-data.md 4.2), numbers of a parsed document included.
    static func compact(_ value: JSONValue) -> String {
        String(decoding: JSONWriter.encode(normalized(value), style: .compactSorted), as: UTF8.self)
    }

    /// Number tokens as typed numbers, so that they are written in the compact form.
    private static func normalized(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number):
            guard number.token != nil else { return value }
            if let signed = number.int64 { return .number(JSONNumber(signed)) }
            if let unsigned = number.uint64 { return .number(JSONNumber(unsigned)) }
            return .double(number.double)
        case .array(let elements): return .array(elements.map(normalized))
        case .object(let object):
            return .object(JSONObject(object.members.map { JSONObject.Member($0.key, normalized($0.value)) }))
        case .string, .bool, .null: return value
        }
    }

    // MARK: Head

    private func writeMetadata(to writer: inout TextWriter) throws {
        for (name, value) in [
            ("schema", DocumentVersion.schema), ("schema_version", "\(document.version.rawValue)"),
            ("unit_system", document.string("unit_system") ?? "metric"),
            ("time_context.calendar_timezone", document.zoneIdentifier),
            ("time_context.timestamp_timezone", document.string("time_context.timestamp_timezone") ?? "UTC"),
        ] {
            try row(["Metadata", name, value, ""], timestamp: "", to: &writer)
        }
    }

    private func writeArchive(to writer: inout TextWriter) throws {
        let counts = ArchiveCounts(document)
        try row(["Raw HealthKit", "Raw Capture Status", counts.captureStatus, "status"], timestamp: "", to: &writer)
        guard let archive = document.archive else { return }
        let start = archive["ownership"]?["interval_start"]?.string ?? ""
        func write(_ metric: String, _ values: [JSONValue], _ timestamp: (JSONValue) -> String) throws {
            for value in values {
                try row(
                    ["Raw HealthKit", metric, Self.compact(value), "json"], timestamp: timestamp(value), to: &writer)
            }
        }
        let manifest = archive.members.filter { $0.key != "records" && $0.key != "external_records" }
        try write("Archive Manifest", [.object(JSONObject(manifest))]) { _ in start }
        try write("Raw HealthKit Record", archive["records"]?.array ?? []) { $0["start_date"]?.string ?? start }
        try write("Raw HealthKit External Record", archive["external_records"]?.array ?? []) { _ in start }
        try write("Query Failure", counts.failures) { $0["interval"]?["start_date"]?.string ?? start }
        try write("Integrity Warning", counts.warnings) { _ in start }
    }

    // MARK: Sections

    private func write(_ section: FileFormat.CSVSection, to writer: inout TextWriter) throws {
        if section.rows == ["by label"] {
            for (row, text) in view.rows(of: section.name) { try write(row, text, to: &writer) }
            return
        }
        for name in section.rows {
            if name.hasPrefix("@") {
                try writeSamples(String(name.dropFirst()), to: &writer)
            } else if let key = Registry.current.output(name) {
                for (row, text) in view.rows(of: key, in: section.name) { try write(row, text, to: &writer) }
            }
        }
    }

    private func write(_ row: CSVRow, _ text: String, to writer: inout TextWriter) throws {
        let fields = [row.category, row.metric, text, row.unit]
        if row.columns == 5 { return try self.row(fields, to: &writer) }
        try self.row(fields, timestamp: document.string("activity.vo2MaxSourceStartDate") ?? "", to: &writer)
    }

    private func writeSamples(_ path: String, to writer: inout TextWriter) throws {
        switch path {
        case "workouts":
            for workout in document.elements(path) {
                for row in CSVWorkout(workout).rows { try write(row, category: "Workouts", to: &writer) }
            }
        case "medications.medications":
            for medication in document.elements(path) {
                for row in CSVMedications.rows(of: medication) { try write(row, category: "Medications", to: &writer) }
            }
        case "medications.doseEvents":
            for dose in document.elements(path) {
                for row in CSVMedications.rows(ofDose: dose) { try write(row, category: "Medications", to: &writer) }
            }
        case "mindfulness.stateOfMindEntries":
            for entry in document.elements(path) { try writeMood(entry, to: &writer) }
        default:
            guard let style = CSVSamples.styles[path] else { return }
            for element in document.elements(path) {
                guard let text = style.text(element) else { continue }
                let time = WorkoutMeasures.wholeSeconds(element[style.time]) ?? ""
                try row([style.category, style.metric, text, style.unit], timestamp: time, to: &writer)
            }
        }
    }

    private func write(_ line: CSVLine, category: String, to writer: inout TextWriter) throws {
        let fields = [category, line.metric, line.value, line.unit]
        if let timestamp = line.timestamp {
            try row(fields, timestamp: timestamp, to: &writer)
        } else {
            try row(fields, to: &writer)
        }
    }

    private func writeMood(_ entry: JSONValue, to writer: inout TextWriter) throws {
        guard let kind = entry["kind"]?.string, let time = entry["displayTime"]?.string else { return }
        if let valence = entry["valence"]?.number {
            try row(
                ["State of Mind", "\(kind) at \(time)", NumberText.fixed(valence.double, 2), "valence"],
                timestamp: "", to: &writer)
        }
        for (label, name) in [("Labels", "labels"), ("Associations", "associations")] {
            let texts = (entry[name]?.array ?? []).compactMap(\.string)
            guard !texts.isEmpty else { continue }
            try row(
                ["State of Mind", "\(kind) \(label) at \(time)", texts.joined(separator: ", "), name],
                timestamp: "", to: &writer)
        }
    }
}

/// One row without date and category; five fields when it has no timestamp.
struct CSVLine {
    let metric: String
    let value: String
    let unit: String
    var timestamp: String?
}

/// Rows of sample arrays.
private struct CSVSamples: Sendable {
    let category: String
    let metric: String
    let unit: String
    let time: String
    let text: @Sendable (JSONValue) -> String?

    private static func double(factor: Double = 1) -> @Sendable (JSONValue) -> String? {
        { $0["value"]?.number.map { NumberText.double($0.double * factor) } }
    }

    static let styles: [String: CSVSamples] = [
        "sleep.sleepStages": CSVSamples(category: "Sleep", metric: "Sleep Stage", unit: "seconds", time: "startDate") {
            guard let stage = $0["stage"]?.string, let seconds = $0["durationSeconds"]?.number else { return nil }
            return "\(stage) (\(NumberText.truncated(seconds.double))s)"
        },
        "heart.heartRateSamples": CSVSamples(
            category: "Heart", metric: "Heart Rate Sample", unit: "bpm", time: "timestamp", text: double()),
        "heart.hrvSamples": CSVSamples(
            category: "Heart", metric: "HRV Sample", unit: "ms", time: "timestamp", text: double()),
        "vitals.bloodOxygenSamples": CSVSamples(
            category: "Vitals", metric: "Blood Oxygen Sample", unit: "percent", time: "timestamp",
            text: double(factor: 100)),
        "vitals.bloodGlucoseSamples": CSVSamples(
            category: "Vitals", metric: "Blood Glucose Sample", unit: "mg/dL", time: "timestamp", text: double()),
        "vitals.respiratoryRateSamples": CSVSamples(
            category: "Vitals", metric: "Respiratory Rate Sample", unit: "breaths/min", time: "timestamp",
            text: double()),
        "vitals.bloodPressureSamples": CSVSamples(
            category: "Vitals", metric: "Blood Pressure Sample", unit: "mmHg", time: "timestamp"
        ) {
            guard let systolic = $0["systolic"]?.number, let diastolic = $0["diastolic"]?.number else { return nil }
            return "\(NumberText.fixed(systolic.double, 0))/\(NumberText.fixed(diastolic.double, 0))"
        },
    ]
}

/// Rows of one workout.
private struct CSVWorkout {
    let rows: [CSVLine]

    init(_ workout: JSONValue) {
        let start = WorkoutMeasures.wholeSeconds(workout["startTimeISO"]) ?? ""
        let type = workout["type"]?.string ?? "Workout"
        var rows: [CSVLine] = []
        func identity(_ metric: String, _ value: String?) {
            if let value { rows.append(CSVLine(metric: metric, value: value, unit: "", timestamp: start)) }
        }
        func add(_ metric: String, _ value: String?, _ unit: String) {
            if let value { rows.append(CSVLine(metric: "\(type) \(metric)", value: value, unit: unit)) }
        }
        func fixed(_ value: JSONValue?, _ digits: Int) -> String? {
            value?.number.map { NumberText.fixed($0.double, digits) }
        }
        identity("Workout Activity Type", workout["type"]?.string)
        identity("Workout Sport", workout["sport"]?.string)
        identity("HealthKit Activity Type", workout["healthKitActivityType"]?.string)
        identity(
            "HealthKit Activity Type Raw Value",
            workout["healthKitActivityTypeRawValue"]?.number.map { NumberText.shortest($0.double) })
        add("Start Time", workout["startTime"]?.string, "time")
        add("Location", workout["isIndoor"]?.bool.map { $0 ? "Indoor" : "Outdoor" }, "")
        add("Duration", workout["duration"]?.number.map { NumberText.double($0.double) }, "seconds")
        add("Distance", fixed(workout["distance"], 0), "meters")
        add("Avg Pace", workout["avgPaceFormatted"]?.string, "")
        add("Avg Speed", workout["avgSpeedFormatted"]?.string, "")
        add("Calories", workout["calories"]?.number.map { NumberText.double($0.double) }, "kcal")
        for (metric, name, digits, unit) in Self.measures { add(metric, fixed(workout[name], digits), unit) }
        for (position, lap) in (workout["laps"]?.array ?? []).enumerated() {
            let label = "Lap \(lap["index"]?.number?.int ?? position + 1)"
            add("\(label) Distance", fixed(lap["distance"], 0), "meters")
            add("\(label) Duration", fixed(lap["duration"], 0), "seconds")
            add("\(label) Pace", lap["paceFormatted"]?.string, "")
        }
        for (position, split) in (workout["splits"]?.array ?? []).enumerated() {
            let label = "Split \(split["index"]?.number?.int ?? position + 1)"
            add("\(label) Pace", split["paceFormatted"]?.string, "")
            add("\(label) Avg Heart Rate", fixed(split["avgHeartRate"], 0), "bpm")
        }
        self.rows = rows
    }

    /// The same label for both cadences is published behaviour.
    private static let measures = [
        ("Avg Heart Rate", "avgHeartRate", 0, "bpm"), ("Max Heart Rate", "maxHeartRate", 0, "bpm"),
        ("Min Heart Rate", "minHeartRate", 0, "bpm"), ("Avg Cadence", "avgRunningCadence", 0, "spm"),
        ("Avg Stride Length", "avgStrideLength", 2, "m"), ("Avg Ground Contact", "avgGroundContactTime", 0, "ms"),
        ("Avg Vertical Oscillation", "avgVerticalOscillation", 1, "cm"),
        ("Avg Cadence", "avgCyclingCadence", 0, "rpm"), ("Avg Power", "avgPower", 0, "W"),
        ("Max Power", "maxPower", 0, "W"), ("Elevation Gain", "elevationGainMeters", 0, "m"),
        ("Elevation Loss", "elevationLossMeters", 0, "m"),
    ]
}

/// Rows of medications and doses.
private enum CSVMedications {
    static func rows(of medication: JSONValue) -> [CSVLine] {
        let name = medication["name"]?.string ?? ""
        let isArchived = medication["isArchived"]?.bool == true
        let hasSchedule = medication["hasSchedule"]?.bool == true
        var rows: [CSVLine] = []
        func add(_ metric: String, _ value: String?, _ unit: String = "") {
            if let value { rows.append(CSVLine(metric: metric, value: value, unit: unit, timestamp: "")) }
        }
        func named(_ member: String) -> String? { medication[member]?.string.map { "\(name): \($0)" } }
        add("Medication", name, (isArchived ? "archived" : "active") + ";" + (hasSchedule ? "scheduled" : "as_needed"))
        add("Medication Concept Identifier", named("conceptIdentifier"))
        add("Medication Display Name", named("displayName"))
        add("Medication Export Name", name)
        add("Medication General Form", named("generalForm"))
        add("Medication Archived", "\(name): \(isArchived)", "boolean")
        add("Medication Has Schedule", "\(name): \(hasSchedule)", "boolean")
        add("Medication Nickname", named("nickname"))
        for coding in medication["relatedCodings"]?.array ?? [] {
            var parts = ["system=\(coding["system"]?.string ?? "")", "code=\(coding["code"]?.string ?? "")"]
            if let version = coding["version"]?.string { parts.append("version=\(version)") }
            add("Medication Related Coding", "\(name): \(parts.joined(separator: "; "))", "coding")
        }
        for code in (medication["rxNormCodes"]?.array ?? []).compactMap(\.string) {
            add("Medication RxNorm Code", "\(name): \(code)", "rxnorm")
        }
        return rows
    }

    static func rows(ofDose dose: JSONValue) -> [CSVLine] {
        let start = WorkoutMeasures.wholeSeconds(dose["startDate"]) ?? ""
        let unit = dose["unit"]?.string ?? ""
        var rows: [CSVLine] = []
        func add(_ metric: String, _ value: String?, _ unit: String = "") {
            if let value { rows.append(CSVLine(metric: metric, value: value, unit: unit, timestamp: start)) }
        }
        func text(_ member: String) -> String? { dose[member]?.string }
        func quantity(_ member: String) -> String? { dose[member]?.number.map { NumberText.shortest($0.double) } }
        let summary = [text("medicationName"), text("logStatusDisplay"), quantity("doseQuantity"), text("unit")]
        add("Dose Event", summary.compactMap { $0 }.joined(separator: " "), text("scheduleType") ?? "")
        add("Dose Event ID", text("id"), "uuid")
        add("Dose Event Medication Concept Identifier", text("medicationConceptIdentifier"))
        add("Dose Event Medication Name", text("medicationName"))
        add("Dose Event Start", text("startDate"), "datetime")
        add("Dose Event End", text("endDate"), "datetime")
        add("Dose Event Status", text("logStatus"))
        add("Dose Event Status Display", text("logStatusDisplay"))
        add("Dose Event Schedule Type", text("scheduleType"))
        add("Dose Event Unit", text("unit"))
        add("Dose Event Scheduled Date", text("scheduledDate"), "datetime")
        add("Dose Event Dose Quantity", quantity("doseQuantity"), unit)
        add("Dose Event Scheduled Dose Quantity", quantity("scheduledDoseQuantity"), unit)
        for (key, value) in DocumentMap.map(dose["metadata"]).sorted(by: { $0.key < $1.key }) {
            add("Dose Event Metadata \(key)", value, "metadata")
        }
        return rows
    }
}
