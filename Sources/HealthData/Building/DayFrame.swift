import CanonicalJSON
import Foundation
import HealthRecords

/// The instants that bound one calendar day in one zone (health-data.md 6 and 7.1), in seconds since 1970.
struct DayFrame: Sendable {
    /// The day.
    let day: CivilDate
    /// The zone that defines it.
    let zone: CalendarZone
    /// First instant of the day to that of the next one: 23 to 25 hours; empty for a day that the zone skips.
    let interval: Range<Double>
    /// Local noon to the next local noon: the window of the night that begins on this day.
    let night: Range<Double>

    /// The frame of a day.
    init(day: CivilDate, zone: CalendarZone) {
        self.day = day
        self.zone = zone
        let bounds = zone.dayInterval(day)
        let start = bounds.start.secondsSince1970
        interval = start..<max(start, bounds.end.secondsSince1970)
        let noon = zone.noon(day).secondsSince1970
        // The last day of the calendar has no next one; its night is half a day.
        let next = day.adding(days: 1).map { zone.noon($0).secondsSince1970 } ?? noon + 43_200
        night = noon..<max(noon, next)
    }

    /// Whether an object that starts then belongs to the day.
    func owns(_ start: Instant) -> Bool { interval.contains(start.secondsSince1970) }

    /// The wall-clock hour, numbered since 1970: a repeated hour has one number.
    func localHour(_ instant: Instant) -> Int {
        Int(((instant.secondsSince1970 + Double(zone.offset(at: instant))) / 3_600).rounded(.down))
    }
}

extension Instant {
    /// The same instant as Foundation has it.
    var date: Date { Date(timeIntervalSinceReferenceDate: secondsSince2001) }
}
