import Foundation

/// What admission needs to know about a phone: its trust, its connection and what its hello promised.
public struct PeerFacts: Hashable, Sendable {
    /// The installation id.
    public var installationID: UUID
    /// A name for people.
    public var name: String
    /// Connected and confirmed.
    public var isConnected: Bool
    /// Takes requests and file jobs (corpus-protocol.md 3.5).
    public var supportsExportRequests: Bool
    /// Takes a selection of metrics.
    public var supportsSelection: Bool
    /// Takes `all_available`.
    public var supportsAllAvailableHistory: Bool
    /// The raw profiles that it can serve.
    public var rawProfiles: Set<JobRequest.RawProfile>
    /// Durable recovery was negotiated (corpus-protocol.md 3.3).
    public var isDurable: Bool

    /// Facts; a phone that is away promises nothing.
    public init(
        installationID: UUID, name: String, isConnected: Bool = false, supportsExportRequests: Bool = false,
        supportsSelection: Bool = false, supportsAllAvailableHistory: Bool = false,
        rawProfiles: Set<JobRequest.RawProfile> = [], isDurable: Bool = false
    ) {
        self.installationID = installationID
        self.name = name
        self.isConnected = isConnected
        self.supportsExportRequests = supportsExportRequests
        self.supportsSelection = supportsSelection
        self.supportsAllAvailableHistory = supportsAllAvailableHistory
        self.rawProfiles = rawProfiles
        self.isDurable = isDurable
    }
}

/// The stored destination as admission sees it.
public enum DestinationFacts: Hashable, Sendable {
    /// None is set.
    case notSelected
    /// One is set but cannot be used now.
    case unavailable
    /// It can be written.
    case ready(DestinationBinding)

    /// The binding when it can be written.
    public var binding: DestinationBinding? {
        switch self {
        case .notSelected, .unavailable: nil
        case .ready(let binding): binding
        }
    }
}
