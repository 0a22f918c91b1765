import Foundation
import HealthRecords

/// The records of a day by type, exact duplicates dropped.
struct SampleIndex: Sendable {
    private let byType: [String: [HealthRecord]]

    init(_ records: [HealthRecord]) {
        byType = Dictionary(grouping: records, by: \.type).mapValues(Self.withoutDuplicates)
    }

    /// All records of a type, in the order of the source.
    func records(_ type: String) -> [HealthRecord] { byType[type] ?? [] }

    /// The records of a type that start in the day.
    func owned(_ type: String, by frame: DayFrame) -> [HealthRecord] {
        records(type).filter { frame.owns($0.start) }
    }

    /// A number in the unit asked for, with the record it came from.
    struct Value: Sendable {
        let record: HealthRecord
        let number: Double
    }

    /// The readable values of records, in a unit.
    static func values(_ records: [HealthRecord], unit: String) -> [Value] {
        records.compactMap { record in
            guard case .quantity(let number, let from) = record.value,
                let converted = UnitConversion.convert(number, from: from, to: unit)
            else { return nil }
            return Value(record: record, number: converted)
        }
    }

    /// For each quantity type of the registry, how many of the day's records have no number that we understand.
    func unreadableCounts(in frame: DayFrame) -> [(type: String, count: Int)] {
        let types = Set(
            Registry.current.metrics.filter { !$0.isArchiveOnly && $0.recordUnit != nil }
                .compactMap { metric in metric.healthKitIdentifier.flatMap { id in metric.recordUnit.map { [id, $0] } }
                })
        return types.sorted { $0[0] < $1[0] }.compactMap { pair in
            let owned = owned(pair[0], by: frame)
            let count = owned.count - Self.values(owned, unit: pair[1]).count
            return count > 0 ? (pair[0], count) : nil
        }
    }

    /// Drops copies: of samples with a length those of the same source, interval and value (a re-synced copy may differ
    /// in creation date or version); of instants, where equal entries can be real, only those that agree in everything
    /// (health-data.md 6).
    private static func withoutDuplicates(_ records: [HealthRecord]) -> [HealthRecord] {
        var seen: Set<Key> = []
        seen.reserveCapacity(records.count)
        return records.filter { seen.insert(Key($0)).inserted }
    }

    private struct Key: Hashable {
        let source: String
        let start: Instant
        let end: Instant
        let value: RecordValue
        let metadata: [MetadataEntry]
        let digest: [UInt8]

        init(_ record: HealthRecord) {
            source = record.source.name
            start = record.start
            end = record.end
            value = record.value
            let hasLength = record.end > record.start
            metadata = hasLength ? [] : record.metadata
            digest = hasLength ? [] : record.contentDigest
        }
    }
}
