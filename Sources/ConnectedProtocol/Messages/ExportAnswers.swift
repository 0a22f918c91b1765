import Foundation

/// The source will serve a request (corpus-protocol.md 4.2).
public struct ExportAccepted: Sendable, Hashable, Codable {
    /// The job.
    public var jobID: UUID
    /// When it was accepted.
    public var acceptedAt: ProtocolDate
    /// Text for people.
    public var message: String?
    /// First day found, for all history.
    public var resolvedDateRangeStart: ProtocolDate?
    /// Last day found, for all history.
    public var resolvedDateRangeEnd: ProtocolDate?
    /// The pinned days, for all history.
    public var resolvedDateIdentifiers: [String]?

    /// An acceptance.
    public init(
        jobID: UUID, acceptedAt: ProtocolDate, message: String? = nil, resolvedDateRangeStart: ProtocolDate? = nil,
        resolvedDateRangeEnd: ProtocolDate? = nil, resolvedDateIdentifiers: [String]? = nil
    ) {
        self.jobID = jobID
        self.acceptedAt = acceptedAt
        self.message = message
        self.resolvedDateRangeStart = resolvedDateRangeStart
        self.resolvedDateRangeEnd = resolvedDateRangeEnd
        self.resolvedDateIdentifiers = resolvedDateIdentifiers
    }
}

/// How far the source has come before the first partition (corpus-protocol.md 4.3).
public struct PreparationProgress: Sendable, Hashable, Codable {
    /// The job.
    public var jobID: UUID
    /// Days prepared.
    public var processedDays: Int
    /// Days in all.
    public var totalDays: Int
    /// The day at hand.
    public var currentDate: ProtocolDate?
    /// Text for people.
    public var message: String

    /// A progress report.
    public init(jobID: UUID, processedDays: Int, totalDays: Int, currentDate: ProtocolDate? = nil, message: String) {
        self.jobID = jobID
        self.processedDays = processedDays
        self.totalDays = totalDays
        self.currentDate = currentDate
        self.message = message
    }
}

/// Why a source refuses a request (corpus-protocol.md 4.4).
public enum ExportRejectionReason: String, Sendable, Codable {
    /// A capability is missing, or the request is malformed.
    case unsupportedPeer
    /// The days are not usable.
    case invalidDateRange
    /// Access to the data is not granted.
    case healthKitNotAuthorized
    /// A quota is used up.
    case exportLimitReached
    /// The destination cannot take files.
    case macDestinationUnavailable
    /// The data could not be read.
    case healthKitFetchFailed
    /// Another request is active.
    case requestAlreadyInProgress
    /// Cancelled.
    case cancelled
    /// Took too long.
    case timedOut
    /// Something else; also every reason that this build does not know.
    case unknown

    /// Reads a reason; a word that is not known here means `unknown`.
    public init(from decoder: Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        self = ExportRejectionReason(rawValue: word) ?? .unknown
    }
}

/// The source refuses a request (corpus-protocol.md 4.4).
public struct ExportRejected: Sendable, Hashable, Codable {
    /// The job, when there is one.
    public var jobID: UUID?
    /// Why.
    public var reason: ExportRejectionReason
    /// Text for people.
    public var message: String
    /// Further text.
    public var underlyingError: String?
    /// When.
    public var occurredAt: ProtocolDate

    /// A refusal.
    public init(
        jobID: UUID?, reason: ExportRejectionReason, message: String, underlyingError: String? = nil,
        occurredAt: ProtocolDate
    ) {
        self.jobID = jobID
        self.reason = reason
        self.message = message
        self.underlyingError = underlyingError
        self.occurredAt = occurredAt
    }
}
