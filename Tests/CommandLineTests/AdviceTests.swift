import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Commands that a text names reach the state of the command that runs (extensions.md 5).
@Suite("Advice")
struct AdviceTests {
    private static let job = JobExitTests.job

    private func advice(_ line: String) throws -> Advice {
        let words = ShellText.words(line)
        guard case .run(let invocation) = try ArgumentParser(commands: CommandLineTool.commands).parse(words) else {
            Issue.record("\(line) does not run")
            return .none
        }
        return Advice(invocation)
    }

    @Test(
        "a command of the same side gets the folder behind its arguments, quoted for a shell; others do not",
        arguments: [
            ("start it with: healthmd serve; then go on", "start it with: healthmd serve --data-dir 'a b'; then go on"),
            ("healthmd resume \(job)", "healthmd resume \(job) --data-dir 'a b'"),
            ("(healthmd status --job \(job)).", "(healthmd status --job \(job) --data-dir 'a b')."),
            ("`healthmd destination set DIR`.", "`healthmd destination set DIR --data-dir 'a b'`."),
            (
                "mkdir -p 'x y' && healthmd destination set 'x y'",
                "mkdir -p 'x y' && healthmd destination set 'x y' --data-dir 'a b'"
            ),
            ("healthmd jobs lists them", "healthmd jobs --data-dir 'a b' lists them"),
            (
                "healthmd export --from 2026-03-01 --to 2026-03-02",
                "healthmd export --from 2026-03-01 --to 2026-03-02 --data-dir 'a b'"
            ),
            (
                "healthmd destination set 'it'\\''s here' and more",
                "healthmd destination set 'it'\\''s here' --data-dir 'a b' and more"
            ),
            (
                "healthmd export --metric steps --strict; or not",
                "healthmd export --metric steps --strict --data-dir 'a b'; or not"
            ),
            ("there: healthmd phone serve", "there: healthmd phone serve"),
            ("healthmd metrics lists them", "healthmd metrics lists them"),
            ("another healthmd waits", "another healthmd waits"), ("/tmp/healthmd serve", "/tmp/healthmd serve"),
            ("healthmd serve --data-dir 'c'", "healthmd serve --data-dir 'c'"), ("healthmd ", "healthmd "),
        ])
    func receiver(text: String, expected: String) throws {
        let advice = try advice("export --last 1 --data-dir 'a b'")
        #expect(advice.carrying(text) == expected)
        #expect(advice.carrying(advice.carrying(text)) == expected, "a second time changes nothing")
        #expect(try self.advice("export --last 1").carrying(text) == text, "no option, nothing to repeat")
    }

    @Test("the phone side, the archive's writer and biomarkers share what was imported; a reader has its own")
    func sides() throws {
        let phone = try advice("phone status --data-dir x")
        #expect(phone.carrying("healthmd phone import PATH") == "healthmd phone import PATH --data-dir 'x'")
        #expect(phone.carrying("healthmd pair") == "healthmd pair", "that is typed at the receiver")
        let writer = try advice("archive writer status --data-dir x")
        #expect(writer.carrying("healthmd phone import PATH").hasSuffix("--data-dir 'x'"))
        #expect(writer.carrying("healthmd archive reader sync") == "healthmd archive reader sync")
        let reader = try advice("archive reader status --data-dir x")
        #expect(reader.carrying("healthmd archive reader sync") == "healthmd archive reader sync --data-dir 'x'")
        #expect(reader.carrying("healthmd archive writer handoff") == "healthmd archive writer handoff")
    }

    @Test("whoever asks the receiver repeats its address and token too; serve does not")
    func address() throws {
        let advice = try advice("status --base-url http://127.0.0.1:1 --control-token-file t")
        #expect(
            advice.carrying("healthmd jobs")
                == "healthmd jobs --base-url 'http://127.0.0.1:1' --control-token-file 't'")
        #expect(advice.carrying("healthmd serve") == "healthmd serve")
    }

    @Test("failures, notes, guidance and next actions name the folder in use")
    func everywhere() throws {
        let folder = try TemporaryFolder()
        let state = folder.appending("it's")
        let option = "--data-dir \(ShellText.quoted(state))"
        let failed = try CommandRun(["jobs", "--data-dir", state])
        #expect(try failed.document()["message"]?.string?.contains("healthmd serve \(option)") == true)
        #expect(try CommandRun(["jobs", "--human", "--data-dir", state]).errors.contains("healthmd serve \(option)"))
        let guidance = try CommandRun(["cancel", "--data-dir", state]).document()
        #expect(guidance["next_actions"]?.array?.first?["command"]?.string == "healthmd jobs \(option)")
        #expect(guidance["examples"]?.array?.first?["argv"] == ["healthmd", "jobs", "--data-dir", .string(state)])
        let fake = try FakeReceiver.always(408, ["status": "timed_out", "message": "m", "job_id": .string(Self.job)])
        let waiting = try CommandRun(["resume", Self.job, "--base-url", fake.baseURL])
        #expect(waiting.errors.contains("healthmd resume \(Self.job) --base-url '\(fake.baseURL)'"))
        #expect(
            try waiting.document()["next_actions"]?.array?.last?["command"]?.string
                == "healthmd cancel \(Self.job) --base-url '\(fake.baseURL)'")
    }

    @Test("doctor's sentences name the folder too; a folder that the environment names is one that was given")
    func environment() throws {
        let folder = try TemporaryFolder()
        let state = folder.appending("s")
        let doctor = try CommandRun(["doctor", "--human", "--data-dir", state])
        #expect(doctor.text.contains("start it with: healthmd serve --data-dir '\(state)'"))
        let run = try Program.run(
            Program.healthmd().path, ["jobs", "--json"], environment: ["HEALTHMD_DATA_DIR": state])
        #expect(run.output.contains("healthmd serve --data-dir '\(state)'"))
    }

    @Test("a state folder that is a file is told as such, with the option that names another")
    func stateFile() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.appending("s")))
        for words in [["status"], ["phone", "status"], ["doctor"], ["archive", "writer", "status"]] {
            let document = try CommandRun(words + ["--data-dir", folder.appending("s")]).document()
            #expect(document["error"] == "wrong_type" && document["path"]?.string == folder.appending("s"), "\(words)")
            #expect(document["message"]?.string?.hasSuffix("name another one with --data-dir DIR") == true)
        }
    }

    @Test("every command that the error table says to type exists", arguments: ErrorTable.sections.indices)
    func remedies(index: Int) throws {
        for row in ErrorTable.sections[index].rows {
            for found in (row.meaning + row.remedy).matches(of: /`healthmd ([a-z][a-z -]*)/) {
                let words = found.output.1.split(separator: " ").map(String.init).prefix { !$0.hasPrefix("-") }
                let isCommand = (1...max(1, words.count)).contains { count in
                    CommandLineTool.commands.contains { ([$0.path] + $0.aliases).contains(Array(words.prefix(count))) }
                }
                let isGroup = words == ["phone"] || words == ["archive"] || words.isEmpty
                #expect(isCommand || isGroup, "\(row.code): healthmd \(found.output.1)")
            }
        }
    }

    @Test("words of a line that we composed are those that a shell makes of it")
    func words() throws {
        for words in [["a", "it's", "", "b c"], ["--x", "'"], ["\\"]] {
            let line = words.map(ShellText.quoted).joined(separator: " ")
            #expect(ShellText.words(line) == words)
            let shell = try Program.run("sh", ["-c", "for w in \(line); do printf '%s\\n' \"$w\"; done"])
            #expect(shell.output == words.map { $0 + "\n" }.joined())
        }
    }
}
