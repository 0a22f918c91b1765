import Foundation

extension SenderSession {
    // The loop of corpus-protocol.md 12.1.

    /// Starts whatever can go on now.
    mutating func advance(at now: Moment) -> [Action] {
        guard isConnected, exchange != .ended else { return [] }
        var actions = startProduction() + startBuilding()
        guard exchange == .idle else { return actions }
        if journal.progress.pendingPartition != nil {
            actions += open(Attempt(number: 1, since: now.monotonic), at: now)
        } else if journal.hasCommittedAllItems {
            actions += finalize(at: now)
        } else if journal.progress.state != .preparing {
            journal.enter(.preparing, at: now.date)
            actions += checkpoint()
        }
        return actions
    }

    /// The peer is there, or asked again: goes on where the journal stands. Only once: a session that is already at work stays at it
    /// (extensions.md 9.7).
    mutating func resume(at now: Moment) -> [Action] {
        isConnected = true
        guard case .parked = exchange else { return [] }
        exchange = .idle
        guard journal.progress.state == .paused else { return advance(at: now) }
        journal.enter(resumedState, at: now.date)
        return checkpoint() + advance(at: now)
    }

    private var resumedState: SourceJournal.State {
        if journal.progress.pendingPartition != nil { return .transferring }
        return journal.hasCommittedAllItems ? .finalizing : .preparing
    }

    mutating func loseConnection(message: String, at now: Moment) -> [Action] {
        let stop = stopTransferIfRunning(telling: nil)
        isConnected = false
        if case .cancelling = exchange {
            return stop + endCancelled(owed: true, at: now)
        }
        guard durability == .durable else { return stop + fail(message, at: now) }
        exchange = .parked(retryAt: nil)
        guard journal.progress.state != .paused else { return stop }
        journal.enter(.paused, message: message, at: now.date)
        return stop + checkpoint()
    }

    /// Gives the exchange up for a while and keeps everything; an in-memory session has no later and ends.
    mutating func park(_ message: String, at now: Moment) -> [Action] {
        guard durability == .durable else { return fail(message, at: now) }
        let stop = stopTransferIfRunning(telling: .cancelled)
        exchange = .parked(retryAt: isConnected ? now.monotonic + timing.parkedRetry : nil)
        journal.enter(.paused, message: message, at: now.date)
        return stop + checkpoint()
    }

    /// The journal made durable, then reported: one status message after every checkpoint, to durable peers only
    /// (corpus-protocol.md 9.7).
    func checkpoint() -> [Action] {
        guard durability == .durable else { return [] }
        let store = Action.store(journal)
        return isConnected ? [store, .send(.corpusStatus(journal.status))] : [store]
    }

    func stopTransferIfRunning(telling reason: AbortReason?) -> [Action] {
        guard case .transferring = exchange else { return [] }
        return [.stopTransfer(reason)]
    }

    // MARK: Items

    /// The items as they will be when every partition that is planned is committed.
    var unplanned: [PendingItem] {
        [journal.progress.pendingPartition?.manifest, builtAhead?.manifest, buildOrder?.file.manifest]
            .compactMap(\.self).reduce(journal.progress.items) { items, manifest in manifest.remaining(of: items) }
    }

    /// Makes the next item as long as less than one partition waits: memory and disk stay bounded, and the next partition is ready when
    /// the one on its way is committed.
    mutating func startProduction() -> [Action] {
        guard !isProducing, let date = journal.nextSourceDate,
            !planner.shouldFlush(unplanned, allItemsProduced: false)
        else { return [] }
        isProducing = true
        return [
            .produceItem(
                sourceDate: date, isRequestedDate: isRequested(date),
                kind: journal.manifest.mode.itemKind)
        ]
    }

    /// `transferDates` may add supporting days to the requested ones (corpus-protocol.md 5.3).
    private func isRequested(_ date: ProtocolDate) -> Bool {
        journal.manifest.requestedDates.contains(date)
    }

    mutating func adopt(_ item: PendingItem, at now: Moment) -> [Action] {
        // After a failure the same day may have been asked for twice; the first one that comes is taken.
        guard item.sourceDate == journal.nextSourceDate else { return [.deleteItems([item.itemID])] }
        isProducing = false
        journal.adopt(item, at: now.date)
        return reportPreparation(of: item) + advance(at: now)
    }

    private func reportPreparation(of item: PendingItem) -> [Action] {
        guard isConnected, journal.origin == .macInitiated else { return [] }
        let processed = journal.progress.nextItemIndex
        let total = journal.manifest.transferDates.count
        let progress = PreparationProgress(
            jobID: journal.session.jobID, processedDays: processed, totalDays: total, currentDate: item.sourceDate,
            message: "Prepared day \(processed) of \(total)")
        return [.send(.preparationProgress(progress))]
    }

    // MARK: Building

    mutating func startBuilding() -> [Action] {
        guard buildOrder == nil, builtAhead == nil else { return [] }
        let items = unplanned
        guard planner.shouldFlush(items, allItemsProduced: journal.hasProducedAllItems) else { return [] }
        let predecessor = journal.progress.pendingPartition?.descriptor
        let plan = wellFormed {
            try planner.plan(
                items, session: journal.session,
                index: journal.progress.committedPartitionCount + (predecessor == nil ? 0 : 1),
                previousSHA256: predecessor?.sha256 ?? journal.progress.lastCommittedPartitionSHA256)
        }
        buildOrder = plan
        return [.buildPartition(plan)]
    }

    mutating func take(_ partition: SourceJournal.PendingPartition, at now: Moment) -> [Action] {
        // After a failure the same partition may have been asked for twice; the first one that comes is taken.
        guard builtAhead == nil, continues(partition) else { return [] }
        buildOrder = nil
        guard journal.progress.pendingPartition == nil else {
            builtAhead = partition
            return advance(at: now)
        }
        let wasPaused = journal.progress.state == .paused
        journal.setPending(partition, at: now.date)
        if wasPaused { journal.enter(.paused, message: journal.progress.statusMessage, at: now.date) }
        return checkpoint() + advance(at: now)
    }

    /// Whether a partition comes after those that are committed or on their way, and continues items of this journal. A result of
    /// before a failure of the store may speak of items that the stored journal never heard of.
    private func continues(_ partition: SourceJournal.PendingPartition) -> Bool {
        let predecessor = journal.progress.pendingPartition
        let items = predecessor?.manifest.remaining(of: journal.progress.items) ?? journal.progress.items
        let offsets = Dictionary(items.map { ($0.itemID, $0.nextOffset) }, uniquingKeysWith: { first, _ in first })
        return partition.descriptor.index == journal.progress.committedPartitionCount + (predecessor == nil ? 0 : 1)
            && partition.descriptor.previousSHA256
                == (predecessor?.descriptor.sha256 ?? journal.progress.lastCommittedPartitionSHA256)
            && partition.manifest.segments.allSatisfy { offsets[$0.itemID] == $0.itemOffset }
    }
}
