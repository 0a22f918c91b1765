import CanonicalJSON

/// A day of the archive: `YYYY-MM-DD`, years 0001 to 9999 (day-archive.md 1.1, extensions.md 10.8).
public struct ArchiveDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of ASCII characters of the text.
    public static let byteCount = 10

    /// The calendar day.
    public let date: CivilDate

    /// A calendar day; nil in year 0.
    public init?(_ date: CivilDate) {
        guard date.year >= 1 else { return nil }
        self.date = date
    }

    /// The day that a text names.
    ///
    /// - Throws: `bad_day`.
    public init(text: some StringProtocol) throws(WireError) {
        guard let date = CivilDate(text), let day = ArchiveDay(date) else { throw .notADay }
        self = day
    }

    /// The UTC day of an instant in whole seconds since 1970; nil outside the calendar.
    public init?(utcSecond second: Int) {
        guard let date = CivilDate(daysSince1970: second.floorDivided(by: 86_400)) else { return nil }
        self.init(date)
    }

    /// Every day there is.
    static let all: ClosedRange<ArchiveDay> = {
        guard let first = CivilDate("0001-01-01").flatMap(ArchiveDay.init),
            let last = CivilDate("9999-12-31").flatMap(ArchiveDay.init)
        else { preconditionFailure("the calendar's ends are days") }
        return first...last
    }()

    /// Days after 1970-01-01.
    public var number: Int { date.daysSince1970 }

    /// The day `days` later, or earlier for a negative number; nil outside the calendar.
    public func adding(days: Int) -> ArchiveDay? { date.adding(days: days).flatMap { ArchiveDay($0) } }

    /// The day before; the first day of the calendar stays.
    public var previous: ArchiveDay { adding(days: -1) ?? self }

    /// `YYYY-MM-DD`.
    public var description: String { date.description }

    /// Earlier days first, which is also the order of the texts.
    public static func < (left: ArchiveDay, right: ArchiveDay) -> Bool { left.date < right.date }
}

extension Int {
    /// The quotient rounded down.
    func floorDivided(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// Texts of instants in UTC.
enum UTCText {
    /// `YYYY-MM-DDTHH:MM:SSZ` of seconds since 1970; nil outside years 0 to 9999.
    static func seconds(_ second: Int) -> String? {
        RFC3339.seconds(since2001: Double(second - RFC3339.referenceSince1970))
    }

    /// `YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since 1970 (day-archive.md 6).
    static func milliseconds(_ millisecond: Int) -> String {
        let second = millisecond.floorDivided(by: 1_000)
        guard let text = seconds(second) else { preconditionFailure("a clock outside the calendar") }
        let rest = String(millisecond - second * 1_000)
        return text.dropLast() + "." + String(repeating: "0", count: 3 - rest.count) + rest + "Z"
    }

    /// Whole seconds since 1970 of a text with any offset, the fraction cut towards the past; nil for another text.
    static func parse(_ text: some StringProtocol) -> Int? {
        RFC3339.parse(text).map { Int($0.rounded(.down)) + RFC3339.referenceSince1970 }
    }
}
