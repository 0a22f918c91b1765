import CanonicalJSON
import Foundation

/// One file of a single entry (export-formats.md 10).
public struct IndividualEntry: Sendable, Equatable {
    /// The metric that wants it.
    public let metricID: String
    /// Its path below the root.
    public let path: String
    /// The file.
    public let bytes: [UInt8]
}

/// The entry files of a day, and what was asked for and is not there: reported, never left out in silence.
public struct IndividualEntries: Sendable, Equatable {
    /// The files, by metric and time.
    public private(set) var entries: [IndividualEntry] = []
    /// Requested metrics that yield nothing on this day.
    public private(set) var missingMetricIDs: [String] = []

    /// The entries of a document by its settings: records of the archive where it has them, else samples, else the
    /// value of the day. Throws `setting_invalid` when a template gives an unsafe path.
    public init(_ document: DayDocument, settings: ExportSettings) throws {
        guard settings.individualTracking.isEnabled else { return }
        let clock = try ZoneClock(identifier: document.zoneIdentifier)
        let archive = EntrySource.archive(document)
        let values = OutputValues(document).values
        var paths = EntryPaths(settings: settings, date: document.date)
        for (metricID, wish) in settings.individualTracking.metrics.sorted(by: { $0.key < $1.key }) where wish.isEnabled
        {
            guard let metric = Registry.current.metric(metricID) else {
                missingMetricIDs.append(metricID)
                continue
            }
            var sources = archive[metricID] ?? []
            if sources.isEmpty { sources = EntrySource.samples(document, metric) }
            if sources.isEmpty { sources = EntrySource.aggregates(document, metric, values) }
            if sources.isEmpty { missingMetricIDs.append(metricID) }
            for source in sources {
                let time = source.date.map { clock.hourMinute($0) } ?? "00:00"
                let path = try paths.path(metric: metric, wish: wish, time: time, suffix: source.nameSuffix)
                let file = EntryFile(source: source, metric: metric, day: document.date, time: time)
                entries.append(IndividualEntry(metricID: metricID, path: path, bytes: try file.bytes()))
            }
        }
    }
}

/// Names of entry files; two entries of one minute are told apart by a number.
private struct EntryPaths {
    let settings: ExportSettings
    let date: CivilDate
    private var used: [String: Int] = [:]

    init(settings: ExportSettings, date: CivilDate) {
        self.settings = settings
        self.date = date
    }

    mutating func path(
        metric: Metric, wish: IndividualTracking.Metric, time: String, suffix: String?
    ) throws -> String {
        let tracking = settings.individualTracking
        let category = tracking.usesCategoryFolders ? metric.category : ""
        let values = [
            ("{date}", date.description.replacing("-", with: "_")), ("{time}", time.replacing(":", with: "")),
            ("{metric}", metric.id), ("{category}", metric.category),
        ]
        var name = values.reduce(tracking.filenameTemplate) { $0.replacing($1.0, with: $1.1) }
        if let suffix { name += "_\(metric.id)_\(suffix)" }
        let base = RelativePath.join([
            settings.healthSubfolder, tracking.entriesFolder, wish.customFolder ?? category, name,
        ])
        let key = RelativePath.collisionKey(base)
        used[key, default: 0] += 1
        let count = used[key] ?? 1
        let path = base + (count > 1 ? "_\(count)" : "") + ".md"
        if let fault = RelativePath.fault(in: path) {
            throw HealthDataError.invalidSetting(
                key: "individualTracking.filenameTemplate", reason: "gives a path that \(fault)")
        }
        return path
    }
}

/// Where an entry's content comes from.
struct EntrySource {
    enum Kind: String {
        case record = "healthkit_record"
        case sample = "granular_compatibility"
        case aggregate = "daily_aggregate"
    }

    let kind: Kind
    let date: Date?
    let value: String
    let unit: String
    /// Who recorded it.
    let source: String
    /// The archive record.
    var record: JSONValue?
    /// What names of records end with.
    var nameSuffix: String?

    // MARK: Records

    /// Records of the archive by metric.
    static func archive(_ document: DayDocument) -> [String: [EntrySource]] {
        guard let archive = document.archive else { return [:] }
        var result: [String: [EntrySource]] = [:]
        for record in (archive["records"]?.array ?? []) + (archive["external_records"]?.array ?? []) {
            let source = EntrySource(record: record)
            for metricID in (record["selected_metric_ids"]?.array ?? []).compactMap(\.string) {
                result[metricID, default: []].append(source)
            }
        }
        return result
    }

