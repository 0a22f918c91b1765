import Cryptography
import Foundation

/// The receiving end of chunk transfers from one peer (corpus-protocol.md 10.7, 13.3).
///
/// A transfer goes through these phases:
///
///     start ─▶ asking ─admitted─▶ opening ─spool open─▶ receiving ─complete─▶ closing ─digest right─▶ delivered ─▶ gone
///
/// It may be dropped in every phase but the last: what the application already works on is never taken away from it.
/// An acknowledgement leaves only after the driver has reported that the bytes are in the spool.
///
/// The driver performs actions in order and reports what became of them:
///
/// | Action | Report |
/// |---|---|
/// | `.askAdmission` | `.admission`: whether the session holds an unused grant for exactly this descriptor; the grant is used up |
/// | `.openSpool` | `.spoolOpened` or `.spoolFailed` |
/// | `.write` (the payload of the chunk at hand) | `.chunkWritten` or `.spoolFailed` |
/// | `.closeSpool` (after every write before it) | `.spoolClosed` with size and running digest, or `.spoolFailed` |
/// | `.deliver` | `.applied`, when the partition is durable or refused; `.applicationFailed` when our own disk failed |
/// | `.deleteSpool`, `.send` | none |
///
/// Reports that come after a transfer was dropped are ignored.
public struct TransferReceiver: Sendable {
    /// Most transfers at a time (corpus-protocol.md 10.7.1).
    public static let maximumTransferCount = 4
    /// Final acknowledgements that are remembered (corpus-protocol.md 10.7.5).
    public static let rememberedFinalAckCount = 32
    /// Seconds without a valid start or chunk before a transfer is dropped (corpus-protocol.md 10.7.7).
    public static let inactivityLimit: Double = 120

    /// What the peer negotiated for transfers (corpus-protocol.md 10.6, 13.3).
    public enum Support: Sendable {
        /// No bounded transfers.
        case none
        /// Bounded transfers, but no partitions.
        case boundedOnly
        /// Partitions.
        case partitioned
    }

    /// What happened.
    public enum Event: Sendable {
        /// A start arrived from a peer that negotiated this much.
        case start(TransferStart, Support)
        /// A start arrived that breaks the rules of its type but names its transfer.
        case malformedStart(transferID: UUID, jobID: UUID?)
        /// Answer to `.askAdmission`.
        case admission(transferID: UUID, isGranted: Bool)
        /// The spool is ready.
        case spoolOpened(transferID: UUID)
        /// A chunk arrived; `stated` is the digest in the message, `actual` that of its payload.
        case chunk(transferID: UUID, sequence: Int, byteCount: Int, stated: Digest, actual: Digest)
        /// A chunk is in the spool.
        case chunkWritten(transferID: UUID, sequence: Int)
        /// A completion arrived.
        case complete(TransferComplete)
        /// The spool is flushed and closed.
        case spoolClosed(transferID: UUID, byteCount: Int64, sha256: Digest)
        /// The spool could not be opened, written or flushed.
        case spoolFailed(transferID: UUID)
        /// The application is done with a delivered transfer. `message` is for a refusal.
        case applied(transferID: UUID, isAccepted: Bool, message: String?)
        /// The application could not keep a delivered transfer, for a reason that may pass: nothing was said about its content.
        case applicationFailed(transferID: UUID)
        /// An abort arrived.
        case abort(TransferAbort)
        /// The application drops the unfinished transfers of a job (corpus-protocol.md 9.7, 15). With a reason the peer is told:
        /// it waits for acknowledgements that cannot come. Without one it has said itself that it stopped.
        case dropJob(jobID: UUID, telling: AbortReason?)
        /// The connection is gone.
        case disconnected
        /// Time passed.
        case tick
    }

