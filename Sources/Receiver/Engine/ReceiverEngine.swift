import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import Synchronization
import Transport

/// The receiver's decisions: every protocol machine, the job book and the database, on one thread.
///
/// One event at a time. Decide on a copy, journal in one transaction, adopt the copy, act. Heavy work goes to the disk
/// worker and comes back as an event, so that pings, status and cancels are answered meanwhile.
///
/// `@unchecked Sendable`: everything here is touched on the engine's queue only; the methods of its extensions are
/// called there.
final class ReceiverEngine: @unchecked Sendable {
    /// What does not change while the daemon runs.
    struct Configuration: Sendable {
        /// The program's version, for hello and `GET /v1/version`.
        var version: String
        /// The name that peers are told inside the encrypted hello.
        var deviceName: String
        /// Chunks in flight that are offered, 1...8.
        var maximumWindow: Int
        /// Daily document versions that raw results may hold.
        var acceptedDocumentVersions: Set<Int>
        /// How long one slice of a file job's finalization may go on, in seconds; it does one step at least.
        var sliceSeconds = FileFinalizer.sliceSeconds
        /// The disk of destinations.
        var destinationDisk: any Disk = PosixDisk()
        /// Reads both clocks.
        var clock: @Sendable () -> Moment

        init(
            version: String, deviceName: String, maximumWindow: Int = PeerCapabilities.standardWindow,
            acceptedDocumentVersions: Set<Int> = [8, 10], clock: @escaping @Sendable () -> Moment
        ) {
            self.version = version
            self.deviceName = deviceName
            self.maximumWindow = maximumWindow
            self.acceptedDocumentVersions = acceptedDocumentVersions
            self.clock = clock
        }
    }

    /// A phone that is connected.
    struct Peer {
        let connection: ConnectionID
        let opening: PeerOpening
        let negotiation: CorpusNegotiation?
        let chunks: ChunkTransport
        var transfers = TransferReceiver()
        /// The live session of this installation (corpus-protocol.md 13.2.8).
        var activeSession: UUID?
        /// Monotonic; progress messages are spaced (corpus-protocol.md 4.5).
        var lastProgressAt = -Double.infinity
        /// Whether the last status said that the destination can be written.
        var isToldUsable = true
        /// Which of the connected phones came last.
        let order: Int
    }

    let configuration: Configuration
    let store: ReceiverStore
    let log: Log
    /// Keeps ends of connections from filling the log; connections of any thread ask it.
    let closedConnections = Mutex(LogLimiter())
    /// The engine's own queue.
    let queue: any WorkQueue
    /// Does heavy disk work, in order.
    let worker: any WorkQueue
    /// Looks at destinations, which may lie on slow file systems, for admission.
    let scout: any WorkQueue

    var book: JobBook
    var gate: ListenerGate
    var peers: [UUID: Peer] = [:]
    var installations: [ConnectionID: UUID] = [:]
    var sessions: [UUID: LiveSession] = [:]
    /// Spools of unfinished transfers; touched by the worker, named here.
    var spools: [SpoolKey: TransferSpool] = [:]
    /// Bodies of finished raw jobs that are being sent.
    let snapshots = SnapshotShelf()
    var waiters: [WaiterID: ControlWaiter] = [:]
    var nextWaiter: UInt64 = 1
    var openedPeers = 0
    var spoolCount = 0
    /// Where phones dial; set by the daemon once it listens.
    var listenerPort: UInt16 = 0
    /// Where phones dial; empty means every interface.
    var listenerAddresses: [IPAddress] = []
    /// Ends connections that are not opened yet; set by the daemon.
    var connectionEnder: (@Sendable (ConnectionID, ConnectionEnd) -> Void)?
    /// Tells a held connection that the person said yes; set by the daemon.
    var connectionApprover: (@Sendable (ConnectionID) -> Void)?
    /// Tells the process, once, that the disk failed a sync of the journal: it has to end. Set by the daemon.
    var journalLoss: (@Sendable () -> Void)?
    /// Nothing new is begun any more.
    var isStopping = false
    /// Sessions whose finalization is on the worker now.
    var finalizing: Set<UUID> = []
    /// Sessions whose half-made folders a failing disk kept; no row knows them.
    var leftSessionFolders: Set<UUID> = []
    /// Sessions whose finalization failed for a reason that may pass.
    var suspended: [UUID: Suspension] = [:]
    /// What phones asked for, by session, and could not be stored: taken up again with ``suspended``.
    var unstoredFinalizes: [UUID: CorpusTransferFinalize] = [:]
    /// The opens that wait for a look at their destination, by phone.
    var scouting: [UUID: Scouting] = [:]
    var scoutCount = 0
    /// Phones whose hello could not be stored, with the monotonic time at which it is taken up again.
    var unstoredHellos: [UUID: Double] = [:]

