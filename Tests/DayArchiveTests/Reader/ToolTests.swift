import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import DayArchive

@Suite("Questions, tools, edits")
struct ToolTests {
    private func answer(_ reader: ArchiveReader, _ tool: String, _ arguments: JSONObject = [:]) throws -> JSONObject {
        try reader.call(tool, arguments)
    }

    @Test("ask fetches the days that a question covers, one earlier included, and nothing else")
    func asking() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-01-05", count: 12)
        _ = rig.exchange.takeTargets()
        let filter = EventFilter(
            metric: "steps", since: try ArchiveDay(text: "2026-01-10"), until: try ArchiveDay(text: "2026-01-12"))
        let asked = try rig.reader.ask(filter)
        #expect(asked.dayCount == 4)
        #expect(
            rig.exchange.takeTargets() == [
                "/b/\(rig.service.bucket)/days?from=2026-01-09&to=2026-01-12",
                "/b/\(rig.service.bucket)/d?from=2026-01-09&to=2026-01-12",
            ])
        // The total of the 9th ends on the 10th, which counts.
        #expect(asked.lines.count == 4)
        #expect(asked.summary == ["4 events", "steps/day 4"])
        _ = try rig.reader.sync()
        #expect(try rig.reader.query(filter).lines == asked.lines)
        #expect(try rig.reader.query(filter, limit: 1).lines.count == 1)
        var read = 0
        try rig.reader.read(since: filter.since, until: filter.until) { _, lines in
            read += lines.split(separator: UInt8(ascii: "\n")).count
        }
        #expect(read == 6, "nothing of the 9th reaches beyond its midnight")
    }

    @Test("of the day before a range read gives what reaches into it, and of the range everything")
    func readingAcrossMidnight() throws {
        let rig = try ReaderRig()
        let day = try ArchiveDay(text: "2026-10-08")
        let evening = day.number * 86_400 + 22 * 3_600
        try rig.upload([
            (
                day.description,
                try ReaderRig.events(day, steps: 12) + [
                    try ArchiveEvent(
                        metric: "sleep", start: evening, end: evening + 8 * 3_600, source: "Watch", stage: "asleepCore")
                ]
            ),
            ("2026-10-09", try ReaderRig.events(try ArchiveDay(text: "2026-10-09"), steps: 13)),
        ])
        var text = ""
        let next = try ArchiveDay(text: "2026-10-09")
        try rig.reader.read(since: next, until: next) { _, lines in text += String(decoding: lines, as: UTF8.self) }
        let lines = text.split(separator: "\n")
        #expect(lines.first?.contains(#""metric":"sleep""#) == true)
        #expect(lines.count == 1 + (try ReaderRig.events(next, steps: 13).count))
    }

    @Test("a check holds for five minutes, then the last fourteen days are looked at")
    func freshness() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-09-20", count: 20)
        _ = rig.exchange.takeTargets()
        _ = try answer(rig.reader, "phone_data_daily")
        let bucket = rig.service.bucket
        // Numbers, the last fourteen days, a range; the counts differ, so everything and another range.
        #expect(
            rig.exchange.takeTargets() == [
                "/b/\(bucket)/stats", "/b/\(bucket)/days?from=2026-09-26",
                "/b/\(bucket)/d?from=2026-09-26&to=2026-10-09",
                "/b/\(bucket)/days", "/b/\(bucket)/d?from=2026-09-20&to=2026-09-25",
            ])
        _ = try answer(rig.reader, "phone_data_daily")
        #expect(rig.exchange.takeTargets() == [])
        _ = try answer(rig.reader, "phone_data_overview")
        #expect(rig.exchange.takeTargets() == ["/b/\(bucket)/stats"])
        rig.service.clock.advance(seconds: 301)
        _ = try answer(rig.reader, "phone_data_daily")
        #expect(rig.exchange.takeTargets() == ["/b/\(bucket)/stats", "/b/\(bucket)/days?from=2026-09-26"])
    }

    @Test("with the service out of reach the mirror answers, with a warning first")
    func outOfReach() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-10-01", count: 3)
        _ = try answer(rig.reader, "phone_data_sync")
        rig.exchange.isDown = true
        rig.service.clock.advance(seconds: 600)
        let daily = try answer(rig.reader, "phone_data_daily")
        #expect(daily.keys == ["warning", "units", "columns", "rows"])
        #expect(daily["rows"]?.array?.count == 3)
        let overview = try answer(rig.reader, "phone_data_overview")
        #expect(overview.keys == ["warning", "archive", "readable", "metrics", "writable", "howToRead"])
        #expect(overview["archive"] == "unreachable")
        #expect(throws: ClientError.self) { try answer(rig.reader, "phone_data_edits") }
        #expect(throws: ClientError.self) {
            try answer(rig.reader, "phone_data_write", ["items": [["op": "delete", "id": "a"]]])
        }
        #expect(try rig.profile.readJSON("edits.json") == nil)
    }

    @Test("daily has a row for each mirrored day, nulls for what is missing, and refuses more than 400 days")
    func daily() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-10-08", count: 2)
        let daily = try answer(
            rig.reader, "phone_data_daily",
            ["metrics": ["steps", "activeEnergy"], "since": "2026-10-01T12:00:00Z", "until": "2026-10-10"])
        #expect(daily["columns"] == ["day", "steps", "activeEnergy"])
        #expect(daily["rows"] == [["2026-10-08", 0, nil], ["2026-10-09", 1, nil]])
        #expect(throws: ReaderError.tooMuch(what: "days", maximum: 400)) {
            try answer(rig.reader, "phone_data_daily", ["since": "2025-09-01", "until": "2026-10-10"])
        }
        #expect(throws: ReaderError.self) { try answer(rig.reader, "phone_data_daily", ["since": "2026-02-31"]) }
        #expect(throws: ReaderError.self) { try answer(rig.reader, "phone_data_daily", ["metric": "steps"]) }
        #expect(throws: ReaderError.self) { try answer(rig.reader, "phone_data_daily", ["metrics": ["sleep"]]) }
    }

    @Test("statistics, sleep, workouts and samples answer in the published order")
    func shapes() throws {
        let rig = try ReaderRig()
        let day = try ArchiveDay(text: "2026-10-08")
        let start = day.number * 86_400
        try rig.upload([
            (
                day.description,
                try ReaderRig.events(day, steps: 12) + [
                    try ArchiveEvent(
                        metric: "sleep", start: start + 79_200, end: start + 100_800, source: "Watch",
                        stage: "asleepCore"),
                    try ArchiveEvent(
                        metric: "workout", start: start + 40_000, end: start + 41_800, source: "Watch", activity: "37",
                        duration: 1_800),
                    try ArchiveEvent(
                        metric: "oxygenSaturation", start: start + 5, end: start + 5, unit: "%", source: "Watch",
                        value: 0.97),
                ]
            )
        ])
        let statistics = try answer(rig.reader, "phone_data_statistics", ["metric": "steps", "group_by": "week"])
        #expect(statistics.keys == ["metric", "unit", "over", "groupBy", "rows"])
        #expect(statistics["rows"]?.array?.first?["group"] == "2026-10-05")
        let oxygen = try answer(rig.reader, "phone_data_statistics", ["metric": "oxygenSaturation"])
        #expect(oxygen.keys == ["metric", "unit", "unitNote", "over", "groupBy", "rows"])
        #expect(oxygen["rows"]?.array?.first?["mean"] == .double(0.97))
        let sleep = try answer(rig.reader, "phone_data_sleep", ["since": "2026-10-08", "until": "2026-10-08"])
        #expect(sleep.keys == ["nightsRecorded", "nightsInRange", "asleepHours", "rows"])
        #expect(sleep["rows"]?.array?.first?["asleepHours"] == 6)
        let workouts = try answer(rig.reader, "phone_data_workouts")
        #expect(workouts.keys == ["total", "byActivity", "sameOnEveryRow", "columns", "rows"])
        #expect(workouts["byActivity"] == [["activity": "running", "count": 1, "minutes": 30]])
        let samples = try answer(rig.reader, "phone_data_samples", ["metric": "heartRate", "limit": 0])
        #expect(samples.keys == ["metric", "matched", "returned", "sameOnEveryRow", "columns", "rows"])
        #expect(samples["returned"] == 1)
        let overview = try answer(rig.reader, "phone_data_overview")
        #expect(
            overview["metrics"]?.array?.map { $0["metric"] }
                == ["steps", "heartRate", "oxygenSaturation", "sleep", "workout"].map { .string($0) })
        // The cache gives the same answer, and a damaged one is made anew.
        #expect(try answer(rig.reader, "phone_data_overview")["metrics"] == overview["metrics"])
        try Data("not json".utf8).write(to: URL(fileURLWithPath: rig.profile.path + "/metrics.json"))
        #expect(try answer(rig.reader, "phone_data_overview")["metrics"] == overview["metrics"])
    }

    @Test("the whole check drops the record of a day that the archive lost, and keeps its file")
    func lostDay() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-10-01", count: 2)
        _ = try answer(rig.reader, "phone_data_sync")
        var mirror = try rig.profile.mirror()
        mirror.days[try ArchiveDay(text: "2020-01-01")] = "2020-01-02T00:00:00.000Z"
        try rig.profile.save(mirror)
        try rig.profile.writeDay(OpenedDay(day: try ArchiveDay(text: "2020-01-01"), lines: []))
        let synced = try answer(rig.reader, "phone_data_sync")
        #expect(synced == ["copied": 0, "readable": 3, "firstDay": "2020-01-01", "lastDay": "2026-10-02"])
        #expect(try rig.profile.mirror().days.count == 2)
        let overview = try answer(rig.reader, "phone_data_overview")
        let note = overview["readable"]?["note"]?.string ?? ""
        #expect(note.contains("no longer holds"))
    }

    @Test("an edit is sealed, signed, taken, noted without its values, and shown with its refusals")
    func writing() throws {
        let rig = try ReaderRig()
        let written = try answer(
            rig.reader, "phone_data_write",
            [
                "items": [
                    [
                        "op": "put", "id": "weight:1", "metric": "bodyMass", "start": 1_791_600_000,
                        "end": 1_791_600_000,
                        "value": .double(72.5), "unit": "kg",
                    ], ["op": "delete", "id": "meal:9"],
                ]
            ])
        #expect(written.keys == ["name", "at", "bytes", "items", "note"])
        let name = try EditName(text: try #require(written["name"]?.string))
        let note = FileManager.default.contents(atPath: rig.profile.path + "/edits.json").map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(try #require(note).contains("72.5") == false)
        let pending = try answer(rig.reader, "phone_data_edits", ["status": "pending"])
        #expect(pending["edits"]?.array?.first?["items"]?.array?.count == 2)
        let outcome = EditOutcome(applied: 1, failed: [.init(item: 1, code: .notFound)])
        #expect(rig.service.send(rig.service.outcomeRequest(name, outcome)).status == 200)
        let all = try answer(rig.reader, "phone_data_edits")
        let line = try #require(all["edits"]?.array?.first?.object)
        #expect(line["status"] == "partial")
        #expect(line["refusals"] == [["item": 1, "code": "notFound", "id": "meal:9"]])
        #expect(all["codes"]?.array?.count == 12)
        #expect(throws: WireError.malformedEdit(item: 0, field: "unit")) {
            try answer(
                rig.reader, "phone_data_write",
                [
                    "items": [
                        [
                            "op": "put", "id": "x", "metric": "bodyMass", "start": 1, "end": 1, "value": 1, "unit": "g",
                        ]
                    ]
                ])
        }
    }

    @Test("without an editor key nothing is written")
    func readOnly() throws {
        let rig = try ReaderRig(connects: false)
        _ = try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff(editor: nil))
        #expect(throws: ReaderError.readOnly(profile: rig.profile.path)) {
            try answer(rig.reader, "phone_data_write", ["items": [["op": "delete", "id": "a"]]])
        }
    }

    @Test("the local server speaks JSON-RPC by lines")
    func localServer() throws {
        let server = LocalToolServer { name, arguments in
            guard name == "echo" else { throw ReaderError.unknownTool(name) }
            return arguments
        }
        func ask(_ line: String) throws -> JSONValue? {
            try server.answer(Array(line.utf8)).map { try JSONParser.parse($0) }
        }
        let initialized = try ask(
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}"#)
        #expect(initialized?["result"]?["protocolVersion"] == "2024-11-05")
        #expect(initialized?["result"]?["capabilities"] == ["tools": [:]])
        let newest = try ask(
            #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"1999-01-01"}}"#)
        #expect(newest?["result"]?["protocolVersion"] == "2025-06-18")
        #expect(newest?["id"] == "a")
        #expect(try ask(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
        #expect(try ask(#"{"jsonrpc":"2.0","method":"ping"}"#) == nil)
        #expect(try ask(#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)?["result"] == [:])
        #expect(try ask(#"{"jsonrpc":"2.0","id":3,"method":"nothing"}"#)?["error"]?["code"] == -32_601)
        #expect(try ask("nonsense")?["error"]?["code"] == -32_700)
        #expect(try ask("nonsense")?["id"] == JSONValue.null)
        #expect(try ask("[]")?["error"]?["code"] == -32_700)
        #expect(try ask(#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#)?["result"]?["tools"]?.array?.count == 9)
        let echoed = try ask(
            #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}"#)
        #expect(echoed?["result"]?["content"]?.array?.first?["text"] == #"{"a":1}"#)
        let refused = try ask(#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"other"}}"#)
        #expect(refused?["result"]?["isError"] == true)
    }
}
