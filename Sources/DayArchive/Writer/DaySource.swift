import CanonicalJSON
import HealthData
import HealthExport
import HealthRecords

/// Where a writer's days come from, and where edits are written to.
public protocol DaySource: Sendable {
    /// What there is now; nil before the first import.
    func snapshot() throws -> DaySourceSnapshot?
    /// The records of one day, entries of edits included.
    func sourceDay(_ day: CivilDate) throws -> SourceDay
    /// Writes a record of an edit under its id, replacing what was there.
    func putEntry(_ id: String, _ record: HealthRecord) throws
    /// Removes the record of an edit; an unknown id is fine.
    func removeEntry(_ id: String) throws
}

/// What a day source holds.
public struct DaySourceSnapshot: Equatable, Sendable {
    /// Changes with every import.
    public let generation: Int
    /// The zone of the days.
    public let zone: CalendarZone
    /// Sources from best to worst.
    public let sources: [String]
    /// The first day with data; nil when there is none.
    public let firstDay: CivilDate?

    /// A snapshot.
    public init(generation: Int, zone: CalendarZone, sources: [String], firstDay: CivilDate?) {
        self.generation = generation
        self.zone = zone
        self.sources = sources
        self.firstDay = firstDay
    }
}

/// The phone's day store as a day source.
public struct StoredDays: DaySource {
    /// Edits' entries are told from others of the overlay by this.
    private static let prefix = "archive-edit:"
    private let store: DayStore

    /// The days of a store.
    public init(_ store: DayStore) { self.store = store }

    /// The newest generation.
    public func snapshot() throws -> DaySourceSnapshot? {
        guard let zone = try store.zone(), let number = try store.generationNumbers().last else { return nil }
        return DaySourceSnapshot(
            generation: number, zone: zone, sources: try store.sourcePriority(),
            firstDay: try store.dayRange()?.lowerBound)
    }

    /// The records of one day.
    public func sourceDay(_ day: CivilDate) throws -> SourceDay {
        try store.sourceDay(day, digests: true, documents: false)
    }

    /// Writes an entry into the overlay, which every import leaves alone.
    public func putEntry(_ id: String, _ record: HealthRecord) throws {
        try store.addOverlay([(id: Self.prefix + id, record: record)])
    }

    /// Removes an entry from the overlay.
    public func removeEntry(_ id: String) throws { try store.removeOverlay(ids: [Self.prefix + id]) }
}
