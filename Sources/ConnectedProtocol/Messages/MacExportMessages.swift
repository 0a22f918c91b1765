import Foundation

/// The destination takes a job (corpus-protocol.md 4.5).
public struct MacExportAccepted: Sendable, Hashable, Codable {
    /// The job.
    public var jobID: UUID
    /// When.
    public var acceptedAt: ProtocolDate
    /// Text for people.
    public var message: String?

    /// An acceptance.
    public init(jobID: UUID, acceptedAt: ProtocolDate, message: String? = nil) {
        self.jobID = jobID
        self.acceptedAt = acceptedAt
        self.message = message
    }
}

/// What the destination is doing.
public enum MacExportPhase: String, Sendable, Codable {
    /// Bytes arrive.
    case receiving
    /// Bytes are checked.
    case validating
    /// Days are rendered.
    case exporting
    /// Files are written.
    case writing
    /// Done.
    case completed
    /// Failed.
    case failed
    /// Cancelled.
    case cancelled
}

/// How far the destination has come (corpus-protocol.md 4.5).
public struct MacExportProgress: Sendable, Hashable, Codable {
    /// The job.
    public var jobID: UUID
    /// What is done now.
    public var phase: MacExportPhase
    /// Days done.
    public var processedDays: Int
    /// Days in all.
    public var totalDays: Int
    /// The day at hand.
    public var currentDate: ProtocolDate?
    /// Files written so far.
    public var filesWritten: Int
    /// Text for people.
    public var message: String

    /// A progress report.
    public init(
        jobID: UUID, phase: MacExportPhase, processedDays: Int, totalDays: Int, currentDate: ProtocolDate? = nil,
        filesWritten: Int, message: String
    ) {
        self.jobID = jobID
        self.phase = phase
        self.processedDays = processedDays
        self.totalDays = totalDays
        self.currentDate = currentDate
        self.filesWritten = filesWritten
        self.message = message
    }
}

/// Outcome of a file job.
public enum MacExportStatus: String, Sendable, Codable {
    /// Every requested day.
    case success
    /// Some of it.
    case partialSuccess
    /// Nothing.
    case failure
    /// Cancelled.
    case cancelled
}

/// Files by category (corpus-protocol.md 4.5).
public struct OutputBreakdown: Sendable, Hashable, Codable {
    /// Days requested.
    public var requestedDataDayCount = 0
    /// Days that succeeded.
    public var successfulDataDayCount = 0
    /// Daily files.
    public var looseAggregateFileCount = 0
    /// Files of single entries.
    public var individualEntryFileCount = 0
    /// Dictionaries.
    public var dataDictionaryFileCount = 0
    /// ZIP archives.
    public var zipArchiveFileCount = 0
    /// Roll-ups.
    public var rollupFileCount = 0
    /// Provider sidecars.
    public var providerSidecarFileCount = 0
    /// Daily notes changed.
    public var dailyNoteUpdateCount = 0
    /// Daily notes left alone.
    public var dailyNoteSkipCount = 0
    /// Files of no category.
    public var unclassifiedFileCount = 0
    /// Whether every file is counted in its category.
    public var isFileCategoryBreakdownComplete = true

    /// No files.
    public init() {}

    /// Reads a breakdown; a missing count is 0, a missing flag means incomplete.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        requestedDataDayCount = try container.value(.requestedDataDayCount, default: 0)
        successfulDataDayCount = try container.value(.successfulDataDayCount, default: 0)
        looseAggregateFileCount = try container.value(.looseAggregateFileCount, default: 0)
        individualEntryFileCount = try container.value(.individualEntryFileCount, default: 0)
        dataDictionaryFileCount = try container.value(.dataDictionaryFileCount, default: 0)
        zipArchiveFileCount = try container.value(.zipArchiveFileCount, default: 0)
        rollupFileCount = try container.value(.rollupFileCount, default: 0)
        providerSidecarFileCount = try container.value(.providerSidecarFileCount, default: 0)
        dailyNoteUpdateCount = try container.value(.dailyNoteUpdateCount, default: 0)
        dailyNoteSkipCount = try container.value(.dailyNoteSkipCount, default: 0)
        unclassifiedFileCount = try container.value(.unclassifiedFileCount, default: 0)
        isFileCategoryBreakdownComplete = try container.value(.isFileCategoryBreakdownComplete, default: false)
    }
}

