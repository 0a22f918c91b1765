import Cryptography
import Foundation

/// One JSON packet of the published transport (secure-transport.md 3.1). A body that begins with `recordMarker` is a
/// secure record instead (extensions.md 3.2).
public enum Packet: Sendable {
    /// The dialler's first packet.
    case pairingRequest(PairingRequest)
    /// The listener accepts.
    case pairingResponse(PairingResponse)
    /// The listener refuses; the text is not kept.
    case pairingRejected
    /// One sealed message.
    case encrypted(SealedFrame)

    /// The first byte of a secure record.
    public static let recordMarker: UInt8 = 0x01

    /// The case's name, for errors.
    var kind: String {
        switch self {
        case .pairingRequest: "pairingRequest"
        case .pairingResponse: "pairingResponse"
        case .pairingRejected: "pairingRejected"
        case .encrypted: "encrypted"
        }
    }

    /// Parses a packet body. Unknown keys are ignored, a missing or wrong field is `malformedPacket`.
    public init(body: [UInt8]) throws(SecureTransportError) {
        guard body.first == UInt8(ascii: "{") else { throw .malformedPacket(detail: "first byte") }
        if let frame = EncryptedPacketText.parse(body) {
            self = .encrypted(frame)
        } else {
            self = try WirePacket.decode(body)
        }
    }

    // MARK: Writing

    /// The body of a `pairingRequest`.
    public static func body(of request: PairingRequest) -> [UInt8] {
        var wire = WirePacket.Request()
        wire.protocolVersion = SecureTransportLimits.protocolVersion
        wire.deviceName = request.deviceName
        wire.clientPublicKey = Base64.encode(request.publicKey.bytes)
        wire.clientNonce = Base64.encode(request.nonce)
        wire.clientInstallationID = request.installationID
        switch request.proof {
        case .code(let proof): wire.codeVerifier = Base64.encode(proof)
        case .trusted(let proof):
            wire.codeVerifier = ""
            wire.trustedVerifier = Base64.encode(proof)
        }
        return WirePacket(pairingRequest: .init(_0: wire)).encoded()
    }

    /// The body of a `pairingResponse`.
    public static func body(of response: PairingResponse) -> [UInt8] {
        var wire = WirePacket.Response()
        wire.protocolVersion = SecureTransportLimits.protocolVersion
        wire.macName = response.listenerName
        wire.serverPublicKey = Base64.encode(response.publicKey.bytes)
        wire.serverNonce = Base64.encode(response.nonce)
        wire.macInstallationID = response.installationID
        wire.authenticationVerifier = Base64.encode(response.proof)
        wire.sealedReconnectSecret = response.sealedSecret.map { frame in
            WirePacket.Frame(
                nonce: Base64.encode(frame.nonce), ciphertext: Base64.encode(frame.ciphertext),
                tag: Base64.encode(frame.tag))
        }
        return WirePacket(pairingResponse: .init(_0: wire)).encoded()
    }

    /// The body of a `pairingRejected`, always with the same reason.
    public static func rejectionBody() -> [UInt8] {
        let reason = WirePacket.Rejection(reason: SecureTransportLimits.rejectionReason)
        return WirePacket(pairingRejected: .init(_0: reason)).encoded()
    }

    /// The prefix and the body.
    public static func framed(_ body: [UInt8]) -> [UInt8] {
        PacketReader.prefix(for: body.count) + body
    }
}
