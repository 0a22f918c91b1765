import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Reports for people: a fixed order, units, thousands apart, what is wrong and the next step last.
@Suite("Reports for people")
struct ReportTextTests {
    private let folder: TemporaryFolder
    private let xml: String

    init() throws {
        folder = try TemporaryFolder()
        xml = folder.appending("export.xml")
        func record(_ type: String, _ minute: Int, _ unit: String, _ value: String = "1") -> String {
            let time =
                "2026-03-0\(1 + minute / 600) \(10 + minute / 60 % 10):\(minute % 60 < 10 ? "0" : "")\(minute % 60):00 +0100"
            return " <Record type=\"\(type)\" sourceName=\"W\u{1B}[2Jatch\" unit=\"\(unit)\" value=\"\(value)\" "
                + "startDate=\"\(time)\" endDate=\"\(time)\"/>\n"
        }
        var text = "<HealthData locale=\"de_DE\">\n <ExportDate value=\"2026-03-10 08:30:00 +0100\"/>\n"
        for minute in 0..<1_150 {
            text += record("HKQuantityTypeIdentifierHeartRate", minute, "count/min", "\(60 + minute % 9)")
        }
        for index in 0..<22 { text += record("HKQuantityTypeIdentifierOdd\(index)", index, "g") }
        text +=
            " <Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"a\" startDate=\"soon\" endDate=\"later\"/>\n"
        text += " <Strange/>\n <Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" sourceName=\"a\" "
        text += "startDate=\"2026-03-01 10:00:00 +0100\" endDate=\"2026-03-01 10:30:00 +0100\">\n"
        text +=
            "  <WorkoutRoute><FileReference path=\"/workout-routes/gone.gpx\"/></WorkoutRoute>\n </Workout>\n</HealthData>\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: xml))
    }

    /// The lines of a report without its tables' middle.
    private func positions(_ text: String, _ parts: [String]) -> [Int] {
        parts.map { part in
            text.range(of: part).map { text.distance(from: text.startIndex, to: $0.lowerBound) } ?? -1
        }
    }

    private func expectOrder(_ text: String, _ parts: [String]) {
        let found = positions(text, parts)
        #expect(!found.contains(-1) && found == found.sorted(), "\(zip(parts, found).map { "\($0): \($1)" })\n\(text)")
        #expect(!text.contains("\u{1B}"))
    }

    @Test("an inspection is a report with the most frequent types first and the next step last, the same every time")
    func inspection() throws {
        let run = try CommandRun(["health-export", "inspect", xml, "--human"])
        #expect(run.status == 0)
        expectOrder(
            run.text,
            [
                "\(xml): a complete export\n", "  main file", "  made", "2026-03-10 07:30 UTC, de_DE,", "unpacked\n",
                "  dates", "2026-03-01 to 2026-03-02\n", "  records", "1,172\n", "  workouts", "23 record types\n",
                "  1,150  HeartRate  count/min  2026-03-01 to 2026-03-02\n", "      1  Odd0 ", "2026-03-01\n",
                "  and 3 further types (--json lists all)\n", "1 source\n", "1 kind of unknown elements\n",
                "  1  HealthData/Strange\n", "odd, and read all the same: ", "  1  unknown_element", "left out: 1\n",
                "  1  unreadable_date  A date that cannot be read  first at \(xml), line 1,175, byte ",
                "next: healthmd phone import",
            ])
        for _ in 0..<3 { #expect(try CommandRun(["health-export", "inspect", xml, "--human"]).text == run.text) }
    }

    @Test("an import is a report of what was kept, and what was left out stands last with its place")
    func importing() throws {
        let state = ["--data-dir", folder.appending("state")]
        let run = try CommandRun(["phone", "import", xml, "--time-zone", "Europe/Berlin", "--human"] + state)
        #expect(run.status == 0)
        expectOrder(
            run.text,
            [
                "import 1: complete\n", "  export", xml, "  days", "2 with data, 2026-03-01 to 2026-03-02\n",
                "  records kept", "1,172\n", "  routes", "0, 0 points\n", "23 record types\n", "  1,150  HeartRate",
                "left out: 2\n", "  1  route_missing ", "first at /workout-routes/gone.gpx\n", "  1  unreadable_date ",
                "next: healthmd phone show 2026-03-02",
            ])
        let status = try CommandRun(["phone", "status", "--human"] + state).text
        expectOrder(
            status,
            [
                "phone side ", "  data", "import 1, 1,172 records, 2026-03-01 to 2026-03-02, Europe/Berlin\n",
                "  receiver",
                "none is paired; pair one: healthmd phone pair", "  service", "does not run",
                "left out by the import: 2\n",
            ])
        #expect(try CommandRun(["phone", "status", "--human"] + state).text == status)
        let fresh = try CommandRun(["phone", "status", "--human", "--data-dir", folder.appending("fresh")]).text
        #expect(fresh.contains("nothing was imported; import an export: healthmd phone import"))
    }

    @Test("a broken export is called so at the head, and its next step is the last line")
    func broken() throws {
        let text = try String(contentsOfFile: xml, encoding: .utf8)
        let cut = folder.appending("cut.xml")
        try Data(text.utf8.prefix(50_000)).write(to: URL(fileURLWithPath: cut))
        let inspected = try CommandRun(["health-export", "inspect", cut, "--human"])
        expectOrder(
            inspected.text,
            [
                ": an incomplete export\n", "left out: 1\n", "the main file breaks off at \(cut), line ",
                "next: copy the export again",
            ])
        let imported = try CommandRun([
            "phone", "import", cut, "--time-zone", "Europe/Berlin", "--human", "--rescue", "--data-dir",
            folder.appending("state"),
        ])
        expectOrder(
            imported.text,
            ["import 1: incomplete\n", "  breaks off at ", "\(cut), line ", "next: copy the export again"])
    }

    @Test("numbers have their thousands apart, amounts their unit, bytes a unit that is easy to read")
    func quantities() {
        #expect(
            [0, 999, 1_000, 1_234_567, -1_000].map { Quantity.number($0) } == [
                "0", "999", "1,000", "1,234,567", "-1,000",
            ])
        #expect([1, 0, 3_012].map { Quantity.of($0, "day") } == ["1 day", "0 days", "3,012 days"])
        #expect(
            [1, 999, 1_000, 44_123_456, 3_100_000_000].map { Quantity.bytes($0) }
                == ["1 byte", "999 bytes", "1.0 kB", "44.1 MB", "3.1 GB"])
    }

    @Test("columns begin at one place, numbers end at one, and nothing trails")
    func columns() {
        var report = ReportText()
        report.heading("head\u{7}")
        report.row("a", "1")
        report.row("longer", "2")
        report.row("none", nil)
        report.table([["1", "x", ""], ["1,000", "yy", "z"]], right: [0])
        #expect(!report.text.contains("\u{7}"))
        #expect(report.text.hasSuffix("\n  a       1\n  longer  2\n      1  x\n  1,000  yy  z\n"))
    }
}
