import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// The disk worker's parts over a disk that fails.
@Suite struct DiskFaultTests {
    private static let errors: [Int32] = [ENOSPC, EIO, EMFILE]
    private let phoneID = UUID()
    private let ownID = UUID()

    private func phone() throws -> FakePhone {
        try FakePhone(
            jobID: UUID(), mode: .strictRaw, phone: phoneID, workstation: ownID,
            createdAt: ProtocolDate(secondsSince2001: 790_000_000)
        ) { try FakePhone.rawDay($0, padding: 2_000) }
    }

    private func facts() -> AdmissionFacts {
        AdmissionFacts(
            now: ProtocolDate(secondsSince2001: 790_000_000), peerInstallationID: phoneID, ownInstallationID: ownID,
            negotiation: CorpusNegotiation(
                source: EngineRig.phoneCapabilities(phoneID),
                destination: PeerCapabilities(
                    platform: PeerPlatform.workstation, installationID: ownID,
                    flags: [.partitionedConnectedExports, .durableConnectedExportRecovery])),
            destination: .notNeeded, freeStorageBytes: 1 << 40)
    }

    /// Writes the spool and begins the application of a partition.
    private func begin(
        _ partition: FakePhone.Partition, of phone: FakePhone, in slot: inout ReceiverSession?, _ disk: any Disk
    ) throws -> PartitionApplier {
        guard case .corpusOpen(let open) = try phone.open(partition) else { throw ReceiverError.interrupted }
        _ = ReceiverSession.admit(open, into: &slot, facts: facts())
        guard var session = slot else { throw ReceiverError.interrupted }
        _ = session.useAdmission(for: partition.descriptor)
        _ = try session.beginApplication(of: partition.descriptor)
        slot = session
        let root = try Directory.openRoot("/state", on: disk, creating: true)
        let folder =
            try root.status(of: session.id.uuidString) == nil
            ? SessionFolder.create(session.id, in: root)
            : SessionFolder.open(
                session.id, identity: root.directory(session.id.uuidString).identity(), in: root)
        let spool = TransferSpool(folder: folder.directory, name: "spool-\(partition.descriptor.index)")
        try spool.open()
        try partition.bytes.withUnsafeBytes { try spool.write($0, at: 0) }
        guard let file = spool.file else { throw ReceiverError.interrupted }
        return PartitionApplier(
            session: session, folder: folder, spool: file, spoolByteCount: spool.byteCount,
            spoolSHA256: spool.digest(), prefixHashers: [:])
    }

    /// A disk on which the first partition, which ends within an item, is applied.
    private func prepared(_ phone: FakePhone, _ partitions: [FakePhone.Partition]) throws -> (
        InMemoryDisk, ReceiverSession
    ) {
        let memory = InMemoryDisk()
        var slot: ReceiverSession?
        let outcome = try begin(partitions[0], of: phone, in: &slot, memory).run()
        guard var session = slot else { throw ReceiverError.interrupted }
        _ = try session.commit(outcome.plans, outcome.results)
        return (memory, session)
    }

    private func checkItems(_ phone: FakePhone, _ session: ReceiverSession, _ disk: any Disk) throws {
        let folder = try Directory.openRoot("/state", on: disk).directory("\(session.id.uuidString)/items")
        for (pending, bytes) in phone.items where session.journal.days[pending.sourceDate] != nil {
            let file = try folder.file(SessionFolder.itemName(pending.itemID), requiringPrivate: true)
            #expect(try file.contents(maximumByteCount: 1 << 20) == bytes)
        }
    }

    @Test(
        "a fault at any call of an application changes no journal, and the next attempt gives the same items",
        arguments: errors)
    func applicationFaults(_ number: Int32) throws {
        let phone = try phone()
        let partitions = try phone.partitions(payloadBytes: 3_200)
        var call = 0
        while true {
            call += 1
            let (memory, session) = try prepared(phone, partitions)
            let disk = FaultyDisk(memory, fault: .init(call: call, number: number), shortTransfers: true)
            var slot: ReceiverSession? = session
            do {
                let outcome = try begin(partitions[1], of: phone, in: &slot, disk).run()
                guard var machine = slot else { throw ReceiverError.interrupted }
                _ = try machine.commit(outcome.plans, outcome.results)
                #expect(!disk.didFail, "call \(call) failed and nobody heard of it")
                try checkItems(phone, machine, memory)
            } catch is StoreError {}
            guard disk.didFail else { break }
            slot = session
            let outcome = try begin(partitions[1], of: phone, in: &slot, memory).run()
            guard var machine = slot else { throw ReceiverError.interrupted }
            _ = try machine.commit(outcome.plans, outcome.results)
            try checkItems(phone, machine, memory)
        }
        #expect(call > 20)
    }

