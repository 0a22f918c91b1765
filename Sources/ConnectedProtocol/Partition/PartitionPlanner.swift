import Cryptography
import Foundation

/// An item of which bytes are still to be sent.
public struct PendingItem: Sendable, Hashable, Codable {
    /// Chosen at random when the item was produced.
    public let itemID: UUID
    /// What it is.
    public let kind: ItemKind
    /// Its day.
    public let sourceDate: ProtocolDate
    /// Whether that day was requested.
    public let isRequestedDate: Bool
    /// Bytes of the whole item.
    public let totalBytes: Int64
    /// Digest of the whole item.
    public let sha256: Digest
    /// First byte that is not in a committed partition.
    public var nextOffset: Int64

    /// An item, new unless an offset is given.
    public init(
        itemID: UUID, kind: ItemKind, sourceDate: ProtocolDate, isRequestedDate: Bool, totalBytes: Int64,
        sha256: Digest, nextOffset: Int64 = 0
    ) {
        precondition(totalBytes > 0 && (0...totalBytes).contains(nextOffset), "an offset lies inside its item")
        self.itemID = itemID
        self.kind = kind
        self.sourceDate = sourceDate
        self.isRequestedDate = isRequestedDate
        self.totalBytes = totalBytes
        self.sha256 = sha256
        self.nextOffset = nextOffset
    }

    /// Bytes that are still to be sent.
    public var remainingBytes: Int64 { totalBytes - nextOffset }
}

/// Packs items into partitions (corpus-protocol.md 8, sender packing rules).
public struct PartitionPlanner: Sendable, Hashable {
    /// Room for header and manifest, in bytes.
    public static let headerReserve: Int64 = 1_048_576
    /// Most segments that this program packs, and most items that it lets wait.
    public static let preferredSegmentCount = 32

    /// Payload bytes of one partition.
    public let payloadBudget: Int64
    /// Most segments of one partition.
    public let segmentLimit: Int

    /// A planner for a session's target.
    public init(targetBytes: Int64) {
        precondition(
            (PartitionTargetBounds.floor...PartitionTargetBounds.ceiling).contains(targetBytes),
            "a target is 32 to 64 MiB")
        payloadBudget = targetBytes - PartitionPlanner.headerReserve
        segmentLimit = PartitionPlanner.preferredSegmentCount
    }

    /// A planner with limits of one's own, for tests that cannot wait for 31 MiB.
    init(payloadBudget: Int64, segmentLimit: Int = PartitionPlanner.preferredSegmentCount) {
        self.payloadBudget = payloadBudget
        self.segmentLimit = segmentLimit
    }

    /// Whether the next partition should be built now: enough bytes, enough items, or nothing more to come.
    public func shouldFlush(_ pending: [PendingItem], allItemsProduced: Bool) -> Bool {
        if pending.isEmpty { return false }
        if allItemsProduced || pending.count >= segmentLimit { return true }
        // A partition is full long before this sum could overflow.
        var buffered: Int64 = 0
        for item in pending {
            buffered += min(item.remainingBytes, payloadBudget)
            if buffered >= payloadBudget { return true }
        }
        return false
    }

    /// The next partition: items in order, each with as much as there is room for.
    public func plan(
        _ pending: [PendingItem], session: CorpusSession, index: Int, previousSHA256: Digest?
    ) throws -> PartitionPlan {
        precondition(!pending.isEmpty, "a partition carries something")
        precondition((previousSHA256 == nil) == (index == 0), "only the first partition has none before it")
        var room = payloadBudget
        var segments: [PartitionSegment] = []
        for item in pending where item.remainingBytes > 0 {
            guard room > 0, segments.count < segmentLimit else { break }
            let count = min(item.remainingBytes, room)
            segments.append(try PartitionSegment(of: item, byteCount: count))
            room -= count
        }
        let manifest = PartitionManifest(
            session: session, index: index, previous: previousSHA256, segments: segments)
        return PartitionPlan(file: try PartitionFile(manifest))
    }
}

/// A partition to be written: `file.header`, then for each of `file.segments` the bytes `segment.itemRange` of its item.
public struct PartitionPlan: Sendable, Hashable {
    /// Layout and manifest.
    public let file: PartitionFile

    /// The descriptor, once the digest of the written file is known.
    public func descriptor(sha256: Digest) throws -> PartitionDescriptor {
        try PartitionDescriptor(
            sessionID: file.manifest.sessionID, jobID: file.manifest.jobID, index: file.manifest.partitionIndex,
            sourceDates: file.manifest.sourceDates, byteCount: file.byteCount, sha256: sha256,
            previousSHA256: file.manifest.previousPartitionSHA256)
    }

    /// The items after the partition is committed: offsets moved, finished items gone (corpus-protocol.md 12.1).
    public func remaining(of pending: [PendingItem]) -> [PendingItem] {
        file.manifest.remaining(of: pending)
    }
}

extension PartitionManifest {
    /// The items after the partition is committed: offsets moved, finished items gone (corpus-protocol.md 12.1).
    public func remaining(of pending: [PendingItem]) -> [PendingItem] {
        let ends = Dictionary(
            segments.map { ($0.itemID, $0.itemRange.upperBound) }, uniquingKeysWith: { first, _ in first })
        return pending.compactMap { item in
            var item = item
            if let end = ends[item.itemID] { item.nextOffset = max(item.nextOffset, end) }
            return item.remainingBytes > 0 ? item : nil
        }
    }
}
