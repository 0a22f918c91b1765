import FoundationEssentials

/// The payload of a `strict_raw_day` item (hmdcitem.md 7).
public struct StrictRawDayEnvelope: Codable, Hashable, Sendable {
    /// What is known of the day.
    public var day: StrictRawDay
    /// The exact instant of the day, equal to the segment's `sourceDate`.
    public var sourceDate: Date

    /// A payload.
    public init(day: StrictRawDay, sourceDate: Date) {
        self.day = day
        self.sourceDate = sourceDate
    }
}

/// One raw day (hmdcitem.md 7).
public struct StrictRawDay: Codable, Hashable, Sendable {
    /// How a day ended.
    public enum Status: String, Codable, CaseIterable, Hashable, Sendable {
        case complete
        case completeEmpty = "complete_empty"
        case completeWithWarnings = "complete_with_warnings"
        case partial
        case failed
        case cancelled
        case missing
    }

    /// How many queries of the day ended in which way. All five are always written.
    public struct QueryStatusCounts: Codable, Hashable, Sendable {
        /// Ended by the person or the system.
        public var cancelled: Int
        /// Ended with an error.
        public var failure: Int
        /// Not asked.
        public var skipped: Int
        /// Answered.
        public var success: Int
        /// Unknown to the device.
        public var unsupported: Int

        /// Counts; zero unless given.
        public init(cancelled: Int = 0, failure: Int = 0, skipped: Int = 0, success: Int = 0, unsupported: Int = 0) {
            self.cancelled = cancelled
            self.failure = failure
            self.skipped = skipped
            self.success = success
            self.unsupported = unsupported
        }
    }

    /// The canonical daily document as text, pretty-printed as it was written once; absent unless the day was captured.
    /// Decoded from a file it stays there.
    public var canonicalDailyJSON: ItemText?
    /// Absent for failed, cancelled and missing days.
    public var captureStatus: CaptureStatus?
    /// The day's label, `yyyy-MM-dd`.
    public var date: String
    /// `missing_day`, `cancelled`, or the reason of a failure.
    public var failureCode: String?
    /// Sorted, each once.
    public var integrityWarningCodes: [String]
    /// How many integrity warnings, repeats included.
    public var integrityWarningCount: Int
    /// How many partial failures, repeats included.
    public var partialFailureCount: Int
    /// Sorted, each once.
    public var partialFailureTypes: [String]
    /// How the day's queries ended.
    public var queryStatusCounts: QueryStatusCounts
    /// Records of the archive.
    public var recordCount: Int
    /// Samples of the document.
    public var sampleCount: Int
    /// How the day ended.
    public var status: Status

    /// A day. Counts are zero, lists empty and the rest absent unless given, as failed, cancelled and missing days
    /// require.
    public init(
        date: String, status: Status, failureCode: String? = nil, captureStatus: CaptureStatus? = nil,
        canonicalDailyJSON: ItemText? = nil, recordCount: Int = 0, sampleCount: Int = 0,
        queryStatusCounts: QueryStatusCounts = QueryStatusCounts(), partialFailureCount: Int = 0,
        partialFailureTypes: [String] = [], integrityWarningCount: Int = 0, integrityWarningCodes: [String] = []
    ) {
        self.canonicalDailyJSON = canonicalDailyJSON
        self.captureStatus = captureStatus
        self.date = date
        self.failureCode = failureCode
        self.integrityWarningCodes = integrityWarningCodes
        self.integrityWarningCount = integrityWarningCount
        self.partialFailureCount = partialFailureCount
        self.partialFailureTypes = partialFailureTypes
        self.queryStatusCounts = queryStatusCounts
        self.recordCount = recordCount
        self.sampleCount = sampleCount
        self.status = status
    }

    private enum CodingKeys: String, CodingKey {
        case canonicalDailyJSON = "canonical_daily_json"
        case captureStatus = "capture_status"
        case date
        case failureCode = "failure_code"
        case integrityWarningCodes = "integrity_warning_codes"
        case integrityWarningCount = "integrity_warning_count"
        case partialFailureCount = "partial_failure_count"
        case partialFailureTypes = "partial_failure_types"
        case queryStatusCounts = "query_status_counts"
        case recordCount = "record_count"
        case sampleCount = "sample_count"
        case status
    }

    /// The key of the document within the day (hmdcitem.md 5).
    static let documentKey = CodingKeys.canonicalDailyJSON.rawValue
}

/// How complete the record archive of a day is (hmdcitem.md 6.3, 7).
public enum CaptureStatus: String, Codable, CaseIterable, Hashable, Sendable {
    case complete
    case partial
    case notRequested
    case legacyUnavailable
}
