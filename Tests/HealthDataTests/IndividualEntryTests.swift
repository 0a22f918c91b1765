import CanonicalJSON
import Foundation
import HealthRecords
import TestSupport
import Testing

@testable import HealthData

@Suite("Files of single entries")
struct IndividualEntryTests {
    private func settings(_ metrics: [String: IndividualTracking.Metric]) -> ExportSettings {
        var settings = ExportSettings()
        settings.individualTracking.isEnabled = true
        settings.individualTracking.metrics = metrics
        return settings
    }

    private let wanted = IndividualTracking.Metric(isEnabled: true)

    @Test("samples come before the day's value, and what yields nothing is reported")
    func kinds() throws {
        let document = try DayDocument(SampleDay.record(), detail: .timeSeries)
        let result = try IndividualEntries(
            document,
            settings: settings(["heart_rate_avg": wanted, "weight": wanted, "hrv": wanted, "nonsense": wanted]))
        #expect(
            result.entries.map(\.path) == [
                "Health/entries/Heart/2026_02_03_0700_heart_rate_avg.md",
                "Health/entries/Heart/2026_02_03_1830_heart_rate_avg.md",
                "Health/entries/Body Measurements/2026_02_03_0000_weight.md",
            ])
        #expect(result.missingMetricIDs == ["hrv", "nonsense"])
        let weight = String(decoding: result.entries[2].bytes, as: UTF8.self)
        #expect(
            weight == """
                ---
                date: 2026-02-03
                time: "00:00"
                type: quantity
                metric: weight
                value: 71.8
                unit: "kg"
                source: "Health.md"
                entry_kind: daily_aggregate
                ---

                # Weight — 2026-02-03 00:00

                """)
    }

    @Test("entries of one minute have different names; a metric may have a folder of its own")
    func names() throws {
        var record = try SampleDay.record()
        record.heart.heartRateSamples.append(TimeSample(timestamp: SampleDay.at(7), value: 59))
        let document = try DayDocument(record, detail: .timeSeries)
        let result = try IndividualEntries(
            document,
            settings: settings(["heart_rate_avg": IndividualTracking.Metric(isEnabled: true, customFolder: "Pulse")]))
        #expect(Set(result.entries.map(\.path)).count == 3)
        #expect(result.entries.last?.path == "Health/entries/Pulse/2026_02_03_0700_heart_rate_avg_2.md")
    }

    @Test("records of the archive carry their identity and canonical text")
    func records() throws {
        let day = try TestDay()
        var sample = Source.quantity("HeartRate", 61.5, "count/min", from: day.at(1), to: day.at(1))
        sample.contentDigest = [0xAB, 0xCD]
        let record = DayBuilder(zone: day.zone).record(
            of: day.day, from: SourceDay(records: [sample]), includesArchive: true)
        let document = try DayDocument(record, detail: .lossless)
        let entry = try #require(
            IndividualEntries(document, settings: settings(["heart_rate_avg": wanted])).entries.first)
        #expect(
            entry.path.hasSuffix(
                "2026_02_03_0100_heart_rate_avg_heart_rate_avg_apple-health-export-content-digest-abcd.md"))
        let text = String(decoding: entry.bytes, as: UTF8.self)
        #expect(text.contains("\nentry_kind: healthkit_record\n"))
        #expect(text.contains("\nvalue: 61.5\nunit: \"count/min\"\n"))
        #expect(text.contains(#"canonical_record_json: "{\"external_identifier\":"#))
    }

    @Test(
        "records of the published day yield one file each",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func publishedDay() throws {
        let document = try DayDocument(parsing: SharedFixtures.bytes("health-data/lossless-day.json"))
        let result = try IndividualEntries(document, settings: settings(["heart_rate_avg": wanted]))
        #expect(!result.entries.isEmpty)
        #expect(result.entries.contains { $0.path.contains("_00000000-0000-0000-0000-") })
        #expect(Set(result.entries.map(\.path)).count == result.entries.count)
    }
}
