import ConnectedProtocol
import Cryptography
import Foundation
import Testing

@testable import Receiver

/// A finished raw job, and the two copies of its response on disk (control-api.md 14).
private struct FinishedJob {
    let rig: EngineRig
    let id: UUID
    let phone: FakePhone
    let partitions: [FakePhone.Partition]
    let body: [UInt8]

    init() throws {
        rig = try EngineRig()
        rig.connect()
        (id, _) = rig.createJob(EngineRig.raw)
        phone = try rig.rawPhone(id, padding: 5_000)
        partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        body = try FinishedJob.read(rig.engine.control(id).spool)
    }

    var response: String { rig.root + "/state/jobs/\(id.uuidString)/control-response.json" }
    var terminal: String {
        rig.root + "/state/sessions/\(phone.session.sessionID.uuidString)/terminal/control-response.json"
    }

    /// What a client downloads now.
    func download() throws -> [UInt8] { try FinishedJob.read(rig.engine.control(id).spool) }

    private static func read(_ spool: (any ResponseSpool)?) throws -> [UInt8] {
        let snapshot = try #require(spool).openSnapshot()
        defer { snapshot.afterwards?() }
        return try bytes(of: snapshot)
    }

    static func bytes(of snapshot: ResponseSnapshot) throws -> [UInt8] {
        let handle = FileHandle(fileDescriptor: snapshot.fileDescriptor, closeOnDealloc: true)
        try handle.seek(toOffset: 0)
        return [UInt8](try handle.readToEnd() ?? Data())
    }

    func stored(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }

    /// The final acknowledgement of a repeated finalization.
    func finalizeAgain() throws -> CorpusTransferFinalAck? {
        _ = rig.channel.take()
        rig.send(try phone.finalize(partitions))
        rig.settle()
        return rig.channel.take().compactMap { message in
            if case .corpusFinalAck(let ack) = message { return ack }
            return nil
        }.first
    }
}

extension ReceiverEngine {
    fileprivate func control(_ id: UUID) -> ControlAnswer { job(id, stateOnly: false) }
}

