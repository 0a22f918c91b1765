import HealthRecords
import Testing

@testable import Biomarkers

@Suite struct WindowTests {
    private let day = SmallExport.day

    @Test("a window ends at the newest sample and reaches back a span of seconds, its far end excluded")
    func boundary() throws {
        var export = SmallExport()
        let newest = SmallExport.today - 3 * day
        export.body = [
            SmallExport.record("RestingHeartRate", "60", "count/min", at: newest),
            SmallExport.record("RestingHeartRate", "70", "count/min", at: newest - 30 * day + 1),
            SmallExport.record("RestingHeartRate", "90", "count/min", at: newest - 30 * day),
        ]
        let proposal = try #require(try export.propose().proposal("resting_heart_rate"))
        #expect(proposal.value == 65)
        #expect(proposal.used == 2 && proposal.available == 3)
        #expect(proposal.excluded == ["outside_window": 1])
        #expect(proposal.newest == Instant(secondsSince1970: Double(newest)))
    }

    @Test("the order of the file decides nothing", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) throws {
        var lines: [String] = []
        for index in 0..<60 {
            lines.append(
                SmallExport.record(
                    "HeartRateVariabilitySDNN", "\(40 + index % 7)", "ms",
                    at: SmallExport.today - Int64(index) * 2 * day))
        }
        var export = SmallExport(body: lines)
        let straight = try #require(try export.propose().proposal("hrv_60_day_mean"))
        var state = seed
        export.body = lines.map { line -> (UInt64, String) in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33, line)
        }.sorted { $0.0 < $1.0 }.map(\.1)
        let shuffled = try #require(try export.propose().proposal("hrv_60_day_mean"))
        #expect(shuffled.document == straight.document)
        #expect(straight.used == 30)
    }

    @Test("a sample of 2099 moves no window and is counted")
    func future() throws {
        var export = SmallExport()
        export.add("RestingHeartRate", "60", "count/min", daysAgo: 1)
        export.add("RestingHeartRate", "62", "count/min", daysAgo: 2)
        export.add("RestingHeartRate", "200", "count/min", daysAgo: -26_000)
        let proposal = try #require(try export.propose().proposal("resting_heart_rate"))
        #expect(proposal.value == 61 && proposal.excluded == ["future": 1])
    }

    @Test("up to one day after the export is no future")
    func tolerance() throws {
        var export = SmallExport()
        let limit = SmallExport.today + day
        export.body = [
            SmallExport.record("RestingHeartRate", "60", "count/min", at: limit),
            SmallExport.record("RestingHeartRate", "90", "count/min", at: limit + 1),
        ]
        let proposal = try #require(try export.propose().proposal("resting_heart_rate"))
        #expect(proposal.value == 60 && proposal.excluded == ["future": 1])
    }

    @Test("a date of the export behind the records judges them all the same")
    func lateDate() throws {
        var export = SmallExport(isDateLast: true)
        export.add("RestingHeartRate", "60", "count/min", daysAgo: 0)
        // Before the person's today, after the export.
        export.add("RestingHeartRate", "90", "count/min", daysAgo: -40)
        let proposal = try #require(try export.propose().proposal("resting_heart_rate"))
        #expect(proposal.value == 60 && proposal.excluded == ["future": 1])
    }

    @Test("an export without a date takes today for it and says so")
    func noDate() throws {
        var export = SmallExport(exportDate: nil)
        export.add("RestingHeartRate", "60", "count/min", daysAgo: 0)
        export.add("RestingHeartRate", "90", "count/min", daysAgo: -2)
        let report = try export.propose(now: SmallExport.today)
        #expect(report.proposal("resting_heart_rate")?.value == 60)
        #expect(report.warnings.map(\.code) == [.noExportDate])
    }

    @Test("a clock change inside the window moves no sample, however its offset is printed")
    func clockChange() throws {
        func export(_ offset: (Int64) -> Int64) -> SmallExport {
            var export = SmallExport()
            for ago in 0..<40 {
                let end = SmallExport.today - Int64(ago) * day
                export.body.append(
                    SmallExport.record(
                        "RestingHeartRate", "\(60 + ago)", "count/min", at: end, offsetHours: offset(end)))
            }
            return export
        }
        let change = SmallExport.today - 17 * day
        let fixed = try #require(try export { _ in 2 }.propose().proposal("resting_heart_rate"))
        let local = try #require(try export { $0 < change ? 1 : 2 }.propose().proposal("resting_heart_rate"))
        #expect(fixed.document == local.document)
        #expect(fixed.used == 30 && fixed.value == 74.5)
    }

    @Test("dates before 1970 and spans that run backwards are in no window")
    func oddSpans() throws {
        var export = SmallExport()
        export.add("VO2Max", "38.5", "mL/min·kg", daysAgo: 3)
        export.body.append(SmallExport.record("VO2Max", "50", "mL/min·kg", at: -1))
        export.body.append(
            SmallExport.record("VO2Max", "50", "mL/min·kg", at: SmallExport.today, start: SmallExport.today + 60))
        let proposal = try #require(try export.propose().proposal("vo2_max"))
        #expect(proposal.value == 38.5 && proposal.excluded == ["outside_window": 2])
    }

    @Test("memory follows the window, not the file")
    func bounded() {
        var window = WindowReduction(days: 30)
        for index in 0..<60_000 {
            // Oldest first, as a file of many years has them: one every quarter of an hour.
            let end = Int64(index) * 900
            window.add(Sample(end: end, start: end, created: 0, index: index, value: 60, source: 0, unit: 0))
        }
        #expect(window.samples.count <= 2 * 2_880 + 4_096)
        window.fold()
        #expect(window.samples.count == 2_880)
        #expect(window.outsideCount == 60_000 - 2_880)
    }

    @Test("more readings than are kept give no proposal rather than a wrong one")
    func overfull() {
        var window = WindowReduction(days: 30, limit: 5_000)
        for index in 0..<20_000 {
            window.add(Sample(end: Int64(index), start: 0, created: 0, index: index, value: 60, source: 0, unit: 0))
        }
        window.fold()
        #expect(window.isOverfull && window.samples.isEmpty)
    }
}

