/// The receiving end of one connection: bytes in, packets out, with a pause in between.
///
/// While its connection waits for a verdict no packet is taken out, and what was read already stays here. The driver
/// reads no more until `isDrained`, so what is held is at most one read and one packet.
struct PacketInput: Sendable {
    private var reader = PacketReader(limit: SecureTransportLimits.unconfirmedPacketByteCount)
    private var pending: [UInt8] = []
    private var offset = 0

    /// Whether everything that was read has been taken.
    var isDrained: Bool { offset == pending.count }

    /// Raises the packet limit: the peer is confirmed.
    mutating func confirm() {
        reader.limit = SecureTransportLimits.confirmedPacketByteCount
    }

    mutating func append(_ bytes: [UInt8], isConfirmed: Bool) throws(SecureTransportError) {
        if isDrained {
            pending = bytes
            offset = 0
        } else {
            pending.append(contentsOf: bytes)
        }
        // A driver that keeps to `isDrained` and `readByteCount` never gets here.
        let limit = SecureTransportLimits.unconfirmedPacketByteCount + SecureTransportLimits.packetPrefixByteCount
        guard isConfirmed || pending.count - offset <= limit else {
            throw .tooMuchBeforeConfirmation(limit: limit)
        }
    }

    /// The next whole packet, or nil when more bytes are needed.
    mutating func next() throws(SecureTransportError) -> [UInt8]? {
        guard offset < pending.count else { return nil }
        let packet = try reader.next(from: pending, offset: &offset)
        if isDrained {
            // Lets go of the driver's buffer, so that it can fill it again in place.
            pending = []
            offset = 0
        }
        return packet
    }

    mutating func recycle(_ buffer: consuming [UInt8]) {
        reader.recycle(buffer)
    }
}
