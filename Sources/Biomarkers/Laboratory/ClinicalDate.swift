import CanonicalJSON
import HealthRecords

/// A clinical date as FHIR writes it: a year, a month, a day or an instant (apple-health-export.md 14).
struct ClinicalDate: Hashable {
    /// As written.
    let text: String
    /// The instant, or the beginning of the year, month or day in the person's zone.
    let instant: Instant

    init?(_ text: String, zone: CalendarZone) {
        self.text = text
        if let seconds = RFC3339.parse(text) {
            instant = Instant(secondsSince2001: seconds)
            return
        }
        if let day = Self.day(text) {
            instant = zone.dayInterval(day).start
            return
        }
        // A time without an offset is no FHIR, and it occurs: it is the laboratory's wall clock, near enough to the
        // person's.
        guard text.utf8.count >= 16, let day = Self.day(String(text.prefix(10))),
            let seconds = RFC3339.parse(text.utf8.count == 16 ? text + ":00Z" : text + "Z")
        else { return nil }
        let midnight = Double(day.daysSince1970 * 86_400)
        let intoDay = Instant(secondsSince2001: seconds).secondsSince1970 - midnight
        instant = Instant(secondsSince1970: zone.dayInterval(day).start.secondsSince1970 + intoDay)
    }

    private static func day(_ text: String) -> CivilDate? {
        switch text.utf8.count {
        case 4: CivilDate(text + "-01-01")
        case 7: CivilDate(text + "-01")
        case 10: CivilDate(text)
        default: nil
        }
    }
}
