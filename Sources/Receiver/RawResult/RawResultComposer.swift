import CanonicalJSON
import HMDCItem

/// Writes `healthmd.raw_result` v1 in one pass from the stored items (corpus-protocol.md 14, raw-result.md 2 to 4).
///
/// Memory is bounded by the buffers: a day's document passes from its item to the sink token by token, checked on the
/// way. The first issue ends the composition; what was written is then worthless.
final class RawResultComposer {
    /// What the envelope states.
    struct Envelope: Sendable {
        /// The profile's word.
        var profile: String
        /// The selection as it stands in the manifest.
        var selection: JSONValue?
        /// Seconds since 2001.
        var createdAt: Double
        /// The phone's name.
        var sourceDeviceName: String
        /// The requested labels, in order.
        var labels: [String]
        /// Whether each document must hold the archive; else it must not.
        var expectsArchive: Bool
        /// The document versions that are accepted; one version for the whole job.
        var acceptedVersions: Set<Int>
    }

    /// What was written.
    struct Result: Hashable, Sendable {
        /// The counts.
        var summary: RawCaptureSummary
        /// The documents' version; nil without documents.
        var documentVersion: Int?
    }

    /// Why it was not.
    struct Refusal: Error, Hashable {
        /// The first issue.
        var issue: RawResultIssue
    }

    /// One raw day: its metadata and where its document is.
    struct Day {
        /// The metadata.
        var day: StrictRawDay
        /// The document's bytes.
        var document: ItemRegion?
    }

    /// Most codes of one list, and most bytes of one code (raw-result.md 7).
    static let codeCount = 256
    static let codeByteCount = 128

    private static let watched: [String: Set<String>] = [
        "schema": [], "schema_version": [], "date": [], "healthkit_record_archive": ["schema", "schema_version"],
    ]

    private let envelope: Envelope
    private var writer: JSONWriter
    private var summary = RawCaptureSummary()
    private var documentVersion: Int?

    private init(_ envelope: Envelope, write: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.envelope = envelope
        writer = JSONWriter(style: .compact) { buffer in try buffer.withUnsafeBytes(write) }
    }

    /// Composes the result. `day` is asked once for each label, in order.
    ///
    /// Throws ``Refusal``, or what `day` or `write` throw.
    static func compose(
        _ envelope: Envelope, day: (_ index: Int) throws -> Day,
        write: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Result {
        guard JobBook.isAscendingDays(envelope.labels) else { throw Refusal(issue: .dateSetMismatch) }
        let composer = RawResultComposer(envelope, write: write)
        try composer.writeHead()
        for (index, label) in envelope.labels.enumerated() { try composer.append(day(index), label: label) }
        try composer.writeTail()
        return Result(summary: composer.summary, documentVersion: composer.documentVersion)
    }

    private func writeHead() throws {
        try writer.beginObject()
        try writer.member("schema", "healthmd.raw_result")
        try writer.member("schema_version", 1)
        try writer.member("profile", .string(envelope.profile))
        if let selection = envelope.selection { try writer.member("canonical_selection", selection) }
        guard let createdAt = RFC3339.nanoseconds(since2001: envelope.createdAt) else {
            preconditionFailure("admission has checked the range of the date")
        }
        try writer.member("created_at", .string(createdAt))
        try writer.member("source_device_name", .string(envelope.sourceDeviceName))
        let range: JSONObject = [
            "end": .string(envelope.labels[envelope.labels.count - 1]), "start": .string(envelope.labels[0]),
        ]
        try writer.member("date_range", .object(range))
        try writer.member("total_requested_days", .integer(envelope.labels.count))
        writer.key("days")
        try writer.beginArray()
    }

    private func writeTail() throws {
        try writer.endArray()
        writer.key("capture_summary")
        try writer.value(RawResultComposer.sorted(summary.json))
        try writer.member("missing_dates", .array(summary.missingDates.map { .string($0) }))
        try writer.endObject()
        try writer.finish()
    }

    /// Inner objects have sorted keys; the envelope has its own order.
    private static func sorted(_ value: JSONValue) -> JSONValue {
        guard case .object(let object) = value else { return value }
        let members = object.members.map { JSONObject.Member($0.key, sorted($0.value)) }
        return .object(JSONObject(members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }))
    }

