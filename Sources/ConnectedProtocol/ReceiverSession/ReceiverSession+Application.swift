import Cryptography
import Foundation

/// Why a complete partition is refused: the transfer's final ack says `accepted: false`, the session stays as it was.
public enum PartitionRefusal: Error, Sendable, Equatable {
    /// The session does not take partitions now.
    case sessionNotOpen
    /// Another partition is being applied.
    case applicationRunning
    /// Index or predecessor do not fit the journal.
    case chain
    /// The file is not the partition that was described.
    case file(PartitionFileError)
    /// A segment does not continue its item.
    case segment(itemID: UUID, String)
    /// A completed item breaks a rule of its day.
    case item(itemID: UUID, String)

    /// The stable code, also the text of the refusal.
    public var code: String {
        switch self {
        case .sessionNotOpen: "session_not_open"
        case .applicationRunning: "partition_application_running"
        case .chain: "partition_out_of_order"
        case .file(let error): error.code
        case .segment: "segment_invalid"
        case .item: "item_invalid"
        }
    }
}

/// Bytes of a partition that go to an item file.
public struct SegmentPlan: Sendable, Equatable {
    /// The segment as the manifest states it.
    public let segment: PartitionSegment
    /// Its bytes in the partition file.
    public let fileRange: Range<Int64>
    /// The digest that the first ``PartitionSegment/itemOffset`` bytes of the item file must have; nil for a new item.
    public let prefixSHA256: Digest?
}

/// What the driver found after it wrote a segment.
public enum SegmentResult: Sendable, Equatable {
    /// The item goes on in a later partition; the digest of what is there now.
    case partial(prefixSHA256: Digest)
    /// The item is complete, its length and digest are right, and it decoded to this.
    case complete(ItemFacts)
}

/// What a completed item says, as far as the rules of its day need it.
public enum ItemFacts: Sendable, Equatable {
    /// A health day.
    case healthDay(HealthDay)
    /// A raw day.
    case rawDay(RawDay)

    /// Facts of a `mac_health_day` item (hmdcitem.md 6).
    public struct HealthDay: Sendable, Equatable {
        /// The item's own `sourceDate`.
        public var sourceDate: ProtocolDate
        /// The item's own flag.
        public var isRequestedDate: Bool
        /// Whether there is a record, and whether its date lies on the source's calendar day.
        public var record: Record
        /// Date and reason of the failure, if any.
        public var failure: Failure?
        /// Whether other providers delivered something for the day.
        public var hasProviderRecords: Bool

        /// Whether there is a record.
        public enum Record: Sendable, Equatable {
            /// None.
            case absent
            /// One, dated on the day or on another one.
            case present(isOnSourceDay: Bool)
        }

        /// Why a day could not be captured.
        public struct Failure: Sendable, Equatable {
            /// Must be the source date.
            public var date: ProtocolDate
            /// The wire word.
            public var reason: String

            /// A failure.
            public init(date: ProtocolDate, reason: String) {
                self.date = date
                self.reason = reason
            }
        }

        /// Facts of a health day.
        public init(
            sourceDate: ProtocolDate, isRequestedDate: Bool, record: Record, failure: Failure?,
            hasProviderRecords: Bool = false
        ) {
            self.hasProviderRecords = hasProviderRecords
            self.sourceDate = sourceDate
            self.isRequestedDate = isRequestedDate
            self.record = record
            self.failure = failure
        }
    }

    /// Facts of a `strict_raw_day` item (hmdcitem.md 7).
    public struct RawDay: Sendable, Equatable {
        /// The item's own `sourceDate`.
        public var sourceDate: ProtocolDate
        /// The owner date inside.
        public var label: String
        /// The status word.
        public var status: String
        /// Where the canonical document lies in the item, if there is one.
        public var document: DestinationJournal.ByteRange?

        /// Facts of a raw day.
        public init(
            sourceDate: ProtocolDate, label: String, status: String, document: DestinationJournal.ByteRange?
        ) {
            self.sourceDate = sourceDate
            self.label = label
            self.status = status
            self.document = document
        }
    }
}

