import Cryptography
import Foundation

/// The JSON of the pairing packets, as it lies on the wire; everything optional, nothing checked.
struct WirePacket: Codable {
    /// A case with one unlabelled payload: `{"case":{"_0":PAYLOAD}}`.
    struct Case<Payload: Codable>: Codable {
        var _0: Payload?
        /// `pairingRejected` is also taken with its label alone.
        var reason: String?

        init(_0: Payload) { self._0 = _0 }
    }

    struct Request: Codable {
        var protocolVersion: Int?
        var deviceName: String?
        var clientPublicKey: String?
        var clientNonce: String?
        var codeVerifier: String?
        var clientInstallationID: UUID?
        var trustedVerifier: String?
    }

    struct Response: Codable {
        var protocolVersion: Int?
        var macName: String?
        var serverPublicKey: String?
        var serverNonce: String?
        var macInstallationID: UUID?
        var authenticationVerifier: String?
        var sealedReconnectSecret: Frame?
    }

    struct Rejection: Codable {
        var reason: String?
    }

    struct Frame: Codable {
        var nonce: String?
        var ciphertext: String?
        var tag: String?
    }

    var pairingRequest: Case<Request>?
    var pairingResponse: Case<Response>?
    var pairingRejected: Case<Rejection>?
    var encrypted: Case<Frame>?

    func encoded() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(self))
        } catch {
            // Strings, integers and UUIDs always encode.
            preconditionFailure("a pairing packet does not encode: \(error)")
        }
    }

    static func decode(_ body: [UInt8]) throws(SecureTransportError) -> Packet {
        let wire: WirePacket
        do {
            wire = try JSONDecoder().decode(WirePacket.self, from: Data(body))
        } catch {
            // The decoder's own words could quote the packet.
            throw .malformedPacket(detail: "JSON")
        }
        let caseCount =
            (wire.pairingRequest == nil ? 0 : 1) + (wire.pairingResponse == nil ? 0 : 1)
            + (wire.pairingRejected == nil ? 0 : 1) + (wire.encrypted == nil ? 0 : 1)
        guard caseCount == 1 else { throw .malformedPacket(detail: "exactly one known case") }
        if let request = wire.pairingRequest { return .pairingRequest(try check(required(request._0, "_0"))) }
        if let response = wire.pairingResponse { return .pairingResponse(try check(required(response._0, "_0"))) }
        if let frame = wire.encrypted { return .encrypted(try check(required(frame._0, "_0"))) }
        return .pairingRejected
    }

    private static func check(_ wire: Request) throws(SecureTransportError) -> PairingRequest {
        let version = try required(wire.protocolVersion, "protocolVersion")
        guard version == SecureTransportLimits.protocolVersion else {
            throw .unsupportedProtocolVersion(found: version)
        }
        guard let installationID = wire.clientInstallationID else { throw .missingInstallationID }
        let proof: ClientProof
        if let trusted = wire.trustedVerifier {
            proof = .trusted(try value(trusted, "trustedVerifier"))
        } else {
            proof = .code(try value(wire.codeVerifier, "codeVerifier"))
        }
        return PairingRequest(
            deviceName: try name(wire.deviceName, "deviceName"), installationID: installationID,
            publicKey: try publicKey(wire.clientPublicKey, "clientPublicKey"),
            nonce: try value(wire.clientNonce, "clientNonce"), proof: proof)
    }

    private static func check(_ wire: Response) throws(SecureTransportError) -> PairingResponse {
        let version = try required(wire.protocolVersion, "protocolVersion")
        guard version == SecureTransportLimits.protocolVersion else {
            throw .unsupportedProtocolVersion(found: version)
        }
        // A response without these is what a listener that cannot prove itself sends (secure-transport.md 6.3).
        guard let installationID = wire.macInstallationID else { throw .missingInstallationID }
        var sealed: SealedFrame?
        if let frame = wire.sealedReconnectSecret { sealed = try check(frame) }
        return PairingResponse(
            listenerName: try name(wire.macName, "macName"), installationID: installationID,
            publicKey: try publicKey(wire.serverPublicKey, "serverPublicKey"),
            nonce: try value(wire.serverNonce, "serverNonce"),
            proof: try value(wire.authenticationVerifier, "authenticationVerifier"), sealedSecret: sealed)
    }

    private static func check(_ wire: Frame) throws(SecureTransportError) -> SealedFrame {
        let nonce = try bytes(wire.nonce, "nonce")
        let ciphertext = try bytes(wire.ciphertext, "ciphertext")
        let tag = try bytes(wire.tag, "tag")
        guard nonce.count == ChaCha20Poly1305.nonceByteCount else { throw .malformedPacket(detail: "nonce") }
        guard tag.count == ChaCha20Poly1305.tagByteCount else { throw .malformedPacket(detail: "tag") }
        return SealedFrame(nonce: nonce, ciphertext: ciphertext, tag: tag)
    }

    // MARK: Fields

    private static func required<Value>(_ value: Value?, _ field: String) throws(SecureTransportError) -> Value {
        guard let value else { throw .malformedPacket(detail: field) }
        return value
    }

    private static func bytes(_ text: String?, _ field: String) throws(SecureTransportError) -> [UInt8] {
        let text = try required(text, field)
        do {
            return try Base64.decode(text)
        } catch {
            throw .malformedPacket(detail: field)
        }
    }

    /// 32 bytes.
    private static func value(_ text: String?, _ field: String) throws(SecureTransportError) -> [UInt8] {
        let bytes = try bytes(text, field)
        guard bytes.count == SecureTransportLimits.handshakeValueByteCount else {
            throw .malformedPacket(detail: field)
        }
        return bytes
    }

    private static func publicKey(
        _ text: String?, _ field: String
    ) throws(SecureTransportError) -> X25519.PublicKey {
        do {
            return try X25519.PublicKey(bytes: value(text, field))
        } catch {
            throw .malformedPacket(detail: field)
        }
    }

    private static func name(_ text: String?, _ field: String) throws(SecureTransportError) -> String {
        let text = try required(text, field)
        guard isAcceptableDeviceName(text) else { throw .malformedPacket(detail: field) }
        return text
    }
}
