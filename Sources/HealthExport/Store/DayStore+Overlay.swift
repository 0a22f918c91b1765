import DurableStore
import HealthRecords

/// Records that did not come from an export: what edits made. They lie over every generation, so that a later import does
/// not lose them, and appear in ``DayGeneration/sourceDay(_:digests:)`` beside the others (extensions.md 7).
extension DayStore {
    /// Adds records, each under an identifier of the caller's; a known identifier is replaced. All or none, durable when
    /// it returns.
    ///
    /// - Throws: `time_zone_required` before the store has a zone: a record needs a day.
    public func addOverlay(_ records: [(id: String, record: HealthRecord)]) throws {
        guard let zone = try zone() else { throw ExportError.timeZoneRequired }
        try index.transaction { connection in
            for (id, record) in records {
                let day = zone.dayNumber(atSecond: Int(record.start.secondsSince1970.rounded(.down)))
                let lastDay = zone.dayNumber(atSecond: Int(record.end.secondsSince1970.rounded(.down)))
                try connection.run(
                    "INSERT OR REPLACE INTO overlay (id, day, last_day, bytes) VALUES (?, ?, ?, ?)", .text(id),
                    .integer(day), .integer(max(day, lastDay)),
                    .blob(StructureCoding.pack(record) { $0.record($1) }))
            }
        }
    }

    /// Removes records by their identifiers; unknown ones are passed over. Returns how many there were.
    @discardableResult
    public func removeOverlay(ids: [String]) throws -> Int {
        try index.transaction { connection in
            var count = 0
            for id in ids {
                try connection.run("DELETE FROM overlay WHERE id = ?", .text(id))
                count += connection.changedRowCount
            }
            return count
        }
    }

    /// The overlay's records of one day by their start, with their identifiers.
    public func overlay(ofDay day: Int) throws -> [(id: String, record: HealthRecord)] {
        try index.read { connection in
            try connection.all("SELECT id, bytes FROM overlay WHERE day = ? ORDER BY id", .integer(day)) { row in
                (try row.text(0), try row.withBytes(1) { try StructureCoding.unpack($0) { try $0.record() } })
            }
        }
    }
}

extension DayGeneration {
    /// Records whose day is near enough to matter for one day; the caller asks for the exact window.
    func overlayRecords(around day: Int) throws -> [HealthRecord] {
        try overlay("day <= ? AND last_day >= ?", [.integer(day + 1), .integer(day)])
    }

    func overlayRecords(ofType type: String) throws -> [HealthRecord] {
        try overlay("TRUE", []).filter { $0.type == type }
    }

    private func overlay(_ condition: String, _ values: [SQLValue]) throws -> [HealthRecord] {
        do {
            return try index.read { connection in
                var records: [HealthRecord] = []
                try connection.forEach("SELECT bytes FROM overlay WHERE \(condition) ORDER BY id", values: values) {
                    row in
                    records.append(try row.withBytes(0) { try StructureCoding.unpack($0) { try $0.record() } })
                }
                return records
            }
        } catch {
            throw damaged(error, "the overlay")
        }
    }

    func overlayDays() throws -> [Int] {
        try index.read { try $0.all("SELECT DISTINCT day FROM overlay") { try $0.int(0) } }
    }
}
