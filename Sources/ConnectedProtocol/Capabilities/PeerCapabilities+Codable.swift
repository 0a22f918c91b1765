import Foundation

extension PeerCapabilities {
    private enum Keys: String, CodingKey {
        case protocolVersion, platform, appVersion, buildNumber, installationID
        case corpus = "connectedCorpusTransferCapabilities"
        case binaryFrameVersions = "connectedTransferBinaryFrameVersions"
        case maximumInFlightChunks = "connectedTransferMaximumInFlightChunks"
        case archiveSchemaVersions = "canonicalArchiveSchemaVersions"
        case rawResultSchemaVersions = "canonicalRawResultSchemaVersions"
        case manualIPSyncRequiresPairing
        case extensions = "healthmdExtensions"
    }

    private struct FlagKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ capability: PeerCapability) { stringValue = capability.rawValue }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads a `hello`. Version lists are sets; a missing flag is a no; faulty corpus capabilities make the whole
    /// message undecodable, faulty extensions of ours do not (corpus-protocol.md 3.1, extensions.md 2.7).
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let flagContainer = try decoder.container(keyedBy: FlagKey.self)
        func versions(_ key: Keys) throws -> [Int] { Set(try container.value(key, default: [Int]())).sorted() }

        protocolVersion = try container.decode(Int.self, forKey: .protocolVersion)
        platform = try container.decode(String.self, forKey: .platform)
        appVersion = try container.decodeIfPresent(String.self, forKey: .appVersion)
        buildNumber = try container.decodeIfPresent(String.self, forKey: .buildNumber)
        installationID = try container.decodeIfPresent(UUID.self, forKey: .installationID)
        corpus = try container.decodeIfPresent(CorpusCapabilities.self, forKey: .corpus)
        binaryFrameVersions = try versions(.binaryFrameVersions)
        maximumInFlightChunks = try container.value(.maximumInFlightChunks, default: 1)
        archiveSchemaVersions = try versions(.archiveSchemaVersions)
        rawResultSchemaVersions = try versions(.rawResultSchemaVersions)
        manualIPSyncRequiresPairing = try container.value(.manualIPSyncRequiresPairing, default: true)
        extensions = try container.value(.extensions, default: .absent)
        flags = []
        for capability in PeerCapability.allCases {
            let key = FlagKey(capability)
            let isSet =
                PeerCapability.required.contains(capability)
                ? try flagContainer.decode(Bool.self, forKey: key) : try flagContainer.value(key, default: false)
            if isSet { flags.insert(capability) }
        }
    }

    /// Writes a `hello` with every flag spelled out.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(protocolVersion, forKey: .protocolVersion)
        try container.encode(platform, forKey: .platform)
        try container.encodeIfPresent(appVersion, forKey: .appVersion)
        try container.encodeIfPresent(buildNumber, forKey: .buildNumber)
        try container.encodeIfPresent(installationID, forKey: .installationID)
        try container.encodeIfPresent(corpus, forKey: .corpus)
        try container.encode(binaryFrameVersions, forKey: .binaryFrameVersions)
        try container.encode(maximumInFlightChunks, forKey: .maximumInFlightChunks)
        try container.encode(archiveSchemaVersions, forKey: .archiveSchemaVersions)
        try container.encode(rawResultSchemaVersions, forKey: .rawResultSchemaVersions)
        try container.encode(manualIPSyncRequiresPairing, forKey: .manualIPSyncRequiresPairing)
        if case .wellFormed = extensions { try container.encode(extensions, forKey: .extensions) }
        var flagContainer = encoder.container(keyedBy: FlagKey.self)
        for capability in PeerCapability.allCases {
            try flagContainer.encode(flags.contains(capability), forKey: FlagKey(capability))
        }
    }
}
