import CanonicalJSON

/// The source's own calendar: which day an instant belongs to, and when a day begins (corpus-protocol.md 5.3, extensions.md 4).
///
/// Day instants are identities on the wire, so only the source computes them, always in its own zone.
public protocol SourceCalendar {
    /// The IANA name of the zone.
    var timeZoneIdentifier: String { get }
    /// The first instant of a day; nil for a day that the zone skips.
    func start(of day: CivilDate) -> ProtocolDate?
    /// The day that an instant belongs to.
    func day(containing instant: ProtocolDate) -> CivilDate?
}

/// One day of a request: its label and its instant.
public struct RequestedDay: Sendable, Equatable {
    /// `yyyy-MM-dd` in the source's calendar.
    public let date: CivilDate
    /// The first instant of the day.
    public let instant: ProtocolDate

    /// A day with its instant.
    public init(date: CivilDate, instant: ProtocolDate) {
        self.date = date
        self.instant = instant
    }
}
