import Biomarkers
import DayArchive

extension ErrorTable {
    /// Commands of the archive (extensions.md 7).
    static let archive = ErrorSection(
        title: "Archive commands",
        place: "`error` of `healthmd archive …` with `--json`; reader commands say one line otherwise and end with 2.",
        sources: [
            "DayArchive/Service/ServiceStartError.swift", "DayArchive/Reader", "DayArchive/Client", "DayArchive/Writer",
        ],
        rows: [
            ErrorRow("bad_limits", "The limits file holds an unknown name or number", "Correct it."),
            ErrorRow(
                "open_claims_off_loopback", "Everyone could create archives",
                "Use another `--claim`, or `--allow-open-claims`."),
            ErrorRow("bad_base_path", "The base path is none", "Begin it with /, without ?, # and white space."),
            ErrorRow(
                "bad_claim_token", "The claim token file is empty or too long", "Remove it to have a new one made."),
            ErrorRow(
                "bad_s3_credentials", "The credentials file lacks a key",
                "It needs aws_access_key_id and aws_secret_access_key."),
            ErrorRow(
                "bad_s3_location", "Bucket, prefix, region or endpoint cannot be used", "Write s3://bucket/prefix."),
            ErrorRow(
                "object_store_refused", "The object store refuses the credentials or the bucket",
                "Check both, and what the message repeats of its answer."),
            ErrorRow(
                "not_connected", "The profile holds no archive", "`healthmd archive reader connect --handoff FILE`."),
            ErrorRow("already_connected", "The profile holds an archive already", "Use another EFFERENT_HOME."),
            ErrorRow("no_endpoint", "The profile names no service", "Give its address once with `--url`."),
            ErrorRow(
                "bad_profile_file", "A file of the profile is damaged", "Restore it, or connect again in a new folder.",
                exit: .integrity),
            ErrorRow(
                "bad_day_file", "A mirrored day is damaged", "Remove its file and its entry in mirror.json, then sync.",
                exit: .integrity),
            ErrorRow("read_only_connection", "The handoff carries no editor key", "Connect one that does."),
            ErrorRow("bad_argument", "An argument of a tool", "The message says what it takes."),
            ErrorRow("unknown_tool", "There is no such tool", "`healthmd archive reader tools`."),
            ErrorRow("too_much", "More than one answer gives", "Ask for a shorter range."),
            ErrorRow("bad_address", "The address is none of a service", "Begin it with http:// or https://."),
            ErrorRow(
                "service_unreachable", "The service cannot be reached", "Check address and network.",
                exit: .peerUnavailable),
            ErrorRow("answer_too_large", "An answer larger than any", "Check the address.", exit: .integrity),
            ErrorRow(
                "service_refused", "The service said no; `http_status` and its sentence say why",
                "See the table of the service."),
            ErrorRow("bad_answer", "What answers is no service", "Check the address.", exit: .integrity),
            ErrorRow("missing_day", "A listed day is not handed over", "Try again later.", exit: .integrity),
            ErrorRow("writer_not_set_up", "The writer has no archive", "`healthmd archive writer init --url U`."),
            ErrorRow("no_days", "There are no days to send", "`healthmd phone import PATH`."),
            ErrorRow(
                "unknown_edit", "No change of this name stands", "`healthmd archive writer edits`.", exit: .notFound),
        ])

    /// Sealed days and edits (day-archive.md).
    static let archiveWire = ErrorSection(
        title: "Sealed days",
        place: "`error` of archive commands that open or send them.",
        sources: ["DayArchive/Wire/WireError.swift"],
        rows: [
            sealed("bad_day", "The text is no day", "Write it as YYYY-MM-DD."),
            sealed("bad_bucket_id", "The text is no bucket id", "Copy all 26 characters."),
            sealed("bad_edit_name", "The text is no name of an edit", "Copy it whole."),
            sealed("unpackable_event", "An event cannot be packed", "Correct it at its source."),
            sealed("unknown_layout", "The day has a layout that is not known here", "Update healthmd."),
            sealed("malformed_day", "The day breaks its layout", "Have its writer send it again."),
            sealed("bad_deflate", "Compressed bytes are damaged", "Have its writer send it again."),
            sealed(
                "inflates_too_far", "Compressed bytes grow beyond the ceiling",
                "Have its writer send something smaller."),
            sealed("unknown_envelope", "The bytes are no envelope that is known here", "Update healthmd."),
            sealed("sealed_too_short", "Too few bytes for sealed ones", "Have its writer send it again."),
            sealed(
                "cannot_open", "The bytes do not open under this key, for this bucket and day",
                "Check that the handoff belongs to this archive."),
            sealed("bad_frame", "A frame breaks its rules", "Send it again."),
            sealed("malformed_edit", "An edit is not of the right shape", "Correct it, then send it again."),
            sealed("malformed_outcome", "An outcome is not of the right shape", "Update healthmd."),
            sealed("bad_handoff", "The handoff lacks something", "Make a new one and copy it whole."),
            sealed("bad_key", "A key has the wrong word, length or halves", "Make a new handoff and copy it whole."),
        ])

    private static func sealed(_ code: String, _ meaning: String, _ remedy: String) -> ErrorRow {
        ErrorRow(code, meaning, remedy, exit: .integrity)
    }

