import Foundation

/// What admission of an `open` looks at besides the message and the session: disk, clock and identities.
public struct AdmissionFacts: Sendable, Equatable {
    /// Whether files could be written to the destination (corpus-protocol.md 13.2.7).
    public enum Destination: Sendable, Equatable {
        /// The mode writes no files.
        case notNeeded
        /// Reachable, some output is selected, all planned paths stay inside. The number of bytes free there.
        case ready(freeBytes: Int64)
        /// Why not, for the answer's text.
        case unusable(String)
    }

    /// The clock.
    public var now: ProtocolDate
    /// The installation that is connected.
    public var peerInstallationID: UUID
    /// Our own installation.
    public var ownInstallationID: UUID
    /// What was negotiated with the connected peer; nil when it has no corpus transfers (corpus-protocol.md 3.2).
    public var negotiation: CorpusNegotiation?
    /// What 13.1 said: the reason when the open fits no request.
    public var gateRefusal: OpenRefusal?
    /// What the receiver's calendar finds wrong with the manifest (corpus-protocol.md 5.3).
    public var manifestError: ManifestError?
    /// The destination.
    public var destination: Destination
    /// Bytes free where the receiver keeps its own files.
    public var freeStorageBytes: Int64
    /// Bytes that other live sessions still need there.
    public var storageBytesReservedByOthers: Int64
    /// The live session of the same installation, if it is another one.
    public var otherActiveSession: UUID?
    /// Whether a folder of this session exists without a journal that can be believed.
    public var hasUnreadableState: Bool

    /// Facts.
    public init(
        now: ProtocolDate, peerInstallationID: UUID, ownInstallationID: UUID, negotiation: CorpusNegotiation?,
        gateRefusal: OpenRefusal? = nil,
        manifestError: ManifestError? = nil, destination: Destination, freeStorageBytes: Int64,
        storageBytesReservedByOthers: Int64 = 0,
        otherActiveSession: UUID? = nil, hasUnreadableState: Bool = false
    ) {
        self.now = now
        self.peerInstallationID = peerInstallationID
        self.ownInstallationID = ownInstallationID
        self.negotiation = negotiation
        self.gateRefusal = gateRefusal
        self.manifestError = manifestError
        self.destination = destination
        self.freeStorageBytes = freeStorageBytes
        self.storageBytesReservedByOthers = storageBytesReservedByOthers
        self.otherActiveSession = otherActiveSession
        self.hasUnreadableState = hasUnreadableState
    }
}

/// Why an `open` is answered `reject`; the text goes out in `message`.
public enum OpenRefusal: Error, Sendable, Equatable {
    /// The two peers have no partitioned transfers in common (3.2).
    case notNegotiated
    /// No request fits (13.1); says which rule.
    case notRequested(String)
    /// The manifest is missing.
    case manifestMissing
    /// The manifest breaks a rule that needs a calendar.
    case manifestInvalid(ManifestError)
    /// The recomputed fingerprint is another one.
    case fingerprintMismatch
    /// The protocol version is unknown.
    case unknownVersion(Int)
    /// The protocol version is known here, but the connected peer did not announce it.
    case versionNotNegotiated(Int)
    /// The binding names another pair of installations, or the two keep no journals for each other.
    case peerBinding
    /// Created too far in the future, or at least seven days ago.
    case createdAt
    /// A partition date is no transfer date.
    case partitionDates
    /// A strict raw session without an identifier for every day.
    case identifiersMissing
    /// The mode is not supported here.
    case unsupportedMode
    /// Roll-ups with a pinned engine in a session of a version that knows no range plan.
    case rangePlanVersion(Int)
    /// The destination cannot be used; says why.
    case destination(String)
    /// Another session of this phone is live.
    case otherSessionActive
    /// The job's session or manifest is not the one that was opened first.
    case sessionChanged
    /// A folder of this session exists that cannot be believed.
    case unreadableState
    /// Not enough space for the receiver's own files.
    case storageSpace(neededBytes: Int64)
    /// Not enough space at the destination.
    case destinationSpace(neededBytes: Int64)
    /// The index is durable with another digest.
    case committedDigest(index: Int)
    /// The session has ended.
    case sessionEnded
    /// The session is being finalized.
    case sessionFinalizing
    /// The index is not the next one, or the predecessor is not the last one.
    case chain(expectedIndex: Int)

    /// The stable code, also the beginning of the text.
    public var code: String {
        switch self {
        case .notNegotiated: "not_negotiated"
        case .notRequested: "not_requested"
        case .manifestMissing: "manifest_missing"
        case .manifestInvalid(let error): error.code
        case .fingerprintMismatch: "fingerprint_mismatch"
        case .unknownVersion: "unknown_protocol_version"
        case .versionNotNegotiated: "protocol_version_not_negotiated"
        case .peerBinding: "peer_binding_mismatch"
        case .createdAt: "created_at_out_of_range"
        case .partitionDates: "partition_dates_unknown"
        case .identifiersMissing: "date_identifiers_missing"
        case .unsupportedMode: "unsupported_mode"
        case .rangePlanVersion: "range_plan_version"
        case .destination: "destination_unavailable"
        case .otherSessionActive: "other_session_active"
        case .sessionChanged: "session_changed"
        case .unreadableState: "session_state_unreadable"
        case .storageSpace: "storage_space"
        case .destinationSpace: "destination_space"
        case .committedDigest: "committed_digest_mismatch"
        case .sessionEnded: "session_ended"
        case .sessionFinalizing: "session_finalizing"
        case .chain: "partition_out_of_order"
        }
    }

    /// A sentence for the person at the source.
    public var message: String {
        switch self {
        case .notNegotiated: "The two devices have no version of partitioned transfers in common. Update both."
        case .notRequested(let rule): "The receiver did not ask for this export: \(rule)."
        case .manifestMissing: "The export manifest is missing."
        case .manifestInvalid(let error): "The manifest breaks a rule: \(error)."
        case .fingerprintMismatch: "The manifest does not match its fingerprint."
        case .unknownVersion(let version): "The receiver does not know protocol version \(version)."
        case .versionNotNegotiated(let version):
            "Protocol version \(version) was not announced by the connected device. Start a new export."
        case .peerBinding: "The session belongs to another pair of devices."
        case .createdAt: "The session's date is out of range. Check the clocks of both devices."
        case .partitionDates: "The partition holds days that the export does not."
        case .identifiersMissing: "A raw export needs a label for every day."
        case .unsupportedMode: "The receiver does not support this kind of export."
        case .rangePlanVersion(let version):
            "Roll-ups with a pinned engine need protocol version 3, and the session has \(version). Update the phone's app, or switch its roll-ups off."
        case .destination(let reason): "The destination cannot be used: \(reason)"
        case .otherSessionActive: "Another transfer from this device has not finished. Finish or cancel it first."
        case .sessionChanged: "The session or its manifest changed. Start a new export."
        case .unreadableState: "The receiver's state of this session is damaged. Start a new export."
        case .storageSpace(let bytes): "The receiver needs \(bytes) bytes of free space in its own folder."
        case .destinationSpace(let bytes): "The receiver needs \(bytes) bytes of free space at the destination."
        case .committedDigest(let index): "Partition \(index) was already received with other content."
        case .sessionEnded: "The session has ended."
        case .sessionFinalizing: "The session is being finalized."
        case .chain(let index): "Partition \(index) is expected next."
        }
    }
}
