import CanonicalJSON
import DurableStore
import Foundation
import HealthRecords
import TestSupport
import Testing

@testable import HealthExport

@Suite struct DayStoreTests {
    private static let zoneName = "Europe/Berlin"

    /// A store in a folder of its own.
    private struct Place {
        let folder: URL
        let directory: Directory

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("healthmd-\(UUID().uuidString)")
            directory = try Directory.openRoot(folder.path, creating: true)
        }

        func remove() { GeneratedExport.remove(folder) }

        /// Writes an export and gives its path.
        func export(_ body: String, name: String = "export.xml") throws -> String {
            let path = folder.appendingPathComponent(name)
            let text =
                "<?xml version=\"1.0\"?>\n<HealthData locale=\"de_DE\">\n"
                + " <ExportDate value=\"2026-04-20 12:00:00 +0200\"/>\n\(body)\n</HealthData>\n"
            try Data(text.utf8).write(to: path)
            return path.path
        }
    }

    private static let now = Instant(secondsSince1970: 1_776_700_000)

    private func record(
        _ type: String, _ start: String, _ end: String, _ value: String = "1", unit: String = "count",
        source: String = "Phone", created: String? = nil, children: String = ""
    ) -> String {
        let kind = type.hasPrefix("HK") ? type : "HKQuantityTypeIdentifier" + type
        let unitText = unit.isEmpty ? "" : " unit=\"\(unit)\""
        let head =
            " <Record type=\"\(kind)\" sourceName=\"\(source)\" sourceVersion=\"1\"\(unitText) "
            + "creationDate=\"\(created ?? end) +0200\" startDate=\"\(start) +0200\" endDate=\"\(end) +0200\" value=\"\(value)\""
        return children.isEmpty ? head + "/>" : head + ">\n\(children)\n </Record>"
    }

    /// Imports and gives the day.
    private func sourceDay(_ body: String, _ date: String) throws -> (SourceDay, ImportReport) {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let report = try store.importExport(
            paths: [try place.export(body)], timeZone: Self.zoneName, now: Self.now)
        return (try store.sourceDay(try #require(CivilDate(date))), report)
    }

    @Test("a record comes back as it was read, with its digest")
    func roundTrip() throws {
        let body = [
            record(
                "HeartRate", "2026-04-15 10:00:00", "2026-04-15 10:00:00", "61.25", unit: "count/min",
                source: "W &amp; Co’s",
                children: "  <MetadataEntry key=\"a\" value=\"b &lt; c\"/>\n  <MetadataEntry key=\"k\" value=\"\"/>"),
            record("StepCount", "2026-04-15 09:00:00", "2026-04-15 09:10:00", "1e-05"),
            record("StepCount", "2026-04-15 09:20:00", "2026-04-15 09:25:00", "-0"),
            record("BodyMass", "2026-04-15 09:00:00", "2026-04-15 09:00:00", "NaN", unit: "kg"),
            record(
                "HKCategoryTypeIdentifierMindfulSession", "2026-04-15 08:00:00", "2026-04-15 08:10:00", "Ä &amp; B",
                unit: ""),
            record(
                "HeartRateVariabilitySDNN", "2026-04-15 07:00:00", "2026-04-15 07:01:00", "40", unit: "ms",
                children:
                    "<HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm=\"60\" time=\"7:00:01,50\"/></HeartRateVariabilityMetadataList>"
            ),
        ].joined(separator: "\n")
        let (visitor, _) = try readBody(body)
        let (day, report) = try sourceDay(body, "2026-04-15")
        var expected = visitor.records.map(\.record)
        for index in expected.indices { expected[index].contentDigest = ContentDigest.of(expected[index]) }
        expected.sort { $0.type != $1.type ? $0.type < $1.type : DayGeneration.isBefore($0, $1) }
        #expect(day.records == expected)
        #expect(day.records.allSatisfy { $0.contentDigest.count == 32 })
        #expect(report.storedRecordCount == 6 && report.recordCount == 6 && report.dayCount == 1)
    }

    @Test("a day holds what starts in it, overlaps it, or belongs to its night; not more")
    func windows() throws {
        let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
        func asleep(_ start: String, _ end: String) -> String {
            record(sleep, start, end, "HKCategoryValueSleepAnalysisAsleepCore", unit: "")
        }
        let body = [
            record("StepCount", "2026-04-14 23:50:00", "2026-04-15 00:10:00", "1"),
            record("StepCount", "2026-04-14 23:50:00", "2026-04-15 00:00:00", "2"),
            record("StepCount", "2026-04-15 00:00:00", "2026-04-15 00:00:00", "3"),
            record("StepCount", "2026-04-15 23:59:59", "2026-04-16 00:30:00", "4"),
            record("StepCount", "2026-04-16 00:00:00", "2026-04-16 00:30:00", "5"),
            record("Exposure", "2026-04-05 10:00:00", "2026-04-18 10:00:00", "6"),
            record("Exposure", "2026-04-05 11:00:00", "2026-04-15 00:00:00", "7"),
            asleep("2026-04-14 23:00:00", "2026-04-15 06:00:00"), asleep("2026-04-15 23:00:00", "2026-04-16 06:00:00"),
            asleep("2026-04-16 02:00:00", "2026-04-16 02:30:00"), asleep("2026-04-16 12:00:00", "2026-04-16 12:30:00"),
        ].joined(separator: "\n")
        let (day, _) = try sourceDay(body, "2026-04-15")
        let numbers = day.records.compactMap { record -> Double? in
            if case .quantity(let number, _) = record.value { return number }
            return nil
        }
        #expect(numbers == [6, 1, 3, 4])
        #expect(day.records.filter { $0.type == sleep }.count == 3)
    }

    @Test("copies are merged, equal instants only when they agree in everything, nested twins count once")
    func duplicates() throws {
        let walk = record("StepCount", "2026-04-15 09:00:00", "2026-04-15 09:10:00", "5")
        let again = record(
            "StepCount", "2026-04-15 09:00:00", "2026-04-15 09:10:00", "5", created: "2026-04-16 09:10:00")
        let coffee = record("DietaryCaffeine", "2026-04-15 09:00:00", "2026-04-15 09:00:00", "80", unit: "mg")
        let secondCup = record(
            "DietaryCaffeine", "2026-04-15 09:00:00", "2026-04-15 09:00:00", "80", unit: "mg",
            created: "2026-04-15 09:30:00")
        let pair = { (value: String) in
            self.record("BloodPressureSystolic", "2026-04-15 08:00:00", "2026-04-15 08:00:00", value, unit: "mmHg")
        }
        let correlation = { (value: String) in
            """
             <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Phone" startDate="2026-04-15 08:00:00 +0200" endDate="2026-04-15 08:00:00 +0200">
             \(pair(value))
             </Correlation>
            """
        }
        let body = [walk, again, walk, coffee, coffee, secondCup, pair("120"), correlation("120"), correlation("131")]
        let (day, report) = try sourceDay(body.joined(separator: "\n"), "2026-04-15")
        func count(_ type: String) -> Int { day.records.filter { $0.type.hasSuffix(type) }.count }
        #expect(count("StepCount") == 1)
        #expect(count("DietaryCaffeine") == 2)
        #expect(count("BloodPressureSystolic") == 2)
        #expect(day.correlations.map(\.members.count) == [1, 1])
        #expect(report.duplicateCount == 3 && report.nestedTwinCount == 1)
        #expect(report.problems.contains { $0.code == "duplicate_record" && $0.count == 3 })
    }

    @Test("the newest VO2 max before the end of the day is carried forward; a later one is not")
    func carriedForward() throws {
        let body = [
            record("VO2Max", "2026-04-01 10:00:00", "2026-04-01 10:00:00", "42", unit: "mL/min·kg"),
            record("VO2Max", "2026-04-10 10:00:00", "2026-04-10 10:00:00", "38.5", unit: "mL/min·kg"),
            record("VO2Max", "2026-04-16 10:00:00", "2026-04-16 10:00:00", "50", unit: "mL/min·kg"),
        ].joined(separator: "\n")
        let (day, _) = try sourceDay(body, "2026-04-15")
        #expect(day.carriedForward.map(\.value) == [.quantity(38.5, unit: "mL/min·kg")])
        #expect(try sourceDay(body, "2026-03-31").0.carriedForward.isEmpty)
    }

    @Test("a workout comes with its route in time order, and with the samples behind midnight")
    func workouts() throws {
        let route = (0..<5).map {
            "<Location date=\"2026-04-15 23:5\(4 - $0):00 +0200\" latitude=\"52.5\" longitude=\"13.\($0)\" course=\"-1\"/>"
        }.joined()
        let workout = """
             <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" totalDistance="5" totalDistanceUnit="km" sourceName="W" startDate="2026-04-15 23:45:00 +0200" endDate="2026-04-16 00:20:00 +0200">
              <MetadataEntry key="HKIndoorWorkout" value="0"/>
              <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-04-15 23:50:00 +0200"/>
              <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="2026-04-15 23:45:00 +0200" endDate="2026-04-16 00:20:00 +0200" average="150.5" unit="count/min"/>
              <WorkoutActivity uuid="U" startDate="2026-04-15 23:45:00 +0200" duration="3" durationUnit="min"/>
              <WorkoutRoute sourceName="W" startDate="2026-04-15 23:45:00 +0200" endDate="2026-04-16 00:20:00 +0200">\(route)</WorkoutRoute>
              <MetadataEntry key="HKIndoorWorkout" value="0"/>
             </Workout>
            """
        let heart = record("HeartRate", "2026-04-16 00:10:00", "2026-04-16 00:10:00", "160", unit: "count/min")
        let later = record("HeartRate", "2026-04-16 00:30:00", "2026-04-16 00:30:00", "90", unit: "count/min")
        let (day, report) = try sourceDay([heart, later, workout, workout].joined(separator: "\n"), "2026-04-15")
        let found = try #require(day.workouts.first)
        #expect(day.workouts.count == 1)
        #expect(found.durationSeconds == 1_800 && found.totalDistance == UnitValue(value: 5, unit: "km"))
        #expect(found.metadata.count == 1 && found.events.count == 1 && found.statistics.first?.average == 150.5)
        #expect(found.activities.first?.durationSeconds == 180)
        #expect(found.route.map(\.longitude) == [13.4, 13.3, 13.2, 13.1, 13.0])
        #expect(found.route.allSatisfy { $0.course == nil })
        #expect(day.records.count == 1)
        #expect(report.elements["Workout"] == 2)
    }

    @Test("the zones of a workout are kept, and an older export without them is the same workout")
    func workoutZones() throws {
        func workout(_ children: String) -> String {
            """
             <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="W" startDate="2026-04-15 09:45:00 +0200" endDate="2026-04-15 10:20:00 +0200">
            \(children)
             </Workout>
            """
        }
        let zones = """
              <WorkoutZoneGroup type="HKQuantityTypeIdentifierHeartRate" source="system" unit="count/min">
               <WorkoutZone maximum="132" duration="2.5" durationUnit="min"/>
               <WorkoutZone minimum="132" duration="0" durationUnit="min"/>
              </WorkoutZoneGroup>
            """
        let group = WorkoutZoneGroup(
            type: "HKQuantityTypeIdentifierHeartRate", source: "system", unit: "count/min",
            zones: [
                WorkoutZone(maximum: 132, durationSeconds: 150), WorkoutZone(minimum: 132, durationSeconds: 0),
            ])
        let (day, report) = try sourceDay(workout(zones), "2026-04-15")
        let found = try #require(day.workouts.first)
        #expect(found.zoneGroups == [group])
        #expect(report.unknownElements.isEmpty && report.elements["WorkoutZone"] == 2)
        let (old, _) = try sourceDay(workout(""), "2026-04-15")
        #expect(old.workouts.first?.zoneGroups == [])
        #expect(old.workouts.first?.contentDigest == found.contentDigest)
    }

    @Test("one workout of two exports is one, with what either of them knows")
    func workoutOfTwoExports() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        func workout(_ children: String) -> String {
            """
             <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="W" startDate="2026-04-15 09:45:00 +0200" endDate="2026-04-15 10:20:00 +0200">
            \(children)
             </Workout>
            """
        }
        let zones =
            "<WorkoutZoneGroup type=\"T\"><WorkoutZone maximum=\"9\" duration=\"2\" durationUnit=\"min\"/></WorkoutZoneGroup>"
        let route = """
            <WorkoutRoute sourceName="W" startDate="2026-04-15 09:45:00 +0200" endDate="2026-04-15 10:20:00 +0200">\
            <MetadataEntry key="k" value="v"/><Location date="2026-04-15 09:46:00 +0200" latitude="1" longitude="2"/></WorkoutRoute>
            """
        let paths = [
            try place.export(workout(""), name: "a.xml"), try place.export(workout(zones), name: "b.xml"),
            try place.export(workout(route + route), name: "c.xml"),
        ]
        _ = try store.importExport(paths: paths, timeZone: Self.zoneName, now: Self.now)
        let day = try store.sourceDay(try #require(CivilDate("2026-04-15")))
        let found = try #require(day.workouts.first)
        #expect(day.workouts.count == 1 && found.zoneGroups.count == 1)
        #expect(found.routes.count == 1 && found.routes.first?.metadata.first?.key == "k")
        #expect(found.routes.first?.source.name == "W" && found.routes.first?.start != nil)
        // Twice in the element, as its route is (apple-health-export.md 10).
        #expect(found.route.map(\.longitude) == [2, 2])
    }

    @Test("a clinical record makes its day one with data; without any date it belongs to no day and is counted")
    func clinicalDays() throws {
        let place = try Place()
        defer { place.remove() }
        func clinical(_ received: String) -> String {
            " <ClinicalRecord type=\"Condition\" identifier=\"\(received)\" sourceName=\"C\" sourceURL=\"\" fhirVersion=\"4.0.1\""
                + received + " resourceFilePath=\"/x.json\"/>"
        }
        let body = clinical(" receivedDate=\"2026-04-12 09:00:00 +0200\"") + "\n" + clinical("")
        let store = try DayStore.open(in: place.directory)
        let dated = try store.importExport(paths: [try place.export(body)], timeZone: Self.zoneName, now: Self.now)
        // The second one stands on the day of the export.
        #expect(try store.days().map(\.description) == ["2026-04-12", "2026-04-20"])
        #expect(!dated.problems.contains { $0.code == "clinical_record_undated" })
        let found = try store.sourceDay(try #require(CivilDate("2026-04-12"))).clinicalRecords
        #expect(found.count == 1 && found.first?.resource == nil && found.first?.contentDigest.count == 32)
        #expect(try store.sourceDay(try #require(CivilDate("2026-04-12")), documents: false).clinicalRecords.isEmpty)
        let bare = place.folder.appendingPathComponent("bare.xml")
        try Data("<HealthData>\n\(body)\n</HealthData>\n".utf8).write(to: bare)
        let undated = try store.importExport(paths: [bare.path], timeZone: nil, now: Self.now)
        #expect(undated.problems.contains { $0.code == "clinical_record_undated" && $0.count == 1 && $0.leavesOut })
        #expect(try store.days().map(\.description) == ["2026-04-12"])
    }

    @Test("an export that breaks off takes the place of a longer generation only when that is asked for")
    func incompleteDoesNotReplace() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let lines = (0..<4).map { record("StepCount", "2026-04-15 0\($0):00:00", "2026-04-15 0\($0):10:00") }
        let whole = try place.export(lines.joined(separator: "\n"))
        let full = try store.importExport(paths: [whole], timeZone: Self.zoneName, now: Self.now)
        let text = try String(contentsOfFile: whole, encoding: .utf8)
        let cut = place.folder.appendingPathComponent("cut.xml").path
        try Data(text.utf8.prefix(text.utf8.count - 100)).write(to: URL(fileURLWithPath: cut))
        do {
            _ = try store.importExport(paths: [cut], timeZone: nil, now: Self.now)
            Issue.record("the longer generation was replaced")
        } catch let error as ExportError {
            #expect(error == .incompleteWouldReplace(path: cut, found: 3, stored: 4))
            #expect(error.code == "incomplete_would_replace")
        }
        #expect(try store.generationNumbers() == [full.generation])
        let taken = try store.importExport(paths: [cut], timeZone: nil, replacesLonger: true, now: Self.now)
        #expect(!taken.isComplete && taken.storedRecordCount == 3)
        // What is no shorter than what is there may come in, marked as it is.
        #expect(try store.importExport(paths: [cut], timeZone: nil, now: Self.now).generation == taken.generation + 1)
    }

    @Test("the range of days ignores dates before 1970 and after the export; the records stay")
    func implausibleDates() throws {
        let body = [
            record("StepCount", "2026-04-10 10:00:00", "2026-04-10 10:10:00"),
            record("StepCount", "2026-04-12 10:00:00", "2026-04-12 10:10:00"),
            record("StepCount", "2099-01-01 10:00:00", "2099-01-01 10:10:00"),
            record("StepCount", "1950-01-01 10:00:00", "1950-01-01 10:10:00"),
        ].joined(separator: "\n")
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let report = try store.importExport(
            paths: [try place.export(body)], timeZone: Self.zoneName, now: Self.now)
        #expect(try store.days().map(\.description) == ["2026-04-10", "2026-04-12"])
        #expect(report.firstDay == "2026-04-10" && report.lastDay == "2026-04-12" && report.storedRecordCount == 4)
        #expect(try store.sourceDay(try #require(CivilDate("2099-01-01"))).records.count == 1)
        #expect(Set(report.problems.map(\.code)) == ["date_in_future", "date_before_1970"])
    }

    @Test("an import says what it takes the place of, and which days it no longer has")
    func replaced() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        func steps(_ days: [Int]) -> String {
            days.map { day in
                let date = "2026-04-" + (day < 10 ? "0" : "") + String(day)
                return record("StepCount", "\(date) 10:00:00", "\(date) 10:10:00")
            }.joined(separator: "\n")
        }
        let old = try place.export(steps([1, 2, 3, 5, 8, 9]), name: "old.xml")
        let new = try place.export(steps([3, 4, 9, 10]), name: "new.xml")
        let first = try store.importExport(paths: [old], timeZone: Self.zoneName, now: Self.now)
        #expect(first.replaced == nil)
        let second = try store.importExport(paths: [new], timeZone: nil, now: Self.now)
        let replaced = try #require(second.replaced)
        #expect(replaced.generation == 1 && replaced.dayCount == 6 && replaced.recordCount == 6)
        #expect(replaced.firstDay == "2026-04-01" && replaced.lastDay == "2026-04-09" && replaced.paths == [old])
        #expect(replaced.lostDayCount == 4)
        #expect(
            replaced.lostSpans == [
                ReplacedImport.Span(from: "2026-04-01", to: "2026-04-02", dayCount: 2),
                ReplacedImport.Span(from: "2026-04-05", to: "2026-04-08", dayCount: 2),
            ])
        // What was said is kept with the generation.
        #expect(try store.generation().report.replaced == replaced)
        let both = try store.importExport(paths: [new, old], timeZone: nil, now: Self.now)
        #expect(both.replaced?.lostDayCount == 0 && both.replaced?.lostSpans == [])
    }

    /// What can happen to the file of a generation.
    enum StoreDamage: CaseIterable {
        case header, page, schemaPage, missing, empty

        func apply(to file: URL) throws {
            let size = 4096
            var bytes = try Data(contentsOf: file)
            switch self {
            case .header: bytes.replaceSubrange(0..<64, with: Data(repeating: 0x5A, count: 64))
            // Every page but the first, so that whichever is read is damaged.
            case .page:
                try #require(bytes.count > size)
                bytes.replaceSubrange(size..<bytes.count, with: Data(repeating: 0x5A, count: bytes.count - size))
            case .schemaPage: bytes.replaceSubrange(100..<size, with: Data(repeating: 0x5A, count: size - 100))
            case .missing: return try FileManager.default.removeItem(at: file)
            case .empty: bytes = Data()
            }
            // In place: the file keeps its mode.
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
    }

    @Test(
        "a damaged or lost generation can be replaced, with and without being asked, also by an export that breaks off",
        arguments: StoreDamage.allCases, [false, true])
    func damagedEarlier(damage: StoreDamage, replacesLonger: Bool) throws {
        let place = try Place()
        defer { place.remove() }
        let lines = (0..<4).map { record("StepCount", "2026-04-15 0\($0):00:00", "2026-04-15 0\($0):10:00") }
        let whole = try place.export(lines.joined(separator: "\n"))
        let text = try String(contentsOfFile: whole, encoding: .utf8)
        let cut = place.folder.appendingPathComponent("cut.xml").path
        try Data(text.utf8.prefix(text.utf8.count - 100)).write(to: URL(fileURLWithPath: cut))
        _ = try DayStore.open(in: place.directory)
            .importExport(paths: [whole], timeZone: Self.zoneName, now: Self.now)
        try damage.apply(to: place.folder.appendingPathComponent("generations/1.sqlite"))
        let store = try DayStore.open(in: place.directory)
        #expect(throws: (any Error).self) { _ = try store.days() }
        let taken = try store.importExport(
            paths: [cut], timeZone: nil, replacesLonger: replacesLonger, now: Self.now)
        #expect(taken.generation == 2 && taken.storedRecordCount == 3)
        #expect(taken.replaced?.generation == 1 && taken.replaced?.isUnreadable == true)
        #expect(taken.replaced?.paths == [] && taken.replaced?.firstDay == nil)
        #expect(try store.days().map(\.description) == ["2026-04-15"])
        let again = try store.importExport(paths: [whole], timeZone: nil, now: Self.now)
        #expect(again.replaced?.generation == 2 && again.replaced?.isUnreadable == false)
        try store.removeGenerations(keeping: [])
        #expect(try store.generationNumbers() == [3])
    }

    @Test("years without a day are named with the days before them; shorter pauses are not")
    func gaps() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let dates = ["1970-01-02", "1999-05-01", "2023-02-01", "2024-06-01", "2026-04-10", "2026-04-11"]
        let body = dates.map { record("StepCount", "\($0) 10:00:00", "\($0) 10:10:00") }.joined(separator: "\n")
        let report = try store.importExport(
            paths: [try place.export(body)], timeZone: Self.zoneName, now: Self.now)
        let gaps = try #require(report.gaps)
        #expect(gaps.map(\.firstDayAfter) == ["1999-05-01", "2023-02-01"])
        #expect(gaps.map(\.yearCount) == [29, 23])
        #expect(gaps[1].earlierDays == ["1970-01-02", "1999-05-01"] && gaps[1].earlierDayCount == 2)
        #expect(gaps[1].laterDayCount == 4 && gaps[1].isBeforeMostDays)
        #expect(try store.generation().gaps() == gaps)
        #expect(DayGap.gaps(in: [0, DayGap.shortestGap]).isEmpty)
        #expect(DayGap.gaps(in: [0, DayGap.shortestGap + 1]).first?.emptyDayCount == DayGap.shortestGap)
    }

    @Test("the zone is named once: required at first, refused when it differs, checked by name")
    func zones() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let path = try place.export(record("StepCount", "2026-04-10 10:00:00", "2026-04-10 10:10:00"))
        func code(_ zone: String?) -> String? {
            do {
                _ = try store.importExport(paths: [path], timeZone: zone, now: Self.now)
                return nil
            } catch { return (error as? ExportError)?.code }
        }
        #expect(throws: ExportError.storeEmpty) { try store.generation() }
        #expect(code(nil) == "time_zone_required")
        #expect(code("Nowhere/Land") == "unknown_time_zone")
        #expect(code("Europe/Berlin") == nil)
        #expect(code(nil) == nil)
        #expect(code("Europe/Paris") == "time_zone_differs")
        #expect(try store.zone()?.identifier == "Europe/Berlin")
        #expect(try store.generationNumbers() == [1, 2])
    }

    @Test("a generation that a job holds stays as it was; a failed import leaves nothing behind")
    func generations() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let day = try #require(CivilDate("2026-04-10"))
        let one = try place.export(record("StepCount", "2026-04-10 10:00:00", "2026-04-10 10:10:00"))
        _ = try store.importExport(
            paths: [one], timeZone: Self.zoneName, sources: ["Watch", "Phone"], now: Self.now)
        let held = try store.generation()
        let two = try place.export(
            record("StepCount", "2026-04-10 10:00:00", "2026-04-10 10:10:00")
                + record("StepCount", "2026-04-10 11:00:00", "2026-04-10 11:10:00"), name: "two.xml")
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            _ = try store.importExport(paths: [two], timeZone: nil, now: Self.now) { _ in throw Stop() }
        }
        #expect(try store.generationNumbers() == [1])
        _ = try store.importExport(paths: [one, two], timeZone: nil, now: Self.now)
        #expect(try held.sourceDay(day).records.count == 1)
        #expect(try store.sourceDay(day).records.count == 2)
        #expect(try store.sourcePriority() == ["Watch", "Phone"])
        try store.removeGenerations(keeping: [1])
        #expect(try store.generationNumbers() == [1, 2])
        try store.removeGenerations(keeping: [])
        let files = try FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/generations")
        #expect(files.filter { $0.hasSuffix(".sqlite") } == ["2.sqlite"])
        let again = try DayStore.open(in: place.directory)
        #expect(try again.sourceDay(day).records == (try store.sourceDay(day).records))
    }

    @Test("records of edits lie over every generation, replace by identifier and can be taken back")
    func overlay() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        func made(_ type: String, _ seconds: Double, _ number: Double) -> HealthRecord {
            HealthRecord(
                type: type, source: RecordSource(name: "healthmd"), value: .quantity(number, unit: "kg"),
                start: Instant(secondsSince1970: seconds), end: Instant(secondsSince1970: seconds))
        }
        let mass = "HKQuantityTypeIdentifierBodyMass"
        // 2026-04-11 and 2026-04-13, ten o'clock.
        let first = made(mass, 1_775_894_400, 70)
        #expect(throws: ExportError.timeZoneRequired) { try store.addOverlay([("a", first)]) }
        let path = try place.export(record("StepCount", "2026-04-10 10:00:00", "2026-04-10 10:10:00"))
        _ = try store.importExport(paths: [path], timeZone: Self.zoneName, now: Self.now)
        try store.addOverlay([("a", first), ("b", made("HKQuantityTypeIdentifierVO2Max", 1_776_067_200, 40))])
        try store.addOverlay([("a", made(mass, 1_775_894_400, 71))])
        _ = try store.importExport(paths: [path], timeZone: nil, now: Self.now)
        #expect(try store.days().map(\.description) == ["2026-04-10", "2026-04-11", "2026-04-13"])
        let day = try #require(CivilDate("2026-04-11"))
        #expect(try store.sourceDay(day).records.map(\.value) == [.quantity(71, unit: "kg")])
        #expect(try store.sourceDay(try #require(CivilDate("2026-04-10"))).records.count == 1)
        #expect(try store.sourceDay(try #require(CivilDate("2026-04-14"))).carriedForward.count == 1)
        #expect(try store.overlay(ofDay: day.daysSince1970).map(\.id) == ["a"])
        #expect(try store.removeOverlay(ids: ["a", "c"]) == 1)
        #expect(try store.sourceDay(day).records.isEmpty)
    }

    @Test("two imports at once: the second is told who runs")
    func importLock() throws {
        let place = try Place()
        defer { place.remove() }
        let store = try DayStore.open(in: place.directory)
        let path = try place.export(record("StepCount", "2026-04-10 10:00:00", "2026-04-10 10:10:00"))
        let lock = try FolderLock.take("import.lock", in: place.directory)
        #expect(throws: ExportError.importRunning(holder: Int(getpid()))) {
            try store.importExport(paths: [path], timeZone: Self.zoneName, now: Self.now)
        }
        withExtendedLifetime(lock) {}
    }

    @Test("the later line of a day's rings wins")
    func activitySummaries() throws {
        let body = """
             <ActivitySummary dateComponents="2026-04-15" activeEnergyBurned="1" activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="kcal"/>
             <ActivitySummary dateComponents="2026-04-15" activeEnergyBurned="1" activeEnergyBurnedGoal="520" activeEnergyBurnedUnit="kcal"/>
            \(record("StepCount", "2026-04-15 10:00:00", "2026-04-15 10:10:00"))
            """
        #expect(try sourceDay(body, "2026-04-15").0.activitySummary?.activeEnergyBurnedGoal == 520)
    }

    @Test("a damaged block is an error with a code, not a trap")
    func damagedBlocks() throws {
        let good = StructureCoding.pack(HealthCharacteristics()) { $0.characteristics($1) }
        for length in 0..<good.count {
            #expect(throws: ByteReader.Damage.self) {
                try Array(good[..<length]).withUnsafeBytes {
                    try StructureCoding.unpack($0) { try $0.characteristics() }
                }
            }
        }
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            bytes.withUnsafeBytes { raw in
                var reader = ByteReader(raw)
                let names = RecordCoding.Names(texts: ["a"], sources: [RecordSource(name: "s")])
                // Random bytes may be a record; all that counts is that reading them ends.
                _ = try? RecordCoding.read(&reader, type: "t", start: 0, names: names) { _ in true }
                var other = ByteReader(raw)
                _ = try? other.workout()
                _ = try? ZlibBytes.unpack(raw)
            }
        }
    }

    @Test("any order in gives sorted order out, in memory and over several runs")
    func sorter() throws {
        let place = try Place()
        defer { place.remove() }
        for count in [0, 1, 900, 6_000] {
            let sorter = RecordSorter(folder: place.directory, runSize: 1 << 17, runCount: 1_000)
            var random = SplitMix64(seed: UInt64(count))
            for index in 0..<count {
                let bytes: [UInt8] = [UInt8(index & 0xFF), 0, UInt8.random(in: 0...255, using: &random)]
                try sorter.add(
                    day: Int32.random(in: -3...40, using: &random), type: Int32.random(in: 0...9, using: &random),
                    start: Int64.random(in: -5...5_000, using: &random), identityCount: 1,
                    bytes: index == 1_500 ? [UInt8](repeating: 9, count: 100_000) : bytes)
            }
            var seen = 0
            var last: (Int32, Int32, Int64, [UInt8])?
            try sorter.drain { item in
                let next = (item.day, item.type, item.start, Array(item.bytes.prefix(8)))
                if let last {
                    let isSorted =
                        (last.0, last.1, last.2) < (next.0, next.1, next.2)
                        || ((last.0, last.1, last.2) == (next.0, next.1, next.2)
                            && !next.3.lexicographicallyPrecedes(last.3))
                    if !isSorted { Issue.record("out of order") }
                }
                last = next
                seen += 1
            }
            #expect(seen == count)
        }
        #expect(RecordSorter.runSize == 8 << 20 && RecordSorter.mergeBufferSize == 1 << 16)
    }
}

