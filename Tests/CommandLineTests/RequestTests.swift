import CanonicalJSON
import Foundation
import HTTPService
import Synchronization
import TestSupport
import Testing

@testable import healthmd

/// What the commands ask of the control API.
@Suite("Requests")
struct RequestTests {
    private func body(_ words: [String]) throws -> JSONValue {
        let fake = try FakeReceiver.always(200, ["status": "success", "message": "m"])
        _ = try CommandRun(words + ["--base-url", fake.baseURL])
        let created = try #require(fake.seen.first { $0.method == "POST" })
        #expect(created.target == "/v1/exports")
        return try #require(created.body)
    }

    private let dates = ["--from", "2026-03-01", "--to", "2026-03-02"]

    @Test("a file export carries its dates, a job id of the client, its wait, and queues for an absent phone")
    func export() throws {
        let request = try body(["export", "--timeout", "5"] + dates)
        #expect(request["date_range"] == ["start": "2026-03-01", "end": "2026-03-02"] || request["date_range"] != nil)
        #expect(request["date_range"]?["start"] == "2026-03-01" && request["date_range"]?["end"] == "2026-03-02")
        #expect(request["job_id"]?.string.flatMap(UUID.init(uuidString:)) != nil)
        #expect(request["wait_timeout_seconds"]?.number?.double == 5)
        #expect(request["queue_if_offline"] == true && request["response_mode"] == "write_files")
        #expect(request["settings_policy"] == "requested_dates_only")
    }

    @Test("a wake time of 0 never queues")
    func noQueue() throws {
        #expect(try body(["export", "--wake-timeout", "0"] + dates)["queue_if_offline"] == nil)
    }

    @Test("saved settings, all history and another destination are said in the request")
    func options() throws {
        let folder = try TemporaryFolder()
        let request = try body(["export", "--all", "--use-iphone-settings", "--destination", folder.path])
        #expect(request["date_selection"] == "all_available" && request["date_range"] == nil)
        #expect(request["settings_policy"] == "current_iphone_settings")
        #expect(request["destination"]?.string == folder.path)
    }

    @Test("a folder is said without relative parts; a selection may say that it replaces")
    func folders() throws {
        let folder = try TemporaryFolder()
        let real = try #require(realpath(folder.path, nil))
        defer { free(real) }
        for path in [
            "\(folder.path)/./x/", "\(folder.path)//x",
            "\(folder.path)/../\((folder.path as NSString).lastPathComponent)/x",
        ] {
            let request = try body(
                ["export", "--metric", "steps", "--replace", "--destination", path] + dates)
            let said = try #require(request["destination"]?.string)
            #expect(said == folder.path + "/x" || said == String(cString: real) + "/x", "\(said)")
            #expect(request["replace_existing"] == true)
        }
        let relative = try body(["export", "--destination", "files"] + dates)["destination"]?.string
        #expect(relative == FileManager.default.currentDirectoryPath + "/files")
        #expect(try CommandRun(["export", "--replace"] + dates).status == 2)
        let missing = try CommandRun(["export", "--destination", "/nothing/../x"] + dates)
        #expect(try missing.status == 1 && missing.document()["error"] == "invalid_destination")
    }

    @Test("archive parts force lossless, even against --detail summary; lists are sorted and unique")
    func projection() throws {
        let request = try body(
            ["extract", "--detail", "summary", "--metric", "steps", "--object", "records", "--object", "records"]
                + ["--metric", "active_energy", "--metric", "steps"] + dates)
        let selection = try #require(request["canonical_selection"])
        #expect(selection["detail_level"] == "lossless")
        #expect(selection["metric_ids"] == ["active_energy", "steps"])
        #expect(selection["object_paths"] == ["/healthkit_record_archive/records"])
        #expect(request["raw_profile"] == "health_data_projection")
    }

    @Test("the token goes along when its file is named, and nowhere else")
    func token() throws {
        let folder = try TemporaryFolder()
        try Data("secret-token\n".utf8).write(to: URL(fileURLWithPath: folder.appending("t")))
        let fake = try FakeReceiver.always(200, [:])
        _ = try CommandRun(["status", "--base-url", fake.baseURL])
        _ = try CommandRun(["status", "--base-url", fake.baseURL, "--control-token-file", folder.appending("t")])
        #expect(fake.seen.map { $0.headers["Authorization"] } == [nil, "Bearer secret-token"])
    }

    @Test("a job of an absent phone is waited for, then resumed with the same id")
    func wake() throws {
        let job = try FakeReceiver { request in
            if request.target.hasSuffix("/resume") {
                return FakeReceiver.json(200, ["status": "success", "message": "m"])
            }
            if request.method == "POST" {
                return FakeReceiver.json(202, ["status": "accepted", "state": "queued", "message": "m"])
            }
            return FakeReceiver.json(202, ["status": "accepted", "state": "sent", "message": "m"])
        }
        let run = try CommandRun(["export"] + dates + ["--base-url", job.baseURL])
        #expect(run.status == 0)
        let created = try #require(job.seen.first?.body?["job_id"]?.string)
        #expect(job.seen.last?.target == "/v1/exports/\(created)/resume")
    }

    @Test("a phone that does not come in time leaves the job queued, and says how to drop it")
    func wakeOver() throws {
        let fake = try FakeReceiver { _ in
            FakeReceiver.json(202, ["status": "accepted", "state": "queued", "message": "m"])
        }
        let run = try CommandRun(
            ["export", "--wake-timeout", "1", "--exit-codes", "extended"] + dates + ["--base-url", fake.baseURL])
        #expect(run.status == 6)
        let document = try run.document()
        #expect(document["error"] == "iphone_not_connected")
        #expect(document["message"]?.string?.contains("healthmd cancel") == true)
    }

