import Cryptography
import DurableStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DayArchive

/// What a service does when its store no longer has what was stored.
@Suite("Lost days")
struct LostDayTests {
    private let bucket = TestKeys.reading.bucket

    /// A service over files in a folder that tests may damage, with five days of two bytes.
    private struct Rig {
        let folder: TemporaryFolder
        let reports: Reports
        let storage: LocalStorage
        let engine: ServiceEngine

        final class Reports: Sendable {
            let list = Mutex<[ServiceReport]>([])
            func take() -> [ServiceReport] {
                list.withLock { list in
                    defer { list = [] }
                    return list
                }
            }
        }

        init() throws {
            folder = try TemporaryFolder()
            let reports = Reports()
            self.reports = reports
            storage = try LocalStorage(
                folder: try Directory.openRoot(folder.path),
                report: { report in reports.list.withLock { $0.append(report) } })
            let made = try ServiceRig(limits: ServiceRig.patient)
            let clock = made.clock
            engine = ServiceEngine(
                core: ServiceCore(limits: ServiceRig.patient, claims: .open), storage: storage, clock: { clock.now })
            let days = try (1...5).map { try sealedDay("2026-10-0\($0)", [2, UInt8($0)]) }
            #expect(engine.answer(made.claimRequest()).status == 201)
            #expect(engine.answer(made.uploadRequest(days)).status == 200)
        }

        func file(_ day: Int) throws -> String {
            let parent = folder.appending("days/\(TestKeys.reading.bucket)")
            let names = try FileManager.default.contentsOfDirectory(atPath: parent)
            return parent + "/" + (try #require(names.first { $0.hasPrefix("2026-10-0\(day)") }))
        }

        func get(_ route: String) -> ServiceAnswer {
            engine.answer(ServiceRequest(method: "GET", target: "/b/\(TestKeys.reading.bucket)\(route)"))
        }

        func listed() throws -> [String] {
            try #require(try get("/days").document["days"]?.array).compactMap { $0["day"]?.string }
        }
    }

    @Test(
        "a day whose file is gone is not listed, counted or handed out; the others are; its operator hears of it once")
    func gone() throws {
        let rig = try Rig()
        try FileManager.default.removeItem(atPath: try rig.file(2))
        #expect(try rig.listed() == ["2026-10-01", "2026-10-03", "2026-10-04", "2026-10-05"])
        #expect(rig.reports.take() == [.daysLost(count: 1)])
        let page = try rig.get("/days?limit=2").document
        #expect(page["days"]?.array?.count == 2)
        #expect(page["next"] == "2026-10-03")
        #expect(try rig.get("/stats").document["days"] == 4)
        #expect(try rig.get("/stats").document["bytes"] == 8)
        #expect(rig.get("/d/2026-10-02").code == "no-day")
        #expect(
            rig.get("/d?from=2026-10-01&to=2026-10-03").body
                == DayFrame.encode([try sealedDay("2026-10-01", [2, 1]), try sealedDay("2026-10-03", [2, 3])]))
        #expect(rig.reports.take() == [])
    }

    @Test("a read finds it out as well, also when the file was cut short")
    func cutShort() throws {
        let rig = try Rig()
        try Data([2]).write(to: URL(fileURLWithPath: try rig.file(5)))
        #expect(rig.get("/d?from=2026-10-05&to=2026-10-05").body == [])
        #expect(rig.reports.take() == [.daysLost(count: 1)])
        #expect(try rig.get("/stats").document["lastDay"] == "2026-10-04")
        #expect(rig.get("/d/2026-10-05").code == "no-day")
    }

