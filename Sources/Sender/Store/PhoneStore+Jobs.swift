import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// An outbound job: its journal, and what it was bound to when it began (extensions.md 4).
public struct StoredJob: Sendable {
    /// How far it is.
    public var journal: SourceJournal
    /// The request that it answers; nil for a push.
    public let request: ExportRequest?
    /// The generation of the day store that it reads, whatever is imported meanwhile.
    public let generation: Int
    /// The version of the documents that it sends.
    public let documentVersion: Int
    /// What the destination reported about a file job.
    public var result: MacExportResult?

    /// A job.
    public init(
        journal: SourceJournal, request: ExportRequest?, generation: Int, documentVersion: Int,
        result: MacExportResult? = nil
    ) {
        self.journal = journal
        self.request = request
        self.generation = generation
        self.documentVersion = documentVersion
        self.result = result
    }

    /// Its identity.
    public var jobID: UUID { journal.session.jobID }
}

extension PhoneStore {
    // MARK: Writing

    /// Stores a job that begins, and takes its push out of the queue in the same transaction.
    public func insert(_ job: StoredJob) throws {
        let journal = job.journal
        let session = journal.session
        guard let binding = session.peerBinding else { preconditionFailure("only durable jobs are stored") }
        try database.transaction { connection in
            try connection.run(
                """
                INSERT INTO jobs (job_id, session_id, origin, protocol_version, partition_target_bytes,
                    request_fingerprint, source_installation_id, destination_installation_id, session_created_at,
                    manifest, request, created_at, generation, document_version, state, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .text(session.jobID.uuidString), .text(session.sessionID.uuidString), .text(journal.origin.rawValue),
                .integer(session.protocolVersion), .integer(session.partitionTargetBytes),
                .text(session.requestFingerprint.sha256.hex), .text(binding.sourceInstallationID.uuidString),
                .text(binding.destinationInstallationID.uuidString), .real(session.createdAt.secondsSince2001),
                .blob(journal.manifest.text), .optional(job.request.map { SyncMessage.exportRequest($0).encode() }),
                .real(journal.createdAt.secondsSince2001), .integer(job.generation), .integer(job.documentVersion),
                .text(journal.progress.state.rawValue), .real(journal.progress.updatedAt.secondsSince2001))
            try connection.run("DELETE FROM pushes WHERE job_id = ?", .text(session.jobID.uuidString))
            try PhoneStore.store(journal, connection)
        }
    }

    /// Stores how far a job is.
    public func update(_ journal: SourceJournal) throws {
        try database.transaction { try PhoneStore.store(journal, $0) }
    }

    private static func store(_ journal: SourceJournal, _ connection: DatabaseConnection) throws {
        let progress = journal.progress
        let jobID = SQLValue.text(journal.session.jobID.uuidString)
        try connection.run(
            """
            UPDATE jobs SET state = ?, next_item_index = ?, completed_item_count = ?, committed_partition_count = ?,
                committed_byte_count = ?, last_committed_sha256 = ?, current_day = ?, status_message = ?,
                final_acknowledgement = ?, completion_recorded = ?, updated_at = ?, owes_cancel = ?
            WHERE job_id = ?
            """,
            .text(progress.state.rawValue), .integer(progress.nextItemIndex), .integer(progress.completedItemCount),
            .integer(progress.committedPartitionCount), .integer(progress.committedByteCount),
            .optional(progress.lastCommittedPartitionSHA256?.hex),
            progress.currentDate.map { .real($0.secondsSince2001) } ?? .null, .optional(progress.statusMessage),
            .optional(progress.terminalAcknowledgement.map { SyncMessage.corpusFinalAck($0).encode() }),
            .boolean(progress.completionRecorded), .real(progress.updatedAt.secondsSince2001),
            .boolean(progress.owesCancel), jobID)
        precondition(connection.changedRowCount == 1, "a journal is stored after its job")
        try storeItems(of: journal, connection)
        try connection.run("DELETE FROM pending_partitions WHERE job_id = ?", jobID)
        guard let pending = progress.pendingPartition else { return }
        try connection.run(
            """
            INSERT INTO pending_partitions (job_id, transfer_id, partition_index, byte_count, sha256, previous_sha256,
                manifest)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            jobID, .text(pending.transferID.uuidString), .integer(pending.descriptor.index),
            .integer(pending.descriptor.byteCount), .text(pending.descriptor.sha256.hex),
            .optional(pending.descriptor.previousSHA256?.hex), .blob(pending.manifest.text))
    }

    private static func storeItems(of journal: SourceJournal, _ connection: DatabaseConnection) throws {
        let jobID = SQLValue.text(journal.session.jobID.uuidString)
        let first = journal.progress.nextItemIndex - journal.progress.items.count
        // Items leave at the front and come at the end; those between only move their offset.
        if journal.progress.items.isEmpty {
            try connection.run("DELETE FROM job_items WHERE job_id = ?", jobID)
        } else {
            try connection.run(
                "DELETE FROM job_items WHERE job_id = ? AND item_index < ?", jobID, .integer(first))
        }
        for (position, item) in journal.progress.items.enumerated() {
            try connection.run(
                """
                INSERT INTO job_items (job_id, item_index, item_id, kind, source_date, is_requested, byte_count,
                    sha256, next_offset)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (job_id, item_index) DO UPDATE SET next_offset = excluded.next_offset
                """,
                jobID, .integer(first + position), .text(item.itemID.uuidString), .text(item.kind.rawValue),
                .real(item.sourceDate.secondsSince2001), .boolean(item.isRequestedDate), .integer(item.totalBytes),
                .text(item.sha256.hex), .integer(item.nextOffset))
        }
    }

    /// Keeps the destination's report about a file job.
    public func setResult(_ result: MacExportResult, of jobID: UUID) throws {
        try database.transaction { connection in
            try connection.run(
                "UPDATE jobs SET result = ? WHERE job_id = ?",
                .blob(SyncMessage.macExportResult(result).encode()), .text(jobID.uuidString))
        }
    }

    /// Cancels that their destination has not confirmed.
    func owedCancels() throws -> [OwedCancel] {
        try database.read { connection in
            try connection.all(
                """
                SELECT job_id, session_id, source_installation_id, destination_installation_id, origin FROM jobs
                WHERE owes_cancel = 1 ORDER BY job_id
                """
            ) { row in
                OwedCancel(
                    jobID: try row.uuid(0), sessionID: try row.uuid(1),
                    binding: PeerBinding(
                        sourceInstallationID: try row.uuid(2), destinationInstallationID: try row.uuid(3)),
                    isRequested: try row.value(4) == SourceJournal.Origin.macInitiated)
            }
        }
    }

    /// The destination has confirmed a cancel.
    func confirmCancel(of jobID: UUID) throws {
        try database.transaction {
            try $0.run("UPDATE jobs SET owes_cancel = 0 WHERE job_id = ?", .text(jobID.uuidString))
        }
    }

    /// Marks a job whose stored journal contradicts itself as failed, and lets go of its items.
    public func failDamagedJob(_ jobID: UUID, message: String, at now: ProtocolDate) throws {
        try database.transaction { connection in
            let identity = SQLValue.text(jobID.uuidString)
            try connection.run("DELETE FROM job_items WHERE job_id = ?", identity)
            try connection.run("DELETE FROM pending_partitions WHERE job_id = ?", identity)
            try connection.run(
                "UPDATE jobs SET state = 'failed', status_message = ?, updated_at = ? WHERE job_id = ?",
                .text(message), .real(now.secondsSince2001), identity)
        }
    }

    /// Removes ended jobs whose time is over: expired ones a day after their expiry, others at it (corpus-protocol.md 18).
    public func removeOldJobs(at now: ProtocolDate) throws {
        let limit = now.adding(seconds: -SourceJournal.retention)
        try database.transaction { connection in
            try connection.run(
                """
                DELETE FROM jobs WHERE (state IN ('completed', 'failed', 'cancelled') AND created_at <= ?)
                    OR (state = 'expired' AND created_at <= ?)
                """,
                .real(limit.secondsSince2001),
                .real(limit.adding(seconds: -SourceJournal.expiredRetention).secondsSince2001))
        }
    }
}
