import Foundation
import HealthRecords

extension DayBuild {
    static let sleepType = "HKCategoryTypeIdentifierSleepAnalysis"

    /// The night that begins on the day: noon to noon, samples clipped to it (health-data.md 7.1).
    mutating func buildSleep() {
        guard builder.selection.containsAny(ofCategory: "Sleep") else { return }
        let stages = samples.records(Self.sleepType).compactMap(stage)
        guard !stages.isEmpty else { return }
        record.sleep = SleepNight(stages).summary
        record.sleep.stages = stages.enumerated()
            .sorted { ($0.element.interval.lowerBound, $0.offset) < ($1.element.interval.lowerBound, $1.offset) }
            .map { _, stage in
                DailyRecord.SleepStage(
                    stage: stage.token, startDate: Date(timeIntervalSince1970: stage.interval.lowerBound),
                    endDate: Date(timeIntervalSince1970: stage.interval.upperBound), metadata: stage.metadata)
            }
    }

    private func stage(_ sample: HealthRecord) -> SleepNight.Stage? {
        guard case .category(let spelling) = sample.value,
            let token = spelling == "HKCategoryValueSleepAnalysisAsleep"
                ? "unspecified" : Registry.current.token(kind: Self.sleepType, spelling: spelling)
        else { return nil }
        let start = max(sample.start.secondsSince1970, frame.night.lowerBound)
        let end = min(sample.end.secondsSince1970, frame.night.upperBound)
        guard start < end else { return nil }
        return SleepNight.Stage(token: token, interval: start..<end, metadata: SourceTexts.map(sample.metadata))
    }
}

/// Durations of one night from its clipped stages (health-data.md 7.1).
struct SleepNight {
    /// One clipped interval; seconds since 1970.
    struct Stage: Sendable {
        let token: String
        let interval: Range<Double>
        var metadata: [String: String] = [:]
    }

    private let unions: [String: IntervalUnion]

    init(_ stages: [Stage]) {
        unions = Dictionary(grouping: stages, by: \.token).mapValues { IntervalUnion($0.map(\.interval)) }
    }

    private func union(_ tokens: String...) -> IntervalUnion {
        tokens.reduce(IntervalUnion()) { $0.union(unions[$1] ?? IntervalUnion()) }
    }

    /// Gap over which parts of one night belong together when its bounds are looked for: the joining gap of
    /// health-data.md 7.2.
    private static let sessionGap = 90.0 * 60

    var summary: DailyRecord.Sleep {
        let asleep = union("deep", "rem", "core", "unspecified")
        let inBed = union("inBed")
        let awake = union("awake")
        var sleep = DailyRecord.Sleep()
        sleep.deepSleep = union("deep").length
        sleep.remSleep = union("rem").length
        sleep.coreSleep = union("core").length
        sleep.awakeTime = awake.length
        sleep.inBedTime = inBed.length
        if inBed.intervals.isEmpty {
            sleep.totalDuration = asleep.length
        } else {
            let base = inBed.union(asleep)
            sleep.totalDuration = max(0, base.length - awake.intersection(base).length)
        }
        let sessions = inBed.union(asleep).joined(overGapsUpTo: Self.sessionGap)
        // The night is the longest session; a nap is not where bedtime is.
        if let night = sessions.max(by: { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }) {
            sleep.sessionStart = Date(timeIntervalSince1970: night.lowerBound)
            sleep.sessionEnd = Date(timeIntervalSince1970: night.upperBound)
        }
        return sleep
    }
}
