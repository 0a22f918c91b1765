import Cryptography

/// The channel of the published Manual IP transport: one key for both directions, a random nonce per packet
/// (secure-transport.md 6.4), and the replay protection that a real peer does not notice (13.1).
///
/// Every nonce seen or sent is remembered for the life of the connection. A repeat is a replayed packet; one of our
/// own coming back is a reflection. Both are fatal.
public struct PlainChannel: Sendable {
    /// A nonce as a value: 12 bytes.
    private struct Nonce: Hashable {
        let high: UInt64
        let low: UInt32

        init(_ bytes: [UInt8]) {
            high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
            low = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    private let cipher: ChaCha20Poly1305
    private var knownNonces: Set<Nonce> = []
    /// How many nonces are remembered before the connection has to be made anew.
    private let nonceLimit: Int

    /// A channel under the session key. `usedNonces` were used under the same key before: that of the sealed
    /// reconnect secret, which would otherwise decrypt as a packet.
    public init(
        sessionKey: SecretBytes, usedNonces: [[UInt8]] = [],
        nonceLimit: Int = SecureTransportLimits.rememberedNonceCount
    ) {
        cipher = ChaCha20Poly1305(key: sessionKey)
        self.nonceLimit = nonceLimit
        for nonce in usedNonces { knownNonces.insert(Nonce(nonce)) }
    }

    /// Seals a document into the body of an `encrypted` packet.
    ///
    /// `nonce` is 12 fresh random bytes. Throws `nonceMemoryFull`.
    public mutating func seal(_ document: [UInt8], nonce: [UInt8]) throws(SecureTransportError) -> [UInt8] {
        precondition(nonce.count == ChaCha20Poly1305.nonceByteCount)
        guard knownNonces.count < nonceLimit else { throw .nonceMemoryFull }
        let isFresh = knownNonces.insert(Nonce(nonce)).inserted
        precondition(isFresh, "the source of nonces repeats itself")
        return EncryptedPacketText.body(of: SealedFrame(nonce: nonce, sealed: cipher.seal(document, nonce: nonce)))
    }

    /// Opens an `encrypted` packet.
    ///
    /// Throws `repeatedNonce`, `nonceMemoryFull` or `packetNotAuthentic`; all fatal. Only an authentic packet's
    /// nonce is remembered.
    public mutating func open(_ frame: SealedFrame) throws(SecureTransportError) -> [UInt8] {
        let nonce = Nonce(frame.nonce)
        guard !knownNonces.contains(nonce) else { throw .repeatedNonce }
        guard knownNonces.count < nonceLimit else { throw .nonceMemoryFull }
        let document: [UInt8]
        do {
            document = try cipher.open(frame.ciphertext + frame.tag, nonce: frame.nonce)
        } catch {
            throw .packetNotAuthentic
        }
        knownNonces.insert(nonce)
        return document
    }
}