    private func append(_ day: Day, label: String) throws {
        let facts = day.day
        guard facts.date == label else { throw Refusal(issue: .dateSetMismatch) }
        if day.document == nil, facts.status.isRetained { throw Refusal(issue: .documentMissing(date: label)) }
        guard facts.status.isRetained || (day.document == nil && facts.isBlank) else {
            throw Refusal(issue: .dayIndex(date: label))
        }
        guard RawResultComposer.areCodes(facts) else { throw Refusal(issue: .dayCodes(date: label)) }
        guard summary.add(facts, hasDocument: day.document != nil) else { throw Refusal(issue: .captureSummary) }
        try writer.beginObject()
        if let status = facts.captureStatus { try writer.member("capture_status", .string(status.documentWord)) }
        try writer.member("date", .string(label))
        if let code = facts.failureCode { try writer.member("failure_code", .string(code)) }
        if let document = day.document {
            writer.key("health_data")
            writer.beginRaw()
            try copy(document, date: label)
        }
        try writer.member("integrity_warning_codes", .array(facts.integrityWarningCodes.map { .string($0) }))
        try writer.member("integrity_warning_count", .integer(facts.integrityWarningCount))
        try writer.member("partial_failure_count", .integer(facts.partialFailureCount))
        try writer.member("partial_failure_types", .array(facts.partialFailureTypes.map { .string($0) }))
        try writer.member("query_status_counts", RawCaptureSummary.json(facts.queryStatusCounts))
        try writer.member("record_count", .integer(facts.recordCount))
        try writer.member("sample_count", .integer(facts.sampleCount))
        try writer.member("status", .string(facts.status.rawValue))
        try writer.endObject()
    }

    /// Whether the lists of a day can be read again by whoever downloads the result (raw-result.md 7).
    private static func areCodes(_ day: StrictRawDay) -> Bool {
        ([day.failureCode.map { [$0] } ?? [], day.integrityWarningCodes, day.partialFailureTypes]).allSatisfy { list in
            list.count <= codeCount
                && list.allSatisfy { code in
                    (1...codeByteCount).contains(code.utf8.count) && !code.utf8.contains { $0 < 0x20 || $0 == 0x7F }
                }
        }
    }

    /// Copies a document without its white space and checks what raw-result.md 7 lists.
    private func copy(_ document: ItemRegion, date: String) throws {
        let report: JSONCompactor.Report
        var position = document.offset
        let end = document.offset + document.byteCount
        do {
            report = try JSONCompactor(watching: RawResultComposer.watched).copy(
                reader: { buffer in
                    let count = Int(min(UInt64(buffer.count), end - position))
                    guard count > 0 else { return 0 }
                    let read = try document.source.read(
                        at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
                    position += UInt64(read)
                    return read
                },
                writer: { [self] bytes in try writer.rawBytes(bytes) })
        } catch is JSONError {
            throw Refusal(issue: .documentInvalid(date: date))
        }
        try check(report, date: date)
    }

    private func check(_ report: JSONCompactor.Report, date: String) throws {
        guard report.isObject, report.members["date"]?.string == date else {
            throw Refusal(issue: .documentInvalid(date: date))
        }
        guard report.members["schema"]?.string == "healthmd.health_data" else {
            throw Refusal(issue: .documentSchema(date: date))
        }
        guard let version = report.members["schema_version"]?.integer, envelope.acceptedVersions.contains(version),
            documentVersion ?? version == version
        else { throw Refusal(issue: .documentVersion(date: date)) }
        documentVersion = version
        guard let archive = report.members["healthkit_record_archive"] else {
            if envelope.expectsArchive { throw Refusal(issue: .archiveMissing(date: date)) }
            return
        }
        guard envelope.expectsArchive else { throw Refusal(issue: .archiveNotRequested(date: date)) }
        guard archive.members?["schema"]?.string == "healthmd.healthkit_records" else {
            throw Refusal(issue: .archiveSchema(date: date))
        }
        guard archive.members?["schema_version"]?.integer == 1 else {
            throw Refusal(issue: .archiveVersion(date: date))
        }
    }
}

extension StrictRawDay.Status {
    /// Whether a day of this status carries a document.
    var isRetained: Bool {
        switch self {
        case .complete, .completeEmpty, .completeWithWarnings, .partial: true
        case .failed, .cancelled, .missing: false
        }
    }
}

extension StrictRawDay {
    /// Whether the day states nothing but why it has no document, as failed, cancelled and missing days do
    /// (raw-result.md 3).
    fileprivate var isBlank: Bool {
        let reason =
            switch status {
            case .missing: "missing_day"
            case .cancelled: "cancelled"
            case .failed, .partial, .complete, .completeEmpty, .completeWithWarnings: failureCode
            }
        return failureCode != nil && failureCode == reason && captureStatus == nil && recordCount == 0
            && sampleCount == 0 && queryStatusCounts == QueryStatusCounts() && partialFailureCount == 0
            && partialFailureTypes.isEmpty && integrityWarningCount == 0 && integrityWarningCodes.isEmpty
    }
}

extension CaptureStatus {
    /// The word of documents, which is written in snake case (corpus-protocol.md 14).
    var documentWord: String {
        switch self {
        case .complete: "complete"
        case .partial: "partial"
        case .notRequested: "not_requested"
        case .legacyUnavailable: "legacy_unavailable"
        }
    }
}

extension ItemSource {
    /// Reads into plain memory; at least one byte unless `offset` is at the end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var span = MutableSpan<UInt8>(_unsafeElements: buffer.bindMemory(to: UInt8.self))
        return try read(at: offset, into: &span)
    }
}
