import Cryptography
import Foundation
import TestSupport
import Testing

@testable import ConnectedProtocol

@Suite("Packet reader")
struct PacketReaderTests {
    private func packets(
        _ stream: [UInt8], pieces: Int, limit: Int = 1_000
    ) throws(SecureTransportError) -> [[UInt8]] {
        var reader = PacketReader(limit: limit)
        var found: [[UInt8]] = []
        var start = 0
        while start < stream.count {
            let end = min(stream.count, start + pieces)
            var offset = 0
            let piece = Array(stream[start..<end])
            while offset < piece.count {
                if let packet = try reader.next(from: piece, offset: &offset) { found.append(packet) }
            }
            start = end
        }
        return found
    }

    @Test("any cut of the stream gives the same packets", arguments: [1, 2, 7, 8, 9, 64, 5_000])
    func cuts(pieces: Int) throws {
        let bodies: [[UInt8]] = [[1], Array(0..<200), [UInt8](repeating: 7, count: 1_000), [2, 3]]
        let stream = bodies.flatMap { Packet.framed($0) }
        #expect(try packets(stream, pieces: pieces) == bodies)
    }

    @Test("a packet of no bytes is an error")
    func empty() {
        #expect(throws: SecureTransportError.emptyPacket) { try packets([UInt8](repeating: 0, count: 8), pieces: 8) }
    }

    @Test("a length over the limit is an error at its eighth byte, before any of its body", arguments: [1, 8])
    func tooLarge(pieces: Int) {
        #expect(throws: SecureTransportError.packetTooLarge(limit: 1_000, declared: 1_001)) {
            try packets(PacketReader.prefix(for: 1_001), pieces: pieces)
        }
        #expect(throws: SecureTransportError.packetTooLarge(limit: 1_000, declared: .max)) {
            try packets([UInt8](repeating: 0xff, count: 8), pieces: pieces)
        }
    }

    @Test("a packet of exactly the limit is taken")
    func atLimit() throws {
        let body = [UInt8](repeating: 1, count: 1_000)
        #expect(try packets(Packet.framed(body), pieces: 4_096) == [body])
    }

    @Test("an announced 16 MiB that never come cost no memory")
    func lazyStorage() throws {
        var reader = PacketReader(limit: SecureTransportLimits.confirmedPacketByteCount)
        let input = PacketReader.prefix(for: SecureTransportLimits.confirmedPacketByteCount) + [1, 2, 3]
        var offset = 0
        #expect(try reader.next(from: input, offset: &offset) == nil)
        #expect(offset == input.count)
        #expect(reader.heldByteCount == 11)
        #expect(reader.reservedByteCount <= 2 * PacketReader.growthByteCount)
    }

    @Test("a recycled array serves the next packet")
    func recycling() throws {
        var reader = PacketReader(limit: 1 << 20)
        let stream = Packet.framed([UInt8](repeating: 1, count: 300_000))
        var offset = 0
        let first = try #require(try reader.next(from: stream, offset: &offset))
        reader.recycle(first)
        offset = 0
        let second = try #require(try reader.next(from: stream, offset: &offset))
        #expect(second.count == 300_000)
        #expect(second.capacity >= 300_000)
    }
}

@Suite("Packets")
struct PacketTests {
    private struct Fixture: Decodable {
        let packets: [String: String]
    }

    private func fixture() throws -> [String: String] {
        let bytes = try SharedFixtures.bytes("pairing/manual-ip-derived.json")
        return try JSONDecoder().decode(Fixture.self, from: Data(bytes)).packets
    }

