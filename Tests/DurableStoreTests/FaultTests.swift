import Foundation
import Testing

@testable import DurableStore

@Suite("Faults and loss of power")
struct FaultTests {
    static let errors: [Int32] = [ENOSPC, EIO, EDQUOT, EMFILE, EACCES, EROFS]
    static let old = [UInt8](repeating: 1, count: 3_000)
    static let new = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 256 + 2) }

    private func prepared() throws -> InMemoryDisk {
        let disk = InMemoryDisk()
        let root = try Directory.openRoot("/root", on: disk, creating: true)
        try root.durableReplace("file", with: Self.old)
        return disk
    }

    private func content(_ disk: InMemoryDisk) throws -> [UInt8] {
        try Directory.openRoot("/root", on: disk).file("file").contents(maximumByteCount: 1 << 20)
    }

    @Test("a fault at any one call leaves the old or the new bytes and no temporary", arguments: errors)
    func everyCallOnce(_ number: Int32) throws {
        var call = 0
        while true {
            call += 1
            let memory = try prepared()
            let disk = FaultyDisk(memory, fault: .init(call: call, number: number), shortTransfers: true)
            var failed = false
            do {
                let root = try Directory.openRoot("/root", on: disk)
                try root.durableReplace("file", with: Self.new)
            } catch is StoreError {
                failed = true
            }
            if !disk.didFail {
                #expect(!failed && call > 8)
                break
            }
            #expect(failed, "call \(call) (\(disk.calls.last ?? "")) failed and nobody heard of it")
            let content = try content(memory)
            #expect(content == Self.old || content == Self.new)
            // The name was moved already when only the last sync failed.
            if content == Self.new { #expect(disk.calls.filter { $0 == "sync" }.count == 2) }
            #expect(try Directory.openRoot("/root", on: memory).entries().map(\.name) == ["file"])
            #expect(memory.openHandleCount == 0)
        }
    }

    @Test("a failed sync is never tried again")
    func syncIsFinal() throws {
        let clean = FaultyDisk(try prepared())
        try Directory.openRoot("/root", on: clean).durableReplace("file", with: Self.new)
        for (index, name) in clean.calls.enumerated() where name == "sync" {
            let disk = FaultyDisk(try prepared(), fault: .init(call: index + 1, number: EIO))
            let root = try Directory.openRoot("/root", on: disk)
            #expect(storeCode { try root.durableReplace("file", with: Self.new) } == "io_error")
            #expect(!disk.calls[(index + 1)...].contains("sync"))
            let interrupted = FaultyDisk(try prepared(), fault: .init(call: index + 1, number: EINTR))
            let other = try Directory.openRoot("/root", on: interrupted)
            #expect(storeCode { try other.durableReplace("file", with: Self.new) } == "io_error")
        }
    }

    @Test("a crash at any call, then a loss of power: the name holds all of the old or all of the new bytes")
    func crashAndPowerLoss() throws {
        var call = 0
        while true {
            call += 1
            let memory = try prepared()
            let disk = FaultyDisk(memory, fault: .init(call: call, number: EIO, forEver: true), shortTransfers: true)
            let confirmed =
                storeCode {
                    try Directory.openRoot("/root", on: disk).durableReplace("file", with: Self.new)
                } == nil
            for seed in [nil, UInt64(0), 1, 2, 3, 4, 5, 6, 7] {
                let after = memory.afterPowerLoss(seed: seed)
                let content = try content(after)
                #expect(content == Self.new || (content == Self.old && !confirmed), "call \(call), seed \(seed ?? 99)")
                let root = try Directory.openRoot("/root", on: after)
                try root.removeAbandonedTemporaries()
                #expect(try root.entries().map(\.name) == ["file"])
            }
            if !disk.didFail { break }
        }
        #expect(call > 8)
    }

    @Test("the model does lose what was not synced: without the syncs a replacement is torn")
    func modelIsAdversarial() throws {
        var outcomes: Set<String> = []
        for seed in 0..<40 {
            let disk = InMemoryDisk()
            let root = try Directory.openRoot("/root", on: disk, creating: true)
            let file = try root.createFile("file")
            try file.write(Self.new, at: 0)
            let after = try Directory.openRoot("/root", on: disk.afterPowerLoss(seed: UInt64(seed)))
            if try after.status(of: "file") == nil {
                outcomes.insert("name lost")
            } else {
                let found = try after.file("file").contents(maximumByteCount: 1 << 20)
                outcomes.insert(found.isEmpty ? "bytes lost" : found == Self.new ? "kept" : "torn")
            }
        }
        #expect(outcomes == ["name lost", "bytes lost", "torn", "kept"])
        let disk = InMemoryDisk()
        let root = try Directory.openRoot("/root", on: disk, creating: true)
        let file = try root.createFile("file")
        try file.write(Self.new, at: 0)
        try file.sync()
        #expect(try Directory.openRoot("/root", on: disk.afterPowerLoss(seed: nil)).status(of: "file") == nil)
        try root.sync()
        let kept = try Directory.openRoot("/root", on: disk.afterPowerLoss(seed: nil))
        #expect(try kept.file("file").contents(maximumByteCount: 1 << 20) == Self.new)
    }

    @Test("folders that were made are there after a loss of power")
    func foldersAreDurable() throws {
        let disk = InMemoryDisk()
        _ = try Directory.openRoot("/state/healthmd", on: disk, creating: true).createDirectory("receiver/jobs")
        let after = disk.afterPowerLoss(seed: nil)
        #expect(try Directory.openRoot("/state/healthmd/receiver/jobs", on: after).entries().isEmpty)
    }

    @Test("a full disk is named, nothing is left of the attempt, and it works again when there is room")
    func fullDisk() throws {
        let disk = InMemoryDisk(capacity: 10_000)
        let root = try Directory.openRoot("/root", on: disk, creating: true)
        try root.durableReplace("file", with: Self.old)
        #expect(throws: StoreError.self) { try root.durableReplace("file", with: Self.new) }
        #expect(storeCode { try root.durableReplace("file", with: Self.new) } == "disk_full")
        #expect(try root.entries().map(\.name) == ["file"])
        #expect(try root.freeSpace() == FreeSpace(available: 7_000, total: 10_000))
        disk.setCapacity(1_000_000)
        try root.durableReplace("file", with: Self.new)
        #expect(try content(disk) == Self.new)
    }

    @Test("an error of the writer is passed on, and nothing is replaced")
    func writerError() throws {
        struct Stop: Error {}
        let disk = try prepared()
        let root = try Directory.openRoot("/root", on: disk)
        #expect(throws: Stop.self) {
            try root.durableReplace("file") {
                try $0.write(Self.new)
                throw Stop()
            }
        }
        #expect(try content(disk) == Self.old)
        #expect(try root.entries().map(\.name) == ["file"])
    }

    @Test("a crash at any call of a move, then a loss of power: the bytes are under one of the two names, whole")
    func moveAndPowerLoss() throws {
        var call = 0
        while true {
            call += 1
            let memory = InMemoryDisk()
            let prepared = try Directory.openRoot("/root", on: memory, creating: true)
            _ = try prepared.createDirectory("final")
            let spool = try prepared.createDirectory("spool").createFile("part")
            try spool.write(Self.new, at: 0)
            try prepared.directory("spool").sync()
            let disk = FaultyDisk(memory, fault: .init(call: call, number: EIO, forEver: true))
            let confirmed =
                storeCode {
                    try Directory.openRoot("/root", on: disk).durableMove(
                        "spool/part", to: try Directory.openRoot("/root/final", on: disk), as: "a")
                } == nil
            for seed in [nil, UInt64(0), 1, 2, 3, 4, 5, 6, 7] {
                let after = try Directory.openRoot("/root", on: memory.afterPowerLoss(seed: seed))
                if let moved = try? after.file("final/a") {
                    #expect(try moved.contents(maximumByteCount: 1 << 20) == Self.new)
                    #expect(try moved.status().linkCount == 1)
                } else {
                    #expect(try !confirmed && after.status(of: "spool/part") != nil)
                }
            }
            if !disk.didFail { break }
        }
        #expect(call > 6)
    }
}
