import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// What holds for every command there is (cli.md 2, 16): one JSON document for each failure, whatever is wrong.
@Suite("Every command")
struct EveryCommandTests {
    /// Commands that do not end by themselves, or whose result is no document.
    private static let endless = ["healthmd serve", "healthmd archive serve"]
    private static let commands = CommandLineTool.commands

    private func refused(_ words: [String], _ what: String) throws {
        let run = try CommandRun(words)
        #expect(run.status == 2, "\(what): \(words)")
        #expect(run.errors.isEmpty, "\(what): \(words)")
        let document = try run.document()
        #expect(document["schema"] == "healthmd.cli_error" && document["status"] == "failure", "\(what): \(words)")
        #expect(document["request_sent"] == false && document["message"]?.string?.isEmpty == false)
        let kind = try #require(document["error_kind"]?.string)
        #expect(ErrorTable.usage[kind] != nil, "\(kind)")
    }

    @Test("an option that does not exist is refused by each", arguments: commands.indices)
    func unknownOption(index: Int) throws {
        let command = Self.commands[index]
        try refused(command.path + ["--no-such-option"], "unknown option")
        for alias in command.aliases { try refused(alias + ["--no-such-option=1"], "unknown option") }
    }

    @Test("a value of the wrong kind is refused for each option, and never repeated", arguments: commands.indices)
    func wrongValues(index: Int) throws {
        let command = Self.commands[index]
        for option in command.options + GlobalOptions.all {
            let wrong: [String]
            switch option.kind {
            case .flag: wrong = ["\(option.name)=private-value"]
            case .file, .folder, .text: wrong = ["\(option.name)="]
            case .date, .integer, .seconds, .choice, .uuid: wrong = [option.name, "private-value"]
            }
            try refused(command.path + wrong, "\(option.name)")
            #expect(try !CommandRun(command.path + wrong).text.contains("private-value"))
            if case .flag = option.kind { continue }
            try refused(command.path + [option.name], "\(option.name) without a value")
        }
    }

    @Test("a word too many, or one of the wrong kind, is refused by each", arguments: commands.indices)
    func wrongWords(index: Int) throws {
        let command = Self.commands[index]
        switch command.positionals.last?.kind {
        case nil: try refused(command.path + ["private-value"], "a word")
        case .date?, .integer?, .seconds?, .uuid?, .choice?:
            try refused(command.path + ["private-value"], "a word of another kind")
        case .file?, .folder?, .text?, .flag?: try refused(command.path + [""], "an empty word")
        }
    }

    /// The words of a command's examples, with something in place of what a person puts in.
    ///
    /// What an example writes goes into a folder of the test.
    private static func examples(_ command: CommandSpec, in folder: TemporaryFolder) -> [[String]] {
        command.examples.map { example in
            let words = example.command.split(separator: " ").dropFirst()
            return zip(words, [""] + words).map { word, previous in
                switch word {
                case _ where ["-o", "--output"].contains(previous): folder.appending(String(word))
                case "UUID": JobExitTests.job
                case "HOST": "127.0.0.1:1"
                case "workstation.local", "192.168.1.5:17646": "127.0.0.1:1"
                default: String(word)
                }
            }
        }
    }

    @Test(
        "without receiver, data and service each example ends in one document with a code of the table, or in a result")
    func nothingThere() throws {
        let folder = try TemporaryFolder()
        var documents: [String] = []
        for command in Self.commands where !Self.endless.contains(command.spelled) {
            for words in Self.examples(command, in: folder) {
                let run = try CommandRun(words + ["--json", "--data-dir", folder.appending("state")])
                guard run.status != 0 else {
                    // Completion scripts are no documents.
                    if let document = try? run.document() { documents.append(Self.text(document)) }
                    continue
                }
                #expect(run.status == 1 || run.status == 2, "\(words)")
                let document = try run.document()
                documents.append(run.text)
                if document["schema"] == "healthmd.cli_doctor" { continue }
                #expect(document["status"] == "failure", "\(words): \(run.text)")
                let code = try #require(document["error"]?.string, "\(words): \(run.text)")
                #expect(ErrorTable.sections.contains { $0[code] != nil }, "\(code) is not in the table: \(words)")
                #expect(document["message"]?.string?.isEmpty == false, "\(words)")
            }
        }
        #expect(documents.count > 60)
        try readByOthers(documents)
    }

