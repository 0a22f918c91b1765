import Foundation

/// The lossless archive inside a day (hmdcitem.md 6.3.3, health-data.md 5).
///
/// Records stay opaque trees with the item's camelCase names: nothing here computes with them, they are only
/// carried and written into the document under its own names.
public struct RecordArchive: Codable, Hashable, Sendable {
    /// `healthmd.healthkit_records`.
    public var schemaIdentifier: String
    /// 1.
    public var recordSchemaVersion: Int
    /// How completely the records were captured.
    public var captureStatus: DailyRecord.CaptureStatus
    /// Which day owns the records, and why.
    public var dailyOwnership: DailyOwnership
    /// Records with a HealthKit identity.
    public var records: [OpaqueValue]
    /// Records without one.
    public var externalRecords: [OpaqueValue]
    /// One result for each query that was run.
    public var queryManifest: QueryManifest
    /// What may be incomplete or contradictory.
    public var integrityWarnings: [IntegrityWarning]
    /// Medications known to the source.
    public var medicationInventoryRecords: [OpaqueValue]

    /// The archive schema that is written and read.
    public static let schemaIdentifier = "healthmd.healthkit_records"
    /// The archive version that is written and read.
    public static let recordSchemaVersion = 1

    /// An empty archive of a day.
    public init(captureStatus: DailyRecord.CaptureStatus, dailyOwnership: DailyOwnership) {
        self.schemaIdentifier = Self.schemaIdentifier
        self.recordSchemaVersion = Self.recordSchemaVersion
        self.captureStatus = captureStatus
        self.dailyOwnership = dailyOwnership
        self.records = []
        self.externalRecords = []
        self.queryManifest = QueryManifest(results: [])
        self.integrityWarnings = []
        self.medicationInventoryRecords = []
    }

    /// Which day owns the records.
    public struct DailyOwnership: Codable, Hashable, Sendable {
        /// `yyyy-MM-dd`.
        public var ownerDate: String
        /// The half-open interval of the day.
        public var intervalStart, intervalEnd: Date
        /// `gregorian`.
        public var calendarIdentifier: String
        /// An IANA name.
        public var calendarTimeZoneIdentifier: String
        /// `record_start_in_half_open_day_interval`.
        public var assignmentRule: String

        /// The ownership of one day by the start of its records.
        public init(ownerDate: String, intervalStart: Date, intervalEnd: Date, calendarTimeZoneIdentifier: String) {
            self.ownerDate = ownerDate
            self.intervalStart = intervalStart
            self.intervalEnd = intervalEnd
            self.calendarIdentifier = "gregorian"
            self.calendarTimeZoneIdentifier = calendarTimeZoneIdentifier
            self.assignmentRule = "record_start_in_half_open_day_interval"
        }
    }

    /// The queries of a day.
    public struct QueryManifest: Codable, Hashable, Sendable {
        /// One for each query.
        public var results: [QueryResult]

        /// These results.
        public init(results: [QueryResult]) { self.results = results }
    }

    /// How a query ended.
    public enum QueryStatus: String, Codable, Hashable, Sendable, CaseIterable {
        /// It answered, perhaps with nothing.
        case success
        /// It failed.
        case failure
        /// The source cannot answer it.
        case unsupported
        /// It was not asked.
        case skipped
        /// It was stopped.
        case cancelled
    }

    /// One query and how it ended.
    public struct QueryResult: Codable, Hashable, Sendable {
        /// Its name.
        public var identifier: String
        /// What it asked for.
        public var objectTypeIdentifier: String?
        /// `sample_query`.
        public var operation: String
        /// The metrics it serves.
        public var metricIDs: [String]
        /// Which metrics asked for it themselves.
        public var metricAttribution: MetricAttribution?
        /// The interval asked for.
        public var interval: QueryInterval
        /// How it ended.
        public var status: QueryStatus
        /// How many records it gave.
        public var recordCount: Int
        /// A reason in words.
        public var statusDescription: String?
        /// Why it failed.
        public var error: QueryError?

        /// A result.
        public init(
            identifier: String, objectTypeIdentifier: String?, operation: String, metricIDs: [String],
            interval: QueryInterval, status: QueryStatus, recordCount: Int, statusDescription: String? = nil
        ) {
            self.identifier = identifier
            self.objectTypeIdentifier = objectTypeIdentifier
            self.operation = operation
            self.metricIDs = metricIDs
            self.interval = interval
            self.status = status
            self.recordCount = recordCount
            self.statusDescription = statusDescription
        }
    }

    /// Which metrics want a record for themselves and which because of a relationship.
    public struct MetricAttribution: Codable, Hashable, Sendable {
        /// Selected metrics.
        public var directMetricIDs: [String]
        /// Metrics that depend on it.
        public var dependencyMetricIDs: [String]
    }

    /// The interval of a query.
    public struct QueryInterval: Codable, Hashable, Sendable {
        /// Half-open.
        public var startDate, endDate: Date
        /// An IANA name.
        public var calendarTimeZoneIdentifier: String?

        /// An interval.
        public init(startDate: Date, endDate: Date, calendarTimeZoneIdentifier: String? = nil) {
            self.startDate = startDate
            self.endDate = endDate
            self.calendarTimeZoneIdentifier = calendarTimeZoneIdentifier
        }
    }

    /// Why a query failed.
    public struct QueryError: Codable, Hashable, Sendable {
        /// The error's domain.
        public var domain: String
        /// The error's number.
        public var code: Int
        /// The error in words.
        public var description: String
        /// Whether trying again may help.
        public var isRecoverable: Bool
    }

    /// What may be incomplete or contradictory.
    public struct IntegrityWarning: Codable, Hashable, Sendable {
        /// A stable code.
        public var code: String
        /// The warning in words.
        public var message: String
        /// The metrics concerned.
        public var metricIDs: [String]
        /// The records concerned.
        public var recordUUIDs: [UUID]

        /// A warning.
        public init(code: String, message: String, metricIDs: [String], recordUUIDs: [UUID] = []) {
            self.code = code
            self.message = message
            self.metricIDs = metricIDs
            self.recordUUIDs = recordUUIDs
        }
    }
}
