import Cryptography

/// What an opened record holds; told by its first byte (extensions.md 3.2).
public enum RecordContent: Hashable, Sendable {
    /// One message as a JSON document, first byte `{`.
    case document
    /// One `HMDCTFRM` frame.
    case frame
}

/// Secure records, version 1: a key and a sequence for each direction (extensions.md 3.2).
///
/// A record's body is `0x01 || u64be(sequence) || ciphertext || tag`; the first nine bytes are authenticated with it
/// and the nonce is the sequence, so a record can be used once, in its place, on its connection, in its direction.
/// Both `seal` and `open` work in the caller's buffer.
public struct RecordChannel: Sendable {
    /// Which end of the connection.
    public enum Role: Sendable {
        /// The side that dialled.
        case client
        /// The side that listened.
        case server
    }

    /// Bytes of a body before the ciphertext: marker and sequence.
    public static let headerByteCount = 9
    /// Bytes of a body after the ciphertext.
    public static let tagByteCount = ChaCha20Poly1305.tagByteCount
    /// Bytes that go before the plaintext in a buffer for `seal`: the packet's length, then the header.
    public static let packetHeadByteCount = SecureTransportLimits.packetPrefixByteCount + headerByteCount

    private static let framePrefix = Array("HMDCTFRM".utf8)

    private let sending: ChaCha20Poly1305
    private let receiving: ChaCha20Poly1305
    private var nextSent: UInt64
    private var nextReceived: UInt64

    /// A channel at sequence 0 of both directions.
    public init(keys: ManualIPKeys.RecordKeys, role: Role) {
        self.init(keys: keys, role: role, firstSequence: 0)
    }

    /// A channel in the middle of its life, for tests of its end.
    init(keys: ManualIPKeys.RecordKeys, role: Role, firstSequence: UInt64) {
        let isClient = role == .client
        sending = ChaCha20Poly1305(key: isClient ? keys.clientToServer : keys.serverToClient)
        receiving = ChaCha20Poly1305(key: isClient ? keys.serverToClient : keys.clientToServer)
        nextSent = firstSequence
        nextReceived = firstSequence
    }

    /// A buffer for `seal` with room before and after a plaintext of `count` bytes, which go to
    /// `plaintextRange(in:)`.
    public static func buffer(forPlaintextOf count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: packetHeadByteCount + count + tagByteCount)
    }

    /// Where the plaintext lies in a buffer of that shape.
    public static func plaintextRange(in buffer: [UInt8]) -> Range<Int> {
        packetHeadByteCount..<buffer.count - tagByteCount
    }

    /// Turns a buffer made by `buffer(forPlaintextOf:)` into the whole packet, in place.
    ///
    /// Throws `recordSequenceExhausted`. A plaintext over its limit is our own mistake and traps.
    public mutating func seal(_ buffer: inout [UInt8]) throws(SecureTransportError) {
        guard nextSent < SecureTransportLimits.recordSequenceEnd else { throw .recordSequenceExhausted }
        let range = Self.plaintextRange(in: buffer)
        precondition(
            range.count <= SecureTransportLimits.recordFrameByteCount
                || (buffer[range.lowerBound] == UInt8(ascii: "{")
                    && range.count <= SecureTransportLimits.recordDocumentByteCount)
        )
        let prefix = PacketReader.prefix(for: buffer.count - SecureTransportLimits.packetPrefixByteCount)
        let sequence = bigEndianBytes(of: nextSent)
        let head = prefix + [Packet.recordMarker] + sequence
        for index in head.indices { buffer[index] = head[index] }
        sending.sealInPlace(
            &buffer, range: range, nonce: [0, 0, 0, 0] + sequence,
            associatedData: SecureTransportLimits.packetPrefixByteCount..<Self.packetHeadByteCount)
        nextSent += 1
    }

    /// The whole packet of one document.
    public mutating func seal(document: [UInt8]) throws(SecureTransportError) -> [UInt8] {
        var buffer = Self.buffer(forPlaintextOf: document.count)
        buffer.replaceSubrange(Self.plaintextRange(in: buffer), with: document)
        try seal(&buffer)
        return buffer
    }

    /// Opens a record's body in place; returns what it holds and where the plaintext now lies.
    ///
    /// Every error is fatal, and nothing of the record may be used.
    public mutating func open(
        _ body: inout [UInt8]
    ) throws(SecureTransportError) -> (content: RecordContent, range: Range<Int>) {
        // A plaintext has at least one byte, since its first byte says what it is.
        guard body.count > Self.headerByteCount + Self.tagByteCount else {
            throw .recordTooShort(found: body.count)
        }
        guard nextReceived < SecureTransportLimits.recordSequenceEnd else { throw .recordSequenceExhausted }
        let sequence = body[1..<Self.headerByteCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard sequence == nextReceived else {
            throw .recordOutOfSequence(expected: nextReceived, found: sequence)
        }
        let range = Self.headerByteCount..<body.count - Self.tagByteCount
        do {
            try receiving.openInPlace(
                &body, range: range, nonce: [0, 0, 0, 0] + bigEndianBytes(of: sequence),
                associatedData: 0..<Self.headerByteCount)
        } catch {
            throw .recordNotAuthentic
        }
        nextReceived += 1
        return (try Self.content(of: body, range), range)
    }

    private static func content(of body: [UInt8], _ range: Range<Int>) throws(SecureTransportError) -> RecordContent {
        let content: RecordContent
        let limit: Int
        if body[range.lowerBound] == UInt8(ascii: "{") {
            content = .document
            limit = SecureTransportLimits.recordDocumentByteCount
        } else if body[range].starts(with: framePrefix) {
            content = .frame
            limit = SecureTransportLimits.recordFrameByteCount
        } else {
            throw .unknownRecordContent
        }
        guard range.count <= limit else { throw .recordContentTooLarge(limit: limit, found: range.count) }
        return content
    }
}
