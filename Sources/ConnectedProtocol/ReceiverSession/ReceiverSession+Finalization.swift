import Foundation

/// What a `finalize` is answered (corpus-protocol.md 13.5).
public enum FinalizeAnswer: Sendable, Equatable {
    /// It does not match: a negative ack goes out, nothing changes (extensions.md 9.2).
    case refused(CorpusTransferFinalAck)
    /// Finalization of this session runs: no answer, the source asks again.
    case ignored
    /// It ended before: the stored result or failure goes out again, then this ack.
    case replayed(CorpusTransferFinalAck)
    /// Make the state `finalizing` durable, then make the result.
    case begun
}

/// The counts of a finished session, as the final ack states them.
public struct FinalizationCounts: Sendable, Equatable {
    /// Requested dates whose result is durable, no-data days included.
    public var completedDates: [ProtocolDate]
    /// File modes: days that succeeded. Strict raw: days that carry a document.
    public var successCount: Int

    /// Counts; the dates are sorted and made unique here.
    public init(completedDates: [ProtocolDate], successCount: Int) {
        self.completedDates = Set(completedDates).sorted()
        self.successCount = successCount
    }
}

extension ReceiverSession {
    /// Decides about a `finalize`.
    public mutating func finalize(_ message: CorpusTransferFinalize) -> FinalizeAnswer {
        guard message.isAboutRequest(of: journal.session) else {
            return .refused(ReceiverSession.refusal(of: message, "The session is another one."))
        }
        guard message.partitionCount == nextPartitionIndex, message.totalByteCount == journal.totalPartitionBytes,
            message.finalPartitionSHA256 == journal.lastPartitionSHA256
        else { return .refused(ReceiverSession.refusal(of: message, "Partitions do not match what was received.")) }
        switch journal.state {
        case .completed, .failed:
            guard let ack = journal.terminalAcknowledgement else {
                preconditionFailure("a terminal journal without its acknowledgement is never restored")
            }
            return .replayed(ack)
        case .cancelled: return .refused(ReceiverSession.refusal(of: message, "The session was cancelled."))
        case .open, .finalizing: break
        }
        guard !isFinalizationRunning else { return .ignored }
        guard application == nil else { return .ignored }
        guard journal.partialItems.isEmpty, journal.days.count == journal.manifest.transferDates.count else {
            return .refused(ReceiverSession.refusal(of: message, "Not every day was received."))
        }
        beginFinalization()
        return .begun
    }

    /// Goes on with a finalization that a restart interrupted. True when there is one.
    public mutating func resumeFinalization() -> Bool {
        guard journal.state == .finalizing, !isFinalizationRunning else { return false }
        isFinalizationRunning = true
        return true
    }

    private mutating func beginFinalization() {
        journal.state = .finalizing
        admission = nil
        isFinalizationRunning = true
    }

    /// A transient failure: nothing is said, the session stays `finalizing` and the source asks again.
    public mutating func suspendFinalization() { isFinalizationRunning = false }

    /// Ends the finalization well. The ack goes out after the journal is durable.
    public mutating func complete(_ counts: FinalizationCounts, message: String?) -> CorpusTransferFinalAck {
        precondition(journal.state == .finalizing, "only a finalizing session completes")
        let total = journal.manifest.requestedDates.count
        precondition((0...total).contains(counts.successCount) && counts.completedDates.count <= total)
        let ack = acknowledgement(true, counts, message)
        end(.completed, ack)
        return ack
    }

    /// Ends the finalization for good with a failure. The failure message and then this ack go out after the journal
    /// is durable.
    public mutating func fail(message: String) -> CorpusTransferFinalAck {
        precondition(journal.state == .finalizing, "only a finalizing session fails")
        let ack = acknowledgement(false, nil, message)
        end(.failed, ack)
        return ack
    }

    private func acknowledgement(
        _ accepted: Bool, _ counts: FinalizationCounts?, _ message: String?
    ) -> CorpusTransferFinalAck {
        do {
            return try CorpusTransferFinalAck(
                sessionID: id, jobID: journal.session.jobID, accepted: accepted,
                requestFingerprint: journal.session.requestFingerprint,
                finalPartitionSHA256: journal.lastPartitionSHA256, completedDates: counts?.completedDates,
                successCount: counts?.successCount,
                totalCount: counts.map { _ in journal.manifest.requestedDates.count }, message: message)
        } catch {
            preconditionFailure("sorted dates and counts within the total were checked")
        }
    }

    private mutating func end(_ state: DestinationJournal.State, _ ack: CorpusTransferFinalAck) {
        journal.state = state
        journal.terminalAcknowledgement = ack
        isFinalizationRunning = false
    }

    /// The negative ack to a `finalize` that fits no session, or not this one.
    public static func refusal(of message: CorpusTransferFinalize, _ text: String) -> CorpusTransferFinalAck {
        do {
            return try CorpusTransferFinalAck(
                sessionID: message.sessionID, jobID: message.jobID, accepted: false,
                requestFingerprint: message.requestFingerprint, finalPartitionSHA256: message.finalPartitionSHA256,
                message: text)
        } catch {
            preconditionFailure("an acknowledgement without counts breaks no rule")
        }
    }

    // MARK: - Cancellation

    /// What a cancel leads to (corpus-protocol.md 15).
    public enum CancelAnswer: Sendable, Equatable {
        /// A file transaction or an application is in flight: try again.
        case refusedForNow
        /// The session has ended already.
        case refused
        /// Make the state `cancelled` durable, then delete payload files, then answer.
        case cancelled
    }

    /// Cancels the session. `isFileTransactionInFlight` is one destination file being replaced.
    public mutating func cancel(isFileTransactionInFlight: Bool) -> CancelAnswer {
        guard !journal.state.isTerminal else { return .refused }
        guard application == nil, !isFileTransactionInFlight else { return .refusedForNow }
        journal.state = .cancelled
        journal.partialItems = [:]
        admission = nil
        isFinalizationRunning = false
        return .cancelled
    }
}
