import CanonicalJSON

/// Turns a checked raw response into what `healthmd extract` prints (raw-result.md 9–11).
///
/// Whole documents are copied by byte range, unchanged; projections decode one day at a time.
public struct Extraction {
    /// Reads bytes of the body at an offset; returns how many, never 0 inside the body.
    public typealias BodyReader = (_ offset: Int, _ into: UnsafeMutableRawBufferPointer) throws -> Int
    /// Takes output bytes.
    public typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    /// How the items are written.
    public enum Format: String, Sendable {
        /// One object with the items and the receipt.
        case json
        /// One item a line; the receipt goes elsewhere.
        case jsonl
    }

    /// Most bytes of one day that are decoded for a projection (raw-result.md 9).
    public static let projectedDocumentByteCount = 64 * 1_024 * 1_024
    private static let copyByteCount = 1_024 * 1_024

    private let response: RawResponse
    private let read: BodyReader
    private let pointers: [JSONPointer]

    /// An extraction of a response that passed ``RawResponseCheck``.
    public init(_ response: RawResponse, reading read: @escaping BodyReader) {
        self.response = response
        self.read = read
        pointers = (response.selection?.pointers ?? []).compactMap(JSONPointer.init)
    }

    /// Days that have a document, hence one data item each.
    public var itemCount: Int { response.days.filter { $0.document != nil }.count }

    /// Writes the items, and for JSON the receipt, one compact line or one line an item.
    public func write(_ format: Format, to sink: Sink) throws {
        func put(_ text: String) throws { try Array(text.utf8).withUnsafeBytes(sink) }
        switch format {
        case .json:
            try put(#"{"protocol":"healthmd.extract_result","protocol_version":1,"#)
            try put(pointers.isEmpty ? #""health_data":["# : #""projections":["#)
            var isFirst = true
            for day in response.days {
                guard let document = day.document else { continue }
                if !isFirst { try put(",") }
                isFirst = false
                try item(day, document, compacted: false, sink)
            }
            try put(#"],"receipt":"#)
            try JSONWriter.encode(receipt, style: .compactSorted).withUnsafeBytes(sink)
            try put("}\n")
        case .jsonl:
            for day in response.days {
                guard let document = day.document else { continue }
                try item(day, document, compacted: true, sink)
                try put("\n")
            }
        }
    }

    private func item(
        _ day: RawResponse.Day, _ document: RawResponse.Document, compacted: Bool, _ sink: Sink
    ) throws {
        if !pointers.isEmpty {
            return try JSONWriter.encode(try projection(day, document), style: .compact).withUnsafeBytes(sink)
        }
        try withoutActuallyEscaping(sink) { sink in
            if compacted {
                var offset = document.range.lowerBound
                _ = try JSONCompactor().copy(
                    reader: { buffer in
                        let count = try self.readBytes(offset, document.range.upperBound, buffer)
                        offset += count
                        return count
                    }, writer: sink)
            } else {
                try copy(document.range, sink)
            }
        }
    }

    private func readBytes(_ offset: Int, _ end: Int, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let wanted = min(buffer.count, end - offset)
        guard wanted > 0 else { return 0 }
        return try read(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    }

    private func copy(_ range: Range<Int>, _ sink: Sink) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(Extraction.copyByteCount, max(1, range.count)), alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = try readBytes(offset, range.upperBound, buffer)
            guard count > 0 else { throw JSONError(.unexpectedEnd, offset: offset) }
            try sink(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }

    private func projection(_ day: RawResponse.Day, _ document: RawResponse.Document) throws -> JSONValue {
        guard document.range.count <= Extraction.projectedDocumentByteCount else {
            throw RawResultError.documentTooLarge(date: day.date ?? "?")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.range.count)
        try copy(document.range) { bytes.append(contentsOf: $0) }
        let value = try JSONParser.parse(bytes, limits: RawResponseScanner.limits)
        let selections = pointers.map { pointer -> JSONValue in
            guard let found = pointer.value(in: value) else {
                return ["pointer": .string(pointer.text), "status": .string(absence(day.status))]
            }
            return ["pointer": .string(pointer.text), "status": "available", "value": found]
        }
        var source: JSONObject = [:]
        source.append("date", ifPresent: day.date.map(JSONValue.string))
        source.append("raw_capture_status", ifPresent: document.rawCaptureStatus.map(JSONValue.string))
        source.append("schema", ifPresent: document.schema.map(JSONValue.string))
        source.append("schema_version", ifPresent: document.schemaVersion.map(JSONValue.integer))
        return ["selections": .array(selections), "source": .object(source)]
    }

    /// Absence is never a zero: it says how complete the day is.
    private func absence(_ status: String?) -> String {
        switch status {
        case "complete", "complete_empty", "complete_with_warnings": return "complete_empty"
        case let status?: return status
        case nil: return "unavailable"
        }
    }

    /// `healthmd.extract_receipt` v1: what arrived and what did not, without health values (raw-result.md 10).
    public var receipt: JSONValue {
        let version = response.days.lazy.compactMap(\.document?.schemaVersion).first
        var receipt: JSONObject = [
            "protocol": "healthmd.extract_receipt", "protocol_version": 1, "source_schema": "healthmd.health_data",
            "date_range": [
                "start": .string(response.firstDate ?? ""), "end": .string(response.lastDate ?? ""),
            ],
            "total_requested_days": .integer(response.totalRequestedDays ?? 0),
            "days": .array(response.days.map(receiptDay)),
            "missing_dates": .array((response.missingDates ?? []).map(JSONValue.string)),
            "retained_item_count": .integer(itemCount),
        ]
        receipt.append("status", ifPresent: response.status.map(JSONValue.string))
        receipt.append("source_schema_version", ifPresent: version.map(JSONValue.integer))
        receipt.append("capture_summary", ifPresent: response.captureSummary)
        if let selection = response.selection {
            receipt.append(
                "selection",
                [
                    "metric_ids": .array(selection.metricIDs.map(JSONValue.string)),
                    "source_ids": .array(selection.sourceIDs.map(JSONValue.string)),
                    "detail_level": .string(selection.detailLevel ?? ""),
                    "object_paths": .array(selection.objectPaths.map(JSONValue.string)),
                    "field_pointers": .array(selection.fieldPointers.map(JSONValue.string)),
                ])
        }
        return .object(receipt)
    }

    private func receiptDay(_ day: RawResponse.Day) -> JSONValue {
        var entry: JSONObject = ["health_data_retained": .bool(day.document != nil)]
        entry.append("date", ifPresent: day.date.map(JSONValue.string))
        entry.append("status", ifPresent: day.status.map(JSONValue.string))
        for member in day.receiptMembers.members {
            // Empty lists and maps that count nothing are left out (raw-result.md 10).
            if member.value.array?.isEmpty == true { continue }
            if let counts = member.value.object, counts.members.allSatisfy({ $0.value.number?.int == 0 }) { continue }
            entry.append(member.key, member.value)
        }
        return .object(entry)
    }
}
