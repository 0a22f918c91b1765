import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// A session as the database has it, before it is believed.
struct StoredSession {
    /// The journal's parts; not checked yet.
    var journal: DestinationJournal
    /// The phone that it belongs to.
    var peerInstallationID: UUID
    /// Identity of the session's folder.
    var directory: FileIdentity
    /// The message that precedes the final acknowledgement, as it was sent.
    var finalMessage: [UInt8]?
    /// How many days, in order, are finalized.
    var frontier: Int
    /// What finalization has written so far.
    var output: OutputAccount?
}

/// How far a finalization has come, as the column `output` holds it.
private struct StoredProgress: Codable {
    var frontier: Int
    var output: OutputAccount
}

/// Rows of sessions: the journal of corpus-protocol.md 17.2.
extension ReceiverStore {
    /// Where a session of this id stands in the database: nothing, or its parts.
    ///
    /// Throws `corrupt` when the rows cannot be read; the caller then treats the session as unreadable.
    func session(_ id: UUID) throws -> StoredSession? {
        try database.read { connection in
            try connection.first(
                """
                SELECT session, manifest, state, final_ack, peer_installation_id, directory_device, directory_inode,
                final_message, frontier, output
                FROM sessions WHERE session_id = ?
                """, .text(id.uuidString)
            ) { row in
                let session: CorpusSession = try row.decoded(0)
                guard session.sessionID == id else { throw row.corrupt(0) }
                let journal = DestinationJournal(
                    session: session, manifest: try ReceiverStore.manifest(row, 1), state: try row.word(2),
                    committedPartitions: try ReceiverStore.partitions(of: id, connection),
                    partialItems: try ReceiverStore.partialItems(of: id, connection),
                    days: try ReceiverStore.days(of: id, connection),
                    terminalAcknowledgement: try row.decodedIfPresent(3))
                let progress: StoredProgress? = try row.decodedIfPresent(9)
                // Said twice: a frontier that lost a bit would leave days out, and nobody would hear of it.
                guard try row.int(8) == progress?.frontier ?? 0 else { throw row.corrupt(8) }
                return StoredSession(
                    journal: journal, peerInstallationID: try row.uuid(4),
                    directory: FileIdentity(device: try row.uint64(5), inode: try row.uint64(6)),
                    finalMessage: try row.blobIfPresent(7), frontier: try row.int(8),
                    output: progress?.output)
            }
        }
    }

    /// Sessions that are not over, with their jobs: what a start restores.
    func liveSessions() throws -> [(sessionID: UUID, jobID: UUID, isFinalizing: Bool)] {
        try database.read { connection in
            try connection.all(
                "SELECT session_id, job_id, state FROM sessions WHERE state IN ('open', 'finalizing')"
            ) { row in
                (try row.uuid(0), try row.uuid(1), try row.text(2) == "finalizing")
            }
        }
    }

    /// Whether a session's state never changes again.
    func isOver(session id: UUID) throws -> Bool {
        try database.read { connection in
            try connection.exists(
                "SELECT 1 FROM sessions WHERE session_id = ? AND state IN ('completed', 'cancelled', 'failed')",
                .text(id.uuidString))
        }
    }

    /// Whether a session ended well: then its result is kept.
    func isCompleted(session id: UUID) throws -> Bool {
        try database.read { connection in
            try connection.exists(
                "SELECT 1 FROM sessions WHERE session_id = ? AND state = 'completed'", .text(id.uuidString))
        }
    }

    /// Every session of a job.
    func sessions(ofJob jobID: UUID) throws -> [UUID] {
        try database.read { connection in
            try connection.all("SELECT session_id FROM sessions WHERE job_id = ?", .text(jobID.uuidString)) {
                try $0.uuid(0)
            }
        }
    }

    /// Every session id that has rows, also one that cannot be read.
    func knownSessionNames() throws -> Set<String> {
        try database.read { connection in
            Set(try connection.all("SELECT session_id FROM sessions") { try $0.text(0) })
        }
    }

    /// Bytes that sessions which are not over have committed, with their jobs.
    func committedBytesOfLiveSessions() throws -> [(sessionID: UUID, jobID: UUID, byteCount: Int64)] {
        try database.read { connection in
            try connection.all(
                """
                SELECT session_id, job_id, coalesce(sum(byte_count), 0) FROM sessions JOIN partitions USING (session_id)
                WHERE state IN ('open', 'finalizing') GROUP BY session_id, job_id
                """
            ) { row in
                (try row.uuid(0), try row.uuid(1), try row.int64(2))
            }
        }
    }

    private static func manifest(_ row: Row, _ column: Int) throws -> ExportManifest {
        do {
            return try ExportManifest(text: try row.blob(column))
        } catch is MessageError {
            throw row.corrupt(column)
        } catch is ManifestError {
            throw row.corrupt(column)
        }
    }