@Suite struct SampleTests {
    @Test("the same record three times weighs once, whatever version wrote it")
    func duplicates() throws {
        var export = SmallExport()
        let line = SmallExport.record("HeartRateVariabilitySDNN", "90", "ms", at: SmallExport.today)
        export.body = [
            line, line,
            SmallExport.record(
                "HeartRateVariabilitySDNN", "90.0", "ms", at: SmallExport.today, version: "2",
                created: SmallExport.today + 5),
            SmallExport.record("HeartRateVariabilitySDNN", "30", "ms", at: SmallExport.today - 60),
        ]
        let proposal = try #require(try export.propose().proposal("hrv_60_day_mean"))
        #expect(proposal.value == 60 && proposal.used == 2)
        #expect(proposal.excluded == ["duplicate": 2])
    }

    @Test("two sources at the same time both count; a no-break blank in a name makes no other source")
    func sources() throws {
        var export = SmallExport()
        for source in ["Watch A", "Watch\u{A0}A", "Ring"] {
            export.body.append(
                SmallExport.record("OxygenSaturation", "0.97", "%", at: SmallExport.today, source: source))
        }
        let proposal = try #require(try export.propose().proposal("spo2"))
        #expect(proposal.used == 2 && proposal.excluded == ["duplicate": 1])
        #expect(proposal.sources == ["Ring", "Watch A"])
    }

    @Test(
        "a value that is no number is dropped and counted",
        arguments: ["NaN", "", "12,5", "inf", "-60", "0x3C", String(repeating: "9", count: 400)])
    func notNumbers(text: String) throws {
        var export = SmallExport()
        export.add("RestingHeartRate", "60", "count/min", daysAgo: 1)
        export.add("RestingHeartRate", text, "count/min", daysAgo: 0)
        let proposal = try #require(try export.propose().proposal("resting_heart_rate"))
        #expect(proposal.value == 60 && proposal.used == 1)
        #expect(proposal.excluded == ["not_a_number": 1])
        #expect(proposal.newest == Instant(secondsSince1970: Double(SmallExport.today - SmallExport.day)))
    }

