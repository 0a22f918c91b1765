import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// The next steps of `doctor`, typed into a shell (cli.md 8): each of them mends what it is said to mend.
@Suite("Next steps of doctor", .serialized)
struct DoctorStepTests {
    /// A command line as a person would type it, with `healthmd` on the path and a home of its own.
    private func shell(_ folder: TemporaryFolder) throws -> [String: String] {
        let binary = try Program.healthmd().deletingLastPathComponent().path
        let home = folder.appending("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": "\(binary):\(path)", "HOME": home]
    }

    /// Types it and waits for its end.
    private func type(_ command: String, _ folder: TemporaryFolder) throws -> Program.Outcome {
        try Program.run("sh", ["-c", command], environment: shell(folder))
    }

    /// Types it and leaves it running; what it starts ends with the test's receiver or phone.
    private func typeAndLeave(_ command: String, _ folder: TemporaryFolder) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = ProcessInfo.processInfo.environment.merging(try shell(folder)) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    private func examination(_ state: [String]) throws -> JSONValue { try CommandRun(["doctor"] + state).document() }

    private func check(_ code: String, _ document: JSONValue) -> JSONValue? {
        document["checks"]?.array?.first { $0["code"]?.string == code }
    }

    private func step(_ code: String, _ document: JSONValue) throws -> String {
        let action = document["next_actions"]?.array?.first { $0["code"]?.string == code }
        return try #require(action?["command"]?.string, "\(code) in \(document["next_actions"] ?? nil)")
    }

    /// Starts what the step says in the background and waits for the answer.
    private func serve(_ command: String, _ folder: TemporaryFolder, _ state: [String]) throws {
        // Free ports: others run tests too. The bound is far more than the test needs; nothing stays behind it.
        let ports = command.contains("--control-port") ? "" : " --control-port 0 --peer-port 0"
        let bounded = command.replacing("healthmd serve", with: "exec timeout -s KILL 400 healthmd serve")
        try typeAndLeave(bounded + ports, folder)
        let deadline = Date().addingTimeInterval(ProcessRig.patience)
        while try CommandRun(["status"] + state).status != 0, Date() < deadline { Thread.sleep(forTimeInterval: 0.05) }
        // Not asked again: what answered may have been the old one, about to end.
        #expect(Date() < deadline, "\(command)")
    }

    private func stop(_ state: [String], _ folder: String) throws {
        let runtime = try JSONParser.parse(
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/receiver/runtime.json"))))
        if let pid = runtime["pid"]?.number?.int { kill(Int32(pid), SIGKILL) }
    }

    @Test("start_receiver starts it; listen_everywhere ends it and starts it for the network, on the same ports")
    func receiver() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("it's here")
        let state = ["--data-dir", path]
        let start = try step("start_receiver", try examination(state))
        try serve(start, folder, state)
        defer { try? stop(state, path) }
        #expect(check("receiver", try examination(state))?["status"] == "ready")
        try stop(state, path)
        let local = try ProcessRig(destination: false)
        let before = try local.runtime()
        let restart = try step("listen_everywhere", try examination(local.state))
        try serve(restart, local.folder, local.state)
        defer { try? stop(local.state, local.folder.appending("receiver")) }
        // The file is away between the end of the one and the start of the other.
        try local.wait("a new process") {
            try CommandRun(["status"] + local.state).status == 0 && local.hasNewRuntime(before)
        }
        #expect(try local.runtime()["peer_port"] == before["peer_port"])
        #expect(check("peer_listener", try examination(local.state))?["status"] == "ready")
    }

    @Test("choose_destination makes and chooses a folder; a deleted one is made again")
    func destination() throws {
        let rig = try ProcessRig(destination: false)
        let choose = try step("choose_destination", try examination(rig.state))
        #expect(try type(choose, rig.folder).status == 0)
        #expect(check("destination", try examination(rig.state))?["status"] == "ready")
        let chosen = rig.folder.appending("home/Health")
        try FileManager.default.removeItem(atPath: chosen)
        let deleted = try examination(rig.state)
        #expect(check("destination", deleted)?["message"]?.string?.contains("does not exist any more") == true)
        #expect(try type(try step("choose_destination", deleted), rig.folder).status == 0)
        #expect(check("destination", try examination(rig.state))?["status"] == "ready")
        // Another folder under the same name is not taken silently, and chosen by the step.
        try FileManager.default.moveItem(atPath: chosen, toPath: chosen + "-old")
        try FileManager.default.createDirectory(atPath: chosen, withIntermediateDirectories: false)
        let other = try examination(rig.state)
        #expect(check("destination", other)?["message"]?.string?.contains("another one") == true)
        #expect(try type(try step("choose_destination", other), rig.folder).status == 0)
        #expect(check("destination", try examination(rig.state))?["status"] == "ready")
    }

