/// A stream of bytes that is read once, front to back.
public protocol ByteSource: AnyObject {
    /// Fills the front of `buffer` and returns how many bytes it wrote; 0 means the end, for good.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// Bytes that are in memory already.
public final class MemoryBytes: ByteSource {
    private let bytes: [UInt8]
    private var position = 0
    private let pieceSize: Int

    /// A stream over `bytes` that hands out at most `pieceSize` at a time.
    public init(_ bytes: [UInt8], pieceSize: Int = .max) {
        self.bytes = bytes
        self.pieceSize = pieceSize
    }

    /// The next piece.
    public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - position, pieceSize)
        guard count > 0 else { return 0 }
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
        }
        position += count
        return count
    }
}
