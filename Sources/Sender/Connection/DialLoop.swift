import ConnectedProtocol
import Foundation
import Transport

/// Keeps a connection to the trusted workstation: dials, reads until it ends, waits, dials again (extensions.md 2.6).
///
/// Runs on a thread of its own. A rejection is unauthenticated, so it takes no trust away; it only makes the wait longer.
final class DialLoop: @unchecked Sendable {
    /// Time for a connection attempt of the background loop, the look-up of the name included.
    private static let dialTimeout: Duration = .seconds(5)
    /// Seconds after which a phone without trust looks again whether it has been paired.
    private static let trustPollSeconds = 1.0

    private let installationID: UUID
    private let hello: OwnHello
    private let store: PhoneStore
    private let clock: SystemClock
    private let handlers: Handlers
    private let cancellation: WakeEvent
    private let condition = NSCondition()
    // Both belong to the condition's lock.
    private var isStopping = false
    private var current: DialledConnection?
    private let done = DispatchSemaphore(value: 0)

    /// Where the loop reports.
    struct Handlers: Sendable {
        /// A connection may be used.
        var opened: @Sendable (DialledConnection, PeerSession<SyncMessage>) -> Void
        /// A message arrived, in this many bytes.
        var message: @Sendable (DialledConnection, SyncMessage, Int) -> Void
        /// A connection that was opened is over.
        var closed: @Sendable (DialledConnection, ConnectionEnd) -> Void
        /// An attempt failed; the next one comes after some seconds.
        var failed: @Sendable (_ code: String, _ retryAfter: Double) -> Void
        /// The workstation has refused so often that it must have forgotten us.
        var forgotten: @Sendable () -> Void
    }

    init(
        installationID: UUID, hello: OwnHello, store: PhoneStore, clock: SystemClock, handlers: Handlers
    ) throws {
        self.installationID = installationID
        self.hello = hello
        self.store = store
        self.clock = clock
        self.handlers = handlers
        cancellation = try WakeEvent()
    }

    /// Starts the thread.
    func start() {
        let thread = Thread { [self] in
            run()
            done.signal()
        }
        thread.name = "dial"
        // Messages are decoded here, by recursion over their depth.
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Ends the connection in order and waits for the thread.
    func stop() {
        let connection = condition.withLock { () -> DialledConnection? in
            isStopping = true
            condition.broadcast()
            return current
        }
        cancellation.set()
        connection?.close(.finished)
        done.wait()
    }

    // MARK: The thread

    private func run() {
        var backOff = ReconnectBackOff()
        var reports = AttemptReports()
        while !condition.withLock({ isStopping }) {
            switch attemptAll() {
            case .wasOpen:
                backOff.succeeded()
                reports.succeeded()
                if !pause(backOff.failed()) { return }
            case .noTrust:
                if !pause(DialLoop.trustPollSeconds) { return }
            case .failed(let code):
                let wait = backOff.failed()
                switch reports.failed(code, at: clock.now().monotonic) {
                case .say: handlers.failed(code, wait)
                case .sayForgotten: handlers.forgotten()
                case .nothing: break
                }
                if !pause(wait) { return }
            }
        }
    }

    private enum Outcome {
        case noTrust
        case failed(code: String)
        case wasOpen
    }

    /// Tries every workstation that may answer: a provisional one first.
    private func attemptAll() -> Outcome {
        let trust: DiallerTrust
        do {
            trust = try store.trust()
        } catch {
            return .failed(code: StoreFailure.code(of: error))
        }
        var outcome = Outcome.noTrust
        for listener in trust.candidates(at: clock.now()) {
            outcome = attempt(listener)
            if case .wasOpen = outcome { return outcome }
        }
        return outcome
    }

    private func attempt(_ listener: SavedListener) -> Outcome {
        let socket: Connection
        do {
            socket = try Dialler.dial(
                host: listener.host, port: listener.port, timeout: DialLoop.dialTimeout, cancellation: cancellation)
        } catch {
            return .failed(code: error.code)
        }
        let wasOpened = Flag()
        let connection = DialledConnection(
            socket, installationID: installationID,
            credential: .trusted(installationID: listener.installationID, secret: listener.reconnectSecret),
            hello: hello, clock: clock, handlers: connectionHandlers(listener, wasOpened))
        let mayRun = condition.withLock { () -> Bool in
            current = isStopping ? nil : connection
            return !isStopping
        }
        if !mayRun { connection.close(.finished) }
        let end = connection.run()
        condition.withLock { current = nil }
        guard wasOpened.isSet else { return .failed(code: end.code) }
        handlers.closed(connection, end)
        // A store that fails is not helped by a new connection at once.
        return end == .storeFailed ? .failed(code: end.code) : .wasOpen
    }

    private func connectionHandlers(_ listener: SavedListener, _ wasOpened: Flag) -> DialledConnection.Handlers {
        DialledConnection.Handlers(
            storeProvisional: { _ in preconditionFailure("a trusted reconnect makes no new secret") },
            confirm: { [store, clock] confirmed in
                try store.confirm(confirmed, host: listener.host, port: listener.port, at: clock.now())
            },
            opened: { [handlers] connection, session in
                wasOpened.set()
                handlers.opened(connection, session)
            },
            message: handlers.message)
    }

    /// Waits, unless the loop is stopped; false when it is.
    private func pause(_ seconds: Double) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = Date(timeIntervalSinceNow: seconds)
        while !isStopping, condition.wait(until: end) {}
        return !isStopping
    }
}

