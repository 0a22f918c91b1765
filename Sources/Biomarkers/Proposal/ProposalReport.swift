import HealthExport
import HealthRecords

/// Everything that one reading of an export came to (biomarkers.md 8).
public struct ProposalReport: Sendable {
    /// The file that was read.
    public struct Source: Hashable, Sendable {
        /// Its name, without folders.
        public var pathName: String
        /// The SHA-256 of the file, in hex; of the main file, for a folder.
        public var sha256: String
        /// When the phone made it.
        public var exportDate: Instant?
        /// Records at the top level.
        public var recordCount: Int
        /// Whether file and archive were whole.
        public var isComplete: Bool
        /// The byte at which the main file broke off.
        public var brokenOffAt: Int?
    }

    /// The file that was read.
    public var source: Source
    /// What is proposed, in the order of the catalogue.
    public var proposals: [Proposal]
    /// What was found and has no place.
    public var unplaceable: [Unplaceable]
    /// Records by type that nothing can grade: counted and dropped.
    public var dropped: [String: Int]
    /// What the reading met, by name.
    public var counters: [String: Int]
    /// What concerns the whole reading.
    public var warnings: [ProposalWarning]
}

/// How proposals are computed.
public struct ProposalOptions: Sendable {
    /// Takes what a truncated archive still gives; the result is marked incomplete.
    public var rescue = false
    /// Where bare clinical dates are days; UTC when the person named no zone. Windows are spans of seconds and do not
    /// depend on it.
    public var zone = CalendarZone.utc
    /// What "in the future" means for an export that does not tell its date.
    public var now: Instant
    /// Ranges that the owner calls optimal, by id.
    public var bands: [String: OptimalBand] = [:]

    /// The usual options.
    public init(now: Instant) { self.now = now }
}
