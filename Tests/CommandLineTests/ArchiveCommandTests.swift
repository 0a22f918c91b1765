import CanonicalJSON
import DayArchive
import DurableStore
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// The archive's commands against a service in this process, from an export to an answer and back.
@Suite("Archive commands")
struct ArchiveCommandTests {
    private let folder: TemporaryFolder
    private let state: String
    /// Two days ago: a writer sends every day from the first one until today.
    private let day: String

    init() throws {
        folder = try TemporaryFolder()
        state = folder.appending("state")
        let today = try #require(CivilDate(daysSince1970: time(nil) / 86_400))
        day = try #require(today.adding(days: -2)).description
    }

    private func run(_ line: String, input: String = "") throws -> CommandRun {
        try CommandRun(line.split(separator: " ").map(String.init) + ["--data-dir", state], input: input)
    }

    private func service() throws -> ArchiveService {
        let folders = try StateFolders(path: state)
        var configuration = ArchiveService.Configuration(
            folder: try folders.folder(.archive).createDirectory("service"))
        configuration.port = 0
        return try ArchiveService.start(configuration)
    }

    private func importExport() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <HealthData locale="en_US">
             <ExportDate value="\(day) 12:00:00 +0000"/>
             <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="\(day) 09:00:00 +0000" endDate="\(day) 09:00:00 +0000" value="61"/>
             <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" creationDate="\(day) 10:00:00 +0000" startDate="\(day) 09:00:00 +0000" endDate="\(day) 09:05:00 +0000" value="321"/>
            </HealthData>
            """
        let path = folder.appending("export.xml")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try run("phone import \(path) --time-zone UTC").status == 0)
    }

    @Test("an export reaches a reader, an edit reaches the writer, and undo takes it back")
    func wholeWay() throws {
        let service = try service()
        defer { service.stop() }
        try importExport()
        let token = try String(contentsOfFile: state + "/archive/service/claim-token", encoding: .utf8)
        let url = "http://127.0.0.1:\(service.port)"
        #expect(try run("archive writer init --url \(url)").document()["error"] == "service_refused")
        let made = try run("archive writer init --url \(url) --claim-token-file -", input: token)
        #expect(try made.document()["archive"] == "created")
        let pushed = try run("archive writer push")
        #expect(pushed.status == 0)
        #expect(try pushed.document()["owed"] == 0)

        let handoff = try run("archive writer handoff")
        #expect(try run("archive reader connect --handoff -", input: handoff.text).status == 0)
        #expect(try run("archive reader sync").text == "3 days copied; 3 are mirrored.\n")
        let query = try run("archive reader query --metric steps --format summary")
        #expect(query.text == "1 events\nsteps/day 1\n")
        let daily = try run("archive reader daily --since \(day) --until \(day) --metrics steps")
        #expect(
            daily.text == #"{"units":{"steps":"count"},"columns":["day","steps"],"rows":[["\#(day)",321]]}"# + "\n")

        let items =
            #"{"items":[{"op":"put","id":"w","metric":"bodyMass","start":1710000000,"end":1710000000,"value":70,"unit":"kg"}]}"#
        let written = try run("archive reader write --items -", input: items).document()
        let name = try #require(written["name"]?.string)
        let answered = try run("archive writer edits").document()
        #expect(answered["answered"]?.array?.first?["status"] == "applied")
        #expect(answered["changes"]?.array?.first?["stands"] == true)
        #expect(try run("archive writer undo \(name)").document()["taken_back"] == 1)
        #expect(try run("archive writer undo \(name)").document()["error"] == "unknown_edit")
        #expect(try run("archive reader edits").document()["edits"]?.array?.first?["status"] == "applied")
    }

    /// A service with three days, and a reader that has copied them.
    private func connected() throws -> ArchiveService {
        let service = try service()
        try importExport()
        let token = try String(contentsOfFile: state + "/archive/service/claim-token", encoding: .utf8)
        let url = "http://127.0.0.1:\(service.port)"
        #expect(try run("archive writer init --url \(url) --claim-token-file -", input: token).status == 0)
        #expect(try run("archive writer push").status == 0)
        let handoff = try run("archive writer handoff")
        let connection = try run("archive reader connect --handoff -", input: handoff.text).document()
        #expect(connection["schema"] == "healthmd.archive_connection")
        return service
    }

    @Test("with --json sync, status, query, ask and read print one document each; ndjson when it is asked for")
    func documents() throws {
        let service = try connected()
        defer { service.stop() }
        let sync = try run("archive reader sync --json").document()
        #expect(sync["schema"] == "healthmd.archive_sync" && sync["copied_days"] == 3 && sync["mirrored_days"] == 3)
        let status = try run("archive reader status --json").document()
        #expect(status["schema"] == "healthmd.archive_status" && status["archive"]?["days"] == 3)
        #expect(status["mirror"]?["behind"] == 0 && status["mirror"]?["first_day"]?.string == day)
        for line in ["query --metric steps", "ask --metric steps", "read --since \(day) --until \(day)"] {
            let run = try run("archive reader \(line) --json")
            #expect(run.status == 0)
            let document = try run.document()
            #expect(document["schema"] == "healthmd.archive_events" && document["returned"] == document["matched"])
            let events = try #require(document["events"]?.array)
            #expect(events.count == document["returned"]?.number?.int && !events.isEmpty, "\(line)")
            #expect(events.contains { $0["metric"] == "steps" && $0["value"] == 321 })
        }
        let limited = try run("archive reader query --limit 1 --json").document()
        #expect(limited["returned"] == 1 && limited["matched"]?.number?.int ?? 0 > 1)
        let counts = try run("archive reader query --format summary --json").document()
        #expect(counts["schema"] == "healthmd.archive_event_counts")
        #expect(counts["counts"]?.array?.contains(["bucket": "day", "events": 1, "metric": "steps"]) == true)
        let lines = try run("archive reader query --metric steps --format ndjson --json")
        #expect(lines.text == (try run("archive reader query --metric steps").text))
        let empty = try run("archive reader query --metric bodyMass --json").document()
        #expect(
            empty["events"] == [] && empty["returned"] == 0, "a metric of which nothing is there is an empty answer")
    }

    @Test(
        "each tool and the writer's status print one document, whose members docs/JSON.md lists",
        arguments: [
            "reader overview", "reader daily", "reader statistics --metric heartRate", "reader sleep",
            "reader workouts",
            "reader samples --metric heartRate", "reader edits", "reader tools", "reader call phone_data_sync",
            "writer status", "writer edits", "writer push",
        ])
    func tools(line: String) throws {
        let service = try connected()
        defer { service.stop() }
        let run = try run("archive \(line) --json")
        #expect(run.status == 0)
        #expect(try run.document().object?.isEmpty == false)
    }

    @Test(
        "a name that nobody knows is refused with the one that was meant",
        arguments: [
            ("query --metric step", "did you mean steps?"), ("ask --metric hartRate", "did you mean heartRate?"),
            ("samples --metric Steps", "did you mean steps?"), ("query --metric nothingOfTheKind", "known are "),
            ("workouts --activity runing", "did you mean running?"), ("daily --metrics step", "steps, distance"),
        ])
    func unknownNames(line: String, words: String) throws {
        let service = try connected()
        defer { service.stop() }
        let run = try run("archive reader \(line) --json")
        #expect(run.status == 1)
        let document = try run.document()
        #expect(
            document["error"] == "bad_argument" && document["message"]?.string?.contains(words) == true, "\(run.text)")
    }

    @Test("copied days whose files are gone are noticed: by status, by an answer, and sync fetches them again")
    func deletedDays() throws {
        let service = try connected()
        defer { service.stop() }
        #expect(try run("archive reader sync").status == 0)
        let whole = try run("archive reader daily --since \(day) --until \(day) --metrics steps").text
        try FileManager.default.removeItem(atPath: state + "/archive/reader/days")
        let status = try run("archive reader status --json").document()
        #expect(status["mirror"]?["missing_files"] == 3 && status["mirror"]?["behind"] == 3)
        #expect(
            try run("archive reader status").text.contains(
                "Mirror:  empty, 3 behind; the files of 3 copied days are gone"))
        let query = try run("archive reader query --metric steps")
        #expect(query.output.isEmpty && query.errors.contains("healthmd archive reader sync --data-dir"))
        #expect(try run("archive reader sync").text == "3 days copied; 3 are mirrored.\n")
        try FileManager.default.removeItem(atPath: state + "/archive/reader/days")
        let daily = try run("archive reader daily --since \(day) --until \(day) --metrics steps").text
        #expect(daily == whole, "a tool notices it by itself")
    }

    @Test("a reader's error is one line with its code on standard error and exit 2, with --json a document")
    func errors() throws {
        let plain = try run("archive reader status")
        #expect(plain.status == 2 && plain.output.isEmpty)
        #expect(plain.errors.hasPrefix("error: ") && plain.errors.hasSuffix(" (not_connected)\n"))
        #expect(try run("archive reader status --exit-codes standard").status == 1)
        #expect(plain.errors.split(separator: "\n").count == 1)
        let document = try run("archive reader status --json")
        #expect(document.status == 1)
        #expect(try document.document()["error"] == "not_connected")
        #expect(try run("archive writer status").document()["error"] == "writer_not_set_up")
        #expect(try run("archive reader query --since 2026-02-31").status == 2)
        #expect(try run("archive reader query --metrics steps").status == 2)
    }

    @Test("the local MCP server answers lines until its input ends")
    func localServer() throws {
        let lines =
            #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\nnonsense\n"
            + #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#
        let run = try run("archive mcp", input: lines)
        #expect(run.status == 0)
        let answers = run.text.split(separator: "\n")
        #expect(answers.count == 3)
        #expect(answers.first == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    }
}
