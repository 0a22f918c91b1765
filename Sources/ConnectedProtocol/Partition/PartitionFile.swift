import Cryptography

/// Where everything lies in a partition file (corpus-protocol.md 8):
///
///     0       8  "HMDCORP1"
///     8       4  manifest length M, u32 big-endian
///     12      M  manifest
///     12+M       segment payloads in manifest order
///
/// No payload is held: a sender writes `header` and then the item ranges of `segments`, a receiver reads the 12 bytes
/// of the prefix, then the manifest, and copies the ranges.
public struct PartitionFile: Sendable, Hashable {
    /// The first eight bytes.
    public static let magic: [UInt8] = Array("HMDCORP1".utf8)
    /// Bytes before the manifest.
    public static let prefixByteCount = 12
    /// Largest manifest in bytes.
    public static let maximumManifestByteCount = 1_048_576

    /// A segment and its place in the file.
    public struct PlacedSegment: Sendable, Hashable {
        /// The segment.
        public let segment: PartitionSegment
        /// Its bytes in the file.
        public let fileRange: Range<Int64>
    }

    /// The manifest.
    public let manifest: PartitionManifest
    /// Bytes of the manifest.
    public let manifestByteCount: Int
    /// Segments with their places, in order.
    public let segments: [PlacedSegment]
    /// Bytes of the whole file.
    public let byteCount: Int64

    private init(manifest: PartitionManifest, manifestByteCount: Int) throws(PartitionFileError) {
        self.manifest = manifest
        self.manifestByteCount = manifestByteCount
        var offset = Int64(PartitionFile.prefixByteCount + manifestByteCount)
        var placed: [PlacedSegment] = []
        placed.reserveCapacity(manifest.segments.count)
        for (position, segment) in manifest.segments.enumerated() {
            let (end, overflow) = offset.addingReportingOverflow(segment.segmentBytes)
            guard !overflow else { throw .segment(position: position) }
            placed.append(PlacedSegment(segment: segment, fileRange: offset..<end))
            offset = end
        }
        segments = placed
        byteCount = offset
    }

    /// The file of a manifest of our own.
    init(_ manifest: PartitionManifest) throws(PartitionFileError) {
        try self.init(manifest: manifest, manifestByteCount: manifest.text.count)
    }

    /// The bytes before the payloads, as this program writes them.
    public var header: [UInt8] {
        let text = manifest.text
        let count = UInt32(text.count)
        return PartitionFile.magic
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + text
    }

    /// Bytes of the manifest according to the first twelve bytes of a file. Throws `PartitionFileError`.
    public static func manifestByteCount(prefix: [UInt8]) throws(PartitionFileError) -> Int {
        guard prefix.count >= prefixByteCount, prefix[..<8].elementsEqual(magic) else { throw .wrongMagic }
        let count = prefix[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard (1...maximumManifestByteCount).contains(count) else { throw .manifestLength(found: count) }
        return count
    }

    /// The layout of a received file from its manifest text, checked as far as no descriptor is needed:
    /// 12 + M + sum of segments = size. Throws `PartitionFileError`.
    public init(manifestText: [UInt8], fileByteCount: Int64) throws(PartitionFileError) {
        guard (1...PartitionFile.maximumManifestByteCount).contains(manifestText.count) else {
            throw .manifestLength(found: manifestText.count)
        }
        try self.init(manifest: PartitionManifest(text: manifestText), manifestByteCount: manifestText.count)
        guard byteCount == fileByteCount else { throw .byteCount(expected: byteCount, found: fileByteCount) }
    }

    /// Checks the file against its descriptor: size and digest of the whole (as the receiver took them while the bytes
    /// passed), session, job, index, previous digest and dates. Throws `PartitionFileError`.
    public func check(against descriptor: PartitionDescriptor, sha256: Digest) throws(PartitionFileError) {
        guard byteCount == descriptor.byteCount else {
            throw .byteCount(expected: descriptor.byteCount, found: byteCount)
        }
        guard sha256 == descriptor.sha256 else { throw .digest }
        guard manifest.sessionID == descriptor.sessionID else { throw .identity(field: "session") }
        guard manifest.jobID == descriptor.jobID else { throw .identity(field: "job") }
        guard manifest.partitionIndex == descriptor.index else { throw .identity(field: "index") }
        guard manifest.previousPartitionSHA256 == descriptor.previousSHA256 else {
            throw .identity(field: "previous digest")
        }
        guard manifest.sourceDates == descriptor.sourceDates else { throw .sourceDates }
    }
}
