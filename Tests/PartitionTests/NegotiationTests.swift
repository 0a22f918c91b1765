import Foundation
import Testing

@testable import ConnectedProtocol

private func peer(
    _ platform: String, flags: Set<PeerCapability> = Set(PeerCapability.allCases),
    corpus: CorpusCapabilities? = .standard, id: UUID? = UUID(), window: Int = 4, frames: [Int] = [1]
) -> PeerCapabilities {
    PeerCapabilities(
        platform: platform, installationID: id, flags: flags, corpus: corpus, binaryFrameVersions: frames,
        maximumInFlightChunks: window)
}

private func corpus(_ versions: [Int], _ bounds: PartitionTargetBounds = .standard) throws -> CorpusCapabilities {
    try CorpusCapabilities(protocolVersions: versions, partitionTargetBounds: bounds)
}

@Suite("Capabilities and negotiation")
struct NegotiationTests {
    private let required =
        #""protocolVersion":2,"platform":"iOS","supportsMacExportJobs":true,"supportsMacDestinationStatus":true,"supportsJobCancellation":true,"supportsGranularPayloads":true"#

    private func hello(_ tail: String) throws -> SyncMessage {
        try SyncMessage.decode(Array("{\"hello\":{\"_0\":{\(required)\(tail)}}}".utf8))
    }

    @Test("missing keys have their published meaning")
    func defaults() throws {
        guard case .hello(let peer) = try hello("") else {
            Issue.record("no hello")
            return
        }
        #expect(peer.installationID == nil && peer.corpus == nil)
        #expect(peer.maximumInFlightChunks == 1 && peer.binaryFrameVersions.isEmpty)
        #expect(peer.manualIPSyncRequiresPairing)
        #expect(peer.flags == Set(PeerCapability.required))
        #expect(peer.extensions == .absent)
    }

    @Test("a hello without one of its required keys cannot be read")
    func requiredKeys() throws {
        for key in ["protocolVersion", "platform"] + PeerCapability.required.map(\.rawValue) {
            let text = "{\"hello\":{\"_0\":{\(required)}}}".replacingOccurrences(of: "\"\(key)\"", with: "\"x\"")
            guard case .malformed = try SyncMessage.decode(Array(text.utf8)) else {
                Issue.record("\(key)")
                continue
            }
        }
    }

    @Test(
        "faulty corpus capabilities spoil the whole hello",
        arguments: [
            #"{"protocolVersions":[],"partitionTargetBounds":{"minimumBytes":33554432,"preferredBytes":33554432,"maximumBytes":33554432}}"#,
            #"{"protocolVersions":[0],"partitionTargetBounds":{"minimumBytes":33554432,"preferredBytes":33554432,"maximumBytes":33554432}}"#,
            #"{"protocolVersions":[1],"partitionTargetBounds":{"minimumBytes":33554431,"preferredBytes":33554432,"maximumBytes":33554432}}"#,
            #"{"protocolVersions":[1],"partitionTargetBounds":{"minimumBytes":33554433,"preferredBytes":33554432,"maximumBytes":33554433}}"#,
            #"{"protocolVersions":[1],"partitionTargetBounds":{"minimumBytes":33554432,"preferredBytes":33554433,"maximumBytes":33554432}}"#,
            #"{"protocolVersions":[1],"partitionTargetBounds":{"minimumBytes":33554432,"preferredBytes":33554432,"maximumBytes":67108865}}"#,
        ])
    func faultyCorpus(value: String) throws {
        guard case .malformed = try hello(",\"connectedCorpusTransferCapabilities\":\(value)") else {
            Issue.record("accepted")
            return
        }
    }

