import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// What clients of the control API may do; called on the engine's queue.
extension ReceiverEngine {
    // MARK: - Jobs

    func create(_ request: JobRequest, waiter: @escaping ControlWaiter) -> ControlSubmission {
        let destination: DestinationFacts
        if let path = request.destination {
            do throws(ReceiverControlError) {
                destination = .ready(try DestinationRoot.bind(path, outside: store.folder))
            } catch {
                var response = JobRefusal.destinationUnavailable.response(jobID: request.jobID)
                response.message = error.message
                return .answered(ControlAnswer(response))
            }
        } else {
            destination = destinationFacts()
        }
        return submit(request.jobID, waiter) { book, id in
            let surroundings = JobBook.Surroundings(
                peers: self.allPeerFacts(), destination: self.repeatedDestination(request.jobID) ?? destination)
            return book.create(request, in: surroundings, waiter: id, now: self.now)
        }
    }

    func resume(_ jobID: UUID, waitTimeoutSeconds: Double, waiter: @escaping ControlWaiter) -> ControlSubmission {
        let submission = submit(jobID, waiter) { book, id in
            let surroundings = JobBook.Surroundings(
                peers: self.allPeerFacts(), destination: self.repeatedDestination(jobID) ?? .notSelected)
            return book.resume(
                jobID, waitTimeoutSeconds: waitTimeoutSeconds, in: surroundings, waiter: id, now: self.now)
        }
        hurry(jobID)
        return submission
    }

    /// A stored job's own destination, whatever is selected now.
    private func repeatedDestination(_ jobID: UUID) -> DestinationFacts? {
        book.jobs[jobID]?.destination.map { destinationFacts(of: $0) }
    }

    private func submit(
        _ jobID: UUID, _ waiter: @escaping ControlWaiter,
        _ decide: @escaping (inout JobBook, WaiterID) -> (JobSubmission, [JobAction])
    ) -> ControlSubmission {
        guard !isStopping else { return .answered(ControlAnswer(shuttingDown(jobID))) }
        let id = register(waiter)
        let submission: JobSubmission
        do {
            submission = try change { book in
                var (_, actions) = ((), book.expire(now: self.now))
                let (result, more) = decide(&book, id)
                actions += more
                return (result, actions)
            }
        } catch {
            log("job_not_stored", ("job", .id(jobID)), ("code", .code(of: error)))
            submission = .refused(.persistenceFailed)
        }
        switch submission {
        case .waiting: return .waiting(id)
        case .answered(let response):
            waiters[id] = nil
            return .answered(controlAnswer(response))
        case .refused(let refusal):
            waiters[id] = nil
            var response = refusal.response(jobID: jobID)
            if refusal == .destinationUnavailable, let reason = destinationProblem(jobID) { response.message = reason }
            return .answered(ControlAnswer(response))
        }
    }

    /// Which folder cannot be used and why: the job's own, or the one that is selected.
    private func destinationProblem(_ jobID: UUID) -> String? {
        guard let binding = book.jobs[jobID]?.destination ?? storedDestination() else { return nil }
        do {
            _ = try usableDestination(binding)
            return nil
        } catch ReceiverError.destinationUnusable(let reason) {
            return "The destination \(binding.path) cannot be used: \(reason) "
                + "Bring it back, or set another with `healthmd destination set DIR`."
        } catch {
            return nil
        }
    }

    private func shuttingDown(_ jobID: UUID) -> ControlResponse {
        ControlResponse(
            status: .unavailable, message: "The receiver is stopping. Start it again.", jobID: jobID,
            failureReason: "server_not_ready")
    }

    func detach(_ waiter: WaiterID) {
        waiters[waiter] = nil
        book.detach(waiter)
    }

    func job(_ jobID: UUID, stateOnly: Bool) -> ControlAnswer {
        tick()
        guard let job = book.jobs[jobID] else { return ControlAnswer(JobRefusal.jobNotFound.response(jobID: jobID)) }
        return stateOnly ? ControlAnswer(job.response) : controlAnswer(job.response)
    }

