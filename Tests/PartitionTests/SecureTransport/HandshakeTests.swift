import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Both machines over a virtual wire; nobody in between.
@Suite("Handshake")
struct HandshakeTests {
    private func text(_ text: String) -> [UInt8] { Array(#"{"text":"\#(text)"}"#.utf8) }

    private func exchange(_ rig: TransportRig, _ connection: TransportRig.Connection) {
        rig.dialler(connection, .send(text("up")))
        rig.listener(connection, .send(text("down")))
        rig.run()
    }

    @Test("two peers of ours pair by code, agree on secure records and talk")
    func strongPairing() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        #expect(connection.listenerSession?.secureRecordVersion == 1)
        #expect(connection.diallerSession?.secureRecordVersion == 1)
        exchange(rig, connection)
        #expect(connection.listenerReceived == [.text("up")])
        #expect(connection.diallerReceived == [.text("down")])
        #expect(connection.listenerEnd == nil && connection.diallerEnd == nil)

        #expect(rig.gate.desk.pairing(pairing.id)?.state == .paired)
        let record = try #require(rig.gate.trust.records[ManualIPVectors.clientID])
        #expect(record.strength == .strong)
        #expect(rig.gate.trust.provisional.isEmpty)
        let confirmed = try #require(connection.confirmed)
        #expect(confirmed.installationID == TransportRig.listenerID)
        #expect(constantTimeEquals(confirmed.reconnectSecret, record.reconnectSecret))
    }

    @Test(
        "with a peer that knows only the published protocol, plain packets go on",
        arguments: [(nil, TransportRig.offer), (TransportRig.offer, nil), (nil, nil)])
    func plainMode(dialler: String?, listener: String?) throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code(), extensions: dialler, listenerExtensions: listener)
        #expect(connection.listenerSession != nil && connection.diallerSession != nil)
        #expect(connection.listenerSession?.secureRecordVersion == nil)
        exchange(rig, connection)
        #expect(connection.listenerReceived == [.text("up")])
        #expect(connection.diallerReceived == [.text("down")])
        #expect(connection.sent.allSatisfy { $0.1[8] == UInt8(ascii: "{") })
    }

    @Test("versions without a common one leave plain mode in force")
    func noCommonVersion() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code(), extensions: #"{"secureRecords":[2,7]}"#)
        #expect(connection.listenerSession != nil)
        #expect(connection.listenerSession?.secureRecordVersion == nil)
        exchange(rig, connection)
        #expect(connection.listenerReceived == [.text("up")])
    }

    @Test("after the hellos every packet is a record, in both directions")
    func everyPacketARecord() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        exchange(rig, connection)
        rig.advance(10)
        rig.tick()
        // Request and hello; response and hello.
        #expect(connection.sentPackets(.toListener).dropFirst(2).allSatisfy { $0[8] == Packet.recordMarker })
        #expect(connection.sentPackets(.toDialler).dropFirst(2).allSatisfy { $0[8] == Packet.recordMarker })
        #expect(connection.sentPackets(.toListener).count >= 4)
    }

    @Test("frames travel in records and their buffers are reused")
    func frames() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        let frames = (0..<3).map { _ in Array("HMDCTFRM".utf8) + SecureRandom.bytes(100_000) }
        for frame in frames {
            var buffer = RecordChannel.buffer(forPlaintextOf: frame.count)
            buffer.replaceSubrange(RecordChannel.plaintextRange(in: buffer), with: frame)
            rig.dialler(connection, .sendFrame(buffer))
        }
        rig.run()
        #expect(connection.listenerFrames == frames)
    }

    @Test("any cut of the byte stream gives the same connection", arguments: [1, 3, 100])
    func cuts(size: Int) throws {
        let rig = TransportRig()
        try rig.openPairing()
        rig.alter = { _, packet in
            stride(from: 0, to: packet.count, by: size).map { Array(packet[$0..<min(packet.count, $0 + size)]) }
        }
        let connection = rig.dial(TransportRig.code())
        exchange(rig, connection)
        #expect(connection.listenerReceived == [.text("up")])
        #expect(connection.diallerReceived == [.text("down")])
    }

    @Test("packets that arrive together, behind a hello and behind a response, are all used in their order")
    func coalesced() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.accept()
        connection.dialler = DiallerConnection(
            installationID: ManualIPVectors.clientID, credential: TransportRig.code(),
            hello: OwnHello(
                document: rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: TransportRig.offer),
                extensions: try HealthmdExtensions(secureRecords: [1], deviceName: nil)),
            material: .init(privateKey: X25519.PrivateKey(), nonce: SecureRandom.bytes(32)),
            services: LinkServices(nonce: { SecureRandom.bytes(12) }, interpret: interpretRigDocument), at: rig.now)
        rig.dialler(connection, .connected)
        rig.listener(connection, .received(connection.toListener.removeFirst()))
        // Response and hello in one read.
        let both = connection.toDialler.flatMap { $0 }
        connection.toDialler = []
        rig.dialler(connection, .received(both))
        rig.dialler(connection, .send(text("early")))
        // Hello and the first record in one read.
        let rest = connection.toListener.flatMap { $0 }
        connection.toListener = []
        rig.listener(connection, .received(rest))
        #expect(connection.listenerSession != nil)
        #expect(connection.listenerReceived == [.text("early")])
    }

    @Test(
        "no machine keeps its ephemeral key or the code's key once the session key stands",
        arguments: [nil, TransportRig.offer])
    func ephemeralKeysAreForgotten(extensions: String?) throws {
        let rig = TransportRig()
        try rig.openPairing()
        let waiting = rig.accept()
        #expect(waiting.listenerKey != nil)
        let connection = rig.dial(TransportRig.code(), extensions: extensions)
        #expect(connection.listenerSession != nil && connection.diallerSession != nil)
        #expect(connection.listenerKey == nil && connection.diallerKey == nil && connection.codeKey == nil)
        let refused = rig.dial(TransportRig.code())
        #expect(refused.listenerEnd != nil && refused.listenerKey == nil && refused.diallerKey == nil)
    }

    @Test("a trusted reconnect needs no pairing and seals no secret")
    func reconnect() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let first = rig.dial(TransportRig.code())
        let secret = try #require(first.confirmed?.reconnectSecret)
        rig.advance(60)
        rig.stored = []
        let second = rig.dial(.trusted(installationID: TransportRig.listenerID, secret: secret))
        #expect(second.listenerSession?.secureRecordVersion == 1)
        #expect(second.provisional == nil)
        #expect(first.listenerEnd == .replaced)
        #expect(rig.gate.trust.records[ManualIPVectors.clientID]?.lastConnectedAt == rig.now.wall)
        #expect(rig.stored.count == 1)
        guard case .touchRecord = try #require(rig.stored.first) else {
            Issue.record("a reconnect only touches the record")
            return
        }
        let response = try Packet(body: Array(second.sentPackets(.toDialler)[0][8...]))
        guard case .pairingResponse(let answer) = response else {
            Issue.record("no response")
            return
        }
        #expect(answer.sealedSecret == nil)
    }

    @Test("the names in the clear are constant, and the real name comes with the hello")
    func names() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(
            TransportRig.code(), extensions: #"{"secureRecords":[1],"deviceName":"Küche","new":{}}"#)
        #expect(connection.listenerSession?.displayName == "Küche")
        #expect(rig.gate.trust.records[ManualIPVectors.clientID]?.displayName == "Küche")
        guard case .pairingRequest(let request) = try Packet(body: Array(connection.sentPackets(.toListener)[0][8...]))
        else {
            Issue.record("no request")
            return
        }
        #expect(request.deviceName == "healthmd")
        #expect(connection.diallerSession?.displayName == "healthmd")
    }

    @Test("pings are answered, sent every 10 seconds, and keep a quiet connection open")
    func heartbeat() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        for _ in 0..<12 {
            rig.advance(10)
            rig.tick()
        }
        #expect(connection.listenerEnd == nil && connection.diallerEnd == nil)
        #expect(connection.listenerReceived.isEmpty && connection.diallerReceived.isEmpty)
    }

    @Test("thirty seconds without a valid packet end the connection on both sides")
    func silence() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        rig.alter = { _, _ in [] }
        rig.advance(29.9)
        rig.tick()
        #expect(connection.listenerEnd == nil && connection.diallerEnd == nil)
        rig.advance(0.1)
        rig.tick()
        #expect(connection.listenerEnd == .failure(.silence))
        #expect(connection.diallerEnd == .failure(.silence))
    }

    @Test("end of stream means disconnected, and nothing is sent or delivered afterwards")
    func endOfStream() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        rig.listener(connection, .peerClosed)
        #expect(connection.listenerEnd == .peerClosed)
        let count = connection.sent.count
        rig.listener(connection, .send(text("late")))
        rig.dialler(connection, .send(text("late")))
        rig.run()
        #expect(connection.sentPackets(.toDialler).count + connection.sentPackets(.toListener).count == count + 1)
        #expect(connection.listenerReceived.isEmpty)
    }
}
