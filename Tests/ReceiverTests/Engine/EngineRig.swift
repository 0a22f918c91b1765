import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

@testable import Receiver

/// Work that a test does by hand, in order.
final class ManualQueue: WorkQueue, @unchecked Sendable {
    private var work: [@Sendable () -> Void] = []

    func post(_ piece: @escaping @Sendable () -> Void) { work.append(piece) }

    /// Does the oldest piece; false when there is none.
    func runOne() -> Bool {
        guard !work.isEmpty else { return false }
        work.removeFirst()()
        return true
    }
}

/// A phone's end of a connection: remembers what the engine sent.
final class FakeChannel: PeerChannel, @unchecked Sendable {
    private(set) var sent: [SyncMessage] = []
    private(set) var closed: ConnectionEnd?

    func send(_ document: [UInt8]) {
        do {
            sent.append(try SyncMessage.decode(document))
        } catch {
            sent.append(.unknown)
        }
    }

    func close(_ reason: ConnectionEnd) { closed = reason }

    /// What came since the last call.
    func take() -> [SyncMessage] {
        defer { sent = [] }
        return sent
    }
}

/// An engine over a real folder, without threads: a test decides when the worker works, and may drop the engine and open the
/// folder again at any point.
final class EngineRig {
    let root: String
    var engine: ReceiverEngine
    private(set) var queue = ManualQueue()
    private(set) var worker = ManualQueue()
    private(set) var scout = ManualQueue()
    /// The file system of the destination hangs: looks at it come to no end.
    var scoutHangs = false
    private(set) var channel = FakeChannel()
    private let journal = LineBox()
    /// Everything that was logged, over all restarts.
    var lines: [String] { journal.lines }
    let phoneID = UUID()
    private let clock: TestClock
    /// The disk of the state folder.
    private(set) var disk: FaultyDisk
    private var connections: UInt64 = 0
    /// The present connection, if there is one.
    private(set) var connection: ConnectionID?

    var destinationPath: String { root + "/destination" }

    /// Passed to the engine: with 0 each step of a finalization is a slice, and a transaction, of its own.
    private let sliceSeconds: Double