    func cancel(_ jobID: UUID) -> ControlAnswer {
        tick()
        guard let job = book.jobs[jobID] else { return ControlAnswer(JobRefusal.jobNotFound.response(jobID: jobID)) }
        guard !job.state.isTerminal else { return controlAnswer(job.response) }
        do {
            if let session = job.sessionID.flatMap({ session($0) }) {
                if try cancelSession(session, tellPeer: true) == .refusedForNow {
                    try cancelAtBoundary(session)
                } else if book.jobs[jobID]?.state.isTerminal != true {
                    // The session ended before its job: the job alone is cancelled.
                    try cancelJob(jobID, isStepInFlight: false)
                }
            } else {
                try cancelJob(jobID, isStepInFlight: false)
            }
        } catch {
            log("cancel_failed", ("job", .id(jobID)), ("code", .code(of: error)))
            return ControlAnswer(JobRefusal.persistenceFailed.response(jobID: jobID))
        }
        return ControlAnswer((book.jobs[jobID] ?? job).response)
    }

    /// Cancels a job without a session, or notes the wish.
    func cancelJob(_ jobID: UUID, isStepInFlight: Bool, tellsPeer: Bool = true) throws {
        try change { book in
            let (_, actions) = book.cancel(
                jobID, result: self.cancelledResponse(of: jobID, nil), isStepInFlight: isStepInFlight,
                tellsPeer: tellsPeer, now: self.now)
            return ((), actions)
        }
    }

    // MARK: - Listing

    func list(_ query: JobListQuery) throws(ReceiverControlError) -> JobList {
        tick()
        var jobs = book.jobs.values
            .filter { query.states.isEmpty || query.states.contains($0.state) }
            .sorted { ($1.createdAt, $1.id.uuidString) < ($0.createdAt, $0.id.uuidString) }
        if let before = query.before {
            guard let cursor = JobCursor(before) else { throw .invalidCursor }
            jobs = jobs.filter { ($0.createdAt, $0.id.uuidString) < (cursor.createdAt, cursor.jobID) }
        }
        let page = jobs.prefix(query.limit)
        let next = jobs.count > page.count ? page.last.map { JobCursor($0).text } : nil
        return JobList(jobs: page.map(entry), nextCursor: next)
    }

    private func entry(_ job: Job) -> JobList.Entry {
        var range: ClosedRange<CalendarDay>?
        if case .explicitRange(let first, let last) = job.request?.dateSelection { range = first...last }
        if let first = job.pinnedDates?.first.flatMap({ CalendarDay($0) }),
            let last = job.pinnedDates?.last.flatMap({ CalendarDay($0) })
        {
            range = first...last
        }
        return JobList.Entry(
            response: job.response, createdAt: job.createdAt, updatedAt: job.updatedAt, origin: job.origin.rawValue,
            responseMode: job.responseMode, rawProfile: job.request?.rawProfile, dateRange: range,
            peerInstallationID: job.peerInstallationID, peerName: job.peerName)
    }

    // MARK: - Status

    func status() -> ReceiverStatus {
        tick()
        let phones = gate.trust.records.values.sorted { $0.pairedAt < $1.pairedAt }.map { record in
            phone(record.installationID, name: record.displayName)
        }
        let newest = peers.values.max { $0.order < $1.order }
        let active = book.activeJob
        return ReceiverStatus(
            phone: newest.map { phone($0.opening.installationID, name: $0.opening.displayName) }
                ?? ReceiverStatus.Phone(),
            phones: phones, destination: destinationInformation(),
            activeExport: active.map {
                ReceiverStatus.ActiveExport(jobID: $0.id, message: $0.message, durable: $0.durableState)
            }, openPairing: gate.desk.open.map(information))
    }

    private func phone(_ installationID: UUID, name: String) -> ReceiverStatus.Phone {
        guard let peer = peers[installationID] else {
            return ReceiverStatus.Phone(installationID: installationID, name: name)
        }
        let facts = facts(of: peer)
        return ReceiverStatus.Phone(
            installationID: installationID, isConnected: true, name: peer.opening.displayName,
            canTriggerExports: facts.supportsExportRequests,
            canTriggerRawExports: facts.supportsExportRequests && !facts.rawProfiles.isEmpty)
    }

    func destinationInformation() -> DestinationInformation {
        guard let binding = storedDestination() else { return DestinationInformation() }
        return DestinationInformation(
            isSelected: true, isWritable: destinationFacts(of: binding).binding != nil, path: binding.path,
            displayName: binding.displayName)
    }

    func setDestination(_ path: String) throws(ReceiverControlError) -> DestinationInformation {
        if let live = book.jobs.values.first(where: { !$0.state.isTerminal && $0.responseMode == .writeFiles }) {
            throw .exportInProgress(activeJobID: live.id)
        }
        let binding = try DestinationRoot.bind(path, outside: store.folder)
        do {
            try store.setDestination(binding)
        } catch {
            log("destination_not_stored", ("code", .code(of: error)))
            throw .persistenceFailed
        }
        for installationID in peers.keys { sendStatus(to: installationID) }
        return destinationInformation()
    }

