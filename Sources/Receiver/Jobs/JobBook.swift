import ConnectedProtocol
import Foundation

/// All jobs of the receiver and who waits for them: the pure machine of control-api.md 6 and 8 to 10.
///
/// A job is *live* until its state is terminal; a terminal job never changes again. Live jobs of the control API are
/// strictly serial, paused and queued ones included. A job that the phone started blocks its own installation only
/// (extensions.md 2). Waiters are not durable: they watch a job and never steer it.
public struct JobBook: Sendable {
    /// One client that waits for a job.
    struct Waiter: Hashable, Sendable {
        let id: WaiterID
        let timeoutSeconds: Double
        /// Monotonic: restarted by every validated progress event.
        var deadline: Double
    }

    /// All jobs by id.
    public private(set) var jobs: [UUID: Job] = [:]
    /// Ids whose stored state was damaged and is kept aside.
    public private(set) var corruptJobIDs: Set<UUID>
    var waiters: [UUID: Waiter] = [:]
    /// Jobs that have to wait for their turn at a phone that is connected.
    var turns: [UUID: Turn] = [:]

    /// The book after a start: nobody is connected, so everything that was under way is paused.
    public init(restoring stored: [Job] = [], corruptJobIDs: Set<UUID> = []) {
        self.corruptJobIDs = corruptJobIDs
        for var job in stored {
            if JobBook.isUnderWay(job.state) { job.state = .paused }
            jobs[job.id] = job
        }
    }

    // MARK: - Reading

    /// The oldest live job: `active_export` of the status.
    public var activeJob: Job? {
        jobs.values.filter { !$0.state.isTerminal }.min(by: JobBook.isOlder)
    }

    /// The live job that forbids a new one for this phone, if any.
    public func blockingJob(forPeer installationID: UUID, except jobID: UUID? = nil) -> Job? {
        jobs.values
            .filter { !$0.state.isTerminal && $0.id != jobID }
            .filter { $0.origin == .macInitiated || $0.peerInstallationID == installationID }
            .min(by: JobBook.isOlder)
    }

    /// When the driver should call ``expire(now:)`` next, on the monotonic clock.
    public func nextWaiterDeadline() -> Double? { waiters.values.map(\.deadline).min() }

    /// When the driver should call ``takeTurns(of:isUsable:now:)`` next, on the monotonic clock.
    public func nextTurn() -> Double? { turns.values.compactMap(\.dueAt).min() }

    static func isOlder(_ left: Job, _ right: Job) -> Bool {
        (left.createdAt, left.id.uuidString) < (right.createdAt, right.id.uuidString)
    }

    static func isUnderWay(_ state: JobState) -> Bool {
        switch state {
        case .sent, .accepted, .preparing, .transferring: true
        case .queued, .paused, .completed, .failed, .cancelled: false
        }
    }

    // MARK: - Changing

    /// Puts a changed job back and asks for its row to be written.
    mutating func put(_ job: Job, now: Moment) -> JobAction {
        var job = job
        job.updatedAt = max(job.updatedAt, now.unixSeconds)
        jobs[job.id] = job
        // A job that goes on, or is over, waits for nothing.
        if job.state.isTerminal || (JobBook.isUnderWay(job.state) && job.state != .sent) { turns[job.id] = nil }
        return .store(job)
    }

    /// Restarts the inactivity timer of the job's waiter: every validated progress event does (control-api.md 9).
    public mutating func noteProgress(of jobID: UUID, now: Moment) {
        guard var waiter = waiters[jobID] else { return }
        waiter.deadline = now.monotonic + waiter.timeoutSeconds
        waiters[jobID] = waiter
    }

    mutating func register(_ waiter: WaiterID, for jobID: UUID, timeoutSeconds: Double, now: Moment) {
        waiters[jobID] = Waiter(
            id: waiter, timeoutSeconds: timeoutSeconds, deadline: now.monotonic + timeoutSeconds)
    }

    mutating func answerWaiter(of jobID: UUID, with response: ControlResponse) -> [JobAction] {
        guard let waiter = waiters.removeValue(forKey: jobID) else { return [] }
        return [.answer(waiter.id, response)]
    }

    /// The client went away: the job goes on.
    public mutating func detach(_ waiter: WaiterID) {
        waiters = waiters.filter { $0.value.id != waiter }
    }

    /// Ends waits that saw no progress and jobs whose seven days are over. Runs before every operation.
    public mutating func expire(now: Moment) -> [JobAction] {
        var actions: [JobAction] = []
        for job in jobs.values where job.expiresAt <= now.unixSeconds {
            jobs[job.id] = nil
            turns[job.id] = nil
            actions.append(.remove(job))
            actions += answerWaiter(of: job.id, with: JobRefusal.jobExpired.response(jobID: job.id))
        }
        for (jobID, waiter) in waiters where waiter.deadline <= now.monotonic {
            guard let job = jobs[jobID] else { continue }
            var response = ControlResponse(
                status: .timedOut,
                message: "Nothing happened for the time to wait; the job goes on. Last: \(job.message)", jobID: jobID,
                failureReason: "timedOut")
            if job.isDurable { response.durable = job.durableState }
            actions += answerWaiter(of: jobID, with: response)
        }
        return actions
    }
}
