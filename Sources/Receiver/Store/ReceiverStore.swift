import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// The receiver's durable state: one SQLite database and the folders beside it.
///
/// Owned by the engine thread. ``transaction(_:)`` is the only way to change something; when it returns, the decision
/// is durable and may be spoken of.
final class ReceiverStore {
    /// The receiver's folder: `receiver/`.
    let folder: Directory
    /// Sessions' files, one folder per session.
    let sessions: Directory
    /// Jobs' files, one folder per job.
    let jobs: Directory
    let database: Database
    /// This installation, made at the first start and kept.
    let installationID: UUID

    /// Opens the state in a folder, making what is missing.
    init(folder: Directory, now: Moment) throws {
        self.folder = folder
        _ = try folder.removeAbandonedTemporaries()
        sessions = try folder.createDirectory("sessions")
        jobs = try folder.createDirectory("jobs")
        let database = try Database.open("receiver.sqlite", in: folder, schema: ReceiverSchema.schema)
        self.database = database
        installationID = try ReceiverStore.identity(in: database, now: now)
    }

    private static func identity(in database: Database, now: Moment) throws -> UUID {
        try database.transaction { connection in
            let stored = try connection.first("SELECT installation_id FROM identity") { try $0.text(0) }
            if let stored {
                guard let id = UUID(uuidString: stored) else {
                    throw StoreError.corrupt(path: "receiver.sqlite", detail: "the installation id is no UUID")
                }
                return id
            }
            let id = UUID()
            try connection.run(
                "INSERT INTO identity (id, installation_id, created_at) VALUES (1, ?, ?)", .text(id.uuidString),
                .integer(now.unixSeconds))
            return id
        }
    }

    /// Changes, all or nothing, durable when it returns.
    func transaction<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result {
        try database.transaction(body)
    }

    // MARK: - Destination

    /// The stored destination root.
    func destination() throws -> DestinationBinding? {
        try database.read { connection in
            try connection.first("SELECT path, device, inode FROM destination") { row in
                DestinationBinding(path: try row.text(0), device: try row.uint64(1), inode: try row.uint64(2))
            }
        }
    }

    /// Stores the destination root.
    func setDestination(_ binding: DestinationBinding) throws {
        try transaction { connection in
            try connection.run(
                "INSERT OR REPLACE INTO destination (id, path, device, inode) VALUES (1, ?, ?, ?)",
                .text(binding.path), .unsigned(binding.device), .unsigned(binding.inode))
        }
    }
}
