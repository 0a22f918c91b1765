import HealthRecords

/// What one reading of a main file came to: counts, spans, problems. Exact for the whole file, whatever the visitor
/// wanted.
public struct ExportSummary: Sendable {
    /// One record type.
    public struct TypeSummary: Hashable, Sendable {
        /// Records directly in `HealthData` that could be read.
        public var count = 0
        /// Records in a correlation or workout that could be read.
        public var nestedCount = 0
        /// Start of the earliest.
        public var first: Instant?
        /// End of the latest.
        public var last: Instant?
        /// Units met, ordered; more than one is an oddity worth showing.
        public var units: [String] = []
    }

    /// The file's name inside the export.
    public var entry = ""
    /// Bytes of the unpacked file that were read.
    public var byteCount = 0
    /// `en_US`.
    public var locale: String?
    /// The number of the document type's comment, if there is one.
    public var exportVersion: Int?
    /// When the export was made.
    public var exportDate: Instant?
    /// Elements by name; records inside others as `Record (in Correlation)`.
    public var elements: [String: Int] = [:]
    /// Record types by name.
    public var types: [String: TypeSummary] = [:]
    /// Records by source name.
    public var sources: [String: Int] = [:]
    /// What was odd, left out or unknown.
    public var problems = ExportProblems()
    /// Where the file broke off; nil when it is whole.
    public var brokenOffAt: ExportPlace?

    /// Whether the file ended as it should.
    public var isComplete: Bool { brokenOffAt == nil }
    /// Records read at the top level.
    public var recordCount: Int { types.values.reduce(0) { $0 + $1.count } }
    /// Records read inside other elements.
    public var nestedRecordCount: Int { types.values.reduce(0) { $0 + $1.nestedCount } }

    /// Nothing read yet.
    public init() {}
}