    @Test("progress as JSON names the phases of a job")
    func progress() throws {
        let fake = try FakeReceiver.raw(RawBody.projection())
        let run = try CommandRun(
            ["extract", "--all-metrics", "--progress-json"] + dates + ["--base-url", fake.baseURL])
        let phases = run.errors.split(separator: "\n").compactMap { line in
            (try? JSONParser.parse(Array(line.utf8)))?["phase"]?.string
        }
        #expect(phases == ["job_created", "downloading", "validating", "completed"])
    }

    @Test(
        "states become phases",
        arguments: [
            (["state": "sent"], "job_created"), (["state": "accepted"], "accepted"),
            (["state": "transferring", "processed_days": 1, "total_count": 2], "transferring"),
            (["state": "transferring", "processed_days": 2, "total_count": 2], "finalizing"),
            (["state": "paused"], "paused"), (["state": "completed"], nil),
        ] as [(JSONValue, String?)])
    func phases(state: JSONValue, phase: String?) {
        #expect(JobPhase.name(state) == phase)
    }

    @Test("an error body of the API is printed as a failure with its code")
    func errorBody() throws {
        let fake = try FakeReceiver.always(404, ["error": "direct_device_not_found", "message": "m"])
        let run = try CommandRun([
            "unpair", JobExitTests.job, "--base-url", fake.baseURL, "--exit-codes", "extended",
        ])
        #expect(run.status == 4)
        #expect(try run.document()["error"] == "direct_device_not_found" && run.document()["status"] == "failure")
    }

    @Test("reset-trust removes nothing without --confirm, and every phone with it")
    func resetTrust() throws {
        let ids = ["10B00000-0000-4000-8000-00000000000A", "10B00000-0000-4000-8000-00000000000B"]
        let fake = try FakeReceiver { request in
            let devices: [JSONValue] = ids.map { ["installation_id": .string($0)] }
            return FakeReceiver.json(200, request.method == "GET" ? ["devices": .array(devices)] : [:])
        }
        let asked = try CommandRun(["reset-trust", "--base-url", fake.baseURL])
        #expect(asked.status == 0 && fake.seen.isEmpty)
        #expect(try asked.document()["status"] == "guidance")
        let done = try CommandRun(["direct", "reset-trust", "--confirm", "--base-url", fake.baseURL])
        #expect(done.status == 0)
        #expect(fake.seen.filter { $0.method == "DELETE" }.map(\.target) == ids.map { "/v1/peers/" + $0 })
    }

    /// A receiver whose pairing waits once and then ends in a state.
    private func pairing(endingAs state: String) throws -> FakeReceiver {
        let polls = Mutex(0)
        return try FakeReceiver { request in
            let pairing: JSONValue = ["pairing_id": .string(JobExitTests.job), "state": "waiting"]
            switch (request.method, request.target) {
            case ("POST", _):
                var opened = pairing.object ?? [:]
                opened.append("code", "12345678901234567890")
                opened.append("listener", ["port": 17_646, "addresses": ["192.168.1.5", "fe80::1"]])
                return FakeReceiver.json(201, .object(opened))
            case (_, "/v1/peers"):
                return FakeReceiver.json(
                    200,
                    [
                        "devices": [
                            ["installation_id": .string(JobExitTests.job), "name": "Phone", "platform": "iOS"]
                        ]
                    ])
            default:
                let isFirst = polls.withLock { polls in
                    defer { polls += 1 }
                    return polls == 0
                }
                if isFirst { return FakeReceiver.json(200, pairing) }
                return FakeReceiver.json(
                    200,
                    [
                        "pairing_id": .string(JobExitTests.job), "state": .string(state),
                        "peer": ["installation_id": .string(JobExitTests.job), "name": "Phone"],
                    ])
            }
        }
    }

    @Test("pair prints code and addresses on standard error, waits, and prints who was paired")
    func pair() throws {
        let fake = try pairing(endingAs: "paired")
        let run = try CommandRun(["pair", "--base-url", fake.baseURL])
        #expect(run.status == 0)
        #expect(run.errors.contains("code: 1234 5678 9012 3456 7890\n"))
        #expect(
            run.errors.contains("address: 192.168.1.5:17646\n") && run.errors.contains("address: [fe80::1]:17646\n"))
        let document = try run.document()
        #expect(document["schema"] == "healthmd.direct_pairing_result" && document["status"] == "success")
        #expect(document["device"]?["platform"] == "iOS")
        #expect(!run.text.contains("12345678901234567890"), "the code is no part of the result")
    }

    @Test("a pairing that nobody used, or that was refused, is a failure", arguments: ["expired", "failed"])
    func pairFails(state: String) throws {
        let fake = try pairing(endingAs: state)
        let run = try CommandRun(["pair", "--base-url", fake.baseURL])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "direct_pairing_failed" && document["state"]?.string == state)
    }

    @Test("pair --no-wait prints the pairing object with its ungrouped code")
    func pairNoWait() throws {
        let fake = try pairing(endingAs: "paired")
        let run = try CommandRun(["pair", "--no-wait", "--base-url", fake.baseURL])
        #expect(run.status == 0)
        #expect(try run.document()["code"] == "12345678901234567890")
        #expect(fake.seen.count == 1)
    }
}
