import CZlib

/// Raw deflate (RFC 1951), without any header (day-archive.md 2.4). Compressed bytes are not canonical: never compare them.
public enum RawDeflate {
    /// The largest inflated day, in bytes (day-archive.md 2.4).
    public static let dayCeiling = 64 << 20
    /// The largest inflated edit, in bytes (day-archive.md 2.4).
    public static let editCeiling = 1 << 20

    private static let pieceByteCount = 64 * 1024

    /// The compressed bytes.
    public static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        let started = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        precondition(started == Z_OK, "out of memory")
        defer { deflateEnd(&stream) }
        precondition(bytes.count <= Int(UInt32.max), "a day is far smaller")
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            let bound = Int(deflateBound(&stream, uLong(input.count)))
            return [UInt8](unsafeUninitializedCapacity: bound) { output, written in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "the bound is enough")
                written = output.count - Int(stream.avail_out)
            }
        }
    }

    /// The bytes that were compressed.
    ///
    /// Grows with what comes out, never beyond `ceiling` bytes.
    ///
    /// - Throws: `inflates_too_far`; `bad_deflate`, also when bytes follow the end.
    public static func inflate(_ bytes: [UInt8], ceiling: Int) throws(WireError) -> [UInt8] {
        var stream = z_stream()
        precondition(
            inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK, "out of memory")
        defer { inflateEnd(&stream) }
        var input = bytes
        let result: Result<[UInt8], WireError> = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(clamping: input.count)
            return Result { () throws(WireError) in try run(&stream, ceiling: ceiling) }
        }
        return try result.get()
    }

    private static func run(_ stream: inout z_stream, ceiling: Int) throws(WireError) -> [UInt8] {
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceByteCount)
        while true {
            let (code, count) = piece.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                let code = CZlib.inflate(&stream, Z_NO_FLUSH)
                return (code, buffer.count - Int(stream.avail_out))
            }
            guard output.count + count <= ceiling else { throw .inflatesTooFar(ceiling: ceiling) }
            output += piece[..<count]
            if code == Z_STREAM_END { break }
            guard code == Z_OK, count > 0 else { throw .badDeflate }
        }
        guard stream.avail_in == 0 else { throw .badDeflate }
        return output
    }
}
