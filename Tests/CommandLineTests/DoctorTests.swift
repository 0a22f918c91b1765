import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// `healthmd doctor` (cli.md 8).
@Suite("Doctor")
struct DoctorTests {
    private static let codes = [
        "receiver", "peer_listener", "paired_peer", "peer_connected", "destination", "free_space",
        "state_permissions", "active_job", "stalled_jobs", "clock",
    ]

    @Test("without a receiver every check is there, the first one says what to do, exit 1, no state is made")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(["doctor", "--data-dir", folder.appending("s")])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["schema"] == "healthmd.cli_doctor" && document["status"] == "action_required")
        #expect(document["checks"]?.array?.compactMap { $0["code"]?.string } == Self.codes)
        #expect(
            document["next_actions"]?.array?.first?["command"]?.string
                == "healthmd serve --data-dir '\(folder.appending("s"))'")
        #expect(document["public_status"]?.isNull == true)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("s")))
    }

    @Test("a state folder that does not exist is said so, not called private")
    func missingFolder() throws {
        let folder = try TemporaryFolder()
        let document = try CommandRun(["doctor", "--data-dir", folder.appending("s")]).document()
        let check = document["checks"]?.array?.first { $0["code"] == "state_permissions" }
        #expect(check?["status"] == "warning")
        #expect(check?["message"]?.string?.contains("\(folder.appending("s")) does not exist") == true)
        let space = document["checks"]?.array?.first { $0["code"] == "free_space" }
        #expect(space?["status"] == "unavailable", "there is no folder whose disk was looked at")
    }

    @Test("a job that waits blocks: it is named, and its next step resumes it, or drops it while its phone is away")
    func activeJob() {
        func jobs(_ states: [String]) -> JSONValue {
            ["jobs": .array(states.enumerated().map { ["job_id": .string("\($0.0)"), "state": .string($0.1)] })]
        }
        let away = DoctorChecks.activeJob(jobs(["queued"]), isConnected: false, service)
        #expect(away.state == .actionRequired && away.isBlocking && away.message.contains("Job 0 is queued"))
        #expect(away.action?.command == "healthmd cancel 0")
        let there = DoctorChecks.activeJob(jobs(["paused"]), isConnected: true, service)
        #expect(
            there.action?.command == "healthmd resume 0" && there.action?.message.contains("healthmd cancel 0") == true)
        // Newest first: the oldest is what the others wait for.
        #expect(
            DoctorChecks.activeJob(jobs(["queued", "paused"]), isConnected: false, service).message.contains("Job 1"))
        let running = DoctorChecks.activeJob(jobs(["transferring"]), isConnected: true, service)
        #expect(running.state == .ready && running.message.contains("Job 0 is under way"))
        #expect(DoctorChecks.activeJob(jobs([]), isConnected: true, service).state == .ready)
        #expect(DoctorChecks.activeJob(nil, isConnected: true, service).state == .unavailable)
        #expect(
            DoctorChecks.stalledJobs(jobs(["paused"]), isConnected: true, now: 1e10, service).state == .ready,
            "what waits is told once")
    }

    @Test("text for people has one line a check and the next step below it")
    func text() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(["doctor", "--human", "--data-dir", folder.path])
        #expect(run.text.contains("PROBLEM  receiver") && run.text.contains("→ healthmd serve"))
    }

    @Test("a state folder that others can read is named, with the command that closes it")
    func permissions() throws {
        let folder = try TemporaryFolder()
        let receiver = folder.appending("receiver")
        try FileManager.default.createDirectory(atPath: receiver, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: receiver)
        try Data().write(to: URL(fileURLWithPath: receiver + "/control-token"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: receiver + "/control-token")
        let document = try CommandRun(["doctor", "--data-dir", folder.path]).document()
        let check = document["checks"]?.array?.first { $0["code"] == "state_permissions" }
        #expect(check?["status"] == "action_required")
        #expect(check?["message"]?.string?.contains("receiver/control-token") == true)
        let commands = document["next_actions"]?.array?.compactMap { $0["command"]?.string } ?? []
        #expect(commands.contains("chmod -R go= '\(folder.path)'"))
    }

    @Test("listening sockets are read from the kernel's tables")
    func sockets() {
        let header = "  sl  local_address rem_address   st\n"
        let loopback = header + "   0: 0100007F:44EE 00000000:0000 0A 0\n"
        let everywhere = header + "   0: 00000000:44EE 00000000:0000 0A 0\n"
        let six = header + "   0: 00000000000000000000000001000000:44EE 00000000000000000000000000000000:0000 0A 0\n"
        let established = header + "   0: 00000000:44EE 00000000:0000 01 0\n"
        #expect(ListeningSockets.reach(ofPort: 17_646, tables: [loopback, six]) == .loopback)
        #expect(ListeningSockets.reach(ofPort: 17_646, tables: [loopback, everywhere]) == .network)
        #expect(ListeningSockets.reach(ofPort: 17_646, tables: [established]) == nil)
        #expect(ListeningSockets.reach(ofPort: 17_647, tables: [everywhere]) == nil)
    }

    private let service = DoctorChecks.Service(runtime: nil, options: "")
    private let gone: JSONValue = ["selected": true, "writable": false, "path": "/x"]

    @Test("each judgement is made on both sides of its bound")
    func judgements() {
        #expect(DoctorChecks.freeSpace([("/a", DoctorChecks.lowSpaceByteCount)]).state == .ready)
        #expect(DoctorChecks.freeSpace([("/a", DoctorChecks.lowSpaceByteCount - 1)]).state == .warning)
        let now = 1_800_000_000.0
        #expect(DoctorChecks.clock(now: now, known: [now + 60]).state == .ready)
        #expect(DoctorChecks.clock(now: now, known: [now + 61]).state == .warning)
        #expect(DoctorChecks.clock(now: DoctorChecks.earliestNow - 1, known: []).isBlocking)
        func jobs(_ time: String) -> JSONValue {
            ["jobs": [["job_id": .string(JobExitTests.job), "updated_at": .string(time)]]]
        }
        func stalledJobs(_ jobs: JSONValue, isConnected: Bool) -> DoctorCheck {
            DoctorChecks.stalledJobs(jobs, isConnected: isConnected, now: now, service)
        }
        // 1 800 000 000 is 2027-01-15T08:00:00Z.
        #expect(stalledJobs(jobs("2027-01-15T07:45:00Z"), isConnected: true).state == .ready)
        let stalled = stalledJobs(jobs("2027-01-15T07:44:59Z"), isConnected: true)
        #expect(
            stalledJobs(jobs("2027-01-15T07:44:59Z"), isConnected: false).action?.command
                == "healthmd jobs show \(JobExitTests.job)")
        #expect(stalled.state == .warning && stalled.action?.command == "healthmd resume \(JobExitTests.job)")
        #expect(DoctorChecks.pairedPeer(["devices": []], service).state == .actionRequired)
        #expect(
            DoctorChecks.destination(["selected": false, "writable": false], found: .missing, service).isBlocking
                == false)
        #expect(DoctorChecks.destination(gone, found: .missing, service).isBlocking)
    }

    /// A command line as a shell cuts it, as far as single quotes go.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            words += index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
        return words
    }

    @Test("every next step that is a command of ours is understood")
    func nextSteps() throws {
        let parser = ArgumentParser(commands: CommandLineTool.commands)
        let running = DoctorChecks.Service(
            runtime: RuntimeFile(pid: 42, controlPort: 17_645, peerPort: 1, startedAt: nil),
            options: " --data-dir 'a b'")
        let waiting: JSONValue = ["jobs": [["job_id": .string(JobExitTests.job), "state": "paused"]]]
        let checks = [
            DoctorChecks.receiver(isAnswering: false, failure: nil, service),
            DoctorChecks.receiver(
                isAnswering: false, failure: CommandFailure("unauthorized", "no token"), service),
            DoctorChecks.peerListener(running, reach: .loopback), DoctorChecks.peerListener(running, reach: nil),
            DoctorChecks.pairedPeer(["devices": []], running),
            DoctorChecks.connectedPeer(["iphone": ["connected": false]], isPhoneHere: true, running),
            DoctorChecks.connectedPeer(["iphone": ["connected": false]], isPhoneHere: false, running),
            DoctorChecks.destination(gone, found: .missing, running),
            DoctorChecks.destination(gone, found: .closed, running),
            DoctorChecks.destination(gone, found: .other, running),
            DoctorChecks.activeJob(waiting, isConnected: true, running),
            DoctorChecks.activeJob(waiting, isConnected: false, running),
        ]
        for check in checks {
            let command = try #require(check.action?.command)
            // The last command of the line is ours; what stands before it belongs to the system.
            let own = try #require(command.range(of: "healthmd ", options: .backwards))
            let words = Self.words(String(command[own.lowerBound...]))
            #expect(command.contains("--data-dir 'a b'") == (words.contains("a b")))
            guard case .run = try parser.parse(Array(words.dropFirst())) else {
                Issue.record("\(command) does not run")
                continue
            }
        }
    }
}
