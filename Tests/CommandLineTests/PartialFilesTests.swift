import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Files of some of the days (cli.md 4, 11): said plainly, with reasons and a command, whatever the exit code is.
@Suite("Partial files")
struct PartialFilesTests {
    private static let job = JobExitTests.job
    private static let words = ["export", "--from", "2026-03-01", "--to", "2026-03-05", "--metric", "steps"]

    private static func failure(_ code: String, _ date: String, _ message: String = "Sentence.") -> JSONValue {
        ["code": .string(code), "date": .string(date), "message": .string(message)]
    }

    private func run(_ options: [String], _ status: String, _ failures: [JSONValue]) throws -> CommandRun {
        let fake = try FakeReceiver.always(
            200,
            [
                "status": .string(status), "job_id": .string(Self.job), "message": "m", "success_count": 2,
                "total_count": 5, "destination_path": "/a b", "partial_failures": .array(failures),
            ])
        return try CommandRun(Self.words + options + ["--base-url", fake.baseURL])
    }

    @Test("each reason is named with its days, what the receiver says of it, and what helps")
    func reasons() throws {
        let days = (1...5).map {
            Self.failure("no_health_data", "2026-03-0\($0)", "The phone has no data of this day.")
        }
        let run = try run([], "partial_success", days)
        #expect(run.status == 0)
        #expect(
            run.errors.contains(
                "partial: 2 of 5 days have files. no_health_data on 2026-03-01, 2026-03-02, 2026-03-03 and 2 more: "
                    + "The phone has no data of this day. Nothing is wrong; an import may bring some. "
                    + "The exit code is 0 all the same; --strict makes it 1."), "\(run.errors)")
        #expect(try run.document()["next_actions"] == nil, "writing them again would not help")
    }

    @Test("a day that could not be written gives the store's reason, what stands there, and the same export for it")
    func store() throws {
        let run = try run(
            ["--strict", "--exit-codes", "extended"], "partial_success",
            [
                Self.failure(
                    "file_write_error", "2026-03-02", "The files of this day could not be written (wrong_type)."),
                Self.failure(
                    "file_write_error", "2026-03-04", "The files of this day could not be written (wrong_type)."),
            ])
        #expect(run.status == 3)
        #expect(run.errors.contains("A file where a folder is expected, or the other way round. Move it away."))
        #expect(!run.errors.contains("--strict makes it 1"))
        let actions = try #require(try run.document()["next_actions"]?.array?.compactMap { $0["command"]?.string })
        #expect(actions[0] == "find '/a b' -name '*2026-03-02*' ! -type f")
        #expect(
            actions[1].hasPrefix(
                "healthmd export --from 2026-03-02 --to 2026-03-04 --metric steps --strict --base-url"))
    }

    @Test("--strict is also about a part of a day that is missing; without it such a job is a success with a warning")
    func parts() throws {
        let failures = [Self.failure("source_partial_failure", "2026-03-02", "A part of the day is missing: ecg.")]
        let strict = try run(["--strict"], "success", failures)
        #expect(strict.status == 1 && strict.errors.contains("A part of the day is missing: ecg."))
        let plain = try run([], "success", failures)
        #expect(plain.status == 0 && plain.errors.contains("a part is missing"))
        #expect(try run(["--strict"], "success", []).status == 0)
    }

    @Test("a job that wrote nothing is called failed, and nothing is said of an exit code that is not 0")
    func failed() throws {
        let fake = try FakeReceiver.always(
            409,
            [
                "status": "failure", "job_id": .string(Self.job), "message": "m", "success_count": 0, "total_count": 1,
                "state": "failed", "partial_failures": [Self.failure("no_health_data", "2026-03-02")],
            ])
        let run = try CommandRun(Self.words + ["--human", "--base-url", fake.baseURL])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("failed: 0 of 1 days have files.") && !run.errors.contains("exit code"))
    }

    @Test(
        "an option that would do nothing is refused",
        arguments: [
            ["export", "--last", "1", "--allow-partial"], ["export", "--last", "1", "--raw", "--strict"],
            ["resume", job, "--strict", "--allow-partial"],
        ])
    func withoutEffect(words: [String]) throws {
        let run = try CommandRun(words)
        #expect(run.status == 2)
        #expect(try run.document()["error_kind"] == "argument_conflict")
    }
}
