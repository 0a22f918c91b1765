import CZlib

/// Raw DEFLATE and CRC-32 of zlib.
enum Deflate {
    /// What a ZIP entry needs of its content.
    struct Result {
        let compressed: [UInt8]
        let checksum: UInt32
        let byteCount: UInt64
    }

    private static let chunkByteCount = 256 * 1_024
    /// Negative: no zlib header, as ZIP wants it.
    private static let windowBits: Int32 = -15
    private static let memoryLevel: Int32 = 8

    /// Compresses pieces as they come. Memory holds the compressed form and one chunk.
    static func compress(_ content: (_ sink: (_ bytes: [UInt8]) throws -> Void) throws -> Void) throws -> Result {
        var stream = z_stream()
        let status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib refuses its own parameters")
        defer { deflateEnd(&stream) }
        var output: [UInt8] = []
        var checksum: uLong = 0
        var byteCount: UInt64 = 0
        try content { bytes in
            checksum = bytes.withUnsafeBufferPointer { crc32_z(checksum, $0.baseAddress, $0.count) }
            byteCount += UInt64(bytes.count)
            feed(bytes, flush: Z_NO_FLUSH, &stream, into: &output)
        }
        feed([], flush: Z_FINISH, &stream, into: &output)
        return Result(compressed: output, checksum: UInt32(truncatingIfNeeded: checksum), byteCount: byteCount)
    }

    private static func feed(_ bytes: [UInt8], flush: Int32, _ stream: inout z_stream, into output: inout [UInt8]) {
        // The length counter of zlib has 32 bits.
        precondition(bytes.count <= Int(UInt32.max), "content comes in pieces")
        var input = bytes
        input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            repeat {
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunkByteCount) { chunk in
                    stream.next_out = chunk.baseAddress
                    stream.avail_out = UInt32(chunk.count)
                    let status = deflate(&stream, flush)
                    precondition(status != Z_STREAM_ERROR, "the stream is in a state of ours")
                    output.append(contentsOf: chunk[..<(chunk.count - Int(stream.avail_out))])
                }
            } while stream.avail_out == 0
        }
    }
}
