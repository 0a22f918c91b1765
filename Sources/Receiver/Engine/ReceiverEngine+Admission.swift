import ConnectedProtocol
import DurableStore
import Foundation

/// What admission of an open looks at (corpus-protocol.md 13.1 and 13.2).
///
/// A destination may lie on a slow file system, and a new session of many years plans thousands of folders: they are looked at on a
/// thread of their own, and the answer comes back as an event. Meanwhile the engine serves everybody else.
extension ReceiverEngine {
    /// An open whose destination is being looked at.
    struct Scouting {
        /// Which look it is: the answer to another one counts for nothing.
        let id: Int
        /// The newest open that the phone sent; a repeat does not look again.
        var open: CorpusTransferOpen
        let binding: DestinationBinding
    }

    func handle(_ open: CorpusTransferOpen, from installationID: UUID) {
        guard !isStopping else { return }
        // What fits no request is refused whatever the destination is like.
        guard gateRefusal(of: open, from: installationID) == nil, let manifest = open.exportManifest,
            manifest.mode == .writeFiles
        else { return decide(open, from: installationID, destination: .notNeeded) }
        guard manifest.settings.hasFileOutput else {
            return decide(open, from: installationID, destination: .unusable("No output is selected."))
        }
        guard let binding = destinationBinding(of: open) else {
            return decide(open, from: installationID, destination: .unusable("None is selected."))
        }
        if scouting[installationID] != nil {
            scouting[installationID]?.open = open
        } else {
            scout(open, from: installationID, binding)
        }
    }

    private func destinationBinding(of open: CorpusTransferOpen) -> DestinationBinding? {
        book.jobs[open.session.jobID]?.destination ?? storedDestination()
    }

    private func scout(_ open: CorpusTransferOpen, from installationID: UUID, _ binding: DestinationBinding) {
        scoutCount += 1
        let id = scoutCount
        scouting[installationID] = Scouting(id: id, open: open, binding: binding)
        // Once a session, not once a partition.
        let isNew = session(open.session.sessionID) == nil
        scout.post { [self, disk = configuration.destinationDisk] in
            let destination = ReceiverEngine.look(at: binding, for: open, isNew: isNew, on: disk)
            queue.post { [self] in scouted(id, open, destination, from: installationID) }
        }
    }

    private func scouted(
        _ id: Int, _ open: CorpusTransferOpen, _ destination: AdmissionFacts.Destination, from installationID: UUID
    ) {
        guard let asked = scouting[installationID], asked.id == id else { return }
        scouting[installationID] = nil
        guard !isStopping else { return }
        // What was asked meanwhile is another question.
        guard asked.open == open, destinationBinding(of: open) == asked.binding else {
            return handle(asked.open, from: installationID)
        }
        decide(open, from: installationID, destination: destination)
    }

    /// The phone gave the job up: an open of it that still waits must not begin it.
    func forgetOpen(of jobID: UUID, session sessionID: UUID? = nil, from installationID: UUID) {
        guard let asked = scouting[installationID]?.open.session, asked.jobID == jobID,
            sessionID ?? asked.sessionID == asked.sessionID
        else { return }
        scouting[installationID] = nil
    }

    /// Looks at the root and, for a new session, at every folder that is planned.
    private static func look(
        at binding: DestinationBinding, for open: CorpusTransferOpen, isNew: Bool, on disk: any Disk
    ) -> AdmissionFacts.Destination {
        do {
            let root = try DestinationRoot.open(binding, on: disk)
            // A plan that cannot be made is told by finalization, in its own words.
            if isNew, let manifest = open.exportManifest, let plan = try? FilePlan(manifest) {
                if plan.isPinnedRollup, open.session.protocolVersion >= CorpusNegotiation.rangePlanVersion {
                    try FileFinalizer.requireRangePlan(plan, protocolVersion: open.session.protocolVersion)
                }
                try PlannedFolders.check(plan, in: root)
            }
            return .ready(freeBytes: Int64(clamping: try root.freeSpace().available))
        } catch ReceiverError.destinationUnusable(let reason) {
            return .unusable(reason)
        } catch let error as FileFinalizer.Unplannable {
            return .unusable(error.message)
        } catch {
            return .unusable("It cannot be read.")
        }
    }

