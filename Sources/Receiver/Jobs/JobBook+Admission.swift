import ConnectedProtocol
import Foundation

/// Creating, resuming and cancelling: what clients of the control API may do (control-api.md 6 and 10).
extension JobBook {
    /// What admission looks at besides the book itself.
    public struct Surroundings: Sendable {
        /// Every trusted phone, connected or not.
        public var peers: [PeerFacts]
        /// The stored destination, or the one that the request names.
        public var destination: DestinationFacts

        /// Surroundings.
        public init(peers: [PeerFacts], destination: DestinationFacts) {
            self.peers = peers
            self.destination = destination
        }
    }

    /// Admits a create in the order of control-api.md 6; sweeping comes first and is the caller's.
    public mutating func create(
        _ request: JobRequest, in surroundings: Surroundings, waiter: WaiterID, now: Moment
    ) -> (JobSubmission, [JobAction]) {
        let peer: PeerFacts
        switch choosePeer(for: request, in: surroundings) {
        case .success(let chosen): peer = chosen
        case .failure(let refusal):
            // A create that repeats a stored job needs no choice of phone.
            guard jobs[request.jobID] == nil else { return repeatCreate(request, surroundings, waiter, now) }
            return (.refused(refusal), [])
        }
        if peer.isConnected, request.canonicalSelection != nil, !peer.supportsSelection {
            return (.refused(.unsupportedCanonicalSelection), [])
        }
        guard jobs[request.jobID] == nil else { return repeatCreate(request, surroundings, waiter, now) }
        guard !corruptJobIDs.contains(request.jobID) else { return (.refused(.stateCorrupt), []) }
        if let refusal = preflight(request, peer: peer, destination: surroundings.destination) {
            guard refusal == .phoneNotConnected, request.queueIfOffline else { return (.refused(refusal), []) }
            if request.responseMode == .writeFiles, surroundings.destination.binding == nil {
                return (.refused(.destinationUnavailable), [])
            }
        }
        if let active = blockingJob(forPeer: peer.installationID) {
            return (.refused(.exportInProgress(active: active.id)), [])
        }
        return admit(request, peer: peer, destination: surroundings.destination.binding, waiter: waiter, now: now)
    }

    private mutating func admit(
        _ request: JobRequest, peer: PeerFacts, destination: DestinationBinding?, waiter: WaiterID, now: Moment
    ) -> (JobSubmission, [JobAction]) {
        var job = Job(
            id: request.jobID, origin: .macInitiated, request: request, peerInstallationID: peer.installationID,
            peerName: peer.name, isDurable: peer.isDurable || !peer.isConnected,
            destination: request.responseMode == .writeFiles ? destination : nil, createdAt: now.unixSeconds,
            state: peer.isConnected ? .sent : .queued,
            message: peer.isConnected ? "The request was sent to the phone." : "Waiting for the phone to connect.")
        switch request.dateSelection {
        case .explicitRange(let first, let last):
            guard first <= last else { return (.refused(.invalidDateRange), []) }
            job.totalDays = last.daysSince1970 - first.daysSince1970 + 1
        case .allAvailable: break
        }
        let store = put(job, now: now)
        guard peer.isConnected else { return (.answered(job.response), [store]) }
        register(waiter, for: job.id, timeoutSeconds: request.waitTimeoutSeconds, now: now)
        return (.waiting, [store, .sendRequest(jobID: job.id)])
    }

    private mutating func repeatCreate(
        _ request: JobRequest, _ surroundings: Surroundings, _ waiter: WaiterID, _ now: Moment
    ) -> (JobSubmission, [JobAction]) {
        guard let stored = jobs[request.jobID]?.request, request.isSameImmutableRequest(as: stored) else {
            return (.refused(.requestMismatch), [])
        }
        return resume(
            request.jobID, waitTimeoutSeconds: request.waitTimeoutSeconds, in: surroundings, waiter: waiter, now: now)
    }

    /// The phone that the request names, the only trusted one, or the only connected one.
    private func choosePeer(
        for request: JobRequest, in surroundings: Surroundings
    ) -> Result<PeerFacts, JobRefusal> {
        if let named = request.deviceID {
            guard let peer = surroundings.peers.first(where: { $0.installationID == named }) else {
                return .failure(surroundings.peers.isEmpty ? .notPaired : .deviceNotPaired)
            }
            return .success(peer)
        }
        if surroundings.peers.count > 1 {
            return .failure(
                .deviceSelectionRequired(
                    surroundings.peers.map(\.installationID).sorted { $0.uuidString < $1.uuidString }))
        }
        guard let only = surroundings.peers.first else { return .failure(.notPaired) }
        return .success(only)
    }

