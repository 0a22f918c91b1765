import Foundation

/// The response object of export, job status, resume and cancel (control-api.md 7), without `raw_result`.
///
/// Keys of the document are the snake-case forms of the property names; a nil property is left out.
public struct ControlResponse: Hashable, Sendable, Codable {
    /// The value of `status`.
    public enum Status: String, Hashable, Sendable, Codable {
        /// Stored and sent, or queued.
        case accepted
        /// Being prepared, transferred or paused.
        case preparing
        /// Everything that was asked for is there.
        case success
        /// Some of it is there.
        case partialSuccess = "partial_success"
        /// Nothing of it is there.
        case failure
        /// Cancelled on purpose.
        case cancelled
        /// Refused, or not known.
        case unavailable
        /// The waiter gave up; the job goes on.
        case timedOut = "timed_out"
    }

    /// One warning that did not fail the job.
    public struct PartialFailure: Hashable, Sendable, Codable {
        /// The day's label, when one day is meant.
        public var date: String?
        /// A stable code.
        public var code: String
        /// A sentence without health values.
        public var message: String

        /// A warning.
        public init(date: String? = nil, code: String, message: String) {
            self.date = date
            self.code = code
            self.message = message
        }
    }

    /// `status`.
    public var status: Status
    /// `message`, always present.
    public var message: String
    /// `job_id`.
    public var jobID: UUID?
    /// `failure_reason` (control-api.md 11).
    public var failureReason: String?
    /// `success_count`: days done.
    public var successCount: Int?
    /// `total_count`: days requested.
    public var totalCount: Int?
    /// `files_written`: 0 in raw mode.
    public var filesWritten: Int?
    /// `files_written_is_lower_bound`: written only when true.
    public var filesWrittenIsLowerBound: Bool?
    /// `external_record_count`: provider sidecar files.
    public var externalRecordCount: Int?
    /// `daily_notes_updated`: present only when positive.
    public var dailyNotesUpdated: Int?
    /// `daily_notes_skipped`: present only when positive.
    public var dailyNotesSkipped: Int?
    /// `destination_display_name`, file mode.
    public var destinationDisplayName: String?
    /// `destination_path`, file mode.
    public var destinationPath: String?
    /// `partial_failures`: nil means none reported, never none occurred.
    public var partialFailures: [PartialFailure]?
    /// The durable keys `durable`, `state`, `session_id` and so on.
    public var durable: DurableState?
    /// `active_job_id` of `export_in_progress`.
    public var activeJobID: UUID?
    /// `device_ids` of `device_selection_required`.
    public var deviceIDs: [UUID]?

    /// A response with the two keys that are always present.
    public init(status: Status, message: String, jobID: UUID? = nil, failureReason: String? = nil) {
        self.status = status
        self.message = message
        self.jobID = jobID
        self.failureReason = failureReason
    }

    /// The HTTP status of the response (control-api.md 7).
    public var httpStatus: Int {
        switch status {
        case .success, .partialSuccess: return 200
        case .accepted, .preparing: return 202
        case .timedOut: return 408
        case .unavailable: return failureReason == "job_not_found" ? 404 : 409
        case .failure, .cancelled: return 409
        }
    }
}

/// The durable keys of a job: part of the response object and of `active_export`.
public struct DurableState: Hashable, Sendable, Codable {
    /// `durable`: both sides can recover the job.
    public var isDurable: Bool
    /// `state`.
    public var state: JobState
    /// `session_id`, once a transfer session exists.
    public var sessionID: UUID?
    /// `paused`.
    public var isPaused: Bool
    /// `processed_days`.
    public var processedDays: Int
    /// `total_days`; written in `active_export` only.
    public var totalDays: Int
    /// `fraction_complete`: processed / total days, 0 when the total is 0.
    public var fractionComplete: Double
    /// `committed_partitions`.
    public var committedPartitions: Int
    /// `committed_bytes`.
    public var committedBytes: Int64
    /// `expires_at`, whole Unix seconds.
    public var expiresAt: Int64

    /// The durable keys of a job.
    public init(
        isDurable: Bool, state: JobState, sessionID: UUID?, processedDays: Int, totalDays: Int,
        committedPartitions: Int, committedBytes: Int64, expiresAt: Int64
    ) {
        self.isDurable = isDurable
        self.state = state
        self.sessionID = sessionID
        self.isPaused = state == .paused
        self.processedDays = processedDays
        self.totalDays = totalDays
        self.fractionComplete = totalDays > 0 ? Double(processedDays) / Double(totalDays) : 0
        self.committedPartitions = committedPartitions
        self.committedBytes = committedBytes
        self.expiresAt = expiresAt
    }
}

/// States of a job (control-api.md 8); the last three are terminal.
public enum JobState: String, Hashable, Sendable, CaseIterable, Codable {
    /// Stored, waiting for its phone.
    case queued
    /// The request went out.
    case sent
    /// The phone took it.
    case accepted
    /// The phone reads its data.
    case preparing
    /// A transfer session exists.
    case transferring
    /// The phone went away or paused.
    case paused
    /// The result is stored.
    case completed
    /// The job failed for good.
    case failed
    /// The job was cancelled.
    case cancelled

    /// Whether the state never changes again.
    public var isTerminal: Bool {
        switch self {
        case .queued, .sent, .accepted, .preparing, .transferring, .paused: return false
        case .completed, .failed, .cancelled: return true
        }
    }
}
