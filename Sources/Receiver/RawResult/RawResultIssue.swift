/// What is wrong with a raw result before it is exposed (raw-result.md 7); any issue fails the job with
/// `raw_profile_response_mismatch`.
enum RawResultIssue: Hashable, Sendable {
    /// The labels are not ascending and unique, or not the requested ones.
    case dateSetMismatch
    /// A count is negative, or the days' counts have no sum.
    case captureSummary
    /// A day's members contradict its status: a failed, cancelled or missing day with a document, counts or a capture
    /// status, or a reason that is not its own.
    case dayIndex(date: String)
    /// A list of codes or types is longer than any reader takes, or holds a text that is no code.
    case dayCodes(date: String)
    /// A retained status without a document.
    case documentMissing(date: String)
    /// The document is no valid JSON object within the limits, or names another day.
    case documentInvalid(date: String)
    /// The document is of another schema.
    case documentSchema(date: String)
    /// The document's version is not accepted, or differs from the other days'.
    case documentVersion(date: String)
    /// An archive was expected and is not there.
    case archiveMissing(date: String)
    /// An archive is there although none was asked for.
    case archiveNotRequested(date: String)
    /// The archive is of another schema.
    case archiveSchema(date: String)
    /// The archive is of another version.
    case archiveVersion(date: String)

    /// The code, with the day it is about.
    var code: String {
        switch self {
        case .dateSetMismatch: "raw_result_date_set_mismatch"
        case .captureSummary: "raw_result_capture_summary_mismatch"
        case .dayIndex(let date): "raw_result_day_index_mismatch:\(date)"
        case .dayCodes(let date): "raw_result_day_codes_invalid:\(date)"
        case .documentMissing(let date): "daily_health_data_missing:\(date)"
        case .documentInvalid(let date): "daily_health_data_invalid_json:\(date)"
        case .documentSchema(let date): "daily_schema_mismatch:\(date)"
        case .documentVersion(let date): "daily_schema_version_mismatch:\(date)"
        case .archiveMissing(let date): "canonical_archive_missing:\(date)"
        case .archiveNotRequested(let date): "canonical_archive_not_requested_but_present:\(date)"
        case .archiveSchema(let date): "canonical_archive_schema_mismatch:\(date)"
        case .archiveVersion(let date): "canonical_archive_schema_version_mismatch:\(date)"
        }
    }
}
