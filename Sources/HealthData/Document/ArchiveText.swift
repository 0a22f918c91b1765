import CanonicalJSON
import Foundation
import HealthRecords

/// The text of a lossless document's archive records, written straight from the records (health-data.md 4.1, 5).
///
/// What it writes for a record is what ``ExternalRecord``, ``ArchiveNames`` and the writer of daily files together make of it; a test holds
/// the two ways to the same bytes.
enum ArchiveText {
    /// The bytes of a document whose archive stands there without external records, with these in their place.
    static func document(_ document: DayDocument, externalRecords entries: [ArchiveEntry]) -> [UInt8] {
        guard !entries.isEmpty, let archive = document.archive else { return document.canonicalBytes() }
        var archiveMembers = archive
        archiveMembers.append("external_records", .array([]))
        // Room for the whole at once: growing by doubling would copy and touch megabytes for each day.
        var writer = JSONWriter(
            style: .daily, reservingByteCount: entries.reduce(baseByteCount) { $0 + byteCount($1) })
        // A writer into memory has nothing that can fail.
        do {
            try writer.beginObject()
            for member in document.root.inDailyOrder {
                writer.key(member.key)
                guard member.key == "healthkit_record_archive" else {
                    try writer.value(member.value)
                    continue
                }
                try writer.beginObject()
                for member in archiveMembers.inDailyOrder {
                    writer.key(member.key)
                    if member.key == "external_records" {
                        try append(entries, to: &writer)
                    } else {
                        try writer.value(member.value)
                    }
                }
                try writer.endObject()
            }
            try writer.endObject()
        } catch {
            preconditionFailure("writing into memory failed: \(error)")
        }
        var bytes = writer.takeBytes()
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// Usual bytes of a document without its archive's records, and of one of them: only for making room.
    private static let baseByteCount = 64 * 1_024
    private static let recordByteCount = 1_900
    private static let voltageByteCount = 600

    private static func byteCount(_ entry: ArchiveEntry) -> Int {
        guard case .recording(let recording) = entry.origin else { return recordByteCount }
        return recordByteCount + recording.microvolts.count * voltageByteCount
    }

    /// In the archive's order: by identifier.
    private static func append(_ entries: [ArchiveEntry], to writer: inout JSONWriter) throws {
        var text = RecordText()
        try writer.beginArray()
        for entry in entries.sorted(by: { $0.identifier < $1.identifier }) {
            switch entry.origin {
            case .record(let record, let metricIDs):
                let isWritten = try writer.rawValue {
                    text.append(record, identifier: entry.identifier, metricIDs: metricIDs, to: &$0)
                }
                if !isWritten { try writer.value(ArchiveNames.value(entry.record.value)) }
            case .recording(let recording): try append(recording, to: &writer)
            case .built(let record): try writer.value(ArchiveNames.value(record.value))
            }
        }
        try writer.endArray()
    }

    /// A recording, whose voltages are never all there as values.
    private static func append(_ recording: Electrocardiogram, to writer: inout JSONWriter) throws {
        let record = ArchiveNames.value(ExternalRecord(recording, includesVoltages: false).value)
        guard !recording.microvolts.isEmpty, let members = record.object else { return try writer.value(record) }
        try writer.beginObject()
        for member in members.inDailyOrder {
            writer.key(member.key)
            guard member.key == "fields", var fields = member.value.object else {
                try writer.value(member.value)
                continue
            }
            // It only holds the place.
            fields.append(ExternalRecord.voltagesKey, .null)
            try writer.beginObject()
            for field in fields.inDailyOrder {
                writer.key(field.key)
                if field.key == ExternalRecord.voltagesKey {
                    try appendVoltages(of: recording, to: &writer)
                } else {
                    try writer.value(field.value)
                }
            }
            try writer.endObject()
        }
        try writer.endObject()
    }

    private static func appendVoltages(of recording: Electrocardiogram, to writer: inout JSONWriter) throws {
        try writer.beginObject()
        writer.key("type")
        try writer.value("array")
        writer.key("value")
        try writer.beginArray()
        for voltage in ExternalRecord.voltages(of: recording) { try writer.value(ArchiveNames.value(voltage)) }
        try writer.endArray()
        try writer.endObject()
    }
}

extension JSONObject {
    fileprivate var inDailyOrder: [Member] { members.sorted { JSONKeyOrder.daily($0.key, $1.key) } }
}

/// Writes plain records at their place in the document: six spaces deep.
private struct RecordText {
    private var output: [UInt8] = []
    /// The members that are the same for all records of a type, with and without a quantity.
    private var quantityTails: [String: [UInt8]] = [:]
    private var otherTails: [String: [UInt8]] = [:]
    private let identityKind: [UInt8]

    init() {
        var kind: [UInt8] = []
        JSONText.append(ArchiveNames.snakeCase(ArchiveBuild.identityKind), escapesSolidus: true, to: &kind)
        identityKind = kind
    }

