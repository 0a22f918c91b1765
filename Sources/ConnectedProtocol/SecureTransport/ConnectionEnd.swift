/// One TCP connection, as the driver numbers it; never reused while the process lives.
public struct ConnectionID: Hashable, Sendable {
    /// The driver's number.
    public let value: UInt64

    /// A connection's number.
    public init(_ value: UInt64) {
        self.value = value
    }
}

/// Why a connection is closed.
public enum ConnectionEnd: Hashable, Sendable {
    /// The peer, or the way to it, broke a rule.
    case failure(SecureTransportError)
    /// We did not accept the peer's pairing request.
    case rejected
    /// The peer closed. That means "disconnected", never "done".
    case peerClosed
    /// A newer waiting peer needed the place (extensions.md 2.2).
    case evicted
    /// A newer connection of the same installation was confirmed (extensions.md 2.3).
    case replaced
    /// Eight installations are connected, or the credential was withdrawn in the meantime.
    case notAdmitted
    /// The installation was unpaired.
    case unpaired
    /// The person said no, or nobody said anything in time (extensions.md 2.1).
    case notApproved
    /// Our store could not keep what has to be kept first.
    case storeFailed
    /// This side shuts down, or has no more use for the connection.
    case finished

    /// The stable name, for programs.
    public var code: String {
        switch self {
        case .failure(let error): error.code
        case .rejected: "peer_rejected"
        case .peerClosed: "peer_closed"
        case .evicted: "waiting_peer_evicted"
        case .replaced: "replaced_by_newer_connection"
        case .notAdmitted: "not_admitted"
        case .unpaired: "unpaired"
        case .notApproved: "pairing_not_approved"
        case .storeFailed: "store_failed"
        case .finished: "finished"
        }
    }
}

extension ConnectionEnd: CustomStringConvertible {
    /// What happened and what to do next, for a person.
    public var description: String {
        switch self {
        case .failure(let error): error.description
        case .rejected: "A device was not accepted. If it is yours, check its code or pair it again."
        case .peerClosed: "The other side closed the connection. It is made anew when that side is ready."
        case .evicted: "Too many devices were waiting at once. Try again in a moment."
        case .replaced: "The device connected again; the older connection was closed."
        case .notAdmitted: "No more devices can be connected now. Disconnect one, then try again."
        case .unpaired: "The device was unpaired. Pair it again to use it."
        case .notApproved: "The pairing was not approved. Open a new pairing and answer its question."
        case .storeFailed: "The state folder could not be written. Check free space and permissions."
        case .finished: "The connection was closed on this side."
        }
    }
}