    // MARK: - Facts

    func admissionFacts(
        _ open: CorpusTransferOpen, from installationID: UUID, destination: AdmissionFacts.Destination,
        isUnreadable: Bool
    ) -> AdmissionFacts {
        let id = open.session.sessionID
        var freeStorage: Int64 = 0
        var reserved: Int64 = 0
        attempt("free_space_unknown") {
            freeStorage = Int64(clamping: try store.folder.freeSpace().available)
            reserved = try storageNeeds(except: id)
        }
        let active = peers[installationID]?.activeSession.flatMap { sessions[$0] }
        let isOtherActive = active.map { $0.id != id && !$0.machine.journal.state.isTerminal } ?? false
        return AdmissionFacts(
            now: ProtocolDate(secondsSince2001: now.wall), peerInstallationID: installationID,
            ownInstallationID: store.installationID, negotiation: peers[installationID]?.negotiation,
            gateRefusal: gateRefusal(of: open, from: installationID),
            manifestError: open.exportManifest?.calendarError(SystemCalendar()),
            destination: destination, freeStorageBytes: freeStorage,
            storageBytesReservedByOthers: reserved, otherActiveSession: isOtherActive ? active?.id : nil,
            hasUnreadableState: isUnreadable)
    }

    /// Bytes that sessions, other than one, still need in our own folder (corpus-protocol.md 13.2.9, extensions.md 2.3). What they
    /// have committed is on the disk already and counts as used there; still to come are the spools and items of partitions that may
    /// be sent now, and both copies of raw results, which are composed of what is committed.
    func storageNeeds(except id: UUID) throws -> Int64 {
        var needs: [Int64] = try store.committedBytesOfLiveSessions().compactMap { session in
            guard session.sessionID != id, let job = book.jobs[session.jobID], !job.state.isTerminal,
                job.responseMode == .rawJSON
            else { return nil }
            let (twice, overflow) = session.byteCount.multipliedReportingOverflow(by: 2)
            return overflow ? .max : twice
        }
        let admitted = sessions.values.compactMap(\.machine.admission)
        let moving = peers.values.flatMap(\.transfers.partitions)
        for partition in admitted + moving where partition.sessionID != id { needs.append(2 * partition.byteCount) }
        return needs.reduce(0) { sum, need in
            let (result, overflow) = sum.addingReportingOverflow(need)
            return overflow ? .max : result
        }
    }

    /// Corpus-protocol.md 13.1, over the stored job.
    private func gateRefusal(of open: CorpusTransferOpen, from installationID: UUID) -> OpenRefusal? {
        guard let manifest = open.exportManifest else { return .manifestMissing }
        let job = book.jobs[open.session.jobID]
        if let job, job.peerInstallationID != installationID {
            return .notRequested("the job belongs to another device")
        }
        if let job, job.state.isTerminal, job.sessionID != open.session.sessionID {
            return .notRequested("the job has ended")
        }
        if book.corruptJobIDs.contains(open.session.jobID) { return .unreadableState }
        // Chosen once for the life of a job (corpus-protocol.md 5.2). Only a phone that keeps nothing over a
        // disconnect begins the job of a request again.
        if let job, job.origin == .sourceInitiated || job.isDurable, let sessionID = job.sessionID,
            sessionID != open.session.sessionID
        {
            return .notRequested("the job has another session")
        }
        return RequestGate.refusal(
            of: open, request: job.flatMap { gateRequest(of: $0) }, peerInstallationID: installationID,
            sourceLabels: SourceDays.labels(of: manifest))
    }

    private func gateRequest(of job: Job) -> RequestGate.Request? {
        guard let request = job.request else { return nil }
        return RequestGate.Request(
            mode: request.responseMode.onWire.corpusMode, dateIdentifiers: job.pinnedDates ?? request.labels,
            peerInstallationID: job.peerInstallationID, rawProfile: request.rawProfile?.onWire,
            canonicalSelection: request.canonicalSelection?.onWire)
    }
}
