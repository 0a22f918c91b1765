import CanonicalJSON
import HMDCItem
import HealthData

extension StrictRawDay {
    /// A captured day: its document, its counts, and how it ended (hmdcitem.md 7, raw-result.md 3).
    init(_ day: CivilDate, _ record: DailyRecord, _ document: DayDocument, expectsArchive: Bool) {
        let archive = expectsArchive ? record.healthKitRecordArchive : nil
        let queries = archive?.queryManifest.results.map(\.status) ?? []
        let warnings = archive?.integrityWarnings ?? []
        let recordCount =
            archive.map { $0.records.count + $0.externalRecords.count + $0.medicationInventoryRecords.count } ?? 0
        self.init(
            date: day.description,
            status: StrictRawDay.status(
                record, archive, expectsArchive: expectsArchive, isEmpty: !document.hasSummaryData && recordCount == 0),
            captureStatus: CaptureStatus(archive?.captureStatus ?? .notRequested),
            canonicalDailyJSON: .streamed(ItemRegion(ItemBytes(document.canonicalBytes()))),
            recordCount: recordCount, sampleCount: archive?.records.count ?? 0,
            queryStatusCounts: QueryStatusCounts(queries), partialFailureCount: record.partialFailures.count,
            partialFailureTypes: Set(record.partialFailures.map(\.dataType)).sortedByBytes,
            integrityWarningCount: warnings.count, integrityWarningCodes: Set(warnings.map(\.code)).sortedByBytes)
    }

    /// The first rule that holds, in the published order.
    private static func status(
        _ record: DailyRecord, _ archive: RecordArchive?, expectsArchive: Bool, isEmpty: Bool
    ) -> Status {
        let isIncomplete =
            expectsArchive
            && (archive?.captureStatus != .complete
                || archive?.queryManifest.results.contains { $0.status != .success } ?? true)
        if isIncomplete || !record.partialFailures.isEmpty { return .partial }
        if archive?.integrityWarnings.isEmpty == false { return .completeWithWarnings }
        return isEmpty ? .completeEmpty : .complete
    }
}

extension StrictRawDay.QueryStatusCounts {
    fileprivate init(_ statuses: [RecordArchive.QueryStatus]) {
        self.init()
        for status in statuses {
            switch status {
            case .success: success += 1
            case .failure: failure += 1
            case .unsupported: unsupported += 1
            case .skipped: skipped += 1
            case .cancelled: cancelled += 1
            }
        }
    }
}

extension CaptureStatus {
    fileprivate init(_ status: DailyRecord.CaptureStatus) {
        switch status {
        case .complete: self = .complete
        case .partial: self = .partial
        case .notRequested: self = .notRequested
        case .legacyUnavailable: self = .legacyUnavailable
        }
    }
}

extension Set<String> {
    fileprivate var sortedByBytes: [String] { sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
}
