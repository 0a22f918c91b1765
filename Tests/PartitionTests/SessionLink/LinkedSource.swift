import CanonicalJSON
import Cryptography
import Foundation

@testable import ConnectedProtocol

/// What moves over the virtual link: a JSON message as its bytes, or a chunk frame.
enum LinkPacket {
    case json([UInt8])
    case frame([UInt8])
}

/// A driver in memory around the two machines of the source. Its store survives a crash, the rest does not.
struct LinkedSource {
    static let created = ProtocolDate(secondsSince2001: 721_700_000.5)

    var session: SenderSession
    var transfer: TransferSender?
    /// Durable: journal and item files.
    var stored: SourceJournal
    var items: [UUID: [UInt8]] = [:]
    /// Local work whose completion has not been reported yet.
    var work: [SenderSession.Event] = []
    var outbox: [LinkPacket] = []
    let sizes: [Int]
    let window: Int
    /// Partitions whose transfer began, repeats included.
    var transferCount = 0
    var endCount = 0
    private var payload: [UInt8] = []

    init(dayCount: Int, sizes: [Int], window: Int) throws {
        let dates = (0..<dayCount).map { ProtocolDate(secondsSince2001: 721_692_800 + Double($0) * 86_400) }
        var content = ManifestContent(
            mode: .strictRaw, createdAt: LinkedSource.created, sourceDeviceName: "Test",
            sourceTimeZoneIdentifier: "UTC",
            requestedDates: dates,
            requestedDateIdentifiers: (0..<dayCount).compactMap {
                CivilDate("2023-11-14")?.adding(days: $0)?.description
            })
        content.rawProfile = .canonicalSourceRecords
        let manifest = try ExportManifest(content, settings: SettingsSnapshot(SettingsContent()))
        let session = try CorpusSession(
            sessionID: UUID(), jobID: UUID(), requestFingerprint: manifest.fingerprint, protocolVersion: 4,
            partitionTargetBytes: PartitionTargetBounds.floor, createdAt: LinkedSource.created,
            peerBinding: PeerBinding(
                sourceInstallationID: DestinationFixture.phone,
                destinationInstallationID: DestinationFixture.workstation))
        stored = SourceJournal(
            origin: .macInitiated, session: session, manifest: manifest, createdAt: LinkedSource.created)
        self.session = SenderSession(journal: stored)
        self.sizes = sizes
        self.window = window
    }

    /// The bytes that a day's item has, whenever it is made.
    func bytes(of date: ProtocolDate) -> [UInt8] {
        let index = stored.manifest.transferDates.firstIndex(of: date) ?? 0
        return [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: sizes[index % sizes.count])
    }

    /// Everything in memory is lost; the journal goes on.
    mutating func crash() throws {
        let restored = try SourceJournal(
            restoring: stored.origin, session: stored.session, manifest: stored.manifest, createdAt: stored.createdAt,
            progress: stored.progress)
        session = SenderSession(journal: restored)
        transfer = nil
        work = []
        outbox = []
        let named = Set(restored.progress.items.map(\.itemID))
        items = items.filter { named.contains($0.key) }
    }

    mutating func disconnected(at now: Moment) throws {
        outbox = []
        if var running = transfer {
            transfer = nil
            _ = running.handle(.disconnected, at: now)
        }
        try handle(.peerLost, at: now)
    }

    mutating func receive(_ message: SyncMessage, at now: Moment) throws {
        switch message {
        case .corpusDisposition(let disposition): try handle(.disposition(disposition), at: now)
        case .corpusFinalAck(let ack): try handle(.finalAck(ack), at: now)
        case .transferAck(let ack): try feed(.ack(ack), at: now)
        case .transferFinalAck(let ack): try feed(.finalAck(ack), at: now)
        case .transferAbort(let abort): try feed(.abort(abort), at: now)
        default: throw LinkError.unexpected("\(message.name?.rawValue ?? "unknown") at the source")
        }
    }

