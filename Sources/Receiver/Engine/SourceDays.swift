import CanonicalJSON
import ConnectedProtocol
import Foundation

/// The time zones of this computer, as the checks of a manifest need them.
struct SystemCalendar: CalendarRules {
    func isKnown(zone: String) -> Bool { SourceDays(zoneIdentifier: zone) != nil }

    func day(of instant: ProtocolDate, in zone: String?) -> CivilDate? {
        let days = zone.flatMap(SourceDays.init) ?? .local
        return days.day(of: Date(timeIntervalSinceReferenceDate: instant.secondsSince2001))
    }
}

/// Calendar days in the zone of a source.
struct SourceDays {
    private let zone: TimeZone

    /// The days of an IANA zone; nil for an unknown name.
    init?(zoneIdentifier: String) {
        guard let zone = TimeZone(identifier: zoneIdentifier) else { return nil }
        self.zone = zone
    }

    /// The days of this computer.
    static let local = SourceDays(zone: .current)

    private init(zone: TimeZone) { self.zone = zone }

    /// The calendar day of an instant; nil outside years 0 to 9999.
    func day(of date: Date) -> CalendarDay? {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds.magnitude < 4e11 else { return nil }
        let local = seconds + Double(zone.secondsFromGMT(for: date))
        return CalendarDay(daysSince1970: Int((local / 86_400).rounded(.down)))
    }

    /// The first instant of a day: midnight, or the end of the gap where midnight does not exist.
    func firstInstant(of day: CalendarDay) -> ProtocolDate {
        let midnight = Double(day.daysSince1970) * 86_400
        // The offset in force is that of the day itself; two guesses settle on either side of a change of clocks.
        var instant = midnight
        for _ in 0..<2 {
            instant = midnight - Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: instant)))
        }
        if self.day(of: Date(timeIntervalSince1970: instant)) != day,
            let change = zone.nextDaylightSavingTimeTransition(
                after: Date(timeIntervalSince1970: instant - 86_400))
        {
            instant = change.timeIntervalSince1970
        }
        return ProtocolDate(secondsSince1970: instant)
    }

    /// The labels of a manifest's requested dates: its own, or those that the source's zone gives.
    static func labels(of manifest: ExportManifest) -> [String] {
        if let labels = manifest.requestedDateIdentifiers { return labels }
        let days = manifest.sourceTimeZoneIdentifier.flatMap(SourceDays.init) ?? .local
        return manifest.requestedDates.map { date in
            days.day(of: Date(timeIntervalSinceReferenceDate: date.secondsSince2001))?.description ?? "?"
        }
    }
}
