import Foundation

/// Which device a peer is.
public enum PeerPlatform {
    /// The source.
    public static let phone = "iOS"
    /// The destination.
    public static let workstation = "macOS"
}

/// How large partitions may be (corpus-protocol.md 3.1).
public struct PartitionTargetBounds: Sendable, Hashable, Codable {
    /// Smallest target that any peer may ask for, in bytes.
    public static let floor: Int64 = 33_554_432
    /// Largest target, and largest partition, in bytes.
    public static let ceiling: Int64 = 67_108_864
    /// 32, 48 and 64 MiB.
    public static let standard = PartitionTargetBounds(
        uncheckedMinimum: floor, preferred: 50_331_648, maximum: ceiling)

    /// Least target in bytes.
    public let minimumBytes: Int64
    /// Preferred target in bytes.
    public let preferredBytes: Int64
    /// Greatest target in bytes.
    public let maximumBytes: Int64

    private init(uncheckedMinimum: Int64, preferred: Int64, maximum: Int64) {
        minimumBytes = uncheckedMinimum
        preferredBytes = preferred
        maximumBytes = maximum
    }

    /// Bounds; throws `CorpusModelError.partitionBounds` unless floor ≤ minimum ≤ preferred ≤ maximum ≤ ceiling.
    public init(minimumBytes: Int64, preferredBytes: Int64, maximumBytes: Int64) throws {
        guard PartitionTargetBounds.floor <= minimumBytes, minimumBytes <= preferredBytes,
            preferredBytes <= maximumBytes, maximumBytes <= PartitionTargetBounds.ceiling
        else { throw CorpusModelError.partitionBounds }
        self.init(uncheckedMinimum: minimumBytes, preferred: preferredBytes, maximum: maximumBytes)
    }

    /// Reads and checks bounds.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            minimumBytes: container.decode(Int64.self, forKey: .minimumBytes),
            preferredBytes: container.decode(Int64.self, forKey: .preferredBytes),
            maximumBytes: container.decode(Int64.self, forKey: .maximumBytes))
    }
}

/// What a peer can do in a corpus session (corpus-protocol.md 3.1).
public struct CorpusCapabilities: Sendable, Hashable, Codable {
    /// Versions of the corpus protocol, ascending and unique.
    public let protocolVersions: [Int]
    /// Sizes of partitions.
    public let partitionTargetBounds: PartitionTargetBounds

    /// Every version that this program speaks.
    public static let knownVersions: ClosedRange<Int> = 1...4
    /// What this program says of itself.
    public static let standard = CorpusCapabilities(
        uncheckedVersions: Array(knownVersions), bounds: .standard)

    private init(uncheckedVersions: [Int], bounds: PartitionTargetBounds) {
        protocolVersions = uncheckedVersions
        partitionTargetBounds = bounds
    }

    /// Capabilities; throws `CorpusModelError.protocolVersions` for an empty list or a version below 1.
    public init(protocolVersions: [Int], partitionTargetBounds: PartitionTargetBounds) throws {
        guard !protocolVersions.isEmpty, protocolVersions.allSatisfy({ $0 > 0 }) else {
            throw CorpusModelError.protocolVersions
        }
        self.init(uncheckedVersions: Set(protocolVersions).sorted(), bounds: partitionTargetBounds)
    }

    /// Reads and checks capabilities.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            protocolVersions: container.decode([Int].self, forKey: .protocolVersions),
            partitionTargetBounds: container.decode(PartitionTargetBounds.self, forKey: .partitionTargetBounds))
    }
}

/// Content of a `hello` (corpus-protocol.md 3.1).
public struct PeerCapabilities: Sendable, Hashable, Codable {
    /// The current version of the message protocol.
    public static let currentProtocolVersion = 2
    /// The window this program offers unless configured otherwise (extensions.md 3.4).
    public static let standardWindow = 4
    /// What a window may be (corpus-protocol.md 3.1).
    public static let windowRange = 1...8

    /// Version of the message protocol.
    public var protocolVersion: Int
    /// `iOS` or `macOS`.
    public var platform: String
    /// Version of the program.
    public var appVersion: String?
    /// Build of the program.
    public var buildNumber: String?
    /// Identity of this installation; nil for a legacy peer.
    public var installationID: UUID?
    /// Corpus sessions.
    public var corpus: CorpusCapabilities?
    /// Binary frame versions, ascending and unique.
    public var binaryFrameVersions: [Int]
    /// Window as advertised; `Negotiation` clamps it.
    public var maximumInFlightChunks: Int
    /// Archive schema versions, ascending and unique.
    public var archiveSchemaVersions: [Int]
    /// Raw result schema versions, ascending and unique.
    public var rawResultSchemaVersions: [Int]
    /// Every capability that is a yes or a no.
    public var flags: Set<PeerCapability>
    /// Whether Manual IP needs a pairing; true when the peer does not say.
    public var manualIPSyncRequiresPairing: Bool
    /// Our own extensions (extensions.md 2.7, 3.1).
    public var extensions: HelloExtensions

