/// Bytes of known length that are read in bounded pieces: an item, or the content of one streamed value.
///
/// A source over a file is a thin class around a descriptor. `ItemReader` and `ItemWriter` read each byte exactly once
/// and in order, so a source for them may be sequential and may compute a digest on the way; `ItemFile` reads anywhere.
public protocol ItemSource: AnyObject, Sendable {
    /// The whole length in bytes. It does not change while the source is in use.
    var byteCount: UInt64 { get }

    /// Reads bytes from `offset` on into the front of `buffer`.
    ///
    /// - Returns: How many bytes were read, at least one unless `offset` is at the end.
    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int
}

/// A source over bytes in memory.
public final class ItemBytes: ItemSource {
    private let bytes: [UInt8]

    /// A source of these bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// How many bytes there are.
    public var byteCount: UInt64 { UInt64(bytes.count) }

    /// Copies bytes from `offset` on.
    public func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        guard offset < byteCount else { return 0 }
        let bytes = bytes
        let start = Int(offset)
        let count = min(buffer.count, bytes.count - start)
        let part = bytes.span.extracting(start..<start + count)
        copy(part, into: &buffer)
        return count
    }
}

/// A part of a source: where a string or data payload lies. Two regions are equal when they are the same place of the
/// same source.
public struct ItemRegion: Hashable, Sendable {
    /// Where the bytes are.
    public let source: any ItemSource
    /// The first byte, counted from the start of the source.
    public let offset: UInt64
    /// How many bytes.
    public let byteCount: UInt64

    /// A part of a source. Traps when the part does not lie within the source.
    public init(source: any ItemSource, offset: UInt64, byteCount: UInt64) {
        precondition(offset <= source.byteCount && byteCount <= source.byteCount - offset)
        self.init(within: source, offset: offset, byteCount: byteCount)
    }

    /// A part that was found within the source before. Should the source have shrunk since, reading reports it.
    init(within source: any ItemSource, offset: UInt64, byteCount: UInt64) {
        self.source = source
        self.offset = offset
        self.byteCount = byteCount
    }

    /// A whole source.
    public init(_ source: any ItemSource) {
        self.init(source: source, offset: 0, byteCount: source.byteCount)
    }

    /// The same place of the same source.
    public static func == (left: ItemRegion, right: ItemRegion) -> Bool {
        left.source === right.source && left.offset == right.offset && left.byteCount == right.byteCount
    }

    /// Fits `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(source))
        hasher.combine(offset)
        hasher.combine(byteCount)
    }
}

/// Where bytes go, in order.
public protocol ItemSink {
    /// Takes the next bytes. The span is only valid during the call.
    mutating func write(_ bytes: Span<UInt8>) throws
}

/// A sink that collects in memory.
public struct ItemByteBuffer: ItemSink {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty buffer.
    public init() {}

    /// Appends the bytes.
    public mutating func write(_ bytes: Span<UInt8>) {
        append(bytes, to: &self.bytes)
    }
}

/// A running digest that a caller hands in, since this room depends on no cryptography.
public protocol ItemDigest {
    /// Takes the next bytes.
    mutating func update(_ bytes: Span<UInt8>)

    /// The digest of all bytes, 32 for SHA-256. Nothing is added after this call.
    mutating func finish() -> [UInt8]
}

/// Copies `bytes` to the front of `buffer`, which must be large enough.
func copy(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>) {
    precondition(bytes.count <= buffer.count)
    unsafe buffer.withUnsafeMutableBufferPointer { target in
        unsafe bytes.withUnsafeBufferPointer { unsafe _ = target.update(fromContentsOf: $0) }
    }
}

/// Appends `bytes` to `array`.
func append(_ bytes: Span<UInt8>, to array: inout [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe array.append(contentsOf: $0) }
}
