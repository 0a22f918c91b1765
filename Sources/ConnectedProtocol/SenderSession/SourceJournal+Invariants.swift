import Foundation

extension SourceJournal {
    /// The first transfer date whose item is still to be made; nil when all are made.
    public var nextSourceDate: ProtocolDate? {
        let index = progress.nextItemIndex
        return index < manifest.transferDates.count ? manifest.transferDates[index] : nil
    }

    /// Whether every item is made.
    public var hasProducedAllItems: Bool { progress.nextItemIndex == manifest.transferDates.count }

    /// Whether every byte of every item is committed, so that only finalization is left.
    public var hasCommittedAllItems: Bool {
        hasProducedAllItems && progress.items.isEmpty && progress.pendingPartition == nil
    }

    /// Checks all that can be checked without the item files (corpus-protocol.md 17.1).
    func checkInvariants() throws(SourceJournalError) {
        try checkSession()
        try checkCounts()
        try checkItems()
        if let pending = progress.pendingPartition { try check(pending) }
        try checkCompletion()
    }

    private func checkSession() throws(SourceJournalError) {
        let version = session.protocolVersion
        guard version >= 2, CorpusCapabilities.knownVersions.contains(version), session.peerBinding != nil else {
            throw .session(version: version, hasPeerBinding: session.peerBinding != nil)
        }
        guard manifest.fingerprint == session.requestFingerprint, manifest.createdAt == session.createdAt else {
            throw .fingerprint
        }
    }

    private func checkCounts() throws(SourceJournalError) {
        let progress = progress
        guard progress.completedItemCount >= 0, progress.completedItemCount <= progress.nextItemIndex,
            progress.nextItemIndex <= manifest.transferDates.count
        else { throw .counts("completed and made items do not fit the transfer dates") }
        // After a terminal state the items are gone, whatever had been done.
        guard progress.state.isTerminal || progress.completedItemCount + progress.items.count == progress.nextItemIndex
        else { throw .counts("completed and remaining items are not all items made") }
        guard progress.committedPartitionCount >= 0, progress.committedByteCount >= 0,
            (progress.committedPartitionCount == 0) == (progress.lastCommittedPartitionSHA256 == nil),
            (progress.committedPartitionCount == 0) == (progress.committedByteCount == 0)
        else { throw .counts("committed partitions, bytes and last digest do not fit") }
    }

    private func checkItems() throws(SourceJournalError) {
        var expected = progress.nextItemIndex - progress.items.count
        var identifiers: Set<UUID> = []
        for (index, item) in progress.items.enumerated() {
            guard expected >= 0, item.sourceDate == manifest.transferDates[expected] else {
                throw .item(index: index, "its date is not the next transfer date")
            }
            guard item.kind == manifest.mode.itemKind else {
                throw .item(index: index, "its kind does not fit the mode")
            }
            guard item.remainingBytes > 0 else {
                throw .item(index: index, "no byte of it is left")
            }
            // Bytes are sent in order: only the first item can be half committed.
            guard index == 0 || item.nextOffset == 0 else { throw .item(index: index, "it was begun before its turn") }
            guard identifiers.insert(item.itemID).inserted else {
                throw .item(index: index, "its identity is used twice")
            }
            expected += 1
        }
    }

    private func check(_ pending: PendingPartition) throws(SourceJournalError) {
        let descriptor = pending.descriptor
        guard descriptor.isAbout(session), descriptor.index == progress.committedPartitionCount,
            descriptor.previousSHA256 == progress.lastCommittedPartitionSHA256
        else { throw .pendingPartition("it does not follow the last committed one") }
        guard pending.manifest.isAbout(session), pending.manifest.partitionIndex == descriptor.index,
            pending.manifest.previousPartitionSHA256 == descriptor.previousSHA256,
            pending.transferID != session.jobID
        else { throw .pendingPartition("its manifest does not fit its descriptor") }
        guard pending.manifest.segments.count <= progress.items.count else {
            throw .pendingPartition("it has more segments than there are items")
        }
        for (segment, item) in zip(pending.manifest.segments, progress.items) {
            guard segment.itemID == item.itemID, segment.kind == item.kind, segment.sourceDate == item.sourceDate,
                segment.isRequestedDate == item.isRequestedDate, segment.totalItemBytes == item.totalBytes,
                segment.itemSHA256 == item.sha256, segment.itemOffset == item.nextOffset
            else { throw .pendingPartition("a segment does not continue its item") }
        }
    }

    private func checkCompletion() throws(SourceJournalError) {
        let progress = progress
        guard progress.state == .completed else {
            guard progress.terminalAcknowledgement == nil || progress.state == .failed else {
                throw .completion("an unfinished job has a final acknowledgement")
            }
            return
        }
        guard hasCommittedAllItems, progress.completedItemCount == manifest.transferDates.count,
            progress.terminalAcknowledgement?.accepted == true
        else { throw .completion("a completed job has work left or no acknowledgement") }
    }
}
