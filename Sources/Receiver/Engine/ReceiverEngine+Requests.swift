import ConnectedProtocol
import DurableStore
import Foundation

/// Requests to phones, and the answers to those who wait for a job.
extension ReceiverEngine {
    /// The exact document of a job's request; nil for a job that the phone started.
    func wireRequest(of job: Job) -> [UInt8]? {
        guard let request = job.request else { return nil }
        let days = SourceDays.local
        let first: CalendarDay
        let last: CalendarDay
        var labels: [String]?
        switch request.dateSelection {
        case .explicitRange(let start, let end):
            (first, last) = (start, end)
            labels = JobRequest.labels(from: start, through: end)
        case .allAvailable:
            // Required by the type; the phone resolves the days itself.
            let today = days.day(of: Date(timeIntervalSince1970: Double(job.createdAt)))
            guard let today else { preconditionFailure("today lies within the years 0 to 9999") }
            (first, last) = (today, today)
        }
        let wire = ExportRequest(
            jobID: job.id, createdAt: ProtocolDate(secondsSince1970: Double(job.createdAt)),
            dateSelection: labels == nil ? .allAvailable : .explicitRange,
            dateRangeStart: days.firstInstant(of: first), dateRangeEnd: days.firstInstant(of: last),
            requestedDateIdentifiers: labels, requestedBy: .cli, settingsPolicy: request.settingsPolicy.onWire,
            responseMode: request.responseMode.onWire, rawProfile: request.rawProfile?.onWire,
            canonicalSelection: request.canonicalSelection?.onWire)
        return SyncMessage.exportRequest(wire).encode()
    }

    /// Sends the stored request of a job to its phone, byte for byte.
    func sendRequest(_ jobID: UUID) {
        guard let job = book.jobs[jobID], let peer = peers[job.peerInstallationID] else { return }
        attempt("request_unreadable") {
            guard let document = try store.wireRequest(of: jobID) else { return }
            guard ReceiverEngine.canBeSent(document, of: job) else {
                // Afterwards: whoever sends is in the middle of a decision.
                return queue.post { [self] in failUnsendable(jobID) }
            }
            // A phone believes what it heard last: a folder that could not be looked at for a moment would make it refuse.
            if !peer.isToldUsable { sendStatus(to: job.peerInstallationID) }
            peer.opening.channel.send(document)
            log("request_sent", ("job", .id(jobID)), ("peer", .id(job.peerInstallationID)))
        }
    }

    /// Whether a connection takes the request. The front refuses ranges that are too long; one that was stored before it did must not
    /// end the process each time that the phone comes.
    private static func canBeSent(_ document: [UInt8], of job: Job) -> Bool {
        if case .explicitRange(let first, let last) = job.request?.dateSelection,
            last.daysSince1970 - first.daysSince1970 >= RequestAcceptance.maximumDays
        {
            return false
        }
        return document.count <= SecureTransportLimits.recordDocumentByteCount
    }

    private func failUnsendable(_ jobID: UUID) {
        guard let job = book.jobs[jobID] else { return }
        log("request_unsendable", ("job", .id(jobID)))
        var response = ControlResponse(
            status: .failure,
            message:
                "The request has more than \(RequestAcceptance.maximumDays) days, the most that a phone can be asked for. Name a shorter range.",
            jobID: jobID, failureReason: JobRefusal.invalidDateRange.code)
        response.successCount = 0
        response.totalCount = job.totalDays
        attempt("job_event_failed") { try change { book in ((), book.finish(jobID, response, now: now)) } }
    }

