import Foundation

extension SenderSession {
    // One partition: open, transfer, commit (corpus-protocol.md 12.1).

    mutating func open(_ attempt: Attempt, at now: Moment) -> [Action] {
        exchange = .opening(attempt, tries: 1, deadline: now.monotonic + timing.openWait)
        return [openMessage]
    }

    private var openMessage: Action {
        guard let pending = journal.progress.pendingPartition else { preconditionFailure("nothing is pending") }
        return .send(
            .corpusOpen(
                wellFormed {
                    try CorpusTransferOpen(
                        session: journal.session, partition: pending.descriptor, exportManifest: journal.manifest)
                }))
    }

    mutating func handle(_ disposition: CorpusTransferDisposition, at now: Moment) -> [Action] {
        // Nothing is asked: the answer to an earlier try of the same question (extensions.md 9.4).
        guard case .opening(let attempt, _, _) = exchange, let pending = journal.progress.pendingPartition else {
            return []
        }
        if isAboutCommitted(disposition) { return [] }
        guard disposition.isAbout(journal.session), disposition.partitionIndex == pending.descriptor.index,
            disposition.partitionSHA256 == pending.descriptor.sha256
        else { return fail("The destination answered for another partition.", at: now) }
        switch disposition.disposition {
        case .alreadyCommitted:
            return commit(at: now)
        case .accept, .resume:
            exchange = .transferring(attempt)
            return [.beginTransfer(pending)]
        case .reject:
            let reason = disposition.message ?? "no reason given"
            return durability == .durable
                ? park("The destination refused a partition: \(reason)", at: now)
                : fail("The destination refused a partition: \(reason)", at: now)
        }
    }

    /// A late repeat of the answer for the partition before: it was used already.
    private func isAboutCommitted(_ disposition: CorpusTransferDisposition) -> Bool {
        disposition.isAbout(journal.session)
            && disposition.partitionIndex == journal.progress.committedPartitionCount - 1
            && disposition.partitionSHA256 == journal.progress.lastCommittedPartitionSHA256
    }

    mutating func handle(_ outcome: TransferOutcome, at now: Moment) -> [Action] {
        guard case .transferring(let attempt) = exchange else { return [] }
        switch outcome {
        case .accepted:
            return commit(at: now)
        case .aborted(let reason, let message):
            let text = message ?? reason.rawValue
            switch reason.retryClass {
            case .cancellation:
                exchange = .idle
                return end(.cancelled, message: "The destination cancelled the transfer: \(text)", at: now)
            case .fatal:
                exchange = .idle
                return fail("The destination refused the transfer (\(reason.rawValue)): \(text)", at: now)
            case .retryable:
                exchange = .idle
                return tryAgain(after: attempt, because: text, at: now)
            }
        }
    }

    private mutating func tryAgain(after attempt: Attempt, because text: String, at now: Moment) -> [Action] {
        let isOut =
            timing.partitionAttempts.map { attempt.number >= $0 } ?? false
            || timing.partitionWindow.map { now.monotonic - attempt.since >= $0 } ?? false
        guard !isOut else { return park("A partition did not get through: \(text)", at: now) }
        let next = Attempt(number: attempt.number + 1, since: attempt.since)
        exchange = .betweenAttempts(next, at: now.monotonic + timing.attemptDelay)
        return []
    }

    /// The destination has the partition: the journal first, then the files, then the next one.
    private mutating func commit(at now: Moment) -> [Action] {
        let finished = journal.commitPending(at: now.date)
        exchange = .idle
        if let next = builtAhead {
            builtAhead = nil
            journal.setPending(next, at: now.date)
        }
        let delete: [Action] = finished.isEmpty ? [] : [.deleteItems(finished)]
        return checkpoint() + delete + advance(at: now)
    }

    mutating func handleTimer(at now: Moment) -> [Action] {
        guard let deadline = nextDeadline, now.monotonic >= deadline else { return [] }
        switch exchange {
        case .parked:
            return resume(at: now)
        case .opening(let attempt, let tries, _):
            guard tries < timing.openTries else {
                exchange = .idle
                return tryAgain(after: attempt, because: "no answer", at: now)
            }
            exchange = .opening(attempt, tries: tries + 1, deadline: now.monotonic + timing.openWait)
            return [openMessage]
        case .betweenAttempts(let attempt, _):
            return open(attempt, at: now)
        case .finalizing(let tries, let since, _):
            return finalizeAgain(tries: tries, since: since, at: now)
        case .cancelling(_, let deadline):
            return cancelAgain(deadline: deadline, at: now)
        case .idle, .transferring, .ended:
            return []
        }
    }
}