    // MARK: - Pairing and trust

    func openPairing(_ style: PairingCodeStyle, timeoutSeconds: Int?) throws(ReceiverControlError) -> OpenedPairing {
        let strength: PairingStrength = style == .strong ? .strong : .phoneApp
        let code = SecureRandom.digits(strength.digitCount)
        let id = UUID()
        let snapshot = try pairingDecision { gate, now in
            try gate.openPairing(
                id: id, strength: strength, code: code, lifetime: timeoutSeconds.map(Double.init), at: now)
        }
        log("pairing_opened", ("pairing", .id(id)))
        return OpenedPairing(
            pairing: information(snapshot), code: code, port: listenerPort,
            addresses: LocalAddresses.reachable(listeningOn: listenerAddresses))
    }

    func pairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation {
        tick()
        guard let snapshot = gate.desk.pairing(id) else { throw .pairingNotFound }
        return information(snapshot)
    }

    func answerPairing(_ id: UUID, accept: Bool) throws(ReceiverControlError) -> PairingInformation {
        information(try pairingDecision { gate, now in try gate.answerPairing(id, accept: accept, at: now) })
    }

    func closePairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation {
        information(try pairingDecision { gate, now in try gate.closePairing(id, at: now) })
    }

    private func pairingDecision(
        _ decision: (inout ListenerGate, Moment) throws -> (PairingSnapshot, ListenerGate.Effects)
    ) throws(ReceiverControlError) -> PairingSnapshot {
        do {
            return try decideGate { gate in try decision(&gate, now) }
        } catch let error as PairingDeskError {
            switch error {
            case .pairingInProgress: throw .pairingInProgress
            case .pairingNotFound: throw .pairingNotFound
            case .notAwaitingApproval: throw .pairingNotAwaitingApproval
            case .lifetimeOutOfRange(let allowed):
                throw .invalidTimeout(allowed: Int(allowed.lowerBound)...Int(allowed.upperBound))
            }
        } catch {
            log("pairing_not_stored", ("code", .code(of: error)))
            throw .persistenceFailed
        }
    }

    private func information(_ snapshot: PairingSnapshot) -> PairingInformation {
        let state: PairingInformation.State
        switch snapshot.state {
        case .waiting: state = .waiting
        case .awaitingApproval: state = .awaitingApproval
        case .paired: state = .paired
        case .failed: state = .failed
        case .expired: state = .expired
        }
        return PairingInformation(
            id: snapshot.id, state: state, expiresAt: snapshot.expiresAt, codeStyle: style(snapshot.strength),
            peer: snapshot.peer.map {
                PairingInformation.Peer(
                    installationID: $0.installationID, name: $0.displayName, address: $0.address.description)
            }, reason: snapshot.reason?.rawValue)
    }

    private func style(_ strength: PairingStrength) -> PairingCodeStyle {
        switch strength {
        case .strong: .strong
        case .phoneApp: .phoneApp
        }
    }

    func peerList() -> PeerList {
        let devices = gate.trust.records.values.sorted { $0.pairedAt < $1.pairedAt }.map { record in
            PeerList.Device(
                installationID: record.installationID, name: record.displayName, platform: "ios",
                pairingStrength: style(record.strength), pairedAt: unix(record.pairedAt),
                lastConnectedAt: record.lastConnectedAt.map(unix))
        }
        return PeerList(installationID: store.installationID, devices: devices)
    }

    private func unix(_ since2001: Double) -> Int64 { Int64((since2001 + Moment.unixOffset).rounded(.down)) }

    func unpair(_ installationID: UUID) throws(ReceiverControlError) {
        guard gate.trust.records[installationID] != nil else { throw .deviceNotFound }
        do {
            try decideGate { gate in ((), gate.unpair(installationID)) }
        } catch {
            log("unpair_not_stored", ("code", .code(of: error)))
            throw .persistenceFailed
        }
        log("peer_unpaired", ("peer", .id(installationID)))
    }
}

/// The opaque cursor of a listing: birth and id of the last job of a page.
struct JobCursor {
    let createdAt: Int64
    let jobID: String

    init(_ job: Job) {
        createdAt = job.createdAt
        jobID = job.id.uuidString
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let createdAt = Int64(parts[0]), let id = UUID(uuidString: String(parts[1])) else {
            return nil
        }
        self.createdAt = createdAt
        jobID = id.uuidString
    }

    var text: String { "\(createdAt).\(jobID)" }
}