    private static func partitions(
        of id: UUID, _ connection: DatabaseConnection
    ) throws -> [DestinationJournal.CommittedPartition] {
        var partitions: [DestinationJournal.CommittedPartition] = []
        try connection.forEach(
            "SELECT position, byte_count, sha256 FROM partitions WHERE session_id = ? ORDER BY position",
            .text(id.uuidString)
        ) { row in
            guard try row.int(0) == partitions.count else { throw row.corrupt(0) }
            partitions.append(
                DestinationJournal.CommittedPartition(byteCount: try row.int64(1), sha256: try row.digest(2)))
        }
        return partitions
    }

    private static func partialItems(
        of id: UUID, _ connection: DatabaseConnection
    ) throws -> [UUID: DestinationJournal.PartialItem] {
        var items: [UUID: DestinationJournal.PartialItem] = [:]
        try connection.forEach(
            """
            SELECT item_id, kind, source_date, is_requested, total_bytes, sha256, next_offset, prefix_sha256
            FROM partial_items WHERE session_id = ?
            """, .text(id.uuidString)
        ) { row in
            let item = DestinationJournal.PartialItem(
                itemID: try row.uuid(0), kind: try row.word(1), sourceDate: try row.date(2),
                isRequestedDate: try row.boolean(3), totalItemBytes: try row.int64(4), itemSHA256: try row.digest(5),
                nextOffset: try row.int64(6), prefixSHA256: try row.digest(7))
            items[item.itemID] = item
        }
        return items
    }

    private static func days(
        of id: UUID, _ connection: DatabaseConnection
    ) throws -> [ProtocolDate: DestinationJournal.Day] {
        var days: [ProtocolDate: DestinationJournal.Day] = [:]
        try connection.forEach(
            """
            SELECT source_date, item_id, byte_count, sha256, content, word, document_offset, document_bytes
            FROM days WHERE session_id = ?
            """, .text(id.uuidString)
        ) { row in
            let content: DestinationJournal.DayContent
            switch try row.text(4) {
            case "record": content = .record
            case "no_data": content = .noData
            case "failed": content = .failed(reason: try row.text(5))
            case "raw":
                let document = try row.int64IfPresent(6).map {
                    DestinationJournal.ByteRange(offset: $0, byteCount: try row.int64(7))
                }
                content = .raw(status: try row.text(5), document: document)
            default: throw row.corrupt(4)
            }
            let day = DestinationJournal.Day(
                itemID: try row.uuid(1), sourceDate: try row.date(0), itemByteCount: try row.int64(2),
                itemSHA256: try row.digest(3), content: content)
            days[day.sourceDate] = day
        }
        return days
    }
}

// MARK: - Writing