    /// What is to be done.
    public enum Action: Sendable, Equatable {
        /// Send a message.
        case send(SyncMessage)
        /// Ask the session about a grant.
        case askAdmission(transferID: UUID, partition: PartitionDescriptor)
        /// Create a private spool.
        case openSpool(transferID: UUID, byteCount: Int64)
        /// Write the payload of the chunk at hand and feed the running digest.
        case write(transferID: UUID, sequence: Int, offset: Int64)
        /// Flush and close.
        case closeSpool(transferID: UUID)
        /// Hand the verified file to the application.
        case deliver(transferID: UUID, partition: PartitionDescriptor)
        /// Delete the spool, whether open or closed.
        case deleteSpool(transferID: UUID)
    }

    enum Phase: Sendable, Equatable {
        case asking
        case opening
        case receiving
        case closing
        /// With the application. `isOrphaned`: the peer gave it up, so nobody waits for the answer.
        case delivered(isOrphaned: Bool)
    }

    struct Transfer: Sendable {
        let start: TransferStart
        let partition: PartitionDescriptor
        var phase = Phase.asking
        /// Digests of accepted chunks, by sequence − 1.
        var chunkDigests: [Digest] = []
        var writtenCount = 0
        /// Nil once the digest of the whole is validated.
        var deadline: Double?

        var expectedSequence: Int { chunkDigests.count + 1 }
    }

    private var transfers: [UUID: Transfer] = [:]
    private var finalAcks: [TransferFinalAck] = []

    /// A receiver without transfers.
    public init() {}

    /// Number of transfers that are not finished.
    public var transferCount: Int { transfers.count }

    /// The partitions of transfers that are not finished.
    public var partitions: [PartitionDescriptor] { transfers.values.map(\.partition) }

    /// The partition of a transfer that is not finished.
    public func partition(of transferID: UUID) -> PartitionDescriptor? { transfers[transferID]?.partition }

    /// Monotonic second at which a tick is due; nil when nothing waits.
    public var nextDeadline: Double? { transfers.values.compactMap(\.deadline).min() }

    /// The transfers in an order that does not change from run to run.
    private var ordered: [Transfer] {
        transfers.values.sorted { $0.start.transferID.uuidString < $1.start.transferID.uuidString }
    }

    /// Takes one event.
    public mutating func handle(_ event: Event, at now: Moment) -> [Action] {
        switch event {
        case .start(let start, let support): return self.start(start, support, now)
        case .malformedStart(let transferID, let jobID):
            return [abort(transferID, jobID, .sizeLimit, "The start of the transfer breaks a rule.")]
        case .admission(let transferID, let isGranted): return admission(transferID, isGranted: isGranted, now)
        case .spoolOpened(let transferID): return spoolOpened(transferID, now)
        case .chunk(let transferID, let sequence, let byteCount, let stated, let actual):
            let chunk = Chunk(sequence: sequence, byteCount: byteCount, stated: stated, actual: actual)
            return self.chunk(transferID, chunk, now)
        case .chunkWritten(let transferID, let sequence): return chunkWritten(transferID, sequence)
        case .complete(let complete): return self.complete(complete)
        case .spoolClosed(let transferID, let byteCount, let sha256):
            return spoolClosed(transferID, byteCount: byteCount, sha256: sha256)
        case .spoolFailed(let transferID): return spoolFailed(transferID)
        case .applied(let transferID, let isAccepted, let message):
            return applied(transferID, isAccepted: isAccepted, message: message)
        case .applicationFailed(let transferID): return applicationFailed(transferID)
        case .abort(let abort): return orphan(abort.transferID)
        case .dropJob(let jobID, let reason):
            return ordered.filter { $0.start.manifest.jobID == jobID }.flatMap { transfer in
                reason.map { drop(transfer, $0, "The receiver gave the transfer up.") }
                    ?? orphan(transfer.start.transferID)
            }
        case .disconnected: return ordered.flatMap { orphan($0.start.transferID) }
        case .tick: return tick(now)
        }
    }

