import Cryptography
import DurableStore

// What the index knows of edits.
extension LocalStorage {
    func waitingEditCount(_ id: BucketID) throws -> Int {
        try read { connection in
            try connection.first("SELECT COUNT(*) FROM edits WHERE bucket = ?", .text(id.text)) { try $0.int(0) } ?? 0
        }
    }

    func newestEditName(_ id: BucketID) throws -> EditName? {
        try read { connection in
            let names = try ["edits", "outcomes"].compactMap { table in
                try connection.first("SELECT MAX(name) FROM \(table) WHERE bucket = ?", .text(id.text)) {
                    try $0.textIfPresent(0)
                } ?? nil
            }
            return try names.map { try EditName(text: $0) }.max()
        }
    }

    func edits(
        _ id: BucketID, after: EditName?, includingAnswered: Bool, limit: Int
    ) throws -> [EditListing] {
        let waiting = "SELECT name, byte_count, taken_at, NULL, NULL FROM edits WHERE bucket = ?1 AND name > ?2"
        let answered =
            "SELECT name, byte_count, taken_at, applied, failed FROM outcomes WHERE bucket = ?1 AND name > ?2"
        let sql = includingAnswered ? "\(waiting) UNION ALL \(answered)" : waiting
        return try read { connection in
            try connection.all(
                "\(sql) ORDER BY 1 LIMIT ?3", .text(id.text), .text(after?.text ?? ""), .integer(limit)
            ) { row in
                let applied = try row.int64IfPresent(3).map { Int($0) }
                let failed = try row.int64IfPresent(4).map { Int($0) }
                return EditListing(
                    name: try EditName(text: try row.text(0)), byteCount: try row.int(1), takenAt: try row.int(2),
                    outcome: applied.flatMap { applied in failed.map { (applied, $0) } })
            }
        }
    }

    func waitingEdit(_ id: BucketID, _ name: EditName) throws -> WaitingEdit? {
        try read { connection in
            try connection.first(
                "SELECT bytes, taken_at, editor, signature, timestamp FROM edits WHERE bucket = ? AND name = ?",
                .text(id.text), .text(name.text)
            ) { row in
                WaitingEdit(
                    name: name, bytes: try row.blob(0), takenAt: try row.int(1), editorText: try row.text(2),
                    signatureText: try row.text(3), timestampText: try row.text(4))
            }
        }
    }

    func outcome(_ id: BucketID, _ name: EditName) throws -> StoredOutcome? {
        try read { connection in
            try connection.first(
                "SELECT body, byte_count, taken_at FROM outcomes WHERE bucket = ? AND name = ?", .text(id.text),
                .text(name.text)
            ) { row in
                StoredOutcome(
                    outcome: try EditOutcome(body: try row.blob(0)), byteCount: try row.int(1), takenAt: try row.int(2))
            }
        }
    }

    func rememberedAnswer(_ mark: RequestMark) throws -> StoredAnswer? {
        try read { connection in
            try connection.first("SELECT status, body FROM answers WHERE mark = ?", .blob(mark.digest.bytes)) {
                StoredAnswer(status: try $0.int(0), body: try $0.blob(1))
            }
        }
    }
}
