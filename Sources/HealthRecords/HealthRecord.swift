/// A point in time: seconds since 1970-01-01T00:00:00Z, binary64, fraction allowed.
///
/// Exports print whole seconds; routes and beats carry fractions.
public struct Instant: Hashable, Comparable, Sendable {
    /// Seconds since 1970, UTC.
    public var secondsSince1970: Double

    /// An instant from Unix seconds.
    public init(secondsSince1970: Double) {
        self.secondsSince1970 = secondsSince1970
    }

    /// An instant from seconds since 2001-01-01T00:00:00Z, the epoch of the protocol (hmdcitem.md 2.1).
    public init(secondsSince2001: Double) {
        self.secondsSince1970 = secondsSince2001 + Instant.epochOffset
    }

    /// Seconds since 2001-01-01T00:00:00Z.
    public var secondsSince2001: Double { secondsSince1970 - Instant.epochOffset }

    /// Seconds between the Unix epoch and the epoch of the protocol.
    public static let epochOffset: Double = 978_307_200

    /// Earlier sorts first.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}

/// Who recorded a sample: attributes `sourceName`, `sourceVersion` and `device` (apple-health-export.md 8).
public struct RecordSource: Hashable, Sendable {
    /// Free text in any script, as exported.
    public var name: String
    /// The version text of the writing app or system.
    public var version: String?
    /// The printed device without its pointer: `name:Apple Watch, manufacturer:Apple Inc., …`.
    public var device: String?

    /// A source with its optional parts.
    public init(name: String, version: String? = nil, device: String? = nil) {
        self.name = name
        self.version = version
        self.device = device
    }
}

/// One `MetadataEntry`. Order and repetition are the file's.
public struct MetadataEntry: Hashable, Sendable {
    /// For example `HKTimeZone`.
    public var key: String
    /// The text as exported.
    public var value: String

    /// An entry.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// What a record says (apple-health-export.md 5.2).
public enum RecordValue: Hashable, Sendable {
    /// A finite number with its unit, as exported and not yet converted.
    case quantity(Double, unit: String)
    /// An enumeration name, `HKCategoryValueSleepAnalysisAsleepCore`.
    case category(String)
    /// The record carries no value attribute.
    case none
    /// A value that is not a number although a unit is there, or the reverse: kept, never calculated with.
    case unreadable(value: String?, unit: String?)
}

/// One `Record` element of an Apple Health export.
public struct HealthRecord: Hashable, Sendable {
    /// The whole type string: `HKQuantityTypeIdentifierStepCount`.
    public var type: String
    /// Who recorded it.
    public var source: RecordSource
    /// The number or text.
    public var value: RecordValue
    /// When it starts.
    public var start: Instant
    /// When it ends.
    public var end: Instant
    /// When the sample entered the store, where the export says so.
    public var created: Instant?
    /// Entries in file order.
    public var metadata: [MetadataEntry]
    /// Beats of a heart rate variability record: offsets in the record's own clock text, with beats per minute.
    public var beats: [Beat]
    /// SHA-256 over type, source, value, dates and metadata: the identity that we give to what has none
    /// (health-data.md 10.2). Empty when the reader was not asked for it.
    public var contentDigest: [UInt8]

    /// A record.
    public init(
        type: String, source: RecordSource, value: RecordValue, start: Instant, end: Instant, created: Instant? = nil,
        metadata: [MetadataEntry] = [], beats: [Beat] = [], contentDigest: [UInt8] = []
    ) {
        self.type = type
        self.source = source
        self.value = value
        self.start = start
        self.end = end
        self.created = created
        self.metadata = metadata
        self.beats = beats
        self.contentDigest = contentDigest
    }
}

/// One `InstantaneousBeatsPerMinute`: the time text is locale-dependent and has no date, so it stays text.
public struct Beat: Hashable, Sendable {
    /// Beats per minute.
    public var beatsPerMinute: Double
    /// The text as exported, `11:26:02.34 AM`.
    public var time: String

    /// A beat.
    public init(beatsPerMinute: Double, time: String) {
        self.beatsPerMinute = beatsPerMinute
        self.time = time
    }
}

/// One `Correlation`, with its members (blood pressure, food).
public struct HealthCorrelation: Hashable, Sendable {
    /// `HKCorrelationTypeIdentifierBloodPressure` and so on.
    public var type: String
    /// Who recorded it.
    public var source: RecordSource
    /// When it starts.
    public var start: Instant
    /// When it ends.
    public var end: Instant
    /// When it entered the store, where the export says so.
    public var created: Instant?
    /// Entries in file order.
    public var metadata: [MetadataEntry]
    /// The nested records, in file order. Each also counts once among the day's records.
    public var members: [HealthRecord]
    /// As in ``HealthRecord/contentDigest``.
    public var contentDigest: [UInt8]

    /// A correlation.
    public init(
        type: String, source: RecordSource, start: Instant, end: Instant, created: Instant? = nil,
        metadata: [MetadataEntry] = [], members: [HealthRecord], contentDigest: [UInt8] = []
    ) {
        self.type = type
        self.source = source
        self.start = start
        self.end = end
        self.created = created
        self.metadata = metadata
        self.members = members
        self.contentDigest = contentDigest
    }
}
