import CanonicalJSON
import Foundation

/// The wall clock of the zone that defines a day: clock texts and dates, nothing else.
struct ZoneClock: Sendable {
    private let zone: TimeZone
    /// The IANA name.
    let identifier: String

    /// The clock of an IANA zone; throws `time_zone_unknown` for another name.
    init(identifier: String) throws(HealthDataError) {
        guard let zone = TimeZone(identifier: identifier) else { throw .unknownZone(identifier) }
        self.zone = zone
        self.identifier = identifier
    }

    /// `HH:mm`.
    func hourMinute(_ date: Date) -> String {
        let second = secondOfDay(date)
        return "\(DayText.twoDigits(second / 3_600)):\(DayText.twoDigits(second / 60 % 60))"
    }

    /// `HH:mm:ss`.
    func hourMinuteSecond(_ date: Date) -> String {
        "\(hourMinute(date)):\(DayText.twoDigits(secondOfDay(date) % 60))"
    }

    /// The calendar day; nil outside years 0 to 9999.
    func day(_ date: Date) -> CivilDate? {
        localSeconds(date).flatMap { CivilDate(daysSince1970: Int(($0 / 86_400).rounded(.down))) }
    }

    private func secondOfDay(_ date: Date) -> Int {
        guard let local = localSeconds(date) else { return 0 }
        return Int(local - (local / 86_400).rounded(.down) * 86_400)
    }

    /// Seconds since 1970 of the wall clock, whole; nil for an instant that no calendar holds.
    private func localSeconds(_ date: Date) -> Double? {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds.magnitude < 4e11 else { return nil }
        return seconds + Double(zone.secondsFromGMT(for: date))
    }
}