/// What one partition changed: the rows that the driver writes in one transaction before it acknowledges.
public struct PartitionCommit: Sendable, Equatable {
    /// Index of the partition.
    public let index: Int
    /// Its size and digest.
    public let partition: DestinationJournal.CommittedPartition
    /// Items whose prefix grew.
    public let partialItems: [DestinationJournal.PartialItem]
    /// Days that became complete.
    public let days: [DestinationJournal.Day]
}

extension ReceiverSession {
    /// Begins the application of a transferred partition (corpus-protocol.md 13.4.1).
    ///
    /// Returns false when this index is durable with this digest already: success without work.
    public mutating func beginApplication(of descriptor: PartitionDescriptor) throws(PartitionRefusal) -> Bool {
        if descriptor.index < nextPartitionIndex {
            guard journal.committedPartitions[descriptor.index].sha256 == descriptor.sha256 else { throw .chain }
            return false
        }
        guard journal.state == .open else { throw .sessionNotOpen }
        guard application == nil else { throw .applicationRunning }
        guard descriptor.index == nextPartitionIndex, descriptor.previousSHA256 == journal.lastPartitionSHA256 else {
            throw .chain
        }
        application = descriptor
        return true
    }

    /// Gives an application up; the journal is as it was.
    public mutating func abandonApplication() { application = nil }

    /// Checks the manifest of the partition being applied against descriptor and items, and says what to write where
    /// (corpus-protocol.md 13.4.2 and 13.4.3). `sha256` is the digest that was taken while the bytes arrived.
    public func plan(_ file: PartitionFile, sha256: Digest) throws(PartitionRefusal) -> [SegmentPlan] {
        guard let descriptor = application else { throw .sessionNotOpen }
        do {
            try file.check(against: descriptor, sha256: sha256)
        } catch {
            throw .file(error)
        }
        let requested = Set(journal.manifest.requestedDates)
        let completedIDs = Set(journal.days.values.map(\.itemID))
        var plans: [SegmentPlan] = []
        var dates: Set<ProtocolDate> = []
        for placed in file.segments {
            let segment = placed.segment
            let id = segment.itemID
            guard dates.insert(segment.sourceDate).inserted else {
                throw .segment(itemID: id, "a second item of a day")
            }
            guard segment.kind == journal.manifest.mode.itemKind else { throw .segment(itemID: id, "kind") }
            guard !completedIDs.contains(id), journal.days[segment.sourceDate] == nil else {
                throw .segment(itemID: id, "the item or its day is complete")
            }
            guard segment.isRequestedDate == requested.contains(segment.sourceDate) else {
                throw .segment(itemID: id, "requested flag")
            }
            plans.append(
                SegmentPlan(
                    segment: segment, fileRange: placed.fileRange, prefixSHA256: try continuity(of: segment)))
        }
        return plans
    }

    /// The digest that the stored prefix must have; nil for a new item.
    private func continuity(of segment: PartitionSegment) throws(PartitionRefusal) -> Digest? {
        let id = segment.itemID
        guard let partial = journal.partialItems[id] else {
            guard segment.itemOffset == 0 else { throw .segment(itemID: id, "a new item begins at 0") }
            guard !journal.partialItems.values.contains(where: { $0.sourceDate == segment.sourceDate }) else {
                throw .segment(itemID: id, "another item of this day was begun")
            }
            return nil
        }
        guard partial.kind == segment.kind, partial.sourceDate == segment.sourceDate,
            partial.isRequestedDate == segment.isRequestedDate, partial.totalItemBytes == segment.totalItemBytes,
            partial.itemSHA256 == segment.itemSHA256
        else { throw .segment(itemID: id, "identity of the item") }
        guard partial.nextOffset == segment.itemOffset else { throw .segment(itemID: id, "offset") }
        return partial.prefixSHA256
    }

