import HealthRecords

/// One object of the archive, before it has any form: the item form of a record is a tree of some forty nodes, and a day has thousands
/// of records, so it is only built where an item is wanted.
struct ArchiveEntry {
    /// Where the object comes from.
    enum Origin {
        /// A plain record with the metrics that selected it.
        case record(HealthRecord, metricIDs: [String])
        /// An electrocardiogram, some 15,000 voltages.
        case recording(Electrocardiogram)
        /// An object that has its form already: correlations, workouts, routes, rings.
        case built(ExternalRecord)
    }

    /// Its identity within the archive.
    let identifier: String
    /// The type under which it is counted.
    let type: String
    /// The object.
    let origin: Origin

    init(_ record: HealthRecord, metricIDs: [String]) {
        identifier = ExternalRecord.identifier(of: record)
        type = record.type
        origin = .record(record, metricIDs: metricIDs)
    }

    init(_ recording: Electrocardiogram) {
        identifier = ExternalRecord.identifier(of: recording)
        type = ExternalRecord.electrocardiogramType
        origin = .recording(recording)
    }

    init(_ record: ExternalRecord) {
        identifier = record.identifier
        type = record.type
        origin = .built(record)
    }

    /// The object in the item's form.
    var record: ExternalRecord {
        switch origin {
        case .record(let record, let metricIDs): ExternalRecord(record, metricIDs: metricIDs)
        case .recording(let recording): ExternalRecord(recording)
        case .built(let record): record
        }
    }
}
