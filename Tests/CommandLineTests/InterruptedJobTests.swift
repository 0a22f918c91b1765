import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Clients, receivers and phones that go away in the middle, as real processes (cli.md 6, 16.8).
@Suite("Interrupted jobs", .serialized)
struct InterruptedJobTests {
    private let dates = ["--from", "2026-03-01", "--to", "2026-03-03"]

    @Test("a client that is killed while it waits: resume prints the bytes of an uninterrupted run")
    func killedClient() throws {
        let rig = try ProcessRig()
        try rig.pairPhone()
        try rig.servePhone()
        let words = ["extract", "--metric", "steps", "--metric", "heart_rate_avg"] + dates + rig.state
        let whole = try CommandRun(words)
        #expect(whole.status == 0 && whole.text.contains("\"steps\":100"))
        // The phone holds still, so that the client has something to wait for.
        let phone = try #require(rig.phone).processIdentifier
        kill(phone, SIGSTOP)
        let (client, name) = try rig.start(words)
        let job = try rig.jobID(of: name)
        try rig.wait("the job") { try CommandRun(["status", "--job", job] + rig.state).status == 0 }
        kill(client.processIdentifier, SIGKILL)
        client.waitUntilExit()
        kill(phone, SIGCONT)
        let resumed = try CommandRun(["resume", job] + rig.state)
        #expect(resumed.status == 0 && resumed.output == whole.output)
        #expect(try CommandRun(["status", "--job", job, "--fetch"] + rig.state).output == whole.output)
    }

    @Test("a receiver that is killed while a client waits: the client names the job, and how to go on")
    func killedReceiver() throws {
        let rig = try ProcessRig()
        try rig.pairPhone()
        try rig.servePhone()
        kill(try #require(rig.phone).processIdentifier, SIGSTOP)
        let (client, name) = try rig.start(["extract", "--metric", "steps"] + dates + rig.state)
        let job = try rig.jobID(of: name)
        try rig.wait("the job") { try CommandRun(["status", "--job", job] + rig.state).status == 0 }
        let receiver = try #require(rig.receiver)
        kill(receiver.processIdentifier, SIGKILL)
        receiver.waitUntilExit()
        client.waitUntilExit()
        #expect(client.terminationStatus == 1)
        let document = try JSONParser.parse(Array(try rig.folder.text("\(name).out").utf8))
        #expect(document["error"] == "receiver_lost" && document["job_id"]?.string == job)
        // Whether it says that the job is kept hangs on whether it had asked for its state before.
        #expect(document["message"]?.string?.contains("healthmd resume \(job)") == true)
        // The advice works: the job is there after a new start.
        try rig.startReceiver()
        #expect(try CommandRun(["jobs", "show", job] + rig.state).document()["job_id"]?.string == job)
    }

    @Test("an unpaired phone says to pair again; exports are told that it is not paired, and that nothing was started")
    func unpaired() throws {
        let rig = try ProcessRig()
        try rig.pairPhone()
        try rig.servePhone()
        let device = try #require(
            try CommandRun(["devices"] + rig.state).document()["devices"]?.array?.first?["installation_id"]?.string)
        #expect(try CommandRun(["unpair", device] + rig.state).status == 0)
        let name = "phone-1"
        let errors =
            try FileManager.default.contentsOfDirectory(atPath: rig.folder.path)
            .first { $0.hasPrefix("phone-") && $0.hasSuffix(".err") } ?? name
        try rig.wait("the advice") { try rig.folder.text(errors).contains("healthmd phone pair HOST") }
        let refused = try CommandRun(["export"] + dates + rig.state + ["--exit-codes", "extended"])
        #expect(refused.status == 6)
        #expect(try refused.document()["failure_reason"] == "iphone_not_connected")
        #expect(refused.errors.contains("nothing was started") && refused.errors.contains("healthmd pair"))
    }

    @Test("a transfer is cancelled from the phone's side while the service runs; the receiver knows")
    func phoneCancel() throws {
        let rig = try ProcessRig()
        try rig.pairPhone(days: 1...28)
        try rig.servePhone()
        let (client, name) = try rig.start(
            ["extract", "--all-metrics", "--detail", "lossless", "--from", "2026-03-01", "--to", "2026-03-28"]
                + rig.state)
        let job = try rig.jobID(of: name)
        try rig.wait("the job at the phone") {
            try CommandRun(["phone", "status"] + rig.phoneState).text.contains(job) || !client.isRunning
        }
        let cancelled = try CommandRun(["phone", "cancel", job] + rig.phoneState)
        client.waitUntilExit()
        // Either the cancel came in time, or the small job was over before it; both are said.
        let state = try CommandRun(["jobs", "show", job] + rig.state).document()["status"]?.string
        if cancelled.status == 0 {
            #expect(try cancelled.document()["state"] == "cancelled")
            #expect(state == "cancelled" || state == "failure", "\(state ?? "")")
        } else {
            #expect(try cancelled.document()["error"] == "no_such_job" || cancelled.document()["state"] == "completed")
        }
        let again = try CommandRun(["phone", "cancel", job] + rig.phoneState)
        #expect(try again.status == 1 && again.document()["error"] == "no_such_job")
    }
}
