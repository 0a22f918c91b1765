import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HealthData
import HealthExport

/// The phone side's engine: owns every protocol state machine and the store, takes one event at a time, performs the actions in order.
///
/// Belongs to one thread. It blocks for nothing but its own transactions: sockets have their threads, heavy work goes to the
/// ``Workbench`` and comes back as an event. One job is at work at a time; the others wait, oldest change first
/// (corpus-protocol.md 12.1).
final class SenderEngine {
    /// What happens to the engine.
    enum Event: Sendable {
        /// A connection may be used.
        case opened(any PeerChannel, PeerSession<SyncMessage>)
        /// A message of a connection.
        case message(any PeerChannel, SyncMessage)
        /// A connection is gone.
        case closed(any PeerChannel, ConnectionEnd)
        /// Work is done.
        case workDone(WorkResult)
        /// A person cancels a job.
        case cancel(jobID: UUID)
        /// Another process may have queued a push, or wished to cancel a job.
        case storeChanged
        /// The service stops.
        case stop
        /// A deadline may have passed.
        case timer
    }

    /// What stays the same while the engine lives.
    struct Configuration: Sendable {
        /// This installation.
        var installationID: UUID
        /// The name that the destination shows.
        var deviceName: String
        /// Largest number of chunks on their way.
        var maximumWindow = PeerCapabilities.standardWindow
        /// The version of the program.
        var appVersion: String?
        /// Corpus versions and partition bounds; lowered by tests.
        var corpus = CorpusCapabilities.standard
        /// Packs partitions; nil: for the target of each session. Smaller in tests.
        var planner: PartitionPlanner?
        /// Bytes of a chunk; smaller in tests.
        var chunkByteCount = TransferStart.maximumChunkByteCount

        /// What our hello says.
        var capabilities: PeerCapabilities { PeerCapabilities(ofSender: self) }
    }

    /// The confirmed connection.
    struct Link {
        let channel: any PeerChannel
        let peer: PeerCapabilities
        let negotiation: CorpusNegotiation?
        let chunks: ChunkTransport
        var status: MacStatus?
    }

    let configuration: Configuration
    let store: PhoneStore
    let library: any DayLibrary
    let workbench: any Workbench
    let clock: () -> Moment
    let makeIdentity: () -> UUID
    let report: (SenderEvent) -> Void

    var link: Link?
    var jobs: [UUID: ActiveJob] = [:]
    /// The job that is at work.
    var workingJobID: UUID?
    /// What the connected destination has still to hear.
    var owedCancels: [UUID: OwedCancel] = [:]
    /// Set when the store failed: what is in memory may not be what is stored, so it is read anew before anything goes on.
    private var needsReload = true
    /// Items of before such a failure, of which the stored journals may know nothing.
    private var unstoredItems: Set<UUID> = []
    /// Set by `stop`: nothing is begun any more.
    var isStopping = false

