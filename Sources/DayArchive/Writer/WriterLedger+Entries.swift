import CanonicalJSON
import Cryptography
import DurableStore

/// One item that an edit changed, as its owner sees it: never a value.
public struct AppliedChange: Equatable, Sendable {
    /// The edit.
    public let name: EditName
    /// The index of the item.
    public let item: Int
    /// The editor's handle.
    public let id: String
    /// The metric that was written or removed; nil when the entry had been removed before.
    public let metric: String?
    /// `add`, `change` or `remove`.
    public let kind: String
    /// Whether it still stands: not taken back, not replaced by a later one.
    public let stands: Bool
}

extension WriterLedger {
    private static let style = JSONStyle(isPretty: false, order: .given, escapesSolidus: false, numbers: .ecmaScript)

    /// Writes down an item before anything of it is done; the same item again changes nothing, so that an edit that was not
    /// answered can be applied again. ``settle(_:)`` tells the day source.
    ///
    /// - Returns: false for a delete of what was never written.
    func plan(
        _ item: EditItem, index: Int, digest: Digest, name: EditName, touching days: (EditItem) -> [ArchiveDay]
    ) throws -> Bool {
        try database.transaction { connection in
            let isKnown = try connection.exists(
                "SELECT 1 FROM changes WHERE digest = ? AND item = ?", .blob(digest.bytes), .integer(index))
            guard !isKnown else { return true }
            let current = try entry(item.id, connection)
            if case .delete = item, current?.item == nil { return false }
            let version = (current?.version ?? 0) + 1
            let changed: EditItem? = if case .put = item { item } else { nil }
            try connection.run(
                "INSERT INTO changes (digest, item, name, id, version, changed, previous) VALUES (?, ?, ?, ?, ?, ?, ?)",
                .blob(digest.bytes), .integer(index), .text(name.text), .text(item.id), .integer(version),
                .optional(changed.map(Self.text)), .optional(current?.item.map(Self.text)))
            try setEntry(item.id, version, changed, connection)
            try Self.mark([changed, current?.item].compactMap { $0 }.flatMap(days), connection)
            return true
        }
    }

    private func entry(_ id: String, _ connection: DatabaseConnection) throws -> (version: Int, item: EditItem?)? {
        try connection.first("SELECT version, item FROM entries WHERE id = ?", .text(id)) { row in
            (version: try row.int(0), item: try row.textIfPresent(1).map(Self.item))
        }
    }

    private func setEntry(
        _ id: String, _ version: Int, _ item: EditItem?, _ connection: DatabaseConnection
    ) throws {
        try connection.run(
            "INSERT OR REPLACE INTO entries (id, version, item, is_settled) VALUES (?, ?, ?, 0)", .text(id),
            .integer(version), .optional(item.map(Self.text)))
    }

    /// Tells the day source about every entry that changed since it was told last. Whatever happened in between, afterwards it
    /// holds what the ledger says.
    func settle(_ source: any DaySource) throws {
        let open = try database.read { connection in
            try connection.all("SELECT id, item FROM entries WHERE is_settled = 0") { row in
                (id: try row.text(0), item: try row.textIfPresent(1).map(Self.item))
            }
        }
        for (id, item) in open {
            if let record = item.flatMap(EditJudge.record) {
                try source.putEntry(id, record)
            } else {
                try source.removeEntry(id)
            }
            try database.transaction { try $0.run("UPDATE entries SET is_settled = 1 WHERE id = ?", .text(id)) }
        }
    }

    /// Takes back what an edit changed and what still stands of it: an addition is removed, a change and a removal get back what
    /// they displaced. ``settle(_:)`` tells the day source.
    ///
    /// - Returns: how many entries were taken back.
    func undo(_ name: EditName, touching days: (EditItem) -> [ArchiveDay]) throws -> Int {
        try database.transaction { connection in
            let changes = try connection.all(
                """
                SELECT digest, item, id, version, previous FROM changes WHERE name = ? AND is_undone = 0
                ORDER BY item DESC
                """, .text(name.text)
            ) { row in
                (
                    digest: try row.blob(0), item: try row.int(1), id: try row.text(2), version: try row.int(3),
                    previous: try row.textIfPresent(4).map(Self.item)
                )
            }
            var count = 0
            for change in changes {
                // A later edit's change of the same id stays on top.
                guard let current = try entry(change.id, connection), current.version == change.version else {
                    continue
                }
                // One down, so that the change below it stands again and can be taken back too.
                try setEntry(change.id, change.version - 1, change.previous, connection)
                try connection.run(
                    "UPDATE changes SET is_undone = 1 WHERE digest = ? AND item = ?", .blob(change.digest),
                    .integer(change.item))
                try Self.mark([current.item, change.previous].compactMap { $0 }.flatMap(days), connection)
                count += 1
            }
            return count
        }
    }

    /// Everything that edits changed, oldest first.
    func changes() throws -> [AppliedChange] {
        try database.read { connection in
            try connection.all(
                """
                SELECT c.name, c.item, c.id, c.changed, c.previous, c.is_undone, c.version = e.version
                FROM changes c JOIN entries e ON e.id = c.id ORDER BY c.name, c.item
                """
            ) { row in
                let changed = try row.textIfPresent(3).map(Self.item)
                let previous = try row.textIfPresent(4).map(Self.item)
                let shown = changed ?? previous
                let metric: String? = if case .put(_, let metric, _, _, _)? = shown { metric } else { nil }
                return AppliedChange(
                    name: try EditName(text: try row.text(0)), item: try row.int(1), id: try row.text(2),
                    metric: metric, kind: changed == nil ? "remove" : (previous == nil ? "add" : "change"),
                    stands: try !row.boolean(5) && row.boolean(6))
            }
        }
    }

    private static func text(_ item: EditItem) -> String {
        String(decoding: JSONWriter.encode(.object(item.object), style: style), as: UTF8.self)
    }

    private static func item(_ text: String) throws -> EditItem {
        try EditItem(try JSONParser.parse(Array(text.utf8)), index: 0)
    }
}
