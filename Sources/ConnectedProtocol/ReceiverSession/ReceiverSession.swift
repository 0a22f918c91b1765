import Foundation

/// One corpus session at the destination: admission, application and finalization as a value
/// (corpus-protocol.md 13, 15, 16).
///
/// In prose. A session is born by the first `open` that passes every check; from then on each `open` carries the same
/// session and manifest. An `open` for the next index grants one admission, which one transfer start uses up. A
/// transferred partition is *applied*: the machine checks that its segments continue the items, the driver writes the
/// bytes, and only then does ``commit(_:)`` change the journal, which the driver makes durable before it acknowledges.
/// When every day is there, `finalize` moves the session to `finalizing`, and the result to `completed` or `failed`;
/// from then on questions are answered from the journal. Nothing here waits, so a driver that fails anywhere drops its
/// changed copy and keeps the old one.
///
/// What is not durable, admission and running work, is gone after a restart: the source simply opens again.
public struct ReceiverSession: Sendable, Equatable {
    /// The durable part.
    public internal(set) var journal: DestinationJournal
    /// The one partition that may be started now.
    public internal(set) var admission: PartitionDescriptor?
    /// The partition that is being applied.
    public internal(set) var application: PartitionDescriptor?
    /// Whether the result is being made at this moment.
    public internal(set) var isFinalizationRunning = false

    /// A session of which nothing has arrived.
    init(session: CorpusSession, manifest: ExportManifest) {
        journal = DestinationJournal(session: session, manifest: manifest)
    }

    /// A session that was stored, checked before anything is done with it.
    ///
    /// - Throws: ``DestinationJournalError`` for the first invariant that does not hold. The item files are the
    ///   caller's to check.
    public init(restoring journal: DestinationJournal) throws(DestinationJournalError) {
        try journal.checkInvariants()
        self.journal = journal
    }

    /// The session's id.
    public var id: UUID { journal.session.sessionID }

    /// Partitions that are durable: the index that comes next.
    public var nextPartitionIndex: Int { journal.committedPartitions.count }

    /// Forgets what only the lost connection gave (corpus-protocol.md 16). A running application or finalization ends
    /// by itself.
    public mutating func disconnected() {
        admission = nil
    }
}