    /// Restores everything from the store. Call ``start()`` on the queue before the first event.
    init(
        store: ReceiverStore, configuration: Configuration, queue: any WorkQueue, worker: any WorkQueue,
        scout: any WorkQueue, log: Log
    ) throws {
        self.store = store
        self.configuration = configuration
        self.queue = queue
        self.worker = worker
        self.scout = scout
        self.log = log
        let (jobs, corrupt) = try store.loadJobs(now: configuration.clock())
        book = JobBook(restoring: jobs, corruptJobIDs: corrupt)
        gate = ListenerGate(installationID: store.installationID, trust: try store.trust())
    }

    var now: Moment { configuration.clock() }

    /// Removes what earlier processes left behind and goes on with finalizations that were interrupted.
    func start() throws {
        var startedGate = gate
        let effects = startedGate.start(at: now)
        if !effects.changes.isEmpty { try store.store(effects.changes) }
        gate = startedGate
        removeOrphanedFolders()
        tick()
        for stored in try store.liveSessions() {
            let job = book.jobs[stored.jobID]
            let isOver = job?.state.isTerminal == true || job?.isCancellationWanted == true
            guard stored.isFinalizing || isOver, let session = session(stored.sessionID) else { continue }
            // No step is in flight now, so what waited for the end of one is honoured.
            if endIfUnwanted(session) { continue }
            honourCancellation(of: session)
            guard session.machine.resumeFinalization() else { continue }
            log("finalization_resumed", ("job", .id(stored.jobID)), ("session", .id(stored.sessionID)))
            continueFinalization(of: session)
        }
    }

    /// Ends waits and lives that are over.
    func tick() {
        attempt("sweep_failed") { try change { book in ((), book.expire(now: now)) } }
        attempt("trust_sweep_failed") { try decideGate { gate in ((), gate.tick(at: now)) } }
        for installationID in peers.keys { transfer(.tick, of: installationID) }
        takeTurns()
        retrySuspended()
    }

    /// Sends the requests whose turn has come (a phone serves one export at a time).
    private func takeTurns() {
        guard !isStopping, let due = book.nextTurn(), due <= now.monotonic else { return }
        for peer in peers.values.sorted(by: { $0.order < $1.order }) {
            let facts = self.facts(of: peer)
            do {
                try change { book in
                    (
                        (),
                        book.takeTurns(
                            of: facts, isUsable: { self.destinationFacts(of: $0).binding != nil }, now: now)
                    )
                }
            } catch {
                log("turn_failed", ("peer", .id(facts.installationID)), ("code", .code(of: error)))
                // Left as they are they would be due again at once, and again.
                book.putOffTurns(of: facts.installationID, until: now.monotonic + Self.retrySeconds)
            }
        }
    }

    /// Seconds until ``tick()`` has something to do; at most a minute, for lives that end by the wall clock.
    func secondsUntilTick() -> Double {
        var deadlines = [now.monotonic + 60]
        if let deadline = book.nextWaiterDeadline() { deadlines.append(deadline) }
        if let deadline = book.nextTurn() { deadlines.append(deadline) }
        if let deadline = gate.deadline { deadlines.append(deadline) }
        if let deadline = suspended.values.map(\.deadline).min() { deadlines.append(deadline) }
        if let deadline = unstoredHellos.values.min() { deadlines.append(deadline) }
        deadlines += peers.values.compactMap(\.transfers.nextDeadline)
        return max(0, (deadlines.min() ?? 0) - now.monotonic)
    }

    // MARK: - Decide, journal, act

    /// Changes the job book, durably, together with other rows, then performs the book's actions.
    ///
    /// When the transaction fails nothing has changed and the error is passed on.
    @discardableResult
    func change<Result>(
        also write: ((DatabaseConnection) throws -> Void)? = nil,
        _ decide: (inout JobBook) throws -> (Result, [JobAction])
    ) throws -> Result {
        var next = book
        let (result, actions) = try decide(&next)
        let durable = actions.filter { isDurable($0) }
        if write != nil || !durable.isEmpty {
            try store.transaction { connection in
                for action in durable { try store(action, connection) }
                try write?(connection)
            }
        }
        book = next
        perform(actions)
        if let due = book.nextTurn(), due <= now.monotonic {
            // After whatever the caller still has to say about what ended: a final acknowledgement waits for the worker.
            queue.post { [self] in worker.post { [self] in queue.post { [self] in takeTurns() } } }
        }
        return result
    }

    /// Whether an action must be written before anything else happens. Progress texts and day counters of a running
    /// job need not be: they are written with the next durable change.
    private func isDurable(_ action: JobAction) -> Bool {
        switch action {
        case .store(let job): return book.jobs[job.id].map { job.durablyDiffers(from: $0) } ?? true
        case .remove: return true
        case .answer, .sendRequest, .sendCancel: return false
        }
    }

