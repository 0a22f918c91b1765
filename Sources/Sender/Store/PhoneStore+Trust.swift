import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

extension PhoneStore {
    /// Whom this phone trusts: the workstation that it dials, and one whose first hello has not come yet.
    public func trust() throws -> DiallerTrust {
        try database.read { connection in
            DiallerTrust(
                trusted: try PhoneStore.listener("trusted", connection),
                provisional: try PhoneStore.listener("provisional", connection))
        }
    }

    /// Replaces what is stored. Durable when it returns: a code pairing is stored before our hello goes out.
    public func setTrust(_ trust: DiallerTrust) throws {
        try database.transaction { connection in
            try connection.run("DELETE FROM trust")
            if let listener = trust.trusted { try PhoneStore.store(listener, "trusted", connection) }
            if let listener = trust.provisional { try PhoneStore.store(listener, "provisional", connection) }
        }
    }

    private static func listener(_ slot: String, _ connection: DatabaseConnection) throws -> SavedListener? {
        try connection.first(
            """
            SELECT installation_id, display_name, host, port, reconnect_secret, paired_at FROM trust WHERE slot = ?
            """, .text(slot)
        ) { row in
            guard let port = UInt16(exactly: try row.int(3)) else { throw row.corrupt(3) }
            var secret = try row.blob(4)
            return SavedListener(
                installationID: try row.uuid(0), displayName: try row.text(1), host: try row.text(2), port: port,
                reconnectSecret: SecretBytes(consuming: &secret), pairedAt: try row.date(5).secondsSince2001)
        }
    }

    private static func store(_ listener: SavedListener, _ slot: String, _ connection: DatabaseConnection) throws {
        var secret = listener.reconnectSecret.copyBytes()
        defer { eraseMemory(&secret) }
        try connection.run(
            """
            INSERT INTO trust (slot, installation_id, display_name, host, port, reconnect_secret, paired_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .text(slot), .text(listener.installationID.uuidString), .text(listener.displayName), .text(listener.host),
            .integer(Int(listener.port)), .blob(secret), .real(listener.pairedAt))
    }
}
