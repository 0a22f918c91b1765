extension ErrorTable {
    /// Framing of HTTP and bodies of requests (control-api.md 2, 5).
    static let controlRequests = ErrorSection(
        title: "Requests to the control API",
        place: "`error` of the body, with the HTTP status. Commands print the body with `status: failure`.",
        sources: ["HTTPService", "Receiver/ControlAPI/ExportRequestError.swift"],
        rows: [
            ErrorRow(
                "loopback_required", "The peer is not this computer",
                "Use http://127.0.0.1 and the port of the receiver.",
                http: 403),
            ErrorRow("server_not_ready", "The receiver stops", "`healthmd serve`, then ask again.", http: 503),
            ErrorRow("request_headers_too_large", "Request line and headers are over 16 KiB", "Send less.", http: 431),
            ErrorRow("request_body_too_large", "The body is over 256 KiB", "Send less.", http: 413),
            ErrorRow("request_timeout", "The request was not complete in 10 s", "Send it again.", http: 408),
            ErrorRow(
                "incomplete_request", "The connection ended before the declared length", "Send it again.", http: 400),
            ErrorRow("invalid_headers", "A header is malformed or repeated", "Correct the client.", http: 400),
            ErrorRow(
                "invalid_content_length", "Content-Length is repeated or no number", "Send it once, as a number.",
                http: 400),
            ErrorRow(
                "transfer_encoding_not_supported", "The body came with Transfer-Encoding", "Send Content-Length.",
                http: 400),
            ErrorRow(
                "invalid_request_line", "The request line is not METHOD TARGET HTTP/1.1", "Correct the client.",
                http: 400),
            ErrorRow(
                "content_length_required", "A body is expected and its length is not given", "Send Content-Length.",
                http: 411),
            ErrorRow(
                "application_json_required", "The body is not declared as JSON", "Send Content-Type: application/json.",
                http: 415),
            ErrorRow("unexpected_body", "A body where none is taken", "Leave it out.", http: 400),
            ErrorRow(
                "invalid_json", "The body is not the expected JSON object", "The message says what is expected.",
                http: 400),
            ErrorRow("invalid_job_id", "`job_id` is no UUID", "Leave it out to have one made.", http: 400),
            ErrorRow(
                "unsupported_source", "Another `source` than `connected_iphone`", "Send `connected_iphone`.", http: 400),
            ErrorRow(
                "invalid_date_range", "The range is missing, no range of dates, or ends before it starts",
                "Send `date_range` with `start` and `end` as YYYY-MM-DD.", http: 400),
            ErrorRow(
                "ambiguous_date_selection", "`all_available` together with a range", "Leave one of the two out.",
                http: 400),
            ErrorRow(
                "unsupported_date_selection", "An unknown `date_selection`",
                "Send `explicit_range` or `all_available`.",
                http: 400),
            ErrorRow(
                "unsupported_settings_policy", "An unknown `settings_policy`",
                "Send `requested_dates_only` or `current_iphone_settings`.", http: 400),
            ErrorRow(
                "unsupported_response_mode", "An unknown `response_mode`", "Send `write_files` or `raw_json`.",
                http: 400),
            ErrorRow(
                "unsupported_raw_profile", "An unknown `raw_profile`, or one that the phone cannot serve (409)",
                "Send `canonical_source_records_v1` or `health_data_projection`; update the app.",
                exit: .peerUnavailable, http: 400),
            ErrorRow(
                "raw_profile_requires_raw_json", "A raw profile without raw mode", "Send `response_mode` `raw_json`.",
                http: 400),
            ErrorRow(
                "canonical_selection_requires_projection_or_files", "A selection with a strict raw job",
                "Use `health_data_projection` or `write_files`.", http: 400),
            ErrorRow(
                "canonical_selection_requires_requested_settings", "A selection with the phone's own settings",
                "Use `requested_dates_only`.", http: 400),
            ErrorRow(
                "invalid_canonical_selection",
                "Too many metrics or categories, duplicates, or `all_metrics` beside others",
                "Name at most 512 metrics and 64 categories, none twice.", http: 400),
            ErrorRow("unknown_metric", "There is no such metric", "`healthmd metrics` lists them.", http: 400),
            ErrorRow(
                "unknown_metric_category", "There is no such category", "`healthmd metrics` lists them.", http: 400),
            ErrorRow(
                "empty_canonical_selection", "The selection holds no metric", "Name one, or `all_metrics`.", http: 400),
            ErrorRow(
                "unsupported_canonical_source", "Another source than `apple_health`", "Send `[\"apple_health\"]`.",
                http: 400),
            ErrorRow(
                "unsupported_detail_level", "An unknown `detail_level`", "Send `summary` or `lossless`.", http: 400),
            ErrorRow(
                "field_projection_requires_health_data_projection", "Object or field paths in file mode",
                "Use `raw_profile` `health_data_projection`.", http: 400),
            ErrorRow(
                "invalid_canonical_path", "Too many paths, or one that is no JSON Pointer",
                "Send at most 128 object paths and 256 field pointers.", http: 400),
            ErrorRow(
                "projection_selection_mismatch", "A projection without a selection", "Send `canonical_selection`.",
                http: 400),
            ErrorRow(
                "invalid_timeout", "A wait outside of 5 to 900 s, or a pairing's life outside of its limits",
                "Send a time within the limits that the message names.", http: 400),
            ErrorRow("invalid_device_id", "`device_id` is no UUID", "`healthmd devices` lists the ids.", http: 400),
            ErrorRow(
                "invalid_destination", "The folder cannot be the destination; the message says which rule it breaks",
                "Name an existing folder by its absolute path, no link, that can be written.", http: 400),
            ErrorRow(
                "http_engine_failed", "The HTTP engine did not start", "Check the limits of memory and threads.",
                http: nil),
            ErrorRow(
                "http_system_error", "The system refused something to the HTTP server", "Try again; else report it.",
                http: nil),
        ])

    /// What the routes refuse (control-api.md 2, 3, 12).
    static let controlRoutes = ErrorSection(
        title: "Routes of the control API",
        place: "`error` of the body, with the HTTP status.",
        sources: [
            "Receiver/ControlAPI/RouteError.swift", "Receiver/Control/ReceiverControlError.swift",
            "Receiver/ControlAPI/ControlAPI.swift", "Receiver/ReceiverDaemon.swift",
        ],
        rows: [
            ErrorRow(
                "loopback_required", "The peer, Host or Origin is not this computer",
                "Use http://127.0.0.1 and the port of the receiver.",
                http: 403),
            ErrorRow(
                "unauthorized", "The control token is missing or wrong",
                "Send `Authorization: Bearer` with the content of `receiver/control-token`.", http: 401),
            ErrorRow(
                "not_found", "There is no such route", "`GET /v1/version` tells which receiver this is.", http: 404),
            ErrorRow(
                "method_not_allowed", "The route takes other methods", "Use one that the message names.", http: 405),
            ErrorRow("removed_endpoint", "A route of former versions", "It has no successor.", http: 410),
            ErrorRow(
                "not_implemented", "A route of the typed query surface", "Export or extract the days instead.",
                http: 501),
            ErrorRow("encode_failed", "The answer could not be written", "Please report it.", http: 500),
            ErrorRow("invalid_state", "The parameter `state` of the listing", "Send a state of a job.", http: 400),
            ErrorRow("invalid_limit", "The parameter `limit` of the listing", "Send 1 to 200.", http: 400),
            ErrorRow(
                "invalid_cursor", "`before` was not made by this receiver", "Start the listing without it.", http: 400),
            ErrorRow("unsupported_code_style", "An unknown `code_style`", "Send `strong` or `phone_app`.", http: 400),
            ErrorRow("invalid_approval", "`accept` is no Boolean", "Send true or false.", http: 400),
            ErrorRow(
                "job_not_found", "No job has this id, or it expired after seven days", "`healthmd jobs` lists them.",
                exit: .notFound, http: 404),
            ErrorRow(
                "job_not_finished", "Only a finished job can be verified",
                "Wait until `healthmd status --job` shows it completed.",
                http: 409),
            ErrorRow(
                "export_in_progress", "A file job is live, so the destination stays", "Let it finish, or cancel it.",
                exit: .busy, http: 409),
            ErrorRow(
                "control_response_spool_unavailable", "The stored result does not pass its checks",
                "Run the extraction again under a new job.", exit: .integrity, http: 409),
            ErrorRow(
                "job_persistence_failed", "The change could not be stored", "Check the free space, then try again.",
                http: 409),
            ErrorRow("server_not_ready", "The receiver stops", "`healthmd serve`, then ask again.", http: 503),
            ErrorRow(
                "pairing_in_progress", "Another pairing is open", "`healthmd pair --close`, or finish it.", exit: .busy,
                http: 409),
            ErrorRow(
                "invalid_timeout", "A life outside of the limits of its code style", "Send one that the message names.",
                http: 400),
            ErrorRow(
                "invalid_destination", "The folder cannot be the destination; the message says which rule it breaks",
                "Name an existing folder by its absolute path, no link, that can be written.", http: 400),
            ErrorRow(
                "pairing_not_found", "No pairing has this id", "`healthmd pair` opens one.", exit: .notFound, http: 404),
            ErrorRow(
                "pairing_not_awaiting_approval", "The pairing does not wait for an answer",
                "Wait until a phone is there.",
                http: 409),
            ErrorRow(
                "direct_device_not_found", "No trusted phone has this id", "`healthmd devices` lists them.",
                exit: .notFound, http: 404),
            ErrorRow(
                "control_token_invalid", "The file `receiver/control-token` holds no token",
                "Remove it and start the receiver again: it makes one.", http: nil),
            ErrorRow(
                "receiver_already_running", "Another process serves this state folder; `pid` says which",
                "Stop it, or use another `--data-dir`.", exit: .busy),
            ErrorRow(
                "destination_already_set", "`serve --destination` names another folder than the stored one",
                "Leave it out, or start without it and use `healthmd destination set DIR`."),
        ])

    /// `failure_reason` of a job's response (control-api.md 11).
    static let jobs = ErrorSection(
        title: "Jobs",
        place: "`failure_reason` of a job's response. HTTP 404 for `job_not_found`, 408 for `timedOut`, else 409.",
        sources: [
            "Receiver/Jobs", "Receiver/Engine", "Receiver/Files", "Receiver/Responses",
            "ConnectedProtocol/Messages/ExportAnswers.swift",
        ],
        rows: [
            ErrorRow(
                "unsupported_canonical_selection", "The phone cannot select metrics",
                "Update its app, or export without a selection.", exit: .peerUnavailable, http: 409),
            ErrorRow("job_id_request_mismatch", "The job id belongs to another request", "Use a new one.", http: 409),
            ErrorRow(
                "job_state_corrupt", "The stored state of the job is damaged and kept aside for seven days",
                "Use a new job id.", exit: .integrity, http: 409),
            ErrorRow(
                "device_selection_required", "Several phones are paired; `device_ids` lists them",
                "Choose one with `--device`.",
                exit: .peerUnavailable, http: 409),
            ErrorRow(
                "direct_device_not_paired", "The phone that was named is not paired with this receiver",
                "`healthmd devices` lists those that are; `healthmd pair` adds one.", exit: .peerUnavailable, http: 409),
            ErrorRow(
                "iphone_not_connected", "No phone is paired (`device_ids` is empty), or it is not connected",
                "`healthmd pair`; or open the app, or run `healthmd phone serve` where the export is.",
                exit: .peerUnavailable, http: 409),
            ErrorRow(
                "unsupported_iphone", "The phone's app takes no requests", "Update it.", exit: .peerUnavailable,
                http: 409),
            ErrorRow(
                "unsupported_all_available_history", "The phone's app cannot export all days", "Name a range.",
                exit: .peerUnavailable, http: 409),
            ErrorRow(
                "unsupported_raw_profile", "The phone's app cannot serve this profile", "Update it.",
                exit: .peerUnavailable, http: 409),
            ErrorRow(
                "mac_destination_unavailable", "There is no folder that can be written",
                "`healthmd destination set DIR`.",
                http: 409),
            ErrorRow(
                "export_in_progress", "Another job is live; `active_job_id` says which",
                "Wait for it, or `healthmd resume ID`, or `healthmd cancel ID`, with that id.",
                exit: .busy, http: 409),
            ErrorRow(
                "invalid_date_range", "The range holds no day, or more than a phone can be asked for",
                "Name a range with days, at most 36,600.", http: 409),
            ErrorRow("invalidDateRange", "The phone cannot use the days", "Name days that it has.", http: 409),
            ErrorRow(
                "job_persistence_failed", "The job could not be stored", "Check the free space, then try again.",
                http: 409),
            ErrorRow(
                "job_not_found", "No job has this id, or it expired", "`healthmd jobs` lists them.", exit: .notFound,
                http: 404),
            ErrorRow(
                "job_expired", "Seven days were over while it was waited for", "Start it again under a new id.",
                exit: .notFound, http: 409),
            ErrorRow(
                "job_waiter_exists", "Another client waits for the job", "`healthmd status --job` shows how far it is.",
                exit: .busy, http: 409),
            ErrorRow(
                "peer_changed", "Another phone is connected than the job's", "Connect that one.",
                exit: .peerUnavailable, http: 409),
            ErrorRow(
                "cancellation_deferred", "A file is being written; the job is cancelled as soon as it is done",
                "Nothing more.",
                http: 202),
            ErrorRow("cancelled", "The job was cancelled; written files stay", "Start a new one.", http: 409),
            ErrorRow(
                "timedOut", "Nothing happened for the time that the client waits; the job goes on",
                "`healthmd resume`.",
                exit: .timedOut, http: 408),
            ErrorRow(
                "incomplete_raw_capture", "Some days are partial or missing (`partial_success`)",
                "The days of the result say which; `--allow-partial` takes it.", exit: .partial, http: 200),
            ErrorRow(
                "raw_profile_response_mismatch", "What the phone sent does not pass the checks of its profile",
                "Update the app, then start a new job.", exit: .integrity, http: 409),
            ErrorRow(
                "control_response_spool_unavailable", "The stored result does not pass its checks", "Start a new job.",
                exit: .integrity, http: 409),
            ErrorRow(
                "item_file_damaged", "A stored day has other bytes than the phone sent, or is gone",
                "Check the receiver's disk, then start a new job.", exit: .integrity, http: 409),
            ErrorRow(
                "session_folder_changed", "Somebody changed the receiver's own folder of the job",
                "Find out who, then start a new job.", exit: .integrity, http: 409),
            ErrorRow(
                "session_state_unreadable", "The receiver's journal of the job cannot be believed",
                "Check the receiver's disk, then start a new job.", exit: .integrity, http: 409),
            ErrorRow("server_not_ready", "The receiver stops", "`healthmd serve`, then `healthmd resume`.", http: 409),
            ErrorRow(
                "exportWriteFailure", "The settings of the phone cannot be carried out; the message names which",
                "Change them: `healthmd phone settings`.", http: 409),
            ErrorRow(
                "selection_would_replace",
                "A selection of metrics was to replace files that hold more; they stay as they were",
                "Use another `--destination`, or say `--replace`.", http: 409),
            ErrorRow(
                "unsupportedPeer", "The phone refused: it lacks something that the request needs", "Update its app.",
                exit: .peerUnavailable, http: 409),
            ErrorRow("healthKitNotAuthorized", "The phone may not read the data", "Allow it on the phone.", http: 409),
            ErrorRow(
                "healthKitFetchFailed", "The phone could not read its data", "Try again; look at the phone.", http: 409),
            ErrorRow("exportLimitReached", "A quota of the phone's app is used up", "Look at the phone.", http: 409),
            ErrorRow(
                "macDestinationUnavailable", "The phone was told that there is no folder",
                "`healthmd destination set DIR`.", http: 409),
            ErrorRow(
                "requestAlreadyInProgress", "The phone works on another request", "Wait for it, or cancel it there.",
                exit: .busy, http: 409),
            ErrorRow("unknown", "The phone gave a reason that is not known here", "Look at the phone.", http: 409),
        ])

    /// Codes of single days and of what stands beside them.
    static let days = ErrorSection(
        title: "Days of a job",
        place:
            "`partial_failures[].code` of a job's response; also `failure_reason` when the first failed day has it. The exit "
            + "status follows from `status`: files of some days are a `partial_success`, 0, with `--strict` 1 (3); so is "
            + "`source_partial_failure` of a job whose days all have files.",
        sources: ["ConnectedProtocol/Messages/MacExportMessages.swift"],
        rows: [
            ErrorRow(
                "no_health_data",
                "The phone has no data of the day; as `error` of `phone push` of all days, of `render` of all documents",
                "Nothing is wrong; an import may bring some."),
            ErrorRow(
                "file_write_error", "The day's files could not be written; the message names a code of the store",
                "Mend the folder, then export the day again.", exit: nil),
            ErrorRow(
                "selection_would_replace",
                "A selection of metrics was to replace a file that holds more; the file stays as it was",
                "Use another `--destination`, or say `--replace`.", exit: nil),
            ErrorRow(
                "source_partial_failure", "A part of the day could not be read by the phone",
                "Look at the phone; export the day again.", exit: nil),
            ErrorRow("no_vault", "The phone knows no folder", "`healthmd destination set DIR`.", exit: nil),
            ErrorRow("access_denied", "The phone may not read the day", "Allow it on the phone.", exit: nil),
            ErrorRow("healthkit_error", "The phone could not read the day", "Export the day again.", exit: nil),
            ErrorRow("device_locked", "The phone was locked", "Unlock it, then export the day again.", exit: nil),
            ErrorRow(
                "task_expired", "The phone's system ended the work", "Keep the app open, then export the day again.",
                exit: nil),
            ErrorRow("unknown", "A reason that is not known here", "Look at the phone.", exit: nil),
            ErrorRow(
                "record_undecodable", "The day's record is not of a form that is known here",
                "Update healthmd and the app.", exit: nil),
        ])
}
