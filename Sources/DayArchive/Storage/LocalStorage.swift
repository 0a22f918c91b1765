import Cryptography
import DurableStore
import Synchronization

/// The service's storage: a SQLite index and a blob store for the sealed days.
///
/// The index decides: a blob counts when a day refers to it. Blobs get their names in `loose_blobs` before they are written and
/// leave it with the transaction that refers to them, so that after a crash nothing is lost and nothing stays behind.
///
/// A day whose blob the store lost is not held: it is neither listed nor counted, so that its writer's daily check sends it again.
/// Its row stays, for a store that comes back with everything (a disk that was not there, another prefix by mistake).
final class LocalStorage: ArchiveStorage {
    private let index: Database
    private let blobs: any BlobStore
    private let report: @Sendable (ServiceReport) -> Void
    /// Blobs that were removed; their rows go with the next transaction, which costs nothing then.
    private let removed = Mutex<Set<BlobName>>([])
    /// Blobs that a day refers to and the store does not have, by bucket.
    private let lost = Mutex<[String: Set<BlobName>]>([:])

    init(
        index: Database, blobs: any BlobStore, report: @escaping @Sendable (ServiceReport) -> Void = { _ in }
    ) throws {
        self.index = index
        self.blobs = blobs
        self.report = report
        do {
            try sweep()
        } catch {
            // What cannot be removed now is removed by a later start; nothing refers to it.
            report(.storageFailed(error))
        }
    }

    /// Opens the storage of a folder: `index.sqlite`, and `days/` unless the days are kept elsewhere.
    convenience init(
        folder: Directory, blobs: (any BlobStore)? = nil,
        report: @escaping @Sendable (ServiceReport) -> Void = { _ in }
    ) throws {
        let index = try Database.open("index.sqlite", in: folder, schema: ServiceSchema.schema)
        try self.init(
            index: index, blobs: try blobs ?? FileBlobs(root: try folder.createDirectory("days")), report: report)
    }

    /// A storage that is gone with the process, for tests.
    static func inMemory(
        blobs: any BlobStore = MemoryBlobs(), report: @escaping @Sendable (ServiceReport) -> Void = { _ in }
    ) throws -> LocalStorage {
        try LocalStorage(index: try .inMemory(schema: ServiceSchema.schema), blobs: blobs, report: report)
    }

    /// Removes what a crash left behind.
    private func sweep() throws {
        let names = try index.read { connection in
            try connection.all("SELECT name FROM loose_blobs") { BlobName(stored: try $0.text(0)) }
        }
        guard !names.isEmpty else { return }
        try blobs.remove(names)
        try index.transaction { try $0.run("DELETE FROM loose_blobs") }
    }

    // MARK: Changes

    func apply(
        _ change: ArchiveChange, remembering mark: RequestMark, _ answer: ServiceAnswer, at now: ServiceMoment
    ) throws {
        try index.transaction { connection in
            try perform(change, connection)
            try remember(mark, answer, now, connection)
        }
    }

