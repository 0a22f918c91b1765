import ConnectedProtocol
import DurableStore
import Foundation

/// Phones: hello, status, and where their messages go.
extension ReceiverEngine {
    /// What our hello says: every flag that this receiver really supports (extensions.md 9.6).
    func ownCapabilities() -> PeerCapabilities {
        PeerCapabilities(
            platform: PeerPlatform.workstation, installationID: store.installationID,
            flags: [
                .macExportJobs, .macDestinationStatus, .jobCancellation, .granularPayloads,
                .partitionedConnectedExports, .durableConnectedExportRecovery, .sizeBoundedConnectedTransfers,
                .strictRawStreaming, .authoritativeFileAccounting, .canonicalHealthDataSelection,
                .allAvailableHistory, .iPhoneExportRequests, .perDateExportCompletion, .splitExportDetailPolicy,
                .dataDictionaryExportPreference, .rollupSummaries, .summaryOnlyExports, .dailyNoteOnlyExports,
                .manualIPSync,
            ],
            maximumInFlightChunks: configuration.maximumWindow, appVersion: configuration.version,
            extensions: ownExtensions().map { .wellFormed($0) } ?? .absent)
    }

    private func ownExtensions() -> HealthmdExtensions? {
        do {
            return try HealthmdExtensions(
                secureRecords: HealthmdExtensions.supportedSecureRecords, deviceName: configuration.deviceName)
        } catch {
            // A name that breaks a rule is left out; records are offered all the same.
            return try? HealthmdExtensions(
                secureRecords: HealthmdExtensions.supportedSecureRecords, deviceName: nil)
        }
    }

    /// Takes what a connection reports.
    func handle(_ event: PeerEvent, from connection: ConnectionID) {
        switch event {
        case .opened(let opening): opened(opening, connection)
        case .closed: closed(connection)
        case .message(let message):
            // A message from a connection that is not the active one of its phone is ignored.
            guard let installationID = installations[connection] else { return }
            handle(message, from: installationID)
        case .chunk(let transferID, let sequence, let stated, let payload):
            guard let installationID = installations[connection] else {
                payload.release(payload.buffer)
                return
            }
            handle(transferID, sequence, stated, payload, from: installationID)
        }
    }

    private func opened(_ opening: PeerOpening, _ connection: ConnectionID) {
        if let older = peers[opening.installationID] { closed(older.connection) }
        openedPeers += 1
        let own = ownCapabilities()
        peers[opening.installationID] = Peer(
            connection: connection, opening: opening,
            negotiation: CorpusNegotiation(source: opening.capabilities, destination: own),
            chunks: ChunkTransport(opening.capabilities, own, usesSecureRecords: opening.usesSecureRecords),
            order: openedPeers)
        installations[connection] = opening.installationID
        log(
            "peer_connected", ("peer", .id(opening.installationID)),
            ("records", .number(opening.usesSecureRecords ? 1 : 0)))
        said(hello: opening.installationID)
    }

    /// After every hello: our status, owed cancels, then the jobs that wait for this phone.
    func said(hello installationID: UUID) {
        guard let peer = peers[installationID] else { return }
        sendStatus(to: installationID)
        let facts = self.facts(of: peer)
        do {
            try change { book in
                (
                    (),
                    book.hello(
                        from: facts, isUsable: { self.destinationFacts(of: $0).binding != nil }, now: now)
                )
            }
        } catch {
            log("hello_failed", ("peer", .id(installationID)), ("code", .code(of: error)))
            unstoredHellos[installationID] = now.monotonic + Self.retrySeconds
            // Texts alone need no disk.
            attempt("hello_failure_not_shown") {
                let message = storageMessage(error)
                try change { book in
                    let waiting = book.jobs.values.filter { $0.peerInstallationID == installationID }
                    return ((), waiting.flatMap { book.troubled($0.id, message: message, now: now) })
                }
            }
        }
    }

    private func closed(_ connection: ConnectionID) {
        gate.disconnected(connection)
        guard let installationID = installations.removeValue(forKey: connection) else { return }
        transfer(.disconnected, of: installationID)
        if let active = peers[installationID]?.activeSession { sessions[active]?.machine.disconnected() }
        peers[installationID] = nil
        scouting[installationID] = nil
        log("peer_disconnected", ("peer", .id(installationID)))
        attempt("disconnect_failed") {
            try change { book in ((), book.disconnected(from: installationID, now: now)) }
        }
        forgetIdleSessions()
    }

    /// Drops sessions from memory that nobody works with; they are read again when they are asked for.
    func forgetIdleSessions() {
        let active = Set(peers.values.compactMap(\.activeSession))
        for (id, session) in sessions
        where !active.contains(id) && session.machine.application == nil && !session.machine.isFinalizationRunning {
            sessions[id] = nil
        }
    }

