import CanonicalJSON
import HMDCItem

/// The counts of `capture_summary` (raw-result.md 4), added up day by day.
struct RawCaptureSummary: Hashable, Sendable {
    private(set) var retainedDayCount = 0
    private(set) var missingDates: [String] = []
    private var dayStatusCounts: [StrictRawDay.Status: Int] = [:]
    private var queryStatusCounts = StrictRawDay.QueryStatusCounts()
    private var sampleCount = 0
    private var recordCount = 0
    private var integrityWarningCount = 0
    private var partialFailureCount = 0

    /// Whether the whole result is a partial success (raw-result.md 5).
    var isPartial: Bool {
        [.partial, .failed, .cancelled, .missing].contains { dayStatusCounts[$0, default: 0] > 0 }
    }

    /// Adds a day. The counts are a peer's word.
    ///
    /// - Returns: False when one of them is negative or a sum has no place in an `Int`; the summary is then worthless.
    mutating func add(_ day: StrictRawDay, hasDocument: Bool) -> Bool {
        if hasDocument { retainedDayCount += 1 }
        if day.status == .missing { missingDates.append(day.date) }
        dayStatusCounts[day.status, default: 0] += 1
        let queries = day.queryStatusCounts
        return RawCaptureSummary.add(queries.cancelled, to: &queryStatusCounts.cancelled)
            && RawCaptureSummary.add(queries.failure, to: &queryStatusCounts.failure)
            && RawCaptureSummary.add(queries.skipped, to: &queryStatusCounts.skipped)
            && RawCaptureSummary.add(queries.success, to: &queryStatusCounts.success)
            && RawCaptureSummary.add(queries.unsupported, to: &queryStatusCounts.unsupported)
            && RawCaptureSummary.add(day.sampleCount, to: &sampleCount)
            && RawCaptureSummary.add(day.recordCount, to: &recordCount)
            && RawCaptureSummary.add(day.integrityWarningCount, to: &integrityWarningCount)
            && RawCaptureSummary.add(day.partialFailureCount, to: &partialFailureCount)
    }

    private static func add(_ count: Int, to sum: inout Int) -> Bool {
        let (result, overflow) = sum.addingReportingOverflow(count)
        guard count >= 0, !overflow else { return false }
        sum = result
        return true
    }

    var json: JSONValue {
        func count(_ status: StrictRawDay.Status) -> JSONValue { .integer(dayStatusCounts[status, default: 0]) }
        let statuses = StrictRawDay.Status.allCases.compactMap { status in
            dayStatusCounts[status].map { JSONObject.Member(status.rawValue, .integer($0)) }
        }
        return .object([
            "retained_day_count": .integer(retainedDayCount),
            "complete_day_count": count(.complete),
            "complete_empty_day_count": count(.completeEmpty),
            "warning_day_count": count(.completeWithWarnings),
            "partial_day_count": count(.partial),
            "failed_day_count": count(.failed),
            "cancelled_day_count": count(.cancelled),
            "missing_day_count": count(.missing),
            "sample_count": .integer(sampleCount),
            "record_count": .integer(recordCount),
            "query_status_counts": RawCaptureSummary.json(queryStatusCounts),
            "integrity_warning_count": .integer(integrityWarningCount),
            "partial_failure_count": .integer(partialFailureCount),
            "day_status_counts": .object(JSONObject(statuses)),
        ])
    }

    static func json(_ counts: StrictRawDay.QueryStatusCounts) -> JSONValue {
        .object([
            "cancelled": .integer(counts.cancelled), "failure": .integer(counts.failure),
            "skipped": .integer(counts.skipped), "success": .integer(counts.success),
            "unsupported": .integer(counts.unsupported),
        ])
    }
}
