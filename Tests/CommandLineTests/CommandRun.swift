import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// One command line, run in this process with files in place of the three standard descriptors.
struct CommandRun {
    let status: Int32
    let output: [UInt8]
    let errors: String

    /// Runs a command line.
    ///
    /// - Parameters:
    ///   - words: without the program's own name.
    ///   - input: what standard input holds.
    init(_ words: [String], input: String = "") throws {
        let folder = try TemporaryFolder()
        try Data(input.utf8).write(to: URL(fileURLWithPath: folder.appending("in")))
        let descriptors = ["in": O_RDONLY, "out": O_RDWR | O_CREAT, "err": O_RDWR | O_CREAT].mapValues { $0 }
        var opened: [String: Int32] = [:]
        for (name, flags) in descriptors { opened[name] = open(folder.appending(name), flags, 0o600) }
        defer { for descriptor in opened.values { close(descriptor) } }
        let console = Console(
            standardOutput: try #require(opened["out"]), standardError: try #require(opened["err"]),
            standardInput: try #require(opened["in"]), errorIsTerminal: false, outputIsTerminal: false)
        status = CommandLineTool(console: console).run(words)
        output = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.appending("out"))))
        errors = try folder.text("err")
        try comparePage(words)
    }

    /// The command of a line; nil when there is none.
    static func command(_ words: [String]) -> [String]? {
        guard case .run(let invocation)? = try? ArgumentParser(commands: CommandLineTool.commands).parse(words) else {
            return nil  // A line that cannot be run has a document of its own schema.
        }
        return invocation.command.path
    }

    /// Every document that a test sees has only members that `docs/JSON.md` lists. What is no document (a script, text, lines of
    /// events) is not looked at.
    private func comparePage(_ words: [String]) throws {
        guard output.first == UInt8(ascii: "{"), let document = try? JSONParser.parse(output), document.object != nil,
            let command = Self.command(words) ?? (document["schema"] == nil ? nil : [])
        else { return }
        // A single event a line is data, as it stands in the archive.
        guard command.last != "query" || document["schema"] != nil || document["error"] != nil else { return }
        let unknown = try JSONPage.current.get().undocumented(document, of: command)
        #expect(unknown.isEmpty, "docs/JSON.md does not list what \(command.joined(separator: " ")) prints")
    }

    var text: String { String(decoding: output, as: UTF8.self) }

    /// Standard output as if the job that the command made had another id: two runs can be compared.
    func text(ofJob id: String) -> String {
        let line = errors.split(separator: "\n").first { $0.contains("job ") }
        guard let made = line?.split(separator: " ").map(String.init).first(where: { UUID(uuidString: $0) != nil })
        else {
            return text
        }
        return text.replacingOccurrences(of: made, with: id)
    }

    /// Standard output as exactly one JSON document.
    func document() throws -> JSONValue {
        try JSONParser.parse(output)
    }
}
