import Cryptography
import Testing

@testable import ConnectedProtocol

@Suite("Plain channel")
struct PlainChannelTests {
    private func frame(_ body: [UInt8]) throws -> SealedFrame {
        guard case .encrypted(let frame) = try Packet(body: body) else { throw SecureTransportError.silence }
        return frame
    }

    @Test("the ping of secure-transport.md 12.4 comes out and opens")
    func vector() throws {
        var client = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        var server = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        let sealed = try frame(try client.seal(ManualIPVectors.ping, nonce: ManualIPVectors.messageNonce))
        #expect(Hex.encode(sealed.ciphertext) == "b6eacbd857fd46825d640f")
        #expect(Hex.encode(sealed.tag) == "b1b13fdd3c99197d25d46c27b877754e")
        #expect(try server.open(sealed) == ManualIPVectors.ping)
    }

    @Test("a replayed packet is fatal")
    func replay() throws {
        var client = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        var server = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        let sealed = try frame(try client.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12)))
        _ = try server.open(sealed)
        #expect(throws: SecureTransportError.repeatedNonce) { try server.open(sealed) }
    }

    @Test("a packet of our own that comes back is fatal")
    func reflection() throws {
        var client = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        let sealed = try frame(try client.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12)))
        #expect(throws: SecureTransportError.repeatedNonce) { try client.open(sealed) }
    }

    @Test("the sealed reconnect secret cannot be played back as a message")
    func sealedSecret() throws {
        let secret = try ManualIPVectors.sealedSecret()
        var client = PlainChannel(sessionKey: try ManualIPVectors.sessionKey(), usedNonces: [secret.nonce])
        #expect(throws: SecureTransportError.repeatedNonce) { try client.open(secret) }
    }

    @Test("a forged packet is fatal and uses up no nonce")
    func forgery() throws {
        var client = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        var server = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        let sealed = try frame(try client.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12)))
        var tag = sealed.tag
        tag[0] ^= 1
        let forged = SealedFrame(nonce: sealed.nonce, ciphertext: sealed.ciphertext, tag: tag)
        #expect(throws: SecureTransportError.packetNotAuthentic) { try server.open(forged) }
        #expect(try server.open(sealed) == ManualIPVectors.ping)
    }

    @Test("the nonce memory is bounded, and full means a new connection")
    func memory() throws {
        let key = try ManualIPVectors.sessionKey()
        var client = PlainChannel(sessionKey: key)
        var server = PlainChannel(sessionKey: key, nonceLimit: 2)
        _ = try server.open(frame(client.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12))))
        _ = try server.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12))
        let third = try frame(client.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12)))
        #expect(throws: SecureTransportError.nonceMemoryFull) { try server.open(third) }
        #expect(throws: SecureTransportError.nonceMemoryFull) {
            try server.seal(ManualIPVectors.ping, nonce: SecureRandom.bytes(12))
        }
    }
}

@Suite("Record channel")
struct RecordChannelTests {
    private func pair(at sequence: UInt64 = 0) throws -> (client: RecordChannel, server: RecordChannel) {
        let keys = try ManualIPVectors.recordKeys()
        return (
            RecordChannel(keys: keys, role: .client, firstSequence: sequence),
            RecordChannel(keys: keys, role: .server, firstSequence: sequence)
        )
    }

    private func body(_ packet: [UInt8]) -> [UInt8] { Array(packet[8...]) }

