import Foundation
import TestSupport
import Testing

@testable import Cryptography

@Suite("HPKE")
struct HPKETests {
    private struct Vectors: Decodable {
        struct Encryption: Decodable {
            let sequence_number: Int
            let pt: String
            let aad: String
            let ct: String
        }
        let info: String
        let skEm: String
        let skRm: String
        let pkRm: String
        let enc: String
        let key: String
        let base_nonce: String
        let shared_secret: String
        let encryptions: [Encryption]
    }

    @Test(
        "RFC 9180 A.2.1 comes out: schedule, sealed message, opened message",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func vectors() throws {
        let bytes = try SharedFixtures.bytes("day-archive/hpke-rfc9180-a2.json")
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(bytes))
        let ephemeral = try X25519.PrivateKey(secret: SecretBytes(copying: Hex.decode(vectors.skEm)))
        let recipient = try X25519.PrivateKey(secret: SecretBytes(copying: Hex.decode(vectors.skRm)))
        #expect(Hex.encode(recipient.publicKey.bytes) == vectors.pkRm)
        let info = try Hex.decode(vectors.info)

        let schedule = HPKE.schedule(
            sharedPoint: try ephemeral.sharedSecret(with: recipient.publicKey), encapsulated: ephemeral.publicKey,
            recipient: recipient.publicKey, info: info)
        #expect(Hex.encode(schedule.key.copyBytes()) == vectors.key)
        #expect(Hex.encode(schedule.baseNonce) == vectors.base_nonce)

        let first = try #require(vectors.encryptions.first { $0.sequence_number == 0 })
        let sealed = try HPKE.seal(
            Hex.decode(first.pt), to: recipient.publicKey, info: info, associatedData: Hex.decode(first.aad),
            ephemeral: ephemeral)
        #expect(Hex.encode(sealed) == vectors.enc + first.ct)
        let opened = try HPKE.open(sealed, with: recipient, info: info, associatedData: Hex.decode(first.aad))
        #expect(Hex.encode(opened) == first.pt)
    }

    @Test("each seal uses a fresh key; info, data, recipient and every byte count")
    func freshness() throws {
        let recipient = X25519.PrivateKey()
        let info = Array("info".utf8)
        let data = Array("data".utf8)
        let message = Array("message".utf8)
        let first = try HPKE.seal(message, to: recipient.publicKey, info: info, associatedData: data)
        let second = try HPKE.seal(message, to: recipient.publicKey, info: info, associatedData: data)
        #expect(first != second)
        #expect(first.count == message.count + HPKE.overheadByteCount)
        #expect(try HPKE.open(first, with: recipient, info: info, associatedData: data) == message)

        #expect(throws: CryptographyError.authenticationFailed) {
            try HPKE.open(first, with: recipient, info: data, associatedData: data)
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try HPKE.open(first, with: recipient, info: info, associatedData: info)
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try HPKE.open(first, with: X25519.PrivateKey(), info: info, associatedData: data)
        }
        // The top bit of the encapsulated key is no part of the point, but it is part of the schedule.
        for index in first.indices {
            var forged = first
            forged[index] ^= 0x80
            #expect(throws: CryptographyError.self) {
                try HPKE.open(forged, with: recipient, info: info, associatedData: data)
            }
        }
        #expect(throws: CryptographyError.authenticationFailed) {
            try HPKE.open(Array(first[..<47]), with: recipient, info: info, associatedData: data)
        }
    }

    @Test("an encapsulated key of small order is refused")
    func weakKey() {
        #expect(throws: CryptographyError.weakSharedSecret) {
            try HPKE.open(
                [UInt8](repeating: 0, count: 64), with: X25519.PrivateKey(), info: [UInt8](),
                associatedData: [UInt8]())
        }
    }
}