@Suite(.enabled(if: GeneratedExport.isAvailable, GeneratedExport.absence))
struct GeneratedImportTests {
    @Test("an inspection counts everything and keeps nothing")
    func inspection() throws {
        let (path, expected, folder) = try GeneratedExport.make(
            .dir, ["--days", "12", "--records-per-day", "60", "--route-points", "20", "--hazard", "control"])
        defer { GeneratedExport.remove(folder) }
        let found = try ExportInspection.inspect(path: path)
        #expect(found.complete && found.locale == "en_US" && found.exportVersion == 14)
        #expect(found.main == "apple_health_export/export.xml" && found.bytes == expected.xml_bytes)
        #expect(found.records == expected.elements["Record"])
        #expect(found.types.mapValues(\.count).filter { $0.value > 0 } == expected.top_level_records_by_type)
        #expect(found.files.routes == expected.files["routes"] && found.files.clinical == expected.files["clinical"])
        #expect(found.files.electrocardiograms == expected.files["ecg"] && found.files.other == 1)
        #expect(found.oddities.map(\.code) == ["control_character_dropped"])
        #expect(found.exportDate == "2026-04-15T19:04:09Z")
        let again = try JSONDecoder().decode(ExportInspection.self, from: try JSONEncoder().encode(found))
        #expect(again == found)
    }

