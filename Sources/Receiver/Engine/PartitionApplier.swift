import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem
import HealthData

/// Writes the segments of one transferred partition to its items and decodes those that are complete
/// (corpus-protocol.md 13.4). Runs on the disk worker, over a copy of the session that does not change meanwhile.
///
/// Everything that it writes lies beyond the offsets that the journal knows, so an interrupted application is begun
/// again by truncating. When it returns, files and folder are synced and the rows may be written.
struct PartitionApplier {
    /// Bytes that are copied at a time.
    static let bufferByteCount = 1 << 20
    /// The largest item of the JSON form (protocol versions 1 to 3) that is taken: it is decoded in memory.
    static let maximumJSONItemByteCount = 16 << 20

    /// What was done.
    struct Outcome: Sendable {
        var plans: [SegmentPlan]
        var results: [SegmentResult]
        /// Running digests of the items that go on, so that their prefixes need not be read again.
        var prefixHashers: [UUID: SHA256]
    }

    let session: ReceiverSession
    let folder: SessionFolder
    let spool: File
    let spoolByteCount: Int64
    let spoolSHA256: Digest
    /// From the partition before.
    let prefixHashers: [UUID: SHA256]

    /// Applies the partition. Throws `PartitionRefusal` for what the peer did wrong, else what the disk says.
    func run() throws -> Outcome {
        let plans = try session.plan(try readManifest(), sha256: spoolSHA256)
        var outcome = Outcome(plans: plans, results: [], prefixHashers: [:])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        for plan in plans {
            let (file, hasher) = try append(plan, buffer)
            if plan.segment.isFinalSegment {
                let digest = hasher.peek()
                guard digest == plan.segment.itemSHA256 else { throw ReceiverError.itemDigest }
                outcome.results.append(.complete(try facts(of: plan.segment, in: file)))
            } else {
                outcome.results.append(.partial(prefixSHA256: hasher.peek()))
                outcome.prefixHashers[plan.segment.itemID] = hasher
            }
        }
        try folder.items.sync()
        return outcome
    }

    private func readManifest() throws -> PartitionFile {
        do {
            let prefix = try spool.bytes(at: 0, count: min(PartitionFile.prefixByteCount, Int(spoolByteCount)))
            let count = try PartitionFile.manifestByteCount(prefix: prefix)
            guard Int64(PartitionFile.prefixByteCount + count) <= spoolByteCount else {
                throw PartitionFileError.byteCount(
                    expected: Int64(PartitionFile.prefixByteCount + count), found: spoolByteCount)
            }
            let text = try spool.bytes(at: UInt64(PartitionFile.prefixByteCount), count: count)
            return try PartitionFile(manifestText: text, fileByteCount: spoolByteCount)
        } catch let error as PartitionFileError {
            throw PartitionRefusal.file(error)
        }
    }

    /// Copies one segment behind the durable prefix of its item and syncs the file.
    private func append(
        _ plan: SegmentPlan, _ buffer: UnsafeMutableRawBufferPointer
    ) throws -> (File, SHA256) {
        let segment = plan.segment
        let file = try folder.items.openOrCreateFile(SessionFolder.itemName(segment.itemID))
        let offset = UInt64(segment.itemOffset)
        let size = try file.size()
        guard size >= offset else { throw ReceiverError.itemFileDamaged }
        // Bytes beyond the journaled offset are from an application that was interrupted.
        if size > offset { try file.truncate(to: offset) }
        var hasher = try prefixHasher(plan, file)
        var source = UInt64(plan.fileRange.lowerBound)
        var target = offset
        let end = UInt64(plan.fileRange.upperBound)
        while source < end {
            let wanted = Int(min(UInt64(buffer.count), end - source))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            guard try spool.read(into: piece, at: source) == wanted else { throw ReceiverError.itemFileDamaged }
            hasher.update(UnsafeRawBufferPointer(piece))
            try file.write(UnsafeRawBufferPointer(piece), at: target)
            source += UInt64(wanted)
            target += UInt64(wanted)
        }
        try file.sync()
        return (file, hasher)
    }

    private func prefixHasher(_ plan: SegmentPlan, _ file: File) throws -> SHA256 {
        guard let expected = plan.prefixSHA256 else { return SHA256() }
        if let running = prefixHashers[plan.segment.itemID], running.peek() == expected { return running }
        // After a restart: the durable prefix is read once.
        var hasher = SHA256()
        try file.forEachPiece { hasher.update($0) }
        guard hasher.peek() == expected else { throw ReceiverError.itemFileDamaged }
        return hasher
    }

    // MARK: - Decoding

