import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// What is said about files and results that are not as they were written.
@Suite("Verification")
struct VerificationTests {
    private static let job = JobExitTests.job

    /// A receiver that has one finished job, and says of its files what the test wants.
    private func receiver(_ entry: JSONObject, _ differences: [JSONValue], files: Int = 3) throws -> FakeReceiver {
        var entry = entry
        entry.append("job_id", .string(Self.job))
        let job = entry
        return try FakeReceiver { request in
            if request.target.hasSuffix("/verify") {
                return FakeReceiver.json(
                    200,
                    [
                        "job_id": .string(Self.job), "status": differences.isEmpty ? "intact" : "different",
                        "files": .integer(files), "bytes": 1, "differences": .array(differences),
                    ])
            }
            switch request.target {
            case "/v1/status": return FakeReceiver.json(200, ["destination": ["path": "/standard"]])
            case let target where target.hasPrefix("/v1/exports?limit=200&before="):
                return FakeReceiver.json(200, ["jobs": [.object(job)]])
            case let target where target.hasPrefix("/v1/exports?"):
                // The job stands on the second page.
                return FakeReceiver.json(200, ["jobs": [], "next_cursor": "a/b"])
            default:
                return FakeReceiver.json(
                    200, ["status": "success", "state": "completed", "message": "m", "job_id": .string(Self.job)])
            }
        }
    }

    private static func difference(_ kind: String, _ code: String, _ name: String = "a") -> JSONValue {
        ["kind": .string(kind), "name": .string(name), "code": .string(code)]
    }

    private static let range: JSONValue = ["start": "2026-03-01", "end": "2026-03-02"]

    @Test(
        "the command to have it again is the one that the job came from, with what the receiver does not tell named",
        arguments: [
            (
                ["response_mode": "write_files", "destination_path": "/standard", "date_range": range],
                "file", "healthmd export --from 2026-03-01 --to 2026-03-02", "--metric, --category, --detail"
            ),
            (
                ["response_mode": "write_files", "destination_path": "/other one", "date_range": range],
                "file", "healthmd export --from 2026-03-01 --to 2026-03-02 --destination '/other one'", "--metric"
            ),
            (
                ["origin": "source_initiated", "response_mode": "write_files"], "file",
                "healthmd phone push --from D --to D", "its days"
            ),
            (
                ["response_mode": "raw_json", "raw_profile": "health_data_projection", "date_range": range], "both",
                "healthmd extract --from 2026-03-01 --to 2026-03-02 --all-metrics", "the metrics and parts"
            ),
            (
                [
                    "response_mode": "raw_json", "raw_profile": "canonical_source_records_v1", "date_range": range,
                ], "both", "healthmd export --raw --from 2026-03-01 --to 2026-03-02", "the same again"
            ),
            (["response_mode": "raw_json"], "response", "healthmd resume \(job)", "its copy is whole"),
            (["response_mode": "raw_json"], "response_copy", "healthmd resume \(job)", "the result itself is whole"),
        ] as [(JSONObject, String, String, String)])
    func advice(entry: JSONObject, kind: String, command: String, words: String) throws {
        let kinds = kind == "both" ? ["response", "response_copy"] : [kind]
        let fake = try receiver(entry, kinds.map { Self.difference($0, "digest_mismatch") })
        let run = try CommandRun(["jobs", "verify", Self.job, "--base-url", fake.baseURL])
        #expect(run.status == 1)
        #expect(run.errors.contains(command) && run.errors.contains(words), "\(run.errors)")
        let typed = try run.document()["next_actions"]?.array?.last?["command"]?.string
        #expect(typed?.hasPrefix(command) == true)
        guard !command.contains(" D "), let typed else { return }
        let parser = ArgumentParser(commands: CommandLineTool.commands)
        #expect(throws: Never.self) { _ = try parser.parse(Array(ShellText.words(typed).dropFirst())) }
    }

    @Test("resume of a finished job whose files are gone fails, names them, and says how to have them again")
    func missingFiles() throws {
        let entry: JSONObject = ["response_mode": "write_files", "date_range": Self.range]
        let some = try receiver(
            entry, [Self.difference("file", "missing", "x.json"), Self.difference("file", "digest_mismatch", "y.json")])
        let words = ["resume", Self.job, "--exit-codes", "extended", "--base-url"]
        let run = try CommandRun(words + [some.baseURL])
        #expect(run.status == 3)
        let document = try run.document()
        #expect(document["error"] == "files_missing" && document["missing_files"] == ["x.json"])
        #expect(
            document["message"]?.string?.contains("1 of the 3 files that it wrote is not there any more: x.json")
                == true)
        #expect(document["message"]?.string?.contains("healthmd export --from 2026-03-01 --to 2026-03-02") == true)
        let all = try receiver(entry, (1...3).map { Self.difference("file", "unreadable", "\($0)") })
        #expect(try CommandRun(words + [all.baseURL]).status == 1)
    }

    @Test("resume of a finished job whose files were changed is a success: a later export may have written them")
    func changedFiles() throws {
        let fake = try receiver([:], [Self.difference("file", "digest_mismatch")])
        #expect(try CommandRun(["resume", Self.job, "--base-url", fake.baseURL]).status == 0)
    }

    @Test("files that were deleted after a job: resume says so, and the command that it names brings them back")
    func deletedFiles() throws {
        let rig = try ProcessRig()
        try rig.pairPhone(days: 1...2)
        try rig.servePhone()
        let days = ["--from", "2026-03-01", "--to", "2026-03-02"]
        let job = try #require(try CommandRun(["export"] + days + rig.state).document()["job_id"]?.string)
        #expect(try CommandRun(["resume", job] + rig.state).status == 0)
        try FileManager.default.removeItem(atPath: rig.folder.appending("files/Health/2026-03-02.json"))
        let failed = try CommandRun(["resume", job] + rig.state)
        #expect(try failed.status == 1 && failed.document()["missing_files"] == ["Health/2026-03-02.json"])
        let verify = try CommandRun(["jobs", "verify", job] + rig.state)
        let line = try #require(try verify.document()["next_actions"]?.array?.first?["command"]?.string)
        #expect(try CommandRun(Array(ShellText.words(line).dropFirst())).status == 0, "\(line)")
        #expect(try CommandRun(["resume", job] + rig.state).status == 0)
    }
}
