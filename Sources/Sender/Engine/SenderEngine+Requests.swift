import CanonicalJSON
import ConnectedProtocol
import DurableStore
import Foundation
import HealthData

extension SenderEngine {
    // Requests of the destination, and pushes of our own.

    /// Decides about a request and begins, resumes or refuses (corpus-protocol.md 4.1).
    func take(_ request: ExportRequest, _ link: Link) throws {
        let generation: (number: Int, days: any DaySource)?
        do {
            generation = try openedGeneration()
        } catch let error as StoreError where error.mayPass {
            // A full or failing disk says nothing about the data: the request is not refused, the destination sends it again.
            throw error
        } catch {
            let code = StoreFailure.code(of: error)
            return reject(
                request.jobID, .healthKitFetchFailed, "The imported data cannot be read (\(code)). Import it again.",
                link)
        }
        let zone = generation?.days.zone ?? .utc
        let stored = try storedJob(request.jobID)
        let settings = try settings().snapshot(for: request, zone: zone)
        let facts = try facts(request, link, settings: settings, generation: generation?.days, stored: stored)
        switch RequestAcceptance.decide(request, facts: facts, calendar: ZoneCalendar(zone: zone)) {
        case .reject(let reason, let message):
            reject(request.jobID, reason, message, link)
        case .replay:
            guard let stored else { preconditionFailure("only a stored request is a replay") }
            try replay(stored, link)
        case .accept(let days):
            guard let generation else { preconditionFailure("without data no request is accepted") }
            let plan = JobPlan(
                origin: .macInitiated, jobID: request.jobID, mode: request.responseMode.corpusMode, days: days,
                supporting: try supportingDays(
                    of: days, mode: request.responseMode.corpusMode, settings, generation.days),
                settings: settings, request: request, generation: generation.number)
            try accept(try makeJob(plan, link, zone: zone.identifier), link)
        }
    }

    private func replay(_ stored: StoredJob, _ link: Link) throws {
        link.channel.send(.exportAccepted(acceptance(of: stored)))
        let jobID = stored.jobID
        if stored.journal.progress.state.isTerminal {
            link.channel.send(.corpusStatus(stored.journal.status))
        } else if workingJobID == nil || workingJobID == jobID, jobs[jobID]?.session.isParked == true {
            try begin(jobID)
        }
    }

    private func accept(_ job: StoredJob, _ link: Link) throws {
        let isDurable = job.journal.session.peerBinding != nil
        if isDurable { try store.insert(job) }
        let session = SenderSession(
            journal: job.journal, durability: isDurable ? .durable : .inMemory, planner: configuration.planner)
        jobs[job.jobID] = ActiveJob(job, session: session, isVerified: true)
        if job.request != nil { link.channel.send(.exportAccepted(acceptance(of: job))) }
        report(
            .jobAccepted(
                jobID: job.jobID, mode: job.journal.manifest.mode.rawValue,
                days: job.journal.manifest.transferDates.count))
        try begin(job.jobID)
    }

    private func acceptance(of job: StoredJob) -> ExportAccepted {
        var accepted = ExportAccepted(jobID: job.jobID, acceptedAt: job.journal.createdAt)
        if job.request?.dateSelection == .allAvailable {
            accepted.resolvedDateRangeStart = job.journal.manifest.dateRangeStart
            accepted.resolvedDateRangeEnd = job.journal.manifest.dateRangeEnd
            accepted.resolvedDateIdentifiers = job.journal.manifest.requestedDateIdentifiers
        }
        return accepted
    }

    // MARK: Facts

    private func facts(
        _ request: ExportRequest, _ link: Link, settings: SettingsSnapshot, generation: (any DaySource)?,
        stored: StoredJob?
    ) throws -> RequestAcceptance.Facts {
        let now = clock()
        let zone = generation?.zone ?? .utc
        guard let today = ZoneCalendar(zone: zone).day(containing: now.date) else {
            preconditionFailure("the clock of this computer shows no calendar day")
        }
        let history = try generation?.coverage()
        var facts = RequestAcceptance.Facts(
            peer: link.peer, negotiation: link.negotiation,
            knownMetricIDs: Set(Registry.current.metrics.map(\.id)), isAuthorized: generation != nil,
            // An export knows nothing of the days after it was made: for this phone its last day is today. All available
            // history ends there, and nobody is told that hundreds of days are missing.
            history: history, today: history?.upperBound ?? today, destination: link.status)
        facts.missingForFiles = link.peer.missing(forFilesWith: settings, link.negotiation)
        facts.storedRequest = stored?.request
        facts.storedJobIsDurable = stored?.journal.session.peerBinding != nil
        if let workingJobID, workingJobID != request.jobID || stored?.request != request {
            facts.activeJobID = workingJobID
        }
        return facts
    }

    private func storedJob(_ jobID: UUID) throws -> StoredJob? {
        if var stored = jobs[jobID]?.stored {
            stored.journal = jobs[jobID]?.session.journal ?? stored.journal
            return stored
        }
        return try store.job(jobID)
    }

    private func openedGeneration() throws -> (number: Int, days: any DaySource)? {
        guard let number = try library.currentGeneration() else { return nil }
        return (number, try library.open(number))
    }

    private func settings() throws -> PhoneSettings { try PhoneSettings(stored: store.settings()) }

    // MARK: Making a job

    private struct JobPlan {
        let origin: SourceJournal.Origin
        let jobID: UUID
        let mode: CorpusMode
        let days: [RequestedDay]
        /// Days that are sent for roll-ups alone.
        let supporting: [ProtocolDate]
        let settings: SettingsSnapshot
        let request: ExportRequest?
        let generation: Int
    }