    @Test(
        "a session's folder that could not be made whole does not stand in the way of the next open", arguments: errors)
    func folderFaults(_ number: Int32) throws {
        var call = 0
        while true {
            call += 1
            let memory = InMemoryDisk()
            _ = try Directory.openRoot("/state", on: memory, creating: true)
            let disk = FaultyDisk(memory, fault: .init(call: call, number: number))
            let id = UUID()
            var isMade = false
            do {
                _ = try SessionFolder.create(id, in: Directory.openRoot("/state", on: disk))
                isMade = true
            } catch is StoreError {}
            guard disk.didFail else { break }
            if !isMade { _ = try SessionFolder.create(id, in: Directory.openRoot("/state", on: memory)) }
        }
        #expect(call > 4)
    }

    @Test("a folder that is there already stays whole, whichever call fails while it is refused", arguments: errors)
    func foreignFolder(_ number: Int32) throws {
        var call = 0
        while true {
            call += 1
            let memory = InMemoryDisk()
            let root = try Directory.openRoot("/state", on: memory, creating: true)
            let id = UUID()
            let foreign = try root.createDirectory(id.uuidString).createDirectory("items")
            let disk = FaultyDisk(memory, fault: .init(call: call, number: number))
            #expect(throws: (any Error).self) {
                try SessionFolder.create(id, in: Directory.openRoot("/state", on: disk))
            }
            #expect(try root.directory(id.uuidString).directory("items").identity() == foreign.identity())
            guard disk.didFail else { break }
        }
        #expect(call > 1)
    }

    @Test("what an application reports as done survives a loss of power", arguments: 0..<8)
    func powerLoss(_ seed: UInt64) throws {
        let phone = try phone()
        let partitions = try phone.partitions(payloadBytes: 3_200)
        let (memory, session) = try prepared(phone, partitions)
        var slot: ReceiverSession? = session
        let outcome = try begin(partitions[1], of: phone, in: &slot, memory).run()
        guard var machine = slot else { throw ReceiverError.interrupted }
        _ = try machine.commit(outcome.plans, outcome.results)
        let survivor = memory.afterPowerLoss(seed: seed == 0 ? nil : seed)
        try checkItems(phone, machine, survivor)
        for item in machine.journal.partialItems.values {
            let name = "\(machine.id.uuidString)/items/\(SessionFolder.itemName(item.itemID))"
            let file = try Directory.openRoot("/state", on: survivor).file(name)
            let prefix = try file.bytes(at: 0, count: Int(item.nextOffset))
            #expect(SHA256.hash(prefix) == item.prefixSHA256)
        }
    }

    @Test("a damaged or short prefix is never built upon")
    func damagedPrefix() throws {
        let phone = try phone()
        let partitions = try phone.partitions(payloadBytes: 3_200)
        for change in [-1, 0] {
            let (memory, session) = try prepared(phone, partitions)
            let item = try #require(session.journal.partialItems.values.first)
            let name = "\(session.id.uuidString)/items/\(SessionFolder.itemName(item.itemID))"
            let file = try Directory.openRoot("/state", on: memory).file(name, .readWrite)
            if change < 0 {
                try file.truncate(to: UInt64(item.nextOffset) - 1)
            } else {
                try file.write([0xFF], at: 5)
            }
            var slot: ReceiverSession? = session
            let applier = try begin(partitions[1], of: phone, in: &slot, memory)
            #expect(throws: ReceiverError.itemFileDamaged) { try applier.run() }
        }
    }

    @Test("a fault at any call of a composition leaves no visible half response and no temporary", arguments: errors)
    func compositionFaults(_ number: Int32) throws {
        let phone = try phone()
        let partitions = try phone.partitions(payloadBytes: 1 << 20)
        let (memory, session) = try prepared(phone, partitions)
        var call = 0
        while true {
            call += 1
            let disk = FaultyDisk(memory, fault: .init(call: call, number: number), shortTransfers: true)
            let jobs: Directory
            do {
                let root = try Directory.openRoot("/state", on: disk)
                jobs = try root.createDirectory("jobs")
                let sessionDirectory = try root.directory(session.id.uuidString)
                let folder = SessionFolder(directory: sessionDirectory, items: try sessionDirectory.directory("items"))
                let finalizer = RawFinalizer(
                    jobID: session.journal.session.jobID, journal: session.journal, folder: folder, jobs: jobs,
                    acceptedVersions: [10], durable: nil, interruption: Interruption())
                let outcome = try finalizer.run()
                #expect(!disk.didFail, "call \(call) failed and nobody heard of it")
                #expect(outcome.response.status == .success && outcome.stored.description.byteCount > 6_000)
            } catch is StoreError {}
            guard disk.didFail else { break }
            let state = try Directory.openRoot("/state", on: memory)
            let folder = try state.createDirectory("jobs")
            let terminal = "\(session.id.uuidString)/\(JobResponseSpool.terminalFolderName)"
            let folders = try folder.entries().map { try folder.directory($0.name) } + [state.createDirectory(terminal)]
            for folder in folders {
                let names = try folder.entries().map(\.name)
                #expect(names.isEmpty || names == [ResponseCopy.fileName])
            }
            try folder.removeTree(session.journal.session.jobID.uuidString)
            try state.removeTree(terminal)
        }
        #expect(call > 10)
    }
}
