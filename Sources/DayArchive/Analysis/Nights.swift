import CanonicalJSON

/// One night: noon to noon UTC, named by the day it begins on (day-archive-reader.md 6).
struct Night: Equatable {
    let label: ArchiveDay
    let asleepHours: Double
    /// Nil when nothing says "in bed".
    let inBedHours: Double?
    /// Hours by asleep stage, sorted by name.
    let stages: [(name: String, hours: Double)]
    let start: String
    let end: String
    /// Asleep stretches.
    let segments: Int

    static func == (left: Night, right: Night) -> Bool { left.row == right.row }

    private struct Stretch {
        let start: Int
        let end: Int
        let startText: String
        let endText: String
        let stage: String
    }

    /// The nights of sleep events, in order.
    static func all(_ events: some Sequence<ReadEvent>) -> [Night] {
        var nights: [ArchiveDay: [Stretch]] = [:]
        for event in events where event.metric == "sleep" {
            guard let endText = event.end, let start = UTCText.parse(event.start), let end = UTCText.parse(endText),
                let label = ArchiveDay(utcSecond: start - 43_200)
            else { continue }
            nights[label, default: []].append(
                Stretch(
                    start: start, end: end, startText: event.start, endText: endText, stage: event.stage ?? "unknown"))
        }
        return nights.keys.sorted().compactMap { label in nights[label].flatMap { Night(label, $0) } }
    }

    private init?(_ label: ArchiveDay, _ stretches: [Stretch]) {
        let asleep = stretches.filter { $0.stage.hasPrefix("asleep") }
        let inBed = stretches.filter { $0.stage == "inBed" }
        let extent = asleep.isEmpty ? stretches : asleep
        guard let start = extent.map(\.startText).min(), let end = extent.map(\.endText).max() else { return nil }
        self.label = label
        self.start = start
        self.end = end
        segments = asleep.count
        asleepHours = Self.hours(asleep)
        inBedHours = inBed.isEmpty ? nil : Self.hours(inBed)
        stages = Set(asleep.map(\.stage)).sorted().map { stage in
            (stage, Self.hours(asleep.filter { $0.stage == stage }))
        }
    }

    /// The length of the union; touching and overlapping stretches merge, empty and backward ones are ignored.
    private static func hours(_ stretches: [Stretch]) -> Double {
        var seconds = 0
        var reached = Int.min
        for stretch in stretches.sorted(by: { $0.start < $1.start }) where stretch.end > stretch.start {
            let begin = max(stretch.start, reached)
            if stretch.end > begin {
                seconds += stretch.end - begin
                reached = stretch.end
            }
        }
        return Rounding.thousandths(Double(seconds) / 3_600)
    }

    /// The members in the published order.
    var row: JSONObject {
        [
            "night": .string(label.description), "asleepHours": .double(asleepHours),
            "inBedHours": inBedHours.map { .double($0) } ?? .null,
            "stages": .object(JSONObject(stages.map { .init($0.name, .double($0.hours)) })),
            "start": .string(start), "end": .string(end), "segments": .integer(segments),
        ]
    }
}
