import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import Glibc
import Synchronization
import Transport

/// Why a daemon could not be started.
public enum ReceiverDaemonError: Error, Sendable {
    /// Another daemon has the folder; its pid when it has written it.
    case alreadyRunning(pid: Int32?)
    /// The state folder cannot be used; the code says how.
    case state(code: String, detail: String)
    /// The peer port cannot be listened on.
    case listener(code: String, detail: String)
    /// `--destination` names another root than the stored one.
    case destinationDiffers(stored: String)
    /// `--destination` is no usable root.
    case destination(ReceiverControlError)

    /// The stable code.
    public var code: String {
        switch self {
        case .alreadyRunning: "receiver_already_running"
        case .state(let code, _), .listener(let code, _): code
        case .destinationDiffers: "destination_already_set"
        case .destination(let error): error.code
        }
    }

    /// A sentence with the next step.
    public var message: String {
        switch self {
        case .alreadyRunning(let pid):
            "Another receiver\(pid.map { " (pid \($0))" } ?? "") uses this folder. Stop it, or choose another --data-dir."
        case .state(_, let detail), .listener(_, let detail): detail
        case .destinationDiffers(let stored):
            "Another destination is stored: \(stored). Start without --destination to keep it; to change it, start without "
                + "--destination, then run `healthmd destination set DIR` beside it."
        case .destination(let error): error.message
        }
    }
}

/// The receiver as a process: folder lock, engine, disk worker, listener, runtime file, control token.
///
/// The control API is started by the caller over ``control``; ``ready(controlPort:)`` then tells clients where it is.
public final class ReceiverDaemon: Sendable {
    /// What `healthmd serve` is told.
    public struct Options: Sendable {
        /// The state folder.
        public var dataDirectory: String
        /// Where phones dial; 0 takes any free port.
        public var peerPort: UInt16
        /// Addresses to listen on; empty means all interfaces.
        public var peerAddresses: [IPAddress]
        /// Stored when none is yet, refused when another one is.
        public var destination: String?
        /// Chunks in flight that are offered, 1...8.
        public var maximumWindow: Int
        /// The name that phones are told.
        public var deviceName: String
        /// The program's version.
        public var version: String
        /// Whether events go to standard error.
        public var writesLog: Bool

        /// Options with the published defaults.
        public init(
            dataDirectory: String, peerPort: UInt16 = 17_646, peerAddresses: [IPAddress] = [],
            destination: String? = nil, maximumWindow: Int = 4, deviceName: String = "healthmd",
            version: String, writesLog: Bool = true
        ) {
            self.dataDirectory = dataDirectory
            self.peerPort = peerPort
            self.peerAddresses = peerAddresses
            self.destination = destination
            self.maximumWindow = maximumWindow
            self.deviceName = deviceName
            self.version = version
            self.writesLog = writesLog
        }
    }

    private static let tokenByteCount = 32
    private static let tokenName = "control-token"
    private static let runtimeName = "runtime.json"

    /// The façade for the control API.
    public let control: any ReceiverControl
    /// The port that phones dial.
    public let peerPort: UInt16
    /// The control token: made at the first start, kept in `receiver/control-token`.
    public let controlToken: String
    private let engine: ReceiverEngine
    private let engineThread: WorkThread
    private let worker: WorkThread
    private let scout: WorkThread
    private let listener: PeerListener
    /// Given back by ``stop()``.
    private let lock: Mutex<FolderLock?>
    private let folder: Directory
    private let options: Options

    /// Takes the folder, restores the state and begins to listen for phones.
    public init(_ options: Options) throws(ReceiverDaemonError) {
        self.options = options
        // Fixed now: what a killed process left in a destination is older than this one.
        _ = DestinationWriter.receiverStart
        let clock: @Sendable () -> Moment = { SystemClock.now() }
        let writesLog = options.writesLog
        let log = Log(clock: clock) { line in
            if writesLog { FileHandle.standardError.write(Data((line + "\n").utf8)) }
        }
        do {
            folder = try StateFolders(path: options.dataDirectory).folder(.receiver)
            let taken = try FolderLock.take(in: folder)
            lock = Mutex(taken)
            let store = try ReceiverStore(folder: folder, now: clock())
            try ReceiverDaemon.adopt(options.destination, store)
            controlToken = try ReceiverDaemon.token(in: folder)
            worker = WorkThread(name: "disk")
            scout = WorkThread(name: "scout")
            let holder = EngineHolder()
            engineThread = WorkThread(name: "engine", idle: { holder.idle() })
            engine = try ReceiverEngine(
                store: store,
                configuration: ReceiverEngine.Configuration(
                    version: options.version, deviceName: options.deviceName, maximumWindow: options.maximumWindow,
                    clock: clock),
                queue: engineThread, worker: worker, scout: scout, log: log)
            listener = try PeerListener(addresses: options.peerAddresses, port: options.peerPort, engine: engine)
            holder.set(engine)
        } catch let error as ReceiverDaemonError {
            throw error
        } catch StoreError.lockedBy(_, let pid) {
            throw .alreadyRunning(pid: pid)
        } catch let error as StoreError {
            throw .state(code: error.code, detail: error.description)
        } catch let error as TransportError {
            throw .listener(code: error.code, detail: "\(error)")
        } catch {
            throw .state(code: stableCode(of: error), detail: "The receiver's state cannot be read.")
        }
        control = ReceiverService(engine)
        peerPort = listener.port
        try begin()
    }

