import Foundation
import HealthRecords
import TestSupport
import Testing

@testable import HealthData

@Suite("The night that begins on a day")
struct SleepTests {
    private let day: TestDay

    init() throws { day = try TestDay() }

    private func stage(
        _ name: String, _ from: Double, _ to: Double, _ source: RecordSource = Source.watch
    ) -> HealthRecord {
        Source.category("SleepAnalysis", "SleepAnalysis" + name, from: day.at(from), to: day.at(to), source)
    }

    @Test("in bed from the phone and stages from the watch: time in bed less the awake time inside it")
    func phoneAndWatch() throws {
        let sleep = try day.build([
            stage("InBed", 22, 30, Source.phone), stage("AsleepCore", 22.5, 26), stage("AsleepDeep", 26, 27),
            stage("Awake", 27, 27.5), stage("AsleepREM", 27.5, 29.5),
        ]).sleep
        #expect(sleep.inBedTime == 8 * 3_600)
        #expect(sleep.totalDuration == 7.5 * 3_600)
        #expect(sleep.coreSleep == 3.5 * 3_600)
        #expect(sleep.deepSleep == 3_600)
        #expect(sleep.remSleep == 2 * 3_600)
        #expect(sleep.awakeTime == 1_800)
        #expect(sleep.sessionStart == Date(timeIntervalSince1970: day.at(22)))
        #expect(sleep.sessionEnd == Date(timeIntervalSince1970: day.at(30)))
    }

    @Test("without in-bed intervals the total is the union of the stages")
    func stagesOnly() throws {
        let sleep = try day.build([
            stage("AsleepCore", 23, 27), stage("AsleepDeep", 26, 28), stage("Awake", 27, 27.5),
            stage("Asleep", 23, 24, Source.app),
        ]).sleep
        #expect(sleep.totalDuration == 5 * 3_600)
        #expect(sleep.inBedTime == 0)
    }

    @Test("a nap outside the bed counts, awake time outside it does not subtract")
    func nap() throws {
        let sleep = try day.build([
            stage("InBed", 23, 30), stage("AsleepUnspecified", 14, 15), stage("Awake", 31, 32),
        ]).sleep
        #expect(sleep.totalDuration == 8 * 3_600)
        #expect(sleep.awakeTime == 3_600)
        #expect(sleep.sessionStart == Date(timeIntervalSince1970: day.at(23)), "a nap is not bedtime")
    }

    @Test("samples are clipped to the window from noon to noon")
    func window() throws {
        let sleep = try day.build([
            stage("AsleepCore", 10, 13), stage("AsleepCore", 34, 40), stage("AsleepCore", 40, 41),
        ]).sleep
        #expect(sleep.coreSleep == 3 * 3_600)
        #expect(sleep.stages.map(\.startDate) == [12, 34].map { Date(timeIntervalSince1970: day.at($0)) })
        #expect(sleep.stages.last?.endDate == Date(timeIntervalSince1970: day.at(36)))
    }

    @Test("overlapping records of several sources are united, never added")
    func severalSources() throws {
        let sleep = try day.build([
            stage("AsleepDeep", 24, 26), stage("AsleepDeep", 25, 27, Source.app), stage("AsleepDeep", 24, 26),
        ]).sleep
        #expect(sleep.deepSleep == 3 * 3_600)
        #expect(sleep.stages.count == 2, "an exact copy is one sample")
    }

    @Test("the window of a night over a clock change is 23 or 25 hours long")
    func clockChange() throws {
        let spring = try TestDay("2026-03-28")
        #expect(spring.frame.night.upperBound - spring.frame.night.lowerBound == 23 * 3_600)
        let autumn = try TestDay("2026-10-24")
        #expect(autumn.frame.night.upperBound - autumn.frame.night.lowerBound == 25 * 3_600)
    }

    @Test("durations keep their bounds for any intervals", arguments: 0..<40)
    func bounds(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = ["InBed", "AsleepCore", "AsleepDeep", "AsleepREM", "AsleepUnspecified", "Awake"]
        let records = (0..<Int.random(in: 1...30, using: &random)).map { _ in
            let from = Double.random(in: 10...38, using: &random)
            return stage(
                names.randomElement(using: &random)!, from, from + Double.random(in: 0...4, using: &random),
                Bool.random(using: &random) ? Source.watch : Source.phone)
        }
        let sleep = try day.build(records).sleep
        let window = day.frame.night.upperBound - day.frame.night.lowerBound
        let stages = sleep.deepSleep + sleep.remSleep + sleep.coreSleep
        #expect(sleep.totalDuration >= 0 && sleep.totalDuration <= window + 1e-6, "seed \(seed)")
        #expect(sleep.inBedTime <= window + 1e-6 && stages <= 3 * window + 1e-6, "seed \(seed)")
        if sleep.inBedTime == 0 {
            let largest = max(sleep.deepSleep, sleep.remSleep, sleep.coreSleep)
            #expect(sleep.totalDuration >= largest - 1e-6, "seed \(seed)")
        } else {
            #expect(sleep.totalDuration >= sleep.inBedTime - sleep.awakeTime - 1e-6, "seed \(seed)")
        }
    }
}
