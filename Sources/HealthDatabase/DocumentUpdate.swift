import CanonicalJSON
import Cryptography
import DurableStore
import HealthData
import HealthRecords

/// One pass over documents.
struct DocumentUpdate {
    let folder: Directory
    /// The instant of the update as the tables hold it.
    let now: String
    var report = UpdateReport()
    private var daysInTransaction = 0
    private var bytesInTransaction = 0
    /// Days of this pass with the path that they were taken from.
    private var pathOfDay: [String: String] = [:]
    private var zones: [String: CalendarZone?] = [:]

    init(folder: Directory, now: String) {
        self.folder = folder
        self.now = now
    }

    mutating func beginTransaction() {
        daysInTransaction = 0
        bytesInTransaction = 0
    }

    var isTransactionFull: Bool {
        daysInTransaction >= HealthDatabase.daysPerTransaction
            || bytesInTransaction >= HealthDatabase.bytesPerTransaction
    }

    /// The failure of a second document of one day.
    private static let duplicateCode = "duplicate_day"

    /// What the database knows of a document.
    private struct Known {
        let sha256: String
        let state: String
        let date: String?
        let code: String?
    }

    /// Whether a file is a day document, readable or not.
    static func isDay(_ path: String, in folder: Directory) throws -> Bool {
        do {
            _ = try DayDocument(
                parsing: try folder.file(path).contents(maximumByteCount: HealthDatabase.maximumDocumentByteCount))
            return true
        } catch HealthDataError.unknownSchema, HealthDataError.invalidMember(path: "the document", _),
            StoreError.notFound
        {
            return false
        } catch is HealthDataError, is StoreError {
            return true
        }
    }

    /// Takes one file: unchanged, a day, unreadable, or something else.
    mutating func take(_ path: String, _ connection: DatabaseConnection) throws {
        let known = try connection.first(
            "SELECT sha256, state, date, failure_code FROM documents WHERE path = ?", .text(path)
        ) {
            Known(
                sha256: try $0.text(0), state: try $0.text(1), date: try $0.textIfPresent(2),
                code: try $0.textIfPresent(3))
        }
        let bytes: [UInt8]
        do {
            bytes = try folder.file(path).contents(maximumByteCount: HealthDatabase.maximumDocumentByteCount)
        } catch StoreError.notFound {
            return  // Removed since the search; told as missing if the database knew it.
        } catch {
            let code = if case .corrupt = error { "document_too_large" } else { error.code }
            return try fail(path, code, known, sha256: "", byteCount: 0, connection)
        }
        bytesInTransaction += bytes.count
        let digest = SHA256.hash(bytes).hex
        if let known, known.sha256 == digest, try repeatKnown(path, known, connection) { return }
        let document: DayDocument
        do {
            document = try DayDocument(parsing: bytes)
        } catch HealthDataError.unknownSchema {
            report.otherFiles += 1
            return try remember(path, "other", date: nil, digest, bytes.count, code: nil, connection)
        } catch HealthDataError.invalidMember(path: "the document", _) {
            // Valid JSON that is no object at all.
            report.otherFiles += 1
            return try remember(path, "other", date: nil, digest, bytes.count, code: nil, connection)
        } catch let error as HealthDataError {
            return try fail(path, error.code, known, sha256: digest, byteCount: bytes.count, connection)
        }
        try put(document, path, digest, bytes.count, connection)
    }

    /// Counts a document whose bytes are known; false when it must be read all the same.
    private mutating func repeatKnown(
        _ path: String, _ known: Known, _ connection: DatabaseConnection
    ) throws -> Bool {
        switch known.state {
        // A copy of a day, or a second document of one: whether it still is depends on the others.
        case "other" where known.date != nil, "failed" where known.code == Self.duplicateCode: return false
        case "other": report.otherFiles += 1
        case "failed": report.fail(.init(path: path, date: known.date, code: known.code))
        default:
            guard let date = known.date,
                try connection.exists(
                    "SELECT 1 FROM days WHERE date = ? AND document_sha256 = ?", .text(date), .text(known.sha256))
            else { return false }
            guard try claim(date, path, sha256: known.sha256, byteCount: nil, connection) else { return true }
            try connection.run(
                "UPDATE documents SET state = 'read' WHERE path = ? AND state <> 'read'", .text(path))
            try connection.run(
                "UPDATE days SET document_path = ? WHERE date = ? AND document_path <> ?", .text(path), .text(date),
                .text(path))
            report.unchangedDays += 1
        }
        return true
    }

    /// Writes the rows of a day in place of the former ones.
    private mutating func put(
        _ document: DayDocument, _ path: String, _ digest: String, _ byteCount: Int, _ connection: DatabaseConnection
    ) throws {
        let date = document.date.description
        guard try claim(date, path, sha256: digest, byteCount: byteCount, connection) else { return }
        let before = try connection.first("SELECT document_sha256 FROM days WHERE date = ?", .text(date)) {
            try $0.text(0)
        }
        if before == digest {
            // The same document under another name.
            try connection.run("UPDATE days SET document_path = ? WHERE date = ?", .text(path), .text(date))
            report.unchangedDays += 1
        } else {
            try writeRows(of: document, date, path, digest, connection)
            if before == nil { report.addedDays += 1 } else { report.changedDays += 1 }
            daysInTransaction += 1
        }
        try remember(path, "read", date: date, digest, byteCount, code: nil, connection)
    }