    @Test("a unit without a conversion gives no number and is counted by its name")
    func units() throws {
        var export = SmallExport()
        export.add("RestingHeartRate", "1", "count/s", daysAgo: 1)
        export.add("RestingHeartRate", "3600", "count/hr", daysAgo: 0)
        export.add("RestingHeartRate", "60", nil, daysAgo: 0)
        export.add("OxygenSaturation", "150", "%", daysAgo: 0)
        let report = try export.propose()
        let proposal = try #require(report.proposal("resting_heart_rate"))
        #expect(proposal.value == 60 && proposal.excluded == ["unit": 2])
        #expect(proposal.unknownUnits == ["count/hr": 1])
        #expect(proposal.warns(of: .unknownUnit))
        #expect(report.proposal("spo2") == nil)
    }

    @Test("what cannot be of the type is dropped from a mean and never from a median")
    func implausible() throws {
        var export = SmallExport()
        for value in ["50", "0", "1001", "70"] { export.add("HeartRateVariabilitySDNN", value, "ms", daysAgo: 1) }
        for value in ["60", "61", "250"] { export.add("RestingHeartRate", value, "count/min", daysAgo: 1) }
        let report = try export.propose()
        #expect(report.proposal("hrv_60_day_mean")?.value == 60)
        #expect(report.proposal("hrv_60_day_mean")?.excluded == ["implausible": 2])
        #expect(report.proposal("resting_heart_rate")?.value == 61)
        #expect(report.proposal("resting_heart_rate")?.used == 3)
    }

    @Test("of equal times the one created last is the latest, then the one later in the file")
    func equalTimes() throws {
        func latest(_ created: [Int64?]) throws -> Double? {
            var export = SmallExport()
            for (index, created) in created.enumerated() {
                export.body.append(
                    SmallExport.record(
                        "VO2Max", "\(40 + index)", "mL/min·kg", at: SmallExport.today, created: created))
            }
            return try export.propose().proposal("vo2_max")?.value
        }
        let today = SmallExport.today
        #expect(try latest([today + 9, today + 5]) == 40)
        #expect(try latest([today + 5, today + 5]) == 41)
        #expect(try latest([nil, today - 900]) == 41)
    }

    @Test("a window covered by less than half is flagged; one reading makes a value")
    func shortWindow() throws {
        var export = SmallExport()
        export.add("RestingHeartRate", "60", "count/min", daysAgo: 0)
        let single = try #require(try export.propose().proposal("resting_heart_rate"))
        #expect(single.value == 60 && single.used == 1 && single.warns(of: .shortWindow))
        export.add("RestingHeartRate", "62", "count/min", daysAgo: 15)
        #expect(try export.propose().proposal("resting_heart_rate")?.warns(of: .shortWindow) == false)
    }

    @Test(
        "a history that begins a month before its end is flagged as cut, where a longer window is claimed",
        arguments: [(27.9, false), (28.0, true), (30.0, true), (31.0, true), (31.1, false), (400.0, false)])
    func cutHistory(days: Double, isCut: Bool) throws {
        var export = SmallExport()
        export.add("HeartRateVariabilitySDNN", "60", "ms", daysAgo: 0)
        export.add("HeartRateVariabilitySDNN", "60", "ms", daysAgo: days)
        export.add("RestingHeartRate", "60", "count/min", daysAgo: 5)
        let report = try export.propose()
        #expect(report.warnings.contains { $0.code == .historyLooksCut } == isCut)
        #expect(report.proposal("hrv_60_day_mean")?.warns(of: .historyLooksCut) == isCut)
        #expect(report.proposal("resting_heart_rate")?.warns(of: .historyLooksCut) == false)
    }
}

@Suite struct PressureTests {
    @Test("a twin inside a correlation counts once and keeps its partner, whatever the order of the two")
    func twins() throws {
        var export = SmallExport()
        let end = SmallExport.today
        export.body = [
            SmallExport.record("BloodPressureSystolic", "118", "mmHg", at: end, source: "Cuff"),
            SmallExport.record("BloodPressureDiastolic", "76", "mmHg", at: end, source: "Cuff"),
            SmallExport.pressure(118, 76, at: end), SmallExport.pressure(121, 79, at: end - 60),
        ]
        let report = try export.propose()
        let systolic = try #require(report.proposal("blood_pressure_systolic"))
        #expect(systolic.used == 2 && systolic.excluded == ["duplicate": 1])
        #expect(systolic.readings.map(\.pairedValue) == [79, 76])
        #expect(report.proposal("blood_pressure_diastolic")?.readings.map(\.pairedValue) == [121, 118])
    }

