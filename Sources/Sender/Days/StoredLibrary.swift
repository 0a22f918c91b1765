import CanonicalJSON
import Foundation
import HealthData
import HealthExport
import HealthRecords

/// The day store of the phone folder as the engine's library.
struct StoredLibrary: DayLibrary {
    let store: DayStore

    func currentGeneration() throws -> Int? { try store.generationNumbers().last }

    func open(_ generation: Int) throws -> any DaySource {
        guard try store.generationNumbers().contains(generation) else { throw SenderError.generationGone(generation) }
        return StoredDays(
            generation: try store.generation(generation), sources: SourcePriority(try store.sourcePriority()))
    }
}

/// One generation, with the builder that makes records of its days.
final class StoredDays: DaySource {
    private let generation: DayGeneration
    private let sources: SourcePriority

    init(generation: DayGeneration, sources: SourcePriority) {
        self.generation = generation
        self.sources = sources
    }

    var zone: CalendarZone { generation.zone }

    func coverage() throws -> ClosedRange<CivilDate>? { generation.dayRange }

    func record(of day: CivilDate, metricIDs: [String]?, includesArchive: Bool) throws -> DailyRecord {
        builder(metricIDs).record(
            of: day, from: try generation.sourceDay(day, documents: includesArchive), includesArchive: includesArchive)
    }

    func losslessDay(of day: CivilDate, metricIDs: [String]?, version: DocumentVersion) throws -> LosslessDay {
        try builder(metricIDs).losslessDay(of: day, from: try generation.sourceDay(day), version: version)
    }

    private func builder(_ metricIDs: [String]?) -> DayBuilder {
        let selection = metricIDs.map { HealthData.MetricSelection(metricIDs: $0) } ?? .all
        return DayBuilder(zone: generation.zone, sources: sources, selection: selection)
    }
}
