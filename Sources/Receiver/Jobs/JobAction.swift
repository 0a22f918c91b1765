import Foundation

/// What ``JobBook`` wants done, in this order: first every ``store`` and ``remove`` in one transaction, then the rest.
///
/// When the transaction fails, the driver drops the changed copy of the book together with the other actions.
public enum JobAction: Hashable, Sendable {
    /// Write the job's row.
    case store(Job)
    /// The job's life is over: remove its row, folder and session.
    case remove(Job)
    /// Call the waiter with this response; the driver adds the spool of a finished raw job.
    case answer(WaiterID, ControlResponse)
    /// Send the byte-identical stored request to the phone.
    case sendRequest(jobID: UUID)
    /// Tell the phone that the job is cancelled.
    case sendCancel(jobID: UUID)
}

/// What creating or resuming a job led to.
public enum JobSubmission: Hashable, Sendable {
    /// Refused: nothing was stored.
    case refused(JobRefusal)
    /// There is nothing to wait for: the job is terminal, or queued.
    case answered(ControlResponse)
    /// The waiter is registered.
    case waiting
}

/// A snapshot of the phone's own view of a job (corpus-protocol.md 9.7), reduced to what the job book heeds.
public struct PeerJobStatus: Hashable, Sendable {
    /// The phone's word for where it stands.
    public enum State: Hashable, Sendable {
        /// It reads its data.
        case preparing
        /// It sends, or waits for the final acknowledgement, or has it: the job itself ends by our own result.
        case transferring
        /// It paused.
        case paused
        /// It gave up.
        case failed
        /// Its seven days are over.
        case expired
        /// It cancelled.
        case cancelled
    }

    /// Where it stands.
    public var state: State
    /// Completely committed items.
    public var processedDays: Int
    /// Items in all.
    public var totalDays: Int
    /// Seconds since 2001; a snapshot older than the last one is ignored.
    public var updatedAt: Double

    /// A snapshot.
    public init(state: State, processedDays: Int, totalDays: Int, updatedAt: Double) {
        self.state = state
        self.processedDays = processedDays
        self.totalDays = totalDays
        self.updatedAt = updatedAt
    }
}