    private func makeJob(_ plan: JobPlan, _ link: Link, zone: String) throws -> StoredJob {
        guard let negotiation = link.negotiation else { preconditionFailure("checked before a job is made") }
        let now = clock().date
        var content = ManifestContent(
            mode: plan.mode, createdAt: now, sourceDeviceName: configuration.deviceName, sourceTimeZoneIdentifier: zone,
            requestedDates: plan.days.map(\.instant), requestedDateIdentifiers: plan.days.map(\.date.description))
        content.transferDates = (content.requestedDates + plan.supporting).sorted()
        content.rawProfile = plan.request?.rawProfile
        content.canonicalSelection = plan.request?.canonicalSelection
        let manifest = try ExportManifest(content, settings: plan.settings)
        let session = try CorpusSession(
            sessionID: makeIdentity(), jobID: plan.jobID, requestFingerprint: manifest.fingerprint,
            protocolVersion: negotiation.protocolVersion, partitionTargetBytes: negotiation.partitionTargetBytes,
            createdAt: now, peerBinding: negotiation.peerBinding)
        let journal = SourceJournal(origin: plan.origin, session: session, manifest: manifest, createdAt: now)
        return StoredJob(
            journal: journal, request: plan.request, generation: plan.generation,
            documentVersion: try settings().documentVersion)
    }

    /// The days that roll-ups need beside the requested ones: calendar roll-ups cover the whole of each period that is
    /// touched (export-formats.md 7.1). Days of which nothing was imported, future ones above all, are not sent.
    private func supportingDays(
        of days: [RequestedDay], mode: CorpusMode, _ settings: SettingsSnapshot, _ generation: any DaySource
    ) throws -> [ProtocolDate] {
        let kinds: [(isWanted: Bool, kind: RollupPeriod.Kind)] = [
            (settings.generateWeeklyRollups, .weekly), (settings.generateMonthlyRollups, .monthly),
            (settings.generateYearlyRollups, .yearly),
        ]
        let isNotesOnly = settings.dailyNoteInjection.enabled && settings.dailyNoteInjection.dailyNotesOnly
        guard mode == .writeFiles, !isNotesOnly, kinds.contains(where: \.isWanted),
            let coverage = try generation.coverage()
        else { return [] }
        var periods: Set<RollupPeriod> = []
        for kind in kinds where kind.isWanted {
            for day in days { periods.insert(RollupPeriod(kind.kind, containing: day.date)) }
        }
        var known = Set(days.map(\.date))
        var supporting: [ProtocolDate] = []
        let calendar = ZoneCalendar(zone: generation.zone)
        for period in periods {
            for offset in 0..<period.dayCount {
                guard let day = period.start.adding(days: offset), coverage.contains(day), known.insert(day).inserted,
                    let instant = calendar.start(of: day)
                else { continue }
                supporting.append(instant)
            }
        }
        return supporting
    }

    // MARK: Pushes

    /// Begins the oldest queued push, when the destination can take it now.
    func startPush(_ link: Link) throws {
        guard link.negotiation?.isDurable == true, let push = try store.queuedPushes().first,
            let status = link.status, status.isReady(for: push.jobID)
        else { return }
        let settings = try settings().snapshot()
        guard link.peer.missing(forFilesWith: settings, link.negotiation) == nil else {
            return drop(push, "unsupported_peer")
        }
        let opened: (number: Int, days: any DaySource)?
        do {
            opened = try openedGeneration()
        } catch let error as StoreError where error.mayPass {
            // The push keeps its place.
            throw error
        } catch {
            return drop(push, StoreFailure.code(of: error))
        }
        guard let generation = opened else { return drop(push, "nothing_imported") }
        let zone = generation.days.zone
        guard let days = days(of: push, ZoneCalendar(zone: zone)) else { return drop(push, "invalid_date_range") }
        let plan = JobPlan(
            origin: .interactiveIPhone, jobID: push.jobID, mode: .writeFiles, days: days,
            supporting: try supportingDays(of: days, mode: .writeFiles, settings, generation.days), settings: settings,
            request: nil, generation: generation.number)
        try accept(try makeJob(plan, link, zone: zone.identifier), link)
    }

    private func days(of push: QueuedPush, _ calendar: ZoneCalendar) -> [RequestedDay]? {
        guard let first = CivilDate(push.firstDay), let last = CivilDate(push.lastDay), first <= last else {
            return nil
        }
        let count = last.daysSince1970 - first.daysSince1970 + 1
        guard count <= RequestAcceptance.maximumDays else { return nil }
        let days = (0..<count).compactMap { first.adding(days: $0) }.compactMap { date in
            calendar.start(of: date).map { RequestedDay(date: date, instant: $0) }
        }
        return days.isEmpty ? nil : days
    }

    private func drop(_ push: QueuedPush, _ code: String) {
        report(.pushDropped(jobID: push.jobID, code: code))
        do {
            try store.removePush(push.jobID)
        } catch {
            // It stays in the queue and is dropped the next time.
            report(.storeFailed(code: StoreFailure.code(of: error)))
        }
    }
}

extension PeerCapabilities {
    /// What is missing for a file job with these settings (corpus-protocol.md 3.5).
    func missing(forFilesWith settings: SettingsSnapshot, _ negotiation: CorpusNegotiation?) -> MissingCapability? {
        let isLossless = settings.healthKitSourceArchivePolicy == .canonical
        return (isLossless ? missingForLosslessFileJobs : missingForFileJobs) ?? missing(for: settings)
            ?? missing(forPinIn: settings, negotiation)
    }
}