/// One way to spoil a file.
struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What `verify` calls it.
    let code: String
    let spoil: @Sendable (String) throws -> Void

    static let all = [
        Damage(testDescription: "one byte flipped", code: "digest_mismatch") { try flip($0, at: 200) },
        Damage(testDescription: "the last byte flipped", code: "digest_mismatch") { path in
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64
            try flip(path, at: #require(size) - 1)
        },
        Damage(testDescription: "cut", code: "size_mismatch") { #expect(truncate($0, 100) == 0) },
        Damage(testDescription: "empty", code: "size_mismatch") { #expect(truncate($0, 0) == 0) },
        Damage(testDescription: "longer", code: "size_mismatch") { path in
            let handle = try #require(FileHandle(forUpdatingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: [0x20])
            try handle.close()
        },
        Damage(testDescription: "removed", code: "missing") { try FileManager.default.removeItem(atPath: $0) },
        Damage(testDescription: "open to others", code: "not_private") { #expect(chmod($0, 0o644) == 0) },
        Damage(testDescription: "a second name", code: "not_private") { #expect(link($0, $0 + ".other") == 0) },
        Damage(testDescription: "a link to the bytes", code: "not_private") { path in
            #expect(rename(path, path + ".moved") == 0 && symlink(path + ".moved", path) == 0)
        },
        Damage(testDescription: "its folder removed", code: "missing") { path in
            try FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
        },
    ]

    private static func flip(_ path: String, at offset: UInt64) throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
    }
}

@Suite("Two copies of a raw response")
struct ResponseCopyTests {
    @Test("both copies hold the bytes of the download, and nobody else may read them")
    func twoCopies() throws {
        let job = try FinishedJob()
        for path in [job.response, job.terminal] {
            #expect(job.stored(path) == job.body)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        #expect(try job.download() == job.body)
    }

    @Test("a damaged response is served from the terminal copy and written again", arguments: Damage.all)
    func responseDamaged(_ damage: Damage) throws {
        let job = try FinishedJob()
        try damage.spoil(job.response)
        #expect(try job.rig.engine.verificationPlan(job.id).run().differences.map(\.code) == [damage.code])
        #expect(try job.download() == job.body)
        #expect(job.stored(job.response) == job.body)
        // A folder that was made again is stored by the engine, behind the download.
        job.rig.settle()
        #expect(try job.rig.engine.verificationPlan(job.id).run().differences.isEmpty)
        try job.rig.restart()
        #expect(try job.rig.engine.verificationPlan(job.id).run().differences.isEmpty)
    }

    @Test("a damaged terminal copy is noticed behind a download and written again", arguments: Damage.all)
    func terminalDamaged(_ damage: Damage) throws {
        let job = try FinishedJob()
        try damage.spoil(job.terminal)
        let differences = try job.rig.engine.verificationPlan(job.id).run().differences
        #expect(differences.map(\.code) == [damage.code] && differences.map(\.kind) == ["response_copy"])
        #expect(try job.download() == job.body)
        #expect(job.stored(job.terminal) == job.body)
        #expect(try job.rig.engine.verificationPlan(job.id).run().differences.isEmpty)
    }

    @Test(
        "when both copies are damaged nothing is served, whatever the damage",
        arguments: zip(Damage.all, Damage.all.reversed()))
    func bothDamaged(_ first: Damage, _ second: Damage) throws {
        let job = try FinishedJob()
        try first.spoil(job.response)
        try second.spoil(job.terminal)
        let before = [job.response, job.terminal].map(job.stored)
        let spool = try #require(job.rig.engine.control(job.id).spool)
        #expect(throws: ReceiverControlError.responseSpoolUnavailable) { try spool.openSnapshot() }
        #expect([job.response, job.terminal].map(job.stored) == before)
        #expect(
            try job.rig.engine.verificationPlan(job.id).run().differences.map(\.code) == [first.code, second.code])
        // The session is over all the same: the phone is not kept.
        #expect(try job.finalizeAgain()?.accepted == true)
    }

    @Test("a repeated finalization is acknowledged when the response is whole again", arguments: Damage.all)
    func replay(_ damage: Damage) throws {
        let job = try FinishedJob()
        let ack = try #require(try job.finalizeAgain())
        try damage.spoil(job.response)
        try job.rig.restart()
        job.rig.connect()
        #expect(try job.finalizeAgain() == ack)
        #expect(job.stored(job.response) == job.body)
        #expect(try job.rig.engine.verificationPlan(job.id).run().differences.isEmpty)
    }

    @Test("while the response cannot be written again nothing is acknowledged; later it is")
    func retryableReplay() throws {
        let job = try FinishedJob()
        try FileManager.default.removeItem(atPath: job.response)
        // A folder in the way: the rename fails.
        try FileManager.default.createDirectory(atPath: job.response + "/x", withIntermediateDirectories: true)
        #expect(try job.finalizeAgain() == nil)
        #expect(try job.download() == job.body)
        try FileManager.default.removeItem(atPath: job.response)
        #expect(try job.finalizeAgain()?.accepted == true)
        #expect(job.stored(job.response) == job.body)
    }

    @Test("a finished job that an older version left without a terminal copy gets one")
    func older() throws {
        let job = try FinishedJob()
        try FileManager.default.removeItem(atPath: (job.terminal as NSString).deletingLastPathComponent)
        #expect(try job.download() == job.body)
        #expect(job.stored(job.terminal) == job.body)
    }

    @Test("downloads that overlap share one snapshot; its space is free again when the last one is done")
    func sharedSnapshot() throws {
        let job = try FinishedJob()
        let spool = try #require(job.rig.engine.control(job.id).spool)
        let folder = (job.rig.root as NSString).lastPathComponent
        func unlinked() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                // What is not open any more has no path.
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return path?.contains(folder) == true && path?.hasSuffix("(deleted)") == true
            }
        }
        #expect(try unlinked() == 0)
        var snapshots = try (0..<5).map { _ in try spool.openSnapshot() }
        // The copy itself and a descriptor for each download.
        #expect(try unlinked() == 6)
        #expect(snapshots.filter { $0.afterwards != nil }.count == 1, "the copies are looked after once")
        // The first copy is damaged while it is not read: whoever looks after the copies finds it.
        try Damage.all[0].spoil(job.response)
        for snapshot in snapshots { #expect(try FinishedJob.bytes(of: snapshot) == job.body) }
        snapshots[0].afterwards?()
        do {
            let late = try spool.openSnapshot()
            #expect(try FinishedJob.bytes(of: late) == job.body)
            late.afterwards?()
        }
        #expect(job.stored(job.response) == job.body)
        snapshots = []
        #expect(try unlinked() == 0)
        #expect(try job.download() == job.body)
    }

    @Test("after seven days both copies are gone")
    func expiry() throws {
        let job = try FinishedJob()
        job.rig.advance(604_801)
        job.rig.engine.tick()
        job.rig.settle()
        #expect(job.stored(job.response) == nil && job.stored(job.terminal) == nil)
    }

    @Test("a cancel that comes between the result and its transaction leaves neither copy")
    func cancelled() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        // The worker composes; the engine has not heard of it.
        rig.settle(steps: 1)
        #expect(rig.stateFiles().contains { $0.hasSuffix("control-response.json") })
        _ = rig.engine.cancel(id)
        rig.settle()
        #expect(answers.answers.first?.response.status == .cancelled)
        #expect(!rig.stateFiles().contains { $0.hasSuffix("control-response.json") })
    }
}
