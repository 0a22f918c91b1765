import ConnectedProtocol

extension ErrorTable {
    /// Sessions and partitions between phone and receiver (corpus-protocol.md).
    static let transfer = ErrorSection(
        title: "Transfer",
        place:
            "Texts and reasons of the messages between phone and receiver, `message` of a job, and `code` of log lines.",
        sources: [
            "ConnectedProtocol/Messages/ManifestError.swift", "ConnectedProtocol/Messages/MessageError.swift",
            "ConnectedProtocol/Messages/TransferMessages.swift", "ConnectedProtocol/Messages/ExportRequest+Rules.swift",
            "ConnectedProtocol/ReceiverSession", "ConnectedProtocol/SenderSession", "ConnectedProtocol/Frame",
            "ConnectedProtocol/Capabilities", "Receiver/ReceiverError.swift", "Receiver/Store",
        ],
        rows: opening + manifests + states
            + CorpusModelError.allCases.map { error in
                ErrorRow(error.code, "A message breaks a rule: \(error.expectation)", updateBoth, exit: .integrity)
            })

    private static let updateBoth = "Update healthmd and the app, then ask again."
    private static let askAgain = "Ask for the export again."

    private static func refusal(_ code: String, _ meaning: String, _ remedy: String = askAgain) -> ErrorRow {
        ErrorRow(code, meaning, remedy, exit: .integrity)
    }

    private static let opening: [ErrorRow] = [
        refusal("not_requested", "The receiver did not ask for this export"),
        refusal("manifest_missing", "The manifest is missing", updateBoth),
        refusal("fingerprint_mismatch", "The manifest does not match its fingerprint", updateBoth),
        refusal("unknown_protocol_version", "The receiver does not know the protocol version", updateBoth),
        refusal("peer_binding_mismatch", "The session belongs to another pair of devices"),
        refusal("created_at_out_of_range", "The session's date is out of range", "Check the clocks of both devices."),
        refusal("partition_dates_unknown", "A partition holds days that the export does not", updateBoth),
        refusal("date_identifiers_missing", "A raw export lacks the label of a day", updateBoth),
        refusal("unsupported_mode", "The receiver does not support this kind of export"),
        refusal(
            "range_plan_version", "Roll-ups with a pinned engine in a session of protocol version 1 or 2", updateBoth),
        refusal("not_negotiated", "The two sides agreed on no transfer of this kind", updateBoth),
        refusal("protocol_version_not_negotiated", "The version is none of those that both sides offered", updateBoth),
        refusal("destination_unavailable", "The destination cannot be used", "`healthmd destination set DIR`."),
        refusal("other_session_active", "Another transfer of this device has not finished", "Finish or cancel it."),
        refusal("session_changed", "The session or its manifest changed"),
        refusal("session_state_unreadable", "The receiver's state of the session is damaged"),
        refusal("storage_space", "The receiver's own folder has not enough space", "Free some space, then resume."),
        refusal("destination_space", "The destination has not enough space", "Free some space, then resume."),
        refusal("committed_digest_mismatch", "A partition was received before with other content"),
        refusal("session_ended", "The session has ended"),
        refusal("session_finalizing", "The session is being finalized", "Wait for it."),
        refusal("partition_out_of_order", "Another partition is expected next", "Nothing: the phone sends that one."),
        refusal("session_not_open", "The session takes no partitions now", "Nothing: the phone asks again."),
        refusal("partition_application_running", "Another partition is being applied", "Nothing: the phone waits."),
        refusal("segment_invalid", "A segment does not continue its item", updateBoth),
        refusal("item_invalid", "A completed item breaks a rule of its day", updateBoth),
        refusal(
            "missing_capability", "The peer lacks something that the request needs", "Update the app on that device."),
        refusal("message_envelope", "A message is no object with a name", updateBoth),
        refusal("message_field", "A member of a message is missing or wrong", updateBoth),
        refusal("unsupported", "The transfer's kind is not known", updateBoth),
        refusal("invalid_manifest", "A transfer's manifest is not acceptable", updateBoth),
        refusal("size_limit", "A transfer, chunk or total has a size that is not valid", updateBoth),
        refusal(
            "sequence_mismatch", "A chunk of an unknown transfer, or ahead of the next", "Nothing: it is sent again."),
        refusal("chunk_hash_mismatch", "A chunk with a wrong digest", "Nothing: it is sent again."),
        refusal("final_hash_mismatch", "A transfer with a wrong digest", "Nothing: it is sent again."),
        refusal("decode_failure", "A payload does not decode", updateBoth),
        refusal("application_rejected", "Too many transfers, or no room", "Free some space; it is sent again."),
        refusal("retries_exhausted", "The sender gave up", "`healthmd resume`."),
        refusal("timed_out", "Nothing happened for too long", "`healthmd resume`."),
        refusal("disconnected", "The connection ended", "Nothing: it goes on after the next connection."),
        refusal("cancelled", "The transfer was cancelled", "Nothing."),
        refusal("frame_too_short", "A frame shorter than its header", updateBoth),
        refusal("frame_wrong_magic", "A frame with another magic", updateBoth),
        refusal("frame_wrong_version", "A frame of another version", updateBoth),
        refusal("frame_invalid_transfer_id", "A frame whose transfer is no UUID", updateBoth),
        refusal("frame_sequence_zero", "A frame with sequence 0", updateBoth),
        refusal("frame_payload_too_large", "A frame over its limit", updateBoth),
        refusal("frame_length_mismatch", "A frame of another length than it says", updateBoth),
        refusal("raw_profile", "Raw mode and raw profile do not fit", updateBoth),
        refusal("selection_missing", "A selection is missing", updateBoth),
        refusal("selection_forbidden", "A selection where none may be", updateBoth),
        refusal("selection_lists", "A selection's lists are not sorted and unique", updateBoth),
        refusal("range_reversed", "The range ends before it starts", "Name the first day first."),
        refusal("date_identifiers", "Labels of days break their rules", updateBoth),
    ]

