import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// With `--human` results stand on standard output and everything else on standard error, with its stable code.
@Suite("Text for people")
struct HumanOutputTests {
    private static let job = JobExitTests.job

    @Test(
        "what the receiver refuses, or has not done, stands on standard error with its code",
        arguments: [
            (["export", "--last", "1"], 409, "unavailable", "export_in_progress"),
            (["extract", "--last", "1", "--all-metrics"], 409, "unavailable", "iphone_not_connected"),
            (["resume", job], 408, "timed_out", "timedOut"), (["resume", job], 404, "unavailable", "job_not_found"),
            (["cancel", job], 202, "preparing", "cancellation_deferred"),
            (["jobs", "show", job], 404, "unavailable", "job_not_found"),
            (["jobs", "verify", job], 404, "unavailable", "job_not_found"),
        ] as [([String], Int, String, String)])
    func refusals(words: [String], http: Int, status: String, reason: String) throws {
        let fake = try FakeReceiver.always(
            http, ["status": .string(status), "failure_reason": .string(reason), "message": "Sentence."])
        let run = try CommandRun(words + ["--human", "--base-url", fake.baseURL])
        #expect(run.status == 1 && run.output.isEmpty, "\(run.text)")
        #expect(run.errors.contains("healthmd: Sentence. (\(reason))"))
    }

    @Test(
        "an error body without a sentence gets the meaning and the remedy of its code",
        arguments: [
            ["devices"], ["status"], ["jobs"], ["destination"], ["destination", "set", "/tmp"], ["pair"],
            ["unpair", job],
        ])
    func errorBodies(words: [String]) throws {
        let fake = try FakeReceiver.always(503, ["error": "server_not_ready"])
        let run = try CommandRun(words + ["--human", "--base-url", fake.baseURL])
        #expect(run.status == 1 && run.output.isEmpty, "\(words): \(run.text)")
        #expect(run.errors.contains("The receiver stops. `healthmd serve"), "\(run.errors)")
        #expect(run.errors.contains("(server_not_ready)"))
    }

    @Test("the state of a job that was asked for is a result, whatever it is")
    func askedFor() throws {
        let fake = try FakeReceiver.always(
            409, ["status": "cancelled", "state": "cancelled", "message": "m", "job_id": .string(Self.job)])
        for words in [["status", "--job", Self.job], ["jobs", "show", Self.job], ["cancel", Self.job]] {
            let run = try CommandRun(words + ["--human", "--base-url", fake.baseURL])
            #expect(run.text.contains("state   cancelled") && run.errors.isEmpty, "\(words)")
        }
    }

    @Test("a usage error says the code that docs/errors.md lists")
    func usage() throws {
        let run = try CommandRun(["export", "--human", "--nothing"])
        #expect(run.errors.contains("(unknown_argument)") && run.output.isEmpty)
        #expect(try CommandRun(["exprot", "--human"]).errors.contains("(invalid_subcommand)"))
    }

    @Test("an empty list says which jobs were looked for")
    func emptyList() throws {
        let fake = try FakeReceiver.always(200, ["schema": "healthmd.job_list", "schema_version": 1, "jobs": []])
        func text(_ words: String...) throws -> String {
            try CommandRun(["jobs", "--human", "--base-url", fake.baseURL] + words).text
        }
        #expect(try text() == "no jobs in the last seven days\n")
        #expect(try text("--state", "paused", "--state", "queued").hasPrefix("no job is paused or queued;"))
        #expect(try text("--before", "x") == "no more jobs\n")
    }

    @Test("a job and the receiver's state are told in a fixed order, what came of it first")
    func reports() {
        let job: JSONValue = [
            "committed_bytes": 2_048, "destination_path": "/a", "expires_at": "2026-01-08T00:00:00Z",
            "external_record_count": 1, "failure_reason": "no_health_data", "files_written": 7, "job_id": "J",
            "message": "Exported.", "state": "completed", "status": "partial_success", "success_count": 3,
            "total_count": 4,
            "partial_failures": [["code": "no_health_data", "date": "2026-03-04", "message": "No\u{1B}[2Jdata."]],
        ]
        #expect(
            HumanText.of(job) == """
                Exported.
                  status       partial success
                  state        completed
                  reason       no_health_data
                  days         3 of 4
                  files        7, and 1 of other providers
                  in           /a
                  transferred  2.0 KiB
                  job          J
                  kept until   2026-01-08T00:00:00Z

                missing
                  2026-03-04  no_health_data  No\\u{1b}[2Jdata.

                """)
        let status: JSONValue = [
            "receiver": "running", "mac_app": "running", "destination": ["path": "/a", "writable": false],
            "phones": [["connected": true, "name": "vm"]],
            "active_export": ["job_id": "J", "state": "paused", "processed_days": 1, "total_days": 3],
        ]
        #expect(
            HumanText.of(status) == """
                receiver: running
                  phone  vm, connected
                  files  /a, which cannot be written: healthmd destination
                  job    J, paused, 1 of 3 days

                """)
    }
}
