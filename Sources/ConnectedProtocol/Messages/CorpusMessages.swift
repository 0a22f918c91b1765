import Cryptography
import Foundation

/// Asks to send one partition (corpus-protocol.md 9.1).
public struct CorpusTransferOpen: Sendable, Hashable {
    /// The session.
    public let session: CorpusSession
    /// The partition.
    public let partition: PartitionDescriptor
    /// What the session exports. Optional in the type; an open without it is refused.
    public let exportManifest: ExportManifest?

    /// An open; throws `CorpusModelError.mismatchedSession` unless both parts name the same session and job.
    public init(session: CorpusSession, partition: PartitionDescriptor, exportManifest: ExportManifest?) throws {
        guard session.sessionID == partition.sessionID, session.jobID == partition.jobID else {
            throw CorpusModelError.mismatchedSession
        }
        self.session = session
        self.partition = partition
        self.exportManifest = exportManifest
    }
}

/// What the destination decided about a partition.
public enum PartitionDisposition: String, Sendable, Codable {
    /// The first partition may be sent.
    case accept
    /// A later partition may be sent.
    case resume
    /// The partition is durable already.
    case alreadyCommitted = "already_committed"
    /// Refused.
    case reject
}

/// Answer to an open (corpus-protocol.md 9.2).
public struct CorpusTransferDisposition: Sendable, Hashable, Codable {
    /// The session.
    public let sessionID: UUID
    /// The job.
    public let jobID: UUID
    /// Index asked about.
    public let partitionIndex: Int
    /// Digest asked about.
    public let partitionSHA256: Digest
    /// The decision.
    public let disposition: PartitionDisposition
    /// The index that the destination wants next.
    public let nextPartitionIndex: Int
    /// Text for people; never parsed.
    public let message: String?

    /// An answer; throws `CorpusModelError.disposition` when the next index contradicts the decision.
    public init(
        sessionID: UUID, jobID: UUID, partitionIndex: Int, partitionSHA256: Digest,
        disposition: PartitionDisposition, nextPartitionIndex: Int, message: String? = nil
    ) throws {
        guard partitionIndex >= 0 else { throw CorpusModelError.partitionIndex }
        let isCoherent =
            switch disposition {
            case .accept, .resume: nextPartitionIndex == partitionIndex
            case .alreadyCommitted: nextPartitionIndex > partitionIndex
            case .reject: nextPartitionIndex >= 0
            }
        guard isCoherent else { throw CorpusModelError.disposition }
        self.sessionID = sessionID
        self.jobID = jobID
        self.partitionIndex = partitionIndex
        self.partitionSHA256 = partitionSHA256
        self.disposition = disposition
        self.nextPartitionIndex = nextPartitionIndex
        self.message = message
    }

    /// Reads and checks an answer.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            sessionID: container.decode(UUID.self, forKey: .sessionID),
            jobID: container.decode(UUID.self, forKey: .jobID),
            partitionIndex: container.decode(Int.self, forKey: .partitionIndex),
            partitionSHA256: container.decode(Digest.self, forKey: .partitionSHA256),
            disposition: container.decode(PartitionDisposition.self, forKey: .disposition),
            nextPartitionIndex: container.decode(Int.self, forKey: .nextPartitionIndex),
            message: container.decodeIfPresent(String.self, forKey: .message))
    }
}

/// Says that every partition was sent (corpus-protocol.md 9.3).
public struct CorpusTransferFinalize: Sendable, Hashable, Codable {
    /// The session.
    public let sessionID: UUID
    /// The job.
    public let jobID: UUID
    /// Identity of the request.
    public let requestFingerprint: RequestFingerprint
    /// Number of partitions.
    public let partitionCount: Int
    /// Sum of their sizes.
    public let totalByteCount: Int64
    /// Digest of the last one; nil exactly when there is none.
    public let finalPartitionSHA256: Digest?

