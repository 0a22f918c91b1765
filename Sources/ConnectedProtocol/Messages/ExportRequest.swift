import Foundation

/// How the days of a request are given.
public enum DateSelection: String, Sendable, Codable {
    /// A range, with labels where the destination knows them.
    case explicitRange = "explicit_range"
    /// Everything that the source has.
    case allAvailable = "all_available"
}

/// Who asked.
public enum ExportRequester: String, Sendable, Codable {
    /// The application.
    case macApp
    /// The command line.
    case cli
}

/// Which of the source's settings apply.
public enum SettingsPolicy: String, Sendable, Codable {
    /// The saved settings.
    case currentIPhoneSettings
    /// The saved settings without roll-ups and summary-only.
    case requestedDatesOnly
}

/// What the destination wants to have in the end.
public enum ResponseMode: String, Sendable, Codable {
    /// Files in a folder.
    case writeFiles
    /// One raw result document.
    case rawJSON
    /// A context store.
    case contextStore

    /// The mode of the corpus session that serves such a request (corpus-protocol.md 4.1).
    public var corpusMode: CorpusMode {
        switch self {
        case .writeFiles: .writeFiles
        case .rawJSON: .strictRaw
        case .contextStore: .encryptedContext
        }
    }
}

/// What a strict raw result contains.
public enum RawProfile: String, Sendable, Codable {
    /// Every source record.
    case canonicalSourceRecords = "canonical_source_records_v1"
    /// A selection of the daily document.
    case healthDataProjection = "health_data_projection"
}

/// How much detail a selection asks for.
public enum DetailLevel: String, Sendable, Codable {
    /// Aggregates.
    case summary
    /// Aggregates and every source record.
    case lossless
}

/// Which part of the data a request is about (corpus-protocol.md 4.1).
public struct CanonicalSelection: Sendable, Hashable, Codable {
    /// Metric identifiers.
    public var metricIDs: [String]
    /// Source identifiers.
    public var sourceIDs: [String]
    /// Detail.
    public var detailLevel: DetailLevel
    /// Paths of objects.
    public var objectPaths: [String]
    /// JSON pointers of fields.
    public var fieldPointers: [String]

    /// The only source that is assumed when none is named.
    public static let defaultSourceIDs = ["apple_health"]

    /// A selection.
    public init(
        metricIDs: [String], sourceIDs: [String] = defaultSourceIDs, detailLevel: DetailLevel,
        objectPaths: [String] = [], fieldPointers: [String] = []
    ) {
        self.metricIDs = metricIDs
        self.sourceIDs = sourceIDs
        self.detailLevel = detailLevel
        self.objectPaths = objectPaths
        self.fieldPointers = fieldPointers
    }

    private enum CodingKeys: String, CodingKey {
        case metricIDs = "metric_ids"
        case sourceIDs = "source_ids"
        case detailLevel = "detail_level"
        case objectPaths = "object_paths"
        case fieldPointers = "field_pointers"
    }

    /// Reads a selection; a missing list is empty, missing sources are the default ones.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        metricIDs = try container.value(.metricIDs, default: [])
        sourceIDs = try container.value(.sourceIDs, default: CanonicalSelection.defaultSourceIDs)
        detailLevel = try container.value(.detailLevel, default: .summary)
        objectPaths = try container.value(.objectPaths, default: [])
        fieldPointers = try container.value(.fieldPointers, default: [])
    }

    /// Whether every list is sorted by bytes and without repetition.
    public var isSortedAndUnique: Bool {
        [metricIDs, sourceIDs, objectPaths, fieldPointers].allSatisfy { list in
            zip(list, list.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }
}

/// A request for an export (corpus-protocol.md 4.1).
///
/// Decoding checks types only; the rules are `selectionIssue(…)` and `dateIssue`, because the source answers them with
/// different reasons and in its own order.
public struct ExportRequest: Sendable, Hashable, Codable {
    /// The job; the same in every later message.
    public var jobID: UUID
    /// When the request was made.
    public var createdAt: ProtocolDate
    /// How the days are given.
    public var dateSelection: DateSelection
    /// Start of the range; a placeholder for all history.
    public var dateRangeStart: ProtocolDate
    /// End of the range.
    public var dateRangeEnd: ProtocolDate
    /// `yyyy-MM-dd` labels in the source's calendar.
    public var requestedDateIdentifiers: [String]?
    /// Who asked.
    public var requestedBy: ExportRequester
    /// Which settings apply.
    public var settingsPolicy: SettingsPolicy
    /// What is wanted.
    public var responseMode: ResponseMode
    /// Kind of raw result.
    public var rawProfile: RawProfile?
    /// Part of the data.
    public var canonicalSelection: CanonicalSelection?

    /// A request.
    public init(
        jobID: UUID, createdAt: ProtocolDate, dateSelection: DateSelection = .explicitRange,
        dateRangeStart: ProtocolDate, dateRangeEnd: ProtocolDate, requestedDateIdentifiers: [String]? = nil,
        requestedBy: ExportRequester, settingsPolicy: SettingsPolicy, responseMode: ResponseMode,
        rawProfile: RawProfile? = nil, canonicalSelection: CanonicalSelection? = nil
    ) {
        self.jobID = jobID
        self.createdAt = createdAt
        self.dateSelection = dateSelection
        self.dateRangeStart = dateRangeStart
        self.dateRangeEnd = dateRangeEnd
        self.requestedDateIdentifiers = requestedDateIdentifiers
        self.requestedBy = requestedBy
        self.settingsPolicy = settingsPolicy
        self.responseMode = responseMode
        self.rawProfile = rawProfile
        self.canonicalSelection = canonicalSelection
    }

    /// Reads a request; a missing date selection is an explicit range, a missing mode is files.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        jobID = try container.decode(UUID.self, forKey: .jobID)
        createdAt = try container.decode(ProtocolDate.self, forKey: .createdAt)
        dateSelection = try container.value(.dateSelection, default: .explicitRange)
        dateRangeStart = try container.decode(ProtocolDate.self, forKey: .dateRangeStart)
        dateRangeEnd = try container.decode(ProtocolDate.self, forKey: .dateRangeEnd)
        requestedDateIdentifiers = try container.decodeIfPresent([String].self, forKey: .requestedDateIdentifiers)
        requestedBy = try container.decode(ExportRequester.self, forKey: .requestedBy)
        settingsPolicy = try container.decode(SettingsPolicy.self, forKey: .settingsPolicy)
        responseMode = try container.value(.responseMode, default: .writeFiles)
        rawProfile = try container.decodeIfPresent(RawProfile.self, forKey: .rawProfile)
        canonicalSelection = try container.decodeIfPresent(CanonicalSelection.self, forKey: .canonicalSelection)
    }
}
