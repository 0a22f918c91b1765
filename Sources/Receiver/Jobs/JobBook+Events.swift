import ConnectedProtocol
import Foundation

/// What phones and the engine report (control-api.md 8). While a job is paused, acknowledgements and progress are
/// ignored; only status snapshots, resume and hello revive it. Counters never decrease.
extension JobBook {
    /// A phone said hello: owed cancels go out again, and at most one waiting job of it is sent.
    ///
    /// `isUsable` tells whether a job's bound destination can be written now.
    public mutating func hello(
        from peer: PeerFacts, isUsable: (DestinationBinding) -> Bool, now: Moment
    ) -> [JobAction] {
        var actions: [JobAction] = []
        let own = jobs.values.filter { $0.peerInstallationID == peer.installationID }.sorted(by: JobBook.isOlder)
        for job in own where job.owesCancelToPeer { actions.append(.sendCancel(jobID: job.id)) }
        // What an earlier connection was told does not bind this one.
        for job in own { turns[job.id] = nil }
        return actions + sendOldest(of: own, to: peer, isUsable: isUsable, now: now)
    }

    /// The phone took the request; for `all_available` with the days that it resolved.
    public mutating func acknowledged(_ jobID: UUID, resolvedDates: [String]?, now: Moment) -> [JobAction] {
        guard var job = underWay(jobID) else { return [] }
        if job.request?.dateSelection == .allAvailable, job.pinnedDates == nil {
            guard let resolvedDates, JobBook.isAscendingDays(resolvedDates) else {
                return fail(
                    job, reason: "missing_resolved_date_set",
                    message: "The phone did not say which days it has. Try again with a range.", now: now)
            }
            job.pinnedDates = resolvedDates
            job.totalDays = resolvedDates.count
        }
        if job.state == .sent || job.state == .accepted {
            job.state = job.sessionID == nil ? .accepted : .transferring
            job.message = "The phone accepted the request."
        }
        noteProgress(of: jobID, now: now)
        return [put(job, now: now)]
    }

    /// The phone reads its data.
    public mutating func prepared(_ jobID: UUID, processedDays: Int, totalDays: Int, now: Moment) -> [JobAction] {
        guard var job = underWay(jobID) else { return [] }
        if job.state == .sent || job.state == .accepted {
            job.state = job.sessionID == nil ? .preparing : .transferring
        }
        if totalDays > 0 { job.totalDays = max(job.totalDays, totalDays) }
        job.message = "The phone prepares its data."
        noteProgress(of: jobID, now: now)
        return [put(job, now: now)]
    }

    /// A job that the phone started, admitted together with its first open.
    public mutating func admitSourceInitiated(_ job: Job, now: Moment) -> [JobAction] {
        precondition(job.origin == .sourceInitiated && jobs[job.id] == nil)
        return [put(job, now: now)]
    }

