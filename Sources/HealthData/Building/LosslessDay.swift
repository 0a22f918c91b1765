import CanonicalJSON
import HealthRecords

/// A day with its archive, as the bytes of its canonical document.
///
/// The same bytes as ``DayDocument/canonicalBytes()`` of the day's record, made without a tree of the archive's records: those are most of
/// a lossless day, and are written as they are read.
public struct LosslessDay: Sendable {
    /// The record of the day. Its archive, if any, is there without external records.
    public let record: DailyRecord
    /// How many external records the archive of the document holds.
    public let externalRecordCount: Int
    /// Whether any summary section is there.
    public let hasSummaryData: Bool
    /// The document, with the final line feed.
    public let bytes: [UInt8]

    /// A day of a record that has its whole archive, or none.
    public init(_ record: DailyRecord, version: DocumentVersion) throws(HealthDataError) {
        let document = try DayDocument(record, detail: .lossless, version: version)
        externalRecordCount = record.healthKitRecordArchive?.externalRecords.count ?? 0
        hasSummaryData = document.hasSummaryData
        bytes = document.canonicalBytes()
        var record = record
        record.healthKitRecordArchive?.externalRecords = []
        self.record = record
    }

    init(_ record: DailyRecord, entries: [ArchiveEntry], version: DocumentVersion) throws(HealthDataError) {
        let document = try DayDocument(record, detail: .lossless, version: version)
        self.record = record
        externalRecordCount = entries.count
        hasSummaryData = document.hasSummaryData
        bytes = ArchiveText.document(document, externalRecords: entries)
    }
}

extension DayBuilder {
    /// The lossless document of a day.
    public func losslessDay(
        of day: CivilDate, from source: SourceDay, version: DocumentVersion
    ) throws(HealthDataError) -> LosslessDay {
        var build = DayBuild(builder: self, frame: DayFrame(day: day, zone: zone), source: source)
        build.run()
        let contents = build.archiveContents()
        var record = build.record
        record.healthKitRecordArchive = contents.archive
        record.healthKitRecordCaptureStatus = contents.archive.captureStatus
        return try LosslessDay(record, entries: contents.entries, version: version)
    }
}
