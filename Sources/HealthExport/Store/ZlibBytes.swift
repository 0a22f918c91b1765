import CZlib

/// Bytes that are kept deflated in the store: routes, recordings, clinical resources.
enum ZlibBytes {
    /// Unpacked bytes of one value.
    static let limit = 32 << 20

    /// Length (u32, little endian), then zlib data.
    static func pack(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        precondition(bytes.count <= limit, "a value of the store is bounded by its reader")
        var count = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: 4 + Int(count))
        packed.withUnsafeMutableBytes { target in
            target.storeBytes(of: UInt32(bytes.count).littleEndian, as: UInt32.self)
            let output = target.baseAddress!.assumingMemoryBound(to: UInt8.self) + 4
            let input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let code = compress2(output, &count, input, uLong(bytes.count), Z_BEST_SPEED)
            precondition(code == Z_OK, "zlib has room for the worst case")
        }
        packed.removeLast(packed.count - 4 - Int(count))
        return packed
    }

    /// What ``pack(_:)`` was given.
    static func unpack(_ packed: UnsafeRawBufferPointer) throws -> [UInt8] {
        guard packed.count >= 4 else { throw ByteReader.Damage() }
        let size = Int(UInt32(littleEndian: packed.loadUnaligned(as: UInt32.self)))
        guard size <= limit else { throw ByteReader.Damage() }
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            var count = uLong(size)
            let input = packed.baseAddress!.assumingMemoryBound(to: UInt8.self) + 4
            guard size == 0 || uncompress(buffer.baseAddress, &count, input, uLong(packed.count - 4)) == Z_OK,
                size == 0 || Int(count) == size
            else { throw ByteReader.Damage() }
            filled = size
        }
    }
}
