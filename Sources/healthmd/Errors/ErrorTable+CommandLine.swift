extension ErrorTable {
    /// `error_kind` of usage errors: `healthmd.cli_error`, exit 2 (cli.md 13).
    static let usage = ErrorSection(
        title: "Command lines that cannot be run",
        place:
            "`error_kind` of `healthmd.cli_error`, whose `error` is `usage_error`. Nobody was asked, nothing was made.",
        sources: ["healthmd/Arguments/UsageError.swift"],
        rows: [
            ErrorRow(
                "invalid_value", "A value is not of the kind that its option takes", "Type what the message asks for.",
                exit: .usage),
            ErrorRow(
                "unknown_argument", "There is no such option", "`--help` of the command lists its options.",
                exit: .usage),
            ErrorRow(
                "invalid_subcommand", "There is no such command", "`available_commands` lists what may follow.",
                exit: .usage),
            ErrorRow("missing_equals", "A setting is not written KEY=VALUE", "Put `=` between the two.", exit: .usage),
            ErrorRow(
                "value_validation", "Values are well-formed and make no sense together, or lie outside of a rule",
                "Follow the message.", exit: .usage),
            ErrorRow(
                "too_many_values", "More words than the command takes, or an option twice",
                "Leave out what is too much.",
                exit: .usage),
            ErrorRow("too_few_values", "An option stands without its value", "Put the value behind it.", exit: .usage),
            ErrorRow(
                "argument_conflict", "Two options exclude each other", "Leave one of the two out.", exit: .usage),
            ErrorRow(
                "missing_required_argument", "Something is missing that the command cannot do without",
                "`accepted_arguments` lists what is meant.", exit: .usage),
            ErrorRow(
                "missing_subcommand", "Only options were given", "`available_commands` lists what may follow.",
                exit: .usage),
        ])

    /// Codes of the client itself (cli.md 12).
    static let commandLine = ErrorSection(
        title: "Commands",
        place: "`error` of the one JSON document on standard output.",
        sources: ["healthmd"],
        rows: [
            ErrorRow("usage_error", "The command line cannot be run", "See the table above.", exit: .usage),
            ErrorRow(
                "receiver_unreachable",
                "No receiver answers; `legacy_error` holds the name that older scripts know, `mac_app_unreachable`",
                "`healthmd serve`, with the same state folder."),
            ErrorRow(
                "receiver_lost",
                "The receiver went away while a job was waited for; the message says whether the job is kept",
                "`healthmd serve`, then `healthmd status --job` with the job's id, and `healthmd resume` if it is there."
            ),
            ErrorRow(
                "invalid_base_url", "`--base-url` leads elsewhere than to this computer",
                "Use http:// with 127.0.0.1, [::1] or localhost.", exit: .usage),
            ErrorRow(
                "state_folder_unknown",
                "Neither `--data-dir`, HEALTHMD_DATA_DIR, XDG_DATA_HOME nor HOME names a folder",
                "Give `--data-dir DIR`.", exit: .usage),
            ErrorRow(
                "control_token_unreadable", "The file of `--control-token-file` cannot be read",
                "Check the path and who may read it."),
            ErrorRow(
                "unauthorized", "The receiver wants its control token",
                "Run the command as the user who runs `healthmd serve`, or give `--control-token-file`.", http: 401),
            ErrorRow(
                "invalid_response", "What answers on the port is no receiver of healthmd", "Check `--base-url`."),
            ErrorRow(
                "receiver_refused", "`doctor` got an answer that a receiver of this version does not give",
                "Run receiver and command in one version."),
            ErrorRow(
                "response_cut_short", "The answer ended early; the job is not affected", "Ask again.", exit: .integrity),
            ErrorRow(
                "unvalidated_response_too_large", "An answer without validation headers is over 16 MiB",
                "Inspect the job; nothing of the answer was used.", exit: .integrity),
            ErrorRow(
                "response_digest_mismatch", "What arrived is not what was sent",
                "Ask again: the result stays available.",
                exit: .integrity),
            ErrorRow(
                "invalid_strict_raw_success",
                "A strict raw result does not pass its checks; `validation_errors` lists which",
                "Do not use or repair it. Inspect the job, then resume it.", exit: .integrity),
            ErrorRow(
                "invalid_canonical_health_data_response",
                "An extract result does not pass its checks; `validation_errors` lists which",
                "Do not use or repair it. Inspect the job, then resume it.", exit: .integrity),
            ErrorRow(
                "partial_canonical_extraction",
                "Some days are partial or missing, so no data was written; `reasons` and `receipt` say which and why",
                "The same command with `--allow-partial` gives what is there.", exit: .partial),
            ErrorRow(
                "iphone_not_connected", "The phone did not come within the wake time; the job stays queued",
                "Connect the phone and `healthmd resume`, or `healthmd cancel`.", exit: .peerUnavailable),
            ErrorRow(
                "direct_pairing_failed", "The pairing was refused, closed, given up, or nobody came in time",
                "`healthmd pair` again."),
            ErrorRow(
                "direct_storage_outcome_unknown", "Not every phone was forgotten",
                "`healthmd devices` shows which remain."),
            ErrorRow(
                "unknown_metric_category", "There is no such category", "`healthmd metrics` lists them.", http: 400),
            ErrorRow(
                "invalid_destination", "The folder before a `..` of `--destination` does not exist",
                "Write the path without it."),
            ErrorRow(
                "pairing_not_found", "`pair --close` found no open pairing", "`healthmd pair` opens one.",
                exit: .notFound),
            ErrorRow(
                "output_write_failed", "The file of `--output` was not written; `reason` is a code of the store",
                "Mend the place and repeat the command, or resume the job: its result stays available.", exit: .usage),
            ErrorRow("file_unreadable", "A file that an option names cannot be read", "Check the path."),
            ErrorRow("file_too_large", "A file that an option names is larger than it can be", "Check the path."),
            ErrorRow(
                "wrong_file",
                "The file is of another kind than the command reads; `found` says which, as far as it is known",
                "Use the command that the message names."),
            ErrorRow("code_file_unreadable", "The file of `--code-file` cannot be read", "Check the path."),
            ErrorRow(
                "duplicate_day", "Two of the documents to be rendered are of one day", "Give each day once."),
            ErrorRow(
                "partition_item_digest", "The item of a segment has another digest than its manifest says",
                "Request the day again.", exit: .integrity),
            ErrorRow(
                "files_missing",
                "A finished job's files are not there any more, or cannot be read; `missing_files` names the first hundred",
                "Write the days again with the command that the message names.", exit: .partial),
            ErrorRow("internal_error", "An error that this table does not know", "Please report it."),
        ])
}