    /// An engine whose state lies on a folder of the system, or on another disk.
    init(
        withDestination: Bool = true, sliceSeconds: Double = 0.25, state: FaultyDisk = FaultyDisk(PosixDisk())
    ) throws {
        disk = state
        self.sliceSeconds = sliceSeconds
        root = NSTemporaryDirectory() + "/healthmd-engine-\(UUID().uuidString)"
        for folder in ["", "/state", "/destination"] {
            try FileManager.default.createDirectory(
                atPath: root + folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        clock = TestClock()
        // Prepared and closed: a database on a disk that the system does not know has one connection.
        try EngineRig.prepare(
            Directory.openRoot(root + "/state", on: state, creating: true), phoneID, clock.now,
            destination: withDestination ? root + "/destination" : nil)
        engine = try EngineRig.open(root, clock, queue, worker, scout, sliceSeconds, disk, journal)
        try engine.start()
    }

    /// A store that trusts the phone and has a destination.
    private static func prepare(_ folder: Directory, _ phoneID: UUID, _ now: Moment, destination: String?) throws {
        let store = try ReceiverStore(folder: folder, now: now)
        if let destination { try store.setDestination(DestinationRoot.bind(destination, outside: folder)) }
        try store.store([
            .setRecord(
                TrustRecord(
                    installationID: phoneID, displayName: "Phone", reconnectSecret: SecretBytes.random(count: 32),
                    strength: .strong, pairedAt: 0, lastConnectedAt: nil))
        ])
    }

    deinit {
        // A left-over folder in the temporary place harms nobody.
        try? FileManager.default.removeItem(atPath: root)
    }

    private static func open(
        _ root: String, _ clock: TestClock, _ queue: ManualQueue, _ worker: ManualQueue, _ scout: ManualQueue,
        _ sliceSeconds: Double, _ disk: any Disk, _ lines: LineBox
    ) throws -> ReceiverEngine {
        let now: @Sendable () -> Moment = { clock.now }
        let store = try ReceiverStore(folder: Directory.openRoot(root + "/state", on: disk), now: now())
        var configuration = ReceiverEngine.Configuration(version: "0", deviceName: "Desk", clock: now)
        configuration.sliceSeconds = sliceSeconds
        return try ReceiverEngine(
            store: store, configuration: configuration, queue: queue,
            worker: worker, scout: scout, log: Log(clock: now, write: { lines.put($0) }))
    }

    /// The process dies here: what was not durable is gone, and the folder is opened again.
    ///
    /// - Parameter survivor: what is left of the state after a loss of power; nil: all of it.
    func restart(on survivor: FaultyDisk? = nil) throws {
        if let survivor { disk = survivor }
        queue = ManualQueue()
        worker = ManualQueue()
        scout = ManualQueue()
        connection = nil
        channel = FakeChannel()
        engine = try EngineRig.open(root, clock, queue, worker, scout, sliceSeconds, disk, journal)
        try engine.start()
    }

    func advance(_ seconds: Double) { clock.advance(seconds) }

    var now: Moment { clock.now }

    /// Lets engine and worker go on until neither has anything to do, or `steps` pieces were done.
    func settle(steps: Int = .max) {
        var rest = steps
        while rest > 0, queue.runOne() || worker.runOne() || (!scoutHangs && scout.runOne()) { rest -= 1 }
    }

    /// Lets the engine answer what needs no more than a look at the destination; the worker stands still.
    func settleOpens() {
        while queue.runOne() || scout.runOne() {}
    }

    // MARK: - The phone

    static func phoneCapabilities(_ id: UUID) -> PeerCapabilities {
        PeerCapabilities(
            platform: PeerPlatform.phone, installationID: id,
            flags: [
                .macExportJobs, .macDestinationStatus, .jobCancellation, .granularPayloads,
                .partitionedConnectedExports, .durableConnectedExportRecovery, .sizeBoundedConnectedTransfers,
                .strictRawStreaming, .authoritativeFileAccounting, .canonicalHealthDataSelection,
                .allAvailableHistory, .iPhoneExportRequests, .dataDictionaryExportPreference,
            ])
    }

    func connect(_ capabilities: PeerCapabilities? = nil) {
        connections += 1
        channel = FakeChannel()
        let id = ConnectionID(connections)
        connection = id
        engine.handle(
            .opened(
                PeerOpening(
                    installationID: phoneID, displayName: "Phone",
                    capabilities: capabilities ?? EngineRig.phoneCapabilities(phoneID), usesSecureRecords: true,
                    channel: channel)), from: id)
    }

    func disconnect() {
        guard let connection else { return }
        self.connection = nil
        engine.handle(.closed, from: connection)
    }

    func send(_ message: SyncMessage) {
        guard let connection else { return }
        engine.handle(.message(message), from: connection)
    }

    func chunk(_ transferID: UUID, _ sequence: Int, _ bytes: [UInt8], stated: Digest? = nil) {
        guard let connection else { return }
        let digest = SHA256.hash(bytes)
        let payload = ChunkPayload(
            buffer: bytes, range: 0..<bytes.count, actualSHA256: digest, release: { _ in })
        engine.handle(
            .chunk(transferID: transferID, sequence: sequence, stated: stated ?? digest, payload: payload),
            from: connection)
    }

    // MARK: - The client

    /// Creates a job; the answer lands in the box.
    func create(_ request: JobRequest) -> (submission: ControlSubmission, answers: AnswerBox) {
        let box = AnswerBox()
        return (engine.create(request, waiter: { box.put($0) }), box)
    }

    func destinationFiles() -> [String] {
        let all = FileManager.default.enumerator(atPath: destinationPath)?.compactMap { $0 as? String } ?? []
        return all.filter {
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: destinationPath + "/" + $0, isDirectory: &isDirectory)
            return exists && !isDirectory.boolValue
        }.sorted()
    }

    /// Names of everything left in the state folder, database files aside.
    func stateFiles() -> [String] {
        let all = FileManager.default.enumerator(atPath: root + "/state")?.compactMap { $0 as? String } ?? []
        return all.filter { !$0.hasPrefix("receiver.sqlite") }.sorted()
    }
}

/// Lines of the log.
final class LineBox: @unchecked Sendable {
    private(set) var lines: [String] = []
    func put(_ line: String) { lines.append(line) }
}

/// Answers that a waiter got.
final class AnswerBox: @unchecked Sendable {
    private(set) var answers: [ControlAnswer] = []
    func put(_ answer: ControlAnswer) { answers.append(answer) }
}

/// A clock that only tests move.
final class TestClock: @unchecked Sendable {
    private(set) var now = Moment(wall: 790_000_000, monotonic: 1_000)
    func advance(_ seconds: Double) {
        now.wall += seconds
        now.monotonic += seconds
    }
}
