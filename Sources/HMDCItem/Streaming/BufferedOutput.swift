/// Gathers small writes in one bounded buffer in front of a sink.
struct BufferedOutput<Sink: ItemSink> {
    private(set) var sink: Sink
    private var buffer: [UInt8] = []

    init(_ sink: Sink) {
        self.sink = sink
        buffer.reserveCapacity(ItemFormat.chunkByteCount)
    }

    /// Hands everything to the sink.
    mutating func flush() throws {
        guard !buffer.isEmpty else { return }
        var pending: [UInt8] = []
        swap(&pending, &buffer)
        try sink.write(pending.span)
        pending.removeAll(keepingCapacity: true)
        swap(&pending, &buffer)
    }

    mutating func append(_ byte: UInt8) throws {
        buffer.append(byte)
        if buffer.count >= ItemFormat.chunkByteCount { try flush() }
    }

    /// Writes big-endian, as every integer of the format.
    mutating func append(_ value: UInt32) throws {
        for shift in stride(from: 24, through: 0, by: -8) {
            try append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    /// Writes big-endian, as every integer of the format.
    mutating func append(_ value: UInt64) throws {
        for shift in stride(from: 56, through: 0, by: -8) {
            try append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    mutating func append(_ text: String) throws {
        try append(text.utf8Span.span)
    }

    mutating func append(_ bytes: [UInt8]) throws {
        try append(bytes.span)
    }

    /// Copies what fits the buffer; longer runs go to the sink in pieces of at most one chunk, uncopied.
    mutating func append(_ bytes: Span<UInt8>) throws {
        if buffer.count + bytes.count <= ItemFormat.chunkByteCount {
            HMDCItem.append(bytes, to: &buffer)
            return
        }
        try flush()
        var position = 0
        while position < bytes.count {
            let end = min(position + ItemFormat.chunkByteCount, bytes.count)
            try sink.write(bytes.extracting(position..<end))
            position = end
        }
    }
}
