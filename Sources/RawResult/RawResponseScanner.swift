import CanonicalJSON

/// Reads the body of a finished raw job in one pass with bounded memory (raw-result.md 8).
///
/// Health values pass by and are never kept. Duplicates are refused everywhere.
public struct RawResponseScanner {
    /// Nesting, key and number limits of raw-result.md 8.
    public static let limits = JSONLimits(
        depth: 256, keyByteCount: 1_024, keysPerObject: 16_384, numberByteCount: 1_024, refusesDuplicateKeys: true)
    /// Longest string that is captured; longer ones are refused where they matter.
    public static let capturedStringByteCount = 8_192
    /// Most days of one body (raw-result.md 7).
    public static let dayCount = 36_600
    /// Most codes of one list (raw-result.md 7).
    public static let codeCount = 256

    private let tokens: JSONTokenizer
    private var response = RawResponse()

    /// A scanner over a body that `reader` delivers in order.
    public init(reader: @escaping JSONTokenizer.Reader) throws {
        tokens = try JSONTokenizer(limits: Self.limits, reader: reader)
    }

    /// Scans the whole body. Throws `JSONError` when it is not well-formed within the limits.
    public static func scan(reader: @escaping JSONTokenizer.Reader) throws -> RawResponse {
        var scanner = try RawResponseScanner(reader: reader)
        return try scanner.scan()
    }

    private mutating func scan() throws -> RawResponse {
        guard try tokens.next() == .beginObject else { throw RawResultError.notAnObject }
        while let key = try nextKey() {
            switch key {
            case "status": response.status = try string()
            case "job_id": response.jobID = try string()
            case "raw_result": try result()
            default: try skip(tokens.next())
            }
        }
        _ = try tokens.next()
        return response
    }

    private mutating func result() throws {
        let token = try tokens.next()
        guard token == .beginObject else { return try skip(token) }
        response.hasResult = true
        while let key = try nextKey() {
            switch key {
            case "schema": response.schema = try string()
            case "schema_version": response.schemaVersion = try integer()
            case "profile": response.profile = try string()
            case "canonical_selection": response.selection = try selection()
            case "created_at": response.hasCreatedAt = try string()?.isEmpty == false
            case "source_device_name": response.hasDeviceName = try string()?.isEmpty == false
            case "date_range": try range()
            case "total_requested_days": response.totalRequestedDays = try integer()
            case "days": try days()
            case "capture_summary": response.captureSummary = try value()
            case "missing_dates": response.missingDates = try strings(most: Self.dayCount)
            default: try skip(tokens.next())
            }
        }
    }

    private mutating func range() throws {
        let token = try tokens.next()
        guard token == .beginObject else { return try skip(token) }
        while let key = try nextKey() {
            switch key {
            case "start": response.firstDate = try string()
            case "end": response.lastDate = try string()
            default: try skip(tokens.next())
            }
        }
    }

    private func selection() throws -> RawResponse.Selection? {
        let token = try tokens.next()
        guard token == .beginObject else {
            try skip(token)
            return nil
        }
        var selection = RawResponse.Selection()
        while let key = try nextKey() {
            switch key {
            case "metric_ids": selection.metricIDs = try strings(most: 4_096) ?? []
            case "source_ids": selection.sourceIDs = try strings(most: 4_096) ?? []
            case "detail_level": selection.detailLevel = try string()
            case "object_paths": selection.objectPaths = try strings(most: 4_096) ?? []
            case "field_pointers": selection.fieldPointers = try strings(most: 4_096) ?? []
            default: try skip(tokens.next())
            }
        }
        return selection
    }

    private mutating func days() throws {
        let token = try tokens.next()
        guard token == .beginArray else { return try skip(token) }
        response.hasDays = true
        while true {
            let element = try tokens.next()
            if element == .endArray { return }
            guard response.days.count < Self.dayCount else { throw RawResultError.tooManyDays }
            guard element == .beginObject else {
                try skip(element)
                response.days.append(RawResponse.Day())
                continue
            }
            response.days.append(try day())
        }
    }

