import Foundation

/// The source's side of one corpus session, as a value: events in, actions out (corpus-protocol.md 12, 15, 16, 17.1, 18).
///
/// The loop, after every event, is: send the pending partition; else build one when enough is buffered; else make the next day's
/// item; else finalize. Three things run side by side, so that neither the disk nor the network waits for the other: the
/// *exchange* with the peer (``Exchange``), the *production* of the next item, and the *building* of the partition after the
/// one that is on its way. A partition that was built ahead is not journaled before its predecessor is committed.
///
/// `.store` comes before every action that depends on what it stores. The driver performs actions in order, and stops at a
/// store that fails. A parked job keeps everything and waits for ``Event/peerReady``, for a replay of its request or for its retry
/// time; only a peer's or a person's cancellation, a contradiction or the expiry ends it without success.
public struct SenderSession: Sendable {
    /// Whether the session survives a lost connection.
    public enum Durability: Sendable, Equatable {
        /// Journaled, resumed, reported with status messages (corpus-protocol.md 3.3, 12.1).
        case durable
        /// Lives and dies with its connection (corpus-protocol.md 12.2).
        case inMemory
    }

    /// What happens to a session.
    public enum Event: Sendable {
        /// The peer of this session is connected and has said hello, or has asked again: go on.
        case peerReady
        /// The connection is gone.
        case peerLost
        /// The item asked for with ``Action/produceItem(sourceDate:isRequestedDate:kind:)`` is on disk.
        case itemProduced(PendingItem)
        /// The partition asked for with ``Action/buildPartition(_:)`` is built and its items are on stable storage.
        case partitionBuilt(SourceJournal.PendingPartition)
        /// An item or a partition could not be made. A want of space or a failing disk parks the job; an item file that is
        /// missing or was changed (`isFinal`) ends it.
        case localFailure(code: String, message: String, isFinal: Bool)
        /// The peer's answer to `open`.
        case disposition(CorpusTransferDisposition)
        /// How the transfer begun with ``Action/beginTransfer(_:)`` ended.
        case transferEnded(TransferOutcome)
        /// The peer's answer to `finalize`.
        case finalAck(CorpusTransferFinalAck)
        /// The peer cancels the job (`iphoneExportCancel`) or its session (`connectedCorpusTransferCancel`).
        case peerCancelled(answer: Bool, message: String?)
        /// A person cancels the job here.
        case userCancelled
        /// The peer's answer to our cancel.
        case cancelAck(CorpusTransferCancelAck)
        /// The peer or this installation is no longer the one that the session is bound to.
        case identityChanged
        /// The service stops; everything stays for the next start.
        case interrupted
        /// A deadline may have passed.
        case timer
    }

    /// How a transfer ended (corpus-protocol.md 10, 12.1).
    public enum TransferOutcome: Sendable, Equatable {
        /// The final ack was accepted.
        case accepted
        /// The peer or the transfer machine gave up; the reason decides what follows.
        case aborted(AbortReason, message: String?)
    }

    /// What the driver does for a session, in order.
    public enum Action: Sendable {
        /// Make the journal durable before anything that follows.
        case store(SourceJournal)
        /// Send a message to the peer.
        case send(SyncMessage)
        /// Make the item of a day in the background and report it.
        case produceItem(sourceDate: ProtocolDate, isRequestedDate: Bool, kind: ItemKind)
        /// Build a partition in the background and report it.
        case buildPartition(PartitionPlan)
        /// Transfer the pending partition and report the outcome.
        case beginTransfer(SourceJournal.PendingPartition)
        /// Stop the running transfer; with a reason, tell the peer.
        case stopTransfer(AbortReason?)
        /// Delete the files of these items.
        case deleteItems([UUID])
        /// The session has ended; the journal says how.
        case ended(SourceJournal)
    }

    /// What the exchange with the peer is waiting for.
    enum Exchange: Sendable, Equatable {
        /// Not connected, or given up for a while: nothing is sent.
        case parked(retryAt: Double?)
        /// Connected; local work has to come first.
        case idle
        /// `open` is sent.
        case opening(Attempt, tries: Int, deadline: Double)
        /// The transfer runs.
        case transferring(Attempt)
        /// The next attempt starts at a time.
        case betweenAttempts(Attempt, at: Double)
        /// `finalize` is sent.
        case finalizing(tries: Int, since: Double, deadline: Double)
        /// `cancel` is sent, and is sent again at a time when the peer was busy.
        case cancelling(resendAt: Double?, deadline: Double)
        /// Over.
        case ended
    }

