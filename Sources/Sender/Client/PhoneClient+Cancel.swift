import ConnectedProtocol
import Foundation

/// What became of a wish to cancel (`healthmd phone cancel`).
public struct CancelReport: Codable, Sendable, Equatable {
    /// The job.
    public var jobID: UUID
    /// The state of the job: `cancelled`, or the one in which it still is.
    public var state: String
    /// A sentence for people.
    public var message: String?

    private enum CodingKeys: String, CodingKey {
        case jobID = "job_id"
        case state, message
    }
}

extension PhoneClient {
    /// Seconds in which a workstation is looked for, so that it hears of the cancel at once.
    static let cancelPatience = 5.0
    /// Seconds that a cancel may take: the destination ends one of its transactions first (corpus-protocol.md 15).
    static let cancelWait = 30.0

    /// Cancels a job of this side, or a push that waits. A running service does it; without one this call does, and tells
    /// the workstation if that can be reached. Files that were written stay.
    ///
    /// - Throws: `no_such_job` when nothing of this id is under way or waits.
    public func cancel(
        _ jobID: UUID, token: StopToken = StopToken(), report: @escaping @Sendable (SenderEvent) -> Void = { _ in }
    ) throws -> CancelReport {
        let isQueued = try store.queuedPushes().contains { $0.jobID == jobID }
        guard try isQueued || isUnderWay(jobID) else { throw SenderError.noSuchJob }
        do {
            try dialling { configuration in
                if isQueued { return try store.removePush(jobID) }
                try cancelHere(jobID, configuration, token, report)
            }
        } catch SenderError.alreadyServing {
            try store.wishCancellation(of: jobID, at: clock.now().date)
            try waitForService(jobID, token)
        }
        return try cancelReport(jobID)
    }

    private func isUnderWay(_ jobID: UUID) throws -> Bool {
        try store.job(jobID).map { !$0.journal.progress.state.isTerminal } ?? false
    }

    private func cancelHere(
        _ jobID: UUID, _ configuration: SenderEngine.Configuration, _ token: StopToken,
        _ report: @escaping @Sendable (SenderEvent) -> Void
    ) throws {
        let mayBeTold = Flag()
        let hasEnded = Flag()
        let hasTrust = !(try store.trust()).candidates(at: clock.now()).isEmpty
        let start = clock.now().monotonic
        let service = try service(configuration) { event in
            switch event {
            case .connected, .pairAgain: mayBeTold.set()
            case .jobEnded(jobID, _, _): hasEnded.set()
            default: break
            }
            report(event)
        }
        var isAsked = false
        try service.run(
            token,
            isDone: {
                let waited = clock.now().monotonic - start
                if !isAsked, mayBeTold.isSet || !hasTrust || waited >= PhoneClient.cancelPatience {
                    isAsked = true
                    service.cancel(jobID)
                }
                return hasEnded.isSet || waited >= PhoneClient.cancelWait
            })
    }

    /// The service looks once a second; the destination may need some more.
    private func waitForService(_ jobID: UUID, _ token: StopToken) throws {
        let end = clock.now().monotonic + PhoneClient.cancelWait
        while !token.isStopped, clock.now().monotonic < end {
            let isQueued = try store.queuedPushes().contains { $0.jobID == jobID }
            if try !isQueued && !isUnderWay(jobID) { return }
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    private func cancelReport(_ jobID: UUID) throws -> CancelReport {
        guard let job = try store.job(jobID) else {
            let isQueued = try store.queuedPushes().contains { $0.jobID == jobID }
            return CancelReport(
                jobID: jobID, state: isQueued ? "queued" : "cancelled",
                message: isQueued ? "The service has not taken the wish yet." : "The push will not be sent.")
        }
        return CancelReport(
            jobID: jobID, state: job.journal.status.state.rawValue, message: job.journal.progress.statusMessage)
    }
}
