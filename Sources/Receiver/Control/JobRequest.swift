import Foundation

/// A validated `POST /v1/exports` (control-api.md 5, extensions.md 5).
///
/// Categories and `all_metrics` are already expanded: the stored request names metrics only. Everything except
/// ``waitTimeoutSeconds`` and ``queueIfOffline`` is the immutable request: a second create with the same job
/// id must repeat it exactly, or it is refused with `job_id_request_mismatch`.
public struct JobRequest: Hashable, Sendable {
    /// Which days are asked for.
    public enum DateSelection: Hashable, Sendable {
        /// An inclusive range of calendar days, first <= last.
        case explicitRange(first: CalendarDay, last: CalendarDay)
        /// Every day the sender has; it resolves and pins the list.
        case allAvailable
    }

    /// Whose formats and roll-ups apply; the raw value is the control API's word.
    public enum SettingsPolicy: String, Hashable, Sendable {
        /// Saved formats and paths, without roll-ups and summary-only.
        case requestedDatesOnly = "requested_dates_only"
        /// The sender's saved settings as they are.
        case currentIPhoneSettings = "current_iphone_settings"
    }

    /// What the job produces; the raw value is the control API's word.
    public enum ResponseMode: String, Hashable, Sendable {
        /// Files below the destination.
        case writeFiles = "write_files"
        /// One raw result, kept as the job's response.
        case rawJSON = "raw_json"
    }

    /// The raw profile of a ``ResponseMode/rawJSON`` job (raw-result.md 1).
    public enum RawProfile: String, Hashable, Sendable {
        /// Everything, with the archive of source records in each day.
        case canonicalSourceRecords = "canonical_source_records_v1"
        /// A chosen part of the daily documents.
        case healthDataProjection = "health_data_projection"
    }

    /// How much of a day is asked for.
    public enum DetailLevel: String, Hashable, Sendable {
        /// Summaries only.
        case summary
        /// With the archive of source records.
        case lossless
    }

    /// A resolved selection: sorted, unique lists, no categories.
    public struct CanonicalSelection: Hashable, Sendable {
        /// Metric ids, never empty.
        public var metricIDs: [String]
        /// Source ids; today exactly `apple_health`.
        public var sourceIDs: [String]
        /// How much of a day.
        public var detailLevel: DetailLevel
        /// JSON Pointers of objects to project.
        public var objectPaths: [String]
        /// JSON Pointers of fields to project.
        public var fieldPointers: [String]

        /// A selection; the lists are sorted and made unique here.
        public init(
            metricIDs: [String], sourceIDs: [String] = ["apple_health"], detailLevel: DetailLevel = .summary,
            objectPaths: [String] = [], fieldPointers: [String] = []
        ) {
            self.metricIDs = Set(metricIDs).sorted()
            self.sourceIDs = Set(sourceIDs).sorted()
            self.detailLevel = detailLevel
            self.objectPaths = Set(objectPaths).sorted()
            self.fieldPointers = Set(fieldPointers).sorted()
        }
    }

    /// Chosen by the client or made by the route.
    public var jobID: UUID
    /// The days.
    public var dateSelection: DateSelection
    /// Whose settings.
    public var settingsPolicy: SettingsPolicy
    /// Files or a raw result.
    public var responseMode: ResponseMode
    /// Present only with ``ResponseMode/rawJSON``.
    public var rawProfile: RawProfile?
    /// Required with the projection, allowed with files, forbidden with the strict profile.
    public var canonicalSelection: CanonicalSelection?
    /// The phone, when the caller chose one (`device_id`).
    public var deviceID: UUID?
    /// An absolute directory for this job only (`destination`); file mode only.
    public var destination: String?
    /// Whether a selection may replace files that hold more than it (`replace_existing`).
    public var replacesExisting: Bool
    /// Store the job and send it when the phone comes (`queue_if_offline`).
    public var queueIfOffline: Bool
    /// Inactivity time-out of the waiter in seconds, 5...900.
    public var waitTimeoutSeconds: Double

    /// A request; the caller has validated it.
    public init(
        jobID: UUID, dateSelection: DateSelection, settingsPolicy: SettingsPolicy = .requestedDatesOnly,
        responseMode: ResponseMode = .writeFiles, rawProfile: RawProfile? = nil,
        canonicalSelection: CanonicalSelection? = nil, deviceID: UUID? = nil, destination: String? = nil,
        replacesExisting: Bool = false, queueIfOffline: Bool = false, waitTimeoutSeconds: Double = 300
    ) {
        self.jobID = jobID
        self.dateSelection = dateSelection
        self.settingsPolicy = settingsPolicy
        self.responseMode = responseMode
        self.rawProfile = rawProfile
        self.canonicalSelection = canonicalSelection
        self.deviceID = deviceID
        self.destination = destination
        self.replacesExisting = replacesExisting
        self.queueIfOffline = queueIfOffline
        self.waitTimeoutSeconds = waitTimeoutSeconds
    }

    /// Whether the job may write only over files that hold nothing else: it exports a selection, and nobody said
    /// `replace_existing`.
    public var sparesRicherFiles: Bool {
        responseMode == .writeFiles && canonicalSelection != nil && !replacesExisting
    }

    /// Whether another create with the same job id asks for the same thing (control-api.md 6.3).
    public func isSameImmutableRequest(as other: JobRequest) -> Bool {
        var mine = self
        mine.waitTimeoutSeconds = other.waitTimeoutSeconds
        mine.queueIfOffline = other.queueIfOffline
        return mine == other
    }
}
