import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// Heavy work for a job, done in the background in the order in which it was asked.
enum WorkOrder: Sendable {
    /// Make the item of a day.
    case produce(jobID: UUID, ItemOrder)
    /// Describe and digest a partition.
    case build(jobID: UUID, PartitionPlan)
    /// Check that the items of a restored job are intact, and digest its pending partition again.
    case verify(jobID: UUID, protocolVersion: Int, [PendingItem], SourceJournal.PendingPartition?)
    /// Delete items that nothing refers to.
    case delete([UUID])
}

/// What came of it.
enum WorkResult: Sendable {
    /// An item is on stable storage.
    case produced(jobID: UUID, PendingItem)
    /// A partition can be sent.
    case built(jobID: UUID, SourceJournal.PendingPartition, ReadyPartition)
    /// A restored job is intact; its pending partition, if any, can be sent.
    case verified(jobID: UUID, ReadyPartition?)
    /// It went wrong; `isFinal` when trying again cannot help.
    case failed(jobID: UUID, code: String, message: String, isFinal: Bool)
}

/// A partition with its bytes at hand and the digest of each chunk.
struct ReadyPartition: Sendable {
    let bytes: PartitionBytes
    let digests: PartitionDigests
}

/// Where work is done.
protocol Workbench: AnyObject {
    /// Takes an order. The result is handed to the engine later, never from inside this call.
    func submit(_ order: WorkOrder)
}

/// Does the work of orders, one after the other; belongs to one thread.
final class Workshop {
    private let items: ItemStore
    private let producer: ItemProducer
    private let chunkByteCount: Int
    private let makeTransferID: () -> UUID

    init(
        items: ItemStore, library: any DayLibrary, chunkByteCount: Int = TransferStart.maximumChunkByteCount,
        makeIdentity: @escaping () -> UUID = SecureRandom.uuid
    ) {
        self.items = items
        self.chunkByteCount = chunkByteCount
        producer = ItemProducer(library: library, store: items, makeIdentity: makeIdentity)
        makeTransferID = makeIdentity
    }

    /// Does one order. Deletion has no result: what stays is swept at the next start.
    func perform(_ order: WorkOrder) -> WorkResult? {
        switch order {
        case .produce(let jobID, let order):
            return result(jobID) { .produced(jobID: jobID, try producer.produce(order)) }
        case .build(let jobID, let plan):
            return result(jobID) { try build(jobID, plan) }
        case .verify(let jobID, let protocolVersion, let pendingItems, let partition):
            return result(jobID) {
                for item in pendingItems { try items.verify(item, protocolVersion: protocolVersion) }
                return .verified(jobID: jobID, try partition.map(ready))
            }
        case .delete(let itemIDs):
            // A file that stays takes space until the next start sweeps it; nothing else depends on it.
            try? items.delete(itemIDs)
            return nil
        }
    }

    private func build(_ jobID: UUID, _ plan: PartitionPlan) throws -> WorkResult {
        let bytes = try PartitionBytes(plan.file, in: items)
        let digests = try bytes.digests(chunkByteCount: chunkByteCount)
        let partition = SourceJournal.PendingPartition(
            transferID: makeTransferID(), descriptor: try plan.descriptor(sha256: digests.whole),
            manifest: plan.file.manifest)
        return .built(jobID: jobID, partition, ReadyPartition(bytes: bytes, digests: digests))
    }

    /// A partition of a stored journal: its bytes must still give the digest under which it was announced.
    private func ready(_ partition: SourceJournal.PendingPartition) throws -> ReadyPartition {
        let file = try PartitionFile(
            manifestText: partition.manifest.text, fileByteCount: partition.descriptor.byteCount)
        let bytes = try PartitionBytes(file, in: items)
        let digests = try bytes.digests(chunkByteCount: chunkByteCount)
        guard digests.whole == partition.descriptor.sha256 else {
            throw SenderError.itemDamaged(name: "of partition \(partition.descriptor.index)")
        }
        return ReadyPartition(bytes: bytes, digests: digests)
    }

    private func result(_ jobID: UUID, _ work: () throws -> WorkResult) -> WorkResult {
        do {
            return try work()
        } catch let error as SenderError {
            return .failed(jobID: jobID, code: error.code, message: error.description, isFinal: error.isFinal)
        } catch let error as StoreError {
            return .failed(
                jobID: jobID, code: error.code, message: "The disk of the source failed.", isFinal: false)
        } catch {
            return .failed(jobID: jobID, code: "work_failed", message: "The work failed.", isFinal: false)
        }
    }
}

extension SenderError {
    /// Whether trying again cannot help: the prepared bytes are not those that were announced.
    fileprivate var isFinal: Bool {
        switch self {
        case .itemDamaged, .generationGone: true
        default: false
        }
    }
}
