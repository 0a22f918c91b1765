import CanonicalJSON
import Foundation
import HTTPService
import TestSupport
import Testing

@testable import healthmd

/// Signals, with the real program.
@Suite("Processes")
struct ProcessTests {
    private func start(
        _ words: [String], _ folder: TemporaryFolder, environment: [String: String] = [:]
    ) throws -> Process {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = try Program.healthmd()
        process.arguments = words
        for (name, keyPath) in [("out", \Process.standardOutput), ("err", \Process.standardError)] {
            try Data().write(to: URL(fileURLWithPath: folder.appending(name)))
            process[keyPath: keyPath] = try FileHandle(forUpdating: URL(fileURLWithPath: folder.appending(name)))
        }
        try process.run()
        return process
    }

    private func wait(_ what: String, _ condition: () -> Bool) throws {
        let deadline = Date().addingTimeInterval(20)
        while !condition() {
            guard Date() < deadline else {
                Issue.record("\(what) did not happen")
                throw CancellationError()
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    @Test(
        "SIGTERM and SIGINT end a waiting client with 143 and 130; the job is not cancelled",
        arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
    func interrupted(signal: Int32, status: Int32) throws {
        let folder = try TemporaryFolder()
        let fake = try FakeReceiver { request in
            if request.method == "GET" { return FakeReceiver.json(202, ["state": "transferring"]) }
            return .deferred(HTTPDeferred())
        }
        let process = try start(
            ["export", "--from", "2026-03-01", "--to", "2026-03-02", "--base-url", fake.baseURL], folder)
        try wait("the request") { fake.seen.contains { $0.method == "POST" } }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == status)
        let job = try #require(fake.seen.first?.body?["job_id"]?.string)
        #expect(try folder.text("err").contains("healthmd resume \(job)"))
        #expect(try folder.text("out").isEmpty)
        #expect(!fake.seen.contains { $0.target.hasSuffix("/cancel") })
    }

    @Test("a result that cannot be written fails and says so")
    func fullOutput() throws {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = try Program.healthmd()
        process.arguments = ["metrics"]
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
        try Data().write(to: URL(fileURLWithPath: folder.appending("err")))
        process.standardError = try FileHandle(forUpdating: URL(fileURLWithPath: folder.appending("err")))
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(try folder.text("err").contains("standard output cannot be written"))
    }

    @Test(
        "services tell their manager that they are ready, live and end",
        arguments: [["serve"], ["phone", "serve"], ["archive", "serve"]])
    func manager(command: [String]) throws {
        let folder = try TemporaryFolder()
        let manager = try FakeServiceManager()
        let environment = ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"]
        var words = command + ["--data-dir", folder.appending("state")]
        var rig: ProcessRig?
        switch command.first {
        case "serve": words += ["--control-port", "0", "--peer-port", "0", "--peer-address", "127.0.0.1"]
        case "archive": words += ["--port", "0"]
        default:
            // This one has nothing to do before it is paired.
            let paired = try ProcessRig()
            try paired.pairPhone(days: 1...1)
            words = command + paired.phoneState
            rig = paired
        }
        defer { withExtendedLifetime(rig) {} }
        let process = try start(words, folder, environment: environment)
        defer { if process.isRunning { process.terminate() } }
        var told: [String] = []
        func isTold(_ state: String) -> Bool {
            let message = manager.receive()
            if !message.isEmpty { told.append(message) }
            return told.contains(state)
        }
        try wait("readiness") { isTold("READY=1") }
        // Only the receiver has a piece of work that proves that it lives.
        if command == ["serve"] { try wait("a sign of life") { isTold("WATCHDOG=1") } }
        process.terminate()
        try wait("the end") { isTold("STOPPING=1") }
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && told.first == "READY=1")
    }

    @Test("a phone's service ends when another command drops the trust: nothing more is sent")
    func forgotten() throws {
        let rig = try ProcessRig()
        try rig.pairPhone(days: 1...1)
        try rig.servePhone()
        #expect(try CommandRun(["phone", "forget"] + rig.phoneState).status == 0)
        try wait("the end of the service") { rig.phone?.isRunning == false }
        #expect(rig.phone?.terminationStatus == 1)
        try wait("the receiver's notice") {
            do {
                return try CommandRun(["status"] + rig.state).document()["iphone"]?["connected"] == false
            } catch {
                return false
            }
        }
    }

    @Test("a service that cannot begin never says that it is ready")
    func unpaired() throws {
        let folder = try TemporaryFolder()
        let manager = try FakeServiceManager()
        let process = try start(
            ["phone", "serve", "--data-dir", folder.appending("state")], folder,
            environment: ["NOTIFY_SOCKET": manager.name])
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(manager.receive().isEmpty)
    }

    @Test("serve publishes its ports, answers, refuses a second one, and ends with 0 on SIGTERM")
    func serve() throws {
        let folder = try TemporaryFolder()
        let state = folder.appending("state")
        let words = [
            "serve", "--control-port", "0", "--peer-port", "0", "--peer-address", "127.0.0.1", "--data-dir", state,
        ]
        let process = try start(words, folder)
        defer { if process.isRunning { process.terminate() } }
        let runtime = state + "/receiver/runtime.json"
        try wait("the runtime file") { FileManager.default.fileExists(atPath: runtime) || !process.isRunning }
        let status = try CommandRun(["status", "--data-dir", state])
        #expect(status.status == 0)
        #expect(try status.document()["receiver"] == "running")
        let second = try CommandRun(words)
        #expect(second.status == 1)
        #expect(try second.document()["error"] == "receiver_already_running")
        let doctor = try CommandRun(["doctor", "--data-dir", state]).document()
        let states = (doctor["checks"]?.array ?? []).reduce(into: [:]) { $0[$1["code"]?.string] = $1["status"]?.string }
        #expect(states["receiver"] == "ready" && states["paired_peer"] == "action_required")
        #expect(states["peer_listener"] == "warning", "only loopback was asked for")
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        #expect(try folder.text("out").isEmpty)
        #expect(try CommandRun(["status", "--data-dir", state]).document()["error"] == "receiver_unreachable")
    }
}