    private func day() throws -> RawResponse.Day {
        var day = RawResponse.Day()
        while let key = try nextKey() {
            switch key {
            case "date": day.date = try string()
            case "status": day.status = try string()
            case "health_data": day.document = try document()
            case "failure_code":
                day.failureCode = try string()
                day.receiptMembers.append("failure_code", ifPresent: day.failureCode.map(JSONValue.string))
            case "sample_count", "record_count", "integrity_warning_count", "partial_failure_count":
                day.receiptMembers.append(key, ifPresent: try integer().map(JSONValue.integer))
            case "integrity_warning_codes", "partial_failure_types":
                day.receiptMembers.append(
                    key, ifPresent: try strings(most: Self.codeCount).map { .array($0.map(JSONValue.string)) })
            case "query_status_counts": day.receiptMembers.append(key, try value())
            default: try skip(tokens.next())
            }
        }
        return day
    }

    private func document() throws -> RawResponse.Document {
        let token = try tokens.next()
        let start = tokens.offset - 1
        guard token == .beginObject else {
            try skip(token)
            return RawResponse.Document(range: start..<start, isObject: false)
        }
        var document = RawResponse.Document(range: start..<start)
        while let key = try nextKey() {
            switch key {
            case "schema": document.schema = try string()
            case "schema_version": document.schemaVersion = try integer()
            case "raw_capture_status": document.rawCaptureStatus = try string()
            case "healthkit_record_archive": document.archive = try archive()
            default: try skip(tokens.next())
            }
        }
        document.range = start..<tokens.offset
        return document
    }

    private func archive() throws -> RawResponse.Archive {
        var archive = RawResponse.Archive()
        let token = try tokens.next()
        guard token == .beginObject else {
            try skip(token)
            return archive
        }
        while let key = try nextKey() {
            switch key {
            case "schema": archive.schema = try string()
            case "schema_version": archive.schemaVersion = try integer()
            default: try skip(tokens.next())
            }
        }
        return archive
    }

    /// The next key of the open object, or nil at its end.
    private func nextKey() throws -> String? {
        guard try tokens.next() == .key else { return nil }
        return String(decoding: tokens.keyBytes, as: UTF8.self)
    }

    /// A captured string; nil when the value is something else.
    private func string() throws -> String? {
        let token = try tokens.next()
        guard token == .string else {
            try skip(token)
            return nil
        }
        return String(decoding: try tokens.stringBytes(byteLimit: Self.capturedStringByteCount), as: UTF8.self)
    }

    private func integer() throws -> Int? {
        let token = try tokens.next()
        guard token == .number else {
            try skip(token)
            return nil
        }
        return JSONNumber(token: String(decoding: tokens.numberBytes, as: UTF8.self))?.int
    }

    private func strings(most: Int) throws -> [String]? {
        let token = try tokens.next()
        guard token == .beginArray else {
            try skip(token)
            return nil
        }
        var texts: [String] = []
        while true {
            let element = try tokens.next()
            if element == .endArray { return texts }
            guard texts.count < most else { throw RawResultError.listTooLong }
            guard element == .string else {
                try skip(element)
                continue
            }
            texts.append(
                String(decoding: try tokens.stringBytes(byteLimit: Self.capturedStringByteCount), as: UTF8.self))
        }
    }

    /// A small value that is kept as a tree: summaries and counts.
    private func value() throws -> JSONValue { try JSONParser.value(startingWith: tokens.next(), from: tokens) }

    /// Passes over a value whose first token was taken.
    private func skip(_ token: JSONToken) throws {
        switch token {
        case .beginObject, .beginArray:
            let depth = tokens.depth - 1
            while tokens.depth > depth { _ = try tokens.next() }
        case .string, .number, .bool, .null, .key, .endObject, .endArray, .end: return
        }
    }
}

/// What makes a body unusable before its content is judged.
public enum RawResultError: Error, Equatable, Sendable {
    /// The body is no object.
    case notAnObject
    /// More days than any job may have.
    case tooManyDays
    /// A list of codes or ids is longer than any honest one.
    case listTooLong
    /// A day's document is too large to be projected; ask for fewer metrics, or for whole documents.
    case documentTooLarge(date: String)

    /// The stable code (raw-result.md 8).
    public var code: String {
        switch self {
        case .notAnObject: return "success_response_not_object"
        case .tooManyDays, .listTooLong: return "malformed_streamed_json"
        case .documentTooLarge: return "projection_document_too_large"
        }
    }
}
