import Foundation

/// One job of the receiver: the durable record of control-api.md 8.
///
/// A value; ``JobBook`` changes it, the store keeps it as one row.
public struct Job: Hashable, Sendable {
    /// Who started it.
    public enum Origin: String, Hashable, Sendable {
        /// A client of the control API.
        case macInitiated = "mac_initiated"
        /// The phone pushed it (corpus-protocol.md 13.1).
        case sourceInitiated = "source_initiated"
    }

    /// The life of a job in seconds (control-api.md 10).
    public static let retentionSeconds: Int64 = 604_800

    /// The job's id on the API and on the wire.
    public let id: UUID
    /// Who started it.
    public let origin: Origin
    /// The immutable request; nil for a source-initiated job.
    public let request: JobRequest?
    /// The phone it belongs to.
    public let peerInstallationID: UUID
    /// The phone's name when the job was made.
    public var peerName: String
    /// Whether both sides can recover it (corpus-protocol.md 3.3).
    public var isDurable: Bool
    /// Where files go: the bound root. Nil for raw jobs.
    public var destination: DestinationBinding?
    /// Whole Unix seconds.
    public let createdAt: Int64
    /// Whole Unix seconds.
    public var updatedAt: Int64
    /// Whole Unix seconds; always ``lifeEnd``.
    public var expiresAt: Int64
    /// Where it stands.
    public var state: JobState
    /// The transfer session, once one was opened.
    public var sessionID: UUID?
    /// When that session was made by the phone: whole Unix seconds.
    public var sessionCreatedAt: Int64?
    /// The requested labels: from the request, or pinned by the phone for `all_available`.
    public var pinnedDates: [String]?
    /// Days done; never decreases.
    public var processedDays = 0
    /// Days requested; 0 while unknown.
    public var totalDays = 0
    /// Durable partitions; never decreases.
    public var committedPartitions = 0
    /// Their bytes; never decreases.
    public var committedBytes: Int64 = 0
    /// `updatedAt` of the last status of the phone that was heeded, seconds since 2001.
    public var lastPeerStatusAt: Double?
    /// A sentence about the present step.
    public var message: String
    /// A cancel that waits for the next file boundary (control-api.md 10).
    public var isCancellationWanted = false
    /// A cancelled job whose phone has not been told yet.
    public var owesCancelToPeer = false
    /// The stored response of a terminal job.
    public var result: ControlResponse?

    /// A new job.
    public init(
        id: UUID, origin: Origin, request: JobRequest?, peerInstallationID: UUID, peerName: String,
        isDurable: Bool, destination: DestinationBinding?, createdAt: Int64, state: JobState, message: String
    ) {
        self.id = id
        self.origin = origin
        self.request = request
        self.peerInstallationID = peerInstallationID
        self.peerName = peerName
        self.isDurable = isDurable
        self.destination = destination
        self.createdAt = createdAt
        self.updatedAt = createdAt
        self.expiresAt = createdAt + Job.retentionSeconds
        self.state = state
        self.message = message
    }

    /// When the job ends its life: seven days after the later of its own and its session's birth. A job that the phone started is
    /// nothing without its session, whose life is fixed (corpus-protocol.md 18), so there the session's birth counts alone.
    public var lifeEnd: Int64 {
        let birth = sessionCreatedAt.map { origin == .sourceInitiated ? $0 : max(createdAt, $0) } ?? createdAt
        return birth + Job.retentionSeconds
    }

    /// Files or a raw result; a source-initiated job always writes files.
    public var responseMode: JobRequest.ResponseMode { request?.responseMode ?? .writeFiles }

    /// The durable keys of responses.
    public var durableState: DurableState {
        DurableState(
            isDurable: isDurable, state: state, sessionID: sessionID, processedDays: processedDays,
            totalDays: totalDays, committedPartitions: committedPartitions, committedBytes: committedBytes,
            expiresAt: expiresAt)
    }

    /// The response object as things stand: the stored one of a terminal job (control-api.md 7).
    public var response: ControlResponse {
        var response: ControlResponse
        if let result {
            response = result
        } else {
            switch state {
            case .queued, .sent, .accepted:
                response = ControlResponse(status: .accepted, message: message, jobID: id)
            case .preparing, .transferring, .paused:
                response = ControlResponse(status: .preparing, message: message, jobID: id)
            case .completed, .failed, .cancelled:
                // A terminal state is stored together with its response; the store refuses any other row.
                preconditionFailure("a terminal job without a stored response")
            }
        }
        if isCancellationWanted {
            response.status = .preparing
            response.failureReason = "cancellation_deferred"
        }
        if isDurable { response.durable = durableState }
        return response
    }
}

/// The destination of a job, bound by its real path and identity so that a swapped folder is noticed.
public struct DestinationBinding: Hashable, Sendable {
    /// The real path when it was bound.
    public var path: String
    /// Device of the root.
    public var device: UInt64
    /// Inode of the root.
    public var inode: UInt64

    /// A binding.
    public init(path: String, device: UInt64, inode: UInt64) {
        self.path = path
        self.device = device
        self.inode = inode
    }

    /// The last component of the path, for people.
    public var displayName: String { path.split(separator: "/").last.map(String.init) ?? "/" }
}
