import Foundation

/// Which code a pairing shows (extensions.md 2.1); the raw value is the word of `code_style`.
public enum PairingCodeStyle: String, Hashable, Sendable {
    /// Twenty digits, for `healthmd phone pair`; 10...600 s, 600 by default.
    case strong
    /// Six digits, for the phone app, with an approval; 10...300 s, 120 by default.
    case phoneApp = "phone_app"

    /// The time-outs that may be asked for, in seconds.
    public var allowedTimeouts: ClosedRange<Int> {
        switch self {
        case .strong: 10...600
        case .phoneApp: 10...300
        }
    }

    /// The life of the code when none is asked for, in seconds.
    public var defaultTimeout: Int {
        switch self {
        case .strong: 600
        case .phoneApp: 120
        }
    }
}

/// A pairing object (extensions.md 5): never with the code.
public struct PairingInformation: Hashable, Sendable {
    /// The value of `state`.
    public enum State: String, Hashable, Sendable {
        /// No phone has proved the code yet.
        case waiting
        /// A phone has; the person must say yes.
        case awaitingApproval = "awaiting_approval"
        /// The phone is trusted.
        case paired
        /// Too many failed attempts, refused, or closed.
        case failed
        /// Nobody came in time.
        case expired
    }

    /// The phone that proved the code.
    public struct Peer: Hashable, Sendable {
        /// Its installation id.
        public var installationID: UUID
        /// Its name; shown to the person, so escape it on a terminal.
        public var name: String
        /// Where it dialled from.
        public var address: String

        /// A phone.
        public init(installationID: UUID, name: String, address: String) {
            self.installationID = installationID
            self.name = name
            self.address = address
        }
    }

    /// `pairing_id`.
    public var id: UUID
    /// `state`.
    public var state: State
    /// `expires_at`, whole Unix seconds.
    public var expiresAt: Int64
    /// `code_style`.
    public var codeStyle: PairingCodeStyle
    /// `peer`.
    public var peer: Peer?
    /// `reason`: a stable code when the state is `failed`.
    public var reason: String?

    /// A pairing object.
    public init(
        id: UUID, state: State, expiresAt: Int64, codeStyle: PairingCodeStyle, peer: Peer? = nil,
        reason: String? = nil
    ) {
        self.id = id
        self.state = state
        self.expiresAt = expiresAt
        self.codeStyle = codeStyle
        self.peer = peer
        self.reason = reason
    }
}

/// The body of the 201 that opens a pairing: the only place where the code stands.
public struct OpenedPairing: Sendable {
    /// The pairing object.
    public var pairing: PairingInformation
    /// The digits, ungrouped.
    public var code: String
    /// `listener.port`.
    public var port: UInt16
    /// `listener.addresses`: where a phone may dial, most useful first.
    public var addresses: [String]

    /// An opened pairing.
    public init(pairing: PairingInformation, code: String, port: UInt16, addresses: [String]) {
        self.pairing = pairing
        self.code = code
        self.port = port
        self.addresses = addresses
    }
}

/// The body of `GET /v1/peers`.
public struct PeerList: Hashable, Sendable {
    /// One trusted phone.
    public struct Device: Hashable, Sendable {
        /// `installation_id`.
        public var installationID: UUID
        /// `name`.
        public var name: String
        /// `platform`.
        public var platform: String
        /// `pairing_strength`: `strong` or `phone_app`.
        public var pairingStrength: PairingCodeStyle
        /// `paired_at`, whole Unix seconds.
        public var pairedAt: Int64
        /// `last_connected_at`, whole Unix seconds.
        public var lastConnectedAt: Int64?

        /// A trusted phone.
        public init(
            installationID: UUID, name: String, platform: String, pairingStrength: PairingCodeStyle, pairedAt: Int64,
            lastConnectedAt: Int64?
        ) {
            self.installationID = installationID
            self.name = name
            self.platform = platform
            self.pairingStrength = pairingStrength
            self.pairedAt = pairedAt
            self.lastConnectedAt = lastConnectedAt
        }
    }

    /// The receiver's own installation id.
    public var installationID: UUID
    /// The phones, oldest pairing first.
    public var devices: [Device]

    /// A list.
    public init(installationID: UUID, devices: [Device]) {
        self.installationID = installationID
        self.devices = devices
    }
}
