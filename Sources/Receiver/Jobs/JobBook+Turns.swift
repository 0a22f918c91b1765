import ConnectedProtocol
import Foundation

/// Jobs whose phone is connected but works on something else: control API jobs are serial, and a phone serves one export at a time.
///
/// Such a job stays `queued` (or `paused`, when it has a session already) and is sent again as soon as the receiver hears that
/// something ended, at the phone's next hello, and, because a phone may be busy with what this receiver never sees, after a time.
/// Turns are not durable: after a restart every phone says hello anew.
extension JobBook {
    /// A job's place in the queue of its phone.
    struct Turn: Hashable, Sendable {
        /// How often the phone said that it is busy.
        var refusals = 0
        /// Monotonic: when the request is sent again whatever the receiver heard; nil while it is on its way.
        var dueAt: Double?
    }

    /// Seconds after the first refusal of a busy phone; each further one doubles them.
    static let firstTurnDelay: Double = 2
    /// The most that they become: a phone that is busy for hours is asked once a minute.
    static let longestTurnDelay: Double = 60

    /// The phone works on another export: nothing failed, the request is sent again when it is free.
    public mutating func phoneBusy(_ jobID: UUID, now: Moment) -> [JobAction] {
        guard var job = jobs[jobID], JobBook.isUnderWay(job.state) else { return [] }
        job.state = job.sessionID == nil ? .queued : .paused
        job.message = "The phone works on another export. The request is sent again when it is free."
        var turn = turns[jobID] ?? Turn()
        let delay = JobBook.firstTurnDelay * Double(1 << min(turn.refusals, 16))
        turn.refusals += 1
        turn.dueAt = now.monotonic + min(delay, JobBook.longestTurnDelay)
        let action = put(job, now: now)
        turns[jobID] = turn
        return [action]
    }

    /// A job was stored: when it does not stand in the way any more, those that wait for their turn may try at once.
    public mutating func mayEndWaits(_ job: Job, now: Moment) {
        // A job that itself waits for its turn has only just been refused.
        guard job.state.isTerminal || job.state == .paused, turns[job.id] == nil else { return }
        for jobID in turns.keys where jobs[jobID]?.state != .sent { turns[jobID]?.dueAt = now.monotonic }
    }

    /// Sends the jobs of a connected phone whose turn has come; at most one.
    public mutating func takeTurns(
        of peer: PeerFacts, isUsable: (DestinationBinding) -> Bool, now: Moment
    ) -> [JobAction] {
        let due = jobs.values
            .filter { $0.peerInstallationID == peer.installationID }
            .filter { (turns[$0.id]?.dueAt).map { $0 <= now.monotonic } ?? false }
            .sorted(by: JobBook.isOlder)
        guard !due.isEmpty else { return [] }
        // One is sent; the others, and one that cannot be served now, keep their place.
        for job in due { turns[job.id]?.dueAt = now.monotonic + JobBook.longestTurnDelay }
        return sendOldest(of: due, to: peer, isUsable: isUsable, now: now)
    }

    /// The turns of a phone that have come could not be taken: they come again later.
    public mutating func putOffTurns(of installationID: UUID, until time: Double) {
        for (jobID, turn) in turns where jobs[jobID]?.peerInstallationID == installationID {
            turns[jobID]?.dueAt = turn.dueAt.map { max($0, time) }
        }
    }

    /// Sends the oldest of these jobs that waits and can be served, unless another job of the control API is under way; then it
    /// keeps its place.
    mutating func sendOldest(
        of candidates: [Job], to peer: PeerFacts, isUsable: (DestinationBinding) -> Bool, now: Moment
    ) -> [JobAction] {
        let waiting = candidates.first { job in
            guard job.origin == .macInitiated, job.state == .paused || job.state == .queued else { return false }
            guard let request = job.request else { return false }
            if request.canonicalSelection != nil, !peer.supportsSelection { return false }
            let destination: DestinationFacts =
                job.destination.map { isUsable($0) ? .ready($0) : .unavailable } ?? .notSelected
            return preflight(request, peer: peer, destination: destination) == nil
        }
        guard var job = waiting else { return [] }
        guard !jobs.values.contains(where: { JobBook.isUnderWay($0.state) && $0.origin == .macInitiated }) else {
            turns[job.id, default: Turn()].dueAt = now.monotonic + JobBook.longestTurnDelay
            return []
        }
        turns[job.id]?.dueAt = nil
        job.state = .sent
        job.isDurable = peer.isDurable
        job.peerName = peer.name
        job.message = "The request was sent to the phone."
        return [put(job, now: now), .sendRequest(jobID: job.id)]
    }
}
