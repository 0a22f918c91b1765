import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// A folder that is to be written into and does not exist: the command that makes it, and then does what was wanted, works.
@Suite("Missing folders")
struct MissingFolderTests {
    private func firstStep(_ run: CommandRun) throws -> String {
        try #require(try run.document()["next_actions"]?.array?.first?["command"]?.string, "\(run.text)")
    }

    /// Types a line as a person would, with `healthmd` on the path.
    private func type(_ line: String) throws -> Program.Outcome {
        let binary = try Program.healthmd().deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Program.run("sh", ["-c", line], environment: ["PATH": "\(binary):\(path)"])
    }

    @Test("destination set, export and extract's output say how to make the folder, and that works when typed")
    func steps() throws {
        let rig = try ProcessRig(destination: false)
        try rig.pairPhone(days: 1...1)
        let wanted = rig.folder.appending("it's new/deep")
        let set = try CommandRun(["destination", "set", wanted] + rig.state)
        #expect(set.status == 1)
        #expect(try type(firstStep(set)).status == 0)
        #expect(try CommandRun(["destination"] + rig.state).status == 0)

        try FileManager.default.removeItem(atPath: wanted)
        let shown = try CommandRun(["destination"] + rig.state)
        #expect(shown.status == 1 && shown.errors.contains("mkdir -p \(ShellText.quoted(wanted))"))
        try rig.servePhone()
        let day = ["--from", "2026-03-01", "--to", "2026-03-01"]
        let export = try CommandRun(["export"] + day + rig.state)
        #expect(try export.document()["failure_reason"] == "mac_destination_unavailable")
        #expect(try type(firstStep(export)).status == 0)
        #expect(try CommandRun(["export"] + day + rig.state).status == 0)

        let other = rig.folder.appending("other")
        let given = try CommandRun(["export", "--destination", other] + day + rig.state)
        #expect(try type(firstStep(given)).status == 0, "the step repeats the whole export")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).count == 1)

        let output = rig.folder.appending("none/x.json")
        let extract = try CommandRun(["extract", "--all-metrics", "--output", output] + day + rig.state)
        #expect(extract.status == 2)
        #expect(try type(firstStep(extract)).status == 0)
        #expect(try CommandRun(["extract", "--all-metrics", "--output", output] + day + rig.state).status == 0)
    }

    @Test("serve with a destination that is not there says how to make it")
    func serve() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(["serve", "--destination", folder.appending("d"), "--data-dir", folder.appending("s")])
        #expect(run.status == 1)
        let line = try firstStep(run)
        #expect(line.hasPrefix("mkdir -p '\(folder.appending("d"))' && healthmd serve --destination "))
        #expect(line.hasSuffix("--data-dir '\(folder.appending("s"))'"))
    }
}
