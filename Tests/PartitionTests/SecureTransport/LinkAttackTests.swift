import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Rules of the hello, and someone on the way of an authenticated connection (extensions.md 2, 3).
@Suite("Attacks on the connection")
struct LinkAttackTests {
    private func text(_ text: String) -> [UInt8] { Array(#"{"text":"\#(text)"}"#.utf8) }

    /// The listener of a code pairing, and the channel with which the test plays the phone by hand.
    private func authenticated(
        _ rig: TransportRig, listenerExtensions: String? = TransportRig.offer
    ) throws -> (TransportRig.Connection, PlainChannel) {
        try rig.openPairing()
        let key = X25519.PrivateKey()
        let nonce = SecureRandom.bytes(32)
        let codeKey = ManualIPKeys.codeKey(digits: TransportRig.strongCode)
        let request = PairingRequest(
            deviceName: "Phone", installationID: ManualIPVectors.clientID, publicKey: key.publicKey, nonce: nonce,
            proof: .code(
                ManualIPKeys.codeClientProof(codeKey: codeKey, publicKey: key.publicKey, nonce: nonce)))
        let connection = rig.accept(extensions: listenerExtensions)
        rig.listener(connection, .received(Packet.framed(Packet.body(of: request))))
        guard case .pairingResponse(let response) = try Packet(body: Array(connection.toDialler[0][8...])) else {
            throw SecureTransportError.pairingRejected
        }
        let sessionKey = ManualIPKeys.sessionKey(
            sharedSecret: try key.sharedSecret(with: response.publicKey), clientNonce: nonce,
            serverNonce: response.nonce)
        return (connection, PlainChannel(sessionKey: sessionKey))
    }

    private func send(
        _ document: [UInt8], _ channel: inout PlainChannel, _ rig: TransportRig, _ connection: TransportRig.Connection
    ) throws {
        let body = try channel.seal(document, nonce: SecureRandom.bytes(12))
        rig.listener(connection, .received(Packet.framed(body)))
    }

    @Test("before the hello everything is dropped, nothing is answered, and nothing is fatal")
    func beforeHello() throws {
        let rig = TransportRig()
        var (connection, channel) = try authenticated(rig)
        let sent = connection.toDialler.count
        for document in [text("early"), Array(#"{"ping":{}}"#.utf8), Array("nonsense".utf8), []] {
            try send(document, &channel, rig, connection)
        }
        #expect(connection.listenerDropped == [.beforeHello, .beforeHello, .beforeHello, .beforeHello])
        #expect(connection.toDialler.count == sent)
        #expect(connection.listenerEnd == nil)
        #expect(rig.gate.trust.records.isEmpty)
        try send(
            rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: nil), &channel, rig, connection)
        #expect(connection.listenerSession != nil)
        #expect(connection.listenerReceived.isEmpty)
    }

    @Test("a hello of another installation, without one, or of the wrong platform is fatal and promotes nothing")
    func wrongHello() throws {
        let cases: [(UUID?, String, SecureTransportError)] = [
            (UUID(), "iOS", .helloInstallationMismatch), (nil, "iOS", .helloInstallationMismatch),
            (ManualIPVectors.clientID, "macOS", .helloPlatformMismatch),
            (ManualIPVectors.clientID, "android", .helloPlatformMismatch),
        ]
        for (id, platform, error) in cases {
            let rig = TransportRig()
            var (connection, channel) = try authenticated(rig)
            try send(rigHello(id, platform: platform, extensions: nil), &channel, rig, connection)
            #expect(connection.listenerEnd == .failure(error))
            #expect(rig.gate.trust.records.isEmpty)
            #expect(rig.gate.desk.open?.state == .waiting)
        }
    }

    @Test(
        "malformed extensions are fatal",
        arguments: [
            "[]", "1", "null", "{}", #"{"secureRecords":[]}"#, #"{"secureRecords":[0]}"#, #"{"secureRecords":[-1]}"#,
            #"{"secureRecords":1}"#, #"{"secureRecords":["1"]}"#, #"{"secureRecords":[1.5]}"#,
            #"{"secureRecords":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}"#, #"{"secureRecords":[1],"deviceName":1}"#,
            #"{"secureRecords":[1],"deviceName":"a\u0007"}"#,
            #"{"secureRecords":[1],"deviceName":"\#(String(repeating: "é", count: 65))"}"#,
        ])
    func malformedExtensions(extensions: String) throws {
        let rig = TransportRig()
        var (connection, channel) = try authenticated(rig)
        try send(
            rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: extensions), &channel, rig, connection)
        if extensions == "null" {
            // An explicit null reads as absence, as optionals do everywhere on this wire.
            #expect(connection.listenerSession?.secureRecordVersion == nil)
        } else {
            #expect(connection.listenerEnd == .failure(.malformedExtensions))
        }
    }

    @Test("extensions at their limits are taken")
    func extensionLimits() throws {
        let rig = TransportRig()
        var (connection, channel) = try authenticated(rig)
        let versions = (1...16).map { String($0) }.joined(separator: ",")
        let name = String(repeating: "é", count: 64)
        let extensions = #"{"secureRecords":[\#(versions)],"deviceName":"\#(name)","later":[]}"#
        try send(
            rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: extensions), &channel, rig, connection)
        #expect(connection.listenerSession?.secureRecordVersion == 1)
        #expect(connection.listenerSession?.displayName == name)
    }

