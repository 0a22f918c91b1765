import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Incomplete and impossible command lines (cli.md 13).
@Suite("Guidance and usage errors")
struct GuidanceTests {
    @Test(
        "a recognised but incomplete command explains itself: exit 0, one document, nobody asked, no state",
        arguments: [
            "export", "extract", "resume", "cancel", "direct", "direct unpair", "direct reset-trust", "unpair",
            "reset-trust", "phone", "phone pair", "phone push", "phone show", "phone settings set", "item", "manifest",
            "partition",
        ])
    func guidance(line: String) throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(line.split(separator: " ").map(String.init) + ["--data-dir", folder.appending("s")])
        #expect(run.status == 0 && run.errors.isEmpty)
        let document = try run.document()
        #expect(document["schema"] == "healthmd.cli_guidance" && document["status"] == "guidance")
        #expect(document["request_sent"] == false)
        #expect(document["missing"]?.array?.isEmpty == false)
        #expect(document["next_actions"]?.array?.isEmpty == false)
        #expect(!FileManager.default.fileExists(atPath: folder.appending("s")))
    }

    @Test("what guidance says to type is a command that is understood")
    func examples() throws {
        let parser = ArgumentParser(commands: CommandLineTool.commands)
        for command in CommandLineTool.commands {
            let bare = Invocation(command: command, options: [:], positionals: [])
            for example in command.guidance(bare)?.examples ?? [] {
                let words = example.command.split(separator: " ").dropFirst().map {
                    $0 == "UUID" ? JobExitTests.job : String($0)
                }
                #expect(throws: Never.self, "\(example.command)") { _ = try parser.parse(words) }
            }
        }
    }

    @Test(
        "a usage error is exit 2 and one document that names kind, command and help, never the value",
        arguments: [
            ("nothing-secret", "invalid_subcommand"), ("export --last secret", "invalid_value"),
            ("export --secret", "unknown_argument"), ("export --last 3 --output", "too_few_values"),
            ("status secret", "too_many_values"), ("phone settings set secret", "missing_equals"),
            ("phone pair secret:0", "value_validation"), ("item encode secret", "missing_required_argument"),
            ("serve --peer-address secret", "value_validation"), ("", ""),
        ])
    func usage(line: String, kind: String) throws {
        guard !line.isEmpty else {
            let run = try CommandRun([])
            #expect(run.status == 0 && run.text.hasPrefix("Example:"))
            return
        }
        let run = try CommandRun(line.split(separator: " ").map(String.init))
        #expect(run.status == 2 && run.errors.isEmpty)
        let document = try run.document()
        #expect(document["schema"] == "healthmd.cli_error" && document["error_kind"]?.string == kind)
        #expect(document["request_sent"] == false && document["help_command"]?.string?.hasSuffix("--help") == true)
        #expect(!run.text.contains("secret"))
    }

    @Test(
        "a day that does not exist is told as such, without repeating it",
        arguments: [
            ("2026-04-31", "this month has 30 days"), ("2026-02-29", "this month has 28 days"),
            ("2024-02-30", "this month has 29 days"), ("2026-13-01", "months are 01 to 12"),
            ("2026-00-01", "months are 01 to 12"),
            ("2026-4-1", "takes a date as YYYY-MM-DD"), ("31.04.2026", "takes a date as YYYY-MM-DD"),
        ])
    func noSuchDay(date: String, words: String) throws {
        for line in [["export", "--from", date, "--to", "2026-12-31"], ["phone", "show", date]] {
            let message = try #require(try CommandRun(line).document()["message"]?.string)
            #expect(message.contains(words) && !message.contains(date), "\(message)")
        }
        let reader = try CommandRun(["archive", "reader", "query", "--since", date]).document()
        let archive = words.replacing("takes a date as", with: "takes a day as")
        #expect(reader["message"]?.string?.contains(archive) == true, "\(reader)")
    }

    @Test(
        "a slip of the fingers is answered with the word that was meant",
        arguments: [
            ("exprot", "export"), ("export --lsat 3", "--last"), ("phone statsu", "status"), ("xyzzy", nil),
            ("ex", nil),
        ] as [(String, String?)])
    func meant(line: String, word: String?) throws {
        let run = try CommandRun(line.split(separator: " ").map(String.init))
        #expect(run.status == 2)
        let message = try #require(try run.document()["message"]?.string)
        #expect(message.hasSuffix(word.map { "did you mean \($0)?" } ?? "there is no such command"))
    }

    @Test("--human gives usage errors as text on standard error, and nothing on standard output")
    func humanUsage() throws {
        let run = try CommandRun(["export", "--human", "--nothing"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.contains("healthmd export --help"))
    }

    @Test(
        "help COMMAND is COMMAND --help; a word that is none is refused with the one that was meant",
        arguments: [
            ("help", "--help"), ("help export", "export --help"), ("help jobs verify", "jobs verify --help"),
            ("help archive reader", "archive reader --help"), ("help direct pair", "direct pair --help"),
        ])
    func helpCommand(line: String, same: String) throws {
        func run(_ line: String) throws -> CommandRun { try CommandRun(line.split(separator: " ").map(String.init)) }
        #expect(try run(line).text == run(same).text)
        let unknown = try run(line + " exprot --human")
        #expect(unknown.status == 2 && unknown.errors.contains("there is no such command"))
    }

    @Test("help of an unknown command suggests the one that was meant")
    func helpSuggests() throws {
        for (line, word) in [(["help", "exprot"], "export"), (["help", "archive", "raeder"], "reader")] {
            let document = try CommandRun(line).document()
            #expect(document["error_kind"] == "invalid_subcommand")
            #expect(document["message"]?.string?.hasSuffix("did you mean \(word)?") == true)
        }
    }

    @Test("every option in help has its spellings, its value's name, its choices, and says when it is required")
    func optionLists() throws {
        for command in CommandLineTool.commands {
            let text = Help(commands: CommandLineTool.commands).text(for: command.path)
            for option in command.options + GlobalOptions.all {
                if case .flag = option.kind {
                    #expect(option.placeholder.isEmpty)
                } else {
                    #expect(!option.placeholder.isEmpty, "\(command.spelled) \(option.name)")
                }
                let line = try #require(
                    text.components(separatedBy: "\n  \(option.label)").dropFirst().first, "\(option.label)")
                for name in [option.name] + option.aliases { #expect(option.label.contains(name)) }
                if case .choice(let words) = option.kind {
                    for word in words { #expect(line.contains(word), "\(command.spelled) \(option.name) \(word)") }
                }
                #expect(option.explanation.contains("(required)") == option.isRequired)
                if option.isRequired {
                    #expect(text.contains("Usage: \(command.usage)") && command.usage.contains(option.usage))
                }
                if option.name == "--output" { #expect(option.label.hasPrefix("-o, --output ")) }
            }
        }
    }

    @Test("a command without what it requires says what that is", arguments: CommandLineTool.commands.indices)
    func required(index: Int) throws {
        let command = CommandLineTool.commands[index]
        guard let first = command.options.first(where: \.isRequired) else { return }
        let words = command.path + command.positionals.map { _ in "x" }
        let document = try CommandRun(words).document()
        #expect(document["error_kind"] == "missing_required_argument")
        #expect(document["message"]?.string?.contains("needs \(first.usage)") == true)
        #expect(document["accepted_arguments"]?.array?.first?.string == first.name)
    }

    @Test("help of the program and of every command is as it was agreed")
    func snapshot() throws {
        let help = Help(commands: CommandLineTool.commands)
        let paths = [[]] + CommandLineTool.commands.map(\.path)
        let text = paths.map { "$ healthmd \(($0 + ["--help"]).joined(separator: " "))\n" + help.text(for: $0) }
            .joined(separator: "\n")
        let file = Checkout.root.appendingPathComponent("Fixtures/command-line/help.txt")
        if ProcessInfo.processInfo.environment["HEALTHMD_WRITE_SNAPSHOTS"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let agreed = String(decoding: try Checkout.fixture("command-line/help.txt"), as: UTF8.self)
        #expect(
            text == agreed,
            "help changed: read the difference, then HEALTHMD_WRITE_SNAPSHOTS=1 swift test --filter CommandLineTests")
    }
}
