import CanonicalJSON
import ConnectedProtocol
import Foundation
import HealthData
import HealthRecords

/// The imported health data, generation by generation (extensions.md 4).
protocol DayLibrary: Sendable {
    /// The newest generation; nil when nothing was imported. Sees what another process has published meanwhile.
    func currentGeneration() throws -> Int?

    /// Opens a generation for one thread.
    func open(_ generation: Int) throws -> any DaySource
}

/// One generation, opened for reading. It never changes.
protocol DaySource: AnyObject {
    /// The zone that defines its days.
    var zone: CalendarZone { get }

    /// First and last day with a record; nil when there is none.
    func coverage() throws -> ClosedRange<CivilDate>?

    /// The record of a day, built from everything that the generation holds of it.
    ///
    /// - Parameters:
    ///   - metricIDs: the metrics to compute; nil for all.
    ///   - includesArchive: whether every source record comes along.
    func record(of day: CivilDate, metricIDs: [String]?, includesArchive: Bool) throws -> DailyRecord

    /// The lossless document of a day, made without holding its source records in any other form.
    func losslessDay(of day: CivilDate, metricIDs: [String]?, version: DocumentVersion) throws -> LosslessDay
}

/// A zone as the protocol asks it.
struct ZoneCalendar: SourceCalendar {
    let zone: CalendarZone

    var timeZoneIdentifier: String { zone.identifier }

    func start(of day: CivilDate) -> ProtocolDate? {
        guard zone.exists(day) else { return nil }
        return ProtocolDate(secondsSince1970: zone.dayInterval(day).start.secondsSince1970)
    }

    func day(containing instant: ProtocolDate) -> CivilDate? {
        zone.civilDate(at: Instant(secondsSince1970: instant.secondsSince1970))
    }
}