    /// Capabilities of a peer.
    public init(
        platform: String, installationID: UUID?, flags: Set<PeerCapability>,
        corpus: CorpusCapabilities? = .standard, binaryFrameVersions: [Int] = [BinaryFrame.version],
        maximumInFlightChunks: Int = standardWindow, archiveSchemaVersions: [Int] = [1],
        rawResultSchemaVersions: [Int] = [1], appVersion: String? = nil, buildNumber: String? = nil,
        manualIPSyncRequiresPairing: Bool = true, extensions: HelloExtensions = .absent
    ) {
        protocolVersion = PeerCapabilities.currentProtocolVersion
        self.platform = platform
        self.appVersion = appVersion
        self.buildNumber = buildNumber
        self.installationID = installationID
        self.corpus = corpus
        self.binaryFrameVersions = binaryFrameVersions
        self.maximumInFlightChunks = maximumInFlightChunks
        self.archiveSchemaVersions = archiveSchemaVersions
        self.rawResultSchemaVersions = rawResultSchemaVersions
        self.flags = flags
        self.manualIPSyncRequiresPairing = manualIPSyncRequiresPairing
        self.extensions = extensions
    }

    /// Whether the peer has a capability.
    public func supports(_ capability: PeerCapability) -> Bool { flags.contains(capability) }
}

/// A capability that a `hello` answers with yes or no; the raw value is its key (corpus-protocol.md 3.1).
public enum PeerCapability: String, Sendable, CaseIterable {
    /// File jobs of the destination.
    case macExportJobs = "supportsMacExportJobs"
    /// The `macStatus` message.
    case macDestinationStatus = "supportsMacDestinationStatus"
    /// Cancellation of jobs.
    case jobCancellation = "supportsJobCancellation"
    /// Payloads with sample detail.
    case granularPayloads = "supportsGranularPayloads"
    /// Corpus sessions.
    case partitionedConnectedExports = "supportsPartitionedConnectedExports"
    /// Journals on both sides.
    case durableConnectedExportRecovery = "supportsDurableConnectedExportRecovery"
    /// The transfer messages.
    case sizeBoundedConnectedTransfers = "supportsSizeBoundedConnectedTransfers"
    /// Strict raw results.
    case strictRawStreaming = "supportsStrictRawStreaming"
    /// Exact file counts in results.
    case authoritativeFileAccounting = "supportsAuthoritativeMacExportFileAccounting"
    /// Selections in requests.
    case canonicalHealthDataSelection = "supportsCanonicalHealthDataSelection"
    /// Context requests.
    case requestScopedContextAcquisition = "supportsRequestScopedContextAcquisition"
    /// Requests for all history.
    case allAvailableHistory = "supportsAllAvailableHistoryExportRequests"
    /// Requests from the destination.
    case iPhoneExportRequests = "supportsIPhoneExportRequests"
    /// Completion by date.
    case perDateExportCompletion = "supportsPerDateExportCompletion"
    /// Roll-ups.
    case rollupSummaries = "supportsRollupSummaries"
    /// Range summaries of schema 9.
    case rangeV9Summaries = "supportsRangeV9Summaries"
    /// Roll-ups without daily files.
    case summaryOnlyExports = "supportsSummaryOnlyExports"
    /// Separate settings for samples and archive.
    case splitExportDetailPolicy = "supportsSplitExportDetailPolicy"
    /// Daily Notes Only.
    case dailyNoteOnlyExports = "supportsDailyNoteOnlyExports"
    /// Suppression of the dictionary.
    case dataDictionaryExportPreference = "supportsDataDictionaryExportPreference"
    /// Legacy streamed file jobs.
    case chunkedMacExportJobs = "supportsChunkedMacExportJobs"
    /// The Manual IP transport.
    case manualIPSync = "supportsManualIPSync"
    /// Context refresh from the source.
    case iPhoneInitiatedContextRefresh = "supportsIPhoneInitiatedContextRefresh"

    /// The four without which a `hello` cannot be read.
    public static let required: [PeerCapability] = [
        .macExportJobs, .macDestinationStatus, .jobCancellation, .granularPayloads,
    ]
}
