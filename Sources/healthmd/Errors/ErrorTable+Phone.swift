import HealthExport

extension ErrorTable {
    /// The phone side (extensions.md 4).
    static let phone = ErrorSection(
        title: "The phone side",
        place: "`error` of `healthmd phone …`; `code` of the events of `healthmd phone serve`.",
        sources: ["Sender"],
        rows: [
            ErrorRow(
                "already_serving", "Another healthmd dials for this folder; `pid` says which", "Stop it first.",
                exit: .busy),
            ErrorRow(
                "nothing_imported", "No export was imported yet", "`healthmd phone import PATH --time-zone ZONE`."),
            ErrorRow(
                "day_not_imported",
                "The day lies outside of what was imported; the message says what is there",
                "Ask for a day in between, or import a newer export."),
            ErrorRow(
                "not_paired", "This phone side trusts no receiver",
                "`healthmd pair` there, then `healthmd phone pair HOST` here."),
            ErrorRow(
                "pair_again", "The receiver does not know this phone side any more, or is another one",
                "`healthmd pair` there, then `healthmd phone pair HOST` here.", exit: .peerUnavailable),
            ErrorRow(
                "pairing_code_invalid", "The code has not exactly 20 digits; nothing was sent",
                "Type all of them, from `healthmd pair`."),
            ErrorRow(
                "pairing_rejected", "The receiver did not accept the code",
                "While `healthmd pair` still waits there, type its code again; else open a new one.",
                exit: .peerUnavailable),
            ErrorRow(
                "unreachable", "The receiver cannot be reached",
                "Is `healthmd serve` running there? Check host and port.",
                exit: .peerUnavailable),
            ErrorRow(
                "journal_sync_failed",
                "The disk did not keep what was written; the process ended so that nothing is lost",
                "Check the disk, then start it again: the jobs go on."),
            ErrorRow(
                "invalid_setting", "A setting does not exist, or cannot have this value",
                "`healthmd phone settings` lists them."),
            ErrorRow(
                "invalid_date_range", "These are no usable days", "Write them as YYYY-MM-DD, the first one first."),
            ErrorRow(
                "stored_state_damaged", "The stored state is damaged", "Restore it from a backup.", exit: .integrity),
            ErrorRow(
                "item_damaged", "A prepared day is missing or was changed", "Ask for the export again.",
                exit: .integrity),
            ErrorRow(
                "generation_gone", "The import that a job reads is not there any more", "Ask for the export again."),
            ErrorRow(
                "push_failed", "A push ended without files; the receiver knows why",
                "There: `healthmd jobs show ID`."),
            ErrorRow(
                "no_such_job", "The phone side knows no such job that could be cancelled",
                "`healthmd phone status` lists them.", exit: .notFound),
            ErrorRow(
                "work_failed", "Preparing a day failed; the job says more", "Ask for the export again.", exit: nil),
        ])

