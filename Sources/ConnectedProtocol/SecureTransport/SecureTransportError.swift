/// Why a connection of the secure transport fails. Every case is fatal to the connection.
public enum SecureTransportError: Error, Hashable, Sendable {
    // MARK: Framing (secure-transport.md 3, extensions.md 3.2)

    /// A packet of no bytes.
    case emptyPacket
    /// A length over the limit of the phase. Nothing was allocated for it.
    case packetTooLarge(limit: Int, declared: UInt64)
    /// A body that is no packet; `detail` names the field, never its content.
    case malformedPacket(detail: String)
    /// A packet that may not come now, such as `encrypted` before authentication.
    case unexpectedPacket(kind: String, phase: String)
    /// An unconfirmed peer sent more than it may before its turn.
    case tooMuchBeforeConfirmation(limit: Int)

    // MARK: Handshake (secure-transport.md 6, extensions.md 2)

    /// Only version 2 is spoken.
    case unsupportedProtocolVersion(found: Int)
    /// `clientInstallationID` or `macInstallationID` is missing.
    case missingInstallationID
    /// Both sides say that they are the same installation.
    case equalInstallationIDs
    /// The listener refused, for a reason that it keeps to itself.
    case pairingRejected
    /// A proof, or the sealed secret, is wrong: another secret, another code, or somebody in between.
    case proofInvalid
    /// A response without a field that its case needs, or with one that it must not have.
    case responseShape(detail: String)
    /// The listener that answered is not the one that was paired.
    case unexpectedInstallation
    /// The peer's public key makes the shared secret zero.
    case weakPublicKey

    // MARK: Hello (extensions.md 2.1, 2.4, 2.7)

    /// The hello names another installation than the handshake.
    case helloInstallationMismatch
    /// The hello's platform does not fit the role.
    case helloPlatformMismatch
    /// A later hello that changes installation, platform or extensions.
    case helloChanged
    /// `healthmdExtensions` breaks its rules.
    case malformedExtensions

    // MARK: Channel (secure-transport.md 6.4, extensions.md 3.2)

    /// An `encrypted` packet that does not decrypt.
    case packetNotAuthentic
    /// A nonce that was already seen, or that we sent: a replay or a reflection.
    case repeatedNonce
    /// The nonce memory is full; a new connection makes a new key.
    case nonceMemoryFull
    /// An `encrypted` packet where records are in force.
    case plainPacketAmongRecords
    /// A record where none are in force.
    case recordInPlainMode
    /// A record of fewer than 26 bytes.
    case recordTooShort(found: Int)
    /// A record that is not the next one: dropped, repeated or moved.
    case recordOutOfSequence(expected: UInt64, found: UInt64)
    /// A record that does not decrypt: changed, or of another connection or direction.
    case recordNotAuthentic
    /// Contents that begin neither a JSON document nor a frame.
    case unknownRecordContent
    /// Contents over their limit.
    case recordContentTooLarge(limit: Int, found: Int)
    /// The last sequence was used; a new connection makes new keys.
    case recordSequenceExhausted

    // MARK: Time (extensions.md 2.2, 2.4)

    /// Not confirmed in time.
    case confirmationTimedOut
    /// No hello in time.
    case helloTimedOut
    /// No valid packet for 30 seconds.
    case silence