    /// A transfer session was opened or opened again; the job's life is extended to the session's.
    public mutating func sessionOpened(
        _ jobID: UUID, sessionID: UUID, sessionCreatedAt: Int64, totalDays: Int, now: Moment
    ) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        job.sessionID = sessionID
        job.sessionCreatedAt = sessionCreatedAt
        job.expiresAt = job.lifeEnd
        job.totalDays = totalDays
        job.state = .transferring
        job.message = "The phone sends its data."
        noteProgress(of: jobID, now: now)
        return [put(job, now: now)]
    }

    /// The receiver cannot go on with the job now: it refused to take its transfer, or its own disk failed. The job pauses, and its
    /// waiter hears why instead of waiting for what cannot come. The phone asks again by itself; a later open or finalize revives the
    /// job.
    public mutating func heldUp(_ jobID: UUID, code: String, message: String, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], JobBook.isUnderWay(job.state) || job.state == .paused else { return [] }
        job.state = .paused
        job.message = message
        let store = put(job, now: now)
        var response = job.response
        response.status = .accepted
        response.failureReason = code
        return [store] + answerWaiter(of: jobID, with: response)
    }

    /// Everything is there and the result is being made.
    public mutating func finalizing(_ jobID: UUID, message: String, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        job.state = .transferring
        job.message = message
        noteProgress(of: jobID, now: now)
        return [put(job, now: now)]
    }

    /// Something went wrong that the phone may repair by sending again: the job says so, and no time-out is put off.
    public mutating func troubled(_ jobID: UUID, message: String, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        job.message = message
        return [put(job, now: now)]
    }

    /// A partition is durable, or a finalization step is done.
    public mutating func advanced(
        _ jobID: UUID, committedPartitions: Int, committedBytes: Int64, processedDays: Int, message: String, now: Moment
    ) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        job.committedPartitions = max(job.committedPartitions, committedPartitions)
        job.committedBytes = max(job.committedBytes, committedBytes)
        job.processedDays = max(job.processedDays, processedDays)
        if job.state != .paused { job.state = .transferring }
        job.message = message
        noteProgress(of: jobID, now: now)
        return [put(job, now: now)]
    }

    /// The phone's own view. Old snapshots are ignored; a finished phone does not finish the job.
    public mutating func peerStatus(_ jobID: UUID, _ status: PeerJobStatus, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        guard status.updatedAt >= job.lastPeerStatusAt ?? -.infinity else { return [] }
        job.lastPeerStatusAt = status.updatedAt
        noteProgress(of: jobID, now: now)
        switch status.state {
        case .preparing:
            if job.state == .sent || job.state == .accepted {
                job.state = job.sessionID == nil ? .preparing : .transferring
            }
        case .transferring: job.state = .transferring
        case .paused:
            // A pause that we caused has its reason already.
            if job.state != .paused { job.message = "The phone paused the job." }
            job.state = .paused
        case .failed:
            return fail(job, reason: "failed", message: "The phone reported that the job failed.", now: now)
        case .expired:
            return fail(job, reason: "expired", message: "The phone reported that the job expired.", now: now)
        case .cancelled:
            var response = ControlResponse(
                status: .cancelled, message: "The job was cancelled on the phone.", jobID: jobID,
                failureReason: "cancelled")
            response.successCount = 0
            response.totalCount = job.totalDays
            return finish(jobID, response, now: now)
        }
        job.processedDays = max(job.processedDays, min(status.processedDays, max(job.totalDays, status.totalDays)))
        return [put(job, now: now)]
    }

    /// The connection to a phone ended: its jobs pause, their waiters are told.
    public mutating func disconnected(from installationID: UUID, now: Moment) -> [JobAction] {
        var actions: [JobAction] = []
        // Its next hello gives every turn anew.
        for job in jobs.values where job.peerInstallationID == installationID { turns[job.id] = nil }
        for var job in jobs.values.sorted(by: JobBook.isOlder)
        where job.peerInstallationID == installationID && JobBook.isUnderWay(job.state) {
            job.state = .paused
            job.message = "The phone disconnected. The job goes on when it returns."
            actions.append(put(job, now: now))
            var response = job.response
            response.status = .accepted
            actions += answerWaiter(of: job.id, with: response)
        }
        return actions
    }

    /// Stores a terminal response and answers the waiter. A terminal job is left as it is.
    public mutating func finish(_ jobID: UUID, _ response: ControlResponse, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        switch response.status {
        case .success, .partialSuccess: job.state = .completed
        case .cancelled: job.state = .cancelled
        case .failure, .unavailable: job.state = .failed
        case .accepted, .preparing, .timedOut: preconditionFailure("not a terminal response")
        }
        job.isCancellationWanted = false
        job.message = response.message
        job.result = response
        let store = put(job, now: now)
        return [store] + answerWaiter(of: jobID, with: job.response)
    }

    /// What is stored of the job is damaged: it fails, and its phone, which would try for ever, is told to give it up.
    public mutating func abandon(_ jobID: UUID, code: String, message: String, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], !job.state.isTerminal else { return [] }
        job.owesCancelToPeer = true
        let store = put(job, now: now)
        return [store] + fail(job, reason: code, message: message, now: now) + [.sendCancel(jobID: jobID)]
    }

    private mutating func fail(_ job: Job, reason: String, message: String, now: Moment) -> [JobAction] {
        var response = ControlResponse(status: .failure, message: message, jobID: job.id, failureReason: reason)
        response.totalCount = job.totalDays
        response.successCount = 0
        return finish(job.id, response, now: now)
    }

    private func underWay(_ jobID: UUID) -> Job? {
        guard let job = jobs[jobID], JobBook.isUnderWay(job.state) else { return nil }
        return job
    }

    /// Whether the labels are days that exist, ascending and unique, and at least one.
    static func isAscendingDays(_ labels: [String]) -> Bool {
        var last: CalendarDay?
        for label in labels {
            guard let day = CalendarDay(label) else { return false }
            if let last, day <= last { return false }
            last = day
        }
        return last != nil
    }
}
