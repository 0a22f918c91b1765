import CanonicalJSON
import HMDCItem
import HealthData

/// The document of a captured day with what its counts and status are made from.
struct RawDayDocument {
    /// The record; its archive, when one was asked for, without external records.
    let record: DailyRecord
    /// Whether an archive was asked for.
    let expectsArchive: Bool
    /// The archive's head.
    let archive: RecordArchive?
    /// Records of the archive that are not in its head.
    let externalRecordCount: Int
    /// Whether any summary section is there.
    let hasSummaryData: Bool
    /// The canonical document.
    let bytes: [UInt8]

    init(_ day: LosslessDay) {
        record = day.record
        expectsArchive = true
        archive = day.record.healthKitRecordArchive
        externalRecordCount = day.externalRecordCount
        hasSummaryData = day.hasSummaryData
        bytes = day.bytes
    }

    init(_ record: DailyRecord, _ summary: DayDocument) {
        self.record = record
        expectsArchive = false
        archive = nil
        externalRecordCount = 0
        hasSummaryData = summary.hasSummaryData
        bytes = summary.canonicalBytes()
    }

    /// Records of any kind.
    var recordCount: Int {
        externalRecordCount + (archive.map { $0.records.count + $0.medicationInventoryRecords.count } ?? 0)
    }

    /// How the day ended: the first rule that holds, in the published order (hmdcitem.md 7, raw-result.md 3).
    var status: StrictRawDay.Status {
        let isComplete = archive.map { archive in
            archive.captureStatus == .complete && archive.queryManifest.results.allSatisfy { $0.status == .success }
        }
        if expectsArchive && isComplete != true || !record.partialFailures.isEmpty { return .partial }
        if archive?.integrityWarnings.isEmpty == false { return .completeWithWarnings }
        return !hasSummaryData && recordCount == 0 ? .completeEmpty : .complete
    }
}

extension StrictRawDay {
    /// A captured day: its document, its counts, and how it ended.
    init(_ day: CivilDate, _ document: RawDayDocument) {
        let record = document.record
        let warnings = document.archive?.integrityWarnings ?? []
        self.init(
            date: day.description, status: document.status,
            captureStatus: CaptureStatus(document.archive?.captureStatus ?? .notRequested),
            canonicalDailyJSON: .streamed(ItemRegion(ItemBytes(document.bytes))), recordCount: document.recordCount,
            sampleCount: document.archive?.records.count ?? 0,
            queryStatusCounts: QueryStatusCounts(document.archive?.queryManifest.results.map(\.status) ?? []),
            partialFailureCount: record.partialFailures.count,
            partialFailureTypes: Set(record.partialFailures.map(\.dataType)).sortedByBytes,
            integrityWarningCount: warnings.count, integrityWarningCodes: Set(warnings.map(\.code)).sortedByBytes)
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
