import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// The bytes of one partition: its header, then ranges of item files (corpus-protocol.md 8).
///
/// A partition is never written to disk. Items do not change until the destination has committed their last byte, so the
/// journaled manifest gives the same bytes as often as they are needed, and a copy and a sync per partition are saved.
final class PartitionBytes: Sendable {
    /// Layout and manifest.
    let file: PartitionFile
    private let header: [UInt8]
    private let items: [File]

    /// Opens the items of a partition. Throws `item_damaged` when one is missing or of another length.
    init(_ file: PartitionFile, in store: ItemStore) throws {
        self.file = file
        header = file.header
        items = try file.manifest.segments.map { try store.open($0.itemID, byteCount: $0.totalItemBytes) }
    }

    /// Fills a buffer with the bytes of the partition from an offset on.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        precondition(offset >= 0 && offset + Int64(buffer.count) <= file.byteCount, "inside the partition")
        var done = 0
        if offset < Int64(header.count) {
            let part = header[Int(offset)..<min(header.count, Int(offset) + buffer.count)]
            buffer.copyBytes(from: part)
            done = part.count
        }
        for (placed, item) in zip(file.segments, items) {
            guard done < buffer.count else { return }
            let position = offset + Int64(done)
            guard placed.fileRange.contains(position) else { continue }
            let count = min(buffer.count - done, Int(placed.fileRange.upperBound - position))
            let itemOffset = placed.segment.itemOffset + (position - placed.fileRange.lowerBound)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
            guard try item.read(into: target, at: UInt64(itemOffset)) == count else {
                throw SenderError.itemDamaged(name: item.displayPath)
            }
            done += count
        }
    }

    /// The digest of the whole and of each chunk, in one pass.
    func digests(chunkByteCount: Int) throws -> PartitionDigests {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkByteCount, alignment: 64)
        defer { buffer.deallocate() }
        var whole = SHA256()
        var chunks: [Digest] = []
        var offset: Int64 = 0
        while offset < file.byteCount {
            let count = Int(min(Int64(chunkByteCount), file.byteCount - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            try read(into: part, at: offset)
            whole.update(UnsafeRawBufferPointer(part))
            chunks.append(SHA256.hash(UnsafeRawBufferPointer(part)))
            offset += Int64(count)
        }
        return PartitionDigests(chunkByteCount: chunkByteCount, whole: whole.finalize(), chunks: chunks)
    }
}

/// The digests of a partition and of its chunks.
struct PartitionDigests: Sendable, Equatable {
    /// Bytes of each chunk but the last.
    let chunkByteCount: Int
    /// Of the whole file.
    let whole: Digest
    /// Of chunk 1, 2, …
    let chunks: [Digest]
}
