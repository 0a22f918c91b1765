import Foundation

/// What two peers agreed upon for a corpus session (corpus-protocol.md 3.2, 3.3).
public struct CorpusNegotiation: Sendable, Hashable {
    /// Since this version a receiver attests that it makes pinned roll-ups by one range plan (corpus-protocol.md 13.6, 19).
    public static let rangePlanVersion = 3

    /// Largest version that both speak: that of new sessions.
    public let protocolVersion: Int
    /// Every version that both speak: a session keeps its own for life (corpus-protocol.md 19).
    public let sharedVersions: Set<Int>
    /// Size that partitions aim at, in bytes.
    public let partitionTargetBytes: Int64
    /// The two installations, when both keep journals; nil means the in-memory sender.
    public let peerBinding: PeerBinding?

    /// Whether both sides keep journals.
    public var isDurable: Bool { peerBinding != nil }

    /// The agreement of a source and a destination, or nil when there is none. Symmetric in everything but the names
    /// in the binding.
    public init?(source: PeerCapabilities, destination: PeerCapabilities) {
        guard source.supports(.partitionedConnectedExports), destination.supports(.partitionedConnectedExports),
            let mine = source.corpus, let theirs = destination.corpus
        else { return nil }
        let shared = Set(mine.protocolVersions).intersection(theirs.protocolVersions)
        guard let version = shared.max() else { return nil }
        let lower = max(mine.partitionTargetBounds.minimumBytes, theirs.partitionTargetBounds.minimumBytes)
        let upper = min(mine.partitionTargetBounds.maximumBytes, theirs.partitionTargetBounds.maximumBytes)
        guard lower <= upper else { return nil }
        let preferred = min(mine.partitionTargetBounds.preferredBytes, theirs.partitionTargetBounds.preferredBytes)
        protocolVersion = version
        sharedVersions = shared
        partitionTargetBytes = min(max(preferred, lower), upper)
        if version >= 2, source.supports(.durableConnectedExportRecovery),
            destination.supports(.durableConnectedExportRecovery), let sourceID = source.installationID,
            let destinationID = destination.installationID
        {
            peerBinding = PeerBinding(sourceInstallationID: sourceID, destinationInstallationID: destinationID)
        } else {
            peerBinding = nil
        }
    }
}

/// How chunks travel (corpus-protocol.md 3.4, extensions.md 3.4).
public struct ChunkTransport: Sendable, Hashable {
    /// Version of the binary frame; nil for JSON chunks.
    public let binaryFrameVersion: Int?
    /// Chunks that may be unacknowledged.
    public let window: Int

    /// JSON chunks, one at a time: what every peer understands.
    public static let plain = ChunkTransport(binaryFrameVersion: nil, window: 1)

    private init(binaryFrameVersion: Int?, window: Int) {
        self.binaryFrameVersion = binaryFrameVersion
        self.window = window
    }

    /// The agreement of two peers. On Manual IP there are frames and windows only inside secure records, whatever was
    /// advertised.
    public init(_ one: PeerCapabilities, _ other: PeerCapabilities, usesSecureRecords: Bool) {
        // A shared version that this program cannot write is no agreement.
        let shared = Set(one.binaryFrameVersions).intersection(other.binaryFrameVersions)
        guard usesSecureRecords, let version = shared.max(), version == BinaryFrame.version else {
            self = .plain
            return
        }
        binaryFrameVersion = version
        window = min(ChunkTransport.clamped(one), ChunkTransport.clamped(other))
    }

    private static func clamped(_ peer: PeerCapabilities) -> Int {
        let range = PeerCapabilities.windowRange
        return min(max(peer.maximumInFlightChunks, range.lowerBound), range.upperBound)
    }
}

/// A capability that a peer lacks for what is wanted. Leads to a structured rejection, never to a silent downgrade
/// (corpus-protocol.md 3.5).
public struct MissingCapability: Error, Sendable, Hashable, CustomStringConvertible {
    /// Key of the `hello` that would have to be there.
    public let key: String

    init(_ capability: PeerCapability) { key = capability.rawValue }
    init(key: String) { self.key = key }

    /// Stable name of the fault.
    public var code: String { "missing_capability" }
    /// A sentence that names the capability.
    public var description: String { "missing_capability: the peer lacks \(key); update the app on that device" }
}

/// The version of both published schemas that this program reads (corpus-protocol.md 3.5).
private let supportedSchemaVersion = 1

extension PeerCapabilities {
    /// What is missing for any file job.
    public var missingForFileJobs: MissingCapability? {
        if protocolVersion < PeerCapabilities.currentProtocolVersion {
            return MissingCapability(key: "protocolVersion")
        }
        return firstMissing([
            .macExportJobs, .macDestinationStatus, .granularPayloads, .authoritativeFileAccounting,
        ])
    }

    /// What is missing for a file job with source records.
    public var missingForLosslessFileJobs: MissingCapability? {
        missingForFileJobs ?? firstMissing([.sizeBoundedConnectedTransfers]) ?? missingArchiveSchema
    }

    /// What is missing for a strict raw result.
    public func missing(for profile: RawProfile) -> MissingCapability? {
        switch profile {
        case .canonicalSourceRecords:
            firstMissing([.sizeBoundedConnectedTransfers, .strictRawStreaming]) ?? missingArchiveSchema
                ?? missingRawResultSchema
        case .healthDataProjection:
            firstMissing([
                .sizeBoundedConnectedTransfers, .strictRawStreaming, .partitionedConnectedExports,
                .canonicalHealthDataSelection,
            ]) ?? missingRawResultSchema
        }
    }

    /// What is missing for the settings of a file job.
    public func missing(for settings: SettingsSnapshot) -> MissingCapability? {
        var needed: [PeerCapability] = []
        if settings.generateRangeSummary { needed.append(.rollupSummaries) }
        if settings.summaryOnlyExport { needed.append(.summaryOnlyExports) }
        if settings.dailyNoteInjection.dailyNotesOnly { needed.append(.dailyNoteOnlyExports) }
        if !settings.includeDataDictionary { needed.append(.dataDictionaryExportPreference) }
        return firstMissing(needed)
    }

    /// What is missing for settings with a pinned engine and roll-ups, given the corpus agreement of the two peers: before version 3
    /// nobody can make them (corpus-protocol.md 13.6).
    public func missing(
        forPinIn settings: SettingsSnapshot, _ negotiation: CorpusNegotiation?
    ) -> MissingCapability? {
        guard settings.appleExportEnginePin != nil, settings.wantsRollups,
            negotiation?.protocolVersion ?? 0 < CorpusNegotiation.rangePlanVersion
        else { return nil }
        return MissingCapability(key: "connectedCorpusTransferCapabilities")
    }

    /// What is missing for a request for all history, given the corpus agreement of the two peers.
    public func missingForAllHistory(_ negotiation: CorpusNegotiation?) -> MissingCapability? {
        firstMissing([.allAvailableHistory])
            ?? (negotiation == nil ? MissingCapability(key: "connectedCorpusTransferCapabilities") : nil)
    }

    private func firstMissing(_ needed: [PeerCapability]) -> MissingCapability? {
        needed.first { !flags.contains($0) }.map { MissingCapability($0) }
    }

    private var missingArchiveSchema: MissingCapability? {
        archiveSchemaVersions.contains(supportedSchemaVersion)
            ? nil : MissingCapability(key: "canonicalArchiveSchemaVersions")
    }

    private var missingRawResultSchema: MissingCapability? {
        rawResultSchemaVersions.contains(supportedSchemaVersion)
            ? nil : MissingCapability(key: "canonicalRawResultSchemaVersions")
    }
}