    /// Sends a message, if the phone is there.
    func send(_ message: SyncMessage, to installationID: UUID) {
        peers[installationID]?.opening.channel.send(message.encode())
    }

    /// Our state, as this phone should see it (corpus-protocol.md 4.6, extensions.md 9.5).
    func sendStatus(to installationID: UUID) {
        let destination = destinationFacts()
        let stored = storedDestination()
        let blocking = book.blockingJob(forPeer: installationID)
        let status = MacStatus(
            isConnected: true, destinationFolderSelected: stored != nil,
            folderAccessHealthy: destination.binding != nil, destinationDisplayName: stored?.displayName,
            destinationPathForDisplay: stored?.path,
            activeJobID: blocking?.peerInstallationID == installationID ? nil : blocking?.id,
            capabilities: ownCapabilities())
        peers[installationID]?.isToldUsable = destination.binding != nil
        send(.macStatus(status), to: installationID)
    }

    /// What admission knows of a phone.
    func facts(of peer: Peer) -> PeerFacts {
        let capabilities = peer.opening.capabilities
        let profiles: [(JobRequest.RawProfile, RawProfile)] = [
            (.canonicalSourceRecords, .canonicalSourceRecords), (.healthDataProjection, .healthDataProjection),
        ]
        return PeerFacts(
            installationID: peer.opening.installationID, name: peer.opening.displayName, isConnected: true,
            supportsExportRequests: capabilities.supports(.iPhoneExportRequests) && peer.negotiation != nil
                && capabilities.missingForFileJobs == nil,
            supportsSelection: capabilities.supports(.canonicalHealthDataSelection),
            supportsAllAvailableHistory: capabilities.missingForAllHistory(peer.negotiation) == nil,
            rawProfiles: Set(profiles.filter { capabilities.missing(for: $0.1) == nil }.map(\.0)),
            isDurable: peer.negotiation?.isDurable ?? false)
    }

    /// Every trusted phone, connected or not.
    func allPeerFacts() -> [PeerFacts] {
        gate.trust.records.values
            .sorted { $0.pairedAt < $1.pairedAt }
            .map { record in
                peers[record.installationID].map { facts(of: $0) }
                    ?? PeerFacts(installationID: record.installationID, name: record.displayName)
            }
    }

    // MARK: - Messages

    private func handle(_ message: SyncMessage, from installationID: UUID) {
        switch message {
        case .hello: said(hello: installationID)
        case .exportAccepted(let accepted):
            jobEvent(accepted.jobID, from: installationID) { book in
                book.acknowledged(accepted.jobID, resolvedDates: accepted.resolvedDateIdentifiers, now: now)
            }
        case .preparationProgress(let progress):
            jobEvent(progress.jobID, from: installationID) { book in
                book.prepared(
                    progress.jobID, processedDays: progress.processedDays, totalDays: progress.totalDays, now: now)
            }
        case .exportRejected(let rejected): self.rejected(rejected, from: installationID)
        case .corpusStatus(let status): self.status(status, from: installationID)
        case .corpusOpen(let open): handle(open, from: installationID)
        case .corpusFinalize(let finalize): handle(finalize, from: installationID)
        case .corpusCancel(let cancel): handle(cancel, from: installationID)
        case .macExportCancel(let jobID): cancelFromPeer(jobID, from: installationID)
        case .transferStart(let start):
            guard let peer = peers[installationID] else { return }
            transfer(.start(start, transferSupport(of: peer)), of: installationID)
        case .transferComplete(let complete): transfer(.complete(complete), of: installationID)
        case .transferAbort(let abort): transfer(.abort(abort), of: installationID)
        case .malformed(let malformed): handle(malformed, from: installationID)
        case .corpusCancelAck, .ping, .pong, .legacy, .unknown: break
        case .transferChunk: preconditionFailure("connections hand chunks over as chunks")
        case .macStatus, .exportRequest, .exportCancel, .corpusDisposition, .corpusFinalAck, .transferAck,
            .transferFinalAck, .macExportAccepted, .macExportProgress, .macExportResult, .macExportFailed:
            // Messages that only a destination sends.
            log("message_ignored", ("peer", .id(installationID)))
        }
    }

    private func transferSupport(of peer: Peer) -> TransferReceiver.Support {
        guard peer.opening.capabilities.supports(.sizeBoundedConnectedTransfers) else { return .none }
        return peer.negotiation == nil ? .boundedOnly : .partitioned
    }

    /// Lets an event of a job of this phone change the book.
    private func jobEvent(
        _ jobID: UUID, from installationID: UUID, _ event: (inout JobBook) -> [JobAction]
    ) {
        guard book.jobs[jobID]?.peerInstallationID == installationID else { return }
        attempt("job_event_failed") { try change { book in ((), event(&book)) } }
    }

