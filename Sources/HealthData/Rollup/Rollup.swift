import CanonicalJSON
import Foundation

/// Collects the days of a period into a roll-up (export-formats.md 7). Days are added in ascending order, one at a time;
/// nothing of a day but its statistics is kept.
public struct RollupBuilder: Sendable {
    /// The days to cover.
    public let period: RollupPeriod
    private let version: DocumentVersion
    private let names: FrontMatterSettings
    private var accumulators: [String: RollupAccumulator] = [:]
    private var sourceDates: [CivilDate] = []
    private var zoneIdentifier = "UTC"

    /// A builder for documents of one version.
    public init(period: RollupPeriod, version: DocumentVersion = .v8, settings: ExportSettings = ExportSettings()) {
        self.period = period
        self.version = version
        names = settings.customization.frontMatter
    }

    /// Takes the next day. A day outside the period or without data counts as missing.
    public mutating func add(_ document: DayDocument) {
        guard document.hasSummaryData, document.date >= period.start, document.date <= period.end else { return }
        if let last = sourceDates.last {
            precondition(last < document.date, "the days of a roll-up come in ascending order")
        }
        sourceDates.append(document.date)
        zoneIdentifier = document.zoneIdentifier
        let values = OutputValues(document).values
        let minutes = values.first { $0.key.key == "workout_minutes" }?.value.text.flatMap(Double.init) ?? 0
        for (key, value) in values {
            if case .structured = value { continue }
            accumulators[key.key, default: RollupAccumulator()].add(value, workoutMinutes: minutes)
        }
    }

    /// The roll-up; nil when no day has any metric, for then there is nothing to write.
    public func finish(generatedAt: Date) -> Rollup? {
        guard !accumulators.isEmpty else { return nil }
        let metrics = accumulators.compactMap { key, accumulator -> Rollup.Metric? in
            guard let output = Registry.current.output(key), let metric = Registry.current.metric(output.metricID)
            else {
                return nil
            }
            return Rollup.Metric(
                key: names.name(of: key) ?? key, output: output, metric: metric, accumulator: accumulator)
        }
        return Rollup(
            period: period, version: version, zoneIdentifier: zoneIdentifier, sourceDates: sourceDates,
            metrics: metrics.sorted { ($0.category, $0.displayName, $0.key) < ($1.category, $1.displayName, $1.key) },
            generatedAt: RFC3339.seconds(since2001: generatedAt.timeIntervalSinceReferenceDate) ?? "")
    }
}

/// A finished roll-up, `healthmd.rollup_summary`.
public struct Rollup: Sendable {
    /// `healthmd.rollup_summary`.
    public static let schema = "healthmd.rollup_summary"

    /// One output key over the period.
    struct Metric: Sendable {
        let key: String
        let canonicalKey: String
        let displayName: String
        let category: String
        let unit: String
        let rule: String
        let primary: String
        let dayCount: Int
        let statistics: [(name: String, value: String)]
        let notes: String

        init(key: String, output: OutputKey, metric: HealthData.Metric, accumulator: RollupAccumulator) {
            self.key = key
            canonicalKey = output.key
            displayName = metric.name
            category = metric.category
            unit = output.unit
            rule = output.rollupPrimary
            primary = accumulator.primary(of: output)
            dayCount = accumulator.dayCount
            statistics = output.rollupStatistics.compactMap { name in
                accumulator.statistic(name, of: output).map { (name, $0) }
            }
            notes = FileFormat.current.note(for: output)
        }
    }

    /// The days that were covered.
    public let period: RollupPeriod
    let version: DocumentVersion
    let zoneIdentifier: String
    let sourceDates: [CivilDate]
    let metrics: [Metric]
    let generatedAt: String

    /// Days with data over days expected, in percent.
    var coverage: Double { Double(sourceDates.count) / Double(period.dayCount) * 100 }

    /// Schema 8 does not name the zone (export-formats.md 7.1).
    var namesZone: Bool { version != .v8 }

    /// Metrics by category, both in file order.
    var categories: [(name: String, metrics: [Metric])] {
        var result: [(name: String, metrics: [Metric])] = []
        for metric in metrics {
            if result.last?.name == metric.category {
                result[result.count - 1].metrics.append(metric)
            } else {
                result.append((metric.category, [metric]))
            }
        }
        return result
    }

    /// Units by key, sorted, for keys with a unit.
    var units: [(key: String, unit: String)] {
        metrics.filter { !$0.unit.isEmpty }.map { ($0.key, $0.unit) }.sorted { JSONKeyOrder.bytes($0.key, $1.key) }
    }

    /// The bytes of the file in one format.
    public func bytes(as format: ExportFormat) throws -> [UInt8] {
        var writer = TextWriter()
        switch format {
        case .json: return json()
        case .csv: try RollupCSV(rollup: self).write(to: &writer)
        case .markdown: try RollupMarkdown(rollup: self).write(to: &writer)
        case .bases: try RollupMarkdown(rollup: self).writeBases(to: &writer)
        }
        return writer.buffer
    }

    private func json() -> [UInt8] {
        var root = JSONObject()
        for (name, value) in head() { root.append(name, value) }
        root.append("source_dates", .array(sourceDates.map { .string($0.description) }))
        root.append("units", .object(JSONObject(units.map { JSONObject.Member($0.key, .string($0.unit)) })))
        root.append("metrics", .array(metrics.map(Self.object)))
        let categories = categories.map { JSONObject.Member($0.name, .array($0.metrics.map(Self.object))) }
        root.append("categories", .object(JSONObject(categories)))
        var bytes = JSONWriter.encode(.object(root), style: .daily)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private static func object(_ metric: Metric) -> JSONValue {
        [
            "key": .string(metric.key), "canonical_key": .string(metric.canonicalKey),
            "display_name": .string(metric.displayName), "category": .string(metric.category),
            "unit": .string(metric.unit), "rule": .string(metric.rule), "primary_value": .string(metric.primary),
            "days_counted": .integer(metric.dayCount),
            "statistics": .array(
                metric.statistics.map { ["name": .string($0.name), "value": .string($0.value)] }),
            "notes": .string(metric.notes),
        ]
    }

    /// The head members in logical order, up to `generated_at`.
    func head() -> [(name: String, value: JSONValue)] {
        var head: [(String, JSONValue)] = [
            ("schema", .string(Self.schema)), ("schema_version", .integer(version.rawValue)),
            ("type", "health_rollup"), ("rollup_period", .string(period.kind.rawValue)),
            ("period_id", .string(period.id)), ("start_date", .string(period.start.description)),
            ("end_date", .string(period.end.description)), ("days_expected", .integer(period.dayCount)),
            ("days_counted", .integer(sourceDates.count)), ("coverage_percent", .double(coverage)),
            ("source_schema", .string(DocumentVersion.schema)), ("source_schema_version", .integer(version.rawValue)),
            ("rollup_rules_version", .integer(version.rawValue)),
        ]
        if namesZone { head.append(("calendar_timezone", .string(zoneIdentifier))) }
        return head + [("generated_at", .string(generatedAt))]
    }
}
