import CanonicalJSON
import Foundation
import HealthRecords

/// The instants that bound one calendar day in one zone (health-data.md 6 and 7.1).
struct DayFrame: Sendable {
    /// The day.
    let day: CivilDate
    /// The IANA name of the zone.
    let zoneIdentifier: String
    /// First instant of the day, and of the next one: 23 to 25 hours, or more where a zone skipped a day.
    let interval: Range<Double>
    /// Local noon to the next local noon: the window of the night that begins on this day.
    let night: Range<Double>
    private let zone: TimeZone

    /// The frame of a day. Throws `time_zone_unknown` for a name that is no zone.
    init(day: CivilDate, zoneIdentifier: String) throws(HealthDataError) {
        guard let zone = TimeZone(identifier: zoneIdentifier) else { throw .unknownZone(zoneIdentifier) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        guard let next = day.adding(days: 1),
            let noon = Self.noon(of: day, calendar), let nextNoon = Self.noon(of: next, calendar)
        else { throw .invalidMember(path: "date", expected: "a day of the years 1 to 9999") }
        self.day = day
        self.zone = zone
        self.zoneIdentifier = zoneIdentifier
        let start = calendar.startOfDay(for: noon).timeIntervalSince1970
        let end = calendar.startOfDay(for: nextNoon).timeIntervalSince1970
        interval = start..<max(start, end)
        night = noon.timeIntervalSince1970..<max(noon, nextNoon).timeIntervalSince1970
    }

    private static func noon(of day: CivilDate, _ calendar: Calendar) -> Date? {
        calendar.date(from: DateComponents(year: day.year, month: day.month, day: day.day, hour: 12))
    }

    /// Whether an object that starts then belongs to the day.
    func owns(_ start: Instant) -> Bool { interval.contains(start.secondsSince1970) }

    /// The wall-clock hour, numbered since 1970: a repeated hour has one number.
    func localHour(_ instant: Instant) -> Int {
        let seconds = instant.secondsSince1970
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
        return Int(((seconds + Double(offset)) / 3_600).rounded(.down))
    }
}

extension Instant {
    /// The same instant as Foundation has it.
    var date: Date { Date(timeIntervalSinceReferenceDate: secondsSince2001) }
}