    private static func text(_ document: JSONValue) -> String {
        String(decoding: JSONWriter.encode(document, style: .compactSorted), as: UTF8.self) + "\n"
    }

    /// `jq` and `python3 -m json.tool` take every document that was printed.
    private func readByOthers(_ documents: [String]) throws {
        if try Program.run("sh", ["-c", "command -v jq"]).status == 0 {
            let read = try Program.run("jq", ["-c", "."], input: documents.joined())
            #expect(read.status == 0, "\(read.errors)")
            #expect(read.output.split(separator: "\n").count == documents.count)
        }
        if try Program.run("sh", ["-c", "command -v python3"]).status == 0 {
            let lines = try documents.map { Self.text(try JSONParser.parse(Array($0.utf8))) }.joined()
            let read = try Program.run("python3", ["-m", "json.tool", "--json-lines"], input: lines)
            #expect(read.status == 0, "\(read.errors)")
            let first = try Program.run("python3", ["-m", "json.tool"], input: documents.first ?? "")
            #expect(first.status == 0, "as it was printed, white space and all")
        }
    }

    @Test("--human makes text of results and failures, with nothing of JSON on standard output")
    func human() throws {
        let folder = try TemporaryFolder()
        let state = ["--human", "--data-dir", folder.appending("state")]
        let fake = try FakeReceiver.always(
            200,
            [
                "schema": "healthmd.job_list", "schema_version": 1,
                "jobs": [
                    [
                        "job_id": .string(JobExitTests.job), "state": "completed", "success_count": 2, "total_count": 3,
                        "date_range": ["start": "2026-03-01", "end": "2026-03-03"], "message": "Robin’s\u{1B}[2J phone",
                    ]
                ],
            ])
        let jobs = try CommandRun(["jobs", "--human", "--base-url", fake.baseURL])
        #expect(
            jobs.text.hasPrefix("JOB ") && jobs.text.contains("2 of 3  2026-03-01  2026-03-03  Robin’s\\u{1b}[2J phone")
        )
        for words in [["metrics"], ["phone", "status"], ["doctor"], ["jobs"], ["devices"]] {
            let run = try CommandRun(words + state)
            #expect(!run.text.contains("{"), "\(words): \(run.text.prefix(200))")
        }
        let failed = try CommandRun(["devices"] + state)
        #expect(failed.status == 1 && failed.output.isEmpty)
        #expect(failed.errors.contains("healthmd serve") && failed.errors.contains("(receiver_unreachable)"))
    }

    @Test("a document as text: one line a member, lists below their name, nothing empty unsaid")
    func humanText() {
        let document: JSONValue = [
            "schema": "x", "connected": true, "destination": ["path": "/a", "writable": false], "phones": [],
            "files": [["path": "b", "bytes": 1], ["path": "c", "bytes": 2]], "names": ["d", "e"], "nothing": nil,
        ]
        #expect(
            HumanText.of(document) == """
                connected: yes
                destination:
                  path: /a
                  writable: no
                phones: none
                files:
                  - path: b
                    bytes: 1
                  - path: c
                    bytes: 2
                names: d, e
                nothing: none

                """)
    }

    @Test(
        "the old names have help: direct --help lists them", arguments: ["direct", "jobs", "archive reader", "peers"])
    func groups(path: String) throws {
        let run = try CommandRun(path.split(separator: " ").map(String.init) + ["--help"])
        #expect(run.status == 0)
        if path == "direct" {
            for name in ["direct pair", "direct devices", "direct unpair", "direct reset-trust"] {
                #expect(run.text.contains(name))
            }
        }
        #expect(run.text.split(separator: "\n").count > 5)
    }
}
