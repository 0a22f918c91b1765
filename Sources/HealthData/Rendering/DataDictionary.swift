import CanonicalJSON

/// The data dictionary beside the files (export-formats.md 6).
public struct DataDictionary: Sendable {
    private let version: DocumentVersion
    private let names: FrontMatterSettings

    /// The dictionary of a document version, with the keys as the settings rename them.
    public init(version: DocumentVersion = .v8, settings: ExportSettings = ExportSettings()) {
        self.version = version
        names = settings.customization.frontMatter
    }

    /// The bytes of the file: the layout of the daily file, but `/` as it is.
    public func bytes() -> [UInt8] {
        let style = JSONStyle(isPretty: true, order: .daily, escapesSolidus: false, numbers: .seventeenDigits)
        var bytes = JSONWriter.encode(.array(entries()), style: style)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// All entries, sorted bytewise by key.
    func entries() -> [JSONValue] {
        let outputs = Registry.current.outputs.map { output in (key: key(output.key), value: entry(output)) }
        let diagnostics = Registry.current.diagnostics.map { (key: $0.key, value: entry($0)) }
        return (outputs + diagnostics).sorted { JSONKeyOrder.bytes($0.key, $1.key) }.map(\.value)
    }

    /// A key that is switched off in front matter keeps its original name here.
    private func key(_ original: String) -> String { names.name(of: original) ?? original }

    private func entry(_ output: OutputKey) -> JSONValue {
        guard let metric = Registry.current.metric(output.metricID) else {
            preconditionFailure("\(output.key) has no metric")
        }
        var object: JSONObject = [
            "key": .string(key(output.key)), "canonicalKey": .string(output.key), "metricId": .string(metric.id),
            "displayName": .string(metric.name), "category": .string(metric.category),
            "metricType": .string(metric.metricType), "unit": .string(output.unit),
            "healthKitAggregation": .string(metric.aggregation.rawValue), "aggregation": .string(output.dailyRule),
            "dailyAggregation": .string(output.dailyRule), "schemaVersion": .integer(version.rawValue),
        ]
        object.append("healthKitIdentifier", ifPresent: metric.healthKitIdentifier.map { .string($0) })
        var rollup = rollup(
            primary: output.rollupPrimary, statistics: output.rollupStatistics,
            notes: FileFormat.current.note(for: output), nullHandling: "ignore_missing_days_and_report_days_counted",
            source: output.weightedBy == nil ? "daily_frontmatter" : "workout_details_when_available")
        rollup.append("weightedBy", ifPresent: output.weightedBy.map { .string($0) })
        object.append("rollup", .object(rollup))
        return .object(object)
    }

    private func entry(_ diagnostic: DiagnosticKey) -> JSONValue {
        var object: JSONObject = [
            "key": .string(diagnostic.key), "canonicalKey": .string(diagnostic.key),
            "metricId": .string(diagnostic.metricID), "displayName": .string(diagnostic.name),
            "category": .string(diagnostic.category), "metricType": "diagnostic", "unit": .string(diagnostic.unit),
            "healthKitAggregation": "none", "aggregation": .string(diagnostic.dailyRule),
            "dailyAggregation": .string(diagnostic.dailyRule), "schemaVersion": .integer(version.rawValue),
        ]
        object.append(
            "rollup",
            .object(
                rollup(
                    primary: diagnostic.rollupPrimary, statistics: diagnostic.rollupStatistics,
                    notes: FileFormat.current.notesByKey[diagnostic.key] ?? "",
                    nullHandling: diagnostic.nullHandling, source: "daily_frontmatter")))
        return .object(object)
    }

    private func rollup(
        primary: String, statistics: [String], notes: String, nullHandling: String, source: String
    ) -> JSONObject {
        [
            "primary": .string(primary), "statistics": .array(statistics.map { .string($0) }),
            "periods": ["weekly", "monthly", "yearly"], "preferredSource": .string(source),
            "nullHandling": .string(nullHandling), "notes": .string(notes),
        ]
    }
}
