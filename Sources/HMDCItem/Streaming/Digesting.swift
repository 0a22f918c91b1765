import Synchronization

/// Passes bytes on and computes length and digest on the way: what a manifest says of an item (hmdcitem.md 3, rule 6).
public struct DigestingSink<Base: ItemSink, Digest: ItemDigest>: ItemSink {
    /// Where the bytes go.
    public private(set) var base: Base
    /// How many bytes have passed.
    public private(set) var byteCount: UInt64 = 0
    private var digest: Digest

    /// A sink in front of another.
    public init(_ base: Base, digest: Digest) {
        self.base = base
        self.digest = digest
    }

    /// Counts and digests what the other sink has taken.
    public mutating func write(_ bytes: Span<UInt8>) throws {
        try base.write(bytes)
        digest.update(bytes)
        byteCount += UInt64(bytes.count)
    }

    /// The digest of all bytes. Nothing is written after this call.
    public mutating func finish() -> [UInt8] {
        digest.finish()
    }
}

/// Computes the digest of a source while its bytes pass, so that a streamed value can be compared with what was recorded
/// when its file was written (hmdcitem.md 5), without reading it twice.
///
/// The source must be read once, in order, as `ItemWriter` and `ItemReader` do; anything else traps.
public final class DigestingSource<Digest: ItemDigest & Sendable>: ItemSource {
    private struct Progress: Sendable {
        var digest: Digest
        var next: UInt64 = 0
    }

    /// How many bytes the source holds.
    public let byteCount: UInt64
    private let base: any ItemSource
    private let progress: Mutex<Progress>

    /// A source in front of another.
    public init(_ base: any ItemSource, digest: Digest) {
        self.base = base
        byteCount = base.byteCount
        progress = Mutex(Progress(digest: digest))
    }

    /// Reads the next bytes and adds them to the digest.
    public func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        let count = try base.read(at: offset, into: &buffer)
        let read = buffer.span.extracting(0..<count)
        progress.withLock { progress in
            precondition(offset == progress.next, "a digest needs its bytes in order")
            progress.digest.update(read)
            progress.next += UInt64(count)
        }
        return count
    }

    /// The digest of the whole source. Traps before all of it was read.
    public func finish() -> [UInt8] {
        progress.withLock { progress in
            precondition(progress.next == byteCount, "the source was not read to its end")
            return progress.digest.finish()
        }
    }
}
