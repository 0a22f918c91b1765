import Foundation

/// The body of `GET /v1/status` (control-api.md 4, extensions.md 5).
public struct ReceiverStatus: Hashable, Sendable {
    /// A phone: the members of `iphone` and of each entry of `phones[]`.
    public struct Phone: Hashable, Sendable {
        /// `installation_id`, in `phones[]` only.
        public var installationID: UUID?
        /// `connected`.
        public var isConnected: Bool
        /// `name`.
        public var name: String?
        /// `can_trigger_exports`.
        public var canTriggerExports: Bool
        /// `can_trigger_raw_exports`.
        public var canTriggerRawExports: Bool

        /// A phone; the defaults are those of no phone at all.
        public init(
            installationID: UUID? = nil, isConnected: Bool = false, name: String? = nil,
            canTriggerExports: Bool = false, canTriggerRawExports: Bool = false
        ) {
            self.installationID = installationID
            self.isConnected = isConnected
            self.name = name
            self.canTriggerExports = canTriggerExports
            self.canTriggerRawExports = canTriggerRawExports
        }
    }

    /// The members of `active_export`.
    public struct ActiveExport: Hashable, Sendable {
        /// `job_id`.
        public var jobID: UUID
        /// `message`.
        public var message: String?
        /// The durable keys, here with `total_days`.
        public var durable: DurableState

        /// The oldest live job.
        public init(jobID: UUID, message: String?, durable: DurableState) {
            self.jobID = jobID
            self.message = message
            self.durable = durable
        }
    }

    /// `iphone`: the phone that connected last.
    public var phone: Phone
    /// `phones`: all connected and all trusted phones.
    public var phones: [Phone]
    /// `destination`.
    public var destination: DestinationInformation
    /// `active_export`: the oldest live, unexpired job.
    public var activeExport: ActiveExport?
    /// `open_pairing`: the pairing that waits for a phone or for an answer; without its code.
    public var openPairing: PairingInformation?

    /// A status.
    public init(
        phone: Phone, phones: [Phone], destination: DestinationInformation, activeExport: ActiveExport?,
        openPairing: PairingInformation? = nil
    ) {
        self.openPairing = openPairing
        self.phone = phone
        self.phones = phones
        self.destination = destination
        self.activeExport = activeExport
    }
}

/// The stored destination root.
public struct DestinationInformation: Hashable, Sendable {
    /// `selected`.
    public var isSelected: Bool
    /// `writable`.
    public var isWritable: Bool
    /// `path`: the real path.
    public var path: String?
    /// `display_name`: its last component.
    public var displayName: String?

    /// A destination; without arguments, none.
    public init(isSelected: Bool = false, isWritable: Bool = false, path: String? = nil, displayName: String? = nil) {
        self.isSelected = isSelected
        self.isWritable = isWritable
        self.path = path
        self.displayName = displayName
    }
}

/// The facts of `GET /v1/version` (control-api.md 12).
public struct ReceiverVersion: Hashable, Sendable {
    /// `version`.
    public var version: String
    /// `corpus_protocol_versions`.
    public var corpusProtocolVersions: [Int]
    /// `binary_frame_versions`.
    public var binaryFrameVersions: [Int]
    /// `raw_result_versions`.
    public var rawResultVersions: [Int]
    /// `accepted_health_data_versions`.
    public var acceptedHealthDataVersions: [Int]
    /// `limits`, by name.
    public var limits: [String: Int64]

    /// Version facts.
    public init(
        version: String, corpusProtocolVersions: [Int], binaryFrameVersions: [Int], rawResultVersions: [Int],
        acceptedHealthDataVersions: [Int], limits: [String: Int64]
    ) {
        self.version = version
        self.corpusProtocolVersions = corpusProtocolVersions
        self.binaryFrameVersions = binaryFrameVersions
        self.rawResultVersions = rawResultVersions
        self.acceptedHealthDataVersions = acceptedHealthDataVersions
        self.limits = limits
    }
}

/// Filters of `GET /v1/exports` (control-api.md 12).
public struct JobListQuery: Hashable, Sendable {
    /// Only these states; empty means all.
    public var states: Set<JobState>
    /// 1...200.
    public var limit: Int
    /// The opaque cursor of the page before.
    public var before: String?

    /// A query; without arguments the newest fifty jobs.
    public init(states: Set<JobState> = [], limit: Int = 50, before: String? = nil) {
        self.states = states
        self.limit = limit
        self.before = before
    }
}

/// One page of jobs, newest first.
public struct JobList: Hashable, Sendable {
    /// One entry: a response object and what a listing adds.
    public struct Entry: Hashable, Sendable {
        /// The response object without a raw result.
        public var response: ControlResponse
        /// `created_at`, whole Unix seconds.
        public var createdAt: Int64
        /// `updated_at`, whole Unix seconds.
        public var updatedAt: Int64
        /// `origin`: `mac_initiated` or `source_initiated`.
        public var origin: String
        /// `response_mode`.
        public var responseMode: JobRequest.ResponseMode
        /// `raw_profile`.
        public var rawProfile: JobRequest.RawProfile?
        /// `date_range`; nil while an all-available job is unresolved.
        public var dateRange: ClosedRange<CalendarDay>?
        /// `peer.installation_id`.
        public var peerInstallationID: UUID?
        /// `peer.name`.
        public var peerName: String?

        /// An entry.
        public init(
            response: ControlResponse, createdAt: Int64, updatedAt: Int64, origin: String,
            responseMode: JobRequest.ResponseMode, rawProfile: JobRequest.RawProfile?,
            dateRange: ClosedRange<CalendarDay>?, peerInstallationID: UUID?, peerName: String?
        ) {
            self.response = response
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.origin = origin
            self.responseMode = responseMode
            self.rawProfile = rawProfile
            self.dateRange = dateRange
            self.peerInstallationID = peerInstallationID
            self.peerName = peerName
        }
    }

    /// The entries.
    public var jobs: [Entry]
    /// `next_cursor`, when there are more.
    public var nextCursor: String?

    /// A page.
    public init(jobs: [Entry], nextCursor: String?) {
        self.jobs = jobs
        self.nextCursor = nextCursor
    }
}

/// The result of `POST /v1/exports/{id}/verify` (extensions.md 5).
public struct JobVerification: Hashable, Sendable {
    /// One thing that is not as it was written.
    public struct Difference: Hashable, Sendable {
        /// What kind of thing: `file`, `response`.
        public var kind: String
        /// Its path below the destination, or its name.
        public var name: String
        /// A stable code: `missing`, `size_mismatch`, `digest_mismatch`, `not_a_regular_file`, `unreadable`.
        public var code: String

        /// A difference.
        public init(kind: String, name: String, code: String) {
            self.kind = kind
            self.name = name
            self.code = code
        }
    }

    /// `job_id`.
    public var jobID: UUID
    /// `files`: how many were checked.
    public var files: Int
    /// `bytes`: how many were read.
    public var bytes: Int64
    /// `differences`; `status` is `intact` when there are none, else `different`.
    public var differences: [Difference]

    /// A verification.
    public init(jobID: UUID, files: Int, bytes: Int64, differences: [Difference]) {
        self.jobID = jobID
        self.files = files
        self.bytes = bytes
        self.differences = differences
    }
}