    /// The stable name, for programs.
    public var code: String {
        switch self {
        case .emptyPacket: "packet_empty"
        case .packetTooLarge: "packet_too_large"
        case .malformedPacket: "packet_malformed"
        case .unexpectedPacket: "packet_unexpected"
        case .tooMuchBeforeConfirmation: "too_much_before_confirmation"
        case .unsupportedProtocolVersion: "protocol_version_unsupported"
        case .missingInstallationID: "installation_id_missing"
        case .equalInstallationIDs: "installation_ids_equal"
        case .pairingRejected: "pairing_rejected"
        case .proofInvalid: "proof_invalid"
        case .responseShape: "pairing_response_invalid"
        case .unexpectedInstallation: "installation_unexpected"
        case .weakPublicKey: "public_key_weak"
        case .helloInstallationMismatch: "hello_installation_mismatch"
        case .helloPlatformMismatch: "hello_platform_mismatch"
        case .helloChanged: "hello_changed"
        case .malformedExtensions: "extensions_malformed"
        case .packetNotAuthentic: "packet_not_authentic"
        case .repeatedNonce: "nonce_repeated"
        case .nonceMemoryFull: "nonce_memory_full"
        case .plainPacketAmongRecords: "packet_among_records"
        case .recordInPlainMode: "record_unexpected"
        case .recordTooShort: "record_too_short"
        case .recordOutOfSequence: "record_out_of_sequence"
        case .recordNotAuthentic: "record_not_authentic"
        case .unknownRecordContent: "record_content_unknown"
        case .recordContentTooLarge: "record_content_too_large"
        case .recordSequenceExhausted: "record_sequence_exhausted"
        case .confirmationTimedOut: "confirmation_timed_out"
        case .helloTimedOut: "hello_timed_out"
        case .silence: "silence"
        }
    }
}

extension SecureTransportError: CustomStringConvertible {
    /// What happened and what to do next, for a person.
    public var description: String {
        switch self {
        case .emptyPacket, .malformedPacket, .unexpectedPacket, .responseShape, .missingInstallationID,
            .recordTooShort, .unknownRecordContent, .malformedExtensions, .helloChanged:
            "The peer does not keep to the protocol (\(code)\(detail)). Check that both sides run current versions."
        case .packetTooLarge(let limit, let declared):
            "The peer announced a packet of \(declared) bytes where \(limit) are allowed. Check its version."
        case .tooMuchBeforeConfirmation(let limit):
            "The peer sent more than \(limit) bytes before it was confirmed. Check what dials this port."
        case .unsupportedProtocolVersion(let found):
            "The peer speaks pairing version \(found); only version 2 authenticates both sides. Update the peer."
        case .equalInstallationIDs:
            "Both sides have the same installation id; a copied state folder does that. Reset one of them."
        case .pairingRejected:
            "The listener did not accept. Check the code, or pair again when it has forgotten this device."
        case .proofInvalid:
            "The other side does not know the code or the secret. Check the code, the address and the network."
        case .unexpectedInstallation:
            "Another installation answered at this address. Check the address, or pair again."
        case .weakPublicKey:
            "The peer's key would make the connection readable by anyone. Do not use this peer."
        case .helloInstallationMismatch:
            "The peer's hello names another installation than its handshake. Pair again."
        case .helloPlatformMismatch:
            "The peer plays the wrong part. A receiver is dialled by a phone, and a phone dials a receiver."
        case .packetNotAuthentic, .repeatedNonce, .recordOutOfSequence, .recordNotAuthentic,
            .plainPacketAmongRecords, .recordInPlainMode:
            "Bytes were changed, repeated or lost on the way (\(code)). The connection is made anew."
        case .nonceMemoryFull, .recordSequenceExhausted:
            "The connection's key has been used as often as it may be. The connection is made anew."
        case .recordContentTooLarge(let limit, let found):
            "The peer sent \(found) bytes where \(limit) are allowed. Check its version."
        case .confirmationTimedOut, .helloTimedOut:
            "The peer did not finish its greeting in time. Check the network, then connect again."
        case .silence:
            "Nothing was heard from the peer for 30 seconds. The connection is made anew."
        }
    }

    /// `: detail`, for the cases that have one.
    private var detail: String {
        switch self {
        case .malformedPacket(let detail), .responseShape(let detail):
            ": \(detail)"
        case .unexpectedPacket(let kind, let phase):
            ": \(kind) while \(phase)"
        default:
            ""
        }
    }
}
