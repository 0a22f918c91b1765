extension ErrorTable {
    /// Pairing at the receiver (extensions.md 2.1).
    static let pairing = ErrorSection(
        title: "Pairing",
        place: "`reason` of a pairing, and `code` of the receiver's log lines about one.",
        sources: [
            "ConnectedProtocol/SecureTransport/PairingDesk.swift",
            "ConnectedProtocol/SecureTransport/ListenerGate.swift",
        ],
        rows: [
            ErrorRow("too_many_attempts", "Too many wrong codes", "`healthmd pair` again.", exit: nil),
            ErrorRow("declined", "The person at the receiver said no", "`healthmd pair` again.", exit: nil),
            ErrorRow("closed", "The pairing was closed", "`healthmd pair` again.", exit: nil),
            ErrorRow(
                "pairing_in_progress", "A pairing is open already", "`healthmd pair --close`, or finish it.",
                exit: .busy),
            ErrorRow(
                "pairing_lifetime_out_of_range", "A life outside of 10 to 600 s (six digits: 300)", "Choose one within."
            ),
            ErrorRow("pairing_not_found", "No pairing has this id", "`healthmd pair`.", exit: .notFound),
            ErrorRow(
                "pairing_not_awaiting_approval", "The pairing does not wait for an answer",
                "Wait until a phone is there."),
            ErrorRow("not_open", "A device came with a code while no pairing was open", "`healthmd pair`.", exit: nil),
            ErrorRow(
                "address_not_near", "A six-digit code from outside of the local network",
                "Use the local network, or 20 digits.", exit: nil),
            ErrorRow(
                "too_early", "The address has to wait after a wrong code", "Try again in a few seconds.", exit: nil),
            ErrorRow(
                "wrong_code", "The code was wrong",
                "Type the code again; the pairing stays open until it has failed too often.", exit: nil),
            ErrorRow(
                "nonce_repeated", "A recorded request was played again",
                "If nobody pairs now, look at who is in the network.", exit: nil),
            ErrorRow(
                "wrong_secret", "A device came with a secret that is not its own", "Pair it again if it is yours.",
                exit: nil),
            ErrorRow(
                "too_many_provisional_secrets", "Too many unfinished pairings",
                "Wait a day, or `healthmd unpair` the device.", exit: nil),
            ErrorRow(
                "holds_strong_record", "Six digits may not replace a pairing with 20",
                "Pair with 20 digits, or unpair first.", exit: nil),
            ErrorRow(
                "installation_ids_equal", "Both sides have the same id: a copied state folder", "Reset one of them.",
                exit: nil),
            ErrorRow("no_place", "Too many devices wait at once", "Try again in a moment.", exit: nil),
        ])

    /// The secure transport (secure-transport.md).
    static let connections = ErrorSection(
        title: "Connections",
        place:
            "`code` of log lines of `healthmd serve` and events of `healthmd phone serve`; `error` of `healthmd phone pair`.",
        sources: [
            "ConnectedProtocol/SecureTransport/SecureTransportError.swift",
            "ConnectedProtocol/SecureTransport/ConnectionEnd.swift",
        ],
        rows: [
            protocolFault("packet_empty", "A packet without bytes"),
            protocolFault("packet_too_large", "A packet over its limit"),
            protocolFault("packet_malformed", "A packet of unknown form"),
            protocolFault("packet_unexpected", "A packet that may not come now"),
            protocolFault("too_much_before_confirmation", "Too much before the peer was confirmed"),
            peer(
                "protocol_version_unsupported", "The peer does not authenticate the receiver (version 1)",
                "Update the peer."),
            protocolFault("installation_id_missing", "The peer does not say who it is"),
            peer("installation_ids_equal", "Both sides have the same id: a copied state folder", "Reset one of them."),
            peer(
                "pairing_rejected", "The receiver did not accept",
                "Check the code, or pair again when it has forgotten this device."),
            peer(
                "proof_invalid", "The other side does not know the code or the secret",
                "Check code, address and network."),
            protocolFault("pairing_response_invalid", "An answer without what it needs"),
            peer(
                "installation_unexpected", "Another installation answers at this address",
                "Check the address, or pair again."),
            peer("public_key_weak", "The peer's key would make the connection readable", "Do not use this peer."),
            peer("hello_installation_mismatch", "Greeting and handshake name different installations", "Pair again."),
            peer("hello_platform_mismatch", "The peer plays the wrong part", "A phone dials a receiver, nothing else."),
            protocolFault("hello_changed", "A later greeting changes who the peer is"),
            protocolFault("extensions_malformed", "`healthmdExtensions` breaks its rules"),
            again("packet_not_authentic", "A packet was changed on the way"),
            again("nonce_repeated", "A packet was played again"),
            again("nonce_memory_full", "The key was used as often as it may be"),
            again("packet_among_records", "A plain packet where records are in force"),
            again("record_unexpected", "A record where none are in force"),
            protocolFault("record_too_short", "A record that is too short"),
            again("record_out_of_sequence", "A record was dropped, repeated or moved"),
            again("record_not_authentic", "A record was changed on the way"),
            protocolFault("record_content_unknown", "A record with unknown contents"),
            protocolFault("record_content_too_large", "A record over its limit"),
            again("record_sequence_exhausted", "The keys were used as often as they may be"),
            again("confirmation_timed_out", "The peer did not finish its greeting in time"),
            again("hello_timed_out", "The peer did not greet in time"),
            again("silence", "Nothing was heard for 30 s"),
            peer("peer_rejected", "A device was not accepted", "If it is yours, check its code or pair it again."),
            again("peer_closed", "The other side closed the connection"),
            again("waiting_peer_evicted", "Too many devices waited at once"),
            again("replaced_by_newer_connection", "The device connected again"),
            peer(
                "not_admitted", "Eight devices are connected, or the trust was withdrawn",
                "Disconnect one; or pair again."),
            peer("unpaired", "The device was unpaired", "Pair it again to use it."),
            peer("pairing_not_approved", "Nobody said yes", "Open a new pairing and answer its question."),
            peer(
                "store_failed", "What has to be kept first could not be stored",
                "Check free space and permissions of the state folder."),
            again("finished", "This side ended the connection"),
        ])

    private static func protocolFault(_ code: String, _ meaning: String) -> ErrorRow {
        peer(code, meaning, "Check that both sides run current versions.")
    }

    private static func again(_ code: String, _ meaning: String) -> ErrorRow {
        peer(code, meaning, "Nothing: the connection is made anew.")
    }

    private static func peer(_ code: String, _ meaning: String, _ remedy: String) -> ErrorRow {
        ErrorRow(code, meaning, remedy, exit: .peerUnavailable)
    }

    /// Sockets.
    static let transport = ErrorSection(
        title: "Network",
        place: "`error` of commands that listen or dial; `code` of log lines.",
        sources: ["Transport"],
        rows: [
            ErrorRow("invalid_address", "The text is no IP address", "Write one like 192.168.1.5 or fe80::1."),
            ErrorRow(
                "port_in_use", "Another program listens on the port",
                "Stop it, or choose another port; 0 takes any free one."),
            ErrorRow("port_not_permitted", "The port is kept for the system", "Choose one above 1023."),
            ErrorRow("address_unavailable", "The address is not one of this computer", "`ip address` lists them."),
            ErrorRow(
                "name_not_found", "The name has no address", "Check it, or use the IP address.", exit: .peerUnavailable),
            ErrorRow(
                "connection_refused", "Nobody listens there", "`healthmd serve` there, or check the port.",
                exit: .peerUnavailable),
            ErrorRow(
                "unreachable", "No way leads there", "Check that both computers are in the same network.",
                exit: .peerUnavailable),
            ErrorRow(
                "connect_timeout", "Nobody answered in time", "Check address and firewall.", exit: .peerUnavailable),
            ErrorRow("cancelled", "The attempt was called off", "Start it again when needed."),
            ErrorRow("receive_timeout", "Nothing came in time", "Connect again.", exit: .peerUnavailable),
            ErrorRow("send_timeout", "The peer took nothing in time", "Connect again.", exit: .peerUnavailable),
            ErrorRow("end_of_stream", "The stream ended in the middle", "Connect again.", exit: .peerUnavailable),
            ErrorRow("connection_reset", "The connection broke", "Connect again.", exit: .peerUnavailable),
            ErrorRow("connection_closed", "This side closed the connection", "Connect again."),
            ErrorRow("send_queue_full", "Too much waits to be sent", "Wait until the peer has taken some."),
            ErrorRow("too_many_open_files", "No descriptor is left", "Raise the limit (`ulimit -n`)."),
            ErrorRow("transport_error", "The system refused for another reason", "Try again; if it stays, report it."),
        ])
}
