import Cryptography
import DurableStore
import Foundation

@testable import ConnectedProtocol
@testable import Receiver
@testable import Sender

/// Work that the simulation does piece by piece: a thread's queue without the thread.
final class StepQueue: WorkQueue, @unchecked Sendable {
    private var pieces: [@Sendable () -> Void] = []
    private var next = 0

    var isEmpty: Bool { next == pieces.count }

    func post(_ work: @escaping @Sendable () -> Void) { pieces.append(work) }

    /// Does the oldest piece.
    func runOne() {
        let piece = pieces[next]
        pieces[next] = {}
        next += 1
        if isEmpty {
            pieces = []
            next = 0
        }
        piece()
    }
}

/// The receiver's process: the daemon without its sockets and threads.
final class ReceiverProcess {
    let disk: ProcessDisk
    let queue = StepQueue()
    let worker = StepQueue()
    let engine: ReceiverEngine
    let incarnation: Int

    /// Starts as `ReceiverDaemon` does: opens the store, restores the engine, begins.
    init(on machine: Machine, incarnation: Int, log: @escaping @Sendable (String) -> Void) throws {
        self.incarnation = incarnation
        disk = ProcessDisk(machine.disk)
        let box = MachineClock(machine)
        let clock: @Sendable () -> Moment = { box.now }
        do {
            let store = try ReceiverStore(
                folder: Directory.openRoot(ReceiverProcess.statePath, on: disk), now: machine.now)
            var configuration = ReceiverEngine.Configuration(version: "0", deviceName: "Desk", clock: clock)
            configuration.sliceSeconds = 0
            configuration.destinationDisk = disk
            engine = try ReceiverEngine(
                store: store, configuration: configuration, queue: queue, worker: worker, scout: worker,
                log: Log(clock: clock, write: log))
            try engine.start()
        } catch {
            disk.freeze()
            throw error
        }
    }

    static let statePath = "/receiver"
    static let destinationPath = "/destination"

    /// The disk of a receiver that trusts the phone and has a destination.
    static func prepared(receiverID: UUID, phoneID: UUID) throws -> InMemoryDisk {
        let disk = InMemoryDisk()
        let root = try Directory.openRoot("/", on: disk)
        let state = try root.createDirectory("receiver")
        let identity = try root.createDirectory("destination").identity()
        let database = try Database.open("receiver.sqlite", in: state, schema: ReceiverSchema.schema)
        try database.transaction { connection in
            try connection.run(
                "INSERT INTO identity (id, installation_id, created_at) VALUES (1, ?, 0)",
                .text(receiverID.uuidString))
            try connection.run(
                "INSERT INTO destination (id, path, device, inode) VALUES (1, ?, ?, ?)", .text(destinationPath),
                .unsigned(identity.device), .unsigned(identity.inode))
            try connection.run(
                """
                INSERT INTO trust (installation_id, display_name, reconnect_secret, pairing_strength, paired_at)
                VALUES (?, 'Phone', ?, 'strong', 0)
                """, .text(phoneID.uuidString), .blob([UInt8](repeating: 7, count: 32)))
        }
        return disk.afterPowerLoss(seed: nil)
    }
}

/// The phone's process: the service without its sockets and threads.
final class PhoneProcess {
    let disk: ProcessDisk
    let store: PhoneStore
    let engine: SenderEngine
    let incarnation: Int
    private let workshop: Workshop
    private let bench = StepBench()
    /// Events for the engine's thread.
    var mailbox: [SenderEngine.Event] = []

    /// Starts as `PhoneService` does.
    init(
        on machine: Machine, incarnation: Int, installationID: UUID, library: SimulatedLibrary, packing: Packing,
        makeIdentity: @escaping () -> UUID, report: @escaping (SenderEvent) -> Void
    ) throws {
        self.incarnation = incarnation
        disk = ProcessDisk(machine.disk)
        do {
            store = try PhoneStore(folder: Directory.openRoot(PhoneProcess.statePath, on: disk))
            let items = ItemStore(store.items)
            try items.sweep(keeping: try store.referencedItems())
            var configuration = SenderEngine.Configuration(installationID: installationID, deviceName: "Phone")
            configuration.planner = PartitionPlanner(
                payloadBudget: packing.payloadBudget, segmentLimit: packing.segmentLimit)
            configuration.chunkByteCount = packing.chunkByteCount
            configuration.maximumWindow = packing.window
            workshop = Workshop(
                items: items, library: library, chunkByteCount: packing.chunkByteCount, makeIdentity: makeIdentity)
            engine = SenderEngine(
                configuration: configuration, store: store, library: library, workbench: bench,
                clock: { machine.now }, makeIdentity: makeIdentity, report: report)
        } catch {
            disk.freeze()
            throw error
        }
    }

    static let statePath = "/phone"

    static func prepared() throws -> InMemoryDisk {
        let disk = InMemoryDisk()
        _ = try PhoneStore(folder: Directory.openRoot("/", on: disk).createDirectory("phone"))
        return disk.afterPowerLoss(seed: nil)
    }

    var hasWork: Bool { !bench.orders.isEmpty }

    /// The worker's thread does one order.
    func workOnce() {
        let order = bench.orders.removeFirst()
        if let result = workshop.perform(order) { mailbox.append(.workDone(result)) }
    }

    /// The engine's thread takes one event, and then looks at its timers, as the service does.
    func takeOne() {
        engine.handle(mailbox.removeFirst())
        engine.handle(.timer)
    }
}

/// Small partitions and chunks.
struct Packing: Hashable {
    var payloadBudget: Int64
    var segmentLimit: Int
    var chunkByteCount: Int
    var window: Int
}

private final class StepBench: Workbench {
    var orders: [WorkOrder] = []
    func submit(_ order: WorkOrder) { orders.append(order) }
}

/// Lets a `@Sendable` closure read a machine's clock; everything runs on one thread.
private final class MachineClock: @unchecked Sendable {
    private let machine: Machine
    init(_ machine: Machine) { self.machine = machine }
    var now: Moment { machine.now }
}