    private struct Chunk {
        let sequence: Int
        let byteCount: Int
        let stated: Digest
        let actual: Digest
    }

    // MARK: Start

    private mutating func start(_ start: TransferStart, _ support: Support, _ now: Moment) -> [Action] {
        let transferID = start.transferID
        let jobID = start.manifest.jobID
        func refuse(_ reason: AbortReason, _ message: String) -> [Action] {
            [abort(transferID, jobID, reason, message)]
        }

        guard support != .none else { return refuse(.unsupported, "Bounded transfers were not negotiated.") }
        if let running = transfers[transferID] {
            // The running transfer stays, whatever else is announced under its name.
            guard running.start == start else {
                return refuse(.invalidManifest, "The transfer was announced before with other content.")
            }
            return repeatedStart(running, now)
        }
        if let refusal = start.refusal { return refuse(refusal, "The start of the transfer breaks a rule.") }
        guard support == .partitioned, let partition = start.manifest.corpusPartition else {
            return refuse(.invalidManifest, "Partitions were not negotiated, or the start names none.")
        }
        guard transfers.count < TransferReceiver.maximumTransferCount else {
            return refuse(.applicationRejected, "Too many transfers at a time.")
        }
        transfers[transferID] = Transfer(start: start, partition: partition)
        return [.askAdmission(transferID: transferID, partition: partition)]
    }

    private mutating func repeatedStart(_ running: Transfer, _ now: Moment) -> [Action] {
        switch running.phase {
        case .asking, .opening: return []
        case .receiving:
            transfers[running.start.transferID]?.deadline = now.monotonic + TransferReceiver.inactivityLimit
            return [startAck(running)]
        case .closing: return [startAck(running)]
        case .delivered:
            // The peer waits again, so it gets the answer when there is one.
            transfers[running.start.transferID]?.phase = .delivered(isOrphaned: false)
            return [startAck(running)]
        }
    }

    private func startAck(_ transfer: Transfer) -> Action {
        .send(
            .transferAck(
                TransferAck(transferID: transfer.start.transferID, sequence: 0, sha256: transfer.start.sha256)))
    }

    private mutating func admission(_ transferID: UUID, isGranted: Bool, _ now: Moment) -> [Action] {
        guard let transfer = transfers[transferID], transfer.phase == .asking else { return [] }
        guard isGranted else {
            transfers[transferID] = nil
            return [
                abort(transferID, transfer.start.manifest.jobID, .invalidManifest, "The partition was not admitted.")
            ]
        }
        // The identifier is in use again: an answer to its earlier life must not be replayed.
        finalAcks.removeAll { $0.transferID == transferID }
        transfers[transferID]?.phase = .opening
        transfers[transferID]?.deadline = now.monotonic + TransferReceiver.inactivityLimit
        return [.openSpool(transferID: transferID, byteCount: transfer.start.totalBytes)]
    }

    private mutating func spoolOpened(_ transferID: UUID, _ now: Moment) -> [Action] {
        guard let transfer = transfers[transferID], transfer.phase == .opening else { return [] }
        transfers[transferID]?.phase = .receiving
        transfers[transferID]?.deadline = now.monotonic + TransferReceiver.inactivityLimit
        return [startAck(transfer)]
    }

    // MARK: Chunks

