import Foundation
import Testing

@testable import DurableStore

@Suite("Database on a disk of our own")
struct DiskFileSystemTests {
    private static let schema = DatabaseSchema(
        applicationID: "test",
        migrations: [.sql("CREATE TABLE row (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT")])

    private func open(_ disk: any Disk) throws -> Database {
        let root = try Directory.openRoot("/root", on: disk, creating: true)
        return try Database.open("d.sqlite", in: root, schema: Self.schema)
    }

    private func insert(_ id: Int, _ database: Database) throws {
        try database.transaction { connection in
            try connection.run(
                "INSERT INTO row VALUES (?, ?)", .integer(id), .blob([UInt8](repeating: UInt8(id), count: 700)))
        }
    }

    private func ids(_ database: Database) throws -> [Int] {
        try database.checkIntegrity()
        return try database.read { try $0.all("SELECT id FROM row ORDER BY id") { try $0.int(0) } }
    }

    @Test("what a transaction committed is there after a loss of power at once, and nothing else is")
    func lossOfPower() throws {
        let disk = InMemoryDisk()
        let database = try open(disk)
        for id in 1...12 {
            try insert(id, database)
            if id == 7 { try database.checkpoint() }
            for seed in [nil, 1, 2] as [UInt64?] {
                let found = try ids(try open(disk.afterPowerLoss(seed: seed)))
                #expect(found == Array(1...id))
            }
        }
    }

    @Test("power that goes during a transaction leaves all of it or nothing", arguments: 1...8 as ClosedRange<UInt64>)
    func lossInTheMiddle(_ seed: UInt64) throws {
        let disk = InMemoryDisk()
        let database = try open(disk)
        try insert(1, database)
        var middle: InMemoryDisk?
        try database.transaction { connection in
            // More than the cache holds, so that pages are written before the commit.
            try connection.runScript("PRAGMA cache_size = 2")
            for id in 2...12 {
                try connection.run(
                    "INSERT INTO row VALUES (?, ?)", .integer(id), .blob([UInt8](repeating: 9, count: 20_000)))
            }
            middle = disk.afterPowerLoss(seed: seed)
        }
        #expect(try ids(try open(try #require(middle))) == [1])
        #expect(try ids(try open(disk.afterPowerLoss(seed: seed))) == Array(1...12))
    }

    @Test("a fault at any one call of the disk loses nothing that was committed", arguments: [EIO, ENOSPC])
    func everyCall(_ number: Int32) throws {
        var call = 0
        while true {
            call += 1
            let memory = InMemoryDisk()
            let disk = FaultyDisk(memory, fault: .init(call: call, number: number))
            var committed: [Int] = []
            do {
                let database = try open(disk)
                for id in 1...3 {
                    try insert(id, database)
                    committed.append(id)
                }
            } catch is StoreError {
                // Expected: what was said before must hold.
            }
            let found = try ids(try open(memory.afterPowerLoss(seed: UInt64(call))))
            #expect(
                found.starts(with: committed) && found.count <= committed.count + 1,
                "call \(call): \(found), not \(committed)")
            guard disk.didFail else {
                #expect(committed == [1, 2, 3] && call > 50)
                break
            }
        }
    }

    @Test("what is read after a process was killed at any call is durable, though that process had not synced it")
    func killed() throws {
        var call = 0
        while true {
            call += 1
            let memory = InMemoryDisk()
            let disk = FaultyDisk(memory, fault: .init(call: call, number: EIO, forEver: true))
            // Kept to the end, as the dead process's files are: they do nothing any more.
            var database: Database?
            do {
                let opened = try open(disk)
                database = opened
                for id in 1...2 { try insert(id, opened) }
            } catch is StoreError {
                // Expected: the process is dead.
            }
            // The system lets go of the locks of a dead process; its cache stays.
            let cache = memory.afterProcessDeath()
            let next = try open(cache)
            let seen = try ids(next)
            #expect(try ids(try open(cache.afterPowerLoss(seed: nil))) == seen, "call \(call)")
            withExtendedLifetime((database, next)) {}
            guard disk.didFail else {
                #expect(seen == [1, 2] && call > 40)
                break
            }
        }
    }

    @Test("a disk that is full refuses a transaction, and takes it when there is room")
    func fullDisk() throws {
        let disk = InMemoryDisk()
        let database = try open(disk)
        try insert(1, database)
        disk.setCapacity(40_000)
        #expect(storeCode { for id in 2...29 { try insert(id, database) } } == "disk_full")
        disk.setCapacity(1 << 30)
        try insert(30, database)
        #expect(try ids(database).last == 30)
    }
}
