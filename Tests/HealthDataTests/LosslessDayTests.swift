import CanonicalJSON
import Foundation
import HealthRecords
import TestSupport
import Testing

@testable import HealthData

@Suite("Lossless days written straight from their records")
struct LosslessDayTests {
    private let day: TestDay

    init() throws { day = try TestDay() }

    /// Both ways to the bytes of a day: over the trees, and straight.
    private func bothWays(
        _ source: SourceDay, selection: MetricSelection = .all, version: DocumentVersion = .v8
    ) throws -> (trees: [UInt8], straight: LosslessDay) {
        let builder = DayBuilder(zone: day.zone, selection: selection)
        let record = builder.record(of: day.day, from: source, includesArchive: true)
        let document = try DayDocument(record, detail: .lossless, version: version)
        return (document.canonicalBytes(), try builder.losslessDay(of: day.day, from: source, version: version))
    }

    private func same(_ source: SourceDay, selection: MetricSelection = .all, version: DocumentVersion = .v8) throws {
        let ways = try bothWays(source, selection: selection, version: version)
        #expect(String(decoding: ways.straight.bytes, as: UTF8.self) == String(decoding: ways.trees, as: UTF8.self))
    }

    private func records() -> [HealthRecord] {
        var list: [HealthRecord] = []
        for index in 0..<40 {
            let start = day.at(Double(index) * 0.5) + Double(index) / 7
            var record =
                index % 3 == 0
                ? Source.quantity("StepCount", Double(index) * 1.1, "count", from: start, to: start + 60, Source.phone)
                : Source.quantity("HeartRate", 60 + Double(index) / 3, "count/min", from: start, to: start)
            if index % 2 == 0 { record.created = Instant(secondsSince1970: start + 0.1) }
            if index % 5 == 0 {
                record.metadata = [
                    MetadataEntry(key: "HKTimeZone", value: "Europe/Berlin"),
                    MetadataEntry(key: "b10", value: "\"quoted\" \\ and / and \u{1}"),
                    MetadataEntry(key: "B9", value: "größer 測定"), MetadataEntry(key: "b10", value: "again"),
                ]
            }
            record.source.version = index % 4 == 0 ? "11.2/beta" : nil
            record.contentDigest = [UInt8(truncatingIfNeeded: index &* 37), UInt8(index)]
            list.append(record)
        }
        return list
    }

    @Test("recordings have the same bytes both ways, with and without a lead and voltages")
    func recordings() throws {
        var recording = Electrocardiogram(
            fileName: "ecg.csv", recorded: Instant(secondsSince1970: day.at(16)), sampleRate: 511.5,
            microvolts: [-265.868, 0, 12.5, 1e-5, 3e20, -0.0])
        recording.contentDigest = [5]
        recording.lead = "Lead I"
        recording.symptoms = "a \"b\" / c"
        recording.averageHeartRate = 64
        var bare = Electrocardiogram(
            fileName: "other.csv", recorded: recording.recorded, sampleRate: 512, microvolts: [1])
        bare.contentDigest = [6]
        var empty = bare
        empty.microvolts = []
        empty.contentDigest = [7]
        var source = SourceDay(records: records())
        source.electrocardiograms = [recording, bare, empty, recording]
        try same(source)
        #expect(try bothWays(source).straight.externalRecordCount == 43)
    }

    @Test("a voltage is the number nearest to a millionth of the file's decimal")
    func volts() {
        for (text, expected) in [
            ("-265.868", -0.000265868), ("12.5", 0.0000125), ("3", 0.000003), ("0.1", 0.0000001), ("1e-5", 1e-11),
            ("3e20", 3e14), ("0", 0), ("-1234.567", -0.001234567), ("105.003", 0.000105003),
        ] {
            #expect(ExternalRecord.volts(Double(text) ?? .nan) == expected, "\(text)")
        }
        var random = SplitMix64(seed: 3)
        for _ in 0..<5_000 {
            let thousandths = Int.random(in: -9_999_999...9_999_999, using: &random)
            #expect(ExternalRecord.volts(Double("\(thousandths)e-3") ?? .nan) == Double("\(thousandths)e-9"))
        }
    }