    @Test("pair_phone opens a pairing; connect_phone on the phone's computer connects it, elsewhere shows the phones")
    func phone() throws {
        let rig = try ProcessRig()
        let pair = try step("pair_phone", try examination(rig.state))
        let opened = try type("timeout 2 \(pair)", rig.folder)
        #expect(opened.errors.contains("code: "))
        #expect(try CommandRun(["pair", "--close"] + rig.state).status == 0 || true)
        try rig.pairPhone()
        let connect = try step("connect_phone", try examination(rig.state))
        let listed = try type(connect, rig.folder)
        #expect(listed.status == 0 && listed.output.contains("installation_id"))
        let here = DoctorChecks.connectedPeer(
            ["iphone": ["connected": false]], isPhoneHere: true,
            DoctorChecks.Service(runtime: nil, options: " --data-dir '\(rig.folder.appending("phone"))'"))
        let command = try #require(here.action?.command)
        try typeAndLeave("exec timeout -s KILL 30 \(command)", rig.folder)
        try rig.wait("the connection") {
            try CommandRun(["status"] + rig.state).document()["iphone"]?["connected"] == true
        }
        #expect(check("peer_connected", try examination(rig.state))?["status"] == "ready")
    }

    @Test("a queued job that refuses all others is dropped by cancel_job, and then everything is ready")
    func waitingJob() throws {
        let rig = try ProcessRig()
        try rig.pairPhone(days: 1...1)
        let days = ["--from", "2026-03-01", "--to", "2026-03-01"]
        #expect(try CommandRun(["export", "--wake-timeout", "1"] + days + rig.state).status == 1)
        let report = try examination(rig.state)
        #expect(report["status"] == "action_required" && check("active_job", report)?["blocking"] == true)
        #expect(try type(try step("cancel_job", report), rig.folder).status == 0)
        let after = try examination(rig.state)
        #expect(after["status"] == "ready" && check("active_job", after)?["status"] == "ready")
    }

    @Test("make_private closes the state folder; the looks at disk, clock and jobs run")
    func others() throws {
        let rig = try ProcessRig()
        let token = rig.folder.appending("receiver/receiver/control-token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: token)
        let open = try examination(rig.state)
        #expect(try type(try step("make_private", open), rig.folder).status == 0)
        #expect(check("state_permissions", try examination(rig.state))?["status"] == "ready")
        let space = DoctorChecks.freeSpace([(rig.folder.path, 1)])
        #expect(try type(try #require(space.action?.command), rig.folder).status == 0)
        let clock = DoctorChecks.clock(now: 0, known: [], hasTimeControl: false)
        #expect(try type(try #require(clock.action?.command), rig.folder).status == 0)
    }

    @Test("an open pairing is closed by pair --close, and then there is none")
    func closing() throws {
        let rig = try ProcessRig()
        let none = try CommandRun(["pair", "--close"] + rig.state)
        #expect(try none.status == 1 && none.document()["error"] == "pairing_not_found")
        #expect(try CommandRun(["pair", "--no-wait"] + rig.state).status == 0)
        let second = try CommandRun(["pair", "--no-wait"] + rig.state)
        #expect(try second.status == 1 && second.document()["message"]?.string?.contains("pair --close") == true)
        let closed = try CommandRun(["pair", "--close"] + rig.state)
        #expect(try closed.status == 0 && closed.document()["state"] == "failed")
        let opened = try CommandRun(["pair", "--no-wait"] + rig.state)
        #expect(opened.status == 0)
        #expect(try opened.document()["listener"]?["addresses"] == ["127.0.0.1"], "only where the receiver listens")
    }

    @Test("serve --destination beside a stored one says what to do, and that works")
    func storedDestination() throws {
        let rig = try ProcessRig()
        let other = rig.folder.appending("other")
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        let receiver = try #require(rig.receiver)
        receiver.terminate()
        receiver.waitUntilExit()
        let refused = try CommandRun(["serve", "--destination", other] + rig.state)
        #expect(try refused.status == 1 && refused.document()["error"] == "destination_already_set")
        let message = try #require(try refused.document()["message"]?.string)
        #expect(message.contains(rig.destination) && message.contains("without --destination"))
        try rig.startReceiver()
        #expect(try CommandRun(["destination", "set", other] + rig.state).status == 0)
    }

    @Test(
        "curl, python3 and jq read what the control API answers",
        arguments: [
            "/v1/status", "/v1/version", "/v1/exports", "/v1/peers", "/v1/agent/metrics", "/v1/agent/readiness",
            "/v1/nothing",
        ])
    func otherClients(route: String) throws {
        let rig = try ProcessRig()
        let port = try #require(try rig.runtime()["control_port"]?.number?.int)
        let token = rig.folder.appending("receiver/receiver/control-token")
        let curl = "curl -s -H \"Authorization: Bearer $(cat '\(token)')\" http://127.0.0.1:\(port)\(route)"
        for reader in ["python3 -m json.tool", "jq -e type"] {
            let missing = try ["curl", String(reader.prefix { $0 != " " })].filter {
                try type("command -v \($0)", rig.folder).status != 0
            }
            guard missing.isEmpty else {
                print("SKIPPED: \(reader), for \(missing.joined(separator: " and ")) is not there")
                continue
            }
            let read = try type("\(curl) | \(reader)", rig.folder)
            #expect(read.status == 0 && !read.output.isEmpty, "\(route) \(reader): \(read.errors)")
        }
    }
}