    @Test("two readings of one moment stay with the partner of their correlation")
    func sameMoment() throws {
        var export = SmallExport()
        export.body = [
            SmallExport.pressure(118, 76, at: SmallExport.today), SmallExport.pressure(130, 88, at: SmallExport.today),
        ]
        let systolic = try #require(try export.propose().proposal("blood_pressure_systolic"))
        #expect(systolic.readings.map { [$0.value, $0.pairedValue ?? 0] } == [[118, 76], [130, 88]])
    }

    @Test("a reading without its partner counts and is flagged")
    func unpaired() throws {
        var export = SmallExport()
        export.body = [SmallExport.pressure(118, 76, at: SmallExport.today)]
        export.add("BloodPressureSystolic", "16", "kPa", daysAgo: 1, source: "Cuff")
        let systolic = try #require(try export.propose().proposal("blood_pressure_systolic"))
        #expect(systolic.pairing == Proposal.Pairing(paired: 1, unpaired: 1))
        #expect(systolic.warns(of: .unpairedReadings))
    }
}

@Suite struct GlucoseTests {
    @Test("a reading after a meal does not answer, an unmarked one does with a note")
    func mealTime() throws {
        var export = SmallExport()
        export.add("BloodGlucose", "140", "mg/dL", daysAgo: 0, mealTime: 2)
        export.add("BloodGlucose", "92", "mg/dL", daysAgo: 1)
        var proposal = try #require(try export.propose().proposal("fasting_glucose"))
        #expect(proposal.value == 92 && proposal.excluded == ["after_meal": 1])
        #expect(proposal.warns(of: .mealTimeUnknown))
        export.add("BloodGlucose", "88", "mg/dL", daysAgo: 0.5, mealTime: 1)
        proposal = try #require(try export.propose().proposal("fasting_glucose"))
        #expect(proposal.value == 88 && !proposal.warns(of: .mealTimeUnknown))
    }

    @Test("a sensor that measures all day long does not answer; the meter beside it does")
    func sensor() throws {
        var export = SmallExport()
        for index in 0..<49 {
            export.body.append(
                SmallExport.record(
                    "BloodGlucose", "110", "mg/dL", at: SmallExport.today - 20_000 + Int64(index) * 300,
                    source: "Sensor"))
        }
        let alone = try export.propose()
        #expect(alone.proposal("fasting_glucose") == nil)
        #expect(alone.warnings.contains { $0.code == .continuousSensor })
        export.add("BloodGlucose", "92", "mg/dL", daysAgo: 9, source: "Meter", mealTime: 1)
        let proposal = try #require(try export.propose().proposal("fasting_glucose"))
        #expect(proposal.value == 92 && proposal.excluded == ["continuous_sensor": 49])
        #expect(proposal.warns(of: .continuousSensor))
    }

    @Test("48 readings on a day are no sensor, nor are repeated ones")
    func notASensor() throws {
        var export = SmallExport()
        for index in 0..<48 {
            let line = SmallExport.record(
                "BloodGlucose", "\(90 + index)", "mg/dL", at: SmallExport.today - 20_000 + Int64(index) * 300,
                source: "Meter")
            export.body += [line, line]
        }
        #expect(try export.propose().proposal("fasting_glucose")?.value == 137)
    }

    @Test("mmol/L becomes mg/dL with the molar mass that the unit prints")
    func molar() throws {
        var export = SmallExport()
        export.add("BloodGlucose", "5.1067", "mmol&lt;180.1558800000541&gt;/L", daysAgo: 0, mealTime: 1)
        let proposal = try #require(try export.propose().proposal("fasting_glucose"))
        #expect(proposal.display == "92" && proposal.unit == "mg/dL")
    }
}
