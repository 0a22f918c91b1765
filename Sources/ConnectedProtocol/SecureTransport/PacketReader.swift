/// Cuts a byte stream into packets: `u64be(N) || N bytes` (secure-transport.md 3).
///
/// Each packet comes as an array of its own, which the caller may open in place and hand on without a copy. N is
/// checked before anything is allocated, and storage grows with the bytes that arrive, not with N: a peer that
/// announces 16 MiB and sends nothing costs nothing. Give arrays that are done with back through `recycle`, and
/// bulk transfer runs in one or two of them.
public struct PacketReader: Sendable {
    /// The largest N taken from now on. Does not touch a packet whose prefix was already accepted.
    public var limit: Int

    private var prefix: UInt64 = 0
    private var prefixByteCount = 0
    private var body: [UInt8] = []
    private var bodyByteCount = 0
    private var spare: [UInt8] = []

    /// How far storage runs ahead of the bytes that came.
    static let growthByteCount = 64 * 1_024

    /// A reader at the start of a stream.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Bytes of an unfinished packet that are held, its prefix included.
    public var heldByteCount: Int { prefixByteCount + body.count }

    /// Storage that is held for an unfinished packet.
    var reservedByteCount: Int { body.capacity }

    /// Takes bytes from the front of `input` up to the end of the packet; returns the packet when it is complete.
    ///
    /// `offset` is moved behind what was taken. Call again while it is before the end. Throws `emptyPacket` or
    /// `packetTooLarge`; the reader is then of no further use.
    public mutating func next(
        from input: [UInt8], offset: inout Int
    ) throws(SecureTransportError) -> [UInt8]? {
        while prefixByteCount < SecureTransportLimits.packetPrefixByteCount {
            guard offset < input.count else { return nil }
            prefix = prefix << 8 | UInt64(input[offset])
            offset += 1
            prefixByteCount += 1
            if prefixByteCount == SecureTransportLimits.packetPrefixByteCount { try beginBody() }
        }
        let taken = min(bodyByteCount - body.count, input.count - offset)
        if body.capacity < body.count + taken {
            let wanted = max(body.count + taken, min(body.count * 2, body.count + 1_024 * 1_024))
            body.reserveCapacity(min(bodyByteCount, max(wanted, Self.growthByteCount)))
        }
        body.append(contentsOf: input[offset..<offset + taken])
        offset += taken
        guard body.count == bodyByteCount else { return nil }
        defer {
            prefix = 0
            prefixByteCount = 0
            bodyByteCount = 0
        }
        return takeBody()
    }

    /// Gives a finished array back, so that its storage serves the next packet.
    public mutating func recycle(_ buffer: consuming [UInt8]) {
        guard buffer.capacity > spare.capacity, buffer.capacity <= 2 * 1_024 * 1_024 else { return }
        buffer.removeAll(keepingCapacity: true)
        spare = buffer
    }

    private mutating func beginBody() throws(SecureTransportError) {
        guard prefix > 0 else { throw .emptyPacket }
        guard prefix <= UInt64(limit) else { throw .packetTooLarge(limit: limit, declared: prefix) }
        bodyByteCount = Int(prefix)
        swap(&body, &spare)
    }

    /// Moves the body out, leaving this reader the sole owner of nothing.
    private mutating func takeBody() -> [UInt8] {
        var result: [UInt8] = []
        swap(&result, &body)
        return result
    }

    /// The eight bytes that go before a body of `count` bytes.
    public static func prefix(for count: Int) -> [UInt8] {
        bigEndianBytes(of: UInt64(count))
    }
}

/// The eight bytes of a number, most significant first.
func bigEndianBytes(of value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
}
