import CanonicalJSON
import DurableStore

/// The lossless archive (health-data.md 5): a few columns to search by, and each record whole as JSON.
extension DayRows {
    private static let insertRecord = """
        INSERT INTO records (date, number, identifier, identity_kind, object_type, record_kind, start_time, end_time,
            value, unit, source, device, json)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Source records, then external records.
    mutating func writeRecords() throws {
        guard let archive = document.archive else { return }
        let records = archive["records"]?.array ?? []
        let date = date
        try insert(Self.insertRecord, records) { number, record in
            record["original_uuid"]?.string.flatMap {
                Self.values(of: record, date, number, identifier: $0, kind: "healthkit_uuid")
            }
        }
        try insert(Self.insertRecord, archive["external_records"]?.array ?? []) { number, record in
            record["external_identifier"]?.string.flatMap {
                Self.values(
                    of: record, date, records.count + number, identifier: $0,
                    kind: record["external_identity_kind"]?.string ?? "")
            }
        }
    }

    private static func values(
        of record: JSONValue, _ date: String, _ number: Int, identifier: String, kind: String
    ) -> [SQLValue]? {
        guard let type = record["object_type_identifier"]?.string, let recordKind = record["record_kind"]?.string
        else { return nil }
        let fields = record["fields"]
        let quantity = RecordQuantity(payload: record["payload"], fields: fields)
        return [
            .text(date), .integer(number), .text(identifier), .text(kind), .text(type), .text(recordKind),
            .optional(
                DatabaseInstant.text(record["start_date"]) ?? DatabaseInstant.text(fields?["startDate"]?["value"])),
            .optional(DatabaseInstant.text(record["end_date"]) ?? DatabaseInstant.text(fields?["endDate"]?["value"])),
            .optional(quantity.value), .optional(quantity.unit),
            .optional(record["source_revision"]?["name"]?.string ?? fields?["sourceName"]?["value"]?.string),
            .optional(record["device"]?["name"]?.string ?? fields?["device"]?["value"]?.string),
            .text(CompactJSON.text(record)),
        ]
    }
}

/// The number of a record, where it has one: a quantity with its unit, or the number of a category.
private struct RecordQuantity {
    var value: Double?
    var unit: String?

    init(payload: JSONValue?, fields: JSONValue?) {
        switch payload?["type"]?.string {
        case "quantity":
            value = payload?["value"]?.number?.double
            unit = payload?["unit"]?.string
        case "category":
            value = payload?["raw_value"]?.number?.double
        default: break
        }
        guard payload == nil else { return }
        // External records of ours keep the attributes of an export's record as typed fields (health-data.md 10.2).
        value = fields?["value"]?["value"]?.number?.double
        unit = value == nil ? nil : fields?["unit"]?["value"]?.string
    }
}