    init(
        configuration: Configuration, store: PhoneStore, library: any DayLibrary, workbench: any Workbench,
        clock: @escaping () -> Moment, makeIdentity: @escaping () -> UUID = SecureRandom.uuid,
        report: @escaping (SenderEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.store = store
        self.library = library
        self.workbench = workbench
        self.clock = clock
        self.makeIdentity = makeIdentity
        self.report = report
    }

    // MARK: Events

    /// Takes one event.
    func handle(_ event: Event) {
        do {
            try reloadIfNeeded()
            try take(event)
            if !isStopping { try goOn() }
        } catch {
            // A connection that could not be taken must not stay open with nobody to listen to it: the peer would wait.
            if case .opened(let channel, _) = event, link?.channel !== channel { channel.close(.storeFailed) }
            if case .workDone(.produced(_, let item)) = event { unstoredItems.insert(item.itemID) }
            fail(error)
        }
    }

    /// When ``Event/timer`` is due, on the monotonic clock.
    var nextDeadline: Double? {
        let owed = link == nil ? nil : owedCancels.values.map(\.due).min()
        let deadlines = jobs.values.flatMap { [$0.session.nextDeadline, $0.transfer?.machine.nextDeadline] }
        return (deadlines + [owed]).compactMap(\.self).min()
    }

    private func take(_ event: Event) throws {
        switch event {
        case .opened(let channel, let session): try open(channel, session)
        case .message(let channel, let message):
            guard let link, link.channel === channel else { return }
            try take(message, link)
        case .closed(let channel, let end):
            guard let link, link.channel === channel else { return }
            self.link = nil
            report(.disconnected(code: end.code, retryAfter: nil))
            for jobID in Array(jobs.keys) { try deliver(.peerLost, to: jobID) }
            workingJobID = nil
        case .workDone(let result): try take(result)
        case .cancel(let jobID): try cancel(jobID)
        case .storeChanged:
            for jobID in try store.wishedCancellations() {
                try cancel(jobID)
                // While the destination is asked the cancel is not journaled: a restart must find the wish.
                if jobs[jobID] == nil { try store.removeCancellation(of: jobID) }
            }
        case .stop:
            isStopping = true
            for jobID in Array(jobs.keys) { try deliver(.interrupted, to: jobID) }
        case .timer: try takeTimer()
        }
    }

    /// A job under way is cancelled with its peer; a push that is no job yet is dropped.
    private func cancel(_ jobID: UUID) throws {
        guard jobs[jobID] == nil else { return try deliver(.userCancelled, to: jobID) }
        guard try store.queuedPushes().contains(where: { $0.jobID == jobID }) else { return }
        try store.removePush(jobID)
        report(.pushDropped(jobID: jobID, code: "cancelled"))
    }

    private func takeTimer() throws {
        let now = clock()
        sayOwedCancels()
        for (jobID, job) in jobs {
            if let deadline = job.transfer?.machine.nextDeadline, deadline <= now.monotonic {
                try drive(.tick, transferOf: jobID)
            }
            // A parked job is taken up by `goOn`, one at a time; its timer only lets it expire.
            let isDue = (job.session.nextDeadline ?? .infinity) <= now.monotonic && !job.session.isParked
            let isExpired = job.session.journal.expiresAt.secondsSince2001 <= now.wall
            if isDue || isExpired { try deliver(.timer, to: jobID) }
        }
    }

    private func take(_ result: WorkResult) throws {
        switch result {
        case .produced(let jobID, let item):
            guard let job = jobs[jobID] else { return workbench.submit(.delete([item.itemID])) }
            report(
                .dayPrepared(
                    jobID: jobID, processed: job.session.journal.progress.nextItemIndex + 1,
                    total: job.session.journal.manifest.transferDates.count, byteCount: item.totalBytes))
            try deliver(.itemProduced(item), to: jobID)
        case .built(let jobID, let partition, let ready):
            jobs[jobID]?.ready[partition.transferID] = ready
            try deliver(.partitionBuilt(partition), to: jobID)
        case .verified(let jobID, let ready):
            guard let job = jobs[jobID] else { return }
            if let pending = job.session.journal.progress.pendingPartition {
                jobs[jobID]?.ready[pending.transferID] = ready
            }
            jobs[jobID]?.isVerified = true
            if workingJobID == jobID, link != nil { try resume(jobID) }
        case .failed(let jobID, let code, let message, let isFinal):
            jobs[jobID]?.isBeingVerified = false
            try deliver(.localFailure(code: code, message: message, isFinal: isFinal), to: jobID)
        }
    }

    // MARK: One job at a time

    /// Takes up whatever may go on now: the oldest resumable job, else a queued push.
    private func goOn() throws {
        if let workingJobID, let job = jobs[workingJobID], !job.session.isParked || job.isBeingVerified { return }
        workingJobID = nil
        guard let link else { return }
        let now = clock()
        let waiting = jobs.values.filter { job in
            job.session.isParked && job.isBound(to: link) && (job.session.nextDeadline ?? 0) <= now.monotonic
        }
        let oldest = waiting.min {
            $0.session.journal.progress.updatedAt < $1.session.journal.progress.updatedAt
        }
        if let oldest { return try begin(oldest.jobID) }
        try startPush(link)
    }

    /// Takes up a job, after its items were checked once.
    func begin(_ jobID: UUID) throws {
        guard let job = jobs[jobID] else { return }
        workingJobID = jobID
        if job.isVerified { return try resume(jobID) }
        guard !job.isBeingVerified else { return }
        jobs[jobID]?.isBeingVerified = true
        let progress = job.session.journal.progress
        workbench.submit(
            .verify(
                jobID: jobID, protocolVersion: job.session.journal.session.protocolVersion, progress.items,
                progress.pendingPartition))
    }

    private func resume(_ jobID: UUID) throws {
        jobs[jobID]?.isBeingVerified = false
        if let progress = jobs[jobID]?.session.journal.progress {
            report(.jobResumed(jobID: jobID, committedPartitions: progress.committedPartitionCount))
        }
        try deliver(.peerReady, to: jobID)
    }

    // MARK: Connection

    private func open(_ channel: any PeerChannel, _ session: PeerSession<SyncMessage>) throws {
        guard case .hello(let peer) = session.message else { preconditionFailure("a session is opened by a hello") }
        if let old = link {
            link = nil
            old.channel.close(.replaced)
            for jobID in Array(jobs.keys) { try deliver(.peerLost, to: jobID) }
        }
        try store.removeOldJobs(at: clock().date)
        let own = configuration.capabilities
        link = Link(
            channel: channel, peer: peer, negotiation: CorpusNegotiation(source: own, destination: peer),
            chunks: ChunkTransport(own, peer, usesSecureRecords: session.secureRecordVersion != nil), status: nil)
        workingJobID = nil
        report(
            .connected(
                name: session.displayName, installationID: session.installationID,
                secureRecords: session.secureRecordVersion != nil))
        // The trust has one place: a job of another workstation, or of another installation of ours, can never go on.
        for job in Array(jobs.values) where !job.isBound(source: configuration.installationID, session.installationID) {
            try deliver(.identityChanged, to: job.jobID)
        }
        try takeUpOwedCancels(
            of: PeerBinding(
                sourceInstallationID: configuration.installationID, destinationInstallationID: session.installationID))
    }

    // MARK: The store

    /// Reads the jobs that are not over; removes those whose time is over, and files that nothing refers to.
    private func reloadIfNeeded() throws {
        guard needsReload else { return }
        let now = clock().date
        try store.removeOldJobs(at: now)
        jobs = [:]
        for read in try store.jobs() {
            switch read.job {
            case .success(let job) where !job.journal.progress.state.isTerminal:
                jobs[read.jobID] = ActiveJob(
                    job, session: SenderSession(journal: job.journal, planner: configuration.planner),
                    isVerified: false)
            case .success(let job) where job.journal.progress.completionRecorded: break
            case .success(let job):
                // The process ended between the end of the job and its record.
                var recorded = job.journal
                recorded.recordCompletion()
                try store.update(recorded)
                report(
                    .jobEnded(
                        jobID: read.jobID, state: recorded.status.state.rawValue,
                        message: recorded.progress.statusMessage))
            case .failure:
                let message = "The stored journal of this job was damaged. Ask for the export again."
                try store.failDamagedJob(read.jobID, message: message, at: now)
                report(.jobEnded(jobID: read.jobID, state: "failed", message: message))
            }
        }
        needsReload = false
        deleteUnstoredItems()
    }

    /// The files of items that were lost with a failure of the store would fill the disk, one day at each attempt. The
    /// worker deletes them behind whatever it still does with them.
    private func deleteUnstoredItems() {
        let stored = jobs.values.flatMap { $0.session.journal.progress.items.map(\.itemID) }
        let orphans = unstoredItems.subtracting(stored)
        unstoredItems = []
        if !orphans.isEmpty { workbench.submit(.delete(orphans.sorted { $0.uuidString < $1.uuidString })) }
    }

    /// The store did not keep what it had to: nothing more is said, and everything is read anew before the next step.
    private func fail(_ error: any Error) {
        report(.storeFailed(code: StoreFailure.code(of: error)))
        needsReload = true
        workingJobID = nil
        unstoredItems.formUnion(jobs.values.flatMap { $0.session.journal.progress.items.map(\.itemID) })
        jobs = [:]
        link?.channel.close(.storeFailed)
        link = nil
    }
}

/// The code of an error of the store, for reports.
enum StoreFailure {
    static func code(of error: any Error) -> String {
        switch error {
        case let error as StoreError: error.code
        case let error as SenderError: error.code
        case let error as SourceJournalError: error.code
        case let error as ExportError: error.code
        default: "store_failed"
        }
    }
}