    mutating func handle(_ event: SenderSession.Event, at now: Moment) throws {
        for action in session.handle(event, at: now) {
            switch action {
            case .store(let journal): stored = journal
            case .send(let message): outbox.append(.json(message.encode()))
            case .produceItem(let date, let isRequested, let kind): produce(date, isRequested, kind)
            case .buildPartition(let plan): work.append(.partitionBuilt(try build(plan)))
            case .beginTransfer(let pending): try begin(pending, at: now)
            case .stopTransfer(let reason):
                if reason != nil { try feed(.cancel, at: now) }
                transfer = nil
            case .deleteItems(let identifiers): for id in identifiers { items[id] = nil }
            case .ended: endCount += 1
            }
        }
    }

    mutating func feed(_ event: TransferSender.Event, at now: Moment) throws {
        guard var running = transfer else { return }
        let actions = running.handle(event, at: now)
        transfer = running
        for action in actions {
            switch action {
            case .send(let message): outbox.append(.json(message.encode()))
            case .sendChunk(let sequence, let range):
                let data = Array(payload[Int(range.lowerBound)..<Int(range.upperBound)])
                let digest = SHA256.hash(data)
                var frame: [UInt8] = []
                BinaryFrame(
                    transferID: running.start.transferID, sequence: UInt32(sequence), payloadByteCount: data.count,
                    payloadSHA256: digest
                ).appendHeader(to: &frame)
                outbox.append(.frame(frame + data))
                try feed(.chunkSent(sequence: sequence, sha256: digest), at: now)
            case .finished(let outcome):
                transfer = nil
                switch outcome {
                case .accepted: work.append(.transferEnded(.accepted))
                case .failed(let reason, let message): work.append(.transferEnded(.aborted(reason, message: message)))
                }
            }
        }
    }

    private mutating func produce(_ date: ProtocolDate, _ isRequested: Bool, _ kind: ItemKind) {
        let bytes = bytes(of: date)
        let item = PendingItem(
            itemID: UUID(), kind: kind, sourceDate: date, isRequestedDate: isRequested, totalBytes: Int64(bytes.count),
            sha256: SHA256.hash(bytes))
        items[item.itemID] = bytes
        work.append(.itemProduced(item))
    }

    private func build(_ plan: PartitionPlan) throws -> SourceJournal.PendingPartition {
        let bytes = try file(of: plan.file.manifest)
        return SourceJournal.PendingPartition(
            transferID: UUID(), descriptor: try plan.descriptor(sha256: SHA256.hash(bytes)),
            manifest: plan.file.manifest)
    }

    /// The partition file: header, then ranges of items.
    private func file(of manifest: PartitionManifest) throws -> [UInt8] {
        let file = try PartitionFile(manifest)
        var bytes = file.header
        for placed in file.segments {
            guard let item = items[placed.segment.itemID] else { throw LinkError.unexpected("an item file is gone") }
            bytes += item[Int(placed.segment.itemRange.lowerBound)..<Int(placed.segment.itemRange.upperBound)]
        }
        return bytes
    }

    private mutating func begin(_ pending: SourceJournal.PendingPartition, at now: Moment) throws {
        payload = try file(of: pending.manifest)
        guard SHA256.hash(payload) == pending.descriptor.sha256 else { throw LinkError.unexpected("the file changed") }
        transferCount += 1
        let chunkBytes = payload.count > 1_000_000 ? TransferStart.maximumChunkByteCount : 1_000
        let peer = PeerCapabilities(
            platform: PeerPlatform.phone, installationID: nil, flags: [], maximumInFlightChunks: window)
        transfer = TransferSender(
            start: TransferStart(transferID: pending.transferID, partition: pending.descriptor, chunkBytes: chunkBytes),
            transport: ChunkTransport(peer, peer, usesSecureRecords: true))
        try feed(.begin, at: now)
    }
}

enum LinkError: Error { case unexpected(String) }
