import Foundation

/// Who may be connected at once (extensions.md 2.2, 2.3).
///
/// A connection waits without proof, then with proof, then is confirmed. Waiting peers change nothing: only a
/// confirmed connection replaces another.
public struct PeerAdmission: Sendable {
    /// Waiting peers without a verified proof; one more evicts the oldest.
    public static let unprovedLimit = 16
    /// Waiting peers with a verified proof.
    public static let provedLimit = 16
    /// Waiting peers with a verified proof of one installation.
    public static let provedLimitPerInstallation = 2
    /// Installations that are connected.
    public static let installationLimit = 8

    private enum Stage: Hashable {
        case unproved
        case proved(UUID)
        case confirmed(UUID)

        var installationID: UUID? {
            switch self {
            case .unproved: nil
            case .proved(let id), .confirmed(let id): id
            }
        }
    }

    /// In order of acceptance.
    private var entries: [(connection: ConnectionID, stage: Stage)] = []

    /// Nobody.
    public init() {}

    /// What became of a connection that took a step.
    public enum Outcome: Hashable, Sendable {
        /// It has its place; the other one, if any, is closed for it.
        case admitted(closing: ConnectionID?)
        /// There is no place for it.
        case refused
    }

    /// How many connections are held.
    public var count: Int { entries.count }

    /// The connections of an installation that proved or confirmed it.
    public func connections(of installationID: UUID) -> [ConnectionID] {
        entries.filter { $0.stage.installationID == installationID }.map(\.connection)
    }

    /// The installations that are connected now.
    public var confirmedInstallations: Set<UUID> {
        Set(entries.compactMap { if case .confirmed(let id) = $0.stage { id } else { nil } })
    }

    /// A connection was accepted. Returns the waiting peer that has to go for it.
    public mutating func accept(_ connection: ConnectionID) -> ConnectionID? {
        precondition(!entries.contains { $0.connection == connection })
        let waiting = entries.filter { $0.stage == .unproved }
        let evicted = waiting.count < Self.unprovedLimit ? nil : waiting.first?.connection
        if let evicted { remove(evicted) }
        entries.append((connection, .unproved))
        return evicted
    }

    /// A connection's proof was verified. Of an installation that has its two, or when all places are taken, the
    /// installation's oldest goes; without one, the newcomer is refused.
    public mutating func prove(_ connection: ConnectionID, installationID: UUID) -> Outcome {
        guard let index = index(of: connection) else { return .refused }
        let proved = entries.filter { if case .proved = $0.stage { true } else { false } }
        let own = proved.filter { $0.stage == .proved(installationID) }
        var evicted: ConnectionID?
        if own.count >= Self.provedLimitPerInstallation || proved.count >= Self.provedLimit {
            guard let oldest = own.first?.connection else { return .refused }
            evicted = oldest
        }
        entries[index].stage = .proved(installationID)
        if let evicted { remove(evicted) }
        return .admitted(closing: evicted)
    }

    /// A connection was confirmed. It replaces the installation's confirmed connection; a ninth installation is
    /// refused.
    public mutating func confirm(_ connection: ConnectionID, installationID: UUID) -> Outcome {
        guard let index = index(of: connection), entries[index].stage == .proved(installationID) else {
            return .refused
        }
        let older = entries.first { $0.stage == .confirmed(installationID) }?.connection
        guard older != nil || confirmedInstallations.count < Self.installationLimit else { return .refused }
        entries[index].stage = .confirmed(installationID)
        if let older { remove(older) }
        return .admitted(closing: older)
    }

    /// A connection ended, for whatever reason.
    public mutating func remove(_ connection: ConnectionID) {
        entries.removeAll { $0.connection == connection }
    }

    private func index(of connection: ConnectionID) -> Int? {
        entries.firstIndex { $0.connection == connection }
    }
}
