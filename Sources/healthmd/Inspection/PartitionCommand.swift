import CanonicalJSON
import ConnectedProtocol
import Cryptography
import HMDCItem

/// `partition inspect` (extensions.md 6, corpus-protocol.md 8).
enum PartitionCommand {
    static let spec = CommandSpec(
        "partition", "inspect",
        summary: "Prints a partition file: manifest, segments, digests; checks all that needs no other file.",
        examples: [Example("healthmd partition inspect partition-0.hmdcorp1", "what is inside, and is it whole?")],
        positionals: [PositionalSpec(name: "FILE", kind: .file, count: .one, summary: "a partition file")],
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            let document = try FileKind.explaining(path, expected: .partition) { file in
                try PartitionInspection(file).document()
            }
            console.print(document, invocation)
            return .success
        })
}

/// One partition file under inspection. The file is read twice at most, in bounded pieces.
struct PartitionInspection {
    private let file: InspectedFile
    private let layout: PartitionFile
    private let manifestDigest: Digest

    /// Reads the manifest and checks it against the file's length.
    init(_ file: InspectedFile) throws {
        self.file = file
        let prefix = try file.bytes(at: 0, count: PartitionFile.prefixByteCount)
        let count = try PartitionFile.manifestByteCount(prefix: prefix)
        let text = try file.bytes(at: UInt64(PartitionFile.prefixByteCount), count: count)
        guard text.count == count else { throw PartitionFileError.manifestLength(found: count) }
        layout = try PartitionFile(manifestText: text, fileByteCount: Int64(clamping: file.byteCount))
        manifestDigest = SHA256.hash(text)
    }

    /// Everything that the file says, after its digests were compared with its bytes.
    func document() throws -> JSONValue {
        let digests = try digests()
        var segments: [JSONValue] = []
        for (placed, digest) in zip(layout.segments, digests.segments) {
            try check(placed, digest)
            segments.append(describe(placed, digest))
        }
        return [
            "valid": true, "bytes": .number(JSONNumber(layout.byteCount)), "sha256": .string(digests.whole.hex),
            "manifest": manifest, "segments": .array(segments),
        ]
    }

    /// Digests of the file and of each segment, in one pass.
    private func digests() throws -> (whole: Digest, segments: [Digest]) {
        var whole = SHA256()
        var segment = SHA256()
        var finished: [Digest] = []
        var position: Int64 = 0
        try file.forEachPiece { piece in
            whole.update(piece)
            let end = position + Int64(piece.count)
            while finished.count < layout.segments.count {
                let range = layout.segments[finished.count].fileRange.clamped(to: position..<end)
                if !range.isEmpty {
                    let part = Int(range.lowerBound - position)..<Int(range.upperBound - position)
                    segment.update(UnsafeRawBufferPointer(rebasing: piece[part]))
                }
                guard layout.segments[finished.count].fileRange.upperBound <= end else { break }
                finished.append(segment.finalize())
            }
            position = end
        }
        guard finished.count == layout.segments.count else {
            throw PartitionFileError.byteCount(expected: layout.byteCount, found: position)
        }
        return (whole.finalize(), finished)
    }

    /// What one segment shows without its neighbours: the head of an item, or a whole one.
    private func check(_ placed: PartitionFile.PlacedSegment, _ digest: Digest) throws {
        let segment = placed.segment
        guard segment.itemOffset == 0 else { return }
        if segment.isFinalSegment, digest != segment.itemSHA256 {
            throw CommandFailure(
                "partition_item_digest",
                "the item of a segment has another digest than its manifest says; request the day again",
                status: .integrity, details: [("offset", .number(JSONNumber(placed.fileRange.lowerBound)))])
        }
        let head = try file.bytes(
            at: UInt64(placed.fileRange.lowerBound),
            count: Int(min(segment.segmentBytes, Int64(ItemFormat.headerByteCount))))
        guard ItemHeader.hasMagic(head) else { return }
        let kind = HMDCItem.ItemKind(rawValue: segment.kind.rawValue)
        do {
            if segment.isFinalSegment {
                try ItemReader.validate(InspectedRange(file, placed.fileRange), kind: kind)
            } else if head.count == Int(ItemFormat.headerByteCount) {
                _ = try ItemHeader(parsing: head, fileByteCount: UInt64(segment.totalItemBytes), expected: kind)
            }
        } catch ItemError.rejected(let rejection, let offset) {
            throw ItemError.rejected(rejection, offset: UInt64(placed.fileRange.lowerBound) + offset)
        }
    }

    private var manifest: JSONValue {
        var manifest: JSONObject = [
            "version": .integer(layout.manifest.version), "bytes": .integer(layout.manifestByteCount),
            "sha256": .string(manifestDigest.hex), "session_id": .string(layout.manifest.sessionID.uuidString),
            "job_id": .string(layout.manifest.jobID.uuidString),
            "partition_index": .integer(layout.manifest.partitionIndex),
        ]
        manifest.append(
            "previous_partition_sha256", ifPresent: layout.manifest.previousPartitionSHA256.map { .string($0.hex) })
        return .object(manifest)
    }

    private func describe(_ placed: PartitionFile.PlacedSegment, _ digest: Digest) -> JSONValue {
        let segment = placed.segment
        let seconds = segment.sourceDate.secondsSince2001
        var description: JSONObject = [
            "item_id": .string(segment.itemID.uuidString), "kind": .string(segment.kind.rawValue),
            "source_date": .double(seconds), "is_requested_date": .bool(segment.isRequestedDate),
            "file_offset": .number(JSONNumber(placed.fileRange.lowerBound)),
            "item_offset": .number(JSONNumber(segment.itemOffset)),
            "segment_bytes": .number(JSONNumber(segment.segmentBytes)), "segment_sha256": .string(digest.hex),
            "total_item_bytes": .number(JSONNumber(segment.totalItemBytes)),
            "item_sha256": .string(segment.itemSHA256.hex), "is_final_segment": .bool(segment.isFinalSegment),
            "is_whole_item": .bool(segment.itemOffset == 0 && segment.isFinalSegment),
        ]
        description.append("source_date_utc", ifPresent: RFC3339.seconds(since2001: seconds).map(JSONValue.string))
        return .object(description)
    }
}
