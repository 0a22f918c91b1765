import CanonicalJSON
import HealthRecords

/// What an export holds, found in one pass and without keeping anything: for support, and before an import
/// (`healthmd health-export inspect`). No health value is in it, only types, counts, spans and names of sources.
public struct ExportInspection: Codable, Hashable, Sendable {
    /// One record type.
    public struct TypeCount: Codable, Hashable, Sendable {
        /// Records at the top level.
        public var count: Int
        /// Records in correlations and workouts.
        public var nested: Int
        /// Start of the earliest, RFC 3339 in UTC; nil beyond the calendar.
        public var first: String?
        /// End of the latest.
        public var last: String?
        /// Units met; more than one means that the setting changed.
        public var units: [String]
    }

    /// One kind of oddity.
    public struct Oddity: Codable, Hashable, Sendable {
        /// Stable code (``ExportProblemCode``).
        public var code: String
        /// How often.
        public var count: Int
        /// Whether something would be left out because of it.
        public var leavesOut: Bool
        /// The first places.
        public var places: [Place]

        enum CodingKeys: String, CodingKey {
            case code, count, places
            case leavesOut = "leaves_out"
        }
    }

    /// A place in a file of the export.
    public struct Place: Codable, Hashable, Sendable {
        /// The file's name.
        public var entry: String
        /// The line, from 1.
        public var line: Int?
        /// The byte, from 0.
        public var offset: Int?

        init(_ place: ExportPlace) {
            entry = place.entry
            line = place.line
            offset = place.offset
        }
    }

    /// Files beside the main one.
    public struct Files: Codable, Hashable, Sendable {
        /// GPX files.
        public var routes = 0
        /// CSV files that are electrocardiograms.
        public var electrocardiograms = 0
        /// JSON files that are FHIR resources.
        public var clinical = 0
        /// Everything else.
        public var other = 0
    }

    /// Always `healthmd.health_export_inspection`.
    public var schema = "healthmd.health_export_inspection"
    /// Always 1.
    public var schemaVersion = 1
    /// The path that was opened.
    public var path: String
    /// The main file's name inside it.
    public var main: String
    /// Whether the file ended as it should and the archive was whole.
    public var complete: Bool
    /// Where the main file broke off.
    public var brokenOffAt: Place?
    /// `en_US`.
    public var locale: String?
    /// The number in the document type.
    public var exportVersion: Int?
    /// When the export was made, RFC 3339 in UTC.
    public var exportDate: String?
    /// Bytes of the unpacked main file.
    public var bytes: Int
    /// Records at the top level.
    public var records: Int
    /// Records in correlations and workouts.
    public var nestedRecords: Int
    /// Start of the earliest record, RFC 3339 in UTC.
    public var first: String?
    /// End of the latest record.
    public var last: String?
    /// Elements by name.
    public var elements: [String: Int]
    /// Record types by name.
    public var types: [String: TypeCount]
    /// Records by source name.
    public var sources: [String: Int]
    /// Files beside the main one.
    public var files: Files
    /// What is odd, by code.
    public var oddities: [Oddity]
    /// Unknown elements by `Parent/Name`.
    public var unknownElements: [String: Int]
    /// Unknown attributes by `Element@name`.
    public var unknownAttributes: [String: Int]

    enum CodingKeys: String, CodingKey {
        case schema, path, main, complete, locale, bytes, records, first, last, elements, types, sources, files,
            oddities
        case schemaVersion = "schema_version"
        case brokenOffAt = "broken_off_at"
        case exportVersion = "export_version"
        case exportDate = "export_date"
        case nestedRecords = "nested_records"
        case unknownElements = "unknown_elements"
        case unknownAttributes = "unknown_attributes"
    }

    /// Reads an export through and says what is in it.
    public static func inspect(path: String, options: ExportOptions = ExportOptions()) throws -> ExportInspection {
        let archive = try ExportArchive.open(path: path, options: options)
        let main = try archive.mainFile()
        let summary = try archive.readMain(main, visitor: CountingVisitor())
        return ExportInspection(path: path, summary: summary, isRescued: archive.isRescued, files: try files(archive))
    }

    /// Wants nothing: the reader counts by itself.
    private final class CountingVisitor: ExportVisitor {
        func wantsRecords(ofType type: String) -> Bool { false }
    }

    private static func files(_ archive: ExportArchive) throws -> Files {
        var files = Files()
        files.routes = archive.files.count { $0.name.lowercased().hasSuffix(".gpx") }
        files.clinical = try archive.clinicalFiles().count
        try archive.electrocardiograms { _ in files.electrocardiograms += 1 }
        files.other = archive.files.count - 1 - files.routes - files.clinical - files.electrocardiograms
        return files
    }

    private init(path: String, summary: ExportSummary, isRescued: Bool, files: Files) {
        self.path = path
        main = summary.entry
        complete = summary.isComplete && !isRescued
        brokenOffAt = summary.brokenOffAt.map(Place.init)
        locale = summary.locale
        exportVersion = summary.exportVersion
        exportDate = summary.exportDate.flatMap(Self.text)
        bytes = summary.byteCount
        records = summary.recordCount
        nestedRecords = summary.nestedRecordCount
        first = summary.types.values.compactMap(\.first).min().flatMap(Self.text)
        last = summary.types.values.compactMap(\.last).max().flatMap(Self.text)
        elements = summary.elements
        types = summary.types.mapValues {
            TypeCount(
                count: $0.count, nested: $0.nestedCount, first: $0.first.flatMap(Self.text),
                last: $0.last.flatMap(Self.text), units: $0.units)
        }
        sources = summary.sources
        self.files = files
        oddities = summary.problems.all.map {
            Oddity(
                code: $0.code.rawValue, count: $0.count, leavesOut: $0.code.leavesOut, places: $0.places.map(Place.init)
            )
        }
        unknownElements = summary.problems.unknownElements
        unknownAttributes = summary.problems.unknownAttributes
    }

    private static func text(_ instant: Instant) -> String? { RFC3339.seconds(since2001: instant.secondsSince2001) }
}