    @Test("a whole export gives the generator's totals, and its days give every record once")
    func wholeExport() throws {
        let (path, expected, folder) = try GeneratedExport.make(
            .zip,
            ["--days", "45", "--records-per-day", "60", "--route-points", "2100", "--traps", "--trap-steps", "500"])
        defer { GeneratedExport.remove(folder) }
        let store = try DayStore.open(
            in: try Directory.openRoot(folder.appendingPathComponent("phone").path, creating: true))
        let report = try store.importExport(
            paths: [path], timeZone: "Europe/Berlin", now: Instant(secondsSince1970: 1_776_700_000))
        #expect(report.recordCount == expected.elements["Record"])
        #expect(report.isComplete)
        for (type, count) in expected.top_level_records_by_type {
            #expect(report.types[type]?.count == count, "\(type)")
        }
        // A route named twice in one workout is one route.
        #expect(report.routeCount == expected.files["routes"])
        #expect(report.problems.first { $0.code == "route_missing" }?.count == expected.files["routes_missing"])
        #expect(report.electrocardiogramCount == expected.files["ecg"])
        #expect(report.clinicalResourceCount == expected.files["clinical"])
        #expect(report.nestedTwinCount == expected.elements["Record (in Correlation)"])
        var owned = 0
        var workouts = 0
        var correlations = 0
        var points = 0
        var recordings = 0
        let generation = try store.generation()
        for day in try generation.days() {
            let source = try generation.sourceDay(day)
            let interval = generation.zone.dayInterval(day)
            owned += source.records.filter { $0.start >= interval.start && $0.start < interval.end }.count
            workouts += source.workouts.count
            points += source.workouts.reduce(0) { $0 + $1.route.count }
            correlations += source.correlations.count
            recordings += source.electrocardiograms.count
            #expect(source.activitySummary?.date == nil || source.activitySummary?.date == day.description)
        }
        #expect(owned == report.storedRecordCount)
        #expect(workouts == expected.elements["Workout"])
        #expect(correlations == expected.elements["Correlation"])
        #expect(points == report.routePointCount)
        #expect(recordings == expected.files["ecg"])
        var clinical = 0
        try generation.forEachClinicalRecord { _, resource in clinical += resource == nil ? 0 : 1 }
        #expect(clinical == expected.files["clinical"])
        #expect(try generation.characteristics()?.dateOfBirth == "1984-07-09")
    }