    private func json(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    @Test(
        "the pairing packets of the fixture are read, and ours say the same",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func pairingPackets() throws {
        let texts = try fixture()
        for name in ["pairing_request_json", "trusted_request_json"] {
            let text = Array(try #require(texts[name]).utf8)
            guard case .pairingRequest(let request) = try Packet(body: text) else {
                Issue.record("\(name) is no request")
                return
            }
            #expect(request.installationID == ManualIPVectors.clientID)
            #expect(request.nonce == ManualIPVectors.clientNonce)
            #expect(try json(Packet.body(of: request)) == json(text))
        }
        for name in ["pairing_response_json", "trusted_response_json"] {
            let text = Array(try #require(texts[name]).utf8)
            guard case .pairingResponse(let response) = try Packet(body: text) else {
                Issue.record("\(name) is no response")
                return
            }
            #expect((response.sealedSecret == nil) == (name == "trusted_response_json"))
            #expect(try json(Packet.body(of: response)) == json(text))
        }
    }

    @Test(
        "the framed encrypted packet of the fixture comes out byte for byte",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func encryptedPacket() throws {
        var channel = PlainChannel(sessionKey: try ManualIPVectors.sessionKey())
        let body = try channel.seal(ManualIPVectors.ping, nonce: ManualIPVectors.messageNonce)
        #expect(Hex.encode(Packet.framed(body)) == (try fixture()["encrypted_framed_hex"]))
    }

    @Test("an encrypted packet is read with spaces, escaped slashes, other key orders and unknown keys")
    func encryptedVariants() throws {
        let frame = SealedFrame(
            nonce: [UInt8](repeating: 0xff, count: 12), ciphertext: [0xff, 0xff, 0xff, 0xfb],
            tag: [UInt8](repeating: 0xfb, count: 16))
        let nonce = Base64.encode(frame.nonce)
        let ciphertext = Base64.encode(frame.ciphertext)
        let tag = Base64.encode(frame.tag)
        func escaped(_ text: String) -> String { text.replacingOccurrences(of: "/", with: "\\/") }
        let texts = [
            String(decoding: EncryptedPacketText.body(of: frame), as: UTF8.self),
            #"{ "encrypted" : {"_0": { "tag":"\#(tag)" ,"nonce": "\#(nonce)", "ciphertext":"\#(ciphertext)" } } }"#,
            #"{"encrypted":{"_0":{"nonce":"\#(escaped(nonce))","tag":"\#(tag)","ciphertext":"\#(escaped(ciphertext))"}}}"#,
            #"{"new":1,"encrypted":{"x":[],"_0":{"nonce":"\#(nonce)","tag":"\#(tag)","ciphertext":"\#(ciphertext)","y":{}}}}"#,
        ]
        for text in texts {
            guard case .encrypted(let found) = try Packet(body: Array(text.utf8)) else {
                Issue.record("not read: \(text)")
                continue
            }
            #expect(found == frame)
        }
    }

    @Test(
        "bodies that are no packet are refused",
        arguments: [
            "", "[", "{", "{}", "null", #"{"hello":{}}"#, #"{"encrypted":{}}"#, #"{"encrypted":{"_0":{}}}"#,
            #"{"encrypted":{"_0":{"nonce":"AAAA","ciphertext":"","tag":"AAAAAAAAAAAAAAAAAAAAAA=="}}}"#,
            #"{"encrypted":{"_0":{"nonce":"AAAAAAAAAAAAAAAA","ciphertext":"*","tag":"AAAAAAAAAAAAAAAAAAAAAA=="}}}"#,
            #"{"pairingRejected":{},"encrypted":{"_0":{}}}"#, #"{"pairingRequest":{"_0":{"protocolVersion":2}}}"#,
            "\u{2}record of another kind", #" {"pairingRejected":{}}"#,
        ])
    func refusals(text: String) {
        #expect(throws: SecureTransportError.self) { try Packet(body: Array(text.utf8)) }
    }

    @Test("a rejection is read in both spellings, and ours carries the one constant reason")
    func rejection() throws {
        let texts = [
            String(decoding: Packet.rejectionBody(), as: UTF8.self),
            #"{"pairingRejected":{"reason":"no"}}"#, #"{"pairingRejected":{"_0":{"reason":"no"}}}"#,
        ]
        for text in texts {
            guard case .pairingRejected = try Packet(body: Array(text.utf8)) else {
                Issue.record("not read: \(text)")
                continue
            }
        }
        #expect(texts[0] == #"{"pairingRejected":{"_0":{"reason":"\#(SecureTransportLimits.rejectionReason)"}}}"#)
    }

    @Test("a request breaks no rule of lengths, name, version or identity")
    func requestRules() throws {
        func body(_ change: (inout [String: Any]) -> Void) throws -> [UInt8] {
            var request: [String: Any] = [
                "protocolVersion": 2, "deviceName": "Phone",
                "clientPublicKey": Base64.encode([UInt8](repeating: 9, count: 32)),
                "clientNonce": Base64.encode([UInt8](repeating: 7, count: 32)),
                "codeVerifier": Base64.encode([UInt8](repeating: 5, count: 32)),
                "clientInstallationID": "abcdefab-cdef-4abc-8def-abcdefabcdef",
            ]
            change(&request)
            return [UInt8](try JSONSerialization.data(withJSONObject: ["pairingRequest": ["_0": request]]))
        }
        #expect(throws: Never.self) { try Packet(body: body { $0["unknown"] = 1 }) }
        let short = Base64.encode([UInt8](repeating: 9, count: 31))
        let changes: [(inout [String: Any]) -> Void] = [
            { $0["protocolVersion"] = 1 }, { $0["protocolVersion"] = 3 }, { $0["protocolVersion"] = "2" },
            { $0["deviceName"] = "" }, { $0["deviceName"] = "a\u{7}b" }, { $0["deviceName"] = "a\u{202E}b" },
            { $0["deviceName"] = String(repeating: "x", count: 129) }, { $0["deviceName"] = nil },
            { $0["clientPublicKey"] = short }, { $0["clientNonce"] = short }, { $0["codeVerifier"] = short },
            { $0["codeVerifier"] = "" }, { $0["trustedVerifier"] = short }, { $0["clientInstallationID"] = nil },
            { $0["clientInstallationID"] = "no-uuid" },
        ]
        for change in changes {
            #expect(throws: SecureTransportError.self) { try Packet(body: body(change)) }
        }
        let longest = String(repeating: "x", count: 128)
        #expect(throws: Never.self) { try Packet(body: body { $0["deviceName"] = longest }) }
    }
}