/// Why a day failed (hmdcitem.md 6.1).
public enum DayFailureReason: String, Sendable, Codable {
    /// No folder is chosen.
    case noVault = "no_vault"
    /// Access is denied.
    case accessDenied = "access_denied"
    /// The day has no data.
    case noHealthData = "no_health_data"
    /// The store reports an error.
    case healthKitError = "healthkit_error"
    /// The device is locked.
    case deviceLocked = "device_locked"
    /// A file could not be written.
    case fileWriteError = "file_write_error"
    /// The system ended the task.
    case taskExpired = "task_expired"
    /// Something else; also every reason that this build does not know.
    case unknown

    /// Reads a reason; a word that is not known here means `unknown`.
    public init(from decoder: Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        self = DayFailureReason(rawValue: word) ?? .unknown
    }
}

/// A day that failed.
public struct FailedDateDetail: Sendable, Hashable, Codable {
    /// The day.
    public var date: ProtocolDate
    /// Why.
    public var reason: DayFailureReason
    /// Text for people.
    public var errorDetails: String?

    /// A failure.
    public init(date: ProtocolDate, reason: DayFailureReason, errorDetails: String? = nil) {
        self.date = date
        self.reason = reason
        self.errorDetails = errorDetails
    }
}

/// A part of a day that could not be had.
public struct PartialFailure: Sendable, Hashable, Codable {
    /// The day.
    public var date: ProtocolDate
    /// Kind of data.
    public var dataType: String
    /// Range, for people.
    public var dateRangeDescription: String
    /// Error, for people.
    public var errorDescription: String

    /// A failure.
    public init(date: ProtocolDate, dataType: String, dateRangeDescription: String, errorDescription: String) {
        self.date = date
        self.dataType = dataType
        self.dateRangeDescription = dateRangeDescription
        self.errorDescription = errorDescription
    }
}

/// Outcome of a file job (corpus-protocol.md 4.5).
public struct MacExportResult: Sendable, Hashable, Codable {
    /// The job.
    public var jobID: UUID
    /// Outcome.
    public var status: MacExportStatus
    /// Days that succeeded.
    public var successCount: Int
    /// Days requested.
    public var totalCount: Int
    /// Formats selected.
    public var formatsPerDate: Int
    /// Files written.
    public var totalFilesWritten: Int
    /// Whether that number is exact; else it is a lower bound.
    public var isTotalFilesWrittenAuthoritative = false
    /// Files of external records.
    public var externalRecordFileCount = 0
    /// Daily notes changed.
    public var dailyNoteUpdateCount = 0
    /// Daily notes left alone.
    public var dailyNoteSkipCount = 0
    /// Whether a range output failed for good.
    public var hadTerminalRangeFailure = false
    /// Files by category.
    public var outputBreakdown: OutputBreakdown?
    /// Days that failed.
    public var failedDateDetails: [FailedDateDetail] = []
    /// Days that are durable.
    public var completedDates: [ProtocolDate]?
    /// Parts of days that could not be had; nil when none were reported.
    public var partialFailures: [PartialFailure]?
    /// Name of the destination.
    public var destinationDisplayName: String?
    /// Path of the destination, for people.
    public var destinationPathForDisplay: String?
    /// When.
    public var completedAt: ProtocolDate

    /// A result; the rest is set afterwards.
    public init(
        jobID: UUID, status: MacExportStatus, successCount: Int, totalCount: Int, formatsPerDate: Int,
        totalFilesWritten: Int, completedAt: ProtocolDate
    ) {
        self.jobID = jobID
        self.status = status
        self.successCount = successCount
        self.totalCount = totalCount
        self.formatsPerDate = formatsPerDate
        self.totalFilesWritten = totalFilesWritten
        self.completedAt = completedAt
    }

    /// Reads a result; missing flags are false, missing counts 0.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        jobID = try container.decode(UUID.self, forKey: .jobID)
        status = try container.decode(MacExportStatus.self, forKey: .status)
        successCount = try container.decode(Int.self, forKey: .successCount)
        totalCount = try container.decode(Int.self, forKey: .totalCount)
        formatsPerDate = try container.decode(Int.self, forKey: .formatsPerDate)
        totalFilesWritten = try container.decode(Int.self, forKey: .totalFilesWritten)
        isTotalFilesWrittenAuthoritative = try container.value(.isTotalFilesWrittenAuthoritative, default: false)
        externalRecordFileCount = try container.value(.externalRecordFileCount, default: 0)
        dailyNoteUpdateCount = try container.value(.dailyNoteUpdateCount, default: 0)
        dailyNoteSkipCount = try container.value(.dailyNoteSkipCount, default: 0)
        hadTerminalRangeFailure = try container.value(.hadTerminalRangeFailure, default: false)
        outputBreakdown = try container.decodeIfPresent(OutputBreakdown.self, forKey: .outputBreakdown)
        failedDateDetails = try container.value(.failedDateDetails, default: [])
        completedDates = try container.decodeIfPresent([ProtocolDate].self, forKey: .completedDates)
        partialFailures = try container.decodeIfPresent([PartialFailure].self, forKey: .partialFailures)
        destinationDisplayName = try container.decodeIfPresent(String.self, forKey: .destinationDisplayName)
        destinationPathForDisplay = try container.decodeIfPresent(String.self, forKey: .destinationPathForDisplay)
        completedAt = try container.decode(ProtocolDate.self, forKey: .completedAt)
    }
}

