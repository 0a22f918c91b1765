/// The numbers of the secure transport.
///
/// The first group is fixed by the wire, the second is of our own choosing; both are what two peers of ours rely on.
public enum SecureTransportLimits {
    // MARK: Of the wire

    /// The length prefix of a packet (secure-transport.md 3).
    public static let packetPrefixByteCount = 8
    /// Nonces of the handshake, public keys, proofs, secrets (secure-transport.md 4).
    public static let handshakeValueByteCount = 32
    /// The pairing version that we speak and serve (secure-transport.md 6.1; 1 is refused, extensions.md 1).
    public static let protocolVersion = 2

    // MARK: Ours

    /// A packet of a peer that is not confirmed, and all input of such a peer that waits to be handled
    /// (extensions.md 2.2, 3.2).
    public static let unconfirmedPacketByteCount = 64 * 1_024
    /// A packet afterwards, in both modes (extensions.md 3.2).
    public static let confirmedPacketByteCount = 16 * 1_024 * 1_024
    /// A JSON document inside a record (extensions.md 3.2).
    public static let recordDocumentByteCount = 8 * 1_024 * 1_024
    /// A binary frame inside a record: header and one chunk (extensions.md 3.2).
    public static let recordFrameByteCount = 86 + 524_288
    /// The sequence at which a connection is closed and dialled again (extensions.md 3.2).
    public static let recordSequenceEnd: UInt64 = 1 << 48
    /// Nonces remembered in plain mode, both directions together (extensions.md 2.7).
    public static let rememberedNonceCount = 1 << 20

    /// Seconds from accept to confirmation (extensions.md 2.2).
    public static let confirmationSeconds: Double = 15
    /// Seconds that a peer has for its hello (extensions.md 2.4).
    public static let helloSeconds: Double = 10
    /// Seconds without a valid packet after which a confirmed connection is closed (extensions.md 2.4).
    public static let silenceSeconds: Double = 30
    /// Seconds between our pings (secure-transport.md 10).
    public static let heartbeatSeconds: Double = 10

    /// The cleartext name in pairing packets, on both sides: not the host name (extensions.md 2.8).
    public static let clearName = "healthmd"
    /// The longest device name in a pairing packet, in UTF-8 (secure-transport.md 4.1, 13.4).
    public static let deviceNameByteCount = 128
    /// The one reason that a rejected peer is told, whatever the reason was (extensions.md 2.6).
    public static let rejectionReason = "Pairing was not accepted."
}
