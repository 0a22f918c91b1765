import ConnectedProtocol
import Foundation
import Testing
import Transport

@testable import Receiver

/// A daemon in a temporary folder on free loopback ports.
final class DaemonRig {
    let root: String
    private(set) var daemon: ReceiverDaemon

    init() throws {
        root = NSTemporaryDirectory() + "/healthmd-daemon-\(UUID().uuidString)"
        for folder in ["", "/state", "/destination"] {
            try FileManager.default.createDirectory(
                atPath: root + folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        daemon = try DaemonRig.start(root)
    }

    deinit {
        // A left-over folder in the temporary place harms nobody.
        try? FileManager.default.removeItem(atPath: root)
    }

    static func start(_ root: String) throws -> ReceiverDaemon {
        let daemon = try ReceiverDaemon(
            ReceiverDaemon.Options(
                dataDirectory: root + "/state", peerPort: 0, peerAddresses: [.loopbackIPv4],
                destination: root + "/destination", version: "0", writesLog: false))
        try daemon.ready(controlPort: 1)
        return daemon
    }

    func restart() throws {
        daemon.stop()
        daemon = try DaemonRig.start(root)
    }

    func pair(records: Bool = true) throws -> LoopbackPhone {
        let opened = try daemon.control.openPairing(.strong, timeoutSeconds: nil)
        return try LoopbackPhone(
            port: daemon.peerPort, credential: .code(ManualIPKeys.codeKey(digits: opened.code)), records: records)
    }

    func reconnect(_ phone: LoopbackPhone) throws -> LoopbackPhone {
        guard let secret = phone.secret, let receiverID = phone.receiverID else { throw LoopbackPhone.Closed() }
        return try LoopbackPhone(
            port: daemon.peerPort, installationID: phone.installationID,
            credential: .trusted(installationID: receiverID, secret: secret))
    }

    func create(_ change: (inout JobRequest) -> Void = { _ in }) throws -> (id: UUID, answer: Promise<ControlAnswer>) {
        let id = UUID()
        guard let first = CalendarDay(FakePhone.labels[0]), let last = CalendarDay(FakePhone.labels[2]) else {
            preconditionFailure("labels of the test")
        }
        var request = JobRequest(jobID: id, dateSelection: .explicitRange(first: first, last: last))
        change(&request)
        let promise = Promise<ControlAnswer>()
        if case .answered(let answer) = daemon.control.createExport(request, waiter: { promise.fulfill($0) }) {
            promise.fulfill(answer)
        }
        return (id, promise)
    }

    func fakePhone(_ mode: CorpusMode, _ request: ExportRequest, _ phone: LoopbackPhone) throws -> FakePhone {
        guard let receiverID = phone.receiverID else { throw LoopbackPhone.Closed() }
        return try FakePhone(
            jobID: request.jobID, mode: mode, phone: phone.installationID, workstation: receiverID,
            createdAt: ProtocolDate(secondsSince2001: SystemClock.now().wall)
        ) { try mode == .strictRaw ? FakePhone.rawDay($0, padding: 700_000) : FakePhone.healthDay($0) }
    }
}

@Suite struct DaemonTests {
    @Test(
        "pairing, request, transfer and result over real sockets, with records and without", arguments: [true, false])
    func wholeJob(records: Bool) throws {
        let rig = try DaemonRig()
        defer { rig.daemon.stop() }
        let phone = try rig.pair(records: records)
        #expect(phone.usesRecords == records)
        for mode in [CorpusMode.writeFiles, .strictRaw] {
            let (_, answer) = try rig.create {
                guard mode == .strictRaw else { return }
                $0.responseMode = .rawJSON
                $0.rawProfile = .canonicalSourceRecords
            }
            let fake = try rig.fakePhone(mode, phone.request(), phone)
            let partitions = try fake.partitions(payloadBytes: 1_500_000)
            for partition in partitions { #expect(try phone.transfer(partition, of: fake)) }
            #expect(try phone.finalize(fake, partitions).accepted)
            let result = answer.wait()
            #expect(result.response.status == .success)
            #expect((result.spool == nil) == (mode == .writeFiles))
        }
        #expect(rig.daemon.control.status().phone.isConnected)
    }

    @Test("a stopped daemon pauses the job durably; after the start the phone resumes it where it was")
    func stopAndResume() throws {
        let rig = try DaemonRig()
        defer { rig.daemon.stop() }
        let phone = try rig.pair()
        let (id, answer) = try rig.create {
            $0.responseMode = .rawJSON
            $0.rawProfile = .canonicalSourceRecords
        }
        let fake = try rig.fakePhone(.strictRaw, phone.request(), phone)
        let partitions = try fake.partitions(payloadBytes: 800_000)
        #expect(try phone.transfer(partitions[0], of: fake))
        try rig.restart()
        #expect(answer.wait().response.status == .accepted)
        #expect(rig.daemon.control.export(id, stateOnly: true).response.durable?.state == .paused)
        let again = try rig.reconnect(phone)
        #expect(try again.request().jobID == id)
        for partition in partitions { #expect(try again.transfer(partition, of: fake)) }
        #expect(try again.finalize(fake, partitions).accepted)
        #expect(rig.daemon.control.export(id, stateOnly: false).spool != nil)
    }

    @Test("one daemon per folder; the second is told who has it; the runtime file goes with the daemon")
    func folderLock() throws {
        let rig = try DaemonRig()
        do {
            _ = try DaemonRig.start(rig.root)
            Issue.record("a second daemon started")
        } catch let error as ReceiverDaemonError {
            #expect(error.code == "receiver_already_running")
            #expect(error.message.contains("\(getpid())"))
        }
        let runtime = rig.root + "/state/receiver/runtime.json"
        #expect(FileManager.default.fileExists(atPath: runtime))
        let token = rig.daemon.controlToken
        #expect(token.utf8.count >= 43)
        try rig.restart()
        #expect(rig.daemon.controlToken == token)
        rig.daemon.stop()
        #expect(!FileManager.default.fileExists(atPath: runtime))
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: rig.root + "/state/receiver/control-token")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("an unpaired phone is cut off and cannot come back")
    func unpair() throws {
        let rig = try DaemonRig()
        defer { rig.daemon.stop() }
        let phone = try rig.pair()
        #expect(rig.daemon.control.peers().devices.map(\.installationID) == [phone.installationID])
        try rig.daemon.control.unpair(phone.installationID)
        #expect(throws: LoopbackPhone.Closed.self) { try phone.request() }
        #expect(throws: (any Error).self) { try rig.reconnect(phone) }
        #expect(rig.daemon.control.peers().devices.isEmpty)
    }
}