    @Test(
        "an export without a record of any day is refused, and the store keeps what it has",
        arguments: ["", "<record type=\"HKQuantityTypeIdentifierStepCount\" value=\"1\"/>", "<Me/>"])
    func nothingToImport(body: String) throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory() + "/healthmd-empty-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { GeneratedExport.remove(folder) }
        let store = try DayStore.open(
            in: try Directory.openRoot(folder.appendingPathComponent("phone").path, creating: true))
        func add(_ body: String) throws -> ImportReport {
            let path = folder.appendingPathComponent("export.xml")
            try Data("<HealthData locale=\"en_US\">\n\(body)\n</HealthData>\n".utf8).write(to: path)
            return try store.importExport(
                paths: [path.path], timeZone: "Europe/Berlin", now: Instant(secondsSince1970: 1_776_700_000))
        }
        let full = try add(
            "<Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"a\" unit=\"count\" value=\"1\" "
                + "startDate=\"2026-04-15 09:00:00 +0200\" endDate=\"2026-04-15 09:10:00 +0200\"/>")
        do {
            _ = try add(body)
            Issue.record("an empty export was taken")
        } catch let error as ExportError {
            #expect(error.code == "nothing_to_import")
        }
        #expect(try store.generationNumbers() == [full.generation])
    }

    @Test("a rescued archive is imported, marked incomplete")
    func rescued() throws {
        let (path, _, folder) = try GeneratedExport.make(
            .zip, ["--days", "8", "--records-per-day", "60", "--hazard", "truncate-zip"])
        defer { GeneratedExport.remove(folder) }
        let store = try DayStore.open(
            in: try Directory.openRoot(folder.appendingPathComponent("phone").path, creating: true))
        var options = ExportOptions()
        options.rescue = true
        let report = try store.importExport(
            paths: [path], timeZone: "Europe/Berlin", options: options, now: Instant(secondsSince1970: 1_776_700_000))
        #expect(!report.isComplete)
        #expect(report.problems.contains { $0.code == "archive_rescued" })
        #expect(report.storedRecordCount > 0)
    }
}
