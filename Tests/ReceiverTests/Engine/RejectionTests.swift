import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// Every refusal of an `open` (corpus-protocol.md 13.1 and 13.2), provoked over the engine: the answer is `reject` with its sentence,
/// nothing is stored or changed, and a transfer start that comes all the same is aborted with `invalid_manifest` (13.3).
@Suite struct RejectionTests {
    /// What a row of the table brings to the receiver.
    struct Attempt {
        var phone: FakePhone
        var partition: FakePhone.Partition
        var hasManifest = true
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let refusal: OpenRefusal
        let prepare: @Sendable (EngineRig) throws -> Attempt

        init(_ rule: String, _ refusal: OpenRefusal, _ prepare: @escaping @Sendable (EngineRig) throws -> Attempt) {
            self.rule = rule
            self.refusal = refusal
            self.prepare = prepare
        }

        var testDescription: String { "\(rule): \(refusal.code)" }
    }

    // MARK: - Ways to prepare

    /// The phone of a file job that was just sent, with its first partition.
    private static func files(_ rig: EngineRig) throws -> Attempt {
        rig.connect()
        let phone = try rig.filePhone(rig.createJob().id)
        return Attempt(phone: phone, partition: try phone.partitions(payloadBytes: 900)[0])
    }

    private static func session(
        _ attempt: Attempt, version: Int? = nil, binding: PeerBinding? = nil, fingerprint: RequestFingerprint? = nil,
        createdAt: ProtocolDate? = nil
    ) throws -> Attempt {
        var attempt = attempt
        let old = attempt.phone.session
        attempt.phone.session = try CorpusSession(
            sessionID: old.sessionID, jobID: old.jobID, requestFingerprint: fingerprint ?? old.requestFingerprint,
            protocolVersion: version ?? old.protocolVersion, partitionTargetBytes: old.partitionTargetBytes,
            createdAt: createdAt ?? old.createdAt, peerBinding: binding ?? old.peerBinding)
        return attempt
    }

    /// A session of its own for a changed manifest.
    private static func manifest(
        _ attempt: Attempt, _ settings: SettingsContent = SettingsContent(),
        _ change: (inout ManifestContent) -> Void
    ) throws -> Attempt {
        var attempt = attempt
        let old = attempt.phone.manifest
        var content = ManifestContent(
            mode: old.mode, createdAt: old.createdAt, sourceDeviceName: "Phone", sourceTimeZoneIdentifier: "UTC",
            requestedDates: old.requestedDates, requestedDateIdentifiers: old.requestedDateIdentifiers)
        content.rawProfile = old.rawProfile
        change(&content)
        content.dateRangeEnd = content.requestedDates[content.requestedDates.count - 1]
        attempt.phone.manifest = try ExportManifest(content, settings: SettingsSnapshot(settings))
        return try session(
            attempt, fingerprint: attempt.phone.manifest.fingerprint, createdAt: content.createdAt)
    }

    private static func descriptor(
        _ attempt: Attempt, index: Int? = nil, dates: [ProtocolDate]? = nil, sha256: Digest? = nil,
        previous: Digest?? = nil
    ) throws -> Attempt {
        var attempt = attempt
        let old = attempt.partition.descriptor
        attempt.partition.descriptor = try PartitionDescriptor(
            sessionID: old.sessionID, jobID: old.jobID, index: index ?? old.index,
            sourceDates: dates ?? old.sourceDates,
            byteCount: old.byteCount, sha256: sha256 ?? old.sha256, previousSHA256: previous ?? old.previousSHA256)
        return attempt
    }

    private static func at(_ rig: EngineRig, _ seconds: Double) -> ProtocolDate {
        ProtocolDate(secondsSince2001: rig.now.wall + seconds)
    }

    private static let other = SHA256.hash("something else")

