import CanonicalJSON
import Cryptography
import Foundation

/// A part of one item inside a partition (corpus-protocol.md 8).
public struct PartitionSegment: Sendable, Hashable, Codable {
    /// The item.
    public let itemID: UUID
    /// What the item is.
    public let kind: ItemKind
    /// The item's day.
    public let sourceDate: ProtocolDate
    /// Whether that day was requested.
    public let isRequestedDate: Bool
    /// Bytes of the whole item.
    public let totalItemBytes: Int64
    /// Digest of the whole item.
    public let itemSHA256: Digest
    /// Where the segment starts in the item.
    public let itemOffset: Int64
    /// Bytes of the segment.
    public let segmentBytes: Int64
    /// Whether the segment ends the item.
    public let isFinalSegment: Bool

    /// The segment of `byteCount` bytes from an item's offset. Throws `CorpusModelError.itemByteCount` unless it lies
    /// inside the item.
    public init(of item: PendingItem, byteCount: Int64) throws {
        guard byteCount > 0, item.nextOffset >= 0, item.totalBytes > 0,
            byteCount <= item.totalBytes - item.nextOffset
        else { throw CorpusModelError.itemByteCount }
        itemID = item.itemID
        kind = item.kind
        sourceDate = item.sourceDate
        isRequestedDate = item.isRequestedDate
        totalItemBytes = item.totalBytes
        itemSHA256 = item.sha256
        itemOffset = item.nextOffset
        segmentBytes = byteCount
        isFinalSegment = item.nextOffset + byteCount == item.totalBytes
    }

    /// The item's bytes that the segment carries.
    public var itemRange: Range<Int64> { itemOffset..<itemOffset + segmentBytes }

    /// Whether sizes, offset and final flag agree, without overflow.
    var isCoherent: Bool {
        let (end, overflow) = itemOffset.addingReportingOverflow(segmentBytes)
        return totalItemBytes > 0 && itemOffset >= 0 && segmentBytes > 0 && !overflow && end <= totalItemBytes
            && isFinalSegment == (end == totalItemBytes)
    }

    fileprivate var json: JSONValue {
        [
            "itemID": .string(itemID.uuidString), "kind": .string(kind.rawValue),
            "sourceDate": .double(sourceDate.secondsSince2001), "isRequestedDate": .bool(isRequestedDate),
            "totalItemBytes": .number(JSONNumber(totalItemBytes)), "itemSHA256": .string(itemSHA256.hex),
            "itemOffset": .number(JSONNumber(itemOffset)), "segmentBytes": .number(JSONNumber(segmentBytes)),
            "isFinalSegment": .bool(isFinalSegment),
        ]
    }
}

/// What stands in front of the segments of a partition file (corpus-protocol.md 8).
public struct PartitionManifest: Sendable, Hashable, Codable {
    /// The only version.
    public static let currentVersion = 1
    /// Most segments that any partition holds: our design cap.
    public static let maximumSegmentCount = 1_024

    /// Version of the manifest.
    public let version: Int
    /// The session.
    public let sessionID: UUID
    /// The job.
    public let jobID: UUID
    /// Position of the partition.
    public let partitionIndex: Int
    /// Digest of the partition before; nil for the first.
    public let previousPartitionSHA256: Digest?
    /// The segments, in the order of the payload.
    public let segments: [PartitionSegment]

    init(session: CorpusSession, index: Int, previous: Digest?, segments: [PartitionSegment]) {
        version = PartitionManifest.currentVersion
        sessionID = session.sessionID
        jobID = session.jobID
        partitionIndex = index
        previousPartitionSHA256 = previous
        self.segments = segments
    }

    /// Reads a manifest and checks what needs nothing else. Throws `PartitionFileError`.
    public init(text: [UInt8]) throws(PartitionFileError) {
        do {
            _ = try JSONTokenizer.read(text) { tokens in
                _ = try tokens.skipValue()
                _ = try tokens.next()
            }
            self = try JSONDecoder().decode(PartitionManifest.self, from: Data(text))
        } catch {
            throw .manifest(MessageError(decoding: error))
        }
        guard version == PartitionManifest.currentVersion else { throw .version(found: version) }
        guard partitionIndex >= 0 else { throw .identity(field: "index") }
        guard (previousPartitionSHA256 == nil) == (partitionIndex == 0) else {
            throw .identity(field: "previous digest")
        }
        guard (1...PartitionManifest.maximumSegmentCount).contains(segments.count) else {
            throw .segmentCount(found: segments.count)
        }
        var items: Set<UUID> = []
        for (position, segment) in segments.enumerated() {
            guard segment.isCoherent else { throw .segment(position: position) }
            guard items.insert(segment.itemID).inserted else { throw .repeatedItem(position: position) }
        }
    }

    /// The days of the segments, ascending and unique.
    public var sourceDates: [ProtocolDate] { Set(segments.map(\.sourceDate)).sorted() }

    /// The compact text with sorted keys and unescaped `/`.
    public var text: [UInt8] {
        var object: JSONObject = [
            "version": .integer(version), "sessionID": .string(sessionID.uuidString),
            "jobID": .string(jobID.uuidString), "partitionIndex": .integer(partitionIndex),
            "segments": .array(segments.map(\.json)),
        ]
        object.append("previousPartitionSHA256", ifPresent: previousPartitionSHA256.map { .string($0.hex) })
        return JSONWriter.encode(.object(object), style: .compactSorted)
    }
}
