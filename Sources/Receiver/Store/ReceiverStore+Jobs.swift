import ConnectedProtocol
import DurableStore
import Foundation

/// Rows of jobs.
extension ReceiverStore {
    /// All stored jobs. A row that cannot be believed is moved aside: its id stays refused (control-api.md 10).
    func loadJobs(now: Moment) throws -> (jobs: [Job], corrupt: Set<UUID>) {
        var jobs: [Job] = []
        var damaged: [String] = []
        try database.read { connection in
            try connection.forEach("SELECT \(ReceiverStore.jobColumns) FROM jobs") { row in
                do {
                    jobs.append(try ReceiverStore.job(row))
                } catch {
                    damaged.append(try row.text(0))
                }
            }
            for index in jobs.indices {
                let labels = try connection.all(
                    "SELECT label FROM job_dates WHERE job_id = ? ORDER BY position", .text(jobs[index].id.uuidString)
                ) { try $0.text(0) }
                if !labels.isEmpty { jobs[index].pinnedDates = labels }
            }
        }
        try quarantine(jobs: damaged, now: now)
        let corrupt = try database.read { connection in
            try connection.all("SELECT job_id FROM corrupt_jobs") { try $0.text(0) }
        }
        return (jobs, Set(corrupt.compactMap { UUID(uuidString: $0) }))
    }

    /// Moves damaged rows aside, and forgets those that lay aside for seven days.
    private func quarantine(jobs: [String], now: Moment) throws {
        try transaction { connection in
            for id in jobs {
                try connection.run(
                    "INSERT OR IGNORE INTO corrupt_jobs (job_id, noticed_at) VALUES (?, ?)", .text(id),
                    .integer(now.unixSeconds))
                try connection.run("DELETE FROM jobs WHERE job_id = ?", .text(id))
            }
            try connection.run(
                "DELETE FROM corrupt_jobs WHERE noticed_at <= ?", .integer(now.unixSeconds - Job.retentionSeconds))
        }
    }

    private static let jobColumns = """
        job_id, origin, request, peer_installation_id, peer_name, is_durable, destination_path, destination_device,
        destination_inode, created_at, updated_at, expires_at, state, session_id, session_created_at, processed_days,
        total_days, committed_partitions, committed_bytes, last_peer_status_at, message, is_cancellation_wanted,
        owes_cancel_to_peer, result
        """

    /// The job of one row, with the invariants of control-api.md 8 and 10.
    private static func job(_ row: Row) throws -> Job {
        let request: StoredRequest? = try row.decodedIfPresent(2)
        let binding = try row.textIfPresent(6).map {
            DestinationBinding(path: $0, device: try row.uint64(7), inode: try row.uint64(8))
        }
        var job = Job(
            id: try row.uuid(0), origin: try row.word(1), request: try request?.request(),
            peerInstallationID: try row.uuid(3), peerName: try row.text(4), isDurable: try row.boolean(5),
            destination: binding, createdAt: try row.int64(9), state: try row.word(12), message: try row.text(20))
        job.updatedAt = try row.int64(10)
        job.expiresAt = try row.int64(11)
        job.sessionID = try row.uuidIfPresent(13)
        job.sessionCreatedAt = try row.int64IfPresent(14)
        job.processedDays = try row.int(15)
        job.totalDays = try row.int(16)
        job.committedPartitions = try row.int(17)
        job.committedBytes = try row.int64(18)
        job.lastPeerStatusAt = try row.doubleIfPresent(19)
        job.isCancellationWanted = try row.boolean(21)
        job.owesCancelToPeer = try row.boolean(22)
        job.result = try row.decodedIfPresent(23)
        guard job.expiresAt == job.lifeEnd,
            job.state.isTerminal == (job.result != nil), (job.origin == .macInitiated) == (job.request != nil),
            job.request.map({ $0.jobID == job.id }) ?? true
        else { throw row.corrupt(12) }
        return job
    }

    /// Writes a job's row. The exact request on the wire is written once, with the job.
    static func store(_ job: Job, wireRequest: [UInt8]?, _ connection: DatabaseConnection) throws {
        let request: SQLValue = try job.request.map { try .encoded(StoredRequest($0)) } ?? .null
        try connection.run(
            """
            INSERT INTO jobs (\(jobColumns), wire_request)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (job_id) DO UPDATE SET
            peer_name = excluded.peer_name, is_durable = excluded.is_durable, updated_at = excluded.updated_at,
            expires_at = excluded.expires_at, state = excluded.state, session_id = excluded.session_id,
            session_created_at = excluded.session_created_at, processed_days = excluded.processed_days,
            total_days = excluded.total_days, committed_partitions = excluded.committed_partitions,
            committed_bytes = excluded.committed_bytes, last_peer_status_at = excluded.last_peer_status_at,
            message = excluded.message, is_cancellation_wanted = excluded.is_cancellation_wanted,
            owes_cancel_to_peer = excluded.owes_cancel_to_peer, result = excluded.result
            """,
            values: [
                .text(job.id.uuidString), .text(job.origin.rawValue), request,
                .text(job.peerInstallationID.uuidString), .text(job.peerName), .boolean(job.isDurable),
                .optional(job.destination?.path), .optional(job.destination?.device),
                .optional(job.destination?.inode), .integer(job.createdAt), .integer(job.updatedAt),
                .integer(job.expiresAt), .text(job.state.rawValue), .optional(job.sessionID),
                .optional(job.sessionCreatedAt), .integer(job.processedDays), .integer(job.totalDays),
                .integer(job.committedPartitions), .integer(job.committedBytes), .optional(job.lastPeerStatusAt),
                .text(job.message), .boolean(job.isCancellationWanted), .boolean(job.owesCancelToPeer),
                try job.result.map { try .encoded($0) } ?? .null, .optional(wireRequest),
            ])
        try storeDates(of: job, connection)
    }