    private func store(_ action: JobAction, _ connection: DatabaseConnection) throws {
        switch action {
        case .store(let job):
            let isNew = book.jobs[job.id] == nil
            try ReceiverStore.store(job, wireRequest: isNew ? wireRequest(of: job) : nil, connection)
        case .remove(let job):
            let sessionIDs = try connection.all(
                "SELECT session_id FROM sessions WHERE job_id = ?", .text(job.id.uuidString)
            ) { try $0.uuid(0) }
            for id in sessionIDs { try ReceiverStore.removeSession(id, connection) }
            try ReceiverStore.removeJob(job.id, connection)
            queue.post { [self] in removeFolders(of: job.id, sessions: sessionIDs) }
        case .answer, .sendRequest, .sendCancel: break
        }
    }

    private func perform(_ actions: [JobAction]) {
        for action in actions {
            switch action {
            case .store(let job):
                book.mayEndWaits(job, now: now)
                // Others may begin now: their phones are told.
                guard job.state.isTerminal else { break }
                for installationID in peers.keys { sendStatus(to: installationID) }
            case .remove(let job): log("job_removed", ("job", .id(job.id)))
            case .answer(let waiter, let response): answer(waiter, response)
            case .sendRequest(let jobID): sendRequest(jobID)
            case .sendCancel(let jobID): sendCancel(jobID)
            }
        }
    }

    /// Decides with the gate, durably, and ends the connections that it says.
    @discardableResult
    func decideGate<Result>(
        _ decision: (inout ListenerGate) throws -> (Result, ListenerGate.Effects)
    ) throws -> Result {
        let (result, effects) = try gate.decide(storing: store.store, decision)
        if let error = effects.unstoredNote { log("visit_not_stored", ("code", .code(of: error))) }
        for (connection, reason) in effects.closing { end(connection, reason) }
        if let approved = effects.approved { connectionApprover?(approved) }
        return result
    }

    private func end(_ connection: ConnectionID, _ reason: ConnectionEnd) {
        if let installation = installations[connection], let peer = peers[installation] {
            peer.opening.channel.close(reason)
        } else {
            connectionEnder?(connection, reason)
        }
    }

    /// Does something whose failure is logged and changes nothing.
    func attempt(_ name: StaticString, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            log(name, ("code", .code(of: error)))
        }
    }

    // MARK: - Folders

    private func removeFolders(of jobID: UUID, sessions sessionIDs: [UUID]) {
        for id in sessionIDs { sessions[id] = nil }
        worker.post { [sessionFolders = store.sessions, jobFolders = store.jobs, log] in
            do {
                for id in sessionIDs { try sessionFolders.removeTree(id.uuidString) }
                try jobFolders.removeTree(jobID.uuidString)
            } catch {
                // Rows are gone; the next start finds the folder without rows and removes it.
                log("folder_removal_failed", ("job", .id(jobID)), ("code", .code(of: error)))
            }
        }
    }

    /// A folder without rows holds nothing that was acknowledged.
    private func removeOrphanedFolders() {
        attempt("orphan_removal_failed") {
            let known = try store.knownSessionNames()
            for entry in try store.sessions.entries() {
                if known.contains(entry.name) {
                    try removeLeftovers(of: entry.name)
                } else {
                    try store.sessions.removeTree(entry.name)
                }
            }
            let jobs = Set(book.jobs.keys.map(\.uuidString)).union(book.corruptJobIDs.map(\.uuidString))
            for entry in try store.jobs.entries() where try !jobs.contains(entry.name) || isAbandoned(entry.name) {
                try store.jobs.removeTree(entry.name)
            }
        }
    }

    /// Whether the folder of a job that is over holds a result that nobody was promised: the process ended between a cancel
    /// and the removal.
    private func isAbandoned(_ jobName: String) throws -> Bool {
        guard let id = UUID(uuidString: jobName), book.jobs[id]?.state.isTerminal == true else { return false }
        return try store.response(of: id) == nil
    }

    /// Spools are never needed after a restart, the items of a session that is over neither, and a raw result only when
    /// the session was completed with it.
    private func removeLeftovers(of name: String) throws {
        let folder = try store.sessions.directory(name)
        for entry in try folder.entries() where entry.name.hasPrefix("spool-") {
            try folder.removeIfPresent(entry.name)
        }
        guard let id = UUID(uuidString: name), try store.isOver(session: id) else { return }
        try folder.removeTree("items")
        try folder.removeTree("finalization")
        if try !store.isCompleted(session: id) { try folder.removeTree(JobResponseSpool.terminalFolderName) }
    }
}

extension Job {
    /// Whether a change must be on disk before it shows: everything but texts, times and day counters of a running job, and
    /// a pause: a restart pauses whatever was under way. So a full disk cannot keep a job from saying why it waits.
    func durablyDiffers(from stored: Job) -> Bool {
        var copy = self
        if copy.state == .paused, JobBook.isUnderWay(stored.state) { copy.state = stored.state }
        copy.message = stored.message
        copy.updatedAt = stored.updatedAt
        copy.processedDays = stored.processedDays
        copy.totalDays = stored.totalDays
        copy.lastPeerStatusAt = stored.lastPeerStatusAt
        return copy != stored
    }
}
