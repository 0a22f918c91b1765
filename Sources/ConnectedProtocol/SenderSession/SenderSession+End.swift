import Foundation

extension SenderSession {
    // MARK: Finalization (corpus-protocol.md 9.3, 9.4, 12.1)

    mutating func finalize(at now: Moment) -> [Action] {
        var actions: [Action] = []
        if journal.progress.state != .finalizing {
            journal.enter(.finalizing, at: now.date)
            actions = checkpoint()
        }
        exchange = .finalizing(tries: 1, since: now.monotonic, deadline: now.monotonic + timing.finalizeWait)
        return actions + [finalizeMessage]
    }

    private var finalizeMessage: Action {
        .send(
            .corpusFinalize(
                wellFormed {
                    try CorpusTransferFinalize(
                        sessionID: journal.session.sessionID, jobID: journal.session.jobID,
                        requestFingerprint: journal.session.requestFingerprint,
                        partitionCount: journal.progress.committedPartitionCount,
                        totalByteCount: journal.progress.committedByteCount,
                        finalPartitionSHA256: journal.progress.lastCommittedPartitionSHA256)
                }))
    }

    mutating func finalizeAgain(tries: Int, since: Double, at now: Moment) -> [Action] {
        let isOut =
            timing.finalizeTries.map { tries >= $0 } ?? false
            || timing.finalizeWindow.map { now.monotonic - since >= $0 } ?? false
        guard !isOut else { return park("The destination did not confirm the end yet.", at: now) }
        exchange = .finalizing(tries: tries + 1, since: since, deadline: now.monotonic + timing.finalizeWait)
        return [finalizeMessage]
    }

    /// The destination's last word. It counts whenever all is committed, also when it comes after we stopped waiting.
    mutating func handle(_ acknowledgement: CorpusTransferFinalAck, at now: Moment) -> [Action] {
        guard journal.hasCommittedAllItems else { return [] }
        guard acknowledgement.isAboutRequest(of: journal.session) else {
            return fail("The destination confirmed another session.", at: now)
        }
        guard acknowledgement.accepted else {
            let reason = acknowledgement.message ?? "no reason given"
            return fail("The destination refused the export: \(reason)", acknowledgement: acknowledgement, at: now)
        }
        guard acknowledgement.finalPartitionSHA256 == journal.progress.lastCommittedPartitionSHA256 else {
            return fail("The destination confirmed other data.", at: now)
        }
        journal.complete(with: acknowledgement, at: now.date)
        exchange = .ended
        return checkpoint() + [.ended(journal)]
    }

    // MARK: Cancellation (corpus-protocol.md 15)

    mutating func cancelledByPeer(answer: Bool, message: String?, at now: Moment) -> [Action] {
        var actions: [Action]
        if case .cancelling = exchange {
            // A destination that was busy when the person's cancel came honours it with a cancel of its own.
            actions = endCancelled(owed: false, at: now)
        } else {
            let text = "The destination cancelled the job" + (message.map { ": \($0)" } ?? ".")
            actions = end(.cancelled, message: text, at: now)
        }
        if answer {
            let ended = actions.removeLast()
            actions += [cancelAnswer(accepted: true, at: now), ended]
        }
        return actions
    }

    private func cancelAnswer(accepted: Bool, at now: Moment) -> Action {
        .send(
            .corpusCancelAck(
                CorpusTransferCancelAck(
                    sessionID: journal.session.sessionID, jobID: journal.session.jobID, accepted: accepted,
                    acknowledgedAt: now.date, message: nil)))
    }

    mutating func cancelByUser(at now: Moment) -> [Action] {
        if case .cancelling = exchange { return [] }
        // An `open` is sent for a pending partition: without one and without a committed one no session stands there.
        let mayBeKnown = journal.progress.pendingPartition != nil || journal.progress.committedPartitionCount > 0
        guard isConnected, mayBeKnown else { return endCancelled(owed: mayBeKnown, at: now) }
        let stop = stopTransferIfRunning(telling: .cancelled)
        exchange = .cancelling(resendAt: nil, deadline: now.monotonic + timing.cancelWait)
        return stop + [cancelMessage(.userRequested, at: now)]
    }

    private func cancelMessage(_ reason: CancelReason, at now: Moment) -> Action {
        .send(
            .corpusCancel(
                CorpusTransferCancel(
                    sessionID: journal.session.sessionID, jobID: journal.session.jobID, reason: reason, message: nil,
                    requestedAt: now.date)))
    }

    /// An accepted cancel ends the job; a refused one is tried again, because the destination refuses only while one of its
    /// transactions is running.
    mutating func handle(_ acknowledgement: CorpusTransferCancelAck, at now: Moment) -> [Action] {
        guard case .cancelling(_, let deadline) = exchange, acknowledgement.isAbout(journal.session) else { return [] }
        guard acknowledgement.accepted else {
            exchange = .cancelling(resendAt: now.monotonic + timing.attemptDelay, deadline: deadline)
            return []
        }
        return endCancelled(owed: false, at: now)
    }

    mutating func cancelAgain(deadline: Double, at now: Moment) -> [Action] {
        guard now.monotonic < deadline else { return endCancelled(owed: true, at: now) }
        exchange = .cancelling(resendAt: nil, deadline: deadline)
        return [cancelMessage(.userRequested, at: now)]
    }

    /// A person's cancel takes effect here, whether the destination has confirmed it or not.
    mutating func endCancelled(owed: Bool, at now: Moment) -> [Action] {
        end(
            .cancelled, message: "Cancelled by the person at the source.", owesCancel: owed && durability == .durable,
            at: now)
    }

    // MARK: The end

    /// Ends the job as failed. The in-memory sender tells the peer with a cancel, the durable one with its status.
    mutating func fail(_ message: String, acknowledgement: CorpusTransferFinalAck? = nil, at now: Moment) -> [Action] {
        let tell = durability == .inMemory && isConnected ? [cancelMessage(.protocolError, at: now)] : []
        return tell + end(.failed, message: message, acknowledgement: acknowledgement, at: now)
    }

    /// Ends the job without success: stored, then its files are deleted, then told.
    mutating func end(
        _ state: SourceJournal.State, message: String, acknowledgement: CorpusTransferFinalAck? = nil,
        owesCancel: Bool = false, at now: Moment
    ) -> [Action] {
        let stop = stopTransferIfRunning(telling: isConnected ? .cancelled : nil)
        let left = journal.end(
            state, message: message, acknowledgement: acknowledgement, owesCancel: owesCancel, at: now.date)
        exchange = .ended
        builtAhead = nil
        buildOrder = nil
        let delete: [Action] = left.isEmpty ? [] : [.deleteItems(left)]
        return stop + checkpoint() + delete + [.ended(journal)]
    }

    /// What is still said after the end: a cancel is answered, a peer that asks again is told the state, and an item that was still
    /// being made is deleted.
    mutating func answerAfterEnd(_ event: Event, at now: Moment) -> [Action] {
        switch event {
        case .peerCancelled(let answer, _):
            return answer ? [cancelAnswer(accepted: false, at: now)] : []
        case .itemProduced(let item):
            return [.deleteItems([item.itemID])]
        case .peerReady:
            isConnected = true
            return durability == .durable ? [.send(.corpusStatus(journal.status))] : []
        case .peerLost, .interrupted:
            isConnected = false
            return []
        case .partitionBuilt, .localFailure, .disposition, .transferEnded, .finalAck, .userCancelled, .cancelAck,
            .identityChanged, .timer:
            return []
        }
    }
}
