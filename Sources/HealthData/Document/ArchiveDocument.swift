import CanonicalJSON
import Foundation

/// The document form of the record archive (health-data.md 5), made from the item's form.
enum ArchiveDocument {
    static func object(_ archive: RecordArchive) -> JSONObject {
        var object: JSONObject = [
            "schema": .string(archive.schemaIdentifier),
            "schema_version": .integer(archive.recordSchemaVersion),
            "capture_status": .string(archive.captureStatus.documentName),
            "ownership": ownership(archive.dailyOwnership),
            "records": .array(sortedRecords(archive.records.map(ArchiveNames.value))),
            "query_manifest": ["results": .array(sortedByText(archive.queryManifest.results.map(result)))],
            "integrity_warnings": .array(sortedByText(archive.integrityWarnings.map(warning))),
            "medication_inventory": .array(sortedByText(archive.medicationInventoryRecords.map(ArchiveNames.value))),
        ]
        if !archive.externalRecords.isEmpty {
            let records = archive.externalRecords.map(ArchiveNames.value)
            object.append(
                "external_records", .array(sorted(records, by: "external_identifier", "external_identity_kind")))
        }
        return object
    }

    private static func ownership(_ ownership: RecordArchive.DailyOwnership) -> JSONValue {
        var object: JSONObject = ["owner_date": .string(ownership.ownerDate)]
        object.append("interval_start", ifPresent: DocumentDate.nanoseconds(ownership.intervalStart))
        object.append("interval_end", ifPresent: DocumentDate.nanoseconds(ownership.intervalEnd))
        object.append("calendar_identifier", .string(ownership.calendarIdentifier))
        object.append("calendar_timezone_identifier", .string(ownership.calendarTimeZoneIdentifier))
        object.append("assignment_rule", .string(ownership.assignmentRule))
        return .object(object)
    }

    private static func result(_ result: RecordArchive.QueryResult) -> JSONValue {
        var object: JSONObject = ["identifier": .string(result.identifier)]
        object.append("object_type_identifier", ifPresent: result.objectTypeIdentifier.map { .string($0) })
        object.append("operation", .string(result.operation))
        object.append("metric_ids", .array(result.metricIDs.map { .string($0) }))
        if let attribution = result.metricAttribution {
            object.append(
                "metric_attribution",
                [
                    "direct_metric_ids": .array(attribution.directMetricIDs.sorted().map { .string($0) }),
                    "dependency_metric_ids": .array(attribution.dependencyMetricIDs.sorted().map { .string($0) }),
                ])
        }
        var interval = JSONObject()
        interval.append("start_date", ifPresent: DocumentDate.nanoseconds(result.interval.startDate))
        interval.append("end_date", ifPresent: DocumentDate.nanoseconds(result.interval.endDate))
        object.append("interval", .object(interval))
        object.append("status", .string(result.status.rawValue))
        object.append("record_count", .integer(result.recordCount))
        object.append("status_description", ifPresent: result.statusDescription.map { .string($0) })
        if let error = result.error {
            object.append(
                "error",
                [
                    "domain": .string(error.domain), "code": .integer(error.code),
                    "description": .string(error.description), "is_recoverable": .bool(error.isRecoverable),
                ])
        }
        return .object(object)
    }

    private static func warning(_ warning: RecordArchive.IntegrityWarning) -> JSONValue {
        [
            "code": .string(warning.code), "message": .string(warning.message),
            "metric_ids": .array(warning.metricIDs.map { .string($0) }),
            "record_uuids": .array(warning.recordUUIDs.map { .string($0.uuidString) }),
        ]
    }

    // MARK: Orders

    /// By start, then UUID.
    private static func sortedRecords(_ records: [JSONValue]) -> [JSONValue] {
        sorted(records, by: "start_date", "original_uuid")
    }

    private static func sorted(_ values: [JSONValue], by first: String, _ second: String) -> [JSONValue] {
        values.map { (($0[first]?.string ?? "", $0[second]?.string ?? ""), $0) }
            .enumerated()
            .sorted { ($0.element.0.0, $0.element.0.1, $0.offset) < ($1.element.0.0, $1.element.0.1, $1.offset) }
            .map(\.element.1)
    }

    /// By the compact text of the value.
    private static func sortedByText(_ values: [JSONValue]) -> [JSONValue] {
        values.map { (JSONWriter.encode($0, style: .compactSorted), $0) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
            .map(\.1)
    }
}

/// Names of the item in the document's spelling: `selectedMetricIDs` becomes `selected_metric_ids`. Keys of
/// `metadata` and `fields` are the source's own and stay.
enum ArchiveNames {
    /// Members whose text value is a name of ours too.
    private static let namedValues: Set<String> = [
        "type", "recordKind", "includedBecause", "externalIdentityKind",
    ]
    /// Members that map the source's own keys to typed values.
    private static let ownKeys: Set<String> = ["metadata", "fields"]

    static func value(_ value: OpaqueValue) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .signed(let number): .number(JSONNumber(number))
        case .unsigned(let number): .number(JSONNumber(number))
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .data(let data): .string(data.base64EncodedString())
        case .date(let date): DocumentDate.nanoseconds(date) ?? .null
        case .array(let elements): .array(elements.map(Self.value))
        case .object(let members): object(members)
        }
    }

    private static func object(_ members: [String: OpaqueValue]) -> JSONValue {
        // A URL of the item form is an object with its text (hmdcitem.md 3).
        if members.count == 1, let text = members["relative"]?.string { return .string(text) }
        var object = JSONObject()
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
            if ownKeys.contains(key), case .object(let entries) = member {
                let values = entries.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, value($0.value)) }
                object.append(snakeCase(key), .object(JSONObject(values)))
            } else if namedValues.contains(key), case .string(let name) = member {
                object.append(snakeCase(key), .string(snakeCase(name)))
            } else if key == "value", members["type"]?.string == "dictionary", case .object(let entries) = member {
                let values = entries.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, value($0.value)) }
                object.append(key, .object(JSONObject(values)))
            } else {
                object.append(snakeCase(key), value(member))
            }
        }
        return .object(object)
    }

    /// `originalUUID` as `original_uuid`: a capital that follows a small letter or digit starts a word.
    static func snakeCase(_ name: String) -> String {
        var output: [UInt8] = []
        var previousIsSmall = false
        for byte in name.utf8 {
            let isCapital = byte &- 0x41 < 26
            if isCapital, previousIsSmall { output.append(UInt8(ascii: "_")) }
            output.append(isCapital ? byte | 0x20 : byte)
            previousIsSmall = byte &- 0x61 < 26 || byte &- 0x30 < 10
        }
        return String(decoding: output, as: UTF8.self)
    }
}