    /// Pinned dates never change once they are there.
    private static func storeDates(of job: Job, _ connection: DatabaseConnection) throws {
        guard let labels = job.pinnedDates,
            try !connection.exists("SELECT 1 FROM job_dates WHERE job_id = ?", .text(job.id.uuidString))
        else { return }
        try connection.runForEach(
            "INSERT INTO job_dates (job_id, position, label) VALUES (?, ?, ?)", labels.enumerated()
        ) { statement, element in
            try statement.bind(1, job.id.uuidString)
            try statement.bind(2, Int64(element.offset))
            try statement.bind(3, element.element)
        }
    }

    /// The exact request that was stored with a job.
    func wireRequest(of jobID: UUID) throws -> [UInt8]? {
        try database.read { connection in
            try connection.first("SELECT wire_request FROM jobs WHERE job_id = ?", .text(jobID.uuidString)) {
                try $0.blobIfPresent(0)
            } ?? nil
        }
    }

    /// Removes a job and what hangs on it.
    static func removeJob(_ jobID: UUID, _ connection: DatabaseConnection) throws {
        try connection.run("DELETE FROM jobs WHERE job_id = ?", .text(jobID.uuidString))
    }
}

/// The stored form of an ``JobRequest``: words, no enumerations, so that old rows stay readable.
private struct StoredRequest: Codable {
    var jobID: UUID
    var firstDay: String?
    var lastDay: String?
    var settingsPolicy: String
    var responseMode: String
    var rawProfile: String?
    var metricIDs: [String]?
    var sourceIDs: [String]?
    var detailLevel: String?
    var objectPaths: [String]?
    var fieldPointers: [String]?
    var deviceID: UUID?
    var destination: String?
    /// Absent in rows of older programs: no.
    var replacesExisting: Bool?
    var queueIfOffline: Bool
    var waitTimeoutSeconds: Double

    init(_ request: JobRequest) {
        jobID = request.jobID
        if case .explicitRange(let first, let last) = request.dateSelection {
            firstDay = first.description
            lastDay = last.description
        }
        settingsPolicy = request.settingsPolicy.rawValue
        responseMode = request.responseMode.rawValue
        rawProfile = request.rawProfile?.rawValue
        metricIDs = request.canonicalSelection?.metricIDs
        sourceIDs = request.canonicalSelection?.sourceIDs
        detailLevel = request.canonicalSelection?.detailLevel.rawValue
        objectPaths = request.canonicalSelection?.objectPaths
        fieldPointers = request.canonicalSelection?.fieldPointers
        deviceID = request.deviceID
        destination = request.destination
        replacesExisting = request.replacesExisting ? true : nil
        queueIfOffline = request.queueIfOffline
        waitTimeoutSeconds = request.waitTimeoutSeconds
    }

    func request() throws -> JobRequest {
        func unreadable() -> StoreError { .corrupt(path: "receiver.sqlite", detail: "a stored request") }
        func parsed<Value: RawRepresentable>(_ word: String) throws -> Value where Value.RawValue == String {
            guard let value = Value(rawValue: word) else { throw unreadable() }
            return value
        }
        var selection: JobRequest.DateSelection = .allAvailable
        if let firstDay, let lastDay {
            guard let first = CalendarDay(firstDay), let last = CalendarDay(lastDay) else { throw unreadable() }
            selection = .explicitRange(first: first, last: last)
        }
        var request = JobRequest(
            jobID: jobID, dateSelection: selection, settingsPolicy: try parsed(settingsPolicy),
            responseMode: try parsed(responseMode), rawProfile: try rawProfile.map { try parsed($0) },
            deviceID: deviceID, destination: destination, replacesExisting: replacesExisting ?? false,
            queueIfOffline: queueIfOffline, waitTimeoutSeconds: waitTimeoutSeconds)
        if let metricIDs, let sourceIDs, let detailLevel, let objectPaths, let fieldPointers {
            request.canonicalSelection = JobRequest.CanonicalSelection(
                metricIDs: metricIDs, sourceIDs: sourceIDs, detailLevel: try parsed(detailLevel),
                objectPaths: objectPaths, fieldPointers: fieldPointers)
        }
        return request
    }
}