    /// A finalization; throws `CorpusModelError.finalization` when its parts contradict each other.
    public init(
        sessionID: UUID, jobID: UUID, requestFingerprint: RequestFingerprint, partitionCount: Int,
        totalByteCount: Int64, finalPartitionSHA256: Digest?
    ) throws {
        guard partitionCount >= 0, totalByteCount >= 0, (finalPartitionSHA256 != nil) == (partitionCount > 0) else {
            throw CorpusModelError.finalization
        }
        self.sessionID = sessionID
        self.jobID = jobID
        self.requestFingerprint = requestFingerprint
        self.partitionCount = partitionCount
        self.totalByteCount = totalByteCount
        self.finalPartitionSHA256 = finalPartitionSHA256
    }

    /// Reads and checks a finalization.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            sessionID: container.decode(UUID.self, forKey: .sessionID),
            jobID: container.decode(UUID.self, forKey: .jobID),
            requestFingerprint: container.decode(RequestFingerprint.self, forKey: .requestFingerprint),
            partitionCount: container.decode(Int.self, forKey: .partitionCount),
            totalByteCount: container.decode(Int64.self, forKey: .totalByteCount),
            finalPartitionSHA256: container.decodeIfPresent(Digest.self, forKey: .finalPartitionSHA256))
    }
}

/// Answer to a finalization (corpus-protocol.md 9.4).
public struct CorpusTransferFinalAck: Sendable, Hashable, Codable {
    /// The session.
    public let sessionID: UUID
    /// The job.
    public let jobID: UUID
    /// Whether the session is complete.
    public let accepted: Bool
    /// Identity of the request.
    public let requestFingerprint: RequestFingerprint
    /// Digest of the last partition.
    public let finalPartitionSHA256: Digest?
    /// Days that are durable.
    public let completedDates: [ProtocolDate]?
    /// Days that succeeded.
    public let successCount: Int?
    /// Days requested.
    public let totalCount: Int?
    /// Text for people; never parsed.
    public let message: String?

    /// An answer; throws `CorpusModelError.finalization` when its counts contradict each other.
    public init(
        sessionID: UUID, jobID: UUID, accepted: Bool, requestFingerprint: RequestFingerprint,
        finalPartitionSHA256: Digest?, completedDates: [ProtocolDate]? = nil, successCount: Int? = nil,
        totalCount: Int? = nil, message: String? = nil
    ) throws {
        guard completedDates?.isStrictlyAscending ?? true, (totalCount ?? 0) >= 0, (successCount ?? 0) >= 0 else {
            throw CorpusModelError.finalization
        }
        if let totalCount {
            guard (completedDates?.count ?? 0) <= totalCount, (successCount ?? 0) <= totalCount else {
                throw CorpusModelError.finalization
            }
        }
        self.sessionID = sessionID
        self.jobID = jobID
        self.accepted = accepted
        self.requestFingerprint = requestFingerprint
        self.finalPartitionSHA256 = finalPartitionSHA256
        self.completedDates = completedDates
        self.successCount = successCount
        self.totalCount = totalCount
        self.message = message
    }

    /// Reads and checks an answer.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            sessionID: container.decode(UUID.self, forKey: .sessionID),
            jobID: container.decode(UUID.self, forKey: .jobID),
            accepted: container.decode(Bool.self, forKey: .accepted),
            requestFingerprint: container.decode(RequestFingerprint.self, forKey: .requestFingerprint),
            finalPartitionSHA256: container.decodeIfPresent(Digest.self, forKey: .finalPartitionSHA256),
            completedDates: container.decodeIfPresent([ProtocolDate].self, forKey: .completedDates),
            successCount: container.decodeIfPresent(Int.self, forKey: .successCount),
            totalCount: container.decodeIfPresent(Int.self, forKey: .totalCount),
            message: container.decodeIfPresent(String.self, forKey: .message))
    }
}

/// Why a session is cancelled.
public enum CancelReason: String, Sendable, Codable {
    /// A person wanted it.
    case userRequested = "user_requested"
    /// The request is another one now.
    case requestChanged = "request_changed"
    /// The peer broke the protocol.
    case protocolError = "protocol_error"
    /// The connection was lost.
    case disconnected
    /// It took too long.
    case timedOut = "timed_out"
}

