import Cryptography
import Foundation

/// What the source remembers of one outbound job (corpus-protocol.md 17.1).
///
/// The journal is a value: transitions change it, the driver stores it, and nothing that depends on a change leaves before the
/// change is durable. Items are files; the journal holds their length, digest and how much of them the destination has committed.
/// A pending partition is not a file of its own: its bytes are its manifest followed by ranges of item files that nobody changes,
/// so the descriptor, the manifest and the transfer identity are enough to send exactly the same bytes again.
public struct SourceJournal: Sendable, Equatable {
    /// A job lives seven days (corpus-protocol.md 18).
    public static let retention: Double = 604_800
    /// An expired journal stays one day more, so that a late question gets an answer (corpus-protocol.md 18).
    public static let expiredRetention: Double = 86_400
    /// The version of the journal's shape (corpus-protocol.md 17.1).
    public static let currentVersion = 2

    /// Who started the job.
    public enum Origin: String, Sendable, CaseIterable {
        /// The destination asked for it.
        case macInitiated = "mac_initiated"
        /// A person started it on the source.
        case interactiveIPhone = "interactive_iphone"
        /// A schedule started it on the source.
        case scheduledIPhone = "scheduled_iphone"
    }

    /// Where the job stands.
    public enum State: String, Sendable, CaseIterable {
        case preparing
        case transferring
        case paused
        case finalizing
        case completed
        case failed
        case cancelled
        case expired

        /// Nothing more will happen to the job.
        public var isTerminal: Bool {
            switch self {
            case .preparing, .transferring, .paused, .finalizing: false
            case .completed, .failed, .cancelled, .expired: true
            }
        }
    }

    /// The one partition that may be on its way.
    public struct PendingPartition: Sendable, Equatable {
        /// Kept across retries and restarts (corpus-protocol.md 10.1).
        public let transferID: UUID
        /// Size, digest and place in the chain.
        public let descriptor: PartitionDescriptor
        /// The manifest inside the partition file.
        public let manifest: PartitionManifest

        /// A built partition.
        public init(transferID: UUID, descriptor: PartitionDescriptor, manifest: PartitionManifest) {
            self.transferID = transferID
            self.descriptor = descriptor
            self.manifest = manifest
        }
    }

    /// What changes while the job runs.
    public struct Progress: Sendable, Equatable {
        /// Where the job stands.
        public var state: State = .preparing
        /// Items made so far: the index of the next transfer date.
        public var nextItemIndex = 0
        /// Items that the destination has committed completely.
        public var completedItemCount = 0
        /// Items that are not yet committed as a whole, in the order of their dates.
        public var items: [PendingItem] = []
        /// The partition on its way.
        public var pendingPartition: PendingPartition?
        /// Partitions that the destination has committed.
        public var committedPartitionCount = 0
        /// Their bytes.
        public var committedByteCount: Int64 = 0
        /// The digest of the last of them.
        public var lastCommittedPartitionSHA256: Digest?
        /// The day that is worked on.
        public var currentDate: ProtocolDate?
        /// A sentence for people; never a health value.
        public var statusMessage: String?
        /// The destination's last word.
        public var terminalAcknowledgement: CorpusTransferFinalAck?
        /// Whether a person cancelled here and the destination, which may know of the job, has not confirmed it. It is told again at
        /// every connection until it does: otherwise the job would wait there until it expires (corpus-protocol.md 15).
        public var owesCancel = false
        /// Whether the outcome has been entered into the history.
        public var completionRecorded = false
        /// When the journal last changed.
        public var updatedAt: ProtocolDate

        /// A job of which nothing is done yet.
        public init(updatedAt: ProtocolDate) {
            self.updatedAt = updatedAt
        }
    }

    /// Who started the job.
    public let origin: Origin
    /// The identity that every `open` carries.
    public let session: CorpusSession
    /// What is exported; its fingerprint is part of ``session``.
    public let manifest: ExportManifest
    /// When the journal was made.
    public let createdAt: ProtocolDate
    /// ``createdAt`` plus ``retention``.
    public let expiresAt: ProtocolDate
    /// How far the job is.
    public internal(set) var progress: Progress

    /// The journal of a job that begins.
    public init(origin: Origin, session: CorpusSession, manifest: ExportManifest, createdAt: ProtocolDate) {
        self.origin = origin
        self.session = session
        self.manifest = manifest
        self.createdAt = createdAt
        self.expiresAt = createdAt.adding(seconds: SourceJournal.retention)
        self.progress = Progress(updatedAt: createdAt)
    }

    /// A journal that was stored, checked before anything is done with it (corpus-protocol.md 17.1).
    ///
    /// - Throws: ``SourceJournalError`` for the first invariant that does not hold. The item files are the caller's to check.
    public init(
        restoring origin: Origin, session: CorpusSession, manifest: ExportManifest, createdAt: ProtocolDate,
        progress: Progress
    ) throws(SourceJournalError) {
        self.init(origin: origin, session: session, manifest: manifest, createdAt: createdAt)
        self.progress = progress
        try checkInvariants()
    }
}