    /// The service's refusals (day-archive.md 13).
    static let archiveService = ErrorSection(
        title: "The archive's service",
        place: "`code` of the body, with the HTTP status; `error` is the sentence.",
        sources: ["DayArchive/Service/ServiceRefusal.swift"],
        rows: ServiceRefusal.allCases.map { refusal in
            ErrorRow(
                refusal.rawValue, String(refusal.sentence.dropLast()), remedy(forStatus: refusal.status), exit: nil,
                http: refusal.status)
        })

    private static func remedy(forStatus status: Int) -> String {
        switch status {
        case 401, 403: "Check which key signs, and which archive is meant."
        case 404, 410: "List what is there."
        case 405: "Use another method."
        case 413: "Send less at once."
        case 429: "Wait; `retry-after` says how long."
        case 502: "Try again later."
        case 507: "Ask the operator for more room."
        default: "Correct the request."
        }
    }

    /// Why an item of an edit failed (day-archive.md 9.3).
    static let archiveEdits = ErrorSection(
        title: "Edits of an archive",
        place: "`failed[].code` of an outcome.",
        sources: ["DayArchive/Wire/EditOutcome.swift"],
        rows: EditFailureCode.allCases.map { code in
            ErrorRow(code.rawValue, editMeanings[code] ?? "", "Correct the item, then send a new edit.", exit: nil)
        })

    private static let editMeanings: [EditFailureCode: String] = [
        .unknownMetric: "The metric cannot be written",
        .badUnit: "Unit or stage is not the metric's",
        .badRange: "Range or value is impossible",
        .unauthorized: "The writer may not write this type",
        .notFound: "The id was never written",
        .healthRefused: "The writer's store said no",
        .badSignature: "The edit is not signed by the registered editor",
        .cannotOpen: "The edit does not open",
        .malformed: "The edit is not of the right shape",
        .awaitingApproval: "The writer's owner has not decided; only read, never produced",
        .declined: "The writer's owner said no; only read, never produced",
        .replayed: "The edit was answered before; nothing was written",
    ]

    /// Reviews (biomarkers.md).
    static let biomarkers = ErrorSection(
        title: "Biomarkers",
        place: "`error` of `healthmd biomarkers …`.",
        sources: ["Biomarkers/BiomarkersError.swift"],
        rows: [
            ErrorRow(
                "nothing_pending", "Nothing waits for a decision", "`healthmd biomarkers propose EXPORT`.",
                exit: .notFound),
            ErrorRow(
                "not_pending", "This biomarker does not wait for a decision", "`healthmd biomarkers propose EXPORT`.",
                exit: .notFound),
            ErrorRow(
                "proposal_changed", "The proposal was replaced after it was shown", "`healthmd biomarkers review`."),
            ErrorRow("not_shown", "The proposal was not shown yet", "`healthmd biomarkers review`."),
            ErrorRow(
                "incomplete_source", "The export was incomplete, so not everything is accepted at once",
                "`healthmd biomarkers review`."),
            ErrorRow("unknown_biomarker", "No biomarker has this id", "`healthmd biomarkers list`.", exit: .notFound),
            ErrorRow(
                "invalid_bands", "The file of optimal ranges cannot be used",
                "Write {\"ID\": {\"low\": NUMBER, \"high\": NUMBER}}."),
            ErrorRow("invalid_value", "A value is no decimal number", "Write it with a point, such as 5.3."),
        ])

    /// What stands beside proposals.
    static let biomarkerWarnings = ErrorSection(
        title: "Warnings of biomarkers",
        place:
            "`warnings[].code` and `unplaceable[].reason` of `healthmd biomarkers propose`; nothing fails because of them.",
        sources: ["Biomarkers/Proposal/Proposal.swift"],
        rows: ProposalWarning.Code.allCases.map { code in
            ErrorRow(code.rawValue, warningMeanings[code] ?? "", "Decide with this in mind.", exit: nil)
        } + [
            unplaced("not_in_catalogue", "No biomarker of the catalogue is meant"),
            unplaced("unit_not_convertible", "Nothing fixed leads from its unit to the biomarker's"),
            unplaced("not_a_number", "Words, a bound or a range"),
            unplaced("no_date", "It has no clinical date"),
            unplaced("future_date", "Its clinical date lies in the future"),
            unplaced("ambiguous_name", "Its name or codes mean more than one biomarker"),
            unplaced("withdrawn", "The laboratory took it back"),
            unplaced("not_final", "It is preliminary"),
        ])

    private static func unplaced(_ code: String, _ meaning: String) -> ErrorRow {
        ErrorRow(code, meaning, "It is listed and not proposed.", exit: nil)
    }

    private static let warningMeanings: [ProposalWarning.Code: String] = [
        .shortWindow: "The window is covered by less than half",
        .historyLooksCut: "All data begin a month before their end",
        .incompleteSource: "The export broke off",
        .implausibleValue: "The value is outside of what is measured",
        .unknownUnit: "Some records were in a unit without a conversion",
        .mealTimeUnknown: "A glucose reading does not say whether it was fasting",
        .continuousSensor: "A glucose sensor that measures all day does not answer",
        .unpairedReadings: "Systolic or diastolic readings without their partner",
        .nameConflict: "The laboratory's name means another biomarker than its code",
        .matchedByName: "Recognised by its name, for want of a code",
        .labMuchOlder: "The laboratory's result is more than a year older",
        .tooManyReadings: "More readings in one window than are kept",
        .noExportDate: "The export tells no date of its own",
        .clinicalFilesUnreadable: "Some clinical files could not be read",
    ]
}
