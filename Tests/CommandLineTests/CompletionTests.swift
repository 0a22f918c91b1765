import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Completion scripts come from the command table (extensions.md 11).
@Suite("Completion")
struct CompletionTests {
    @Test("the bash script parses")
    func bashParses() throws {
        let script = try CommandRun(["completion", "bash"]).text
        let folder = try TemporaryFolder()
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder.appending("script")))
        let outcome = try Program.run("bash", ["-n", folder.appending("script")])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(
        "bash completes commands, words behind a group, options and the words of a choice",
        arguments: [
            ("healthmd ex", "export extract"), ("healthmd item v", "verify"),
            ("healthmd export --fr", "--from"), ("healthmd extract --detail ", "summary lossless"),
            ("healthmd --data-dir /x jobs ve", "verify"), ("healthmd completion ", "bash zsh fish"),
        ])
    func bashCompletes(line: String, expected: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { ShellText.quoted(String($0)) }
        let script = """
            compopt() { :; }
            \(try CommandRun(["completion", "bash"]).text)
            COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
            _healthmd
            echo "${COMPREPLY[*]}"
            """
        let outcome = try Program.run("bash", ["-c", script])
        #expect(outcome.output == expected + "\n", "\(outcome.errors)")
    }

    @Test(
        "every command and every option of it stands in the script of each shell", arguments: ["bash", "zsh", "fish"])
    func complete(shell: String) throws {
        let script = try CommandRun(["completion", shell]).text
        for command in CommandLineTool.commands {
            for path in [command.path] + command.aliases {
                #expect(script.contains(path.joined(separator: " ")), "\(shell) \(path)")
            }
            for option in command.options {
                let name = shell == "fish" ? "-l \(option.name.dropFirst(2))" : option.name
                #expect(script.contains(name), "\(shell) \(option.name)")
            }
        }
    }
}