    private mutating func chunk(_ transferID: UUID, _ chunk: Chunk, _ now: Moment) -> [Action] {
        guard let transfer = transfers[transferID], transfer.phase != .asking else {
            return [abort(transferID, nil, .sequenceMismatch, "There is no such transfer.")]
        }
        guard chunk.sequence >= 1, transfer.phase != .opening, chunk.sequence <= transfer.expectedSequence else {
            return drop(transfer, .sequenceMismatch, "A chunk is out of order.")
        }
        if chunk.sequence < transfer.expectedSequence { return repeatedChunk(transfer, chunk) }
        guard transfer.phase == .receiving, chunk.sequence <= transfer.start.totalChunks else {
            return drop(transfer, .sequenceMismatch, "A chunk lies behind the end.")
        }
        let range = transfer.start.range(ofChunk: chunk.sequence)
        guard chunk.byteCount == range.count else {
            return drop(transfer, .sizeLimit, "A chunk has the wrong length.")
        }
        guard chunk.stated == chunk.actual else {
            return drop(transfer, .chunkHashMismatch, "A chunk has the wrong digest.")
        }
        transfers[transferID]?.chunkDigests.append(chunk.actual)
        transfers[transferID]?.deadline = now.monotonic + TransferReceiver.inactivityLimit
        return [.write(transferID: transferID, sequence: chunk.sequence, offset: range.lowerBound)]
    }

    private mutating func repeatedChunk(_ transfer: Transfer, _ chunk: Chunk) -> [Action] {
        let remembered = transfer.chunkDigests[chunk.sequence - 1]
        guard remembered == chunk.stated, remembered == chunk.actual else {
            return drop(transfer, .chunkHashMismatch, "A chunk was sent again with other content.")
        }
        // While the chunk is still being written its acknowledgement follows by itself.
        return chunk.sequence <= transfer.writtenCount ? [chunkAck(transfer, chunk.sequence)] : []
    }

    private mutating func chunkWritten(_ transferID: UUID, _ sequence: Int) -> [Action] {
        guard let transfer = transfers[transferID], sequence == transfer.writtenCount + 1,
            sequence < transfer.expectedSequence
        else { return [] }
        transfers[transferID]?.writtenCount = sequence
        return [chunkAck(transfer, sequence)]
    }

    private func chunkAck(_ transfer: Transfer, _ sequence: Int) -> Action {
        .send(
            .transferAck(
                TransferAck(
                    transferID: transfer.start.transferID, sequence: sequence,
                    sha256: transfer.chunkDigests[sequence - 1])))
    }

    // MARK: Completion

    private mutating func complete(_ complete: TransferComplete) -> [Action] {
        guard let transfer = transfers[complete.transferID], transfer.phase != .asking else {
            if let ack = finalAcks.last(where: { $0.transferID == complete.transferID }) {
                return [.send(.transferFinalAck(ack))]
            }
            return [abort(complete.transferID, nil, .sequenceMismatch, "There is no such transfer.")]
        }
        switch transfer.phase {
        case .asking, .opening: return drop(transfer, .sizeLimit, "The transfer is not complete.")
        case .closing: return []
        case .delivered:
            transfers[complete.transferID]?.phase = .delivered(isOrphaned: false)
            return []
        case .receiving:
            guard complete == TransferComplete(transfer.start),
                transfer.chunkDigests.count == transfer.start.totalChunks
            else { return drop(transfer, .sizeLimit, "The transfer is not complete.") }
            transfers[complete.transferID]?.phase = .closing
            return [.closeSpool(transferID: complete.transferID)]
        }
    }

    private mutating func spoolClosed(_ transferID: UUID, byteCount: Int64, sha256: Digest) -> [Action] {
        guard let transfer = transfers[transferID], transfer.phase == .closing else { return [] }
        guard byteCount == transfer.start.totalBytes, sha256 == transfer.start.sha256 else {
            return drop(transfer, .finalHashMismatch, "The digest of the whole is wrong.")
        }
        transfers[transferID]?.phase = .delivered(isOrphaned: false)
        transfers[transferID]?.deadline = nil
        return [.deliver(transferID: transferID, partition: transfer.partition)]
    }

    private mutating func spoolFailed(_ transferID: UUID) -> [Action] {
        guard let transfer = transfers[transferID] else { return [] }
        // A delivered transfer answers through the application, which owns its file by now.
        if case .delivered = transfer.phase { return [] }
        return drop(transfer, TransferReceiver.localFailure, "The receiver could not store the bytes.")
    }

