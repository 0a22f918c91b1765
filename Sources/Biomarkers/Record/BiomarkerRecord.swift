import CanonicalJSON
import Cryptography
import DurableStore
import HealthRecords

/// The record of accepted values and the decisions that made it (`biomarkers/`, extensions.md 5). Append-only.
///
/// A value gets in on one way: an export is read, its proposals are shown, and a person decides about each.
///
/// Blocks on disks: never call from Swift's cooperative threads.
public final class BiomarkerRecord: Sendable {
    private let database: Database
    private let catalogue: Catalogue
    /// Held by whoever may change the record; readers need none.
    private let lock: FolderLock?

    private init(database: Database, catalogue: Catalogue, lock: FolderLock?) {
        self.database = database
        self.catalogue = catalogue
        self.lock = lock
    }

    /// Opens the record for changes, making it when it is missing.
    ///
    /// - Throws: `locked_by` while another review is open.
    public static func open(in folder: Directory, catalogue: Catalogue = .current) throws -> BiomarkerRecord {
        let lock = try FolderLock.take(RecordSchema.lockName, in: folder)
        let database = try Database.open(RecordSchema.name, in: folder, schema: RecordSchema.schema)
        return BiomarkerRecord(database: database, catalogue: catalogue, lock: lock)
    }

    /// Opens an existing record for looking; nil when there is none yet.
    public static func openForReading(
        in folder: Directory, catalogue: Catalogue = .current
    ) throws -> BiomarkerRecord? {
        guard try folder.status(of: RecordSchema.name) != nil else { return nil }
        let database = try Database.open(
            RecordSchema.name, in: folder, schema: RecordSchema.schema, access: .readOnly)
        return BiomarkerRecord(database: database, catalogue: catalogue, lock: nil)
    }

    // MARK: What waits

    /// Puts the proposals of one reading in the place of what waited. They count as not shown.
    public func replacePending(with report: ProposalReport, at now: Instant) throws {
        let time = Self.text(now)
        let surroundings = Self.canonical(report.surroundings)
        let rows = report.proposals.map { (id: $0.id, evidence: Self.canonical($0.evidence)) }
        try database.transaction { connection in
            try connection.run("DELETE FROM pending")
            try connection.run(
                """
                INSERT OR REPLACE INTO pending_source (only, computed_at, name, sha256, is_complete, surroundings)
                VALUES (1, ?, ?, ?, ?, ?)
                """, .text(time), .text(report.source.pathName), .text(report.source.sha256),
                .boolean(report.source.isComplete), .text(surroundings))
            for (position, row) in rows.enumerated() {
                try connection.run(
                    "INSERT INTO pending (position, biomarker, evidence, evidence_sha256) VALUES (?, ?, ?, ?)",
                    .integer(position), .text(row.id), .text(row.evidence), .text(SHA256.hash(row.evidence).hex))
            }
        }
    }

    /// Notes that a person has been shown these proposals: only then can they be accepted.
    public func markShown(_ ids: [String], at now: Instant) throws {
        let time = Self.text(now)
        try database.transaction { connection in
            for id in ids {
                try connection.run("UPDATE pending SET shown_at = ? WHERE biomarker = ?", .text(time), .text(id))
            }
        }
    }

    /// What waits for a decision; nil when nothing was ever proposed.
    public func pending() throws -> PendingReview? {
        try database.read { try Self.pending($0) }
    }

    private static func pending(_ connection: DatabaseConnection) throws -> PendingReview? {
        let proposals = try connection.all(
            """
            SELECT p.biomarker, p.evidence, p.evidence_sha256, p.shown_at, EXISTS (
                SELECT 1 FROM entry e WHERE e.number = (SELECT max(number) FROM entry WHERE biomarker = p.biomarker)
                AND e.decision = 'rejected' AND e.evidence_sha256 = p.evidence_sha256)
            FROM pending p ORDER BY p.position
            """
        ) { row in
            PendingProposal(
                id: try row.text(0), evidence: try JSONParser.parse(Array(try row.text(1).utf8)),
                evidenceDigest: try row.text(2), shownAt: try row.textIfPresent(3), wasRejected: try row.boolean(4))
        }
        return try connection.first(
            "SELECT computed_at, name, sha256, is_complete, surroundings FROM pending_source"
        ) { row in
            PendingReview(
                computedAt: try row.text(0), sourceName: try row.text(1), sourceDigest: try row.text(2),
                isComplete: try row.boolean(3), surroundings: try JSONParser.parse(Array(try row.text(4).utf8)),
                proposals: proposals)
        }
    }

    // MARK: Decisions

    /// Saves a decision about the proposal that was shown.
    ///
    /// - Parameter evidenceDigest: of the proposal that was looked at.
    /// - Returns: the new entry; nil when exactly this proposal is in the record already with exactly this decision.
    /// - Throws: `not_pending`, `proposal_changed`, `not_shown`, `invalid_value`.
    @discardableResult
    public func decide(
        _ id: String, _ decision: Decision, evidenceDigest: String, at now: Instant
    ) throws -> RecordEntry? {
        try database.transaction { connection in
            guard let review = try Self.pending(connection) else { throw BiomarkersError.nothingPending }
            guard let proposal = review.proposals.first(where: { $0.id == id }) else {
                throw BiomarkersError.notPending(id: id)
            }
            guard proposal.evidenceDigest == evidenceDigest else { throw BiomarkersError.proposalChanged(id: id) }
            return try save(proposal, decision, of: review, connection, now)
        }
    }