    private init(record: JSONValue) {
        let fields = record["fields"]
        let payload = record["payload"]
        kind = .record
        date = DocumentDate.date(record["start_date"] ?? fields?["startDate"]?["value"])
        value = Self.text(
            payload?["value"] ?? payload?["symbolic_value"] ?? payload?["raw_value"] ?? fields?["value"]?["value"])
        unit = payload?["unit"]?.string ?? fields?["unit"]?["value"]?.string ?? ""
        source =
            record["source_revision"]?["name"]?.string ?? fields?["sourceName"]?["value"]?.string ?? "Health.md"
        self.record = record
        let identity = record["original_uuid"]?.string ?? record["external_identifier"]?.string ?? ""
        // An identifier of ours holds signs that no file name should.
        nameSuffix = String(
            identity.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" }.suffix(64))
    }

    // MARK: Samples and values

    private init(kind: Kind, date: Date?, value: String, unit: String, source: String) {
        self.kind = kind
        self.date = date
        self.value = value
        self.unit = unit
        self.source = source
    }

    /// Elements of the metric's series.
    static func samples(_ document: DayDocument, _ metric: Metric) -> [EntrySource] {
        guard let path = metric.seriesPath else {
            return metric.id == "workouts" ? document.elements("workouts").map { workout($0) } : []
        }
        let row = metric.outputs.first
        return document.elements(path).map { element in
            let isPressure = element["systolic"] != nil
            let pressure = "\(text(element["systolic"]))/\(text(element["diastolic"]))"
            let value =
                isPressure
                ? pressure
                : text(element["value"] ?? element["stage"] ?? element["valence"] ?? element["logStatus"])
            return EntrySource(
                kind: .sample, date: DocumentDate.date(element["timestamp"] ?? element["startDate"]), value: value,
                unit: isPressure ? "mmHg" : seriesUnits[path] ?? row?.unit ?? "",
                source: element["sourceRevision"]?["name"]?.string ?? "Health.md")
        }
    }

    /// Units of the series, which differ from those of the day's value (health-data.md 9).
    private static let seriesUnits = [
        "sleep.sleepStages": "", "vitals.bloodOxygenSamples": "ratio", "mindfulness.stateOfMindEntries": "valence",
        "medications.doseEvents": "dose",
    ]

    private static func workout(_ workout: JSONValue) -> EntrySource {
        EntrySource(
            kind: .sample, date: DocumentDate.date(workout["startTimeISO"]), value: text(workout["sport"]), unit: "",
            source: workout["sourceRevision"]?["name"]?.string ?? "Health.md")
    }

    /// The first value of the day that the metric has.
    static func aggregates(
        _ document: DayDocument, _ metric: Metric, _ values: [(key: OutputKey, value: OutputValue)]
    ) -> [EntrySource] {
        for output in metric.outputs {
            guard let text = values.first(where: { $0.key.key == output.key })?.value.text else { continue }
            return [EntrySource(kind: .aggregate, date: nil, value: text, unit: output.unit, source: "Health.md")]
        }
        return []
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .number(let number)?: NumberText.shortest(number.double)
        case .bool(let flag)?: flag ? "true" : "false"
        default: ""
        }
    }
}

/// The file of one entry: front matter and a title.
private struct EntryFile {
    let source: EntrySource
    let metric: Metric
    let day: CivilDate
    let time: String

    func bytes() throws -> [UInt8] {
        var writer = TextWriter()
        try writer.line("---")
        try writer.line("date: \(day)")
        try writer.line("time: \"\(time)\"")
        if let date = source.date, let instant = RFC3339.seconds(since2001: date.timeIntervalSinceReferenceDate) {
            try writer.line("datetime: \(instant)")
        }
        try writer.line("type: \(metric.metricType)")
        try writer.line("metric: \(metric.id)")
        try writer.line("value: \(YAMLBlock.scalar(source.value))")
        try writer.line("unit: \(YAMLText.quoted(source.unit))")
        try writer.line("source: \(YAMLText.quoted(source.source))")
        try writer.line("entry_kind: \(source.kind.rawValue)")
        if let record = source.record { try write(record, to: &writer) }
        try writer.line("---")
        try writer.line()
        try writer.line("# \(metric.name) — \(day) \(time)")
        return writer.buffer
    }

    private func write(_ record: JSONValue, to writer: inout TextWriter) throws {
        for name in [
            "original_uuid", "external_identifier", "external_identity_kind", "object_type_identifier", "record_kind",
        ] {
            if let text = record[name]?.string { try writer.line("\(name): \(YAMLText.quoted(text))") }
        }
        let start = record["start_date"] ?? record["fields"]?["startDate"]?["value"]
        let end = record["end_date"] ?? record["fields"]?["endDate"]?["value"]
        if let text = start?.string { try writer.line("start_date: \(YAMLText.value(text))") }
        if let text = end?.string { try writer.line("end_date: \(YAMLText.value(text))") }
        try writer.line("canonical_record_json: \(YAMLText.quoted(CSVRenderer.compact(record)))")
    }
}
