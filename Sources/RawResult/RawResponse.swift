import CanonicalJSON

/// What a finished raw job's body says about itself: everything but the health values (raw-result.md 1–4).
///
/// Documents are known by their byte ranges in the body, so that they can be copied out unchanged.
public struct RawResponse: Sendable, Equatable {
    /// `status` of the response object.
    public var status: String?
    /// `job_id` of the response object.
    public var jobID: String?
    /// Whether `raw_result` was there and an object.
    public var hasResult = false
    /// The envelope's `schema` and `schema_version`.
    public var schema: String?
    /// See ``schema``.
    public var schemaVersion: Int?
    /// `canonical_source_records_v1` or `health_data_projection`.
    public var profile: String?
    /// The selection of a projection.
    public var selection: Selection?
    /// Whether the envelope carries these members.
    public var hasCreatedAt = false
    /// `source_device_name`, not empty.
    public var hasDeviceName = false
    /// Whether `days` was an array.
    public var hasDays = false
    /// `date_range.start`.
    public var firstDate: String?
    /// `date_range.end`.
    public var lastDate: String?
    /// `total_requested_days`.
    public var totalRequestedDays: Int?
    /// One entry per requested date.
    public var days: [Day] = []
    /// `capture_summary` as it stands, or nil.
    public var captureSummary: JSONValue?
    /// `missing_dates`, or nil.
    public var missingDates: [String]?

    /// `canonical_selection` (raw-result.md 2).
    public struct Selection: Sendable, Equatable {
        /// Resolved metric ids.
        public var metricIDs: [String] = []
        /// Today exactly `apple_health`.
        public var sourceIDs: [String] = []
        /// `summary` or `lossless`.
        public var detailLevel: String?
        /// JSON Pointers of whole objects.
        public var objectPaths: [String] = []
        /// JSON Pointers of fields.
        public var fieldPointers: [String] = []

        /// The union of both lists, sorted: what is projected, in this order.
        public var pointers: [String] { Set(objectPaths + fieldPointers).sorted() }
    }

    /// One day (raw-result.md 3).
    public struct Day: Sendable, Equatable {
        /// `yyyy-MM-dd`.
        public var date: String?
        /// One of the seven statuses.
        public var status: String?
        /// Why there is no document.
        public var failureCode: String?
        /// The members that a receipt repeats: counts and codes, never values.
        public var receiptMembers: JSONObject = [:]
        /// The document, when the day has one.
        public var document: Document?
    }

    /// A daily document inside the body.
    public struct Document: Sendable, Equatable {
        /// Its bytes in the body.
        public var range: Range<Int>
        /// Whether it is an object; nothing else is a document.
        public var isObject = true
        /// `healthmd.health_data`.
        public var schema: String?
        /// 8 or 10.
        public var schemaVersion: Int?
        /// `raw_capture_status`.
        public var rawCaptureStatus: String?
        /// The archive's `schema` and `schema_version`, when there is an archive.
        public var archive: Archive?
    }

    /// The archive of source records inside a document.
    public struct Archive: Sendable, Equatable {
        /// `healthmd.healthkit_records`.
        public var schema: String?
        /// 1.
        public var schemaVersion: Int?
    }
}
