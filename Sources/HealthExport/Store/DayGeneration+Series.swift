import CanonicalJSON
import DurableStore
import HealthRecords

extension DayGeneration {
    /// Passes the records of the given types that start in `[start, end)`, by type and then by start.
    public func forEachRecord(
        ofTypes types: [String], from start: Instant, to end: Instant, body: (HealthRecord) throws -> Void
    ) throws {
        let first = zone.dayNumber(atSecond: Self.second(start))
        let last = zone.dayNumber(atSecond: Self.second(end))
        do {
            try database.read { connection in
                for type in types {
                    guard let number = typeNumbers[type] else { continue }
                    try connection.forEach(
                        "SELECT first_start, bytes FROM block WHERE type = ? AND day BETWEEN ? AND ? ORDER BY day, part",
                        .integer(number), .integer(first), .integer(last)
                    ) { row in
                        let firstStart = try row.int64(0)
                        try row.withBytes(1) { bytes in
                            try readBlock(
                                bytes, type: type, firstStart: firstStart,
                                isWanted: { from, _ in
                                    Double(from) >= start.secondsSince1970 && Double(from) < end.secondsSince1970
                                }, body: body)
                        }
                    }
                }
            }
        } catch {
            throw damaged(error, "a series")
        }
    }

    private static func second(_ instant: Instant) -> Int {
        Int(max(-1e14, min(1e14, instant.secondsSince1970.rounded(.down))))
    }

    /// Passes every clinical record with its resource, in the order of the export.
    public func forEachClinicalRecord(body: (ClinicalRecord, [UInt8]?) throws -> Void) throws {
        do {
            try database.read { connection in
                try connection.forEach(
                    "SELECT bytes, body FROM structure WHERE kind = ? ORDER BY number",
                    .integer(DayStoreSchema.Kind.clinicalRecord.rawValue)
                ) { row in
                    let (record, resource) = try clinicalRecord(row)
                    try body(record, resource)
                }
            }
        } catch {
            throw damaged(error, "a clinical record")
        }
    }

    /// What the `Me` element of the last export said.
    public func characteristics() throws -> HealthCharacteristics? {
        do {
            return try database.read { connection in
                try connection.first(
                    "SELECT bytes FROM structure WHERE kind = ? ORDER BY number DESC LIMIT 1",
                    .integer(DayStoreSchema.Kind.characteristics.rawValue)
                ) { row in
                    try row.withBytes(0) { try StructureCoding.unpack($0) { try $0.characteristics() } }
                }
            }
        } catch {
            throw damaged(error, "the characteristics")
        }
    }
}
