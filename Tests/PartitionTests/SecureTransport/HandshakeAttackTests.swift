import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Someone on the way, or a stranger at the port.
@Suite("Attacks on the handshake")
struct HandshakeAttackTests {
    private func body(_ packet: [UInt8]) throws -> Packet { try Packet(body: Array(packet[8...])) }

    private func request(
        installationID: UUID = ManualIPVectors.clientID, code: String = TransportRig.strongCode
    ) -> [UInt8] {
        let key = X25519.PrivateKey()
        let nonce = SecureRandom.bytes(32)
        let proof = ManualIPKeys.codeClientProof(
            codeKey: ManualIPKeys.codeKey(digits: code), publicKey: key.publicKey, nonce: nonce)
        return Packet.framed(
            Packet.body(
                of: PairingRequest(
                    deviceName: "Stranger", installationID: installationID, publicKey: key.publicKey, nonce: nonce,
                    proof: .code(proof))))
    }

    /// The only thing that a refused peer may see.
    private let rejection = Packet.framed(Packet.rejectionBody())

    @Test("a recorded code request is rejected when it is played again")
    func replayedCodeRequest() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let recorded = request()
        let first = rig.accept()
        rig.listener(first, .received(recorded))
        #expect(first.listenerEnd == nil)
        let second = rig.accept(from: TransportRig.far)
        rig.listener(second, .received(recorded))
        #expect(second.listenerEnd == .rejected)
        #expect(second.cause == .code(.repeatedNonce))
        #expect(second.toDialler == [rejection])
    }

    @Test("a recorded trusted request that is played again disturbs nothing and nobody")
    func replayedTrustedRequest() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let first = rig.dial(TransportRig.code())
        let secret = try #require(first.confirmed?.reconnectSecret)
        let genuine = rig.dial(.trusted(installationID: TransportRig.listenerID, secret: secret))
        let recorded = genuine.sentPackets(.toListener)
        let storedCount = rig.stored.count

        let replay = rig.accept(from: TransportRig.far)
        for packet in recorded { rig.listener(replay, .received(packet)) }
        // The request passes, the recorded hello does not decrypt under the new session key.
        #expect(replay.listenerEnd == .failure(.packetNotAuthentic))
        #expect(genuine.listenerEnd == nil)
        #expect(rig.stored.count == storedCount)

        // Without the hello it only waits, and is closed in time.
        let silent = rig.accept(from: TransportRig.far)
        rig.listener(silent, .received(recorded[0]))
        #expect(silent.listenerEnd == nil)
        rig.advance(9.9)
        rig.tick()
        #expect(silent.listenerEnd == nil)
        rig.advance(0.1)
        rig.tick()
        #expect(silent.listenerEnd == .failure(.helloTimedOut))
        #expect(genuine.listenerEnd == nil)
    }

    @Test("a wrong code is rejected without a reason, and the dialler keeps its old trust")
    func wrongCode() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code("00000000000000000000"))
        #expect(connection.listenerEnd == .rejected)
        #expect(connection.diallerEnd == .failure(.pairingRejected))
        #expect(connection.sentPackets(.toDialler) == [rejection])
        #expect(connection.provisional == nil && connection.confirmed == nil)
        #expect(rig.stored.isEmpty)
    }

    @Test("every refusal looks the same from outside")
    func constantRejection() throws {
        let rig = TransportRig()
        func refused(_ packet: [UInt8]) -> TransportRig.Connection {
            let connection = rig.accept()
            rig.listener(connection, .received(packet))
            return connection
        }
        let noPairing = refused(request())
        try rig.openPairing()
        let wrongCode = refused(request(code: "00000000000000000000"))
        let tooEarly = refused(request())
        rig.advance(1)
        let ownID = refused(request(installationID: TransportRig.listenerID))
        let malformed = refused(Packet.framed(Array(#"{"pairingRequest":{"_0":{}}}"#.utf8)))
        let encrypted = refused(
            Packet.framed(
                EncryptedPacketText.body(
                    of: SealedFrame(
                        nonce: SecureRandom.bytes(12), ciphertext: [1], tag: SecureRandom.bytes(16)))))
        for connection in [noPairing, wrongCode, tooEarly, ownID, malformed, encrypted] {
            #expect(connection.toDialler == [rejection])
            #expect(connection.listenerEnd != nil)
        }
        #expect(noPairing.cause == .code(.notOpen))
        #expect(wrongCode.cause == .code(.wrongCode))
        #expect(tooEarly.cause == .code(.tooEarly))
        #expect(ownID.listenerEnd == .failure(.equalInstallationIDs))
        #expect(
            encrypted.listenerEnd
                == .failure(.unexpectedPacket(kind: "encrypted", phase: "not authenticated")))
    }

    @Test("an unauthenticated peer cannot announce more than 64 KiB", arguments: [65_537, 1 << 40])
    func oversize(count: Int) {
        let rig = TransportRig()
        let connection = rig.accept()
        rig.listener(connection, .received(PacketReader.prefix(for: count)))
        #expect(
            connection.listenerEnd == .failure(.packetTooLarge(limit: 65_536, declared: UInt64(count))))
        #expect(connection.toDialler.isEmpty)
    }

    @Test("a confirmed peer cannot announce more than 16 MiB, in either mode", arguments: [nil, TransportRig.offer])
    func oversizeConfirmed(extensions: String?) throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code(), extensions: extensions)
        rig.listener(connection, .received(PacketReader.prefix(for: 16 * 1_024 * 1_024)))
        #expect(connection.listenerEnd == nil)
        let other = rig.dial(TransportRig.code(), as: UUID(), extensions: extensions)
        #expect(other.listenerEnd == .rejected)
        try rig.openPairing()
        let third = rig.dial(TransportRig.code(), as: UUID(), extensions: extensions)
        rig.listener(third, .received(PacketReader.prefix(for: 16 * 1_024 * 1_024 + 1)))
        #expect(
            third.listenerEnd == .failure(.packetTooLarge(limit: 16_777_216, declared: 16_777_217)))
    }

    @Test("a stranger that sends nothing is closed after 15 seconds")
    func silentStranger() {
        let rig = TransportRig()
        let connection = rig.accept()
        rig.advance(14.9)
        rig.tick()
        #expect(connection.listenerEnd == nil)
        rig.advance(0.1)
        rig.tick()
        #expect(connection.listenerEnd == .failure(.confirmationTimedOut))
    }

    @Test("a peer that proves itself late has only what is left of its 15 seconds for the hello")
    func lateProof() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.accept()
        rig.advance(14)
        rig.listener(connection, .received(request()))
        #expect(connection.listenerEnd == nil)
        rig.advance(1)
        rig.tick()
        #expect(connection.listenerEnd == .failure(.confirmationTimedOut))
    }

    @Test("a listener that does not know the code is found out before anything is stored or said")
    func falseListener() throws {
        let rig = TransportRig()
        // The false listener answers without checking; all it lacks is the key.
        var machine = makeDialler(TransportRig.code(), at: rig.now)
        _ = machine.handle(.connected, at: rig.now)
        let server = X25519.PrivateKey()
        let response = PairingResponse(
            listenerName: "healthmd", installationID: TransportRig.listenerID, publicKey: server.publicKey,
            nonce: SecureRandom.bytes(32), proof: SecureRandom.bytes(32),
            sealedSecret: SealedFrame(
                nonce: SecureRandom.bytes(12), ciphertext: SecureRandom.bytes(32), tag: SecureRandom.bytes(16)))
        let actions = machine.handle(.received(Packet.framed(Packet.body(of: response))), at: rig.now)
        #expect(ends(actions) == [.failure(.proofInvalid)])
        #expect(actions.count == 1)
    }

    private func makeDialler(
        _ credential: DiallerConnection<RigMessage>.Credential, at now: Moment
    ) -> DiallerConnection<RigMessage> {
        DiallerConnection(
            installationID: ManualIPVectors.clientID, credential: credential,
            hello: OwnHello(
                document: rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: nil), extensions: nil),
            material: .init(privateKey: X25519.PrivateKey(), nonce: SecureRandom.bytes(32)),
            services: LinkServices(nonce: { SecureRandom.bytes(12) }, interpret: interpretRigDocument), at: now)
    }

    private func ends(_ actions: [DiallerConnection<RigMessage>.Action]) -> [ConnectionEnd] {
        actions.compactMap { if case .close(let reason) = $0 { reason } else { nil } }
    }

    /// Runs a code pairing whose response somebody rewrites.
    private func diallerEnd(
        trusted: Bool = false, rewriting change: @escaping (PairingResponse) -> [UInt8]
    ) throws -> ConnectionEnd? {
        let rig = TransportRig()
        try rig.openPairing()
        var credential = TransportRig.code()
        if trusted {
            let secret = try #require(rig.dial(credential).confirmed?.reconnectSecret)
            credential = .trusted(installationID: TransportRig.listenerID, secret: secret)
        }
        rig.alter = { direction, packet in
            guard direction == .toDialler, case .pairingResponse(let response) = try? Packet(body: Array(packet[8...]))
            else { return [packet] }
            return [Packet.framed(change(response))]
        }
        return rig.dial(credential).diallerEnd
    }

    @Test("a response stripped of its proof, its id or its secret fails, as does one of version 1")
    func strippedResponse() throws {
        func json(_ response: PairingResponse, _ change: (inout [String: Any]) -> Void) throws -> [UInt8] {
            let object = try JSONSerialization.jsonObject(with: Data(Packet.body(of: response)))
            let outer = try #require(object as? [String: [String: [String: Any]]])
            var fields = try #require(outer["pairingResponse"]?["_0"])
            change(&fields)
            return [UInt8](try JSONSerialization.data(withJSONObject: ["pairingResponse": ["_0": fields]]))
        }
        func end(_ change: @escaping (inout [String: Any]) -> Void) throws -> ConnectionEnd? {
            try diallerEnd { response in (try? json(response, change)) ?? [] }
        }
        #expect(
            try end { $0["authenticationVerifier"] = nil }
                == .failure(.malformedPacket(detail: "authenticationVerifier")))
        #expect(try end { $0["macInstallationID"] = nil } == .failure(.missingInstallationID))
        #expect(
            try end { $0["sealedReconnectSecret"] = nil } == .failure(.responseShape(detail: "no sealed secret")))
        #expect(try end { $0["protocolVersion"] = 1 } == .failure(.unsupportedProtocolVersion(found: 1)))
        #expect(try end { $0["macInstallationID"] = UUID().uuidString } == .failure(.proofInvalid))
        #expect(
            try end { $0["macInstallationID"] = ManualIPVectors.clientID.uuidString }
                == .failure(.equalInstallationIDs))
        #expect(
            try end { $0["serverNonce"] = Base64.encode(SecureRandom.bytes(32)) } == .failure(.proofInvalid))
        #expect(
            try end { $0["serverPublicKey"] = Base64.encode([UInt8](repeating: 0, count: 32)) }
                == .failure(.weakPublicKey))
    }

    @Test("on a trusted reconnect a sealed secret, or another installation, fails")
    func trustedResponse() throws {
        let frame = SealedFrame(
            nonce: SecureRandom.bytes(12), ciphertext: SecureRandom.bytes(32), tag: SecureRandom.bytes(16))
        let withSecret = try diallerEnd(trusted: true) { response in
            Packet.body(
                of: PairingResponse(
                    listenerName: response.listenerName, installationID: response.installationID,
                    publicKey: response.publicKey, nonce: response.nonce, proof: response.proof,
                    sealedSecret: frame))
        }
        #expect(withSecret == .failure(.responseShape(detail: "sealed secret on reconnect")))
        let other = try diallerEnd(trusted: true) { response in
            Packet.body(
                of: PairingResponse(
                    listenerName: response.listenerName, installationID: UUID(), publicKey: response.publicKey,
                    nonce: response.nonce, proof: response.proof, sealedSecret: nil))
        }
        #expect(other == .failure(.unexpectedInstallation))
    }

    @Test("with a key of small order nobody is answered")
    func weakClientKey() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let nonce = SecureRandom.bytes(32)
        let weak = try X25519.PublicKey(bytes: [UInt8](repeating: 0, count: 32))
        let proof = ManualIPKeys.codeClientProof(
            codeKey: ManualIPKeys.codeKey(digits: TransportRig.strongCode), publicKey: weak, nonce: nonce)
        let connection = rig.accept()
        rig.listener(
            connection,
            .received(
                Packet.framed(
                    Packet.body(
                        of: PairingRequest(
                            deviceName: "x", installationID: UUID(), publicKey: weak, nonce: nonce,
                            proof: .code(proof))))))
        #expect(connection.listenerEnd == .failure(.weakPublicKey))
        #expect(connection.toDialler == [rejection])
    }

    @Test("a second pairing packet after authentication is fatal")
    func secondRequest() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        rig.listener(connection, .received(request()))
        #expect(
            connection.listenerEnd
                == .failure(.unexpectedPacket(kind: "pairingRequest", phase: "authenticated")))
        rig.dialler(connection, .received(rejection))
        #expect(
            connection.diallerEnd
                == .failure(.unexpectedPacket(kind: "pairingRejected", phase: "authenticated")))
    }

    @Test("when the provisional secret cannot be stored, no response goes out and the pairing stays usable")
    func storeFailure() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing()
        rig.storeFails = true
        let connection = rig.dial(TransportRig.code())
        #expect(connection.listenerEnd == .rejected)
        #expect(connection.sentPackets(.toDialler) == [rejection])
        #expect(rig.gate.trust.provisional.isEmpty)
        rig.storeFails = false
        #expect(rig.dial(TransportRig.code()).listenerSession != nil)
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .paired)
    }
}