    /// The checks of control-api.md 6.4, first failure wins.
    func preflight(_ request: JobRequest, peer: PeerFacts, destination: DestinationFacts) -> JobRefusal? {
        guard peer.isConnected else { return .phoneNotConnected }
        guard peer.supportsExportRequests else { return .unsupportedPhone }
        if request.dateSelection == .allAvailable, !peer.supportsAllAvailableHistory {
            return .unsupportedAllAvailableHistory
        }
        if let profile = request.rawProfile, !peer.rawProfiles.contains(profile) { return .unsupportedRawProfile }
        if request.responseMode == .writeFiles, destination.binding == nil { return .destinationUnavailable }
        return nil
    }

    /// Resumes a job in the order of control-api.md 10. `surroundings.destination` is the job's own.
    public mutating func resume(
        _ jobID: UUID, waitTimeoutSeconds: Double, in surroundings: Surroundings, waiter: WaiterID, now: Moment
    ) -> (JobSubmission, [JobAction]) {
        guard var job = jobs[jobID] else { return (.refused(.jobNotFound), []) }
        if job.state.isTerminal { return (.answered(job.response), []) }
        let peer = surroundings.peers.first { $0.installationID == job.peerInstallationID }
        if peer?.isConnected != true, surroundings.peers.contains(where: \.isConnected) {
            return (.refused(.peerChanged), [])
        }
        guard let peer else { return (.refused(.deviceNotPaired), []) }
        guard peer.isConnected else { return (.refused(.phoneNotConnected), []) }
        if let request = job.request {
            if request.canonicalSelection != nil, !peer.supportsSelection {
                return (.refused(.unsupportedCanonicalSelection), [])
            }
            if let refusal = preflight(request, peer: peer, destination: boundDestination(job, surroundings)) {
                return (.refused(refusal), [])
            }
        }
        if let other = jobs.values.first(where: { JobBook.isUnderWay($0.state) && $0.id != jobID && blocks($0, job) }) {
            return (.refused(.exportInProgress(active: other.id)), [])
        }
        guard waiters[jobID] == nil else { return (.refused(.waiterExists), []) }
        register(waiter, for: jobID, timeoutSeconds: waitTimeoutSeconds, now: now)
        guard job.state == .paused || job.state == .queued, job.origin == .macInitiated else { return (.waiting, []) }
        job.state = .sent
        job.isDurable = peer.isDurable
        job.message = "The request was sent to the phone again."
        return (.waiting, [put(job, now: now), .sendRequest(jobID: jobID)])
    }

    private func blocks(_ other: Job, _ job: Job) -> Bool {
        other.origin == .macInitiated || other.peerInstallationID == job.peerInstallationID
    }

    /// A job's destination never changes: another root than the bound one is as good as none.
    private func boundDestination(_ job: Job, _ surroundings: Surroundings) -> DestinationFacts {
        guard let binding = surroundings.destination.binding else { return surroundings.destination }
        return binding == job.destination ? .ready(binding) : .unavailable
    }

    /// What cancelling led to.
    public enum Cancellation: Hashable, Sendable {
        /// No such job.
        case notFound
        /// The job was terminal already: the stored response, unchanged.
        case alreadyTerminal(ControlResponse)
        /// A file step is in flight: the wish is stored and honoured at its end.
        case deferred(ControlResponse)
        /// Cancelled now; the driver tears the receive state down.
        case cancelled(ControlResponse)
    }

    /// Cancels a job. `result` is its final response with the exact completed days; `isStepInFlight` says that a
    /// destination write or the application of a partition cannot be interrupted now; `tellsPeer` that the wish is ours,
    /// so that the phone has to hear of it, now or at a later hello.
    public mutating func cancel(
        _ jobID: UUID, result: ControlResponse, isStepInFlight: Bool, tellsPeer: Bool = true, now: Moment
    ) -> (Cancellation, [JobAction]) {
        guard var job = jobs[jobID] else { return (.notFound, []) }
        if job.state.isTerminal { return (.alreadyTerminal(job.response), []) }
        if isStepInFlight {
            job.isCancellationWanted = true
            job.message = "The cancel takes effect when the present file step ends."
            let action = put(job, now: now)
            return (.deferred(job.response), [action])
        }
        job.state = .cancelled
        job.isCancellationWanted = false
        job.owesCancelToPeer = tellsPeer
        job.result = result
        var actions = [put(job, now: now)]
        actions += answerWaiter(of: jobID, with: job.response)
        if job.owesCancelToPeer { actions.append(.sendCancel(jobID: jobID)) }
        return (.cancelled(job.response), actions)
    }
}
