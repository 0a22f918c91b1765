import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

extension PhoneStore {
    /// A job that was read, or the reason why it cannot be used.
    public struct ReadJob: Sendable {
        /// Its identity.
        public let jobID: UUID
        /// The job, its invariants checked.
        public let job: Result<StoredJob, any Error>
    }

    /// Every job, oldest change first: the order in which they are resumed (corpus-protocol.md 12.1).
    public func jobs() throws -> [ReadJob] {
        try database.read { connection in
            let identities = try connection.all("SELECT job_id FROM jobs ORDER BY updated_at, job_id") {
                try $0.uuid(0)
            }
            return identities.map { jobID in
                ReadJob(jobID: jobID, job: Result { try PhoneStore.read(jobID, connection) })
            }
        }
    }

    /// One job; nil when there is none of that identity. Throws when it cannot be used.
    public func job(_ jobID: UUID) throws -> StoredJob? {
        try database.read { connection in
            guard try connection.exists("SELECT 1 FROM jobs WHERE job_id = ?", .text(jobID.uuidString)) else {
                return nil
            }
            return try PhoneStore.read(jobID, connection)
        }
    }

    /// The generations that a job which is not over still reads.
    public func generationsInUse() throws -> Set<Int> {
        try database.read { connection in
            Set(
                try connection.all(
                    """
                    SELECT DISTINCT generation FROM jobs
                    WHERE state NOT IN ('completed', 'failed', 'cancelled', 'expired')
                    """
                ) { try $0.int(0) })
        }
    }

    /// The items that any job refers to; others are left over.
    func referencedItems() throws -> Set<UUID> {
        try database.read { Set(try $0.all("SELECT item_id FROM job_items") { try $0.uuid(0) }) }
    }

    private static func read(_ jobID: UUID, _ connection: DatabaseConnection) throws -> StoredJob {
        let items = try items(of: jobID, connection)
        let pending = try pendingPartition(of: jobID, connection)
        let job = try connection.first(
            """
            SELECT session_id, origin, protocol_version, partition_target_bytes, source_installation_id,
                destination_installation_id, session_created_at, manifest, request, created_at, generation,
                document_version, state, next_item_index, completed_item_count, committed_partition_count,
                committed_byte_count, last_committed_sha256, current_day, status_message, final_acknowledgement,
                completion_recorded, updated_at, result, owes_cancel
            FROM jobs WHERE job_id = ?
            """, .text(jobID.uuidString)
        ) { row in
            let manifest = try ExportManifest(text: try row.blob(7))
            let session = try CorpusSession(
                sessionID: try row.uuid(0), jobID: jobID, requestFingerprint: manifest.fingerprint,
                protocolVersion: try row.int(2), partitionTargetBytes: try row.int64(3), createdAt: try row.date(6),
                peerBinding: PeerBinding(
                    sourceInstallationID: try row.uuid(4), destinationInstallationID: try row.uuid(5)))
            var progress = try progress(row)
            progress.items = items
            progress.pendingPartition = pending
            let journal = try SourceJournal(
                restoring: try row.value(1), session: session, manifest: manifest, createdAt: try row.date(9),
                progress: progress)
            return StoredJob(
                journal: journal, request: try request(row, 8), generation: try row.int(10),
                documentVersion: try row.int(11), result: try result(row, 23))
        }
        guard let job else { throw SenderError.storedStateDamaged("a job vanished") }
        let stored = try connection.first(
            "SELECT request_fingerprint FROM jobs WHERE job_id = ?", .text(jobID.uuidString)
        ) { try $0.digest(0) }
        guard stored == job.journal.session.requestFingerprint.sha256 else { throw SourceJournalError.fingerprint }
        return job
    }

    private static func progress(_ row: Row) throws -> SourceJournal.Progress {
        var progress = SourceJournal.Progress(updatedAt: try row.date(22))
        progress.state = try row.value(12)
        progress.nextItemIndex = try row.int(13)
        progress.completedItemCount = try row.int(14)
        progress.committedPartitionCount = try row.int(15)
        progress.committedByteCount = try row.int64(16)
        progress.lastCommittedPartitionSHA256 = try row.digestIfPresent(17)
        progress.currentDate = try row.dateIfPresent(18)
        progress.statusMessage = try row.textIfPresent(19)
        if let bytes = try row.blobIfPresent(20) {
            guard case .corpusFinalAck(let acknowledgement) = try SyncMessage.decode(bytes) else {
                throw row.corrupt(20)
            }
            progress.terminalAcknowledgement = acknowledgement
        }
        progress.completionRecorded = try row.boolean(21)
        progress.owesCancel = try row.boolean(24)
        return progress
    }

    private static func request(_ row: Row, _ column: Int) throws -> ExportRequest? {
        guard let bytes = try row.blobIfPresent(column) else { return nil }
        guard case .exportRequest(let request) = try SyncMessage.decode(bytes) else { throw row.corrupt(column) }
        return request
    }

    private static func result(_ row: Row, _ column: Int) throws -> MacExportResult? {
        guard let bytes = try row.blobIfPresent(column) else { return nil }
        guard case .macExportResult(let result) = try SyncMessage.decode(bytes) else { throw row.corrupt(column) }
        return result
    }

    private static func items(of jobID: UUID, _ connection: DatabaseConnection) throws -> [PendingItem] {
        try connection.all(
            """
            SELECT item_id, kind, source_date, is_requested, byte_count, sha256, next_offset FROM job_items
            WHERE job_id = ? ORDER BY item_index
            """, .text(jobID.uuidString)
        ) { row in
            let byteCount = try row.int64(4)
            let offset = try row.int64(6)
            guard byteCount > 0, (0...byteCount).contains(offset) else { throw row.corrupt(6) }
            return PendingItem(
                itemID: try row.uuid(0), kind: try row.value(1), sourceDate: try row.date(2),
                isRequestedDate: try row.boolean(3), totalBytes: byteCount, sha256: try row.digest(5),
                nextOffset: offset)
        }
    }

    private static func pendingPartition(
        of jobID: UUID, _ connection: DatabaseConnection
    ) throws -> SourceJournal.PendingPartition? {
        try connection.first(
            """
            SELECT transfer_id, partition_index, byte_count, sha256, previous_sha256, manifest
            FROM pending_partitions WHERE job_id = ?
            """, .text(jobID.uuidString)
        ) { row in
            let manifest = try PartitionManifest(text: try row.blob(5))
            let descriptor = try PartitionDescriptor(
                sessionID: manifest.sessionID, jobID: jobID, index: try row.int(1), sourceDates: manifest.sourceDates,
                byteCount: try row.int64(2), sha256: try row.digest(3), previousSHA256: try row.digestIfPresent(4))
            return SourceJournal.PendingPartition(
                transferID: try row.uuid(0), descriptor: descriptor, manifest: manifest)
        }
    }
}
