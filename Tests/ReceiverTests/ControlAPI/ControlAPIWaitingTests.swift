import Cryptography
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport

@testable import Receiver

/// Waiting clients and stored bodies (control-api.md 9, 14).
@Suite struct ControlAPIWaitingTests {
    private static let all = #"{"date_selection":"all_available"}"#
    private let done = ControlAnswer(ControlResponse(status: .success, message: "done"))

    private func begin(_ rig: ControlRig, _ path: String = "/v1/exports") throws -> Connection {
        let connection = try rig.dial()
        let waiters = rig.receiver.read { $0.waiters.count }
        try connection.send(Array(ControlRig.text("POST", path, Self.all).utf8), stall: .seconds(5))
        try #require(happens { rig.receiver.read { $0.waiters.count } > waiters })
        return connection
    }

    @Test("a client waits until its waiter is called", arguments: ["", "/\(FakeReceiver.pairingID)/resume"])
    func waits(tail: String) throws {
        let rig = try ControlRig()
        let connection = try begin(rig, "/v1/exports" + tail)
        rig.receiver.finish(done)
        let answer = try ControlRig.receive(connection)
        #expect(answer.status == 200)
        #expect(answer.json?["message"] == "done")
        #expect(rig.receiver.read { $0.detached.isEmpty })
    }

    @Test("a waiter that is called before create returns is answered too")
    func early() throws {
        let rig = try ControlRig()
        let spool = try FileSpool(byteCount: 1_000)
        for answer in [done, ControlAnswer(spool.response, spool: spool)] {
            rig.receiver.change { $0.earlyAnswer = answer }
            #expect(try rig.ask("POST", "/v1/exports", Self.all).status == 200)
        }
    }

    @Test("a timed-out wait answers 408 with the receiver's word")
    func timedOut() throws {
        let rig = try ControlRig()
        let connection = try begin(rig)
        rig.receiver.finish(
            ControlAnswer(ControlResponse(status: .timedOut, message: "", failureReason: "timedOut")))
        let answer = try ControlRig.receive(connection)
        #expect(answer.status == 408 && answer.json?["failure_reason"] == "timedOut")
    }

    @Test("a client that leaves detaches its waiter and no other; half-closing is leaving", arguments: [true, false])
    func leaving(halfClose: Bool) throws {
        let rig = try ControlRig()
        let leaver = try begin(rig)
        let stayer = try begin(rig)
        if halfClose { leaver.finishSending() } else { leaver.abort() }
        #expect(happens { rig.receiver.read { $0.detached == [WaiterID(rawValue: 1)] } })
        rig.receiver.finish(done)
        #expect(try ControlRig.receive(stayer).status == 200)
        #expect(rig.receiver.read { $0.detached.count } == 1)
    }