    /// Takes the results of all segments, in manifest order, checks the days (corpus-protocol.md 13.4.5) and changes
    /// the journal. The driver makes the commit durable before it acknowledges; when it cannot, it drops this copy.
    public mutating func commit(
        _ plans: [SegmentPlan], _ results: [SegmentResult]
    ) throws(PartitionRefusal) -> PartitionCommit {
        guard let descriptor = application else { throw .sessionNotOpen }
        precondition(plans.count == results.count, "one result for each segment")
        var partialItems: [DestinationJournal.PartialItem] = []
        var days: [DestinationJournal.Day] = []
        for (plan, result) in zip(plans, results) {
            let segment = plan.segment
            switch result {
            case .partial(let prefixSHA256):
                precondition(!segment.isFinalSegment, "a final segment completes its item")
                partialItems.append(partialItem(after: segment, prefixSHA256))
            case .complete(let facts):
                precondition(segment.isFinalSegment, "only a final segment completes an item")
                days.append(try day(of: segment, facts))
            }
        }
        for item in partialItems { journal.partialItems[item.itemID] = item }
        for day in days {
            journal.partialItems[day.itemID] = nil
            journal.days[day.sourceDate] = day
        }
        let partition = DestinationJournal.CommittedPartition(
            byteCount: descriptor.byteCount, sha256: descriptor.sha256)
        journal.committedPartitions.append(partition)
        journal.totalPartitionBytes += descriptor.byteCount
        application = nil
        return PartitionCommit(index: descriptor.index, partition: partition, partialItems: partialItems, days: days)
    }

    private func partialItem(
        after segment: PartitionSegment, _ prefixSHA256: Digest
    ) -> DestinationJournal.PartialItem {
        DestinationJournal.PartialItem(
            itemID: segment.itemID, kind: segment.kind, sourceDate: segment.sourceDate,
            isRequestedDate: segment.isRequestedDate, totalItemBytes: segment.totalItemBytes,
            itemSHA256: segment.itemSHA256, nextOffset: segment.itemOffset + segment.segmentBytes,
            prefixSHA256: prefixSHA256)
    }

    private func day(
        of segment: PartitionSegment, _ facts: ItemFacts
    ) throws(PartitionRefusal) -> DestinationJournal.Day {
        let content: DestinationJournal.DayContent
        switch facts {
        case .healthDay(let day): content = try check(day, segment)
        case .rawDay(let day): content = try check(day, segment)
        }
        return DestinationJournal.Day(
            itemID: segment.itemID, sourceDate: segment.sourceDate, itemByteCount: segment.totalItemBytes,
            itemSHA256: segment.itemSHA256, content: content)
    }

    private func check(
        _ day: ItemFacts.HealthDay, _ segment: PartitionSegment
    ) throws(PartitionRefusal) -> DestinationJournal.DayContent {
        let id = segment.itemID
        guard segment.kind == .macHealthDay else { throw .item(itemID: id, "kind") }
        guard day.sourceDate == segment.sourceDate else { throw .item(itemID: id, "source date") }
        guard day.isRequestedDate == segment.isRequestedDate else { throw .item(itemID: id, "requested flag") }
        if let failure = day.failure, failure.date != segment.sourceDate { throw .item(itemID: id, "failure date") }
        switch day.record {
        case .present(let isOnSourceDay):
            guard isOnSourceDay else { throw .item(itemID: id, "record date") }
            return .record
        // Files are made of what other providers delivered: the item is needed.
        case .absent where day.hasProviderRecords: return .record
        case .absent: return day.failure.map { .failed(reason: $0.reason) } ?? .noData
        }
    }

    private func check(
        _ day: ItemFacts.RawDay, _ segment: PartitionSegment
    ) throws(PartitionRefusal) -> DestinationJournal.DayContent {
        let id = segment.itemID
        guard segment.kind == .strictRawDay else { throw .item(itemID: id, "kind") }
        guard day.sourceDate == segment.sourceDate else { throw .item(itemID: id, "source date") }
        guard segment.isRequestedDate else { throw .item(itemID: id, "requested flag") }
        guard let label = identifier(of: segment.sourceDate), label == day.label else {
            throw .item(itemID: id, "day label")
        }
        return .raw(status: day.status, document: day.document)
    }

    /// The label of a requested day; the dates are ascending, so that a session of many days stays quick.
    private func identifier(of date: ProtocolDate) -> String? {
        guard let labels = journal.manifest.requestedDateIdentifiers else { return nil }
        let dates = journal.manifest.requestedDates
        var low = 0
        var high = dates.count
        while low < high {
            let middle = (low + high) / 2
            if dates[middle] < date { low = middle + 1 } else { high = middle }
        }
        return low < dates.count && dates[low] == date ? labels[low] : nil
    }
}
