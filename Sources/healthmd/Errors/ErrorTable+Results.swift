extension ErrorTable {
    /// Checks of raw results (raw-result.md 7, 8).
    static let rawResults = ErrorSection(
        title: "Raw results",
        place:
            "`validation_errors[]` of a command, with `:YYYY-MM-DD` behind the code where one day is meant; the receiver's own checks stand in the message of `raw_profile_response_mismatch`.",
        sources: ["RawResult", "Receiver/RawResult"],
        rows: [
            check("validation_headers_missing", "The answer lacks the headers that vouch for it"),
            check("success_response_not_object", "The body is no JSON object"),
            check("success_response_status_mismatch", "`status` is neither `success` nor `partial_success`"),
            check("malformed_streamed_json", "The body is not well-formed within the limits"),
            check("raw_result_missing", "`raw_result` is missing"),
            check("raw_result_schema_mismatch", "The envelope's schema is another one"),
            check("raw_result_schema_version_mismatch", "The envelope's version is another one"),
            check("raw_result_profile_mismatch", "The profile is unknown, or not the one that was asked for"),
            check(
                "canonical_selection_missing", "The selection is missing in a projection, or there in a strict result"),
            check("canonical_selection_detail_mismatch", "The selection's detail level is unknown"),
            check("raw_result_created_at_missing", "`created_at` is missing"),
            check("raw_result_source_device_name_missing", "`source_device_name` is missing"),
            check("raw_result_days_missing", "`days` is missing"),
            check("raw_result_total_requested_days_mismatch", "The number of days is not the one that is named"),
            check("raw_result_day_date_missing", "A day has no date"),
            check("raw_result_duplicate_dates", "A date stands twice"),
            check("raw_result_date_set_mismatch", "The dates are not ascending, or not those that were asked for"),
            check("raw_result_day_index_mismatch", "A day's members contradict its status"),
            check("raw_result_day_codes_invalid", "A day's list of codes or types is too long, or holds none"),
            check("raw_result_date_range_missing", "The range is missing"),
            check("raw_result_date_range_mismatch", "The range is not that of the days"),
            check("canonical_response_date_range_mismatch", "The days are not those that were asked for"),
            check("raw_response_job_id_mismatch", "The body is of another job than was asked for"),
            check("raw_response_date_range_mismatch", "Headers and body name different days or statuses"),
            check("raw_result_capture_summary_missing", "The summary is missing"),
            check("raw_result_capture_summary_mismatch", "The summary does not follow from the days"),
            check("raw_result_missing_dates_missing", "The list of missing dates is missing"),
            check("raw_result_missing_dates_mismatch", "The list of missing dates does not follow from the days"),
            check("daily_health_data_missing", "A retained day has no document"),
            check("daily_health_data_invalid_json", "A day's document is no JSON object, or is of another day"),
            check("daily_schema_mismatch", "A day's document is of another schema"),
            check("daily_schema_version_mismatch", "A document's version is not accepted, or differs from the others'"),
            check("canonical_archive_missing", "A day lacks the archive that was asked for"),
            check("canonical_archive_not_requested_but_present", "A day holds an archive that was not asked for"),
            check("canonical_archive_schema_mismatch", "A day's archive is of another schema"),
            check("canonical_archive_schema_version_mismatch", "A day's archive is of another version"),
            ErrorRow(
                "projection_document_too_large", "A day is too large to be projected",
                "Ask for fewer metrics, or leave out `--object` and `--field`."),
        ])

    private static func check(_ code: String, _ meaning: String) -> ErrorRow {
        ErrorRow(code, meaning, "Do not use or repair the result. Inspect the job, then resume it.", exit: .integrity)
    }

    /// What `jobs verify` finds.
    static let verification = ErrorSection(
        title: "Verification",
        place: "`differences[].code` of `healthmd jobs verify` (exit 1, extended 8).",
        sources: ["Receiver/Responses/VerificationPlan.swift"],
        rows: [
            difference("missing", "The file is not there any more"),
            difference("size_mismatch", "The file has another length than was written"),
            difference("digest_mismatch", "The file has other bytes than were written"),
            difference("not_a_regular_file", "A link, a folder or a device stands in the file's place"),
            difference("unreadable", "The file, or the whole destination, cannot be read"),
        ])

    private static func difference(_ code: String, _ meaning: String) -> ErrorRow {
        ErrorRow(
            code, meaning,
            "Edited on purpose: nothing. Else export its day again: `healthmd export --from D --to D`.",
            exit: .integrity)
    }
}
