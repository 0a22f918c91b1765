/// What can be wrong with a part of an export without stopping it (apple-health-export.md 15).
/// Everything that is met is counted under one of these codes.
public enum ExportProblemCode: String, CaseIterable, Codable, Sendable {
    // The text.
    case controlCharacterDropped = "control_character_dropped"
    case invalidUTF8Replaced = "invalid_utf8_replaced"
    case unescapedMarkup = "unescaped_markup"
    case unknownEntity = "unknown_entity"
    case forbiddenReferenceDropped = "forbidden_reference_dropped"
    case duplicateAttribute = "duplicate_attribute"
    case oddAttributeName = "odd_attribute_name"
    case unquotedValue = "unquoted_value"
    case malformedTag = "malformed_tag"
    case oversizeElement = "oversize_element"
    case tooManyAttributes = "too_many_attributes"
    case unclosedElement = "unclosed_element"
    case strayEndTag = "stray_end_tag"
    case strayText = "stray_text"
    case contentAfterRoot = "content_after_root"
    case entityDeclarationIgnored = "entity_declaration_ignored"
    // Elements and attributes.
    case unknownElement = "unknown_element"
    case unknownAttribute = "unknown_attribute"
    // Records that are left out.
    case missingType = "missing_type"
    case unreadableDate = "unreadable_date"
    // Records that are kept, with a doubt.
    case unreadableCreationDate = "unreadable_creation_date"
    case oddDateForm = "odd_date_form"
    case endBeforeStart = "end_before_start"
    case dateBefore1970 = "date_before_1970"
    case dateInFuture = "date_in_future"
    case unreadableValue = "unreadable_value"
    case textLimit = "text_limit"
    case duplicateRecord = "duplicate_record"
    // Other files.
    case routeMissing = "route_missing"
    case routeUnreadable = "route_unreadable"
    case routePointUnreadable = "route_point_unreadable"
    case clinicalFileMissing = "clinical_file_missing"
    case clinicalFileUnreadable = "clinical_file_unreadable"
    case clinicalRecordUndated = "clinical_record_undated"
    case electrocardiogramUnreadable = "electrocardiogram_unreadable"
    case entrySkipped = "entry_skipped"
    case archiveRescued = "archive_rescued"
    case incomplete = "incomplete"

    /// Whether this problem means that an element was left out.
    public var leavesOut: Bool {
        switch self {
        case .malformedTag, .oversizeElement, .missingType, .unreadableDate, .routeMissing, .routeUnreadable,
            .routePointUnreadable, .clinicalFileMissing, .clinicalFileUnreadable, .clinicalRecordUndated,
            .electrocardiogramUnreadable,
            .entrySkipped, .incomplete, .textLimit:
            true
        default: false
        }
    }
}

/// One kind of problem: how often, and where the first ones were.
public struct ExportProblem: Hashable, Sendable {
    /// What is wrong.
    public var code: ExportProblemCode
    /// How often it was met.
    public var count: Int
    /// The first places, at most ``ExportProblems/placesKept``.
    public var places: [ExportPlace]
}

/// The problems of one export: exact counts, the first places of each kind, and what had unknown names.
public struct ExportProblems: Sendable {
    /// Places kept of each kind; the counts go on.
    public static let placesKept = 100
    /// Distinct unknown names kept; further ones are counted as `…`.
    public static let namesKept = 1_000

    private var byCode: [ExportProblemCode: ExportProblem] = [:]
    /// How often each unknown element was met, by `Parent/Name`.
    public private(set) var unknownElements: [String: Int] = [:]
    /// How often each unknown attribute was met, by `Element@name`.
    public private(set) var unknownAttributes: [String: Int] = [:]

    /// None.
    public init() {}

    /// How often one kind was met.
    public func count(_ code: ExportProblemCode) -> Int { byCode[code]?.count ?? 0 }

    /// All kinds that were met, ordered by code.
    public var all: [ExportProblem] { byCode.values.sorted { $0.code.rawValue < $1.code.rawValue } }

    /// How many elements or files were left out.
    public var leftOut: Int { byCode.values.reduce(0) { $0 + ($1.code.leavesOut ? $1.count : 0) } }

    /// Whether the place of the next problem of this kind will be kept: finding a line costs time.
    public func wantsPlace(_ code: ExportProblemCode) -> Bool {
        (byCode[code]?.places.count ?? 0) < Self.placesKept
    }

    /// Counts a problem, at a place if that is still wanted.
    public mutating func note(_ code: ExportProblemCode, count: Int = 1, at place: ExportPlace?) {
        var problem = byCode.removeValue(forKey: code) ?? ExportProblem(code: code, count: 0, places: [])
        problem.count += count
        if let place, problem.places.count < Self.placesKept { problem.places.append(place) }
        byCode[code] = problem
    }

    /// Adds the problems of another part of the export.
    public mutating func merge(_ other: ExportProblems) {
        for problem in other.byCode.values {
            note(problem.code, count: problem.count, at: nil)
            for place in problem.places where wantsPlace(problem.code) { note(problem.code, count: 0, at: place) }
        }
        unknownElements.merge(other.unknownElements, uniquingKeysWith: +)
        unknownAttributes.merge(other.unknownAttributes, uniquingKeysWith: +)
    }

    /// Counts an unknown element under its name.
    public mutating func noteUnknownElement(_ name: String) { Self.count(name, in: &unknownElements) }

    /// Counts an unknown attribute under its name.
    public mutating func noteUnknownAttribute(_ name: String) { Self.count(name, in: &unknownAttributes) }

    private static func count(_ name: String, in counts: inout [String: Int]) {
        let key = counts[name] != nil || counts.count < namesKept ? name : "…"
        counts[key, default: 0] += 1
    }
}