    private mutating func writeRows(
        of document: DayDocument, _ date: String, _ path: String, _ digest: String, _ connection: DatabaseConnection
    ) throws {
        try connection.run("DELETE FROM days WHERE date = ?", .text(date))
        let interval = interval(of: document)
        try connection.run(
            """
            INSERT INTO days (date, time_zone, starts_at, ends_at, document_version, capture_status, document_path,
                document_sha256, skipped_elements, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
            """,
            .text(date), .text(document.zoneIdentifier), .optional(interval?.start), .optional(interval?.end),
            .integer(document.version.rawValue), .optional(document.value("raw_capture_status")?.string),
            .text(path), .text(digest), .text(now))
        var rows = DayRows(document, in: connection)
        try rows.write()
        guard rows.skippedCount > 0 else { return }
        report.skippedElements += rows.skippedCount
        try connection.run(
            "UPDATE days SET skipped_elements = ? WHERE date = ?", .integer(rows.skippedCount), .text(date))
    }

    /// A day is taken from one document of a pass; a second one with other bytes is a failure of that document.
    private mutating func claim(
        _ date: String, _ path: String, sha256: String, byteCount: Int?, _ connection: DatabaseConnection
    ) throws -> Bool {
        guard let first = pathOfDay[date] else {
            pathOfDay[date] = path
            return true
        }
        let isCopy = try connection.exists(
            "SELECT 1 FROM days WHERE date = ? AND document_sha256 = ?", .text(date), .text(sha256))
        if isCopy, first != path {
            report.otherFiles += 1
            if let byteCount { try remember(path, "other", date: date, sha256, byteCount, code: nil, connection) }
            return false
        }
        report.fail(.init(path: path, date: date, code: Self.duplicateCode))
        if let byteCount {
            try remember(path, "failed", date: date, sha256, byteCount, code: Self.duplicateCode, connection)
        }
        return false
    }

    private mutating func fail(
        _ path: String, _ code: String, _ known: Known?, sha256: String, byteCount: Int,
        _ connection: DatabaseConnection
    ) throws {
        let date = known?.date ?? DocumentSearch.day(inName: path)
        report.fail(.init(path: path, date: date, code: code))
        try remember(path, "failed", date: date, sha256, byteCount, code: code, connection)
    }

    private func remember(
        _ path: String, _ state: String, date: String?, _ sha256: String, _ byteCount: Int, code: String?,
        _ connection: DatabaseConnection
    ) throws {
        try connection.run(
            """
            INSERT OR REPLACE INTO documents (path, state, date, sha256, byte_count, failure_code, checked_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .text(path), .text(state), .optional(date), .text(sha256), .integer(byteCount), .optional(code),
            .text(now))
    }

    /// First and last instant of the day; nil for a zone without a calendar here.
    private mutating func interval(of document: DayDocument) -> (start: String?, end: String?)? {
        let name = document.zoneIdentifier
        let zone = zones[name] ?? CalendarZone(identifier: name)
        zones[name] = zone
        return zone.map { zone in
            let interval = zone.dayInterval(document.date)
            return (
                DatabaseInstant.text(since1970: interval.start.secondsSince1970),
                DatabaseInstant.text(since1970: interval.end.secondsSince1970)
            )
        }
    }

    // MARK: Missing

    /// Documents that the database knows and that are gone. Days that were made of them, or of a document that is of
    /// another day now, stay unless `removing`.
    mutating func findMissing(
        among present: Set<String>, behind unreadable: [String], removing: Bool, _ connection: DatabaseConnection
    ) throws {
        for path in try connection.all("SELECT path FROM documents", read: { try $0.text(0) })
        where !present.contains(path) && !unreadable.contains(where: path.hasPrefix) {
            if try connection.exists("SELECT 1 FROM days WHERE document_path = ?", .text(path)) {
                try connection.run("UPDATE documents SET state = 'missing' WHERE path = ?", .text(path))
            } else {
                try connection.run("DELETE FROM documents WHERE path = ?", .text(path))
            }
        }
        let orphans = try connection.all(
            """
            SELECT d.date, d.document_path FROM days d LEFT JOIN documents p ON p.path = d.document_path
            WHERE p.path IS NULL OR p.state = 'missing' OR p.date IS NOT d.date ORDER BY d.date
            """
        ) { (date: try $0.text(0), path: try $0.text(1)) }
        for orphan in orphans {
            if removing {
                try connection.run("DELETE FROM days WHERE date = ?", .text(orphan.date))
                try connection.run(
                    "DELETE FROM documents WHERE path = ? AND state = 'missing'", .text(orphan.path))
                report.removedDays += 1
            } else {
                report.miss(.init(path: orphan.path, date: orphan.date, code: nil))
            }
        }
    }
}
