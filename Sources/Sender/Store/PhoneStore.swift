import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// What the phone side remembers: identity, trust, settings, jobs, queued pushes (`phone/phone.sqlite`).
///
/// Each function is one transaction, and durable when it returns. Used from any thread; `push` and `settings` of another process go
/// through the same tables (extensions.md 4).
public final class PhoneStore: Sendable {
    /// The name of the database in the phone folder.
    public static let databaseName = "phone.sqlite"
    /// The folder of prepared days.
    static let itemsFolderName = "items"

    /// The phone folder.
    public let folder: Directory
    /// Prepared days, one file each, named by their identity.
    let items: Directory
    let database: Database

    /// Whether the disk failed a sync of the journal: only a new process may go on.
    var hasLostJournal: Bool { database.hasFailedForGood }

    /// Opens the store of a phone folder, and makes it when it is missing.
    public init(folder: Directory) throws {
        self.folder = folder
        items = try folder.createDirectory(PhoneStore.itemsFolderName)
        database = try Database.open(PhoneStore.databaseName, in: folder, schema: PhoneSchema.schema)
    }

    // MARK: Identity

    /// The identity of this installation: made once, from `random`, and kept (secure-transport.md 9).
    public func installationID(random: () -> UUID = SecureRandom.uuid, now: ProtocolDate) throws -> UUID {
        try database.transaction { connection in
            if let stored = try connection.first("SELECT installation_id FROM identity", read: { try $0.uuid(0) }) {
                return stored
            }
            let identity = random()
            try connection.run(
                "INSERT INTO identity (id, installation_id, created_at) VALUES (1, ?, ?)",
                .text(identity.uuidString), .real(now.secondsSince2001))
            return identity
        }
    }

    // MARK: Settings

    /// The values that differ from the defaults, by dotted key, each as JSON text.
    public func settings() throws -> [String: String] {
        try database.read { connection in
            var values: [String: String] = [:]
            try connection.forEach("SELECT key, value FROM settings ORDER BY key") { row in
                values[try row.text(0)] = try row.text(1)
            }
            return values
        }
    }

    /// Stores several values together; nil removes one, so that the default holds again.
    public func setSettings(_ values: [(key: String, value: String?)]) throws {
        try database.transaction { connection in
            for (key, value) in values {
                if let value {
                    try connection.run(
                        """
                        INSERT INTO settings (key, value) VALUES (?, ?)
                        ON CONFLICT (key) DO UPDATE SET value = excluded.value
                        """, .text(key), .text(value))
                } else {
                    try connection.run("DELETE FROM settings WHERE key = ?", .text(key))
                }
            }
        }
    }

    // MARK: Pushes

    /// Queues a source-initiated file export. The job's identity is chosen now, so that a push is sent at most once.
    public func queuePush(_ push: QueuedPush) throws {
        try database.transaction { connection in
            try connection.run(
                "INSERT INTO pushes (job_id, first_day, last_day, queued_at) VALUES (?, ?, ?, ?)",
                .text(push.jobID.uuidString), .text(push.firstDay), .text(push.lastDay),
                .real(push.queuedAt.secondsSince2001))
        }
    }

    /// The pushes that are not yet jobs, oldest first.
    public func queuedPushes() throws -> [QueuedPush] {
        try database.read { connection in
            try connection.all("SELECT job_id, first_day, last_day, queued_at FROM pushes ORDER BY id") { row in
                QueuedPush(
                    jobID: try row.uuid(0), firstDay: try row.text(1), lastDay: try row.text(2),
                    queuedAt: try row.date(3))
            }
        }
    }

    /// Drops a push that cannot become a job.
    public func removePush(_ jobID: UUID) throws {
        try database.transaction { try $0.run("DELETE FROM pushes WHERE job_id = ?", .text(jobID.uuidString)) }
    }

    // MARK: Cancellations

    /// Leaves the wish to cancel a job for the process that works on it.
    public func wishCancellation(of jobID: UUID, at now: ProtocolDate) throws {
        try database.transaction {
            try $0.run(
                "INSERT OR IGNORE INTO cancellations (job_id, wished_at) VALUES (?, ?)", .text(jobID.uuidString),
                .real(now.secondsSince2001))
        }
    }

    /// Jobs that a person wants to be cancelled, oldest wish first.
    public func wishedCancellations() throws -> [UUID] {
        try database.read { connection in
            try connection.all("SELECT job_id FROM cancellations ORDER BY wished_at, job_id") { try $0.uuid(0) }
        }
    }

    /// A wish was taken, or withdrawn.
    public func removeCancellation(of jobID: UUID) throws {
        try database.transaction {
            try $0.run("DELETE FROM cancellations WHERE job_id = ?", .text(jobID.uuidString))
        }
    }

    /// A number that grows with every change that another process makes; a running service looks at it to notice pushes and settings.
    public func dataVersion() throws -> Int64 {
        try database.read { try $0.first("PRAGMA data_version") { try $0.int64(0) } ?? 0 }
    }
}

/// A source-initiated export that waits for the service.
public struct QueuedPush: Sendable, Equatable {
    /// The job that it will be.
    public let jobID: UUID
    /// `yyyy-MM-dd`.
    public let firstDay: String
    /// `yyyy-MM-dd`.
    public let lastDay: String
    /// When it was queued.
    public let queuedAt: ProtocolDate

    /// A push.
    public init(jobID: UUID, firstDay: String, lastDay: String, queuedAt: ProtocolDate) {
        self.jobID = jobID
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.queuedAt = queuedAt
    }
}

extension Row {
    /// A UUID in its text form.
    func uuid(_ column: Int) throws -> UUID {
        guard let value = UUID(uuidString: try text(column)) else { throw corrupt(column) }
        return value
    }

    /// An instant of the protocol.
    func date(_ column: Int) throws -> ProtocolDate {
        let seconds = try double(column)
        guard seconds.isFinite else { throw corrupt(column) }
        return ProtocolDate(secondsSince2001: seconds)
    }

    /// An instant, or nil for NULL.
    func dateIfPresent(_ column: Int) throws -> ProtocolDate? {
        isNull(column) ? nil : try date(column)
    }

    /// A digest in hexadecimal digits.
    func digest(_ column: Int) throws -> Digest {
        guard let value = Digest(hex: try text(column)) else { throw corrupt(column) }
        return value
    }

    /// A digest, or nil for NULL.
    func digestIfPresent(_ column: Int) throws -> Digest? {
        isNull(column) ? nil : try digest(column)
    }

    /// A case of an enum that is stored by its name.
    func value<Value: RawRepresentable>(_ column: Int, as type: Value.Type = Value.self) throws -> Value
    where Value.RawValue == String {
        guard let value = Value(rawValue: try text(column)) else { throw corrupt(column) }
        return value
    }
}