    @Test("an equal second hello is taken as news, a changed one is fatal")
    func secondHello() throws {
        let first = rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: nil)
        let changed = [
            rigHello(UUID(), platform: "iOS", extensions: nil), rigHello(nil, platform: "iOS", extensions: nil),
            rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: TransportRig.offer),
            rigHello(ManualIPVectors.clientID, platform: "macOS", extensions: nil),
        ]
        for second in [first] + changed {
            let rig = TransportRig()
            var (connection, channel) = try authenticated(rig)
            try send(first, &channel, rig, connection)
            try send(second, &channel, rig, connection)
            if second == first {
                #expect(connection.listenerReceived == [.hello("iOS")])
                #expect(connection.listenerEnd == nil)
            } else {
                #expect(connection.listenerEnd == .failure(.helloChanged))
            }
        }
    }

    @Test("where records are in force, an encrypted JSON packet is fatal: the mode cannot be turned back")
    func downgrade() throws {
        let rig = TransportRig()
        var (connection, channel) = try authenticated(rig)
        try send(
            rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: TransportRig.offer), &channel, rig,
            connection)
        #expect(connection.listenerSession?.secureRecordVersion == 1)
        try send(text("plain"), &channel, rig, connection)
        #expect(connection.listenerEnd == .failure(.plainPacketAmongRecords))
        #expect(connection.listenerReceived.isEmpty)
    }

    @Test("a hello whose extensions are stripped on the way does not decrypt any more")
    func strippedHello() throws {
        let rig = TransportRig()
        try rig.openPairing()
        rig.alter = { direction, packet in
            guard direction == .toListener, case .encrypted(let frame) = try? Packet(body: Array(packet[8...]))
            else { return [packet] }
            let shorter = SealedFrame(
                nonce: frame.nonce, ciphertext: Array(frame.ciphertext.dropLast(20)), tag: frame.tag)
            return [Packet.framed(EncryptedPacketText.body(of: shorter))]
        }
        let connection = rig.dial(TransportRig.code())
        #expect(connection.listenerEnd == .failure(.packetNotAuthentic))
        #expect(connection.listenerSession == nil)
    }

    @Test("in plain mode a record is fatal")
    func recordInPlainMode() throws {
        let rig = TransportRig()
        var (connection, channel) = try authenticated(rig, listenerExtensions: nil)
        try send(
            rigHello(ManualIPVectors.clientID, platform: "iOS", extensions: TransportRig.offer), &channel, rig,
            connection)
        rig.listener(connection, .received(Packet.framed([1] + [UInt8](repeating: 0, count: 40))))
        #expect(connection.listenerEnd == .failure(.recordInPlainMode))
    }

    @Test("a packet that is repeated or reflected is fatal, in both modes", arguments: [nil, TransportRig.offer])
    func repeated(extensions: String?) throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code(), extensions: extensions)
        rig.dialler(connection, .send(text("once")))
        let packet = try #require(connection.toListener.first)
        rig.run()
        rig.listener(connection, .received(packet))
        #expect(connection.listenerReceived == [.text("once")])
        switch connection.listenerEnd {
        case .failure(.repeatedNonce): #expect(extensions == nil)
        case .failure(.recordOutOfSequence(expected: 1, found: 0)): #expect(extensions != nil)
        default: Issue.record("not closed")
        }
        rig.dialler(connection, .received(packet))
        switch connection.diallerEnd {
        case .failure(.repeatedNonce): #expect(extensions == nil)
        case .failure(.recordNotAuthentic): #expect(extensions != nil)
        default: Issue.record("not closed")
        }
    }

    @Test("a reflected hello is fatal")
    func reflectedHello() throws {
        let rig = TransportRig()
        let connection = try authenticated(rig).0
        let hello = connection.toDialler[1]
        rig.listener(connection, .received(hello))
        #expect(connection.listenerEnd == .failure(.repeatedNonce))
    }

    /// What happens to each record of a session of 100 (guide: reliability, 13).
    enum Mischief: CaseIterable {
        case duplicate, drop, swap, reflect, moveToOtherSession, flip
    }

    @Test(
        "whatever happens to any record of a hundred, the next record at the latest closes",
        arguments: Mischief.allCases)
    func mischief(kind: Mischief) throws {
        let keys = try ManualIPVectors.recordKeys()
        var sender = RecordChannel(keys: keys, role: .client)
        let records = try (0..<100).map { Array(try sender.seal(document: text("\($0)"))[8...]) }
        for target in 0..<99 {
            var stream = records
            switch kind {
            case .duplicate: stream.insert(records[target], at: target)
            case .drop: stream.remove(at: target)
            case .swap: stream.swapAt(target, target + 1)
            case .flip: stream[target][20] ^= 1
            case .reflect:
                var server = RecordChannel(keys: keys, role: .server, firstSequence: UInt64(target))
                stream[target] = Array(try server.seal(document: text("reflected"))[8...])
            case .moveToOtherSession:
                let other = ManualIPKeys.recordKeys(
                    sessionKey: SecretBytes.random(count: 32), client: try ManualIPVectors.client(),
                    server: try ManualIPVectors.server())
                var moved = RecordChannel(keys: other, role: .client, firstSequence: UInt64(target))
                stream[target] = Array(try moved.seal(document: text("moved"))[8...])
            }
            var receiver = RecordChannel(keys: keys, role: .server)
            var opened = 0
            do {
                for record in stream {
                    var record = record
                    let result = try receiver.open(&record)
                    #expect(Array(record[result.range]) == text("\(opened)"))
                    opened += 1
                }
                Issue.record("not noticed")
            } catch {
                // The genuine copy of a duplicated record is still used; everything else stops at the target.
                #expect(opened == (kind == .duplicate ? target + 1 : target))
            }
        }
    }

    @Test("what a link does not know is dropped, and the connection goes on")
    func undecodable() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        rig.dialler(connection, .send(Array(#"{"fromTheFuture":{}}"#.utf8)))
        rig.dialler(connection, .send(text("still here")))
        rig.run()
        #expect(connection.listenerDropped == [.undecodable])
        #expect(connection.listenerReceived == [.text("still here")])
        #expect(connection.listenerEnd == nil)
    }

    @Test("junk that does not decrypt does not keep a connection alive")
    func junkIsFatal() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        rig.listener(connection, .received(Packet.framed([1] + SecureRandom.bytes(60))))
        #expect(connection.listenerEnd != nil)
    }
}