/// Cancels a session, in either direction (corpus-protocol.md 9.5).
public struct CorpusTransferCancel: Sendable, Hashable, Codable {
    /// The session.
    public var sessionID: UUID
    /// The job.
    public var jobID: UUID
    /// Why.
    public var reason: CancelReason
    /// Text for people.
    public var message: String?
    /// When.
    public var requestedAt: ProtocolDate

    /// A cancellation.
    public init(
        sessionID: UUID, jobID: UUID, reason: CancelReason, message: String? = nil, requestedAt: ProtocolDate
    ) {
        self.sessionID = sessionID
        self.jobID = jobID
        self.reason = reason
        self.message = message
        self.requestedAt = requestedAt
    }
}

/// Answer to a cancellation (corpus-protocol.md 9.6).
public struct CorpusTransferCancelAck: Sendable, Hashable, Codable {
    /// The session.
    public var sessionID: UUID
    /// The job.
    public var jobID: UUID
    /// Whether the session is cancelled now.
    public var accepted: Bool
    /// When.
    public var acknowledgedAt: ProtocolDate
    /// Text for people.
    public var message: String?

    /// An answer.
    public init(
        sessionID: UUID, jobID: UUID, accepted: Bool, acknowledgedAt: ProtocolDate, message: String? = nil
    ) {
        self.sessionID = sessionID
        self.jobID = jobID
        self.accepted = accepted
        self.acknowledgedAt = acknowledgedAt
        self.message = message
    }
}

/// State of a job at the source (corpus-protocol.md 9.7).
public enum CorpusState: String, Sendable, Codable {
    /// Days are read.
    case preparing
    /// Partitions are sent.
    case transferring
    /// Waiting for the destination.
    case paused
    /// Waiting for the last answer.
    case finalizing
    /// Done.
    case completed
    /// Done, with days that failed.
    case partialSuccess
    /// Failed.
    case failed
    /// Cancelled.
    case cancelled
    /// Too old.
    case expired

    /// Whether nothing follows.
    public var isTerminal: Bool {
        switch self {
        case .preparing, .transferring, .paused, .finalizing: false
        case .completed, .partialSuccess, .failed, .cancelled, .expired: true
        }
    }
}

/// How far a durable source has come (corpus-protocol.md 9.7).
public struct CorpusStatus: Sendable, Hashable, Codable {
    /// The job.
    public var jobID: UUID
    /// The session.
    public var sessionID: UUID
    /// Identity of the request.
    public var requestFingerprint: RequestFingerprint
    /// State.
    public var state: CorpusState
    /// Completely committed items.
    public var processedDays: Int
    /// Items in all.
    public var totalDays: Int
    /// Committed partitions.
    public var committedPartitionCount: Int
    /// Their bytes.
    public var committedBytes: Int64
    /// The day at hand.
    public var currentDate: ProtocolDate?
    /// Text for people.
    public var message: String?
    /// When; never goes backwards.
    public var updatedAt: ProtocolDate
    /// End of the job's life.
    public var expiresAt: ProtocolDate

    /// A status.
    public init(
        jobID: UUID, sessionID: UUID, requestFingerprint: RequestFingerprint, state: CorpusState,
        processedDays: Int, totalDays: Int, committedPartitionCount: Int, committedBytes: Int64,
        currentDate: ProtocolDate? = nil, message: String? = nil, updatedAt: ProtocolDate, expiresAt: ProtocolDate
    ) {
        self.jobID = jobID
        self.sessionID = sessionID
        self.requestFingerprint = requestFingerprint
        self.state = state
        self.processedDays = processedDays
        self.totalDays = totalDays
        self.committedPartitionCount = committedPartitionCount
        self.committedBytes = committedBytes
        self.currentDate = currentDate
        self.message = message
        self.updatedAt = updatedAt
        self.expiresAt = expiresAt
    }
}
