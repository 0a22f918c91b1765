import CZlib

/// Raw deflate data, unpacked piece by piece (zlib).
final class Inflater {
    /// Bytes of packed data read at a time.
    static let inputSize = 1 << 18

    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    private let refill: (UnsafeMutableRawBufferPointer) throws -> Int
    /// Whether the data said that it is over.
    private(set) var isAtEnd = false
    /// Packed bytes used so far.
    private(set) var usedCount = 0

    /// An inflater over packed bytes that `refill` supplies; 0 from it means that there are no more.
    init(refill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.refill = refill
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        input = .allocate(byteCount: Self.inputSize, alignment: 16)
        // A negative window means raw data without the header and checksum of zlib.
        let code = inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib refused to start: out of memory or another version")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    /// What stopped the unpacking.
    enum Failure: Error {
        /// The packed data ended before it said so.
        case cut
        /// The packed data is not deflate data.
        case damaged
    }

    /// Unpacks into `output`; 0 at the end of the data.
    func read(into output: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !isAtEnd, output.count > 0 else { return 0 }
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let wanted = stream.pointee.avail_out
        while stream.pointee.avail_out == wanted {
            if stream.pointee.avail_in == 0 {
                let count = try refill(input)
                guard count > 0 else { throw Failure.cut }
                stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_in = UInt32(count)
            }
            let before = stream.pointee.avail_in
            let code = inflate(stream, Z_NO_FLUSH)
            usedCount += Int(before - stream.pointee.avail_in)
            if code == Z_STREAM_END {
                isAtEnd = true
                break
            }
            guard code == Z_OK || code == Z_BUF_ERROR else { throw Failure.damaged }
        }
        return Int(wanted - stream.pointee.avail_out)
    }
}