    private func facts(of segment: PartitionSegment, in file: File) throws -> ItemFacts {
        do {
            let source = try itemSource(of: segment, in: file)
            switch segment.kind {
            case .macHealthDay: return .healthDay(try healthDay(source))
            case .strictRawDay: return .rawDay(try rawDay(source))
            }
        } catch let error as ItemError {
            throw PartitionRefusal.item(itemID: segment.itemID, error.code)
        } catch is DecodingError {
            throw PartitionRefusal.item(itemID: segment.itemID, "undecodable")
        }
    }

    private func itemSource(of segment: PartitionSegment, in file: File) throws -> any ItemSource {
        let version = session.journal.session.protocolVersion
        guard SessionFolder.usesJSONItems(version) else {
            return FileItemSource(file, byteCount: UInt64(segment.totalItemBytes))
        }
        return try translate(segment, file, as: SessionFolder.dayName(segment.itemID, protocolVersion: version))
    }

    /// Translates a JSON item of an old peer into the item format, so that everything behind reads one form.
    private func translate(_ segment: PartitionSegment, _ file: File, as name: String) throws -> any ItemSource {
        guard segment.totalItemBytes <= Self.maximumJSONItemByteCount else {
            throw ReceiverError.jsonItemTooLarge(limit: Self.maximumJSONItemByteCount)
        }
        let text = try file.contents(maximumByteCount: Self.maximumJSONItemByteCount)
        let bytes: [UInt8]
        do {
            switch segment.kind {
            case .macHealthDay:
                let day = try ItemJSON.decode(HealthDayEnvelope<DailyRecord>.self, from: text)
                bytes = try ItemEncoder().encode(day, kind: .macHealthDay)
            case .strictRawDay:
                let day = try ItemJSON.decode(StrictRawDayEnvelope.self, from: text)
                bytes = try ItemEncoder().encode(day, kind: .strictRawDay)
            }
        } catch is JSONError {
            throw PartitionRefusal.item(itemID: segment.itemID, "json_invalid")
        }
        try folder.items.durableReplace(name, with: bytes)
        return FileItemSource(try folder.items.file(name, requiringPrivate: true), byteCount: UInt64(bytes.count))
    }

    private func healthDay(_ source: any ItemSource) throws -> ItemFacts.HealthDay {
        let item = try ItemFile(source, kind: .macHealthDay)
        let day = try ItemDecoder().decode(HealthDayOutline.self, from: item.root)
        return ItemFacts.HealthDay(
            sourceDate: ProtocolDate(secondsSince2001: day.sourceDate.timeIntervalSinceReferenceDate),
            isRequestedDate: day.isRequestedDate,
            record: day.record.map { record in
                .present(isOnSourceDay: isOnSourceDay(record, day.sourceDate))
            } ?? .absent,
            failure: day.failure.map { failure in
                ItemFacts.HealthDay.Failure(
                    date: ProtocolDate(secondsSince2001: failure.date.timeIntervalSinceReferenceDate),
                    reason: failure.reason)
            }, hasProviderRecords: day.externalDailyRecords?.isEmpty == false)
    }

    /// Whether the record's date lies on the calendar day of the source date, in the source's zone.
    private func isOnSourceDay(_ record: HealthDayOutline.Record, _ sourceDate: Date) -> Bool {
        let identifier = session.journal.manifest.sourceTimeZoneIdentifier
        guard let zone = (identifier ?? record.timeContext?.calendarTimeZoneIdentifier).flatMap(SourceDays.init) else {
            return record.date == sourceDate
        }
        return zone.day(of: record.date) == zone.day(of: sourceDate)
    }

    private func rawDay(_ source: any ItemSource) throws -> ItemFacts.RawDay {
        let extraction = try RawDayExtraction(source)
        return ItemFacts.RawDay(
            sourceDate: ProtocolDate(
                secondsSince2001: extraction.metadata.sourceDate.timeIntervalSinceReferenceDate),
            label: extraction.metadata.day.date, status: extraction.metadata.day.status.rawValue,
            document: extraction.document.map {
                DestinationJournal.ByteRange(offset: Int64($0.offset), byteCount: Int64($0.byteCount))
            })
    }
}

/// The few members of a health day that the rules need; the record itself is decoded when it is rendered.
private struct HealthDayOutline: Decodable {
    struct Record: Decodable {
        struct TimeContext: Decodable {
            var calendarTimeZoneIdentifier: String
        }

        var date: Date
        var timeContext: TimeContext?
    }

    struct Failure: Decodable {
        var date: Date
        var reason: String
    }

    /// What another provider delivered: here it only counts that there is something.
    struct ProviderRecord: Decodable {}

    var externalDailyRecords: [ProviderRecord]?
    var failure: Failure?
    var isRequestedDate: Bool
    var record: Record?
    var sourceDate: Date
}