    /// Appends the text of a record; false for one that has more than the usual parts.
    mutating func append(
        _ record: HealthRecord, identifier: String, metricIDs: [String], to document: inout [UInt8]
    ) -> Bool {
        guard record.beats.isEmpty else { return false }
        // The document is written in place, not copied record by record.
        swap(&output, &document)
        defer { swap(&output, &document) }
        append("{\n        \"external_identifier\" : ")
        append(text: identifier)
        append(",\n        \"external_identity_kind\" : ")
        output += identityKind
        append(",\n        \"fields\" : {")
        guard appendFields(of: record) else { return false }
        append("\n        },")
        appendTail(of: record, metricIDs)
        return true
    }

    // MARK: Fields, in the order of the daily file

    private mutating func appendFields(of record: HealthRecord) -> Bool {
        if let created = record.created { append(date: created, key: "\n          \"creationDate\" : ", isLast: false) }
        if let device = record.source.device { append(string: device, key: "\n          \"device\" : ") }
        append(date: record.end, key: "\n          \"endDate\" : ", isLast: false)
        append(record.metadata)
        append(string: record.source.name, key: "\n          \"sourceName\" : ")
        if let version = record.source.version { append(string: version, key: "\n          \"sourceVersion\" : ") }
        switch record.value {
        case .quantity(let number, let unit):
            guard number.isFinite else { return false }
            append(date: record.start, key: "\n          \"startDate\" : ", isLast: false)
            append(string: unit, key: "\n          \"unit\" : ")
            append("\n          \"value\" : {\n            \"type\" : \"floating_point\",\n            \"value\" : ")
            JSONNumberText.append(JSONNumber(number), style: JSONStyle.daily.numbers, to: &output)
            append("\n          }")
        case .category(let spelling):
            append(date: record.start, key: "\n          \"startDate\" : ", isLast: false)
            append(string: spelling, key: "\n          \"value\" : ", isLast: true)
        case .none:
            append(date: record.start, key: "\n          \"startDate\" : ", isLast: true)
        case .unreadable:
            return false
        }
        return true
    }

    private mutating func append(_ entries: [MetadataEntry]) {
        guard !entries.isEmpty else { return }
        append("\n          \"metadata\" : {\n            \"type\" : \"dictionary\",\n            \"value\" : {")
        let map = SourceTexts.map(entries)
        var isFirst = true
        for key in map.keys.sorted(by: JSONKeyOrder.daily) {
            append(isFirst ? "\n              " : ",\n              ")
            isFirst = false
            append(text: key)
            append(" : {\n                \"type\" : \"string\",\n                \"value\" : ")
            append(text: map[key] ?? "")
            append("\n              }")
        }
        append("\n            }\n          },")
    }

    private mutating func append(string: String, key: StaticString, isLast: Bool = false) {
        append(key)
        append("{\n            \"type\" : \"string\",\n            \"value\" : ")
        append(text: string)
        append(isLast ? "\n          }" : "\n          },")
    }

    private mutating func append(date: Instant, key: StaticString, isLast: Bool) {
        append(key)
        append("{\n            \"type\" : \"date\",\n            \"value\" : ")
        let start = output.count
        output.append(UInt8(ascii: "\""))
        if RFC3339.appendNanoseconds(since2001: date.secondsSince2001, to: &output) {
            output.append(UInt8(ascii: "\""))
        } else {
            // An instant that no document can hold (health-data.md 4.3).
            output.removeLast(output.count - start)
            append("null")
        }
        append(isLast ? "\n          }" : "\n          },")
    }

    // MARK: The rest

    private mutating func appendTail(of record: HealthRecord, _ metricIDs: [String]) {
        let isQuantity = if case .quantity = record.value { true } else { false }
        if let known = isQuantity ? quantityTails[record.type] : otherTails[record.type] {
            output += known
            return
        }
        var text = RecordText()
        text.append("\n        \"included_because\" : \"selected_metric\",\n        \"object_type_identifier\" : ")
        text.append(text: record.type)
        text.append(
            isQuantity ? ",\n        \"record_kind\" : \"quantity\"" : ",\n        \"record_kind\" : \"category\"")
        text.append(",\n        \"relationships\" : [\n\n        ],\n        \"selected_metric_ids\" : [")
        for (index, metricID) in metricIDs.enumerated() {
            text.append(index == 0 ? "\n          " : ",\n          ")
            text.append(text: metricID)
        }
        text.append(metricIDs.isEmpty ? "\n\n        ]\n      }" : "\n        ]\n      }")
        if isQuantity {
            quantityTails[record.type] = text.output
        } else {
            otherTails[record.type] = text.output
        }
        output += text.output
    }

    private mutating func append(_ constant: StaticString) {
        output.append(
            contentsOf: UnsafeBufferPointer(start: constant.utf8Start, count: constant.utf8CodeUnitCount))
    }

    private mutating func append(text: String) {
        JSONText.append(text, escapesSolidus: true, to: &output)
    }
}