    private func perform(_ change: ArchiveChange, _ connection: DatabaseConnection) throws {
        switch change {
        case .none: return
        case .claim(let bucket, let writer):
            // The first writer keeps the bucket: never OR REPLACE.
            try connection.run(
                "INSERT INTO buckets (id, writer, byte_count) VALUES (?, ?, 0)", .text(bucket.text), .blob(writer))
        case .register(.editor, let bucket, let key):
            try connection.run("UPDATE buckets SET editor = ? WHERE id = ?", .blob(key), .text(bucket.text))
        case .register(.reader, let bucket, let key):
            try connection.run("UPDATE buckets SET reader = ? WHERE id = ?", .blob(key), .text(bucket.text))
        case .takeEdit(let bucket, let edit):
            try connection.run(
                """
                INSERT INTO edits (bucket, name, taken_at, editor, signature, timestamp, byte_count, bytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                .text(bucket.text), .text(edit.name.text), .integer(edit.takenAt), .text(edit.editorText),
                .text(edit.signatureText), .text(edit.timestampText), .integer(edit.bytes.count), .blob(edit.bytes))
            try addToTallies(edit.bytes.count, bucket, connection)
        case .answerEdit(let bucket, let name, let stored):
            try connection.run(
                """
                INSERT OR REPLACE INTO outcomes (bucket, name, taken_at, byte_count, applied, failed, body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .text(bucket.text), .text(name.text), .integer(stored.takenAt), .integer(stored.byteCount),
                .integer(stored.outcome.applied), .integer(stored.outcome.failed.count), .blob(stored.outcome.body))
            try connection.run("DELETE FROM edits WHERE bucket = ? AND name = ?", .text(bucket.text), .text(name.text))
        }
    }

    private func addToTallies(_ byteCount: Int, _ bucket: BucketID, _ connection: DatabaseConnection) throws {
        try connection.run(
            "UPDATE buckets SET byte_count = byte_count + ? WHERE id = ?", .integer(byteCount), .text(bucket.text))
        try connection.run("UPDATE service SET byte_count = byte_count + ?", .integer(byteCount))
    }

    private func remember(
        _ mark: RequestMark, _ answer: ServiceAnswer, _ now: ServiceMoment, _ connection: DatabaseConnection
    ) throws {
        try connection.run("DELETE FROM answers WHERE until < ?", .integer(now.seconds))
        try connection.run(
            "INSERT INTO answers (mark, until, status, body) VALUES (?, ?, ?, ?)", .blob(mark.digest.bytes),
            .integer(mark.until), .integer(answer.status), .blob(answer.body))
    }

    // MARK: Uploads

    func store(_ plan: UploadPlan) throws -> ServiceAnswer {
        let new = plan.days.map { (name: BlobName(bucket: plan.bucket, day: $0.day), bytes: $0.bytes) }
        try announce(new.map(\.name))
        let stored = blobs.store(new)
        if let failure = stored.failure { report(.storageFailed(failure)) }
        let landed = zip(plan.days, new).filter { stored.names.contains($1.name) }.map { (day: $0, blob: $1.name) }
        let answer = plan.answer(stored: landed.map(\.day.day))
        var dead = Set(new.map(\.name)).subtracting(stored.names)
        if !landed.isEmpty {
            dead.formUnion(
                try index.transaction { connection in
                    let replaced = try landed.compactMap { day, blob in
                        try put(day, blob, plan, connection)
                    }
                    try addToTallies(plan.bodyByteCount, plan.bucket, connection)
                    try remember(plan.mark, answer, plan.now, connection)
                    return replaced
                })
        }
        // A lost day that came anew is lost no more.
        forgetLost(plan.bucket, dead)
        do {
            try blobs.remove(Array(dead))
            removed.withLock { $0.formUnion(dead) }
        } catch {
            // They stay in `loose_blobs` and go with the next start; the days are stored all the same.
            report(.storageFailed(error))
        }
        return answer
    }

    /// Notes the names of blobs that are about to be written.
    private func announce(_ names: [BlobName]) throws {
        let settled = removed.withLock { removed in
            defer { removed = [] }
            return removed
        }
        try index.transaction { connection in
            try connection.runForEach("DELETE FROM loose_blobs WHERE name = ?", settled) { try $0.bind(1, $1.text) }
            try connection.runForEach("INSERT INTO loose_blobs VALUES (?)", names) { try $0.bind(1, $1.text) }
        }
    }

    /// Makes a day refer to its new blob; returns the blob that it referred to before.
    private func put(
        _ day: SealedDay, _ blob: BlobName, _ plan: UploadPlan, _ connection: DatabaseConnection
    ) throws -> BlobName? {
        let bucket = SQLValue.text(plan.bucket.text)
        let text = SQLValue.text(day.day.description)
        let earlier = try connection.first("SELECT uploaded, blob FROM days WHERE bucket = ? AND day = ?", bucket, text)
        {
            (uploaded: try $0.int(0), blob: BlobName(stored: try $0.text(1)))
        }
        // A mirror compares the moment for inequality and nothing else, so it must move (day-archive.md 7).
        let uploaded = max(plan.now.milliseconds, earlier.map { $0.uploaded + 1 } ?? .min)
        try connection.run(
            "INSERT OR REPLACE INTO days (bucket, day, byte_count, uploaded, blob) VALUES (?, ?, ?, ?, ?)", bucket,
            text,
            .integer(day.bytes.count), .integer(uploaded), .text(blob.text))
        try connection.run("DELETE FROM loose_blobs WHERE name = ?", .text(blob.text))
        if let earlier { try connection.run("INSERT INTO loose_blobs VALUES (?)", .text(earlier.blob.text)) }
        return earlier?.blob
    }

    // MARK: View

    func read<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result { try index.read(body) }

    func bucket(_ id: BucketID) throws -> BucketRecord? {
        try index.read { connection in
            try connection.first("SELECT writer, editor, reader, byte_count FROM buckets WHERE id = ?", .text(id.text))
            {
                BucketRecord(
                    writer: try $0.blob(0), editor: try $0.blobIfPresent(1), reader: try $0.blobIfPresent(2),
                    byteCount: try $0.int(3))
            }
        }
    }

    func serviceByteCount() throws -> Int {
        try index.read { try $0.first("SELECT byte_count FROM service") { try $0.int(0) } ?? 0 }
    }

    private static func dayRecord(_ row: Row) throws -> DayRecord {
        DayRecord(
            day: try ArchiveDay(text: try row.text(0)), byteCount: try row.int(1), uploaded: try row.int(2),
            blob: BlobName(stored: try row.text(3)))
    }

    func day(_ id: BucketID, _ day: ArchiveDay) throws -> DayRecord? {
        try record(id, day).flatMap { lostBlobs(id).contains($0.blob) ? nil : $0 }
    }

    /// What the index has of a day, whether the store still has it or not.
    private func record(_ id: BucketID, _ day: ArchiveDay) throws -> DayRecord? {
        try index.read { connection in
            try connection.first(
                "SELECT day, byte_count, uploaded, blob FROM days WHERE bucket = ? AND day = ?", .text(id.text),
                .text(day.description), read: Self.dayRecord)
        }
    }
}

// Days as they are held, which is as the store still has them.
extension LocalStorage {
    func statistics(_ id: BucketID) throws -> BucketStatistics {
        let lost = lostBlobs(id)
        guard lost.isEmpty else { return try statistics(id, without: lost) }
        return try read { connection in
            let numbers = try connection.first(
                "SELECT COUNT(*), COALESCE(SUM(byte_count), 0), MIN(day), MAX(day) FROM days WHERE bucket = ?",
                .text(id.text)
            ) { row in
                BucketStatistics(
                    dayCount: try row.int(0), byteCount: try row.int(1),
                    firstDay: try row.textIfPresent(2).map { try ArchiveDay(text: $0) },
                    lastDay: try row.textIfPresent(3).map { try ArchiveDay(text: $0) })
            }
            return numbers ?? BucketStatistics()
        }
    }

