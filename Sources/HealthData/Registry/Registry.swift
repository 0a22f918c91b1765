/// The metric registry: every metric, output key, enumeration and workout type, parsed once from
/// ``RegistryTable`` (health-data.md 9).
public struct Registry: Sendable {
    /// The registry of this build.
    public static let current = Registry(table: RegistryTable.text)

    /// Category names in picker order.
    public let categories: [String]
    /// All metrics in registry order.
    public let metrics: [Metric]
    /// The `raw_*` keys.
    public let diagnostics: [DiagnosticKey]
    /// All workout activity types by raw value.
    public let activityTypes: [ActivityType]

    private let metricIndex: [String: Int]
    private let outputIndex: [String: OutputKey]
    private let enumValues: [String: [String: (raw: Int, token: String)]]
    private let activityByExportName: [String: ActivityType]
    private let activityByRawValue: [UInt64: ActivityType]
    private let activityBySymbol: [String: ActivityType]

    /// The metric of an id.
    public func metric(_ id: String) -> Metric? {
        metricIndex[id].map { metrics[$0] }
    }

    /// The output key of a name.
    public func output(_ key: String) -> OutputKey? {
        outputIndex[key]
    }

    /// All output keys, sorted bytewise.
    public let outputs: [OutputKey]

    /// The short token of a category value (`HKCategoryValueMenstrualFlowMedium` gives `medium`).
    public func token(kind: String, spelling: String) -> String? {
        enumValues[kind]?[spelling]?.token
    }

    /// HealthKit's number and the short token of a category value.
    func categoryValue(kind: String, spelling: String) -> (raw: Int, token: String)? {
        enumValues[kind]?[spelling]
    }

    /// The workout type of a spelling in export.xml.
    public func activityType(exportName: String) -> ActivityType? {
        activityByExportName[exportName]
    }

    /// The workout type of a raw value.
    public func activityType(rawValue: UInt64) -> ActivityType? {
        activityByRawValue[rawValue]
    }

    /// The workout type of a symbol.
    public func activityType(symbol: String) -> ActivityType? {
        activityBySymbol[symbol]
    }

    init(table: String) {
        var reader = RegistryReader()
        for line in table.split(separator: "\n") { reader.read(line) }
        reader.finishMetric()
        categories = reader.categories
        metrics = reader.metrics
        diagnostics = reader.diagnostics
        activityTypes = reader.activities
        enumValues = reader.enums
        outputs = reader.metrics.flatMap(\.outputs).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        metricIndex = Dictionary(uniqueKeysWithValues: reader.metrics.enumerated().map { ($1.id, $0) })
        outputIndex = Dictionary(uniqueKeysWithValues: outputs.map { ($0.key, $0) })
        activityByExportName = Dictionary(uniqueKeysWithValues: reader.activities.map { ($0.exportName, $0) })
        activityByRawValue = Dictionary(uniqueKeysWithValues: reader.activities.map { ($0.rawValue, $0) })
        activityBySymbol = Dictionary(uniqueKeysWithValues: reader.activities.map { ($0.symbol, $0) })
    }
}

/// Reads the lines of ``RegistryTable``. A malformed table is a mistake of ours and traps.
private struct RegistryReader {
    var categories: [String] = []
    var metrics: [Metric] = []
    var diagnostics: [DiagnosticKey] = []
    var activities: [ActivityType] = []
    var enums: [String: [String: (raw: Int, token: String)]] = [:]

    private var metric: TableFields?
    private var outputs: [OutputKey] = []
    private var output: TableFields?
    private var places: [DocumentPlace] = []
    private var rows: [CSVRow] = []

    mutating func read(_ line: Substring) {
        let fields = TableFields(line)
        switch fields[0] {
        case "categories": categories = Array(fields.rest(from: 1))
        case "metric":
            finishMetric()
            metric = fields
        case "output":
            finishOutput()
            output = fields
        case "json": places.append(DocumentPlace(path: fields[1], unit: fields[2]))
        case "csv": rows.append(csvRow(fields))
        case "diagnostic": diagnostics.append(diagnostic(fields))
        case "enum": enums[fields[1], default: [:]][fields[3]] = (fields.number(2), fields[4])
        case "activity":
            activities.append(
                ActivityType(rawValue: fields.number(1), symbol: fields[2], exportName: fields[3]))
        default: preconditionFailure("unknown registry line \(fields[0])")
        }
    }

    mutating func finishMetric() {
        finishOutput()
        guard let fields = metric else { return }
        guard let aggregation = SourceAggregation(rawValue: fields[7]),
            let selectionDefault = MetricDefault(rawValue: fields[10])
        else { preconditionFailure("unreadable registry line of \(fields[1])") }
        metrics.append(
            Metric(
                id: fields[1], name: fields[2], category: fields[3], selectionUnit: fields[4],
                healthKitIdentifier: fields.text(5), metricType: fields[6], aggregation: aggregation,
                recordUnit: fields.text(8), isArchiveOnly: fields[9] == "1", selectionDefault: selectionDefault,
                exportElement: fields.text(12), exportType: fields.text(13), exportAttribute: fields.text(14),
                seriesPath: fields.text(15), archiveObjectType: fields.text(17), outputs: outputs))
        metric = nil
        outputs = []
    }

    private mutating func finishOutput() {
        guard let fields = output, let owner = metric else { return }
        outputs.append(
            OutputKey(
                key: fields[1], unit: fields[2], metricID: owner[1], dailyRule: fields[3], rollupPrimary: fields[4],
                rollupStatistics: fields.list(5), weightedBy: fields.text(6),
                decimals: fields.text(7).flatMap { Int($0) },
                places: places, rows: rows))
        output = nil
        places = []
        rows = []
    }

    private func csvRow(_ fields: TableFields) -> CSVRow {
        let number: CSVRow.Number
        switch fields[6] {
        case "double": number = .double
        case "integer": number = .integer
        case "decimals": number = .decimals(fields.number(7))
        case "text": number = .text
        default: preconditionFailure("unknown number style \(fields[6])")
        }
        return CSVRow(
            category: fields[1], metric: fields[2], unit: fields[3], columns: fields.number(4), source: fields[5],
            number: number, factor: fields.text(8).flatMap { Double($0) })
    }

    private func diagnostic(_ fields: TableFields) -> DiagnosticKey {
        DiagnosticKey(
            key: fields[1], name: fields[2], unit: fields[3], source: fields[4], dailyRule: fields[5],
            rollupPrimary: fields[6], rollupStatistics: fields.list(7), nullHandling: fields[8], metricID: fields[9],
            category: fields[10])
    }
}

/// The tab-separated fields of one table line; a field beyond the end is empty.
struct TableFields {
    private let fields: [String]

    init(_ line: Substring) {
        fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }

    subscript(_ index: Int) -> String { index < fields.count ? fields[index] : "" }

    /// The field, or nil where it is empty.
    func text(_ index: Int) -> String? {
        self[index].isEmpty ? nil : self[index]
    }

    func list(_ index: Int) -> [String] {
        self[index].split(separator: ",").map(String.init)
    }

    func rest(from index: Int) -> ArraySlice<String> { fields.dropFirst(index) }

    func number<Number: FixedWidthInteger>(_ index: Int) -> Number {
        guard let value = Number(self[index]) else { preconditionFailure("not a number: \(self[index])") }
        return value
    }
}