/// What is said of attempts that fail: not the same thing every half minute, for days.
struct AttemptReports {
    /// Refusals in a row after which the workstation must have forgotten us.
    static let refusalLimit = 3
    /// Failures of one kind that are said each, and seconds until the next word about it.
    static let saidCount = 5
    static let interval = 600.0

    enum Report: Equatable {
        case say
        case sayForgotten
        case nothing
    }

    private var code: String?
    private var count = 0
    private var saidAt = -Double.infinity

    /// A connection was opened.
    mutating func succeeded() { self = AttemptReports() }

    /// An attempt failed, at a monotonic time in seconds.
    mutating func failed(_ code: String, at now: Double) -> Report {
        if self.code != code { self = AttemptReports() }
        self.code = code
        count += 1
        let isRefusal = code == SecureTransportError.pairingRejected.code
        guard count <= (isRefusal ? Self.refusalLimit : Self.saidCount) || now - saidAt >= Self.interval else {
            return .nothing
        }
        saidAt = now
        return isRefusal && count >= Self.refusalLimit ? .sayForgotten : .say
    }
}

/// A flag that is set once, from any thread.
final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}

extension PhoneStore {
    /// Stores what a code pairing gave, before our hello goes out (extensions.md 2.5).
    func keepProvisional(
        _ listener: DialledConnection.Machine.Listener, host: String, port: UInt16, at now: Moment
    ) throws {
        var trust = try trust()
        trust.keepProvisional(SavedListener(listener, host: host, port: port, at: now))
        try setTrust(trust)
    }

    /// Stores that a workstation said hello: it is the trusted one.
    func confirm(
        _ listener: DialledConnection.Machine.Listener, host: String, port: UInt16, at now: Moment
    ) throws {
        var trust = try trust()
        if trust.confirm(SavedListener(listener, host: host, port: port, at: now)) { try setTrust(trust) }
    }
}

extension SavedListener {
    fileprivate init(
        _ listener: DialledConnection.Machine.Listener, host: String, port: UInt16, at now: Moment
    ) {
        self.init(
            installationID: listener.installationID, displayName: listener.displayName, host: host, port: port,
            reconnectSecret: listener.reconnectSecret, pairedAt: now.wall)
    }
}
