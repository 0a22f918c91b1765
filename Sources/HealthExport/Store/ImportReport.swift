import CanonicalJSON
import HealthRecords

/// What one import read, kept, merged and left out. Stored with the generation; no health value is in it.
public struct ImportReport: Codable, Hashable, Sendable {
    /// One record type.
    public struct TypeCount: Codable, Hashable, Sendable {
        /// Records directly in `HealthData`.
        public var count: Int
        /// Records in correlations and workouts.
        public var nestedCount: Int
        /// Start of the earliest, seconds since 1970.
        public var first: Double
        /// End of the latest, seconds since 1970.
        public var last: Double
        /// Units met.
        public var units: [String]
    }

    /// One kind of problem.
    public struct Problem: Codable, Hashable, Sendable {
        /// Stable code (``ExportProblemCode``).
        public var code: String
        /// How often.
        public var count: Int
        /// Whether something was left out because of it.
        public var leavesOut: Bool
        /// The first places, `export.xml, line 12, byte 3456`.
        public var places: [String]
    }

    /// One main file that was read.
    public struct Source: Codable, Hashable, Sendable {
        /// The path that was given.
        public var path: String
        /// The main file's name inside it.
        public var main: String
        /// Bytes of the unpacked main file.
        public var byteCount: Int
        /// `en_US`.
        public var locale: String?
        /// The number in the document type.
        public var exportVersion: Int?
        /// When the export was made, seconds since 1970.
        public var exportDate: Double?
        /// Where the file broke off, if it did.
        public var brokenOffAt: String?
    }

    /// The generation that was made; 0 until it is published.
    public var generation = 0
    /// The files read.
    public var exports: [Source] = []
    /// Whether everything that the exports should hold could be read.
    public var isComplete = true
    /// Elements by name, records inside others apart.
    public var elements: [String: Int] = [:]
    /// Records read, by type.
    public var types: [String: TypeCount] = [:]
    /// Records read, by source name.
    public var sources: [String: Int] = [:]
    /// Records kept.
    public var storedRecordCount = 0
    /// Copies of a record that were merged with it.
    public var duplicateCount = 0
    /// Records in correlations and workouts that also stand at the top level.
    public var nestedTwinCount = 0
    /// Route files read.
    public var routeCount = 0
    /// Points of them.
    public var routePointCount = 0
    /// Electrocardiograms read.
    public var electrocardiogramCount = 0
    /// Clinical resources read.
    public var clinicalResourceCount = 0
    /// First day with data, `yyyy-MM-dd`.
    public var firstDay: String?
    /// Last day with data.
    public var lastDay: String?
    /// Days with data between them.
    public var dayCount = 0
    /// Years without a day between them; nil in a report of an import that did not look for them.
    public var gaps: [DayGap]?
    /// The import whose place this one took; nil for the first.
    public var replaced: ReplacedImport?
    /// What was odd or left out.
    public var problems: [Problem] = []
    /// Unknown elements by `Parent/Name`.
    public var unknownElements: [String: Int] = [:]
    /// Unknown attributes by `Element@name`.
    public var unknownAttributes: [String: Int] = [:]

    /// Records read at the top level.
    public var recordCount: Int { types.values.reduce(0) { $0 + $1.count } }
    /// Elements and files left out.
    public var leftOutCount: Int { problems.reduce(0) { $0 + ($1.leavesOut ? $1.count : 0) } }

    /// Nothing read yet.
    public init() {}

    /// Elements that say something about an export or a person and are no data of any day.
    private static let frameElements: Set<String> = ["HealthData", "ExportDate", "Me"]

    /// Whether nothing of any day came out: an empty generation must not take the place of a full one.
    var isEmpty: Bool {
        storedRecordCount == 0 && electrocardiogramCount == 0 && clinicalResourceCount == 0
            && Self.frameElements.isSuperset(of: elements.keys)
    }

    mutating func add(_ summary: ExportSummary, path: String, isRescued: Bool) {
        exports.append(
            Source(
                path: path, main: summary.entry, byteCount: summary.byteCount, locale: summary.locale,
                exportVersion: summary.exportVersion, exportDate: summary.exportDate?.secondsSince1970,
                brokenOffAt: summary.brokenOffAt?.description))
        if !summary.isComplete || isRescued { isComplete = false }
        elements.merge(summary.elements, uniquingKeysWith: +)
        sources.merge(summary.sources, uniquingKeysWith: +)
        for (type, found) in summary.types {
            let first = found.first?.secondsSince1970 ?? 0
            let last = found.last?.secondsSince1970 ?? 0
            var total =
                types[type] ?? TypeCount(count: 0, nestedCount: 0, first: first, last: last, units: [])
            total.count += found.count
            total.nestedCount += found.nestedCount
            total.first = min(total.first, first)
            total.last = max(total.last, last)
            total.units = Set(total.units).union(found.units).sorted()
            types[type] = total
        }
    }

    mutating func set(_ problems: ExportProblems) {
        self.problems = problems.all.map {
            Problem(
                code: $0.code.rawValue, count: $0.count, leavesOut: $0.code.leavesOut,
                places: $0.places.map(\.description))
        }
        unknownElements = problems.unknownElements
        unknownAttributes = problems.unknownAttributes
    }
}

/// How far an import is.
public struct ImportProgress: Hashable, Sendable {
    /// What it is doing.
    public enum Phase: String, Sendable {
        /// Reading the main file.
        case reading
        /// Writing the days.
        case sorting
        /// Reading routes, recordings and clinical records.
        case files
    }

    /// What it is doing.
    public var phase: Phase
    /// Records read so far.
    public var recordCount: Int
}
