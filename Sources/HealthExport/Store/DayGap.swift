import CanonicalJSON

/// A long stretch without any day in the middle of the days of an import: mostly the work of one device whose clock
/// stood at 1970 for a moment. Whoever asks for all days gets the stretch too (control-api.md 5: every day from the
/// earliest), so it is named with the days before it.
public struct DayGap: Codable, Hashable, Sendable {
    /// The last day before the stretch, `yyyy-MM-dd`.
    public var lastDayBefore: String
    /// The first day after it.
    public var firstDayAfter: String
    /// Days of the stretch.
    public var emptyDayCount: Int
    /// Days with data before the stretch, of the whole import.
    public var earlierDayCount: Int
    /// Days with data after it.
    public var laterDayCount: Int
    /// The last days before the stretch, ascending, at most ``datesKept``.
    public var earlierDays: [String]

    /// Shorter stretches are lives, not faults: people stop to wear a watch for a year.
    public static let shortestGap = 2 * 365
    /// Dates kept of the days before a stretch.
    public static let datesKept = 10
    /// Stretches kept.
    public static let gapsKept = 10

    /// Whole years of the stretch.
    public var yearCount: Int { Int(Double(emptyDayCount) / 365.2425) }

    /// Whether what lies before the stretch is the smaller part, which a reader will want to leave out.
    public var isBeforeMostDays: Bool { earlierDayCount < laterDayCount }

    /// The stretches between ascending day numbers; the latest ``gapsKept`` of them.
    static func gaps(in days: [Int]) -> [DayGap] {
        var found: [DayGap] = []
        for index in days.indices.dropFirst() {
            let empty = days[index] - days[index - 1] - 1
            guard empty >= shortestGap else { continue }
            found.append(
                DayGap(
                    lastDayBefore: DayText.of(days[index - 1]), firstDayAfter: DayText.of(days[index]),
                    emptyDayCount: empty, earlierDayCount: index, laterDayCount: days.count - index,
                    earlierDays: days[..<index].suffix(datesKept).map(DayText.of)))
        }
        return found.suffix(gapsKept)
    }
}

/// Day numbers as text.
enum DayText {
    /// `yyyy-MM-dd`; days of a store lie within the calendar, so the number itself is never seen.
    static func of(_ day: Int) -> String { CivilDate(daysSince1970: day)?.description ?? String(day) }
}