    private func statistics(_ id: BucketID, without lost: Set<BlobName>) throws -> BucketStatistics {
        var numbers = BucketStatistics()
        for record in try records(id, "day >= ?", "", limit: .max) where !lost.contains(record.blob) {
            numbers.dayCount += 1
            numbers.byteCount += record.byteCount
            numbers.firstDay = numbers.firstDay ?? record.day
            numbers.lastDay = record.day
        }
        return numbers
    }

    func days(_ id: BucketID, _ start: ListingStart, limit: Int, verified: Bool) throws -> [DayRecord] {
        let (condition, bound): (String, String) =
            switch start {
            case .beginning: ("day >= ?", "")
            case .from(let day): ("day >= ?", day.description)
            case .after(let day): ("day > ?", day.description)
            }
        while true {
            let lost = lostBlobs(id)
            let found = try records(id, condition, bound, limit: limit + lost.count)
            let page = found.filter { !lost.contains($0.blob) }.prefix(limit)
            // What turns out to be lost makes room for others, of which some may be lost as well.
            guard verified, try compareWithStore(id, found) > 0 else { return Array(page) }
        }
    }

    private func records(
        _ id: BucketID, _ condition: String, _ bound: String, limit: Int
    ) throws -> [DayRecord] {
        try read { connection in
            try connection.all(
                "SELECT day, byte_count, uploaded, blob FROM days WHERE bucket = ? AND \(condition) ORDER BY day LIMIT ?",
                .text(id.text), .text(bound), .integer(limit), read: Self.dayRecord)
        }
    }

    func sealedBytes(_ id: BucketID, _ records: [DayRecord]) throws -> [[UInt8]?] {
        var bytes = try blobs.load(records.map { (name: $0.blob, byteCount: $0.byteCount) })
        for (index, record) in records.enumerated() where bytes[index] == nil {
            // Reads do not wait for uploads: the day may have been replaced since its record was read.
            guard let current = try day(id, record.day) else { continue }
            bytes[index] = try blobs.load([(name: current.blob, byteCount: current.byteCount)])[0]
            if bytes[index] == nil { noteLost(id, [current.blob]) }
        }
        return bytes
    }

    // MARK: What the store lost

    private func lostBlobs(_ id: BucketID) -> Set<BlobName> { lost.withLock { $0[id.text] ?? [] } }

    private func noteLost(_ id: BucketID, _ names: Set<BlobName>) {
        let new = lost.withLock { lost in
            let new = names.subtracting(lost[id.text] ?? [])
            if !new.isEmpty { lost[id.text, default: []].formUnion(new) }
            return new
        }
        if !new.isEmpty { report(.daysLost(count: new.count)) }
    }

    /// Finds out which of these days the store does not have, or not whole, and returns how many changed: were lost or came back. The
    /// store is asked for their span alone, however many others it has. One that cannot be asked has lost nothing.
    private func compareWithStore(_ id: BucketID, _ records: [DayRecord]) throws -> Int {
        guard let first = records.first?.day, let last = records.last?.day else { return 0 }
        let present: [BlobName: Int]
        do {
            present = try blobs.byteCounts(of: id, first...last)
        } catch {
            report(.storageFailed(error))
            return 0
        }
        // One that was cut short is as good as gone: reads do not hand it out either.
        let missing = try records.filter { record in
            guard present[record.blob] != record.byteCount else { return false }
            // What an upload replaced meanwhile is gone for good reason.
            return try self.record(id, record.day)?.blob == record.blob
        }
        let before = lostBlobs(id)
        let back = before.intersection(records.map(\.blob)).subtracting(missing.map(\.blob))
        forgetLost(id, back)
        let new = Set(missing.map(\.blob)).subtracting(before)
        noteLost(id, new)
        return new.count + back.count
    }

    private func forgetLost(_ id: BucketID, _ names: Set<BlobName>) {
        lost.withLock { lost in
            lost[id.text]?.subtract(names)
            if lost[id.text]?.isEmpty ?? false { lost[id.text] = nil }
        }
    }
}