    /// Tells the job's phone, if it is there, that the job is cancelled, or that it has to be given up.
    func sendCancel(_ jobID: UUID) {
        guard let job = book.jobs[jobID] else { return }
        if job.origin == .sourceInitiated, let sessionID = job.sessionID {
            // No request of ours stands behind it: what the phone knows is its session.
            let cancel = CorpusTransferCancel(
                sessionID: sessionID, jobID: jobID, reason: job.state == .failed ? .protocolError : .userRequested,
                message: job.state == .failed ? job.message : nil,
                requestedAt: ProtocolDate(secondsSince2001: now.wall))
            send(.corpusCancel(cancel), to: job.peerInstallationID)
        } else {
            send(.exportCancel(jobID: jobID), to: job.peerInstallationID)
        }
        log("cancel_sent", ("job", .id(jobID)), ("peer", .id(job.peerInstallationID)))
    }

    // MARK: - Waiters

    /// Registers whoever wants the answer.
    func register(_ waiter: @escaping ControlWaiter) -> WaiterID {
        let id = WaiterID(rawValue: nextWaiter)
        nextWaiter += 1
        waiters[id] = waiter
        return id
    }

    /// Answers a waiter, with the spool of a finished raw job.
    func answer(_ waiter: WaiterID, _ response: ControlResponse) {
        guard let call = waiters.removeValue(forKey: waiter) else { return }
        call(controlAnswer(response))
    }

    /// A response with the spool that belongs to it.
    func controlAnswer(_ response: ControlResponse) -> ControlAnswer {
        guard let jobID = response.jobID, let job = book.jobs[jobID], job.state == .completed,
            job.responseMode == .rawJSON
        else { return ControlAnswer(response) }
        do {
            return ControlAnswer(response, spool: try responseSpool(of: job))
        } catch {
            log("response_unreadable", ("job", .id(jobID)), ("code", .code(of: error)))
            return ControlAnswer(response)
        }
    }

    /// The stored body of a finished raw job, if there is one.
    func responseSpool(of job: Job) throws -> JobResponseSpool? {
        guard let sessionID = job.sessionID, let stored = try store.response(of: job.id) else { return nil }
        let jobID = job.id
        return JobResponseSpool(
            jobID: jobID, sessionID: sessionID, stored: stored,
            folders: .init(jobs: store.jobs, sessions: store.sessions, scratch: store.folder), shelf: snapshots,
            rebind: { [weak self] identity in
                self?.queue.post { [weak self] in
                    self?.attempt("response_folder_not_stored") {
                        guard let store = self?.store else { return }
                        try store.transaction { try ReceiverStore.rebindResponse(of: jobID, to: identity, $0) }
                    }
                }
            }, log: log)
    }
}

extension JobRequest {
    /// The labels of an inclusive range of days.
    static func labels(from first: CalendarDay, through last: CalendarDay) -> [String] {
        (first.daysSince1970...max(first.daysSince1970, last.daysSince1970)).compactMap {
            CalendarDay(daysSince1970: $0)?.description
        }
    }

    /// The labels that the job is about, when they are known before the phone answers.
    var labels: [String]? {
        switch dateSelection {
        case .explicitRange(let first, let last): JobRequest.labels(from: first, through: last)
        case .allAvailable: nil
        }
    }
}

extension JobRequest.SettingsPolicy {
    var onWire: SettingsPolicy {
        switch self {
        case .requestedDatesOnly: .requestedDatesOnly
        case .currentIPhoneSettings: .currentIPhoneSettings
        }
    }
}

extension JobRequest.ResponseMode {
    var onWire: ResponseMode {
        switch self {
        case .writeFiles: .writeFiles
        case .rawJSON: .rawJSON
        }
    }
}

extension JobRequest.RawProfile {
    var onWire: RawProfile {
        switch self {
        case .canonicalSourceRecords: .canonicalSourceRecords
        case .healthDataProjection: .healthDataProjection
        }
    }
}

extension JobRequest.CanonicalSelection {
    var onWire: CanonicalSelection {
        func sorted(_ list: [String]) -> [String] { list.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
        return CanonicalSelection(
            metricIDs: sorted(metricIDs), sourceIDs: sorted(sourceIDs),
            detailLevel: detailLevel == .lossless ? .lossless : .summary, objectPaths: sorted(objectPaths),
            fieldPointers: sorted(fieldPointers))
    }
}
