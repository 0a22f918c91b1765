import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Both sides of a durable session in one thread, over a link that can be cut.
private struct World {
    enum Fault: CaseIterable {
        /// The connection is lost.
        case cut
        /// The source dies, and with it the connection.
        case sourceCrash
        /// The destination dies, and with it the connection.
        case destinationCrash
    }

    var source: LinkedSource
    var destination = LinkedDestination()
    var now = Moment(wall: LinkedSource.created.secondsSince2001 + 1, monotonic: 0)
    var stepCount = 0

    init(dayCount: Int, sizes: [Int], window: Int) throws {
        source = try LinkedSource(dayCount: dayCount, sizes: sizes, window: window)
    }

    /// Does one thing that is due; `choice` picks which. False when nothing is.
    mutating func step(_ choice: UInt64) throws -> Bool {
        stepCount += 1
        now.wall += 0.001
        now.monotonic += 0.001
        var due: [Int] = []
        if !source.work.isEmpty { due.append(0) }
        if !source.outbox.isEmpty { due.append(1) }
        if !destination.outbox.isEmpty { due.append(2) }
        if destination.applying != nil { due.append(3) }
        guard !due.isEmpty else { return false }
        switch due[Int(choice % UInt64(due.count))] {
        case 0: try source.handle(source.work.removeFirst(), at: now)
        case 1: try destination.receive(source.outbox.removeFirst(), at: now)
        case 2:
            guard case .json(let bytes) = destination.outbox.removeFirst() else { return true }
            try source.receive(SyncMessage.decode(bytes), at: now)
        default: try destination.apply(at: now)
        }
        return true
    }

    mutating func suffer(_ fault: Fault) throws {
        switch fault {
        case .cut:
            try source.disconnected(at: now)
            try destination.disconnected(at: now)
        case .sourceCrash:
            try source.crash()
            try destination.disconnected(at: now)
        case .destinationCrash:
            try destination.crash()
            try source.disconnected(at: now)
        }
        try source.handle(.peerReady, at: now)
    }

    var isDone: Bool { source.stored.progress.state.isTerminal && destination.stored?.state == .completed }

    /// Checks that everything arrived, byte for byte, and that both sides say so.
    func check(_ note: Comment) {
        #expect(source.stored.progress.state == .completed, note)
        #expect(destination.stored?.state == .completed, note)
        #expect(source.stored.progress.terminalAcknowledgement == destination.stored?.terminalAcknowledgement, note)
        #expect(source.items.isEmpty && destination.spools.isEmpty, note)
        #expect(source.stored.progress.committedPartitionCount == destination.stored?.committedPartitions.count, note)
        #expect(source.stored.progress.committedByteCount == destination.stored?.totalPartitionBytes, note)
        for date in source.stored.manifest.transferDates {
            let day = destination.stored?.days[date]
            #expect(day != nil && day.flatMap { destination.items[$0.itemID] } == source.bytes(of: date), note)
        }
        #expect(destination.lastStatus?.state == .completed, note)
    }
}

/// A small generator whose runs can be repeated.
private struct Seeded {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}

@Suite("A whole session, both sides")
struct SessionLinkTests {
    /// How thoroughly the sweeps go: 1 in an ordinary run, more with `HEALTHMD_SIMULATION_SCALE`; 24 takes every step.
    private static let scale = max(
        1, ProcessInfo.processInfo.environment["HEALTHMD_SIMULATION_SCALE"].flatMap { Int($0) } ?? 1)

    /// Runs to the end, with a fault before each of the given steps.
    private func run(
        dayCount: Int = 70, sizes: [Int] = [1, 40, 700, 2_500], window: Int = 4, seed: UInt64 = 0,
        faults: [Int: World.Fault] = [:]
    ) throws -> World {
        var random = Seeded(state: seed)
        var world = try World(dayCount: dayCount, sizes: sizes, window: window)
        try world.source.handle(.peerReady, at: world.now)
        while !world.isDone || !world.source.outbox.isEmpty {
            if let fault = faults[world.stepCount] { try world.suffer(fault) }
            guard try world.step(random.next()) else {
                throw LinkError.unexpected("nothing moves, state \(world.source.stored.progress.state)")
            }
        }
        return world
    }

    @Test("over a lossless link every day arrives, in several partitions, each sent once", arguments: [1, 4, 8])
    func lossless(window: Int) throws {
        let world = try run(window: window)
        world.check("window \(window)")
        #expect(world.destination.stored?.committedPartitions.count == 3)
        #expect(world.source.transferCount == 3 && world.source.endCount == 1)
        #expect(world.destination.receivedByteCount == world.destination.stored?.totalPartitionBytes)
    }

    @Test("any order of local work and network leads to the same end")
    func interleavings() throws {
        for seed in 0..<UInt64(5 * Self.scale) { try run(dayCount: 34, seed: seed).check("seed \(seed)") }
    }

    @Test("items larger than a partition go on in the next one")
    func splitItems() throws {
        let world = try run(dayCount: 3, sizes: [5, 33_000_000, 100])
        world.check("split")
        #expect(world.destination.stored?.committedPartitions.count == 2)
    }

    @Test("a fault before any step costs at most one partition sent again", arguments: World.Fault.allCases)
    private func oneFault(fault: World.Fault) throws {
        let plain = try run(dayCount: 34)
        let partitions = plain.source.transferCount
        // Each kind of fault begins elsewhere, so that together they touch more steps.
        let pace = max(1, 24 / Self.scale)
        let first = 1 + (World.Fault.allCases.firstIndex(of: fault) ?? 0) * pace / 3
        for step in stride(from: first, to: plain.stepCount, by: pace) {
            let world = try run(dayCount: 34, faults: [step: fault])
            world.check("\(fault) before step \(step)")
            #expect(world.source.transferCount <= partitions + 1, "\(fault) before step \(step)")
        }
    }

    @Test("many faults in a row never lose or change a day")
    func manyFaults() throws {
        for seed in 0..<UInt64(6 * Self.scale) {
            var random = Seeded(state: seed &+ 1_000)
            var faults: [Int: World.Fault] = [:]
            for _ in 0..<12 {
                let kinds = World.Fault.allCases
                faults[Int(random.next() % 150) + 1] = kinds[Int(random.next() % UInt64(kinds.count))]
            }
            try run(dayCount: 36, seed: seed, faults: faults).check("seed \(seed)")
        }
    }
}
