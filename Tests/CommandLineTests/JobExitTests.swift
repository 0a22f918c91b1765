import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// The rows of cli.md 11 against a control API with given answers.
@Suite("Exit codes of jobs")
struct JobExitTests {
    static let job = "10B00000-0000-4000-8000-000000000001"
    static let dates = ["--from", "2026-03-01", "--to", "2026-03-02"]

    private func run(_ words: [String], _ fake: FakeReceiver) throws -> CommandRun {
        try CommandRun(words + ["--base-url", fake.baseURL])
    }

    /// One answer of the API and what the command makes of it.
    struct Row: CustomTestStringConvertible, Sendable {
        let words: [String]
        let http: Int
        let status: String
        var reason: String?
        let exit: Int32
        var extended: Int32?

        var testDescription: String { "\(words.joined(separator: " ")) \(http) \(status) \(reason ?? "")" }
    }

    @Test(
        "an answer becomes its exit code, plain and extended, with the answer on standard output",
        arguments: [
            Row(words: ["export"] + dates, http: 200, status: "success", exit: 0),
            Row(words: ["export"] + dates, http: 200, status: "partial_success", exit: 0),
            Row(words: ["export", "--strict"] + dates, http: 200, status: "partial_success", exit: 1, extended: 3),
            Row(words: ["export"] + dates, http: 202, status: "accepted", exit: 1, extended: 7),
            Row(words: ["export"] + dates, http: 408, status: "timed_out", exit: 1, extended: 7),
            Row(words: ["export"] + dates, http: 409, status: "failure", exit: 1),
            Row(
                words: ["export"] + dates, http: 409, status: "unavailable", reason: "iphone_not_connected", exit: 1,
                extended: 6),
            Row(
                words: ["export"] + dates, http: 409, status: "unavailable", reason: "export_in_progress", exit: 1,
                extended: 5),
            Row(
                words: ["extract", "--all-metrics"] + dates, http: 409, status: "unavailable",
                reason: "job_waiter_exists", exit: 1, extended: 5),
            Row(words: ["export", "--raw"] + dates, http: 202, status: "preparing", exit: 1),
            Row(
                words: ["resume", job], http: 404, status: "unavailable", reason: "job_not_found", exit: 1, extended: 4),
            Row(words: ["resume", job], http: 200, status: "success", exit: 0),
            Row(words: ["status", "--job", job], http: 200, status: "success", exit: 0),
            Row(words: ["status", "--job", job], http: 202, status: "preparing", exit: 0),
            Row(words: ["status", "--job", job], http: 409, status: "cancelled", exit: 1),
            Row(words: ["jobs", "show", job], http: 409, status: "failure", exit: 1),
            Row(words: ["cancel", job], http: 409, status: "cancelled", exit: 0),
            Row(
                words: ["cancel", job], http: 202, status: "preparing", reason: "cancellation_deferred", exit: 1),
            Row(words: ["cancel", job], http: 200, status: "success", exit: 1),
        ])
    func rows(row: Row) throws {
        var document: JSONObject = ["status": .string(row.status), "message": "m", "job_id": .string(Self.job)]
        document.append("failure_reason", ifPresent: row.reason.map(JSONValue.string))
        let fake = try FakeReceiver.always(row.http, .object(document))
        let plain = try run(row.words, fake)
        #expect(plain.status == row.exit)
        #expect(try plain.document()["status"]?.string == row.status)
        let extended = try run(row.words + ["--exit-codes", "extended"], fake)
        #expect(extended.status == row.extended ?? row.exit)
    }

    @Test(
        "an unfinished or refused job says on standard error what to type",
        arguments: [
            ("accepted", "", "healthmd resume"), ("timed_out", "timedOut", "healthmd resume"),
            ("unavailable", "device_selection_required", "--device"),
            ("unavailable", "mac_destination_unavailable", "healthmd destination set"),
            ("unavailable", "export_in_progress", "healthmd status --job \(job)"),
            ("unavailable", "job_not_found", "healthmd jobs"),
            ("unavailable", "direct_device_not_paired", "healthmd devices"),
            ("unavailable", "iphone_not_connected", "nothing was started"),
            ("failure", "selection_would_replace", "--replace"),
        ])
    func hints(status: String, reason: String, hint: String) throws {
        let fake = try FakeReceiver.always(
            409,
            [
                "status": .string(status), "failure_reason": .string(reason), "message": "m",
                "active_job_id": .string(Self.job),
            ])
        #expect(try run(["export"] + Self.dates, fake).errors.contains(hint))
    }

    @Test("verify names the days to be written again; a damaged result is named as such")
    func verifyHint() throws {
        let fake = try FakeReceiver { request in
            guard request.method == "POST" else {
                let range: JSONValue = ["start": "2026-03-01", "end": "2026-03-02"]
                return FakeReceiver.json(200, ["jobs": [["job_id": .string(Self.job), "date_range": range]]])
            }
            return FakeReceiver.json(
                200,
                ["status": "different", "differences": [["kind": "file", "name": "a", "code": "digest_mismatch"]]])
        }
        let run = try run(["jobs", "verify", Self.job], fake)
        #expect(run.errors.contains("1 file differs"))
        #expect(run.errors.contains("healthmd export --from 2026-03-01 --to 2026-03-02"))
    }

