import CanonicalJSON
import DurableStore
import Foundation
import HealthData
import TestSupport
import Testing

@testable import HealthDatabase

@Suite("Analysis database")
struct HealthDatabaseTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test("a day's values, samples, stages, workouts and records have rows; what cannot be read is counted")
    func everything() throws {
        try fixture.put("2026-03-29.json", DayText.day("2026-03-29", steps: 4321, extra: DayText.everything))
        let report = try fixture.update()
        #expect(report.addedDays == 1 && report.totalDays == 1 && report.failedCount == 0)
        // One heart rate sample, one route point, one record.
        #expect(report.skippedElements == 3)
        #expect(
            try fixture.rows(
                "SELECT starts_at c1, ends_at c2, skipped_elements c3, document_version c4 FROM days", columns: 4)
                == ["'2026-03-28T23:00:00.000Z'|'2026-03-29T22:00:00.000Z'|3|8"])
        #expect(
            try fixture.rows(
                "SELECT key c1, value c2, text c3, unit c4 FROM metrics WHERE key IN ('steps', 'sleep_bedtime', 'sleep_total_hours', 'workouts', 'walking_running_km') ORDER BY key",
                columns: 4) == [
                    "'sleep_bedtime'|NULL|'22:30'|'time'", "'sleep_total_hours'|7.5|NULL|'hours'",
                    "'steps'|4321.0|NULL|'steps'", "'walking_running_km'|1.2345|NULL|'km'",
                    "'workouts'|NULL|'[\"running\"]'|''",
                ])
        #expect(
            try fixture.rows(
                "SELECT metric c1, number c2, time c3, value c4, metadata c5 FROM samples ORDER BY 1, 2", columns: 5)
                == [
                    "'blood_pressure_diastolic'|1|'2026-03-29T07:00:00.000Z'|79.0|NULL",
                    "'blood_pressure_systolic'|1|'2026-03-29T07:00:00.000Z'|121.0|NULL",
                    "'heart_rate'|1|'2026-03-28T22:59:59.000Z'|61.0|NULL",
                    "'heart_rate'|2|'2026-03-29T06:00:00.125Z'|62.5|'{\"a\":\"1\",\"b\":\"2\"}'",
                ])
        #expect(try fixture.rows("SELECT stage c1, seconds c2 FROM sleep_stages", columns: 2) == ["'deep'|3600.0"])
        #expect(
            try fixture.rows(
                "SELECT sport c1, seconds c2, distance_m c3, is_indoor c4, activity_type c5 FROM workouts", columns: 5)
                == ["'running'|3500.0|10000.0|0|37"])
        #expect(
            try fixture.rows("SELECT kind c1, workout c2, number c3, seconds c4 FROM workout_sections", columns: 4)
                == ["'split'|1|1|300.0"])
        #expect(
            try fixture.rows("SELECT series c1, value c2 FROM workout_samples", columns: 2) == ["'stride_length'|1.1"])
        #expect(
            try fixture.rows("SELECT latitude c1, longitude c2, altitude_m c3 FROM route_points", columns: 3)
                == ["52.5|13.4|34.0"])
        #expect(try fixture.rows("SELECT valence c1, labels c2 FROM moods", columns: 2) == ["0.25|'[\"calm\"]'"])
        #expect(try fixture.rows("SELECT medication c1, quantity c2 FROM doses", columns: 2) == ["'Invented'|2.0"])
        #expect(try fixture.rows("SELECT data_type c1 FROM failures", columns: 1) == ["'hrv'"])
        #expect(
            try fixture.rows(
                "SELECT number c1, identifier c2, start_time c3, value c4, unit c5, source c6 FROM records ORDER BY 1",
                columns: 6) == [
                    "1|'U'|'2026-03-29T08:00:00.000Z'|42.0|'count'|'Watch'",
                    "3|'e|1'|'2026-03-29T08:00:00.000Z'|61.5|'count/min'|NULL",
                ])
    }

    @Test("only days whose document changed are written again; a second run changes nothing")
    func updateInPlace() throws {
        for day in 1...3 { try fixture.put("2026-03-0\(day).json", DayText.day("2026-03-0\(day)", steps: day)) }
        try fixture.put("_healthmd_data_dictionary.json", "[]")
        try fixture.put("Rollups/r.json", #"{"schema":"healthmd.rollup_summary"}"#)
        let first = try fixture.update()
        #expect((first.addedDays, first.changedDays, first.unchangedDays, first.otherFiles) == (3, 0, 0, 2))
        fixture.now += 60
        let second = try fixture.update()
        #expect((second.addedDays, second.changedDays, second.unchangedDays, second.otherFiles) == (0, 0, 3, 2))
        #expect(
            try fixture.rows("SELECT DISTINCT updated_at c1 FROM days", columns: 1) == ["'2026-03-31T23:33:20.000Z'"])
        try fixture.put("2026-03-02.json", DayText.day("2026-03-02", steps: 99))
        let third = try fixture.update()
        #expect((third.addedDays, third.changedDays, third.unchangedDays) == (0, 1, 2))
        #expect(
            try fixture.rows("SELECT steps c1 FROM daily_steps ORDER BY date", columns: 1) == ["1.0", "99.0", "3.0"])
        #expect(
            try fixture.rows("SELECT date c1 FROM days WHERE updated_at > '2026-03-31T23:34'", columns: 1)
                == ["'2026-03-02'"])
    }

    @Test("an unreadable document is failed and keeps its day's rows; an absent one is missing; they are never mixed")
    func failedAndMissing() throws {
        for day in 1...4 { try fixture.put("2026-03-0\(day).json", DayText.day("2026-03-0\(day)", steps: day)) }
        try fixture.update()
        try fixture.put("2026-03-02.json", "{ cut off")
        try fixture.put("2026-03-06.json", DayText.day("2026-03-06", steps: 6).replacing(":8,", with: ":9,"))
        try fixture.documents.remove("2026-03-03.json")
        let report = try fixture.update()
        #expect(report.failedCount == 2 && report.missingCount == 1 && report.totalDays == 4)
        #expect(
            report.failed == [
                .init(path: "2026-03-02.json", date: "2026-03-02", code: "document_unreadable"),
                .init(path: "2026-03-06.json", date: "2026-03-06", code: "document_version_unsupported"),
            ])
        #expect(report.missing == [.init(path: "2026-03-03.json", date: "2026-03-03", code: nil)])
        #expect(try fixture.rows("SELECT sum(steps) c1 FROM daily_steps", columns: 1) == ["10.0"])
        #expect(
            try fixture.rows("SELECT date c1, document_state c2 FROM stale_days ORDER BY 1", columns: 2)
                == ["'2026-03-02'|'failed'", "'2026-03-03'|'missing'"])
        // The same again: failures are told each time, not only when the bytes change.
        #expect(try fixture.update() == report.withoutChanges)
        // Mended and back again: nothing is stale.
        try fixture.put("2026-03-02.json", DayText.day("2026-03-02", steps: 2))
        try fixture.put("2026-03-03.json", DayText.day("2026-03-03", steps: 3))
        let mended = try fixture.update()
        #expect(mended.missingCount == 0 && mended.failedCount == 1 && mended.unchangedDays == 4)
        #expect(try fixture.rows("SELECT date c1 FROM stale_days", columns: 1).isEmpty)
    }

    @Test("days between the first and the last without rows are missing days, failed ones marked")
    func missingDays() throws {
        for day in [1, 4, 5] { try fixture.put("2026-03-0\(day).json", DayText.day("2026-03-0\(day)", steps: day)) }
        try fixture.put("2026-03-03.json", "no JSON")
        try fixture.update()
        #expect(
            try fixture.rows("SELECT date c1, reason c2 FROM missing_days ORDER BY 1", columns: 2)
                == ["'2026-03-02'|'absent'", "'2026-03-03'|'failed'"])
    }

    @Test("days of documents that are gone go when that is asked for")
    func removal() throws {
        for day in 1...3 { try fixture.put("2026-03-0\(day).json", DayText.day("2026-03-0\(day)", steps: day)) }
        try fixture.update()
        try fixture.documents.remove("2026-03-02.json")
        let report = try fixture.update(removingMissing: true)
        #expect(report.removedDays == 1 && report.missingCount == 0 && report.totalDays == 2)
        #expect(try fixture.rows("SELECT count(*) c1 FROM metrics WHERE date = '2026-03-02'", columns: 1) == ["0"])
        #expect(try fixture.rows("SELECT count(*) c1 FROM documents", columns: 1) == ["2"])
    }

    @Test("a moved document keeps its day; a copy is no day; two documents of one day with other content are a failure")
    func pathsOfDays() throws {
        try fixture.put("b.json", DayText.day("2026-03-01", steps: 1))
        try fixture.update()
        try fixture.put("old/c.json", DayText.day("2026-03-01", steps: 1))
        let copied = try fixture.update()
        #expect(copied.unchangedDays == 1 && copied.otherFiles == 1 && copied.failedCount == 0)
        try fixture.documents.remove("b.json")
        let moved = try fixture.update()
        #expect(moved.unchangedDays == 1 && moved.missingCount == 0 && moved.otherFiles == 0)
        try fixture.put("z.json", DayText.day("2026-03-01", steps: 7))
        let doubled = try fixture.update()
        #expect(doubled.failed == [.init(path: "z.json", date: "2026-03-01", code: "duplicate_day")])
        #expect(try fixture.rows("SELECT steps c1 FROM daily_steps", columns: 1) == ["1.0"])
        try fixture.documents.remove("old/c.json")
        let left = try fixture.update()
        #expect(left.changedDays == 1 && left.failedCount == 0)
    }

    @Test("a document that is of another day now leaves its former day as missing")
    func changedDate() throws {
        try fixture.put("day.json", DayText.day("2026-03-01", steps: 1))
        try fixture.update()
        try fixture.put("day.json", DayText.day("2026-03-02", steps: 2))
        let report = try fixture.update()
        #expect(report.addedDays == 1 && report.totalDays == 2)
        #expect(report.missing == [.init(path: "day.json", date: "2026-03-01", code: nil)])
    }

    @Test("an update that stops leaves whole days, and the next one goes on")
    func interruption() throws {
        let days = (0..<200).compactMap { CivilDate(year: 2026, month: 1, day: 1)?.adding(days: $0)?.description }
        for (index, day) in days.enumerated() { try fixture.put("\(day).json", DayText.day(day, steps: index)) }
        var asked = 0
        let stopped = try fixture.update {
            asked += 1
            return asked > 150
        }
        #expect(stopped.totalDays > 0 && stopped.totalDays < 200 && stopped.isInterrupted)
        // The calendar is that of the days that are there.
        #expect(
            try fixture.rows("SELECT count(*) c1 FROM calendar", columns: 1) == ["\(stopped.totalDays)"])
        #expect(
            try fixture.rows("SELECT count(*) c1 FROM days WHERE date NOT IN (SELECT date FROM metrics)", columns: 1)
                == ["0"])
        let rest = try fixture.update()
        #expect(!rest.isInterrupted)
        #expect(try fixture.rows("SELECT count(*) c1 FROM calendar", columns: 1) == ["200"])
        #expect(rest.totalDays == 200 && rest.addedDays == 200 - stopped.totalDays)
        try fixture.open().database.checkIntegrity()
    }

    @Test("a file that is no database of ours is refused and stays as it is")
    func foreignFiles() throws {
        let note = Array("my note".utf8)
        try fixture.root.durableReplace("health.sqlite") { try $0.write(note) }
        #expect(throws: HealthDatabaseError.foreignFile(path: "health.sqlite")) { try fixture.open() }
        #expect(try fixture.root.file("health.sqlite").contents(maximumByteCount: 100) == note)

        let other = DatabaseSchema(applicationID: "othr", migrations: [.sql("CREATE TABLE t (a TEXT) STRICT")])
        var foreign: Database? = try Database.open("other.sqlite", in: fixture.root, schema: other)
        #expect(throws: HealthDatabaseError.foreignFile(path: "other.sqlite")) { try fixture.open("other.sqlite") }
        try foreign?.leaveWriteAheadLog()
        foreign = nil
        let before = try fixture.root.file("other.sqlite").contents(maximumByteCount: 1 << 20)
        #expect(throws: HealthDatabaseError.foreignFile(path: "other.sqlite")) { try fixture.open("other.sqlite") }
        #expect(try fixture.root.file("other.sqlite").contents(maximumByteCount: 1 << 20) == before)
    }

    @Test(
        "an empty file becomes a private database; a small or logged database of another stays as it is, byte for byte")
    func strangers() throws {
        try fixture.put("2026-03-01.json", DayText.day("2026-03-01", steps: 1))
        let path = fixture.folder.appending("health.sqlite")
        try Data().write(to: URL(fileURLWithPath: path))
        chmod(path, 0o644)
        try fixture.update()
        #expect(try fixture.root.status(of: "health.sqlite")?.permissions == 0o600)
        // A database that was there keeps the mode that it was given.
        chmod(path, 0o644)
        try fixture.update()
        #expect(try fixture.root.status(of: "health.sqlite")?.permissions == 0o644)

        let other = DatabaseSchema(applicationID: "othr", migrations: [.sql("SELECT 1")])
        var foreign: Database? = try Database.open("small.sqlite", in: fixture.root, schema: other)
        let log = try #require(try fixture.root.status(of: "small.sqlite-wal")?.size)
        #expect(log > 0)
        #expect(throws: HealthDatabaseError.foreignFile(path: "small.sqlite")) { try fixture.open("small.sqlite") }
        #expect(try fixture.root.status(of: "small.sqlite-wal")?.size == log)
        try foreign?.leaveWriteAheadLog()
        foreign = nil
        let before = try fixture.root.file("small.sqlite").contents(maximumByteCount: 1 << 20)
        #expect(before.count == 4_096 && before[18] == 1)
        #expect(throws: HealthDatabaseError.foreignFile(path: "small.sqlite")) { try fixture.open("small.sqlite") }
        #expect(try fixture.root.file("small.sqlite").contents(maximumByteCount: 1 << 20) == before)
        #expect(throws: HealthDatabaseError.foreignFile(path: "small.sqlite")) {
            try HealthDatabase.requireUsable("small.sqlite", in: fixture.root)
        }
        // The general opening looks before it changes the way of journalling, too.
        #expect(throws: StoreError.self) {
            try Database.open(
                "small.sqlite", in: fixture.root, schema: HealthDatabaseSchema.schema, mustBePrivate: false)
        }
        #expect(try fixture.root.file("small.sqlite").contents(maximumByteCount: 1 << 20) == before)
    }

    @Test("a folder that cannot be read is passed over and named, and days in it are neither missing nor removed")
    func unreadableFolder() throws {
        try fixture.put("2026-03-01.json", DayText.day("2026-03-01", steps: 1))
        try fixture.put("locked/2026-03-02.json", DayText.day("2026-03-02", steps: 2))
        try fixture.update()
        chmod(fixture.folder.appending("days"), 0o755)
        chmod(fixture.folder.appending("days/locked"), 0)
        defer { chmod(fixture.folder.appending("days/locked"), 0o700) }
        let database = try fixture.open()
        // Root reads every folder: while the folder is searched this thread is nobody to the file system.
        let asNobody = try #require(FileSystemUser())
        let report = try asNobody.during { restore in
            try database.update(from: fixture.documents, named: "days", removingMissing: true) {
                restore()
                return false
            }
        }
        try database.finish()
        #expect(report.unreadable == [.init(path: "locked/", date: nil, code: "permission_denied")])
        #expect(report.unreadableCount == 1 && report.totalDays == 2 && report.unchangedDays == 1)
        #expect(report.removedDays == 0 && report.missingCount == 0)
        #expect(try fixture.rows("SELECT sum(steps) c1 FROM daily_steps", columns: 1) == ["3.0"])
    }

    @Test("a folder is known to hold days by its documents, readable or not; other JSON files are none")
    func holdsDays() throws {
        #expect(try !HealthDatabase.holdsDays(fixture.documents))
        try fixture.put("other.json", "{}")
        try fixture.put("list.json", "[]")
        #expect(try !HealthDatabase.holdsDays(fixture.documents))
        try fixture.put("deep/er/broken.json", "{ cut off")
        #expect(try HealthDatabase.holdsDays(fixture.documents))
    }

    @Test("a folder without day documents is refused")
    func noDocuments() throws {
        try fixture.put("other.json", "{}")
        #expect(throws: HealthDatabaseError.noDocuments(folder: "days")) { try fixture.update() }
    }

    @Test("a folder that has lost all its documents, as one on a disk that is not there, costs the database nothing")
    func emptiedFolder() throws {
        try fixture.put("2026-03-01.json", DayText.day("2026-03-01", steps: 1))
        try fixture.update()
        try fixture.documents.remove("2026-03-01.json")
        for isRemoving in [false, true] {
            #expect(throws: HealthDatabaseError.noDocuments(folder: "days")) {
                try fixture.update(removingMissing: isRemoving)
            }
        }
        #expect(try fixture.rows("SELECT steps c1 FROM daily_steps", columns: 1) == ["1.0"])
    }

    @Test("the finished file stands alone, without a log beside it")
    func singleFile() throws {
        try fixture.put("a.json", DayText.day("2026-03-01", steps: 1))
        try fixture.update()
        #expect(try fixture.root.entries().map(\.name) == ["days", "health.sqlite"])
    }

    @Test("links and hidden folders are not followed")
    func links() throws {
        try fixture.put("a.json", DayText.day("2026-03-01", steps: 1))
        try fixture.put(".hidden/b.json", DayText.day("2026-03-02", steps: 1))
        let other = try Fixture()
        try other.put("c.json", DayText.day("2026-03-03", steps: 1))
        symlink(other.folder.appending("days"), fixture.folder.appending("days/link"))
        symlink(other.folder.appending("days/c.json"), fixture.folder.appending("days/c.json"))
        #expect(try fixture.update().totalDays == 1)
    }

    @Test("sleep, weeks and resting heart rate come out of the views")
    func views() throws {
        try fixture.put("2026-03-29.json", DayText.day("2026-03-29", steps: 1, extra: DayText.everything))
        try fixture.update()
        #expect(
            try fixture.rows("SELECT total_hours c1, bedtime c2 FROM sleep_nights", columns: 2) == ["7.5|'22:30'"])
        // 29 March 2026 is a Sunday: its week began on Monday the 23rd.
        #expect(
            try fixture.rows("SELECT week c1, sport c2, workouts c3, distance_km c4 FROM workouts_per_week", columns: 4)
                == ["'2026-03-23'|'running'|1|10.0"])
        #expect(
            try fixture.rows("SELECT bpm c1, mean_of_seven c2 FROM resting_heart_rate", columns: 2) == ["52.0|52.0"])
        #expect(
            try fixture.rows(
                "SELECT time c1, samples c2, maximum_bpm c3 FROM heart_rate_by_hour ORDER BY 1", columns: 3)
                == ["'2026-03-28T22:00:00.000Z'|1|61.0", "'2026-03-29T06:00:00.000Z'|1|62.5"])
    }

    @Test("every table, view and column is documented, in the database and in docs/DATABASE.md")
    func documentation() throws {
        try fixture.put("a.json", DayText.day("2026-03-01", steps: 1))
        try fixture.update()
        let undocumented = """
            SELECT s.name c1, p.name c2 FROM sqlite_schema s JOIN pragma_table_info(s.name) p
            WHERE s.type = 'table' AND NOT EXISTS (SELECT 1 FROM documentation d WHERE d.object = s.name AND d.column_name = p.name)
            UNION ALL SELECT s.name, '' FROM sqlite_schema s WHERE s.type IN ('table', 'view')
            AND NOT EXISTS (SELECT 1 FROM documentation d WHERE d.object = s.name AND d.column_name = '')
            UNION ALL SELECT d.object, d.column_name FROM documentation d
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema s WHERE s.name = d.object)
            """
        #expect(try fixture.rows(undocumented, columns: 2).isEmpty)
        let page = try String(
            contentsOf: Checkout.root.appendingPathComponent("docs/DATABASE.md"), encoding: .utf8)
        for line in HealthDatabaseDocumentation.lines {
            let row = line.column.isEmpty ? "`\(line.object)`" : "| `\(line.column)` | \(line.meaning) |"
            #expect(page.contains(row), "\(line.object).\(line.column) is not in docs/DATABASE.md as it is here")
        }
        #expect(page.contains("schema version \(HealthDatabase.schemaVersion)"))
    }

    @Test("all tables are STRICT")
    func strictTables() throws {
        try fixture.put("a.json", DayText.day("2026-03-01", steps: 1))
        try fixture.update()
        #expect(
            try fixture.rows(
                "SELECT name c1 FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%'",
                columns: 1
            )
            .isEmpty)
    }

    @Test(
        "the published lossless day has a row for every sample and record",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func publishedDay() throws {
        let text = String(decoding: try SharedFixtures.bytes("health-data/lossless-day.json"), as: UTF8.self)
        try fixture.put("day.json", text)
        #expect(try fixture.update().skippedElements == 0)
        let document = try DayDocument(parsing: Array(text.utf8))
        let archive = try #require(document.archive)
        let records = (archive["records"]?.array?.count ?? 0) + (archive["external_records"]?.array?.count ?? 0)
        #expect(try fixture.rows("SELECT count(*) c1 FROM records", columns: 1) == ["\(records)"])
        let samples = document.value("heart.heartRateSamples")?.array?.count ?? 0
        #expect(samples > 0)
        #expect(
            try fixture.rows("SELECT count(*) c1 FROM samples WHERE metric = 'heart_rate'", columns: 1) == [
                "\(samples)"
            ])
        #expect(try fixture.rows("SELECT count(*) c1 FROM metrics", columns: 1) == ["\(document.dayValues().count)"])
    }
}

extension UpdateReport {
    /// The same report of a run that finds nothing new.
    fileprivate var withoutChanges: UpdateReport {
        var report = self
        report.unchangedDays += report.addedDays + report.changedDays
        (report.addedDays, report.changedDays) = (0, 0)
        return report
    }
}

/// Who this thread is to the file system (setfsuid, which only Linux has and which the toolchain's headers leave out).
private struct FileSystemUser {
    private typealias Call = @convention(c) (UInt32) -> CInt
    private let call: Call

    init?() {
        guard let symbol = dlsym(nil, "setfsuid") else { return nil }
        call = unsafeBitCast(symbol, to: Call.self)
    }

    /// Runs something as nobody, until it says that it wants to be itself again.
    func during<Result>(_ body: (_ restore: () -> Void) throws -> Result) rethrows -> Result {
        let own = geteuid()
        if own == 0 { _ = call(65_534) }
        defer { _ = call(own) }
        return try body { _ = call(own) }
    }
}