    /// The reason that our own disk gives. A peer fails its job for `application_rejected`, while a disk that is full today has room
    /// tomorrow: this one makes it open again, and the answer to that says what is missing (corpus-protocol.md 12.1, 13.2.9).
    private static let localFailure = AbortReason.timedOut

    private mutating func applicationFailed(_ transferID: UUID) -> [Action] {
        guard let transfer = transfers[transferID], case .delivered(let isOrphaned) = transfer.phase else { return [] }
        transfers[transferID] = nil
        let tell = abort(
            transferID, transfer.start.manifest.jobID, TransferReceiver.localFailure,
            "The receiver could not store the partition.")
        return (isOrphaned ? [] : [tell]) + [.deleteSpool(transferID: transferID)]
    }

    private mutating func applied(_ transferID: UUID, isAccepted: Bool, message: String?) -> [Action] {
        guard let transfer = transfers[transferID], case .delivered(let isOrphaned) = transfer.phase else { return [] }
        let ack = TransferFinalAck(
            transferID: transferID, accepted: isAccepted, sha256: transfer.start.sha256,
            message: isAccepted ? message : message ?? AbortReason.applicationRejected.rawValue)
        transfers[transferID] = nil
        finalAcks.append(ack)
        if finalAcks.count > TransferReceiver.rememberedFinalAckCount { finalAcks.removeFirst() }
        return (isOrphaned ? [] : [.send(.transferFinalAck(ack))]) + [.deleteSpool(transferID: transferID)]
    }

    // MARK: Ends

    private mutating func tick(_ now: Moment) -> [Action] {
        ordered.filter { ($0.deadline ?? .infinity) <= now.monotonic }.flatMap { transfer in
            drop(transfer, .timedOut, "No chunk came for 120 seconds.")
        }
    }

    /// Ends a transfer without a message; one with the application goes on unheard.
    private mutating func orphan(_ transferID: UUID) -> [Action] {
        guard let transfer = transfers[transferID] else { return [] }
        if case .delivered = transfer.phase {
            transfers[transferID]?.phase = .delivered(isOrphaned: true)
            return []
        }
        transfers[transferID] = nil
        return transfer.phase == .asking ? [] : [.deleteSpool(transferID: transferID)]
    }

    /// Ends a transfer and says why; one with the application only says why.
    private mutating func drop(_ transfer: Transfer, _ reason: AbortReason, _ message: String) -> [Action] {
        let transferID = transfer.start.transferID
        return [abort(transferID, transfer.start.manifest.jobID, reason, message)] + orphan(transferID)
    }

    private func abort(_ transferID: UUID, _ jobID: UUID?, _ reason: AbortReason, _ message: String) -> Action {
        .send(.transferAbort(TransferAbort(transferID: transferID, jobID: jobID, reason: reason, message: message)))
    }
}

extension TransferStart {
    /// Why a start cannot be taken, whatever the session says (corpus-protocol.md 10.1, 13.3, extensions.md 9.1).
    var refusal: AbortReason? {
        guard protocolVersion == TransferStart.partitionProtocolVersion else { return .sizeLimit }
        guard manifest.kind == .corpusPartition,
            manifest.payloadSchemaVersion == TransferManifest.currentSchemaVersion,
            let partition = manifest.corpusPartition
        else { return .invalidManifest }
        let isIdentified = transferID != manifest.jobID && manifest.jobID == partition.jobID
        let isSized =
            totalBytes == partition.byteCount && sha256 == partition.sha256
            && (1...TransferStart.maximumChunkByteCount).contains(chunkBytes)
            && (1...TransferStart.maximumChunkCount).contains(totalChunks)
            && totalChunks == TransferStart.chunkCount(totalBytes: totalBytes, chunkBytes: chunkBytes)
        return isIdentified && isSized ? nil : .sizeLimit
    }
}