    @Test("a receiver that breaks off while a job is waited for: the failure names the job and how to go on")
    func brokenOff() throws {
        let server = try HangUpServer()
        let run = try CommandRun(["export", "--base-url", server.baseURL] + Self.dates)
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "receiver_lost")
        let job = try #require(document["job_id"]?.string)
        // Nobody said that the job was stored.
        let message = try #require(document["message"]?.string)
        #expect(message.contains("may or may not") && message.contains("healthmd status --job \(job)"))
        #expect(message.contains("healthmd resume \(job)"))
    }

    @Test(
        "verify: intact is 0, different is 1, extended 8",
        arguments: [("intact", 0), ("different", 8)] as [(String, Int32)])
    func verify(word: String, extended: Int32) throws {
        let fake = try FakeReceiver.always(200, ["job_id": .string(Self.job), "status": .string(word)])
        #expect(try run(["jobs", "verify", Self.job, "--exit-codes", "extended"], fake).status == extended)
        #expect(try run(["jobs", "verify", Self.job], fake).status == min(extended, 1))
    }

    @Test("cancel of a job that has ended prints its state, never its data, and fails; of a cancelled one it succeeds")
    func cancelFinished() throws {
        for (state, status) in [("completed", 1), ("cancelled", 0)] as [(String, Int32)] {
            let fake = try FakeReceiver { request in
                let word = state == "completed" ? "success" : state
                let document: JSONObject = [
                    "status": .string(word), "state": .string(state), "message": "m", "job_id": .string(Self.job),
                ]
                guard request.method == "POST" else { return FakeReceiver.json(200, .object(document)) }
                return FakeReceiver.raw(RawBody.strict(), status: "success", changing: [:])
            }
            let run = try run(["cancel", Self.job], fake)
            #expect(run.status == status)
            #expect(try run.document()["raw_result"] == nil && run.document()["state"]?.string == state)
        }
        // It ended between the look and the wish.
        let late = try FakeReceiver { request in
            guard request.method == "POST" else {
                return FakeReceiver.json(200, ["status": "preparing", "state": "transferring", "message": "m"])
            }
            return FakeReceiver.raw(RawBody.strict(), status: "success", changing: [:])
        }
        #expect(try !run(["cancel", Self.job], late).text.contains("raw_result"))
    }

    @Test("no receiver: exit 1, the code, its old name, and what to type")
    func unreachable() throws {
        let fake = try FakeReceiver.always(200, [:])
        let url = fake.baseURL
        // The port of a server that is gone.
        withExtendedLifetime(fake) {}
        let folder = try TemporaryFolder()
        for words in [["status", "--data-dir", folder.path], ["status", "--base-url", "http://127.0.0.1:1"]] {
            let run = try CommandRun(words)
            #expect(run.status == 1)
            let document = try run.document()
            #expect(document["error"] == "receiver_unreachable" && document["legacy_error"] == "mac_app_unreachable")
            #expect(document["message"]?.string?.contains("healthmd serve") == true)
        }
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty, "a client creates no state")
    }

    @Test("a partial raw result is printed whole and fails unless it is allowed; only the exit code differs")
    func partialRaw() throws {
        let fake = try FakeReceiver.raw(RawBody.strict(partial: true), status: "partial_success")
        let refused = try run(["export", "--raw", "--exit-codes", "extended"] + Self.dates, fake)
        let allowed = try run(["export", "--raw", "--allow-partial"] + Self.dates, fake)
        #expect(refused.status == 3 && allowed.status == 0)
        #expect(refused.text(ofJob: RawBody.job) == allowed.text(ofJob: RawBody.job))
        #expect(refused.text(ofJob: RawBody.job) == RawBody.strict(partial: true) + "\n")
    }

    @Test("a partial extract gives no data, but the receipt; allowed it gives data and exits 0")
    func partialExtract() throws {
        let fake = try FakeReceiver.raw(RawBody.projection(partial: true), status: "partial_success")
        let words = ["extract", "--all-metrics"] + Self.dates
        let refused = try run(words, fake)
        #expect(refused.status == 1)
        let failure = try refused.document()
        #expect(failure["error"] == "partial_canonical_extraction" && failure["health_data"] == nil)
        #expect(failure["receipt"]?["missing_dates"] == ["2026-03-02"])
        #expect(failure["reasons"]?.array?.first?["code"] == "missing")
        #expect(failure["message"]?.string?.hasPrefix("1 of 2 is missing.") == true)
        let allowed = try run(words + ["--allow-partial"], fake)
        #expect(allowed.status == 0)
        #expect(try allowed.document()["health_data"]?.array?.count == 1)
    }

    @Test("extract prints documents unchanged: numbers beyond 2^53 survive")
    func extract() throws {
        let fake = try FakeReceiver.raw(RawBody.projection())
        let run = try run(["extract", "--all-metrics"] + Self.dates, fake)
        #expect(run.status == 0)
        #expect(run.text.contains(#""steps":9007199254740993"#))
        #expect(try run.document()["protocol"] == "healthmd.extract_result")
    }

    @Test("with --output nothing stands on standard output, the file is private and holds what would be printed")
    func outputFile() throws {
        let folder = try TemporaryFolder()
        let fake = try FakeReceiver.raw(RawBody.projection())
        let words = ["extract", "--all-metrics"] + Self.dates
        let printed = try run(words, fake)
        let path = folder.appending("x.json")
        let written = try run(words + ["--output", path], fake)
        #expect(written.status == 0 && written.output.isEmpty)
        #expect(try folder.text("x.json") == printed.text)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("JSON lines: one document a line; the receipt beside the file, or on standard error")
    func jsonLines() throws {
        let folder = try TemporaryFolder()
        let fake = try FakeReceiver.raw(RawBody.projection())
        let words = ["extract", "--all-metrics", "--format", "jsonl"] + Self.dates
        let printed = try run(words, fake)
        #expect(printed.text.split(separator: "\n").count == 2)
        #expect(printed.errors.contains("healthmd.extract_receipt"))
        let written = try run(words + ["--output", folder.appending("x.jsonl")], fake)
        #expect(written.status == 0 && written.output.isEmpty)
        #expect(try folder.text("x.jsonl.receipt.json").contains("healthmd.extract_receipt"))
    }

    @Test("an output file that cannot be written is exit 2, and named so")
    func outputRefused() throws {
        let fake = try FakeReceiver.raw(RawBody.projection())
        let run = try run(["extract", "--all-metrics", "--output", "/nowhere/x"] + Self.dates, fake)
        #expect(run.status == 2)
        #expect(try run.document()["error"] == "output_write_failed")
    }

    @Test(
        "a body that is not what its headers say leaves no file, and is refused with its code",
        arguments: [
            (["X-Healthmd-Body-SHA256": String(repeating: "0", count: 64)], "response_digest_mismatch"),
            (["X-Healthmd-Raw-Date-Start": "2026-02-28"], "invalid_canonical_health_data_response"),
            (["X-Healthmd-Raw-Total-Days": "3"], "invalid_canonical_health_data_response"),
            (["X-Healthmd-Raw-Total-Days": nil], "invalid_strict_raw_success"),
            (["X-Healthmd-Raw-Validated": nil], "invalid_canonical_health_data_response"),
        ] as [([String: String?], String)])
    func broken(headers: [String: String?], code: String) throws {
        let folder = try TemporaryFolder()
        let fake = try FakeReceiver.raw(RawBody.projection(), changing: headers)
        let path = folder.appending("x.json")
        let run = try run(
            ["extract", "--all-metrics", "--exit-codes", "extended", "--output", path] + Self.dates, fake)
        #expect(run.status == 8)
        #expect(try run.document()["error"]?.string == code)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("a result of another job, or of none, is refused", arguments: [true, false])
    func otherJob(hasJob: Bool) throws {
        let own = "\"job_id\":\"\(RawBody.job)\","
        let body = RawBody.strict().replacingOccurrences(
            of: own, with: hasJob ? own.replacingOccurrences(of: "10B0", with: "20B0") : "")
        let fake = try FakeReceiver.raw(body)
        for words in [["export", "--raw"] + Self.dates, ["resume", RawBody.job]] {
            let run = try run(words + ["--exit-codes", "extended"], fake)
            #expect(run.status == 8)
            #expect(try run.document()["validation_errors"]?.array?.contains("raw_response_job_id_mismatch") == true)
        }
    }

    @Test("a result of another range, or of another profile, is refused")
    func otherRange() throws {
        let fake = try FakeReceiver.raw(RawBody.strict())
        let range = try run(["export", "--raw", "--from", "2026-03-01", "--to", "2026-03-03"], fake)
        #expect(range.status == 1)
        #expect(
            try range.document()["validation_errors"]?.array?.contains("canonical_response_date_range_mismatch") == true
        )
        let profile = try run(["extract", "--all-metrics"] + Self.dates, fake)
        #expect(profile.status == 1)
        #expect(try profile.document()["validation_errors"]?.array?.contains("raw_result_profile_mismatch") == true)
    }

    @Test("a resumed extract job prints extract output, never the envelope")
    func resumedExtract() throws {
        let fake = try FakeReceiver.raw(RawBody.projection())
        let run = try run(["resume", RawBody.job], fake)
        #expect(run.status == 0)
        #expect(try run.document()["raw_result"] == nil && run.document()["health_data"]?.array?.count == 2)
    }
}
