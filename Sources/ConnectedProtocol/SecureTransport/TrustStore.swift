import Cryptography
import Foundation

/// How strong the code of a pairing was (extensions.md 2.1). The raw values are the words of `code_style` and
/// `pairing_strength`.
public enum PairingStrength: String, Codable, Hashable, Sendable, CaseIterable {
    /// Twenty digits, 66 bits.
    case strong
    /// Six digits, for the phone app, which can type no other. Can be searched offline.
    case phoneApp = "phone_app"

    /// How many digits the code has.
    public var digitCount: Int {
        switch self {
        case .strong: 20
        case .phoneApp: 6
        }
    }
}

/// What a listener keeps of a paired installation (extensions.md 2, secure-transport.md 9).
public struct TrustRecord: Sendable {
    /// The phone's installation id; the key of the record.
    public var installationID: UUID
    /// The name last told.
    public var displayName: String
    /// 32 bytes.
    public var reconnectSecret: SecretBytes
    /// How it was paired.
    public var strength: PairingStrength
    /// When it was first paired; seconds since 2001.
    public var pairedAt: Double
    /// When it was last confirmed; seconds since 2001.
    public var lastConnectedAt: Double?

    /// A record as the store has it.
    public init(
        installationID: UUID, displayName: String, reconnectSecret: SecretBytes, strength: PairingStrength,
        pairedAt: Double, lastConnectedAt: Double?
    ) {
        self.installationID = installationID
        self.displayName = displayName
        self.reconnectSecret = reconnectSecret
        self.strength = strength
        self.pairedAt = pairedAt
        self.lastConnectedAt = lastConnectedAt
    }
}

/// A new reconnect secret whose holder has not been confirmed yet (extensions.md 2.5).
public struct ProvisionalSecret: Sendable {
    /// The row's own id.
    public var id: UUID
    /// Whose it is to become.
    public var installationID: UUID
    /// The name told with it.
    public var displayName: String
    /// 32 bytes.
    public var secret: SecretBytes
    /// The pairing's strength.
    public var strength: PairingStrength
    /// The pairing that it came from.
    public var pairingID: UUID
    /// Seconds since 2001.
    public var createdAt: Double

    /// A provisional secret as the store has it.
    public init(
        id: UUID, installationID: UUID, displayName: String, secret: SecretBytes, strength: PairingStrength,
        pairingID: UUID, createdAt: Double
    ) {
        self.id = id
        self.installationID = installationID
        self.displayName = displayName
        self.secret = secret
        self.strength = strength
        self.pairingID = pairingID
        self.createdAt = createdAt
    }
}

/// One change of a `TrustStore`, for the driver's database. Changes that are returned together belong into one
/// transaction.
public enum TrustChange: Sendable {
    /// Inserts a provisional secret.
    case addProvisional(ProvisionalSecret)
    /// Deletes provisional secrets by their ids.
    case removeProvisional([UUID])
    /// Inserts or replaces the record of an installation.
    case setRecord(TrustRecord)
    /// Updates name and time of a record.
    case touchRecord(installationID: UUID, displayName: String, lastConnectedAt: Double)
    /// Deletes the record of an installation.
    case removeRecord(UUID)

    /// Whether nobody's trust depends on it.
    var isNote: Bool { if case .touchRecord = self { true } else { false } }
}

/// Whom a listener trusts: a value that mirrors the database. Every method that changes it says what changed.
public struct TrustStore: Sendable {
    /// Provisional secrets in all (extensions.md 2.5).
    public static let provisionalLimit = 16
    /// Provisional secrets of one installation.
    public static let provisionalLimitPerInstallation = 4
    /// How long a provisional secret lives, in seconds.
    public static let provisionalSeconds: Double = 24 * 3_600

    /// By installation id.
    public private(set) var records: [UUID: TrustRecord]
    /// Oldest first.
    public private(set) var provisional: [ProvisionalSecret]

    /// The store as the database has it.
    public init(records: [TrustRecord] = [], provisional: [ProvisionalSecret] = []) {
        self.records = Dictionary(records.map { ($0.installationID, $0) }) { _, last in last }
        self.provisional = provisional.sorted { $0.createdAt < $1.createdAt }
    }

    /// The provisional secrets that still live.
    ///
    /// A clock that was set back by more than a day ends them too: their age is not known any more.
    public func liveProvisional(at now: Moment) -> [ProvisionalSecret] {
        provisional.filter { abs(now.wall - $0.createdAt) < Self.provisionalSeconds }
    }

    /// Whether one more provisional secret of this installation may be kept. Never evicts.
    public func hasRoom(for installationID: UUID, at now: Moment) -> Bool {
        let live = liveProvisional(at: now)
        return live.count < Self.provisionalLimit
            && live.count(where: { $0.installationID == installationID }) < Self.provisionalLimitPerInstallation
    }

    /// Keeps a provisional secret, and drops dead ones. Trap: ask `hasRoom` first.
    mutating func add(_ secret: ProvisionalSecret, at now: Moment) -> [TrustChange] {
        precondition(hasRoom(for: secret.installationID, at: now))
        let changes = dropExpired(at: now) + [.addProvisional(secret)]
        provisional.append(secret)
        return changes
    }

    /// Makes a provisional secret the secret of its installation; all others of that installation go.
    ///
    /// The time of the first pairing is kept.
    mutating func promote(_ secret: ProvisionalSecret, displayName: String, at now: Moment) -> [TrustChange] {
        let record = TrustRecord(
            installationID: secret.installationID, displayName: displayName, reconnectSecret: secret.secret,
            strength: secret.strength, pairedAt: records[secret.installationID]?.pairedAt ?? now.wall,
            lastConnectedAt: now.wall)
        records[record.installationID] = record
        return [.setRecord(record)] + dropProvisional { $0.installationID == secret.installationID }
    }

    /// Notes a confirmed reconnect.
    mutating func touch(_ installationID: UUID, displayName: String, at now: Moment) -> [TrustChange] {
        guard records[installationID] != nil else { return [] }
        records[installationID]?.displayName = displayName
        records[installationID]?.lastConnectedAt = now.wall
        return [
            .touchRecord(installationID: installationID, displayName: displayName, lastConnectedAt: now.wall)
        ]
    }

    /// Forgets an installation: record and provisional secrets.
    mutating func forget(_ installationID: UUID) -> [TrustChange] {
        var changes = dropProvisional { $0.installationID == installationID }
        if records.removeValue(forKey: installationID) != nil { changes.append(.removeRecord(installationID)) }
        return changes
    }

    /// Drops provisional secrets that are older than a day.
    mutating func dropExpired(at now: Moment) -> [TrustChange] {
        let live = Set(liveProvisional(at: now).map(\.id))
        return dropProvisional { !live.contains($0.id) }
    }

    /// Drops some provisional secrets.
    mutating func dropProvisional(where isDropped: (ProvisionalSecret) -> Bool) -> [TrustChange] {
        let dropped = provisional.filter(isDropped).map(\.id)
        guard !dropped.isEmpty else { return [] }
        provisional.removeAll(where: isDropped)
        return [.removeProvisional(dropped)]
    }
}