    private func begin() throws(ReceiverDaemonError) {
        let started = Promise<String?>()
        engine.queue.post { [engine, listener, addresses = options.peerAddresses] in
            engine.listenerAddresses = addresses
            engine.listenerPort = listener.port
            engine.connectionEnder = { listener.end($0, $1) }
            engine.connectionApprover = { listener.approve($0) }
            do {
                try engine.start()
                started.fulfill(nil)
            } catch {
                started.fulfill(stableCode(of: error))
            }
        }
        if let code = started.wait() { throw .state(code: code, detail: "The receiver's state cannot be restored.") }
        listener.start()
        engine.log("receiver_started", ("peer_port", .number(Int64(peerPort))))
    }

    /// Publishes where the control API is; call when it listens.
    public func ready(controlPort: UInt16) throws {
        let now = SystemClock.now()
        let document: JSONObject = [
            "control_port": .integer(Int(controlPort)), "peer_port": .integer(Int(peerPort)),
            "pid": .integer(Int(getpid())),
            "started_at": .string(RFC3339.seconds(since1970: now.unixSeconds) ?? ""),
            "version": .string(options.version),
        ]
        let bytes = JSONWriter.encode(.object(document), style: .compactSorted) + [UInt8(ascii: "\n")]
        try folder.durableReplace(Self.runtimeName, with: bytes)
        engine.log("receiver_ready", ("control_port", .number(Int64(controlPort))))
    }

    /// Whether the disk failed a sync of the journal.
    public var hasLostJournal: Bool { engine.store.database.hasFailedForGood }

    /// Calls a closure, once, when the disk has failed a sync of the journal: nothing can be stored any more, so the process has to
    /// end, and a new one goes on from what is on the disk.
    public func onJournalLoss(_ action: @escaping @Sendable () -> Void) {
        engine.queue.post { [engine] in engine.journalLoss = action }
    }

    /// Ends in order (extensions.md 5): what is being applied or written finishes its step, jobs pause durably,
    /// waiters are answered, connections close. Blocks until then.
    public func stop() {
        let stopped = Promise<Bool>()
        engine.queue.post { [engine] in
            engine.stop()
            stopped.fulfill(true)
        }
        _ = stopped.wait()
        listener.stop()
        // A file system that hangs must not keep the process: what the scout still finds out is of no use any more.
        scout.stop(waiting: false)
        worker.stop()
        engineThread.stop()
        do {
            try folder.removeIfPresent(Self.runtimeName)
        } catch {
            // A stale file names no live lock, so that no client believes it.
            engine.log("runtime_file_left", ("code", .code(of: error)))
        }
        engine.log("receiver_stopped")
        // The hooks hold the listener, which holds the engine; nobody else runs any more.
        engine.connectionEnder = nil
        engine.connectionApprover = nil
        engine.journalLoss = nil
        lock.withLock { $0 = nil }
    }

    // MARK: - Files

    private static func adopt(_ path: String?, _ store: ReceiverStore) throws {
        guard let path else { return }
        let binding: DestinationBinding
        do throws(ReceiverControlError) {
            binding = try DestinationRoot.bind(path, outside: store.folder)
        } catch {
            throw ReceiverDaemonError.destination(error)
        }
        guard let stored = try store.destination() else { return try store.setDestination(binding) }
        guard stored == binding else { throw ReceiverDaemonError.destinationDiffers(stored: stored.path) }
    }

    private static func token(in folder: Directory) throws -> String {
        do {
            let file = try folder.file(tokenName, requiringPrivate: true)
            let text = String(decoding: try file.contents(maximumByteCount: 1_024), as: UTF8.self)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        } catch StoreError.notFound {
            let token = Base64.encode(SecureRandom.bytes(tokenByteCount), as: .urlSafe)
            try folder.durableReplace(tokenName, mode: .noReplace, with: Array("\(token)\n".utf8))
            return token
        }
    }
}

/// Hands the engine to the idle call of its thread, which exists first.
private final class EngineHolder: @unchecked Sendable {
    private let lock = NSLock()
    private var engine: ReceiverEngine?

    func set(_ engine: ReceiverEngine) { lock.withLock { self.engine = engine } }

    /// Called on the engine's thread when there is nothing else to do.
    func idle() -> Double? {
        guard let engine = lock.withLock({ engine }) else { return 1 }
        engine.tellJournalLoss()
        let seconds = engine.secondsUntilTick()
        guard seconds <= 0 else { return seconds }
        engine.tick()
        return max(0.05, engine.secondsUntilTick())
    }
}

/// The clocks of this computer.
enum SystemClock {
    static func now() -> Moment {
        var wall = timespec()
        var monotonic = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        clock_gettime(CLOCK_BOOTTIME, &monotonic)
        func seconds(_ time: timespec) -> Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
        return Moment(wall: seconds(wall) - Moment.unixOffset, monotonic: seconds(monotonic))
    }
}
