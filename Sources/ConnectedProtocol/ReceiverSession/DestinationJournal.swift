import Cryptography
import Foundation

/// What the destination remembers of one session (corpus-protocol.md 17.2).
///
/// The journal is a value: ``ReceiverSession`` changes it, the driver stores it, and nothing that depends on a change
/// is answered before the change is durable. Item files are the driver's; the journal holds their lengths and digests.
public struct DestinationJournal: Sendable, Equatable {
    /// A session lives seven days from its birth, fixed (corpus-protocol.md 18).
    public static let retentionSeconds: Double = 604_800

    /// Where the session stands.
    public enum State: String, Sendable, CaseIterable {
        /// Partitions may come.
        case open
        /// Everything is there; the result is being made.
        case finalizing
        /// The result is made and acknowledged.
        case completed
        /// Cancelled on purpose.
        case cancelled
        /// Finalization failed for good.
        case failed

        /// Whether the state never changes again.
        public var isTerminal: Bool {
            switch self {
            case .open, .finalizing: false
            case .completed, .cancelled, .failed: true
            }
        }
    }

    /// A durable partition: what a later question about it needs.
    public struct CommittedPartition: Sendable, Equatable {
        /// Bytes of the partition file.
        public let byteCount: Int64
        /// Digest of the partition file.
        public let sha256: Digest

        /// A durable partition.
        public init(byteCount: Int64, sha256: Digest) {
            self.byteCount = byteCount
            self.sha256 = sha256
        }
    }

    /// An item of which a prefix is durable.
    public struct PartialItem: Sendable, Equatable {
        /// Random, chosen by the source.
        public let itemID: UUID
        /// Which payload it carries.
        public let kind: ItemKind
        /// The exact day instant of the manifest.
        public let sourceDate: ProtocolDate
        /// Whether the day was asked for.
        public let isRequestedDate: Bool
        /// Bytes of the whole item.
        public let totalItemBytes: Int64
        /// Digest of the whole item.
        public let itemSHA256: Digest
        /// Bytes that are durable; the next segment begins here.
        public let nextOffset: Int64
        /// Digest of those bytes.
        public let prefixSHA256: Digest

        /// A durable prefix.
        public init(
            itemID: UUID, kind: ItemKind, sourceDate: ProtocolDate, isRequestedDate: Bool,
            totalItemBytes: Int64, itemSHA256: Digest, nextOffset: Int64, prefixSHA256: Digest
        ) {
            self.itemID = itemID
            self.kind = kind
            self.sourceDate = sourceDate
            self.isRequestedDate = isRequestedDate
            self.totalItemBytes = totalItemBytes
            self.itemSHA256 = itemSHA256
            self.nextOffset = nextOffset
            self.prefixSHA256 = prefixSHA256
        }
    }

    /// A day whose item is complete and passed its checks.
    public struct Day: Sendable, Equatable {
        /// The complete item.
        public let itemID: UUID
        /// The exact day instant of the manifest.
        public let sourceDate: ProtocolDate
        /// Bytes of the item.
        public let itemByteCount: Int64
        /// Digest of the item.
        public let itemSHA256: Digest
        /// What the item turned out to hold.
        public let content: DayContent

        /// A complete day.
        public init(
            itemID: UUID, sourceDate: ProtocolDate, itemByteCount: Int64, itemSHA256: Digest,
            content: DayContent
        ) {
            self.itemID = itemID
            self.sourceDate = sourceDate
            self.itemByteCount = itemByteCount
            self.itemSHA256 = itemSHA256
            self.content = content
        }
    }

    /// What a completed item holds, as far as the rules go.
    public enum DayContent: Sendable, Equatable {
        /// A health day with a record, or with records of other providers only.
        case record
        /// A health day without a record and without a failure.
        case noData
        /// A health day that could not be captured, by the reason's wire word.
        case failed(reason: String)
        /// A raw day: its status word, and where in the item its canonical document lies, if it has one.
        case raw(status: String, document: ByteRange?)

        /// Whether the item's file is needed for the result.
        public var isItemNeeded: Bool {
            switch self {
            case .record, .raw: true
            case .noData, .failed: false
            }
        }
    }

    /// Bytes of an item file.
    public struct ByteRange: Sendable, Equatable {
        /// First byte, from the start of the file.
        public let offset: Int64
        /// Number of bytes.
        public let byteCount: Int64

        /// A range.
        public init(offset: Int64, byteCount: Int64) {
            self.offset = offset
            self.byteCount = byteCount
        }
    }

    /// The identity that every `open` carries.
    public let session: CorpusSession
    /// What is exported; its fingerprint is part of ``session``.
    public let manifest: ExportManifest
    /// Where the session stands.
    public internal(set) var state: State
    /// Durable partitions, by index.
    public internal(set) var committedPartitions: [CommittedPartition]
    /// Sum of their bytes.
    public internal(set) var totalPartitionBytes: Int64
    /// Items of which a prefix is durable, by id.
    public internal(set) var partialItems: [UUID: PartialItem]
    /// Completed days, by their instants.
    public internal(set) var days: [ProtocolDate: Day]
    /// The final acknowledgement of a terminal session: positive when completed, negative when failed.
    public internal(set) var terminalAcknowledgement: CorpusTransferFinalAck?

    /// The journal of a session of which nothing has arrived.
    public init(session: CorpusSession, manifest: ExportManifest) {
        self.init(
            session: session, manifest: manifest, state: .open, committedPartitions: [], partialItems: [:], days: [:],
            terminalAcknowledgement: nil)
    }

    /// The parts of a stored journal; ``ReceiverSession/init(restoring:)`` checks them.
    public init(
        session: CorpusSession, manifest: ExportManifest, state: State, committedPartitions: [CommittedPartition],
        partialItems: [UUID: PartialItem], days: [ProtocolDate: Day],
        terminalAcknowledgement: CorpusTransferFinalAck?
    ) {
        self.session = session
        self.manifest = manifest
        self.state = state
        self.committedPartitions = committedPartitions
        self.totalPartitionBytes = committedPartitions.reduce(0) { $0 &+ $1.byteCount }
        self.partialItems = partialItems
        self.days = days
        self.terminalAcknowledgement = terminalAcknowledgement
    }

    /// When the session's life ends: `createdAt` plus seven days, whatever happens.
    public var expiresAt: ProtocolDate { session.createdAt.adding(seconds: DestinationJournal.retentionSeconds) }

    /// The digest that the next partition must name as its predecessor.
    public var lastPartitionSHA256: Digest? { committedPartitions.last?.sha256 }

    /// Completed days among the requested ones.
    public var processedRequestedDayCount: Int {
        manifest.requestedDates.reduce(0) { $0 + (days[$1] == nil ? 0 : 1) }
    }
}