    @Test("the records of extensions.md 3.3 come out, in both directions")
    func vectors() throws {
        var (client, server) = try pair()
        let up = try client.seal(document: ManualIPVectors.ping)
        #expect(
            Hex.encode(body(up)) == "010000000000000000e6841e0cb18806a3507f43b152151a6cae0951bcdaf2f21b4be172")
        let down = try server.seal(document: ManualIPVectors.ping)
        #expect(
            Hex.encode(body(down)) == "01000000000000000064a3f08fe7540f90ce5a65a603948061637cca35a512f34cc621c0")
        #expect(Array(up[..<8]) == PacketReader.prefix(for: up.count - 8))
        var record = body(up)
        let opened = try server.open(&record)
        #expect(opened.content == .document)
        #expect(Array(record[opened.range]) == ManualIPVectors.ping)
    }

    @Test("a frame travels in its own buffer, sealed and opened in place")
    func frames() throws {
        var (client, server) = try pair()
        let frame = Array("HMDCTFRM".utf8) + SecureRandom.bytes(524_288 + 78)
        var buffer = RecordChannel.buffer(forPlaintextOf: frame.count)
        buffer.replaceSubrange(RecordChannel.plaintextRange(in: buffer), with: frame)
        try client.seal(&buffer)
        var record = body(buffer)
        let opened = try server.open(&record)
        #expect(opened.content == .frame)
        #expect(Array(record[opened.range]) == frame)
    }

    @Test("a duplicated, dropped, reordered or reflected record is fatal")
    func order() throws {
        let (client, server) = try pair()
        var sender = client
        let packets = try (0..<3).map { _ in body(try sender.seal(document: ManualIPVectors.ping)) }

        func deliver(_ order: [Int]) throws {
            var receiver = server
            for index in order {
                var record = packets[index]
                _ = try receiver.open(&record)
            }
        }
        #expect(throws: Never.self) { try deliver([0, 1, 2]) }
        #expect(throws: SecureTransportError.recordOutOfSequence(expected: 1, found: 0)) { try deliver([0, 0]) }
        #expect(throws: SecureTransportError.recordOutOfSequence(expected: 1, found: 2)) { try deliver([0, 2]) }
        #expect(throws: SecureTransportError.recordOutOfSequence(expected: 0, found: 1)) { try deliver([1, 0]) }

        var reflector = client
        var reflected = packets[0]
        #expect(throws: SecureTransportError.recordNotAuthentic) { try reflector.open(&reflected) }
    }

    @Test("a record moved to a new place, or to another connection, is fatal")
    func moved() throws {
        var (client, server) = try pair()
        var first = body(try client.seal(document: ManualIPVectors.ping))
        var second = body(try client.seal(document: ManualIPVectors.ping))
        // The sequence is authenticated, so a changed one does not help.
        second[8] = 0
        #expect(throws: SecureTransportError.recordNotAuthentic) { try server.open(&second) }

        let keys = ManualIPKeys.recordKeys(
            sessionKey: SecretBytes.random(count: 32), client: try ManualIPVectors.client(),
            server: try ManualIPVectors.server())
        var other = RecordChannel(keys: keys, role: .server)
        #expect(throws: SecureTransportError.recordNotAuthentic) { try other.open(&first) }
    }

    @Test("every changed bit, and every shorter body, is refused")
    func changed() throws {
        var (client, server) = try pair()
        let record = body(try client.seal(document: ManualIPVectors.ping))
        for index in 1..<record.count {
            for bit in 0..<8 {
                var forged = record
                forged[index] ^= 1 << UInt8(bit)
                #expect(throws: SecureTransportError.self) { try server.open(&forged) }
            }
            var short = Array(record[..<index])
            #expect(throws: SecureTransportError.self) { try server.open(&short) }
        }
        var genuine = record
        #expect(throws: Never.self) { try server.open(&genuine) }
    }

    @Test("contents that begin neither document nor frame are fatal", arguments: ["[]", " {}", "HMDCTFR", "\u{1}"])
    func content(text: String) throws {
        var (client, server) = try pair()
        var record = body(try client.seal(document: Array(text.utf8)))
        #expect(throws: SecureTransportError.unknownRecordContent) { try server.open(&record) }
    }

    @Test("documents and frames have limits that hold to the byte")
    func limits() throws {
        let documentLimit = SecureTransportLimits.recordDocumentByteCount
        let frameLimit = SecureTransportLimits.recordFrameByteCount
        #expect(frameLimit == 524_374)
        let keys = try ManualIPVectors.recordKeys()
        // A peer that ignores the limits seals with the bare cipher.
        func record(_ start: String, count: Int) -> [UInt8] {
            let plaintext = Array(start.utf8) + [UInt8](repeating: 0x20, count: count - start.utf8.count)
            let header: [UInt8] = [1] + bigEndianBytes(of: 0)
            return header
                + ChaCha20Poly1305(key: keys.clientToServer).seal(
                    plaintext, nonce: [UInt8](repeating: 0, count: 12), associatedData: header)
        }
        func open(_ record: [UInt8]) throws {
            var record = record
            var server = RecordChannel(keys: keys, role: .server)
            _ = try server.open(&record)
        }
        #expect(throws: Never.self) { try open(record("{", count: documentLimit)) }
        #expect(throws: Never.self) { try open(record("HMDCTFRM", count: frameLimit)) }
        #expect(
            throws: SecureTransportError.recordContentTooLarge(limit: documentLimit, found: documentLimit + 1)
        ) { try open(record("{", count: documentLimit + 1)) }
        #expect(throws: SecureTransportError.recordContentTooLarge(limit: frameLimit, found: frameLimit + 1)) {
            try open(record("HMDCTFRM", count: frameLimit + 1))
        }
    }

    @Test("the last sequence is 2^48 - 1, for sending and for receiving")
    func exhaustion() throws {
        var (client, server) = try pair(at: (1 << 48) - 1)
        var record = body(try client.seal(document: ManualIPVectors.ping))
        _ = try server.open(&record)
        #expect(throws: SecureTransportError.recordSequenceExhausted) {
            try client.seal(document: ManualIPVectors.ping)
        }
        #expect(throws: SecureTransportError.recordSequenceExhausted) { try server.open(&record) }
    }
}
