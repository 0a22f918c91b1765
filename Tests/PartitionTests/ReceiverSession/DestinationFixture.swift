import Cryptography
import Foundation

@testable import ConnectedProtocol

/// A small session of two or more days, its items and its partitions, for tests of the destination.
struct DestinationFixture {
    static let now = ProtocolDate(secondsSince2001: 790_000_000)
    static let phone = UUID()
    static let workstation = UUID()

    var mode: CorpusMode
    var version: Int
    var dates: [ProtocolDate]
    var manifest: ExportManifest
    var session: CorpusSession
    /// All items, in the order of their dates; 1,000 bytes each.
    var items: [PendingItem]

    init(
        mode: CorpusMode = .strictRaw, dayCount: Int = 2, version: Int = 4, createdAt: ProtocolDate = now,
        binding: PeerBinding? = PeerBinding(
            sourceInstallationID: phone, destinationInstallationID: workstation),
        change: (inout ManifestContent) -> Void = { _ in }, settings: SettingsContent = SettingsContent()
    ) throws {
        self.mode = mode
        self.version = version
        dates = (0..<dayCount).map { ProtocolDate(secondsSince2001: 789_000_000 + Double($0) * 86_400) }
        var content = ManifestContent(
            mode: mode, createdAt: createdAt, sourceDeviceName: "Phone", sourceTimeZoneIdentifier: "UTC",
            requestedDates: dates, requestedDateIdentifiers: dates.indices.map(DestinationFixture.label))
        if mode == .strictRaw { content.rawProfile = .canonicalSourceRecords }
        change(&content)
        manifest = try ExportManifest(content, settings: SettingsSnapshot(settings))
        session = try CorpusSession(
            sessionID: UUID(), jobID: UUID(), requestFingerprint: manifest.fingerprint, protocolVersion: version,
            partitionTargetBytes: 50_331_648, createdAt: createdAt, peerBinding: version >= 2 ? binding : nil)
        items = manifest.transferDates.map { [manifest] date in
            PendingItem(
                itemID: UUID(), kind: mode.itemKind, sourceDate: date,
                isRequestedDate: manifest.requestedDates.contains(date), totalBytes: 1_000,
                sha256: SHA256.hash(Array("\(date)".utf8)))
        }
    }

    static func label(_ index: Int) -> String { "2026-01-0\(index + 1)" }

    /// The layout of a partition of these segments.
    func file(
        _ index: Int, _ parts: [(item: PendingItem, byteCount: Int64)], previous: Digest? = nil
    ) throws -> PartitionFile {
        let segments = try parts.map { try PartitionSegment(of: $0.item, byteCount: $0.byteCount) }
        let manifest = PartitionManifest(session: session, index: index, previous: previous, segments: segments)
        return try PartitionFile(
            manifestText: manifest.text,
            fileByteCount: Int64(12 + manifest.text.count) + segments.reduce(0) { $0 + $1.segmentBytes })
    }

    func descriptor(_ file: PartitionFile, seed: String = "partition") throws -> PartitionDescriptor {
        try PartitionDescriptor(
            sessionID: session.sessionID, jobID: session.jobID, index: file.manifest.partitionIndex,
            sourceDates: file.manifest.sourceDates, byteCount: file.byteCount,
            sha256: SHA256.hash(Array("\(seed) \(file.manifest.partitionIndex)".utf8)),
            previousSHA256: file.manifest.previousPartitionSHA256)
    }

    func open(_ partition: PartitionDescriptor) throws -> CorpusTransferOpen {
        try CorpusTransferOpen(session: session, partition: partition, exportManifest: manifest)
    }

    /// What the phone and the workstation agreed upon.
    static func negotiation(versions: [Int] = [1, 2, 3, 4], isDurable: Bool = true) -> CorpusNegotiation? {
        var flags: Set<PeerCapability> = [.partitionedConnectedExports, .sizeBoundedConnectedTransfers]
        if isDurable { flags.insert(.durableConnectedExportRecovery) }
        // Version lists of tests are never empty.
        let corpus = try? CorpusCapabilities(
            protocolVersions: versions, partitionTargetBounds: CorpusCapabilities.standard.partitionTargetBounds)
        return CorpusNegotiation(
            source: PeerCapabilities(
                platform: PeerPlatform.phone, installationID: phone, flags: flags, corpus: corpus),
            destination: PeerCapabilities(
                platform: PeerPlatform.workstation, installationID: workstation, flags: flags))
    }

    func facts(_ change: (inout AdmissionFacts) -> Void = { _ in }) -> AdmissionFacts {
        var facts = AdmissionFacts(
            now: DestinationFixture.now, peerInstallationID: DestinationFixture.phone,
            ownInstallationID: DestinationFixture.workstation, negotiation: DestinationFixture.negotiation(),
            destination: mode == .writeFiles ? .ready(freeBytes: 1 << 40) : .notNeeded, freeStorageBytes: 1 << 40)
        change(&facts)
        return facts
    }

    /// The facts of an honest item.
    func content(_ item: PendingItem) -> ItemFacts {
        switch mode {
        case .strictRaw:
            let index = dates.firstIndex(of: item.sourceDate) ?? 0
            return .rawDay(
                ItemFacts.RawDay(
                    sourceDate: item.sourceDate, label: DestinationFixture.label(index), status: "complete",
                    document: DestinationJournal.ByteRange(offset: 40, byteCount: 900)))
        case .writeFiles, .encryptedContext:
            return .healthDay(
                ItemFacts.HealthDay(
                    sourceDate: item.sourceDate, isRequestedDate: item.isRequestedDate,
                    record: .present(isOnSourceDay: true), failure: nil))
        }
    }

    func finalize(_ session: ReceiverSession, count: Int? = nil, bytes: Int64? = nil) throws -> CorpusTransferFinalize {
        try CorpusTransferFinalize(
            sessionID: self.session.sessionID, jobID: self.session.jobID, requestFingerprint: manifest.fingerprint,
            partitionCount: count ?? session.nextPartitionIndex,
            totalByteCount: bytes ?? session.journal.totalPartitionBytes,
            finalPartitionSHA256: session.journal.lastPartitionSHA256)
    }

    /// A session that was opened with its first partition admitted.
    func opened() throws -> (session: ReceiverSession, file: PartitionFile, descriptor: PartitionDescriptor) {
        let file = try file(0, items.map { ($0, $0.totalBytes) })
        let descriptor = try descriptor(file)
        var slot: ReceiverSession?
        _ = ReceiverSession.admit(try open(descriptor), into: &slot, facts: facts())
        guard let session = slot else { throw OpenRefusal.sessionEnded }
        return (session, file, descriptor)
    }

    /// A session that has every day.
    func filled() throws -> ReceiverSession {
        var (session, file, descriptor) = try opened()
        _ = session.useAdmission(for: descriptor)
        _ = try session.beginApplication(of: descriptor)
        let plans = try session.plan(file, sha256: descriptor.sha256)
        _ = try session.commit(plans, items.map { .complete(content($0)) })
        return session
    }
}