    /// Apple Health exports (apple-health-export.md 15).
    static let exports = ErrorSection(
        title: "Apple Health exports",
        place:
            "`error` of `phone import`, `biomarkers propose` and `health-export inspect`; `place` and `offset` say where.",
        sources: ["HealthExport/Errors/ExportError.swift"],
        rows: [
            ErrorRow("cannot_open", "Nothing can be opened at this path", "Check the path and its permissions."),
            ErrorRow("read_failed", "Reading failed in the middle", "Copy the export to this computer again."),
            ErrorRow("empty_file", "The file has no bytes", "Export it again on the phone and copy it again."),
            ErrorRow("not_an_export", "Neither zip, folder nor XML", "Give the file that the Health app shared."),
            ErrorRow(
                "truncated_archive", "The zip has no end: it was cut",
                "Copy it again, or take what is there with `--rescue`."),
            ErrorRow("damaged_archive", "The zip contradicts itself", "Export or copy it again."),
            ErrorRow(
                "unsupported_method", "An entry is packed in a way that is not read",
                "Zip it again with an ordinary program."),
            ErrorRow("encrypted_entry", "An entry is encrypted", "Unpack it with its password and give the folder."),
            ErrorRow("checksum_mismatch", "An entry does not match its checksum or size", "Export or copy it again."),
            ErrorRow(
                "too_large", "An entry unpacks to more than a limit allows",
                "Unpack it yourself and give the folder, if it is genuine."),
            ErrorRow(
                "unsafe_name", "A name would leave the export, or stands for two entries",
                "Unpack it yourself and give the folder."),
            ErrorRow("no_main_file", "No file begins with `HealthData`", "Give the file that the Health app shared."),
            ErrorRow("only_clinical_document", "Only `export_cda.xml` is there", "Give the whole export."),
            ErrorRow("several_main_files", "More than one main file", "Keep one and try again."),
            ErrorRow("unsupported_encoding", "The file is not UTF-8", "Convert it, or export it again."),
            ErrorRow("prolog_too_large", "The document type never ends", "Export it again on the phone."),
            ErrorRow(
                "nested_too_deep", "Elements are nested deeper than any export has them",
                "This is no file of the Health app."),
            ErrorRow(
                "too_many_types", "More types of record than any export has", "This is no file of the Health app."),
            ErrorRow(
                "no_readable_record", "There are records and none could be read",
                "Export it again; if that changes nothing, report it."),
            ErrorRow(
                "nothing_to_import", "Nothing that could be kept; the store is as it was",
                "`healthmd health-export inspect` shows what is in it."),
            ErrorRow(
                "incomplete_would_replace",
                "The export breaks off and has fewer records than the store, which is as it was",
                "Export or copy it again, or take it with `--replace`."),
            ErrorRow("unknown_time_zone", "The time zone is not known", "Give an IANA name such as Europe/Berlin."),
            ErrorRow("time_zone_required", "The store has no time zone yet", "Give it once with `--time-zone`."),
            ErrorRow(
                "time_zone_differs", "The store keeps its days in another zone",
                "Leave the zone out, or use another store."),
            ErrorRow("import_running", "Another import runs", "Wait for it to end.", exit: .busy),
            ErrorRow("store_empty", "Nothing was imported yet", "`healthmd phone import PATH`."),
            ErrorRow("store_unreadable", "The day store cannot be read", "Import the export again."),
        ])

    /// What can be odd in a part of an export (apple-health-export.md 15).
    static let importProblems = ErrorSection(
        title: "Oddities of an export",
        place:
            "`problems[].code` of `phone import` and `health-export inspect`, counted; nothing fails because of them.",
        sources: ["HealthExport/Errors/ExportProblems.swift"],
        rows: ExportProblemCode.allCases.map { code in
            ErrorRow(
                code.rawValue, importMeanings[code] ?? "",
                code.leavesOut ? "The element was left out." : "It was read all the same.", exit: nil)
        })

    private static let importMeanings: [ExportProblemCode: String] = [
        .controlCharacterDropped: "A control character that XML forbids",
        .invalidUTF8Replaced: "Bytes that are not UTF-8",
        .unescapedMarkup: "`<` or `&` inside of a value",
        .unknownEntity: "An entity that is not declared",
        .forbiddenReferenceDropped: "A reference to a character that XML forbids",
        .duplicateAttribute: "An attribute twice; the first one counts",
        .oddAttributeName: "A name that no attribute has",
        .unquotedValue: "A value without quotes",
        .malformedTag: "A tag that cannot be read",
        .oversizeElement: "An element that is larger than any",
        .tooManyAttributes: "More attributes than any element has",
        .unclosedElement: "An element without its end",
        .strayEndTag: "An end without its element",
        .strayText: "Text where none stands",
        .contentAfterRoot: "Something behind the end",
        .entityDeclarationIgnored: "The document type declares entities, which are never expanded",
        .unknownElement: "An element that is not known here",
        .unknownAttribute: "An attribute that is not known here",
        .missingType: "A record without its type",
        .unreadableDate: "A date that cannot be read",
        .unreadableCreationDate: "A creation date that cannot be read",
        .oddDateForm: "A date in another form than the usual one",
        .endBeforeStart: "A record that ends before it starts",
        .dateBefore1970: "A date before 1970",
        .dateInFuture: "A date in the future",
        .unreadableValue: "A value that is no number where one is meant",
        .clinicalRecordUndated: "A clinical record without a date, in an export without one: it belongs to no day",
        .textLimit: "More distinct texts, metadata entries or children than are kept",
        .duplicateRecord: "The same record again",
        .routeMissing: "The file of a route is missing",
        .routeUnreadable: "The file of a route cannot be read",
        .routePointUnreadable: "A point of a route cannot be read",
        .clinicalFileMissing: "A clinical file is missing",
        .clinicalFileUnreadable: "A clinical file cannot be read",
        .electrocardiogramUnreadable: "An electrocardiogram cannot be read",
        .entrySkipped: "An entry of the zip was skipped",
        .archiveRescued: "The zip was cut, and read up to there",
        .incomplete: "The export breaks off",
    ]
}