    @Test("version lists are sets")
    func versionSets() throws {
        guard case .hello(let peer) = try hello(#","connectedTransferBinaryFrameVersions":[2,1,1]"#) else { return }
        #expect(peer.binaryFrameVersions == [1, 2])
    }

    @Test(
        "malformed extensions do not spoil the hello but are told apart",
        arguments: [
            (#"{"secureRecords":[1]}"#, true), (#"{"secureRecords":[1],"deviceName":"NAS","future":{}}"#, true),
            (#"{"secureRecords":[]}"#, false), (#"{"secureRecords":[0]}"#, false), (#"{"secureRecords":[1.5]}"#, false),
            (#"{"secureRecords":"1"}"#, false), ("{}", false), ("[]", false), ("1", false),
            (#"{"secureRecords":[1],"deviceName":"a\u0007"}"#, false),
            (#"{"secureRecords":[1],"deviceName":"\#(String(repeating: "x", count: 129))"}"#, false),
            (#"{"secureRecords":[1],"deviceName":"\#(String(repeating: "x", count: 128))"}"#, true),
            (#"{"secureRecords":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}"#, true),
            (#"{"secureRecords":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}"#, false),
        ])
    func extensions(value: String, isWellFormed: Bool) throws {
        guard case .hello(let peer) = try hello(",\"healthmdExtensions\":\(value)") else {
            Issue.record("no hello")
            return
        }
        #expect((peer.extensions.value != nil) == isWellFormed)
        #expect((peer.extensions == .malformed) == !isWellFormed)
    }

    @Test("a device name of ours is made to fit")
    func deviceName() throws {
        let name = "a\u{7}" + String(repeating: "é", count: 100)
        let extensions = try HealthmdExtensions(secureRecords: [1], deviceName: name)
        #expect(extensions.deviceName == "a" + String(repeating: "é", count: 63))
    }

    @Test("the largest shared version and the standard target of 48 MiB")
    func standard() throws {
        let negotiation = try #require(CorpusNegotiation(source: peer("iOS"), destination: peer("macOS")))
        #expect(negotiation.protocolVersion == 4 && negotiation.partitionTargetBytes == 50_331_648)
        #expect(negotiation.isDurable)
        let older = try peer("macOS", corpus: corpus([1, 3]))
        #expect(CorpusNegotiation(source: peer("iOS"), destination: older)?.protocolVersion == 3)
        let other = try peer("macOS", corpus: corpus([5]))
        #expect(CorpusNegotiation(source: peer("iOS"), destination: other) == nil)
    }

    @Test("the target is the smaller preference within both bounds")
    func targets() throws {
        func target(_ one: PartitionTargetBounds, _ two: PartitionTargetBounds) throws -> Int64? {
            CorpusNegotiation(
                source: try peer("iOS", corpus: corpus([1], one)),
                destination: try peer("macOS", corpus: corpus([1], two))
            )?.partitionTargetBytes
        }
        let MiB: Int64 = 1_048_576
        let low = try PartitionTargetBounds(minimumBytes: 32 * MiB, preferredBytes: 33 * MiB, maximumBytes: 34 * MiB)
        let high = try PartitionTargetBounds(minimumBytes: 40 * MiB, preferredBytes: 50 * MiB, maximumBytes: 64 * MiB)
        let wide = try PartitionTargetBounds(minimumBytes: 36 * MiB, preferredBytes: 64 * MiB, maximumBytes: 64 * MiB)
        let eager = try PartitionTargetBounds(minimumBytes: 32 * MiB, preferredBytes: 32 * MiB, maximumBytes: 64 * MiB)
        #expect(try target(low, high) == nil)
        #expect(try target(high, wide) == 50 * MiB)
        #expect(try target(eager, high) == 40 * MiB)
    }

    @Test("a durable session needs both journals, both identities and version 2")
    func durability() throws {
        let withoutFlag = peer(
            "macOS", flags: Set(PeerCapability.allCases).subtracting([.durableConnectedExportRecovery]))
        #expect(CorpusNegotiation(source: peer("iOS"), destination: withoutFlag)?.isDurable == false)
        #expect(CorpusNegotiation(source: peer("iOS", id: nil), destination: peer("macOS"))?.isDurable == false)
        let first = try peer("macOS", corpus: corpus([1]))
        #expect(CorpusNegotiation(source: peer("iOS"), destination: first)?.isDurable == false)
        let one = peer("iOS")
        let two = peer("macOS")
        let binding = CorpusNegotiation(source: one, destination: two)?.peerBinding
        #expect(binding?.sourceInstallationID == one.installationID)
        #expect(binding?.destinationInstallationID == two.installationID)
    }

    @Test("no partitions without the flag or the capabilities of both")
    func noCorpus() {
        let without = peer("iOS", flags: Set(PeerCapability.allCases).subtracting([.partitionedConnectedExports]))
        #expect(CorpusNegotiation(source: without, destination: peer("macOS")) == nil)
        #expect(CorpusNegotiation(source: peer("iOS", corpus: nil), destination: peer("macOS")) == nil)
    }

    @Test("frames and windows only inside secure records, the window clamped to 1…8")
    func frames() {
        #expect(ChunkTransport(peer("iOS"), peer("macOS"), usesSecureRecords: false) == .plain)
        let shared = ChunkTransport(peer("iOS", window: 99), peer("macOS", window: 6), usesSecureRecords: true)
        #expect(shared.binaryFrameVersion == 1 && shared.window == 6)
        #expect(ChunkTransport(peer("iOS", window: 99), peer("macOS", window: 50), usesSecureRecords: true).window == 8)
        #expect(ChunkTransport(peer("iOS", window: -3), peer("macOS"), usesSecureRecords: true).window == 1)
        #expect(ChunkTransport(peer("iOS", frames: []), peer("macOS"), usesSecureRecords: true) == .plain)
        #expect(ChunkTransport(peer("iOS", frames: [2]), peer("macOS", frames: [2]), usesSecureRecords: true) == .plain)
    }

    @Test("each feature gate names the capability that is missing")
    func gates() throws {
        let all = Set(PeerCapability.allCases)
        func without(_ capability: PeerCapability) -> PeerCapabilities {
            peer("macOS", flags: all.subtracting([capability]))
        }
        for capability in [
            PeerCapability.macExportJobs, .macDestinationStatus, .granularPayloads, .authoritativeFileAccounting,
        ] {
            #expect(without(capability).missingForFileJobs?.key == capability.rawValue)
        }
        #expect(peer("macOS").missingForFileJobs == nil && peer("macOS").missingForLosslessFileJobs == nil)
        #expect(without(.sizeBoundedConnectedTransfers).missingForLosslessFileJobs != nil)
        for capability in [PeerCapability.sizeBoundedConnectedTransfers, .strictRawStreaming] {
            #expect(without(capability).missing(for: .canonicalSourceRecords)?.key == capability.rawValue)
            #expect(without(capability).missing(for: .healthDataProjection)?.key == capability.rawValue)
        }
        #expect(without(.canonicalHealthDataSelection).missing(for: .healthDataProjection) != nil)
        #expect(without(.canonicalHealthDataSelection).missing(for: .canonicalSourceRecords) == nil)
        var old = peer("macOS")
        old.archiveSchemaVersions = [2]
        #expect(old.missing(for: .canonicalSourceRecords)?.key == "canonicalArchiveSchemaVersions")
        #expect(old.missing(for: .healthDataProjection) == nil)
        old.rawResultSchemaVersions = []
        #expect(old.missing(for: .healthDataProjection)?.key == "canonicalRawResultSchemaVersions")
        old.protocolVersion = 1
        #expect(old.missingForFileJobs?.key == "protocolVersion")
        var content = SettingsContent()
        content.includeDataDictionary = false
        #expect(without(.dataDictionaryExportPreference).missing(for: SettingsSnapshot(content)) != nil)
        content = SettingsContent()
        content.generateRangeSummary = true
        #expect(without(.rollupSummaries).missing(for: SettingsSnapshot(content)) != nil)
        #expect(peer("macOS").missing(for: SettingsSnapshot(content)) == nil)
        #expect(peer("iOS").missingForAllHistory(nil) != nil)
        #expect(
            without(.allAvailableHistory).missingForAllHistory(nil)?.key == "supportsAllAvailableHistoryExportRequests")
    }

    @Test("a source with a pinned engine and roll-ups sends none before protocol version 3", arguments: 1...4)
    func rangePlan(version: Int) throws {
        let phone = peer("iOS", corpus: try corpus(Array(1...version)))
        let negotiation = try #require(CorpusNegotiation(source: phone, destination: peer("macOS")))
        for (isPinned, wantsRollups) in [(true, true), (true, false), (false, true)] {
            let settings = SettingsSnapshot(
                try RollupSettings.content(isPinned: isPinned, wantsRollups: wantsRollups))
            let missing = peer("macOS").missing(forPinIn: settings, negotiation)
            #expect((missing != nil) == (isPinned && wantsRollups && version < 3))
            #expect((peer("macOS").missing(forPinIn: settings, nil) != nil) == (isPinned && wantsRollups))
        }
    }
}
