import ConnectedProtocol
import Cryptography
import Foundation
import HTTPService
import Testing
import Transport

@testable import Receiver

/// The control API over a real daemon and a phone on a real socket.
private final class WholeRig {
    let rig: DaemonRig
    let phone: LoopbackPhone
    private let api: ControlAPI
    private let port: UInt16
    let job = UUID()

    init() throws {
        rig = try DaemonRig()
        phone = try rig.pair()
        api = ControlAPI(configuration: .init(port: 0, token: ControlRig.token), control: rig.daemon.control)
        port = try api.start().port
    }

    deinit {
        api.stop()
        rig.daemon.stop()
    }

    var path: String { "/v1/exports/\(job.uuidString)" }

    func dial(_ method: String, _ path: String, _ body: String? = nil) throws -> Connection {
        let connection = try Dialler.dial(host: "127.0.0.1", port: port, timeout: .seconds(5))
        try connection.send(Array(ControlRig.text(method, path, body).utf8), stall: .seconds(5))
        return connection
    }

    func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> WireAnswer {
        try ControlRig.receive(dial(method, path, body))
    }

    /// A client that creates the raw job and waits.
    func create() throws -> Connection {
        let body =
            #"{"job_id":"\#(job.uuidString)","date_range":{"start":"\#(FakePhone.labels[0])","#
            + #""end":"\#(FakePhone.labels[2])"},"response_mode":"raw_json","raw_profile":"canonical_source_records_v1"}"#
        return try dial("POST", "/v1/exports", body)
    }

    /// The phone's whole part.
    func serve() throws {
        let fake = try rig.fakePhone(.strictRaw, phone.request(), phone)
        let partitions = try fake.partitions(payloadBytes: 1_500_000)
        for partition in partitions { #expect(try phone.transfer(partition, of: fake)) }
        #expect(try phone.finalize(fake, partitions).accepted)
    }

    /// The files of the two copies of the response.
    func copies() -> [String] {
        let state = rig.root + "/state"
        let all = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix("/control-response.json") }.map { state + "/" + $0 }.sorted()
    }

    static func flip(_ path: String) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: 1_000_000)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: 1_000_000)
        try handle.write(contentsOf: [byte ^ 0x20])
        try handle.close()
    }
}

@Suite("Control API over a daemon", .serialized)
struct ControlOverDaemonTests {
    @Test("closing the client during a wait leaves the job running; a later GET has its result, as often as wanted")
    func clientLeaves() throws {
        let whole = try WholeRig()
        let waiting = try whole.create()
        // The request is with the phone: the client waits.
        #expect(happens { (try? whole.ask("GET", whole.path))?.json?["state"] == "sent" })
        waiting.abort()
        #expect(try whole.ask("GET", whole.path).status == 202)
        try whole.serve()
        #expect(happens(within: .seconds(20)) { (try? whole.ask("GET", whole.path))?.status == 200 })

        let broken = try whole.dial("GET", whole.path)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
        defer { buffer.deallocate() }
        #expect(try broken.receive(into: buffer, until: .now + .seconds(10)) > 0)
        broken.abort()
        let first = try whole.ask("GET", whole.path)
        let second = try whole.ask("GET", whole.path)
        #expect(first.status == 200 && first.body.count > 2_000_000)
        #expect(first.headers["x-healthmd-body-sha256"] == SHA256.hash(first.body).hex)
        #expect(second.body == first.body && second.headers == first.headers)
        #expect(first.json?["status"] == "success" && first.json?["raw_result"]?["days"]?.array?.count == 3)
        let state = try whole.ask("GET", whole.path + "?fields=state")
        #expect(state.json?["state"] == "completed" && state.json?["raw_result"] == nil)
    }

    @Test("one flipped byte of the stored response is never served; of both copies: 409, without the raw body")
    func flippedBytes() throws {
        let whole = try WholeRig()
        let waiting = try whole.create()
        try whole.serve()
        let answer = try ControlRig.receive(waiting)
        #expect(answer.status == 200 && answer.headers["x-healthmd-raw-validated"] == "1")
        let copies = whole.copies()
        #expect(copies.count == 2)
        // Each one alone: the download is the same, and both copies are again when it is over.
        for copy in copies {
            try WholeRig.flip(copy)
            #expect(try whole.ask("GET", whole.path).body == answer.body)
            #expect(
                happens { copies.allSatisfy { FileManager.default.contents(atPath: $0) == Data(answer.body) } })
        }
        for copy in copies { try WholeRig.flip(copy) }
        let refused = try whole.ask("GET", whole.path)
        #expect(refused.status == 409)
        #expect(refused.json?["failure_reason"] == "control_response_spool_unavailable")
        #expect(refused.json?["raw_result"] == nil && refused.headers["x-healthmd-raw-validated"] == nil)
        let verified = try whole.ask("POST", whole.path + "/verify", "{}")
        #expect(verified.json?["status"] == "different" && verified.json?["differences"]?.array?.count == 2)
    }
}
