import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import HealthData

@Suite("The canonical day document")
struct DayDocumentTests {
    @Test(
        "a document that was read is written with the same bytes",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence),
        arguments: ["summary-day.json", "lossless-day.json", "v10/lossless-day.json"])
    func copies(_ name: String) throws {
        let bytes = try SharedFixtures.bytes("health-data/\(name)")
        expectSameBytes(try DayDocument(parsing: bytes).canonicalBytes(), bytes)
    }

    @Test(
        "a record read from the published day gives every byte of it again",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func rewritesPublishedDay() throws {
        let bytes = try SharedFixtures.bytes("health-data/summary-day.json")
        let record = try DailyRecord(DayDocument(parsing: bytes))
        expectSameBytes(try DayDocument(record, detail: .timeSeries).canonicalBytes(), bytes)
    }

    @Test("a record that went through an encoder gives the same document")
    func codable() throws {
        let record = try SampleDay.record()
        let copy = try JSONDecoder().decode(DailyRecord.self, from: JSONEncoder().encode(record))
        expectSameBytes(
            try DayDocument(copy, detail: .timeSeries).canonicalBytes(),
            try DayDocument(record, detail: .timeSeries).canonicalBytes())
    }

    @Test("members that are not known survive reading and writing")
    func unknownMembers() throws {
        let text = #"""
            {
              "date" : "2026-03-15",
              "newSection" : {
                "value" : 1.50
              },
              "schema" : "healthmd.health_data",
              "schema_version" : 10,
              "time_context" : {
                "calendar_timezone" : "Europe\/Berlin"
              }
            }

            """#
        expectSameBytes(try DayDocument(parsing: Array(text.utf8)).canonicalBytes(), Array(text.utf8))
    }

    @Test("versions other than 8 and 10 are refused by name", arguments: ["7", "9", "11", "8.5", "\"8\""])
    func versions(_ version: String) {
        let text = #"{"schema":"healthmd.health_data","schema_version":\#(version),"date":"2026-03-15"}"#
        #expect {
            try DayDocument(parsing: Array(text.utf8))
        } throws: { error in
            (error as? HealthDataError)?.code == "document_version_unsupported"
        }
    }

    @Test("a failure placeholder is not a day")
    func placeholder() {
        let text =
            #"{"schema":"healthmd.health_data","schema_version":8,"type":"health-data-serialization-error"}"#
        #expect(throws: HealthDataError.failurePlaceholder) { try DayDocument(parsing: Array(text.utf8)) }
    }

    @Test("an empty day has no sections and no units")
    func emptyDay() throws {
        let record = DailyRecord(
            date: Date(timeIntervalSinceReferenceDate: 0), calendarTimeZoneIdentifier: "UTC")
        let document = try DayDocument(record, detail: .timeSeries)
        #expect(!document.hasSummaryData)
        #expect(document.root["units"]?.object?.isEmpty == true)
        #expect(document.date.description == "2001-01-01")
    }

    @Test("the summary level has the same values without sample arrays")
    func summaryLevel() throws {
        let record = try SampleDay.record()
        let summary = try DayDocument(record, detail: .summary)
        #expect(summary.value("heart.averageHeartRate") != nil)
        #expect(summary.value("mindfulness.averageValencePercent") != nil)
        for path in Registry.current.metrics.compactMap(\.seriesPath) {
            #expect(summary.value(path) == nil, "\(path)")
        }
        #expect(summary.root["units"] == (try DayDocument(record, detail: .timeSeries)).root["units"])
    }

    @Test("laps with unknown names are reported as a partial failure, kept and not rendered")
    func unknownLaps() throws {
        var record = try SampleDay.record()
        let lap = #"{"lapNumber":1,"begin":5}"#
        let section = try JSONDecoder().decode(WorkoutSection.self, from: Data(lap.utf8))
        record.workouts[0].laps = [section]
        let document = try DayDocument(record, detail: .timeSeries)
        #expect(document.elements("workouts").first?["laps"] == nil)
        let failures = document.elements("diagnostics.partial_failures")
        #expect(failures.first?["data_type"]?.string == "workouts.laps")
        let copy = try JSONDecoder().decode(WorkoutSection.self, from: JSONEncoder().encode(section))
        #expect(copy.unknown == section.unknown)
        #expect(copy.unknown.count == 2)
    }

    @Test("clock texts are in the calendar zone, instants in UTC")
    func zones() throws {
        var record = DailyRecord(
            date: Date(timeIntervalSince1970: 1_774_825_200), calendarTimeZoneIdentifier: "Europe/Berlin")
        record.sleep.sessionStart = Date(timeIntervalSince1970: 1_774_825_200)
        record.sleep.totalDuration = 60
        let document = try DayDocument(record, detail: .summary)
        #expect(document.date.description == "2026-03-30")
        #expect(document.string("sleep.bedtime") == "01:00")
        #expect(document.string("sleep.bedtimeISO") == "2026-03-29T23:00:00Z")
    }
}

/// Compares byte for byte and shows the first line that differs, which says more than two large arrays.
func expectSameBytes(_ left: [UInt8], _ right: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    guard left != right else { return }
    let a = String(decoding: left, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let b = String(decoding: right, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let index = zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
    let got = index < a.count ? String(a[index]) : "(end)"
    let expected = index < b.count ? String(b[index]) : "(end)"
    Issue.record("line \(index + 1): got «\(got)», expected «\(expected)»", sourceLocation: sourceLocation)
}
