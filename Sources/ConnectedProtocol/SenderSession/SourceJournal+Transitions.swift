import Foundation

extension SourceJournal {
    /// Takes the next day's item into the journal.
    ///
    /// What the producer hands over is ours, so an item that does not fit is a mistake of ours and traps.
    mutating func adopt(_ item: PendingItem, at now: ProtocolDate) {
        precondition(item.sourceDate == nextSourceDate, "items are made in the order of the transfer dates")
        precondition(item.kind == manifest.mode.itemKind && item.totalBytes > 0 && item.nextOffset == 0)
        progress.items.append(item)
        progress.nextItemIndex += 1
        progress.currentDate = item.sourceDate
        touch(now)
    }

    /// Records the partition that will be sent next.
    mutating func setPending(_ partition: PendingPartition, at now: ProtocolDate) {
        precondition(progress.pendingPartition == nil, "one partition at a time")
        precondition(partition.descriptor.index == progress.committedPartitionCount)
        progress.pendingPartition = partition
        progress.currentDate = partition.descriptor.sourceDates.last
        enter(.transferring, at: now)
    }

    /// Records that the destination has committed the pending partition.
    ///
    /// - Returns: the items of which no byte is left to send; their files can go once the journal is stored.
    mutating func commitPending(at now: ProtocolDate) -> [UUID] {
        guard let pending = progress.pendingPartition else { preconditionFailure("nothing is pending") }
        let remaining = pending.manifest.remaining(of: progress.items)
        let left = Set(remaining.map(\.itemID))
        let finished = progress.items.map(\.itemID).filter { !left.contains($0) }
        progress.items = remaining
        progress.completedItemCount += finished.count
        progress.committedPartitionCount += 1
        progress.committedByteCount += pending.descriptor.byteCount
        progress.lastCommittedPartitionSHA256 = pending.descriptor.sha256
        progress.pendingPartition = nil
        touch(now)
        return finished
    }

    /// Enters a state that is not the end.
    mutating func enter(_ state: State, message: String? = nil, at now: ProtocolDate) {
        precondition(!state.isTerminal && !progress.state.isTerminal)
        progress.state = state
        progress.statusMessage = message
        touch(now)
    }

    /// Records the destination's positive final acknowledgement.
    mutating func complete(with acknowledgement: CorpusTransferFinalAck, at now: ProtocolDate) {
        precondition(hasCommittedAllItems && acknowledgement.accepted)
        progress.state = .completed
        progress.terminalAcknowledgement = acknowledgement
        progress.statusMessage = acknowledgement.message
        touch(now)
    }

    /// Ends the job without success.
    ///
    /// - Returns: the items that were left; their files can go once the journal is stored.
    mutating func end(
        _ state: State, message: String, acknowledgement: CorpusTransferFinalAck? = nil, owesCancel: Bool = false,
        at now: ProtocolDate
    ) -> [UUID] {
        precondition(state.isTerminal && state != .completed && !progress.state.isTerminal)
        let left = progress.items.map(\.itemID)
        progress.items = []
        progress.pendingPartition = nil
        progress.terminalAcknowledgement = acknowledgement
        progress.owesCancel = owesCancel
        progress.state = state
        progress.statusMessage = message
        touch(now)
        return left
    }

    /// Notes the time of a change; a clock that was set back does not let the job go back (corpus-protocol.md 9.7).
    private mutating func touch(_ now: ProtocolDate) {
        progress.updatedAt = max(progress.updatedAt, now)
    }

    /// Notes that the outcome stands in the history.
    public mutating func recordCompletion() {
        progress.completionRecorded = true
    }

    /// The status message that tells the destination about this journal (corpus-protocol.md 9.7).
    public var status: CorpusStatus {
        CorpusStatus(
            jobID: session.jobID, sessionID: session.sessionID, requestFingerprint: session.requestFingerprint,
            state: statusState, processedDays: progress.completedItemCount, totalDays: manifest.transferDates.count,
            committedPartitionCount: progress.committedPartitionCount, committedBytes: progress.committedByteCount,
            currentDate: progress.currentDate, message: progress.statusMessage, updatedAt: progress.updatedAt,
            expiresAt: expiresAt)
    }

    /// `completed` becomes `partialSuccess` when the destination had less than all days (corpus-protocol.md 9.7).
    private var statusState: CorpusState {
        switch progress.state {
        case .preparing: return .preparing
        case .transferring: return .transferring
        case .paused: return .paused
        case .finalizing: return .finalizing
        case .completed:
            guard let acknowledgement = progress.terminalAcknowledgement, let total = acknowledgement.totalCount,
                let success = acknowledgement.successCount, success < total
            else { return .completed }
            return .partialSuccess
        case .failed: return .failed
        case .cancelled: return .cancelled
        case .expired: return .expired
        }
    }
}