    private func rejected(_ rejected: ExportRejected, from installationID: UUID) {
        guard let jobID = rejected.jobID ?? soleJob(of: installationID) else { return }
        log("request_rejected", ("job", .id(jobID)), ("peer", .id(installationID)))
        if rejected.reason == .requestAlreadyInProgress {
            return jobEvent(jobID, from: installationID) { book in book.phoneBusy(jobID, now: now) }
        }
        jobEvent(jobID, from: installationID) { book in
            guard let job = book.jobs[jobID] else { return [] }
            let isCancelled = rejected.reason == .cancelled
            var response = ControlResponse(
                status: isCancelled ? .cancelled : .failure, message: rejectionText(rejected.reason), jobID: jobID,
                failureReason: rejected.reason.rawValue)
            response.successCount = 0
            response.totalCount = job.totalDays
            return book.finish(jobID, response, now: now)
        }
        endSession(ofTerminalJob: jobID)
    }

    /// The one job of a phone that waits for its answer; a rejection may come without an id.
    private func soleJob(of installationID: UUID) -> UUID? {
        let candidates = book.jobs.values.filter { $0.peerInstallationID == installationID && $0.state == .sent }
        return candidates.count == 1 ? candidates.first?.id : nil
    }

    /// Our own words: a peer's text is free and could hold anything.
    private func rejectionText(_ reason: ExportRejectionReason) -> String {
        switch reason {
        case .unsupportedPeer: "The phone cannot serve this request. Update its app, or ask for less."
        case .invalidDateRange: "The phone has no such days. Choose another range."
        case .healthKitNotAuthorized: "The phone may not read health data. Allow it there, then try again."
        case .exportLimitReached: "The phone's export allowance is used up."
        case .macDestinationUnavailable: "The phone did not find the destination usable. Check it, then try again."
        case .healthKitFetchFailed: "The phone could not read its health data. Try again."
        case .requestAlreadyInProgress: "The phone works on another export."
        case .cancelled: "The export was cancelled on the phone."
        case .timedOut: "The phone gave up waiting. Try again."
        case .unknown: "The phone refused the request."
        }
    }

    private func status(_ status: CorpusStatus, from installationID: UUID) {
        if status.state.isTerminal {
            forgetOpen(of: status.jobID, session: status.sessionID, from: installationID)
        }
        guard let job = book.jobs[status.jobID], job.peerInstallationID == installationID,
            job.sessionID == nil || job.sessionID == status.sessionID,
            matches(status, job)
        else { return }
        let state: PeerJobStatus.State
        switch status.state {
        case .preparing: state = .preparing
        case .transferring, .finalizing, .completed, .partialSuccess: state = .transferring
        case .paused: state = .paused
        case .failed: state = .failed
        case .cancelled: state = .cancelled
        case .expired: state = .expired
        }
        if status.state == .paused || (status.state.isTerminal && !status.state.isSuccess) {
            transfer(.dropJob(jobID: status.jobID, telling: nil), of: installationID)
        }
        let snapshot = PeerJobStatus(
            state: state, processedDays: status.processedDays, totalDays: status.totalDays,
            updatedAt: status.updatedAt.secondsSince2001)
        jobEvent(status.jobID, from: installationID) { book in book.peerStatus(status.jobID, snapshot, now: now) }
        endSession(ofTerminalJob: status.jobID)
    }

    /// A status belongs to the session that was opened, when one was.
    private func matches(_ status: CorpusStatus, _ job: Job) -> Bool {
        guard let session = job.sessionID.flatMap({ sessions[$0] }) else { return true }
        return session.machine.journal.session.requestFingerprint == status.requestFingerprint
    }

    /// A message whose payload breaks a rule: answered where it has an answer (extensions.md 9.3).
    private func handle(_ malformed: MalformedMessage, from installationID: UUID) {
        log("message_malformed", ("peer", .id(installationID)), ("code", .code(of: malformed.error)))
        switch malformed.name {
        case .connectedCorpusTransferOpen:
            guard let sessionID = malformed.sessionID, let jobID = malformed.jobID, let partition = malformed.partition
            else { return }
            let message = "The message breaks a rule of the protocol."
            reject(
                sessionID: sessionID, jobID: jobID, index: partition.index, sha256: partition.sha256,
                nextIndex: 0, message: message, to: installationID)
            if let job = book.jobs[jobID], job.peerInstallationID == installationID, job.sessionID == nil {
                pause(
                    jobID, code: stableCode(of: malformed.error),
                    message: "The phone's transfer was refused. \(message)")
            }
        case .connectedTransferStart:
            guard let transferID = malformed.transferID else { return }
            transfer(.malformedStart(transferID: transferID, jobID: malformed.jobID), of: installationID)
        default: break
        }
    }
}

extension CorpusState {
    /// Whether the phone sees the job as well done.
    fileprivate var isSuccess: Bool {
        switch self {
        case .completed, .partialSuccess: true
        case .preparing, .transferring, .paused, .finalizing, .failed, .cancelled, .expired: false
        }
    }
}
