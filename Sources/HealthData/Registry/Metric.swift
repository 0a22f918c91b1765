/// How samples of one metric become the value of a day (health-data.md 8).
public enum SourceAggregation: String, Sendable {
    /// Sum of the day, overlapping sources counted once.
    case cumulative
    /// Mean of all samples.
    case discreteAverage = "discreteAvg"
    /// Smallest sample.
    case discreteMinimum = "discreteMin"
    /// Largest sample.
    case discreteMaximum = "discreteMax"
    /// The sample with the latest end.
    case mostRecent
    /// Merged or summed seconds.
    case duration
    /// Number of samples.
    case count
}

/// Whether a fresh selection holds a metric.
public enum MetricDefault: String, Sendable {
    /// Selected from the start.
    case enabled
    /// Selected only by the person.
    case optIn = "opt_in"
    /// Needs an authorization of its own at the source.
    case sourceGated = "source_gated"
}

/// One health metric of the registry (health-data.md 9), as data.
public struct Metric: Sendable {
    /// `heart_rate_avg`.
    public let id: String
    /// `Average Heart Rate`.
    public let name: String
    /// One of ``Registry/categories``.
    public let category: String
    /// The label of the metric picker; not always the unit of the value.
    public let selectionUnit: String
    /// `HKQuantityTypeIdentifierHeartRate`; nil for workouts.
    public let healthKitIdentifier: String?
    /// `quantity`, `category`, `workout` or `external`.
    public let metricType: String
    /// The rule that makes a day of samples.
    public let aggregation: SourceAggregation
    /// The unit of canonical quantity records; nil for other kinds.
    public let recordUnit: String?
    /// True for metrics that appear only in the lossless archive.
    public let isArchiveOnly: Bool
    /// Whether a fresh selection holds it.
    public let selectionDefault: MetricDefault
    /// The element of an Apple Health export that carries it; nil when the export cannot.
    public let exportElement: String?
    /// The `type` attribute of that element.
    public let exportType: String?
    /// The attribute of `Me` that carries a characteristic.
    public let exportAttribute: String?
    /// The array of the day document that holds its samples.
    public let seriesPath: String?
    /// The object type of its archive records, where it differs from ``healthKitIdentifier``.
    public let archiveObjectType: String?
    /// Its output keys.
    public let outputs: [OutputKey]

    /// Whether an Apple Health export can hold this metric (health-data.md 10.1).
    public var isExportable: Bool { exportElement != nil }
}

/// One key of the data dictionary: the name used in front matter, dictionary and roll-ups.
public struct OutputKey: Sendable {
    /// `average_heart_rate`.
    public let key: String
    /// `bpm`, empty for keys without a unit.
    public let unit: String
    /// The id of the metric it belongs to.
    public let metricID: String
    /// The rule label of the day: `sum`, `average`, `latest` …
    public let dailyRule: String
    /// The rule of the roll-up's headline value.
    public let rollupPrimary: String
    /// The statistics of a roll-up, in order.
    public let rollupStatistics: [String]
    /// What a weighted average is weighted by.
    public let weightedBy: String?
    /// Fraction digits in front matter; nil for texts and lists.
    public let decimals: Int?
    /// Places in the day document, the value's source first.
    public let places: [DocumentPlace]
    /// Its CSV rows; most keys have one, derived keys none.
    public let rows: [CSVRow]
}

/// One place in the day document: `heart.averageHeartRate` with its unit.
public struct DocumentPlace: Sendable {
    /// Member names joined with dots; `workouts[].…` for members of workouts.
    public let path: String
    /// The unit there, `s`, `m`, `ratio` …
    public let unit: String
}

/// One row of the daily CSV file (export-formats.md 4).
public struct CSVRow: Sendable {
    /// How the value is written.
    public enum Number: Sendable {
        /// Shortest round-trip form with at least one fraction digit.
        case double
        /// A plain integer.
        case integer
        /// Fixed fraction digits.
        case decimals(Int)
        /// As it stands in the document.
        case text
    }

    /// `Sleep`.
    public let category: String
    /// `Total Duration`.
    public let metric: String
    /// `seconds`.
    public let unit: String
    /// 5, or 6 with a Timestamp column.
    public let columns: Int
    /// The path of the value in the day document.
    public let source: String
    /// How the value is written.
    public let number: Number
    /// Multiplied with the value first.
    public let factor: Double?
}

/// One `raw_*` key (health-data.md 9, Diagnostics).
public struct DiagnosticKey: Sendable {
    /// `raw_record_count`.
    public let key: String
    /// `Lossless Source Record Count`.
    public let name: String
    /// `records`, or empty.
    public let unit: String
    /// Where its value comes from, in words.
    public let source: String
    /// The rule label of the day.
    public let dailyRule: String
    /// The rule of the roll-up.
    public let rollupPrimary: String
    /// The statistics of a roll-up, in order.
    public let rollupStatistics: [String]
    /// How missing days count.
    public let nullHandling: String
    /// The metric id it is listed under.
    public let metricID: String
    /// The category it is listed under.
    public let category: String
}

/// One workout activity type of HealthKit.
public struct ActivityType: Hashable, Sendable {
    /// The raw value, 37 for running.
    public let rawValue: UInt64
    /// The lower-camel symbol, `functionalStrengthTraining`.
    public let symbol: String
    /// The spelling in export.xml, `HKWorkoutActivityTypeRunning`.
    public let exportName: String
}
