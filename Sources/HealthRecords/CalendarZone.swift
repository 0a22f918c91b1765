import CanonicalJSON
import Foundation

/// The zone that decides which day an instant belongs to: one per store (extensions.md 4).
///
/// All changes of the zone's offset are asked for once, at construction; after that a question is a binary search in
/// a table that never changes, so a zone can be used from any thread and in a loop over millions of records.
///
/// Days are what a wall calendar shows: 23 to 25 hours long around a clock change, beginning at the first instant that
/// carries their label, which is not midnight where midnight is skipped. A day that a zone skips altogether
/// (Pacific/Apia, 2011-12-30) has no instants.
public struct CalendarZone: Sendable, Hashable, CustomStringConvertible {
    /// The IANA name as it was given, `Europe/Berlin`.
    public let identifier: String
    /// The instants at which an offset begins to hold, ascending; the offset before the first is `offsets[0]`.
    private let transitions: [Int]
    /// Seconds east of UTC; one more than there are transitions.
    private let offsets: [Int]
    /// For each transition that sets the clock back over midnight: until which second the old label is shown again
    /// although the new day has begun. `Int.min` elsewhere.
    private let repeatedUntil: [Int]

    /// Rules are looked up from 1850 to 2200. Later instants keep the last offset.
    private static let firstSecond = -3_786_825_600
    private static let lastSecond = 7_258_118_400

    /// UTC.
    public static let utc = CalendarZone(identifier: "UTC", transitions: [], offsets: [0])

    /// A zone by its IANA name; nil when the system does not know it.
    public init?(identifier: String) {
        guard Self.isName(identifier), let zone = TimeZone(identifier: identifier) else { return nil }
        var transitions: [Int] = []
        var date = Date(timeIntervalSince1970: Double(Self.firstSecond))
        var offsets = [zone.secondsFromGMT(for: date)]
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next > date,
            next.timeIntervalSince1970 < Double(Self.lastSecond)
        {
            date = next
            let offset = zone.secondsFromGMT(for: next)
            guard offset != offsets[offsets.count - 1] else { continue }
            transitions.append(Int(next.timeIntervalSince1970))
            offsets.append(offset)
        }
        self.init(identifier: identifier, transitions: transitions, offsets: offsets)
    }

    private init(identifier: String, transitions: [Int], offsets: [Int]) {
        self.identifier = identifier
        self.transitions = transitions
        self.offsets = offsets
        repeatedUntil = transitions.indices.map { index in
            let lastLocal = transitions[index] + offsets[index] - 1
            let midnight = lastLocal - Self.modulo(lastLocal, 86_400)
            let firstLocal = transitions[index] + offsets[index + 1]
            return midnight > firstLocal ? midnight - offsets[index + 1] : Int.min
        }
    }

    private static func modulo(_ value: Int, _ divisor: Int) -> Int {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    /// Names of the database: letters, digits and `/ _ + -`, starting with a letter. `GMT+5` and the like are offsets
    /// without a calendar, so only names with a slash, `UTC` and `GMT` are taken.
    private static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 64, let first = text.utf8.first, (first | 0x20) &- 0x61 < 26 else { return false }
        guard text == "UTC" || text == "GMT" || text.utf8.contains(UInt8(ascii: "/")) else { return false }
        return text.utf8.allSatisfy { byte in
            (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "/_+-".utf8.contains(byte)
        }
    }

    /// The IANA name.
    public var description: String { identifier }

    /// Equal names are equal zones.
    public static func == (left: CalendarZone, right: CalendarZone) -> Bool { left.identifier == right.identifier }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

    /// Seconds east of UTC at an instant, given in whole seconds since 1970.
    public func offset(atSecond second: Int) -> Int { offsets[transitionCount(upTo: second)] }

    /// Seconds east of UTC at an instant.
    public func offset(at instant: Instant) -> Int { offset(atSecond: Self.second(instant)) }

    /// The number of transitions at or before a second.
    private func transitionCount(upTo second: Int) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The whole second that an instant lies in; instants far outside every calendar are held at its ends.
    private static func second(_ instant: Instant) -> Int {
        Int(max(-1e14, min(1e14, instant.secondsSince1970.rounded(.down))))
    }

    // MARK: Days

    /// The number (days after 1970-01-01) of the day that owns a second: the last one that has begun. That is the label
    /// on the wall, but for the minutes after a clock is set back over midnight (America/St_Johns did so until 2011).
    public func dayNumber(atSecond second: Int) -> Int {
        let index = transitionCount(upTo: second)
        let local = second + offsets[index]
        let day = (local - Self.modulo(local, 86_400)) / 86_400
        return index > 0 && second < repeatedUntil[index - 1] ? day + 1 : day
    }

    /// The day that an instant belongs to; nil outside years 0 to 9999.
    public func civilDate(at instant: Instant) -> CivilDate? {
        CivilDate(daysSince1970: dayNumber(atSecond: Self.second(instant)))
    }

    /// The first second of a day, by number. For a day that the zone skips it is the first second after the gap.
    public func startSecond(ofDay day: Int) -> Int { firstSecond(ofLocal: day * 86_400) }

    /// The half-open interval of a day: from the first instant of its label to the first instant of a later label.
    /// Empty for a day that the zone skips.
    public func dayInterval(_ date: CivilDate) -> (start: Instant, end: Instant) {
        let start = startSecond(ofDay: date.daysSince1970)
        let end = startSecond(ofDay: date.daysSince1970 + 1)
        return (Instant(secondsSince1970: Double(start)), Instant(secondsSince1970: Double(end)))
    }

    /// Local noon of a day. Where a gap swallows it, the first instant after the gap; where it comes twice, the first.
    public func noon(_ date: CivilDate) -> Instant {
        Instant(secondsSince1970: Double(firstSecond(ofLocal: date.daysSince1970 * 86_400 + 43_200)))
    }

    /// Whether the zone ever shows this day.
    public func exists(_ date: CivilDate) -> Bool {
        let interval = dayInterval(date)
        return interval.start < interval.end
    }

    /// The earliest second at which the wall clock shows `local` or more.
    ///
    /// A clock that is set back shows a time twice, so "or more" is meant as: the first second of all. The candidates are
    /// `local` minus each offset in force nearby, and the ends of gaps.
    private func firstSecond(ofLocal local: Int) -> Int {
        // No offset exceeds a day and a bit, even at the date line.
        var index = transitionCount(upTo: local - 2 * 86_400)
        while true {
            let begin = index == 0 ? Int.min : transitions[index - 1]
            let end = index == transitions.count ? Int.max : transitions[index]
            let candidate = local - offsets[index]
            if candidate < end { return max(candidate, begin) }
            index += 1
        }
    }
}
