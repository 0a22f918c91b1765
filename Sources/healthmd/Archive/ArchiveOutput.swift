import CanonicalJSON
import DayArchive
import DurableStore
import Foundation

/// Documents of the reader's commands with `--json`.
enum ArchiveDocuments {
    /// `healthmd.archive_sync` v1.
    static func sync(_ report: ArchiveReader.SyncReport) -> JSONValue {
        [
            "schema": "healthmd.archive_sync", "schema_version": 1, "status": "success",
            "copied_days": .integer(report.copied), "mirrored_days": .integer(report.mirrored),
        ]
    }

    /// `healthmd.archive_status` v1.
    static func status(_ status: ArchiveReader.Status) -> JSONValue {
        var archive: JSONObject = [
            "days": .integer(status.archive.days), "bytes": .integer(status.archive.bytes),
            "complete": .bool(status.archive.isComplete),
        ]
        add(status.archive.firstDay, status.archive.lastDay, to: &archive)
        var mirror: JSONObject = [
            "days": .integer(status.mirrored), "behind": .integer(status.behind),
            "missing_files": .integer(status.missingFiles),
        ]
        add(status.firstMirrored, status.lastMirrored, to: &mirror)
        return [
            "schema": "healthmd.archive_status", "schema_version": 1, "status": "success",
            "bucket": .string(status.bucket.text), "archive": .object(archive), "mirror": .object(mirror),
        ]
    }

    private static func add(_ first: ArchiveDay?, _ last: ArchiveDay?, to object: inout JSONObject) {
        object.append("first_day", ifPresent: first.map { .string($0.description) })
        object.append("last_day", ifPresent: last.map { .string($0.description) })
    }
}

/// Events on standard output: one a line, as counts, or with `--json` as one document.
///
/// A document is kept in an unlinked private file until it is whole: what breaks off in the middle prints none.
final class ArchiveOutput {
    private let invocation: Invocation
    private let console: Console
    private let isDocument: Bool
    private var spool: File?
    private var byteCount = 0
    private var eventCount = 0

    init(_ invocation: Invocation, _ console: Console) throws {
        self.invocation = invocation
        self.console = console
        isDocument = invocation.has("--json") && invocation.text("--format") != "ndjson"
        guard isDocument else { return }
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        spool = try Directory.openRoot(folder).createUnnamedFile()
    }

    /// What a question found.
    func print(_ events: ArchiveReader.Events, missing: Int? = nil) throws {
        if invocation.text("--format") == "summary" {
            guard isDocument else { return console.print(text: events.summary.map { $0 + "\n" }.joined()) }
            var document: JSONObject = [
                "schema": "healthmd.archive_event_counts", "schema_version": 1, "status": "success",
                "events": .integer(events.matchCount), "days": .integer(events.dayCount),
                "counts": .array(
                    events.names.map { name in
                        var entry: JSONObject = ["metric": .string(name.metric), "events": .integer(name.count)]
                        entry.append("bucket", ifPresent: name.bucket.map(JSONValue.string))
                        return .object(entry)
                    }),
            ]
            document.append("missing_days", ifPresent: missing.map(JSONValue.integer))
            return console.print(.object(document))
        }
        for line in events.lines { try append(line + [0x0A]) }
        try finish(days: events.dayCount, matched: events.matchCount, missing: missing)
    }

    /// Lines of events, each ended by LF.
    func append(_ lines: [UInt8]) throws {
        guard isDocument else { return console.write(lines) }
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            try write((eventCount == 0 ? [] : [UInt8(ascii: ","), 0x0A]) + line)
            eventCount += 1
        }
    }

    /// Prints the document, when it is one: `healthmd.archive_events` v1.
    func finish(days: Int? = nil, matched: Int? = nil, missing: Int? = nil) throws {
        guard isDocument, let spool else { return }
        var head: JSONObject = [
            "schema": "healthmd.archive_events", "schema_version": 1, "status": "success",
            "returned": .integer(eventCount), "matched": .integer(matched ?? eventCount),
        ]
        head.append("missing_days", ifPresent: missing.map(JSONValue.integer))
        head.append("days", ifPresent: days.map(JSONValue.integer))
        var text = JSONWriter.encode(.object(head), style: .compactSorted)
        text.removeLast()
        console.write(text + Array(",\"events\":[\n".utf8))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < byteCount {
            let count = try spool.read(into: buffer, at: UInt64(offset))
            guard count > 0 else { break }
            console.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
        console.write(Array("\n]}\n".utf8))
    }

    private func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try spool?.write($0, at: UInt64(byteCount)) }
        byteCount += bytes.count
    }
}

/// Names that a question is limited to: a slip of the fingers must not look like an empty answer.
enum ArchiveNames {
    /// - Throws: `bad_argument` when nothing was found, and neither the protocol nor a copied day knows the metric.
    static func requireKnown(metric: String?, found: Int, _ reader: ArchiveReader) throws {
        guard let metric, found == 0 else { return }
        try require(metric, of: try reader.metricNames(), option: "--metric", kind: "metric")
    }

    /// The same for the activity of a workout.
    static func requireKnown(activity: String?, found: Int, _ reader: ArchiveReader) throws {
        guard let activity, found == 0 else { return }
        try require(activity, of: try reader.activityNames(), option: "--activity", kind: "activity")
    }

    private static func require(_ name: String, of known: [String], option: String, kind: String) throws {
        guard !known.contains(name), !name.hasPrefix("activity-") else { return }
        let meant =
            NearestWord.to(name, in: known).map { "did you mean \($0)?" }
            ?? "known are \(known.joined(separator: ", "))"
        throw ReaderError.badArgument(
            name: option, what: "names no \(kind) that is known, or that a copied day holds; \(meant)")
    }
}
