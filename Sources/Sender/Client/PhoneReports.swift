import Foundation
import HealthExport

/// Who was paired (`healthmd phone pair`).
public struct PairingReport: Codable, Sendable, Equatable {
    /// The workstation's installation.
    public var installationID: UUID
    /// Its name.
    public var name: String
    /// Where it was reached.
    public var host: String
    /// Where it was reached.
    public var port: Int
    /// Whether bulk data travels in secure records.
    public var secureRecords: Bool

    private enum CodingKeys: String, CodingKey {
        case installationID = "installation_id"
        case name, host, port
        case secureRecords = "secure_records"
    }
}

/// What became of a push (`healthmd phone push`).
public struct PushReport: Codable, Sendable, Equatable {
    /// A day that has no files.
    public struct FailedDay: Codable, Sendable, Equatable {
        /// `YYYY-MM-DD`.
        public var date: String
        /// The stable code of the reason, `no_health_data`.
        public var code: String
    }

    /// The most days without files that a report lists.
    static let failedDayLimit = 400

    /// The job.
    public var jobID: UUID
    /// `queued` while a service has it, else the state in which the job ended.
    public var state: String
    /// A sentence for people.
    public var message: String?
    /// Files that the workstation wrote, when it said so.
    public var filesWritten: Int?
    /// Days that have files, when the workstation said so.
    public var successCount: Int?
    /// Days that were asked for.
    public var totalCount: Int?
    /// Days without files, the first ``failedDayLimit`` of them.
    public var failedDays: [FailedDay] = []

    private enum CodingKeys: String, CodingKey {
        case jobID = "job_id"
        case state, message
        case filesWritten = "files_written"
        case successCount = "success_count"
        case totalCount = "total_count"
        case failedDays = "failed_days"
    }
}

/// The phone's local state (`healthmd phone status`).
public struct PhoneStatus: Codable, Sendable, Equatable {
    /// A trusted workstation.
    public struct Workstation: Codable, Sendable, Equatable {
        /// Its installation.
        public var installationID: UUID
        /// Its name.
        public var name: String
        /// Where it is dialled.
        public var host: String
        /// Where it is dialled.
        public var port: Int
        /// Unix seconds.
        public var pairedAt: Int64
        /// Its first hello has not come yet.
        public var isProvisional: Bool

        private enum CodingKeys: String, CodingKey {
            case installationID = "installation_id"
            case name, host, port
            case pairedAt = "paired_at"
            case isProvisional = "provisional"
        }
    }

    /// What was imported last.
    public struct Data: Codable, Sendable, Equatable {
        /// The number of the import.
        public var generation: Int
        /// The zone of its days.
        public var timeZone: String
        /// First day with data.
        public var firstDay: String?
        /// Last day with data.
        public var lastDay: String?
        /// Records kept.
        public var recordCount: Int
        /// Whether everything that the exports should hold could be read. False too for one that was rescued.
        public var isComplete: Bool
        /// Elements and files left out.
        public var leftOutCount: Int
        /// Years without a day between the first and the last.
        public var gaps: [DayGap]

        private enum CodingKeys: String, CodingKey {
            case generation, gaps
            case isComplete = "complete"
            case leftOutCount = "left_out"
            case timeZone = "time_zone"
            case firstDay = "first_day"
            case lastDay = "last_day"
            case recordCount = "record_count"
        }
    }

    /// One outbound job.
    public struct Job: Codable, Sendable, Equatable {
        /// Its identity.
        public var jobID: UUID
        /// `mac_initiated`, `interactive_iphone` or `scheduled_iphone`.
        public var origin: String
        /// `write_files` or `strict_raw`.
        public var mode: String
        /// The state of the journal, or `damaged`.
        public var state: String
        /// First requested day.
        public var firstDay: String?
        /// Last requested day.
        public var lastDay: String?
        /// Days that the workstation has.
        public var processedDays: Int
        /// Days in all.
        public var totalDays: Int
        /// Partitions that the workstation has.
        public var committedPartitions: Int
        /// Their bytes.
        public var committedBytes: Int64
        /// A sentence for people.
        public var message: String?
        /// Unix seconds.
        public var updatedAt: Int64

        private enum CodingKeys: String, CodingKey {
            case jobID = "job_id"
            case origin, mode, state
            case firstDay = "first_day"
            case lastDay = "last_day"
            case processedDays = "processed_days"
            case totalDays = "total_days"
            case committedPartitions = "committed_partitions"
            case committedBytes = "committed_bytes"
            case message
            case updatedAt = "updated_at"
        }
    }

    /// A push that waits for the service.
    public struct Push: Codable, Sendable, Equatable {
        /// The job that it will be.
        public var jobID: UUID
        /// First day.
        public var from: String
        /// Last day.
        public var to: String

        private enum CodingKeys: String, CodingKey {
            case jobID = "job_id"
            case from, to
        }
    }

    /// This installation.
    public var installationID: UUID
    /// Whether a process serves this folder now.
    public var isServing: Bool
    /// Its process.
    public var servingPid: Int32?
    /// The workstation that is dialled.
    public var workstation: Workstation?
    /// What was imported; nil before the first import.
    public var data: Data?
    /// Jobs, oldest change first.
    public var jobs: [Job]
    /// Pushes, oldest first.
    public var pushes: [Push]

    private enum CodingKeys: String, CodingKey {
        case installationID = "installation_id"
        case isServing = "serving"
        case servingPid = "serving_pid"
        case workstation, data, jobs, pushes
    }
}
