/// One `Audiogram`: a hearing test (apple-health-export.md 5).
public struct Audiogram: Hashable, Sendable {
    /// `HKDataTypeIdentifierAudiogram`.
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
    /// Points in file order.
    public var points: [SensitivityPoint]
    /// As in ``HealthRecord/contentDigest``.
    public var contentDigest: [UInt8] = []

    /// A test without points.
    public init(type: String, source: RecordSource, start: Instant, end: Instant, created: Instant? = nil) {
        self.type = type
        self.source = source
        self.start = start
        self.end = end
        self.created = created
        self.metadata = []
        self.points = []
    }

    /// What one ear heard at one frequency.
    public struct Ear: Hashable, Sendable {
        /// In `unit`.
        public var value: Double
        /// `dBHL`.
        public var unit: String
        /// Whether the other ear was masked; nil when the export does not say.
        public var masked: Bool?
        /// Lower end of the range that values were clamped to.
        public var clampingLowerBound: Double?
        /// Upper end of that range.
        public var clampingUpperBound: Double?

        /// A threshold.
        public init(
            value: Double, unit: String, masked: Bool? = nil, clampingLowerBound: Double? = nil,
            clampingUpperBound: Double? = nil
        ) {
            self.value = value
            self.unit = unit
            self.masked = masked
            self.clampingLowerBound = clampingLowerBound
            self.clampingUpperBound = clampingUpperBound
        }
    }

    /// One `SensitivityPoint`.
    public struct SensitivityPoint: Hashable, Sendable {
        /// The frequency with its unit, `Hz`.
        public var frequency: UnitValue
        /// The left ear, if it was tested.
        public var left: Ear?
        /// The right ear, if it was tested.
        public var right: Ear?

        /// A point.
        public init(frequency: UnitValue, left: Ear? = nil, right: Ear? = nil) {
            self.frequency = frequency
            self.left = left
            self.right = right
        }
    }
}