    /// Accepts these proposals, or all of them, in one transaction.
    ///
    /// - Parameter ids: nil for all that wait, without those that were rejected with the very same evidence.
    /// - Returns: the new entries; proposals that are in the record already make none.
    /// - Throws: `nothing_pending`, `not_pending`, `not_shown`; `incomplete_source` for all of a broken export.
    @discardableResult
    public func accept(_ ids: [String]?, at now: Instant) throws -> [RecordEntry] {
        try database.transaction { connection in
            guard let review = try Self.pending(connection), !review.proposals.isEmpty else {
                throw BiomarkersError.nothingPending
            }
            if ids == nil, !review.isComplete { throw BiomarkersError.incompleteSource }
            let wanted = try (ids ?? review.proposals.filter { !$0.wasRejected }.map(\.id)).map { id in
                guard let proposal = review.proposals.first(where: { $0.id == id }) else {
                    throw BiomarkersError.notPending(id: id)
                }
                return proposal
            }
            return try wanted.compactMap { try save($0, .accepted, of: review, connection, now) }
        }
    }

    private func save(
        _ proposal: PendingProposal, _ decision: Decision, of review: PendingReview,
        _ connection: DatabaseConnection, _ now: Instant
    ) throws -> RecordEntry? {
        guard proposal.shownAt != nil else { throw BiomarkersError.notShown(id: proposal.id) }
        let (value, display) = try outcome(of: proposal, decision)
        try connection.run("DELETE FROM pending WHERE biomarker = ?", .text(proposal.id))
        let last = try Self.entries(connection, "WHERE biomarker = ? ORDER BY number DESC LIMIT 1", .text(proposal.id))
        if let last = last.first, last.evidenceDigest == proposal.evidenceDigest, last.decision == decision.word,
            last.value == value, last.sourceDigest == review.sourceDigest
        {
            return nil
        }
        try connection.run(
            """
            INSERT INTO entry (recorded_at, decision, biomarker, value, display, unit, source_name, source_sha256,
                evidence, evidence_sha256)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(Self.text(now)), .text(decision.word), .text(proposal.id), value.map(SQLValue.real) ?? .null,
            .optional(display), .text(proposal.evidence["unit"]?.string ?? ""), .text(review.sourceName),
            .text(review.sourceDigest), .text(Self.canonical(proposal.evidence)), .text(proposal.evidenceDigest))
        let number = connection.lastInsertedRow
        return try Self.entries(connection, "WHERE number = ?", .integer(number)).first
    }

    private func outcome(of proposal: PendingProposal, _ decision: Decision) throws -> (Double?, String?) {
        switch decision {
        case .rejected: return (nil, nil)
        case .accepted:
            guard let value = proposal.evidence["value"]?.number?.double else {
                throw BiomarkersError.invalidValue(id: proposal.id)
            }
            return (value, proposal.evidence["display"]?.string)
        case .edited(let value):
            guard value.isFinite, value >= 0 else { throw BiomarkersError.invalidValue(id: proposal.id) }
            return (value, JSONNumberText.text(value, style: .shortest))
        }
    }

    // MARK: The record

    /// The value that stands for each biomarker: its last accepted or edited entry, in the order of the catalogue.
    public func current() throws -> [RecordEntry] {
        let standing = try database.read { connection in
            try Self.entries(
                connection,
                """
                WHERE number IN (SELECT max(number) FROM entry WHERE decision <> 'rejected' GROUP BY biomarker)
                ORDER BY number
                """)
        }
        let known = catalogue.biomarkers.compactMap { biomarker in standing.first { $0.id == biomarker.id } }
        // A biomarker that a later catalogue no longer has keeps its value.
        return known + standing.filter { catalogue.biomarker($0.id) == nil }
    }

    /// All decisions in order, or those about one biomarker.
    public func history(of id: String? = nil) throws -> [RecordEntry] {
        try database.read { connection in
            guard let id else { return try Self.entries(connection, "ORDER BY number") }
            return try Self.entries(connection, "WHERE biomarker = ? ORDER BY number", .text(id))
        }
    }

    private static func entries(
        _ connection: DatabaseConnection, _ condition: String, _ values: SQLValue...
    ) throws -> [RecordEntry] {
        var found: [RecordEntry] = []
        let columns = """
            SELECT number, recorded_at, decision, biomarker, value, display, unit, source_name, source_sha256, evidence,
                evidence_sha256 FROM entry
            """
        try connection.forEach(columns + " " + condition, values: values) { row in
            found.append(
                RecordEntry(
                    number: try row.int(0), recordedAt: try row.text(1), decision: try row.text(2),
                    id: try row.text(3), value: try row.doubleIfPresent(4), display: try row.textIfPresent(5),
                    unit: try row.text(6), sourceName: try row.text(7), sourceDigest: try row.text(8),
                    evidence: try JSONParser.parse(Array(try row.text(9).utf8)), evidenceDigest: try row.text(10)))
        }
        return found
    }

    // MARK: Forms

    /// Compact and sorted: what its digest is taken over.
    private static func canonical(_ document: JSONValue) -> String {
        String(decoding: JSONWriter.encode(document, style: .compactSorted), as: UTF8.self)
    }

    private static func text(_ now: Instant) -> String {
        guard let text = DocumentText.instant(now) else { preconditionFailure("the clock lies within the calendar") }
        return text
    }
}