    /// A session of which the first partition is durable, and its second partition.
    private static func begun(_ rig: EngineRig) throws -> Attempt {
        var attempt = try files(rig)
        let partitions = try attempt.phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: attempt.phone)
        attempt.partition = partitions[1]
        return attempt
    }

    private static func raw(_ rig: EngineRig) throws -> Attempt {
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let phone = try rig.rawPhone(id)
        return Attempt(phone: phone, partition: try phone.partitions()[0])
    }

    // MARK: - The table

    static let gate: [Row] = [
        Row("3.2 no corpus transfers in common", .notNegotiated) { rig in
            var attempt = try files(rig)
            var capabilities = EngineRig.phoneCapabilities(rig.phoneID)
            capabilities.flags.remove(.partitionedConnectedExports)
            rig.connect(capabilities)
            attempt.partition.transferID = UUID()
            return attempt
        },
        Row("13.1 a raw session that nobody asked for", .notRequested("only file exports may be started by the source"))
        {
            var attempt = try raw($0)
            let phone = try $0.rawPhone(UUID())
            attempt.phone = phone
            attempt.partition = try phone.partitions()[0]
            return attempt
        },
        Row("13.1 another mode than was asked for", .notRequested("it is of another kind")) { rig in
            rig.connect()
            let phone = try rig.rawPhone(rig.createJob().id)
            return Attempt(phone: phone, partition: try phone.partitions()[0])
        },
        Row("13.1 other days than were asked for", .notRequested("it holds other days")) { rig in
            let attempt = try files(rig)
            return try manifest(attempt) {
                $0.requestedDates.removeLast()
                $0.requestedDateIdentifiers?.removeLast()
                $0.transferDates = $0.requestedDates
            }
        },
        Row("13.1 another raw profile than was asked for", .notRequested("it has another raw profile")) { rig in
            try manifest(try raw(rig)) {
                $0.rawProfile = .healthDataProjection
                $0.canonicalSelection = CanonicalSelection(metricIDs: ["steps"], detailLevel: .summary)
            }
        },
        Row("13.1 a job that has ended", .notRequested("the job has ended")) { rig in
            let attempt = try files(rig)
            _ = rig.engine.cancel(attempt.phone.session.jobID)
            return attempt
        },
        Row("5.2 a second session of a job", .notRequested("the job has another session")) { rig in
            let attempt = try begun(rig)
            let phone = try rig.filePhone(attempt.phone.session.jobID)
            return Attempt(phone: phone, partition: try phone.partitions()[0])
        },
    ]

    static let identity: [Row] = [
        Row("13.2.1 no manifest", .manifestMissing) { rig in
            var attempt = try files(rig)
            attempt.hasManifest = false
            return attempt
        },
        Row("13.2.1 an invalid manifest", .manifestInvalid(.timeZone)) { rig in
            try manifest(try files(rig)) { $0.sourceTimeZoneIdentifier = "Mars/Olympus_Mons" }
        },
        Row("13.2.1 another fingerprint", .fingerprintMismatch) { rig in
            try session(try files(rig), fingerprint: RequestFingerprint(sha256: other))
        },
        Row("13.2.2 an unknown version", .unknownVersion(5)) { try session(try files($0), version: 5) },
        Row("3.2 a version that was not announced", .versionNotNegotiated(4)) { rig in
            let attempt = try files(rig)
            var capabilities = EngineRig.phoneCapabilities(rig.phoneID)
            capabilities.corpus = try CorpusCapabilities(
                protocolVersions: [1, 2, 3], partitionTargetBounds: CorpusCapabilities.standard.partitionTargetBounds)
            rig.connect(capabilities)
            return attempt
        },
        Row("13.2.3 another source", .peerBinding) { rig in
            try session(
                try files(rig),
                binding: PeerBinding(
                    sourceInstallationID: UUID(), destinationInstallationID: rig.engine.store.installationID))
        },
        Row("13.2.3 another destination", .peerBinding) { rig in
            try session(
                try files(rig),
                binding: PeerBinding(sourceInstallationID: rig.phoneID, destinationInstallationID: UUID()))
        },
        Row("13.2.3 a binding without journals on both sides", .peerBinding) { rig in
            let attempt = try files(rig)
            var capabilities = EngineRig.phoneCapabilities(rig.phoneID)
            capabilities.flags.remove(.durableConnectedExportRecovery)
            rig.connect(capabilities)
            return attempt
        },
        Row("13.2.4 more than five minutes ahead", .createdAt) { rig in
            let date = at(rig, 301)
            return try manifest(try files(rig)) { $0.createdAt = date }
        },
        Row("13.2.4 seven days old", .createdAt) { rig in
            let date = at(rig, -604_800)
            return try manifest(try files(rig)) { $0.createdAt = date }
        },
        Row("13.2.5 a day that is not transferred", .partitionDates) {
            try descriptor(try files($0), dates: [FakePhone.date("2026-02-01")])
        },
    ]

    static let places: [Row] = [
        Row("13.2.7 no destination is selected", .destination("None is selected.")) { rig in
            rig.connect()
            try rig.engine.store.database.transaction { try $0.run("DELETE FROM destination") }
            let phone = try rig.filePhone(UUID())
            return Attempt(phone: phone, partition: try phone.partitions()[0])
        },
        Row("13.2.7 the destination is gone", .destination("it does not exist.")) { rig in
            let attempt = try files(rig)
            try FileManager.default.removeItem(atPath: rig.destinationPath)
            return attempt
        },
        Row("13.2.7 no output is selected", .destination("No output is selected.")) { rig in
            var settings = SettingsContent()
            settings.exportFormats = []
            return try manifest(try files(rig), settings) { _ in }
        },
        Row(
            "13.2.7 a planned path leads out",
            .destination("the planned folder Health is taken by something that is no folder; move it away.")
        ) { rig in
            let attempt = try files(rig)
            try FileManager.default.createSymbolicLink(
                atPath: rig.destinationPath + "/Health", withDestinationPath: rig.root)
            return attempt
        },
        Row("13.2.8 another session is active", .otherSessionActive) { rig in
            _ = try begun(rig)
            let phone = try rig.filePhone(UUID())
            return Attempt(phone: phone, partition: try phone.partitions()[0])
        },
        Row("13.2.8 the manifest of the session changed", .sessionChanged) { rig in
            let attempt = try begun(rig)
            return try manifest(attempt) { $0.sourceDeviceName = "Another" }
        },
        Row("13.2.8 the version of the session changed", .sessionChanged) { try session(try begun($0), version: 3) },
        Row("13.2.8 a folder without a journal that can be believed", .unreadableState) { rig in
            let attempt = try begun(rig)
            try rig.engine.store.database.transaction { try $0.run("UPDATE sessions SET state = 'unknown'") }
            try rig.restart()
            rig.connect()
            return attempt
        },
        Row("13.2.9 no space in the receiver's own folder", .storageSpace(neededBytes: 268_435_456)) { rig in
            let attempt = try files(rig)
            rig.disk.setFreeSpace(FreeSpace(available: 268_435_455, total: 1 << 40))
            return attempt
        },
    ]

    static let chain: [Row] = [
        Row("13.2.10 a durable index with other content", .committedDigest(index: 0)) { rig in
            let attempt = try begun(rig)
            return try descriptor(attempt, index: 0, sha256: other, previous: .some(nil))
        },
        Row("13.2.11 a session that was cancelled", .sessionEnded) { rig in
            let attempt = try begun(rig)
            _ = rig.engine.cancel(attempt.phone.session.jobID)
            return attempt
        },
        Row("13.2.11 a session that is being finalized", .sessionFinalizing) { rig in
            var attempt = try files(rig)
            let partitions = try attempt.phone.partitions(payloadBytes: 900)
            for partition in partitions { try rig.transfer(partition, of: attempt.phone) }
            rig.send(try attempt.phone.finalize(partitions))
            attempt.partition = partitions[partitions.count - 1]
            return try descriptor(
                attempt, index: partitions.count, sha256: other, previous: attempt.partition.descriptor.sha256)
        },
        Row("13.2.12 an index too far", .chain(expectedIndex: 1)) { try descriptor(try begun($0), index: 2) },
        Row("13.2.12 another predecessor", .chain(expectedIndex: 1)) {
            try descriptor(try begun($0), previous: .some(other))
        },
    ]

    static let all = gate + identity + places + chain

    // MARK: - The answer

    private func rows(_ rig: EngineRig) throws -> String {
        try rig.engine.store.database.read { connection in
            try [
                "SELECT session_id || state || frontier FROM sessions",
                "SELECT session_id || position || sha256 FROM partitions",
                "SELECT session_id || item_id || next_offset FROM partial_items",
                "SELECT session_id || item_id || sha256 FROM days",
            ].map { query in try connection.all(query) { try $0.text(0) }.joined(separator: "\n") }.joined()
        }
    }

    @Test("every refusal of an open has its stated answer, and stores nothing", arguments: all)
    func refusal(_ row: Row) throws {
        let rig = try EngineRig()
        let attempt = try row.prepare(rig)
        _ = rig.channel.take()
        let before = try rows(rig)
        let admission = rig.engine.session(attempt.phone.session.sessionID)?.machine.admission
        rig.send(
            .corpusOpen(
                try CorpusTransferOpen(
                    session: attempt.phone.session, partition: attempt.partition.descriptor,
                    exportManifest: attempt.hasManifest ? attempt.phone.manifest : nil)))
        rig.settleOpens()
        let answers = rig.channel.take().compactMap { message -> CorpusTransferDisposition? in
            if case .corpusDisposition(let answer) = message { answer } else { nil }
        }
        let answer = try #require(answers.first)
        #expect(answers.count == 1 && answer.disposition == .reject)
        #expect(answer.message == row.refusal.message)
        #expect(answer.partitionSHA256 == attempt.partition.descriptor.sha256)
        #expect(try rows(rig) == before)
        #expect(rig.engine.session(attempt.phone.session.sessionID)?.machine.admission == admission)
        rig.send(
            .transferStart(
                TransferStart(transferID: attempt.partition.transferID, partition: attempt.partition.descriptor)))
        rig.settle()
        #expect(rig.channel.take().aborts.map(\.reason) == [.invalidManifest])
    }

    @Test(
        "a durable index with its digest is already_committed, also when the session has ended",
        arguments: [false, true])
    func alreadyCommitted(_ hasEnded: Bool) throws {
        let rig = try EngineRig()
        let attempt = try RejectionTests.begun(rig)
        if hasEnded { _ = rig.engine.cancel(attempt.phone.session.jobID) }
        let first = try attempt.phone.partitions(payloadBytes: 900)[0]
        #expect(try rig.transfer(first, of: attempt.phone).disposition == .alreadyCommitted)
    }
}