    /// The tries of one partition.
    struct Attempt: Sendable, Equatable {
        var number: Int
        var since: Double
    }

    /// Whether the session survives a lost connection.
    public let durability: Durability
    /// Waits and tries.
    public let timing: SenderTiming
    /// Packs items into partitions.
    let planner: PartitionPlanner
    /// The state that survives.
    public internal(set) var journal: SourceJournal
    var exchange: Exchange
    /// Whether the session speaks over a connection now.
    public internal(set) var isConnected = false
    var isProducing = false
    /// What the driver is building.
    var buildOrder: PartitionPlan?
    /// The partition after the pending one, when it is built already.
    var builtAhead: SourceJournal.PendingPartition?

    /// A session that begins, or goes on from a stored journal. It is parked until ``Event/peerReady``.
    ///
    /// - Parameter planner: packs otherwise than for the session's target; for tests.
    public init(
        journal: SourceJournal, durability: Durability = .durable, timing: SenderTiming? = nil,
        planner: PartitionPlanner? = nil
    ) {
        self.journal = journal
        self.durability = durability
        self.planner = planner ?? PartitionPlanner(targetBytes: journal.session.partitionTargetBytes)
        self.timing = timing ?? (durability == .durable ? .durable : .inMemory)
        self.exchange = journal.progress.state.isTerminal ? .ended : .parked(retryAt: nil)
    }

    /// When ``Event/timer`` is due, on the monotonic clock; nil when nothing is waited for.
    public var nextDeadline: Double? {
        switch exchange {
        case .parked(let retryAt): retryAt
        case .idle, .transferring, .ended: nil
        case .opening(_, _, let deadline): deadline
        case .betweenAttempts(_, let time): time
        case .finalizing(_, _, let deadline): deadline
        case .cancelling(let resendAt, let deadline): min(resendAt ?? deadline, deadline)
        }
    }

    /// Whether the session waits for its peer, for a replay of its request or for its retry time.
    public var isParked: Bool {
        if case .parked = exchange { return true }
        return false
    }

    /// Whether the session is over.
    public var hasEnded: Bool { exchange == .ended }

    /// Takes one event and says what to do about it.
    public mutating func handle(_ event: Event, at now: Moment) -> [Action] {
        if exchange == .ended { return answerAfterEnd(event, at: now) }
        if now.wall >= journal.expiresAt.secondsSince2001 {
            let actions = end(.expired, message: "The job is older than seven days. Ask for the export again.", at: now)
            // An item that was being made comes too late for the journal, so the journal does not name it.
            guard case .itemProduced(let item) = event else { return actions }
            return [.deleteItems([item.itemID])] + actions
        }
        switch event {
        case .peerReady: return resume(at: now)
        case .peerLost: return loseConnection(message: "The connection was lost.", at: now)
        case .interrupted: return loseConnection(message: "The service was stopped.", at: now)
        case .itemProduced(let item): return adopt(item, at: now)
        case .partitionBuilt(let partition): return take(partition, at: now)
        case .localFailure(let code, let message, let isFinal):
            isProducing = false
            buildOrder = nil
            let text = "\(message) (\(code))"
            return isFinal ? fail(text, at: now) : park(text, at: now)
        case .disposition(let disposition): return handle(disposition, at: now)
        case .transferEnded(let outcome): return handle(outcome, at: now)
        case .finalAck(let acknowledgement): return handle(acknowledgement, at: now)
        case .peerCancelled(let answer, let message): return cancelledByPeer(answer: answer, message: message, at: now)
        case .userCancelled: return cancelByUser(at: now)
        case .cancelAck(let acknowledgement): return handle(acknowledgement, at: now)
        case .identityChanged:
            return fail("The peer or this installation is not the one that the job began with.", at: now)
        case .timer: return handleTimer(at: now)
        }
    }
}
