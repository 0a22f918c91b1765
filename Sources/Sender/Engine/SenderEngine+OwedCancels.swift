import ConnectedProtocol
import Foundation

/// A person's cancel that the destination has not confirmed: it was away, or could not store it.
struct OwedCancel: Sendable {
    /// Seconds after which it is said again on the same connection; doubled each time.
    static let firstWait: Double = 30
    /// The longest wait, in seconds.
    static let longestWait: Double = 3_600

    let jobID: UUID
    let sessionID: UUID
    let binding: PeerBinding
    /// Whether the destination asked for the job.
    let isRequested: Bool
    /// When it is said next, on the monotonic clock.
    var due = 0.0
    var wait = OwedCancel.firstWait
}

/// Cancels that are said again until the destination confirms them (corpus-protocol.md 15). The job is over here; there it would
/// wait for its phone until it expires.
extension SenderEngine {
    /// Takes up what is owed to the peer that has just connected.
    func takeUpOwedCancels(of binding: PeerBinding) throws {
        owedCancels = [:]
        for owed in try store.owedCancels() where owed.binding == binding { owedCancels[owed.jobID] = owed }
        sayOwedCancels()
    }

    /// A job has ended: whether its cancel is owed.
    func note(ended journal: SourceJournal) {
        guard journal.progress.owesCancel, link != nil, let binding = journal.session.peerBinding else { return }
        owedCancels[journal.session.jobID] = OwedCancel(
            jobID: journal.session.jobID, sessionID: journal.session.sessionID, binding: binding,
            isRequested: journal.origin == .macInitiated,
            due: clock().monotonic + OwedCancel.firstWait)
    }

    /// Says what is due.
    func sayOwedCancels() {
        guard let link, !isStopping else { return }
        let now = clock()
        for (jobID, owed) in owedCancels where owed.due <= now.monotonic {
            link.channel.send(
                .corpusCancel(
                    CorpusTransferCancel(
                        sessionID: owed.sessionID, jobID: jobID, reason: .userRequested, message: nil,
                        requestedAt: now.date)))
            owedCancels[jobID]?.due = now.monotonic + owed.wait
            owedCancels[jobID]?.wait = min(owed.wait * 2, OwedCancel.longestWait)
        }
    }

    /// The destination answers a cancel of a job that is over here. A refused one is said again later. A destination that asked for
    /// the job may know the job and no session of it; then the job is cancelled by its own name.
    func take(_ acknowledgement: CorpusTransferCancelAck) throws {
        guard jobs[acknowledgement.jobID] == nil else {
            return try deliver(.cancelAck(acknowledgement), to: acknowledgement.jobID)
        }
        guard let owed = owedCancels[acknowledgement.jobID], owed.sessionID == acknowledgement.sessionID else { return }
        guard acknowledgement.accepted else {
            if owed.isRequested { link?.channel.send(.macExportCancel(jobID: owed.jobID)) }
            return
        }
        try store.confirmCancel(of: acknowledgement.jobID)
        owedCancels[acknowledgement.jobID] = nil
    }
}
