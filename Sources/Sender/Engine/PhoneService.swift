import ConnectedProtocol
import DurableStore
import Foundation
import Transport

/// Ends a service, from any thread or from a signal's thread.
public final class StopToken: @unchecked Sendable {
    private let lock = NSLock()
    private var isSet = false
    private var action: (@Sendable () -> Void)?

    /// A token that is not set.
    public init() {}

    /// Asks the service to end; once is enough.
    public func stop() {
        let action = lock.withLock { () -> (@Sendable () -> Void)? in
            isSet = true
            return self.action
        }
        action?()
    }

    /// Whether the service was asked to end.
    public var isStopped: Bool { lock.withLock { isSet } }

    /// What ends the wait of the service.
    func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isLate = lock.withLock { () -> Bool in
            self.action = action
            return isSet
        }
        if isLate { action() }
    }
}

/// The phone side at work: the engine's thread, the thread that dials and reads, the worker.
final class PhoneService {
    /// Seconds between two looks at what other processes stored.
    private static let pollSeconds = 1.0

    private let store: PhoneStore
    private let clock = SystemClock()
    private let mailbox = Mailbox<SenderEngine.Event>()
    private let worker = SerialWorker(name: "work")
    private let engine: SenderEngine
    private let dial: DialLoop
    private let report: @Sendable (SenderEvent) -> Void

    init(
        store: PhoneStore, library: any DayLibrary, configuration: SenderEngine.Configuration,
        report: @escaping @Sendable (SenderEvent) -> Void
    ) throws {
        self.store = store
        self.report = report
        let items = ItemStore(store.items)
        try items.sweep(keeping: try store.referencedItems())
        let bench = ThreadedWorkbench(worker: worker, mailbox: mailbox) {
            Workshop(items: items, library: library, chunkByteCount: configuration.chunkByteCount)
        }
        engine = SenderEngine(
            configuration: configuration, store: store, library: library, workbench: bench,
            clock: { [clock] in clock.now() }, report: report)
        dial = try DialLoop(
            installationID: configuration.installationID, hello: OwnHello(configuration.capabilities), store: store,
            clock: clock,
            handlers: DialLoop.Handlers(
                opened: { [mailbox] in mailbox.post(.opened($0, $1)) },
                message: { [mailbox] in mailbox.postWhenThereIsRoom(.message($0, $1), byteCount: $2) },
                closed: { [mailbox] in mailbox.post(.closed($0, $1)) },
                failed: { report(.disconnected(code: $0, retryAfter: $1)) }, forgotten: { report(.pairAgain) }))
    }

    /// Runs the engine on this thread until the token is set, or until `isDone` says so after an event.
    ///
    /// Throws `journal_sync_failed` when the disk fails the journal: then the process has to end, and a new one goes on from
    /// what is on the disk. Throws `not_paired` when another process dropped the trust: nothing more may be sent.
    func run(_ token: StopToken, isDone: () -> Bool = { false }) throws {
        token.whenStopped { [mailbox] in mailbox.post(.stop) }
        dial.start()
        var version: Int64?
        var nextPoll = 0.0
        var isForgotten = false
        while !token.isStopped, !isDone(), !store.hasLostJournal, !isForgotten {
            let now = clock.now().monotonic
            let deadline = min(engine.nextDeadline ?? .infinity, nextPoll)
            for event in mailbox.take(waitingFor: max(deadline - now, 0)) { engine.handle(event) }
            engine.handle(.timer)
            if clock.now().monotonic >= nextPoll {
                nextPoll = clock.now().monotonic + PhoneService.pollSeconds
                isForgotten = noticeChanges(&version)
            }
        }
        engine.handle(.stop)
        // First the box: its writers must not wait for an engine that takes nothing any more.
        mailbox.close()
        dial.stop()
        worker.stop()
        if store.hasLostJournal { throw SenderError.journalLost }
        if isForgotten { throw SenderError.notPaired }
    }

    /// Cancels a job, from the thread that runs the service.
    func cancel(_ jobID: UUID) { engine.handle(.cancel(jobID: jobID)) }

    /// Tells the engine of what other processes changed; true when one of them dropped the trust.
    private func noticeChanges(_ version: inout Int64?) -> Bool {
        do {
            let found = try store.dataVersion()
            guard found != version else { return false }
            version = found
            guard !(try store.trust()).candidates(at: clock.now()).isEmpty else { return true }
            engine.handle(.storeChanged)
        } catch {
            report(.storeFailed(code: StoreFailure.code(of: error)))
        }
        return false
    }
}

/// Work on the worker's thread; results come back through the mailbox.
private final class ThreadedWorkbench: Workbench {
    private let worker: SerialWorker
    private let mailbox: Mailbox<SenderEngine.Event>
    private let shop: WorkshopHolder

    init(
        worker: SerialWorker, mailbox: Mailbox<SenderEngine.Event>, makeWorkshop: @escaping @Sendable () -> Workshop
    ) {
        self.worker = worker
        self.mailbox = mailbox
        shop = WorkshopHolder(makeWorkshop)
    }

    func submit(_ order: WorkOrder) {
        worker.submit { [shop, mailbox] in
            if let result = shop.workshop.perform(order) { mailbox.post(.workDone(result)) }
        }
    }
}

/// Keeps the workshop on the thread that made it: the worker's.
private final class WorkshopHolder: @unchecked Sendable {
    private let make: @Sendable () -> Workshop
    private var made: Workshop?

    init(_ make: @escaping @Sendable () -> Workshop) {
        self.make = make
    }

    var workshop: Workshop {
        if let made { return made }
        let workshop = make()
        made = workshop
        return workshop
    }
}