extension ReceiverStore {
    /// Inserts a session of which nothing has arrived.
    static func insert(
        _ journal: DestinationJournal, peer: UUID, directory: FileIdentity, _ connection: DatabaseConnection
    ) throws {
        try connection.run(
            """
            INSERT INTO sessions (session_id, job_id, peer_installation_id, session, manifest, state,
            directory_device, directory_inode, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(journal.session.sessionID.uuidString), .text(journal.session.jobID.uuidString),
            .text(peer.uuidString), try .encoded(journal.session), .blob(journal.manifest.text),
            .text(journal.state.rawValue), .unsigned(directory.device), .unsigned(directory.inode),
            .date(journal.expiresAt))
    }

    /// Writes what one partition changed.
    static func store(_ commit: PartitionCommit, session id: UUID, _ connection: DatabaseConnection) throws {
        try connection.run(
            "INSERT INTO partitions (session_id, position, byte_count, sha256) VALUES (?, ?, ?, ?)",
            .text(id.uuidString), .integer(commit.index), .integer(commit.partition.byteCount),
            .digest(commit.partition.sha256))
        for item in commit.partialItems {
            try connection.run(
                """
                INSERT OR REPLACE INTO partial_items
                (session_id, item_id, kind, source_date, is_requested, total_bytes, sha256, next_offset, prefix_sha256)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .text(id.uuidString), .text(item.itemID.uuidString), .text(item.kind.rawValue),
                .date(item.sourceDate), .boolean(item.isRequestedDate), .integer(item.totalItemBytes),
                .digest(item.itemSHA256), .integer(item.nextOffset), .digest(item.prefixSHA256))
        }
        for day in commit.days {
            try connection.run(
                "DELETE FROM partial_items WHERE session_id = ? AND item_id = ?", .text(id.uuidString),
                .text(day.itemID.uuidString))
            try insert(day, session: id, connection)
        }
    }

    private static func insert(
        _ day: DestinationJournal.Day, session id: UUID, _ connection: DatabaseConnection
    ) throws {
        let content: String
        var word: String?
        var document: DestinationJournal.ByteRange?
        switch day.content {
        case .record: content = "record"
        case .noData: content = "no_data"
        case .failed(let reason): (content, word) = ("failed", reason)
        case .raw(let status, let range): (content, word, document) = ("raw", status, range)
        }
        try connection.run(
            """
            INSERT INTO days
            (session_id, source_date, item_id, byte_count, sha256, content, word, document_offset, document_bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(id.uuidString), .date(day.sourceDate), .text(day.itemID.uuidString), .integer(day.itemByteCount),
            .digest(day.itemSHA256), .text(content), .optional(word), .optional(document?.offset),
            .optional(document?.byteCount))
    }

    /// Writes state and final acknowledgement, and the message that precedes it.
    static func storeState(
        of journal: DestinationJournal, finalMessage: [UInt8]?, _ connection: DatabaseConnection
    ) throws {
        let acknowledgement: SQLValue = try journal.terminalAcknowledgement.map { try .encoded($0) } ?? .null
        try connection.run(
            "UPDATE sessions SET state = ?, final_ack = ?, final_message = ? WHERE session_id = ?",
            .text(journal.state.rawValue), acknowledgement, .optional(finalMessage),
            .text(journal.session.sessionID.uuidString))
        if journal.state == .cancelled {
            try connection.run(
                "DELETE FROM partial_items WHERE session_id = ?", .text(journal.session.sessionID.uuidString))
        }
    }

    /// Advances the commit frontier of a finalization.
    static func storeFrontier(
        _ frontier: Int, output: OutputAccount, session id: UUID, job jobID: UUID, written: [WrittenFile],
        _ connection: DatabaseConnection
    ) throws {
        try connection.run(
            "UPDATE sessions SET frontier = ?, output = ? WHERE session_id = ?", .integer(frontier),
            try .encoded(StoredProgress(frontier: frontier, output: output)), .text(id.uuidString))
        for file in written {
            try connection.run(
                "INSERT OR REPLACE INTO outputs (job_id, path, byte_count, sha256) VALUES (?, ?, ?, ?)",
                .text(jobID.uuidString), .text(file.path), .integer(file.byteCount), .digest(file.sha256))
        }
    }

    /// Removes the rows of a session.
    static func removeSession(_ id: UUID, _ connection: DatabaseConnection) throws {
        try connection.run("DELETE FROM sessions WHERE session_id = ?", .text(id.uuidString))
    }

    /// Inserts the description of a spooled response.
    static func store(_ response: StoredResponse, job jobID: UUID, _ connection: DatabaseConnection) throws {
        try connection.run(
            """
            INSERT OR REPLACE INTO responses (job_id, status, byte_count, sha256, first_date, last_date, total_days,
            document_version, directory_device, directory_inode) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(jobID.uuidString), .text(response.description.status.rawValue),
            .integer(response.description.byteCount), .text(response.description.sha256),
            .text(response.description.firstDate), .text(response.description.lastDate),
            .integer(response.description.totalDays), .optional(response.documentVersion.map(Int64.init)),
            .unsigned(response.directory.device), .unsigned(response.directory.inode))
    }

    /// Records the folder that a repaired response lies in now.
    static func rebindResponse(
        of jobID: UUID, to directory: FileIdentity, _ connection: DatabaseConnection
    ) throws {
        try connection.run(
            "UPDATE responses SET directory_device = ?, directory_inode = ? WHERE job_id = ?",
            .unsigned(directory.device), .unsigned(directory.inode), .text(jobID.uuidString))
    }

    /// The spooled response of a finished raw job, if there is one.
    func response(of jobID: UUID) throws -> StoredResponse? {
        try database.read { connection in
            try connection.first(
                """
                SELECT status, byte_count, sha256, first_date, last_date, total_days, document_version,
                directory_device, directory_inode FROM responses WHERE job_id = ?
                """, .text(jobID.uuidString)
            ) { row in
                StoredResponse(
                    description: RawResponseDescription(
                        status: try row.word(0), firstDate: try row.text(3), lastDate: try row.text(4),
                        totalDays: try row.int(5), byteCount: try row.int64(1), sha256: try row.digest(2).hex),
                    documentVersion: try row.int64IfPresent(6).map(Int.init),
                    directory: FileIdentity(device: try row.uint64(7), inode: try row.uint64(8)))
            }
        }
    }

    /// The files that a file job wrote.
    func forEachOutput(of jobID: UUID, _ body: (WrittenFile) throws -> Void) throws {
        try database.read { connection in
            try connection.forEach(
                "SELECT path, byte_count, sha256 FROM outputs WHERE job_id = ? ORDER BY path", .text(jobID.uuidString)
            ) { row in
                try body(WrittenFile(path: try row.text(0), byteCount: try row.int64(1), sha256: try row.digest(2)))
            }
        }
    }
}

/// The description of a spooled response and the identity of the folder that holds it.
struct StoredResponse: Hashable, Sendable {
    var description: RawResponseDescription
    /// The version of the daily documents inside; nil without documents.
    var documentVersion: Int?
    var directory: FileIdentity
}

/// One file that a job put into the destination.
struct WrittenFile: Hashable, Sendable {
    /// Below the destination root.
    var path: String
    var byteCount: Int64
    var sha256: Digest
}