    @Test(
        "a day whose file was cut short is not listed, read before or not, so that its writer's daily check sends it again"
    )
    func cutShortIsNotListed() throws {
        for isReadBefore in [false, true] {
            let rig = try Rig()
            try Data([2]).write(to: URL(fileURLWithPath: try rig.file(5)))
            if isReadBefore { #expect(rig.get("/d/2026-10-05").code == "no-day") }
            #expect(try rig.listed() == ["2026-10-01", "2026-10-02", "2026-10-03", "2026-10-04"])
            #expect(rig.reports.take() == [.daysLost(count: 1)])
        }
    }

    @Test("what comes back is held again")
    func back() throws {
        let rig = try Rig()
        let path = try rig.file(1)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        #expect(try rig.listed().count == 4)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(try rig.listed().count == 5)
        #expect(rig.get("/d/2026-10-01").body == [2, 1])
    }

    /// A store that cannot be asked.
    private struct Silent: BlobStore {
        struct Unknown: Error {}
        func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> StoredBlobs {
            StoredBlobs(names: Set(blobs.map(\.name)))
        }
        func load(_ blobs: [(name: BlobName, byteCount: Int)]) throws -> [[UInt8]?] { throw Unknown() }
        func byteCounts(of bucket: BucketID, _ days: ClosedRange<ArchiveDay>) throws -> [BlobName: Int] {
            throw Unknown()
        }
        func remove(_ names: [BlobName]) throws {}
    }

    @Test("a store that cannot be asked has lost nothing: listings stand, reads are refused, the operator hears")
    func silent() throws {
        let made = try ServiceRig(limits: ServiceRig.patient)
        let clock = made.clock
        let reports = Rig.Reports()
        let report: @Sendable (ServiceReport) -> Void = { report in reports.list.withLock { $0.append(report) } }
        let engine = ServiceEngine(
            core: ServiceCore(limits: ServiceRig.patient, claims: .open),
            storage: try LocalStorage.inMemory(blobs: Silent(), report: report), clock: { clock.now }, report: report)
        #expect(engine.answer(made.claimRequest()).status == 201)
        #expect(engine.answer(made.uploadRequest([try sealedDay("2026-10-01", [2])])).status == 200)
        let listing = engine.answer(ServiceRequest(method: "GET", target: "/b/\(bucket)/days"))
        #expect(try listing.document["days"]?.array?.count == 1)
        #expect(reports.take() == [.storageFailed(code: "storage_failed")])
        let read = engine.answer(ServiceRequest(method: "GET", target: "/b/\(bucket)/d/2026-10-01"))
        #expect(read.code == "store-failed")
        #expect(reports.take() == [.storageFailed(code: "storage_failed")])
    }

    @Test("a day that lost its file goes again with the writer's daily check")
    func sentAgain() throws {
        let blobs = ForgetfulBlobs()
        let rig = try WriterRig(blobs: blobs)
        try rig.days.addSteps(10, on: "2026-10-06")
        let writer = try rig.readyWriter()
        #expect(try writer.push().sent == 5)
        blobs.forget("2026-10-07")
        rig.clock.advance(seconds: 86_400)
        let report = try writer.push()
        // The lost one, and the new day.
        #expect(report.missing == 2 && report.sent == 2)
        #expect(try rig.reader(of: writer).sync().mirrored == 6)
    }

    @Test("a page is asked of the store for its own days alone, and is full although days of it are lost")
    func pages() throws {
        let asked = Mutex<[ClosedRange<ArchiveDay>]>([])
        let blobs = ForgetfulBlobs { days in asked.withLock { $0.append(days) } }
        let storage = try LocalStorage.inMemory(blobs: blobs)
        let made = try ServiceRig(limits: ServiceRig.patient)
        let clock = made.clock
        let engine = ServiceEngine(
            core: ServiceCore(limits: ServiceRig.patient, claims: .open), storage: storage, clock: { clock.now })
        #expect(engine.answer(made.claimRequest()).status == 201)
        let all = (1...9).map { "2026-09-0\($0)" }
        #expect(engine.answer(made.uploadRequest(try all.map { try sealedDay($0, [2]) })).status == 200)
        func page(_ query: String) throws -> [String] {
            asked.withLock { $0 = [] }
            let answer = engine.answer(ServiceRequest(method: "GET", target: "/b/\(bucket)/days?\(query)"))
            return try #require(try answer.document["days"]?.array).compactMap { $0["day"]?.string }
        }
        func span() -> [String] {
            asked.withLock { $0 }.map { "\($0.lowerBound)".suffix(2) + "..." + "\($0.upperBound)".suffix(2) }
        }
        #expect(try page("limit=2") == Array(all[..<2]) && span() == ["01...03"])
        for lost in [0, 1, 3, 8] { blobs.forget(all[lost]) }
        // The first three hold one day that is there, the first five two, the first six a third: then nothing new is lost.
        #expect(try page("limit=2") == [all[2], all[4]] && span() == ["01...03", "01...05", "01...06"])
        #expect(try page("limit=2&after=2026-09-05") == [all[5], all[6]])
        #expect(try page("limit=5&after=2026-09-05") == Array(all[5..<8]))
        #expect(try storage.statistics(bucket).dayCount == 5)
        // A lost day that comes anew is held, and nothing of the lost one stays.
        clock.advance(seconds: 1)
        #expect(engine.answer(made.uploadRequest([try sealedDay(all[0], [2])])).status == 200)
        #expect(try page("limit=9") == [all[0], all[2]] + all[4..<8])
        // A download does not ask beforehand: what is lost it finds out by reading.
        asked.withLock { $0 = [] }
        let range = engine.answer(
            ServiceRequest(method: "GET", target: "/b/\(bucket)/d?from=2026-09-01&to=2026-09-03"))
        #expect(range.status == 200 && span() == [])
    }

    @Test("while a store is slow for the tools of one bucket, those of another are answered")
    func slowTools() throws {
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        let blobs = ForgetfulBlobs { _ in
            begun.signal()
            gate.wait()
        }
        let made = try ServiceRig(limits: ServiceRig.patient)
        let clock = made.clock
        let engine = ServiceEngine(
            core: ServiceCore(limits: ServiceRig.patient, claims: .open),
            storage: try LocalStorage.inMemory(blobs: blobs), clock: { clock.now })
        #expect(engine.answer(made.claimRequest()).status == 201)
        #expect(engine.answer(made.uploadRequest([try sealedDay("2026-09-01", [2])])).status == 200)
        let target = "/mcp/b/\(bucket)"
        let call = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sealed_days"}}"#
        let slow = Thread {
            _ = engine.answer(ServiceRequest(method: "POST", target: target, body: Array(call.utf8)))
            begun.signal()
        }
        slow.start()
        #expect(begun.wait(timeout: .now() + 20) == .success)
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let answered = DispatchSemaphore(value: 0)
        Thread {
            if engine.answer(ServiceRequest(method: "POST", target: target, body: Array(ping.utf8))).status == 200 {
                answered.signal()
            }
        }.start()
        #expect(answered.wait(timeout: .now() + 20) == .success)
        gate.signal()
        #expect(begun.wait(timeout: .now() + 20) == .success)
    }

    private final class ForgetfulBlobs: BlobStore {
        private let memory = MemoryBlobs()
        private let asked: @Sendable (ClosedRange<ArchiveDay>) -> Void
        init(_ asked: @escaping @Sendable (ClosedRange<ArchiveDay>) -> Void = { _ in }) { self.asked = asked }
        func forget(_ day: String) { memory.remove(memory.names.filter { $0.text.contains(day) }) }
        func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> StoredBlobs { memory.store(blobs) }
        func load(_ blobs: [(name: BlobName, byteCount: Int)]) -> [[UInt8]?] { memory.load(blobs) }
        func byteCounts(of bucket: BucketID, _ days: ClosedRange<ArchiveDay>) -> [BlobName: Int] {
            asked(days)
            return memory.byteCounts(of: bucket, days)
        }
        func remove(_ names: [BlobName]) { memory.remove(names) }
    }
}