/// Why a job failed at the destination.
public enum MacExportFailureReason: String, Sendable, Codable {
    /// The peers cannot talk about this.
    case incompatibleProtocol
    /// No folder is chosen.
    case noMacFolderSelected
    /// The folder cannot be used.
    case macFolderAccessDenied
    /// No output is selected.
    case noFormatsSelected
    /// Nothing arrived.
    case noHealthRecordsReceived
    /// What arrived cannot be read.
    case payloadDecodeFailure
    /// Files could not be written.
    case exportWriteFailure
    /// Another job is active.
    case macBusy
    /// Cancelled.
    case cancelled
}

/// A job failed at the destination (corpus-protocol.md 4.5).
public struct MacExportFailed: Sendable, Hashable, Codable {
    /// The job, when there is one.
    public var jobID: UUID?
    /// Why.
    public var reason: MacExportFailureReason
    /// Text for people.
    public var message: String
    /// Further text.
    public var underlyingError: String?
    /// Files written before.
    public var totalFilesWritten: Int?
    /// Files by category.
    public var outputBreakdown: OutputBreakdown?
    /// When.
    public var occurredAt: ProtocolDate

    /// A failure.
    public init(
        jobID: UUID?, reason: MacExportFailureReason, message: String, underlyingError: String? = nil,
        totalFilesWritten: Int? = nil, outputBreakdown: OutputBreakdown? = nil, occurredAt: ProtocolDate
    ) {
        self.jobID = jobID
        self.reason = reason
        self.message = message
        self.underlyingError = underlyingError
        self.totalFilesWritten = totalFilesWritten
        self.outputBreakdown = outputBreakdown
        self.occurredAt = occurredAt
    }
}

/// State of the destination (corpus-protocol.md 4.6).
public struct MacStatus: Sendable, Hashable, Codable {
    /// Whether the peer is connected.
    public var isConnected: Bool
    /// Whether a file job could start.
    public var isReadyForExports: Bool
    /// Whether a folder is chosen.
    public var destinationFolderSelected: Bool
    /// Whether the folder can be used.
    public var folderAccessHealthy: Bool
    /// Name of the folder.
    public var destinationDisplayName: String?
    /// Path of the folder, for people.
    public var destinationPathForDisplay: String?
    /// Last error, for people.
    public var lastError: String?
    /// The job that blocks others.
    public var activeJobID: UUID?
    /// The destination's capabilities.
    public var capabilities: PeerCapabilities?

    /// A status. Whether it is ready follows from the other parts.
    public init(
        isConnected: Bool, destinationFolderSelected: Bool, folderAccessHealthy: Bool,
        destinationDisplayName: String? = nil, destinationPathForDisplay: String? = nil, lastError: String? = nil,
        activeJobID: UUID? = nil, capabilities: PeerCapabilities? = nil
    ) {
        self.isConnected = isConnected
        self.destinationFolderSelected = destinationFolderSelected
        self.folderAccessHealthy = folderAccessHealthy
        self.destinationDisplayName = destinationDisplayName
        self.destinationPathForDisplay = destinationPathForDisplay
        self.lastError = lastError
        self.activeJobID = activeJobID
        self.capabilities = capabilities
        isReadyForExports =
            isConnected && destinationFolderSelected && folderAccessHealthy && activeJobID == nil
            && capabilities?.missingForFileJobs == nil
    }

    /// Whether a file job of `jobID` could start now: ready by every part of the message (corpus-protocol.md 4.6). A
    /// peer never refuses its own job because it is the active one (extensions.md 9.5).
    public func isReady(for jobID: UUID) -> Bool {
        let isFree = activeJobID == nil || activeJobID == jobID
        return isConnected && (isReadyForExports || activeJobID == jobID) && destinationFolderSelected
            && folderAccessHealthy && isFree && capabilities?.missingForFileJobs == nil
    }
}
