import CanonicalJSON
import Foundation

/// The checks of a raw response before anything of it is given out (raw-result.md 7, 8). Each issue is one stable
/// code, with `:<date>` behind it where one day is meant.
public enum RawResponseCheck {
    /// Daily document versions that are accepted; one job carries one of them (extensions.md 5).
    public static let acceptedDocumentVersions: Set<Int> = [8, 10]

    private static let retainedStatuses: Set<String> = [
        "complete", "complete_empty", "complete_with_warnings", "partial",
    ]
    private static let absentStatuses: Set<String> = ["failed", "cancelled", "missing"]

    /// What the client asked for, as far as it knows it.
    public struct Expectation: Sendable {
        /// The profile that was requested, or nil when the job is resumed and only the body knows.
        public var profile: String?
        /// The first and last requested dates, or nil for all available history.
        public var range: (first: String, last: String)?
        /// The job that was asked for; nil where no job is meant.
        public var jobID: UUID?

        /// An expectation.
        public init(
            profile: String? = nil, range: (first: String, last: String)? = nil, jobID: UUID? = nil
        ) {
            self.profile = profile
            self.range = range
            self.jobID = jobID
        }
    }

    /// All issues, in a fixed order; empty means that the body may be used.
    public static func issues(_ response: RawResponse, expecting expectation: Expectation) -> [String] {
        guard response.status == "success" || response.status == "partial_success" else {
            return ["success_response_status_mismatch"]
        }
        guard response.hasResult else { return ["raw_result_missing"] }
        return envelope(response, expectation) + dates(response, expectation)
            + response.days.flatMap { day($0, response) } + summary(response)
    }

    private static func envelope(_ response: RawResponse, _ expectation: Expectation) -> [String] {
        var issues: [String] = []
        if let jobID = expectation.jobID, response.jobID.flatMap(UUID.init(uuidString:)) != jobID {
            issues.append("raw_response_job_id_mismatch")
        }
        if response.schema != "healthmd.raw_result" { issues.append("raw_result_schema_mismatch") }
        if response.schemaVersion != 1 { issues.append("raw_result_schema_version_mismatch") }
        let known = ["canonical_source_records_v1", "health_data_projection"]
        if !known.contains(response.profile ?? "") || (expectation.profile ?? response.profile) != response.profile {
            issues.append("raw_result_profile_mismatch")
        }
        if (response.profile == "health_data_projection") != (response.selection != nil) {
            issues.append("canonical_selection_missing")
        }
        if let selection = response.selection, !["summary", "lossless"].contains(selection.detailLevel) {
            issues.append("canonical_selection_detail_mismatch")
        }
        if !response.hasCreatedAt { issues.append("raw_result_created_at_missing") }
        if !response.hasDeviceName { issues.append("raw_result_source_device_name_missing") }
        if !response.hasDays { issues.append("raw_result_days_missing") }
        return issues
    }

    private static func dates(_ response: RawResponse, _ expectation: Expectation) -> [String] {
        var issues: [String] = []
        let dates = response.days.compactMap(\.date)
        if response.totalRequestedDays != response.days.count {
            issues.append("raw_result_total_requested_days_mismatch")
        }
        if dates.count != response.days.count { issues.append("raw_result_day_date_missing") }
        if Set(dates).count != dates.count { issues.append("raw_result_duplicate_dates") }
        if zip(dates, dates.dropFirst()).contains(where: { $0 >= $1 })
            || dates.contains(where: { CivilDate($0) == nil })
        {
            issues.append("raw_result_date_set_mismatch")
        }
        if response.firstDate == nil || response.lastDate == nil {
            issues.append("raw_result_date_range_missing")
        } else if response.firstDate != dates.first || response.lastDate != dates.last {
            issues.append("raw_result_date_range_mismatch")
        }
        if let range = expectation.range {
            let count = zip2(range).map { $1.daysSince1970 - $0.daysSince1970 + 1 }
            if range.first != response.firstDate || range.last != response.lastDate || count != response.days.count {
                issues.append("canonical_response_date_range_mismatch")
            }
        }
        let missing = response.days.filter { $0.status == "missing" }.compactMap(\.date)
        if response.missingDates == nil {
            issues.append("raw_result_missing_dates_missing")
        } else if response.missingDates != missing {
            issues.append("raw_result_missing_dates_mismatch")
        }
        return issues
    }

    private static func zip2(_ range: (first: String, last: String)) -> (CivilDate, CivilDate)? {
        guard let first = CivilDate(range.first), let last = CivilDate(range.last) else { return nil }
        return (first, last)
    }

    private static func day(_ day: RawResponse.Day, _ response: RawResponse) -> [String] {
        let date = day.date ?? "?"
        let status = day.status ?? ""
        guard let document = day.document else {
            let mayBeAbsent = response.status == "partial_success" && absentStatuses.contains(status)
            return mayBeAbsent ? [] : ["daily_health_data_missing:\(date)"]
        }
        var issues: [String] = []
        if !retainedStatuses.contains(status) { issues.append("raw_result_day_index_mismatch:\(date)") }
        guard document.isObject else { return issues + ["daily_health_data_invalid_json:\(date)"] }
        if document.schema != "healthmd.health_data" { issues.append("daily_schema_mismatch:\(date)") }
        let first = response.days.lazy.compactMap(\.document).first?.schemaVersion
        if document.schemaVersion.map(acceptedDocumentVersions.contains) != true || document.schemaVersion != first {
            issues.append("daily_schema_version_mismatch:\(date)")
        }
        return issues + archive(document.archive, date, expected: expectsArchive(response))
    }

    private static func expectsArchive(_ response: RawResponse) -> Bool {
        response.profile == "canonical_source_records_v1" || response.selection?.detailLevel == "lossless"
    }

    private static func archive(_ archive: RawResponse.Archive?, _ date: String, expected: Bool) -> [String] {
        guard let archive else { return expected ? ["canonical_archive_missing:\(date)"] : [] }
        guard expected else { return ["canonical_archive_not_requested_but_present:\(date)"] }
        var issues: [String] = []
        if archive.schema != "healthmd.healthkit_records" { issues.append("canonical_archive_schema_mismatch:\(date)") }
        if archive.schemaVersion != 1 { issues.append("canonical_archive_schema_version_mismatch:\(date)") }
        return issues
    }

    private static func summary(_ response: RawResponse) -> [String] {
        guard let summary = response.captureSummary else { return ["raw_result_capture_summary_missing"] }
        let retained = response.days.filter { $0.document != nil }.count
        let missing = response.days.filter { $0.status == "missing" }.count
        guard summary["retained_day_count"]?.number?.int == retained,
            summary["missing_day_count"]?.number?.int == missing
        else { return ["raw_result_capture_summary_mismatch"] }
        return []
    }
}
