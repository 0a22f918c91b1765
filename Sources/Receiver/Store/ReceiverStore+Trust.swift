import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// Whom we trust, mirrored by a `TrustStore` value.
extension ReceiverStore {
    /// Whom we trust.
    func trust() throws -> TrustStore {
        try database.read { connection in
            let records = try connection.all(
                """
                SELECT installation_id, display_name, reconnect_secret, pairing_strength, paired_at, last_connected_at
                FROM trust
                """
            ) { row in
                TrustRecord(
                    installationID: try row.uuid(0), displayName: try row.text(1),
                    reconnectSecret: try row.secret(2), strength: try row.word(3), pairedAt: try row.double(4),
                    lastConnectedAt: try row.doubleIfPresent(5))
            }
            let provisional = try connection.all(
                """
                SELECT id, installation_id, display_name, secret, pairing_strength, pairing_id, created_at
                FROM provisional_trust
                """
            ) { row in
                ProvisionalSecret(
                    id: try row.uuid(0), installationID: try row.uuid(1), displayName: try row.text(2),
                    secret: try row.secret(3), strength: try row.word(4), pairingID: try row.uuid(5),
                    createdAt: try row.double(6))
            }
            return TrustStore(records: records, provisional: provisional)
        }
    }

    /// Stores changes of trust in one transaction.
    func store(_ changes: [TrustChange]) throws {
        try transaction { connection in
            for change in changes { try ReceiverStore.apply(change, connection) }
        }
    }

    private static func apply(_ change: TrustChange, _ connection: DatabaseConnection) throws {
        switch change {
        case .addProvisional(let secret):
            try connection.run(
                """
                INSERT INTO provisional_trust
                (id, installation_id, display_name, secret, pairing_strength, pairing_id, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .text(secret.id.uuidString), .text(secret.installationID.uuidString), .text(secret.displayName),
                .secret(secret.secret), .text(secret.strength.rawValue), .text(secret.pairingID.uuidString),
                .real(secret.createdAt))
        case .removeProvisional(let ids):
            for id in ids { try connection.run("DELETE FROM provisional_trust WHERE id = ?", .text(id.uuidString)) }
        case .setRecord(let record):
            try connection.run(
                """
                INSERT OR REPLACE INTO trust
                (installation_id, display_name, reconnect_secret, pairing_strength, paired_at, last_connected_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                .text(record.installationID.uuidString), .text(record.displayName),
                .secret(record.reconnectSecret), .text(record.strength.rawValue), .real(record.pairedAt),
                .optional(record.lastConnectedAt))
        case .touchRecord(let installationID, let displayName, let lastConnectedAt):
            try connection.run(
                "UPDATE trust SET display_name = ?, last_connected_at = ? WHERE installation_id = ?",
                .text(displayName), .real(lastConnectedAt), .text(installationID.uuidString))
        case .removeRecord(let installationID):
            try connection.run("DELETE FROM trust WHERE installation_id = ?", .text(installationID.uuidString))
        }
    }
}