    private static let manifests: [ErrorRow] = [
        refusal("manifest_requested_dates", "Requested days are empty, not ascending or not unique", updateBoth),
        refusal("manifest_date_identifiers", "Labels of days are wrong or missing", updateBoth),
        refusal("manifest_transfer_dates", "Transferred days do not contain the requested ones", updateBoth),
        refusal("manifest_date_range", "The range is not that of the requested days", updateBoth),
        refusal("manifest_time_zone", "The time zone is not known on this computer", "Install the package tzdata."),
        refusal(
            "manifest_unsafe_path", "A setting names a place outside of the destination",
            "Change the setting on the phone."),
        refusal("manifest_engine_pin", "Two different engine pins", updateBoth),
        refusal("manifest_raw_profile", "A raw profile where there is none", updateBoth),
        refusal("manifest_canonical_selection", "A selection is missing or not sorted", updateBoth),
        refusal("manifest_selected_sources", "Sources are not sorted, or not the selection's", updateBoth),
        refusal("manifest_requested_target", "A target where there is none", updateBoth),
    ]

    private static let states: [ErrorRow] = [
        refusal("journal_session", "A stored job of the phone side has an impossible session"),
        refusal("journal_fingerprint", "A stored job's fingerprint does not follow from its manifest"),
        refusal("journal_counts", "A stored job's counters contradict each other"),
        refusal("journal_item", "A stored job's item is not one of its manifest"),
        refusal("journal_pending_partition", "A stored job's partition does not continue the others"),
        refusal("journal_completion", "A stored job is complete and has work left"),
        refusal("journal_fingerprint_mismatch", "A stored session's fingerprint does not follow from its manifest"),
        refusal("journal_protocol_version", "A stored session has an unknown version"),
        refusal("journal_partition_invalid", "A stored session's partition is out of range"),
        refusal("journal_partial_item_invalid", "A stored session's partial item breaks a rule"),
        refusal("journal_day_invalid", "A stored session's day breaks a rule"),
        refusal("journal_terminal_invalid", "A stored session's state does not fit its answer"),
        refusal("session_folder_changed", "A session's folder was exchanged"),
        refusal("item_file_damaged", "A stored day is shorter than it was, or was changed"),
        refusal("item_digest_mismatch", "A day arrived with another digest than was announced"),
        refusal(
            "destination_unusable", "The destination is gone, exchanged or not writable",
            "`healthmd destination set DIR`."),
        refusal(
            "destination_not_opened", "The disk of the destination fails, is full, or no descriptor is left",
            "Look after the disk: the job goes on by itself."),
        refusal(
            "destination_in_use", "Another receiver writes into the destination",
            "Nothing: the job goes on when the other one has ended. Two receivers are better given two folders."),
        refusal("interrupted", "The work was interrupted on purpose", "Nothing: it goes on."),
        refusal("json_item_too_large", "A day of an old protocol version is too large", updateBoth),
    ]
}
