import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// The workstation that this phone trusts (secure-transport.md 9). The secret is erased with the value.
public struct TrustedWorkstation: Sendable {
    /// How the trust came about (extensions.md 2).
    public enum PairingStrength: String, Sendable {
        /// A code of 20 digits.
        case strong
        /// A code of six digits, for the phone app.
        case phoneApp = "phone_app"
    }

    /// Its installation.
    public let installationID: UUID
    /// Its name, as its hello gave it.
    public var displayName: String
    /// Where to dial.
    public var host: String
    /// Where to dial.
    public var port: UInt16
    /// 32 random bytes that the workstation made.
    public let reconnectSecret: SecretBytes
    /// How the trust came about.
    public let strength: PairingStrength
    /// When it was paired.
    public let pairedAt: ProtocolDate
    /// When a connection was last confirmed.
    public var lastConnectedAt: ProtocolDate?

    /// A workstation.
    public init(
        installationID: UUID, displayName: String, host: String, port: UInt16, reconnectSecret: SecretBytes,
        strength: PairingStrength, pairedAt: ProtocolDate, lastConnectedAt: ProtocolDate? = nil
    ) {
        self.installationID = installationID
        self.displayName = displayName
        self.host = host
        self.port = port
        self.reconnectSecret = reconnectSecret
        self.strength = strength
        self.pairedAt = pairedAt
        self.lastConnectedAt = lastConnectedAt
    }
}

extension PhoneStore {
    /// Which of the two records.
    public enum TrustSlot: String, Sendable {
        /// The one that is dialled.
        case trusted
        /// The one whose first hello has not come yet.
        case provisional
    }

    /// The workstation of a slot.
    public func workstation(_ slot: TrustSlot = .trusted) throws -> TrustedWorkstation? {
        try database.read { connection in
            try connection.first(
                """
                SELECT installation_id, display_name, host, port, reconnect_secret, pairing_strength, paired_at,
                    last_connected_at
                FROM trust WHERE slot = ?
                """, .text(slot.rawValue)
            ) { row in
                guard let port = UInt16(exactly: try row.int(3)) else { throw row.corrupt(3) }
                var secret = try row.blob(4)
                return TrustedWorkstation(
                    installationID: try row.uuid(0), displayName: try row.text(1), host: try row.text(2), port: port,
                    reconnectSecret: SecretBytes(consuming: &secret),
                    strength: try row.value(5), pairedAt: try row.date(6), lastConnectedAt: try row.dateIfPresent(7))
            }
        }
    }

    /// Stores what a pairing gave, before the first hello proves it; the trust in force stays (secure-transport.md 5.4).
    public func storeProvisional(_ workstation: TrustedWorkstation) throws {
        try database.transaction { try PhoneStore.store(workstation, in: .provisional, $0) }
    }

    /// Makes the provisional workstation the trusted one: its hello has come.
    public func promoteProvisional(displayName: String, at now: ProtocolDate) throws {
        try database.transaction { connection in
            guard try connection.exists("SELECT 1 FROM trust WHERE slot = 'provisional'") else { return }
            try connection.run("DELETE FROM trust WHERE slot = 'trusted'")
            try connection.run(
                "UPDATE trust SET slot = 'trusted', display_name = ?, last_connected_at = ? WHERE slot = 'provisional'",
                .text(displayName), .real(now.secondsSince2001))
        }
    }

    /// Notes a confirmed connection of the trusted workstation.
    public func noteConnected(displayName: String, at now: ProtocolDate) throws {
        try database.transaction { connection in
            try connection.run(
                "UPDATE trust SET display_name = ?, last_connected_at = ? WHERE slot = 'trusted'",
                .text(displayName), .real(now.secondsSince2001))
        }
    }

    /// Drops the provisional workstation: it did not prove itself.
    public func dropProvisional() throws {
        try database.transaction { try $0.run("DELETE FROM trust WHERE slot = 'provisional'") }
    }

    /// Forgets all trust. Jobs stay (secure-transport.md 9). Tells whether there was any.
    public func forgetTrust() throws -> Bool {
        try database.transaction { connection in
            try connection.run("DELETE FROM trust")
            return connection.changedRowCount > 0
        }
    }

    private static func store(
        _ workstation: TrustedWorkstation, in slot: TrustSlot, _ connection: DatabaseConnection
    ) throws {
        var secret = workstation.reconnectSecret.copyBytes()
        defer { eraseMemory(&secret) }
        try connection.run("DELETE FROM trust WHERE slot = ?", .text(slot.rawValue))
        try connection.run(
            """
            INSERT INTO trust (slot, installation_id, display_name, host, port, reconnect_secret, pairing_strength,
                paired_at, last_connected_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(slot.rawValue), .text(workstation.installationID.uuidString), .text(workstation.displayName),
            .text(workstation.host), .integer(Int(workstation.port)), .blob(secret),
            .text(workstation.strength.rawValue), .real(workstation.pairedAt.secondsSince2001),
            workstation.lastConnectedAt.map { .real($0.secondsSince2001) } ?? .null)
    }
}
