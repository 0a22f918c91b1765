import ConnectedProtocol
import Foundation

/// What the service reports while it works: for a terminal, a log, a test. Identifiers, counts, dates, codes and states only; there is
/// no case that could hold a health value.
public enum SenderEvent: Sendable, Equatable {
    /// The workstation is there, and confirmed.
    case connected(name: String, installationID: UUID, secureRecords: Bool)
    /// The connection ended, or could not be made; the next attempt comes after some seconds.
    case disconnected(code: String, retryAfter: Double?)
    /// The workstation refuses again and again: it does not know this side any more. Attempts go on, at long intervals and
    /// without further words, because a refusal is not authenticated (extensions.md 2.6).
    case pairAgain
    /// A job began.
    case jobAccepted(jobID: UUID, mode: String, days: Int)
    /// A job is taken up again.
    case jobResumed(jobID: UUID, committedPartitions: Int)
    /// A request was refused.
    case requestRejected(jobID: UUID, reason: String)
    /// A day's item is made.
    case dayPrepared(jobID: UUID, processed: Int, total: Int, byteCount: Int64)
    /// The destination has a partition.
    case partitionCommitted(jobID: UUID, index: Int, byteCount: Int64)
    /// A job waits.
    case jobPaused(jobID: UUID, message: String)
    /// A job is over.
    case jobEnded(jobID: UUID, state: String, message: String?)
    /// A queued push cannot become a job.
    case pushDropped(jobID: UUID, code: String)
    /// The own store failed; work goes on when it works again.
    case storeFailed(code: String)
}