    @Test("records of every kind have the same bytes both ways")
    func kinds() throws {
        var list = records()
        list.append(Source.category("SleepAnalysis", "SleepAnalysisAsleepCore", from: day.at(1), to: day.at(2)))
        list.append(Source.category("MindfulSession", "NotApplicable", from: day.at(3), to: day.at(3.2), Source.app))
        var bare = Source.quantity("BodyMass", 70, "kg", from: day.at(7), to: day.at(7))
        bare.value = .none
        bare.source.device = nil
        list.append(bare)
        var unreadable = Source.quantity("BodyMass", 70, "kg", from: day.at(8), to: day.at(8))
        unreadable.value = .unreadable(value: "seventy", unit: nil)
        list.append(unreadable)
        var beats = Source.quantity("HeartRateVariabilitySDNN", 41, "ms", from: day.at(9), to: day.at(9.1))
        beats.beats = [Beat(beatsPerMinute: 61, time: "9:00:00.12 AM")]
        list.append(beats)
        try same(SourceDay(records: list))
        try same(SourceDay(records: list), version: .v10)
        try same(SourceDay(records: list), selection: MetricSelection(metricIDs: ["heart_rate_avg"]))
    }

    @Test("correlations, workouts with routes and rings stand in their order among the records")
    func structures() throws {
        let members = [
            Source.quantity("BloodPressureSystolic", 118, "mmHg", from: day.at(8), to: day.at(8)),
            Source.quantity("BloodPressureDiastolic", 76, "mmHg", from: day.at(8), to: day.at(8)),
        ]
        let correlation = HealthCorrelation(
            type: "HKCorrelationTypeIdentifierBloodPressure", source: Source.watch, start: members[0].start,
            end: members[0].end, members: members, contentDigest: [0x25, 3])
        var workout = HealthWorkout(
            activityType: "HKWorkoutActivityTypeRunning", source: Source.watch,
            start: Instant(secondsSince1970: day.at(10)), end: Instant(secondsSince1970: day.at(11)))
        workout.route = [RoutePoint(time: workout.start, latitude: 52.5, longitude: 13.4)]
        workout.contentDigest = [0x4A, 1]
        var rings = ActivitySummary(date: day.day.description)
        rings.activeEnergyBurned = 412.5
        try same(
            SourceDay(
                records: records() + members, correlations: [correlation], workouts: [workout],
                activitySummary: rings))
    }

    @Test("a day without records has an archive without external records both ways")
    func empty() throws {
        try same(SourceDay())
    }

    @Test("an instant that no document can hold is null both ways")
    func instants() throws {
        var record = Source.quantity("StepCount", 5, "count", from: day.at(1), to: day.at(1.1))
        record.created = Instant(secondsSince1970: 9e11)
        try same(SourceDay(records: [record]))
    }

    @Test("the record that comes along holds the archive's head, and the count tells its records")
    func parts() throws {
        let source = SourceDay(records: records())
        let straight = try bothWays(source).straight
        #expect(straight.externalRecordCount == 40)
        #expect(straight.record.healthKitRecordArchive?.externalRecords.isEmpty == true)
        #expect(straight.record.healthKitRecordArchive?.queryManifest.results.isEmpty == false)
        #expect(straight.hasSummaryData)
        let whole = DayBuilder(zone: day.zone).record(of: day.day, from: source, includesArchive: true)
        let fromRecord = try LosslessDay(whole, version: .v8)
        #expect(fromRecord.bytes == straight.bytes)
        #expect(fromRecord.record == straight.record)
        #expect(fromRecord.externalRecordCount == 40)
    }
}
