import Cryptography
import Foundation

@testable import ConnectedProtocol

/// Packets and handshakes (secure-transport.md 3, 4): the reader holds no more than came, however the stream is cut,
/// and both connection machines stand whatever their peer says.
func fuzzPacket(_ input: [UInt8]) {
    guard let input = KnobbedInput(input) else { return }
    readPackets(input)
    if input.knob & 0x40 == 0 { listen(input) } else { dial(input) }
}

private func readPackets(_ input: KnobbedInput) {
    var reader = PacketReader(limit: SecureTransportLimits.confirmedPacketByteCount)
    var packets: [[UInt8]] = []
    var came = 0
    for piece in input.pieces {
        came += piece.count
        var offset = 0
        while offset < piece.count {
            let packet: [UInt8]?
            do {
                packet = try reader.next(from: piece, offset: &offset)
            } catch {
                return
            }
            hold(reader.heldByteCount <= came, "the reader holds no more than came")
            hold(
                reader.reservedByteCount <= 2 * came + 2 * PacketReader.growthByteCount,
                "storage follows the bytes that came, not the length that was announced")
            if let packet { packets.append(packet) }
        }
    }
    let total = packets.reduce(0) { $0 + $1.count + SecureTransportLimits.packetPrefixByteCount }
    hold(total + reader.heldByteCount == came, "every byte is in a packet or still held")
    for packet in packets {
        guard case .encrypted(let frame)? = decoded({ try Packet(body: packet) }) else { continue }
        hold(
            decoded { try Packet(body: EncryptedPacketText.body(of: frame)) } != nil,
            "a sealed frame is readable when it is written again")
    }
}

/// Fixed, so that an input always means the same.
private enum Fixed {
    static let listenerID = UUID(uuid: (1, 1, 1, 1, 1, 1, 0x41, 1, 0x81, 1, 1, 1, 1, 1, 1, 1))
    static let diallerID = UUID(uuid: (2, 2, 2, 2, 2, 2, 0x42, 2, 0x82, 2, 2, 2, 2, 2, 2, 2))
    static let now = Moment(wall: 800_000_000, monotonic: 1_000)
    static let hello = OwnHello(
        document: Array(#"{"hello":{"_0":{"platform":"macOS"}}}"#.utf8), extensions: nil)

    static func secret(_ byte: UInt8) -> SecretBytes { SecretBytes(copying: [UInt8](repeating: byte, count: 32)) }

    static func key(_ byte: UInt8) -> X25519.PrivateKey {
        do {
            return try X25519.PrivateKey(secret: secret(byte))
        } catch {
            fatalError("thirty-two bytes are a key: \(error)")
        }
    }

    /// Nonces that count: under one key they must not repeat.
    static func services() -> LinkServices<SyncMessage> {
        let counter = Counter()
        return LinkServices(nonce: { counter.next() })
    }

    private final class Counter: @unchecked Sendable {
        private var value: UInt64 = 0

        func next() -> [UInt8] {
            value += 1
            return [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }
}

/// Plays the peer of a listener that believes every proof.
private func listen(_ input: KnobbedInput) {
    var listener = ListenerConnection<SyncMessage>(
        installationID: Fixed.listenerID, hello: Fixed.hello,
        material: .init(
            privateKey: Fixed.key(3), nonce: [UInt8](repeating: 4, count: 32),
            sealNonce: [UInt8](repeating: 5, count: 12)),
        services: Fixed.services(), at: Fixed.now)
    let codeKey = Fixed.secret(6)
    for piece in input.pieces {
        guard listener.wantsInput else { break }
        var actions = listener.handle(.received(piece), at: Fixed.now)
        while let action = actions.popLast() {
            switch action {
            case .authenticate(let request):
                let credential = PeerCredential.provisional(request.installationID)
                let verdict: AuthenticationVerdict
                switch request.proof {
                case .code: verdict = .code(codeKey: codeKey, newSecret: Fixed.secret(7), credential: credential)
                case .trusted: verdict = .trusted(secret: Fixed.secret(8), credential: credential)
                }
                actions += listener.handle(.authenticated(verdict), at: Fixed.now)
            case .confirm: fatalError("a peer without the session key cannot be confirmed")
            case .opened, .deliver, .deliverFrame: fatalError("nothing is delivered before the handshake")
            case .send, .dropped, .close: continue
            }
        }
    }
    _ = listener.handle(.peerClosed, at: Fixed.now)
}

/// Plays the listener that a dialler with a code found.
private func dial(_ input: KnobbedInput) {
    var dialler = DiallerConnection<SyncMessage>(
        installationID: Fixed.diallerID, credential: .code(Fixed.secret(6)), hello: Fixed.hello,
        material: .init(privateKey: Fixed.key(9), nonce: [UInt8](repeating: 10, count: 32)),
        services: Fixed.services(), at: Fixed.now)
    _ = dialler.handle(.connected, at: Fixed.now)
    for piece in input.pieces {
        guard dialler.wantsInput else { break }
        for action in dialler.handle(.received(piece), at: Fixed.now) {
            switch action {
            case .storeProvisional, .confirm, .opened, .deliver, .deliverFrame:
                fatalError("a listener that does not know the code is not believed")
            case .send, .dropped, .close: continue
            }
        }
    }
    _ = dialler.handle(.peerClosed, at: Fixed.now)
}