    @Test("waiting clients do not keep others from being served")
    func crowd() throws {
        let rig = try ControlRig()
        let waiting = try (0..<40).map { _ in try begin(rig) }
        #expect(try rig.ask("GET", "/v1/status").status == 200)
        rig.receiver.finish(done)
        for connection in waiting { #expect(try ControlRig.receive(connection).status == 200) }
    }

    @Test("stopping answers waiting clients 503 and detaches them")
    func stop() throws {
        let rig = try ControlRig()
        let connection = try begin(rig)
        rig.api.stop()
        let answer = try ControlRig.receive(connection)
        #expect(answer.status == 503 && answer.error == "server_not_ready")
        #expect(rig.receiver.read { $0.detached } == [WaiterID(rawValue: 1)])
        #expect(throws: TransportError.self) { try rig.dial() }
        rig.api.stop()
    }

    // MARK: Stored bodies

    @Test("a stored body comes with its seven headers, whole, as often as wanted, also after a broken download")
    func download() throws {
        let rig = try ControlRig()
        let spool = try FileSpool(byteCount: 24 << 20)
        rig.receiver.change { $0.answer = ControlAnswer(spool.response, spool: spool) }
        let path = "/v1/exports/\(FakeReceiver.pairingID)"
        let broken = try rig.dial()
        try broken.send(Array(ControlRig.text("GET", path).utf8), stall: .seconds(5))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 16)
        defer { buffer.deallocate() }
        #expect(try broken.receive(into: buffer, until: Deadline.now + .seconds(5)) > 0)
        broken.abort()
        for _ in 1...2 {
            let answer = try rig.ask("GET", path)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
            #expect(answer.headers["content-length"] == String(24 << 20))
            for (name, value) in spool.description.headers { #expect(answer.headers[name.lowercased()] == value) }
            #expect(spool.description.headers.count == 7)
            #expect(SHA256.hash(answer.body).hex == spool.description.sha256)
        }
        let small = try rig.ask("GET", path + "?fields=state")
        #expect(small.json?["status"] == "success" && small.headers["x-healthmd-raw-validated"] == nil)
        // Every descriptor that was handed out is closed again.
        #expect(happens { spool.openCount == 0 })
        // Behind each download the other copy is looked after.
        #expect(happens { spool.checkCount.withLock { $0 } >= 2 })
    }

    @Test("a wait that ends with a stored body delivers the body")
    func waitForBody() throws {
        let rig = try ControlRig()
        let spool = try FileSpool(byteCount: 100_000)
        let connection = try begin(rig)
        rig.receiver.finish(ControlAnswer(spool.response, spool: spool))
        let answer = try ControlRig.receive(connection)
        #expect(answer.headers["x-healthmd-body-sha256"] == SHA256.hash(answer.body).hex)
        rig.receiver.change { $0.submission = ControlAnswer(spool.response, spool: spool) }
        let again = try rig.ask("POST", "/v1/exports/\(FakeReceiver.pairingID)/resume", "{}")
        #expect(again.body == answer.body)
    }

    @Test("a stored body that fails its check is never served: the small response says so with 409")
    func damagedBody() throws {
        let rig = try ControlRig()
        let spool = try FileSpool(byteCount: 100_000)
        rig.receiver.change { $0.answer = ControlAnswer(spool.response, spool: spool) }
        try spool.flipByte(at: 50_000)
        let answer = try rig.ask("GET", "/v1/exports/\(FakeReceiver.pairingID)")
        #expect(answer.status == 409)
        #expect(answer.json?["failure_reason"] == "control_response_spool_unavailable")
        #expect(answer.json?["job_id"]?.string == FakeReceiver.pairingID.uuidString)
        #expect(answer.headers["x-healthmd-raw-validated"] == nil)
    }

    @Test("a snapshot of another length than described is not served")
    func wrongLength() throws {
        let rig = try ControlRig()
        let spool = try FileSpool(byteCount: 1_000, claimedByteCount: 1_001)
        rig.receiver.change { $0.answer = ControlAnswer(spool.response, spool: spool) }
        #expect(try rig.ask("GET", "/v1/exports/\(FakeReceiver.pairingID)").status == 409)
        #expect(happens { spool.openCount == 0 })
    }

    @Test("a client that leaves during the copy leaves no descriptor behind")
    func leavingDuringCopy() throws {
        let rig = try ControlRig()
        let spool = try FileSpool(byteCount: 1_000)
        spool.gate.withLock { $0 = true }
        rig.receiver.change { $0.answer = ControlAnswer(spool.response, spool: spool) }
        let connection = try rig.dial()
        try connection.send(
            Array(ControlRig.text("GET", "/v1/exports/\(FakeReceiver.pairingID)").utf8), stall: .seconds(5))
        #expect(happens { spool.snapshotCount.withLock { $0 > 0 } })
        // The copy does not hold up the rest.
        #expect(try rig.ask("GET", "/v1/status").status == 200)
        connection.abort()
        #expect(try rig.ask("GET", "/v1/status").status == 200)
        spool.gate.withLock { $0 = false }
        #expect(happens { spool.openCount == 0 })
    }
}

/// A stored response in a temporary file: checked at every opening, like the receiver's own.
final class FileSpool: ResponseSpool {
    private let folder: TemporaryFolder
    private let byteCount: Int
    let description: RawResponseDescription
    /// While set, opening blocks.
    let gate = Mutex(false)
    /// How many snapshots were opened.
    let snapshotCount = Mutex(0)
    /// How often the other copy was looked after.
    let checkCount = Mutex(0)

    var response: ControlResponse {
        ControlResponse(status: .success, message: "done", jobID: FakeReceiver.pairingID)
    }

    init(byteCount: Int, claimedByteCount: Int? = nil) throws {
        folder = try TemporaryFolder()
        self.byteCount = byteCount
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            for index in 0..<byteCount { buffer[index] = UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }
            count = byteCount
        }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.appending("spool")))
        description = RawResponseDescription(
            status: .success, firstDate: "2026-03-15", lastDate: "2026-03-16", totalDays: 2,
            byteCount: Int64(claimedByteCount ?? byteCount), sha256: SHA256.hash(bytes).hex)
    }

    func openSnapshot() throws(ReceiverControlError) -> ResponseSnapshot {
        let name = folder.appending("copy-\(UUID())")
        guard let bytes = FileManager.default.contents(atPath: folder.appending("spool")),
            SHA256.hash([UInt8](bytes)).hex == description.sha256,
            FileManager.default.createFile(atPath: name, contents: bytes)
        else { throw .responseSpoolUnavailable }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        unlink(name)
        snapshotCount.withLock { $0 += 1 }
        while gate.withLock({ $0 }) { usleep(1_000) }
        return ResponseSnapshot(fileDescriptor: descriptor, byteCount: Int64(byteCount)) { [self] in
            checkCount.withLock { $0 += 1 }
        }
    }

    func flipByte(at offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.appending("spool")))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
    }

    /// How many of this process's descriptors still hold a snapshot.
    var openCount: Int {
        // By the path that it had: inode numbers are used again, and other tests hold unlinked files too.
        let prefix = folder.appending("copy-")
        return (0..<1_024).count { descriptor in
            let path = "/proc/self/fd/\(descriptor)"
            // What is not open has no path.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target?.hasPrefix(prefix) == true
        }
    }
}
