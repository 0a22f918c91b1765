import CanonicalJSON

/// One workout of an answer (day-archive-reader.md 6).
struct Workout {
    let day: ArchiveDay
    let activity: String
    let start: String
    let end: String?
    let minutes: Double?
    let source: String?

    /// Apple's activity numbers that have a name here.
    private static let names = [
        "9": "climbing", "11": "crossTraining", "13": "cycling", "16": "elliptical",
        "20": "functionalStrengthTraining", "24": "hiking", "29": "mindAndBody", "35": "rowing", "37": "running",
        "44": "stairClimbing", "46": "swimming", "50": "traditionalStrengthTraining", "52": "walking", "57": "yoga",
        "3000": "other",
    ]

    /// The names that are given to activity numbers.
    static var knownNames: [String] { Array(names.values) }

    /// The name of an activity number.
    static func name(_ raw: String?) -> String {
        guard let raw else { return "activity-unknown" }
        return names[raw] ?? "activity-\(raw)"
    }

    /// The workouts among events, by start.
    static func all(_ events: some Sequence<ReadEvent>) -> [Workout] {
        events.filter { $0.metric == "workout" }.map { event in
            Workout(
                day: event.day, activity: name(event.activity), start: event.start, end: event.end,
                minutes: event.duration.map { Rounding.thousandths($0 / 60) }, source: event.source)
        }.sorted { $0.start < $1.start }
    }

    /// The members in the published order.
    var row: JSONObject {
        [
            "day": .string(day.description), "activity": .string(activity), "start": .string(start),
            "end": end.map { .string($0) } ?? .null, "minutes": minutes.map { .double($0) } ?? .null,
            "source": source.map { .string($0) } ?? .null,
        ]
    }
}
