import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// The machines with the messages that they really carry.
@Suite("Messages over the link")
struct SyncMessageLinkTests {
    private let services = LinkServices<SyncMessage>(nonce: { SecureRandom.bytes(12) })

    private func capabilities(
        _ platform: String, _ id: UUID, extensions: HelloExtensions
    ) -> PeerCapabilities {
        PeerCapabilities(platform: platform, installationID: id, flags: [], extensions: extensions)
    }

    private func kind(_ text: String) -> String {
        switch InterpretedMessage<SyncMessage>(Array(text.utf8)[...]) {
        case .hello(let hello, _): "hello \(hello.platform)"
        case .ping: "ping"
        case .pong: "pong"
        case .message(let message): "message \(message.name?.rawValue ?? "")"
        case .malformedExtensions: "malformed extensions"
        case .undecodable: "undecodable"
        }
    }

    @Test("documents are told apart as the link needs it")
    func interpretation() {
        #expect(kind(#"{"ping":{}}"#) == "ping")
        #expect(kind(#"{"pong":{}}"#) == "pong")
        let hello = String(
            decoding: SyncMessage.hello(capabilities("iOS", UUID(), extensions: .absent)).encode(), as: UTF8.self)
        func with(extensions: String) -> String {
            hello.replacingOccurrences(
                of: #""platform":"iOS""#, with: #""platform":"iOS","healthmdExtensions":\#(extensions)"#)
        }
        #expect(kind(hello) == "hello iOS")
        #expect(kind(with(extensions: #"{"secureRecords":[1]}"#)) == "hello iOS")
        #expect(kind(with(extensions: "{}")) == "malformed extensions")
        #expect(kind(with(extensions: "[1]")) == "malformed extensions")
        #expect(kind(#"{"fromTheFuture":{}}"#) == "undecodable")
        #expect(kind("HMDCTFRM") == "undecodable")
        #expect(kind("") == "undecodable")
        // The engine answers these (extensions.md 9.3).
        #expect(kind(#"{"connectedTransferAck":{"_0":{}}}"#) == "message connectedTransferAck")
    }

    @Test("two real hellos negotiate secure records")
    func negotiation() throws {
        let now = Moment(wall: 0, monotonic: 0)
        let (phone, workstation) = (ManualIPVectors.clientID, ManualIPVectors.serverID)
        let offer = HelloExtensions.wellFormed(
            try HealthmdExtensions(
                secureRecords: HealthmdExtensions.supportedSecureRecords, deviceName: "Phone of K"))
        let secret = SecretBytes.random(count: 32)
        var dialler = DiallerConnection<SyncMessage>(
            installationID: phone, credential: .trusted(installationID: workstation, secret: secret),
            hello: OwnHello(capabilities("iOS", phone, extensions: offer)),
            material: .init(privateKey: X25519.PrivateKey(), nonce: SecureRandom.bytes(32)), services: services,
            at: now)
        var listener = ListenerConnection<SyncMessage>(
            installationID: workstation, hello: OwnHello(capabilities("macOS", workstation, extensions: offer)),
            material: .init(
                privateKey: X25519.PrivateKey(), nonce: SecureRandom.bytes(32), sealNonce: SecureRandom.bytes(12)),
            services: services, at: now)

        var toListener: [[UInt8]] = []
        for case .send(let bytes) in dialler.handle(.connected, at: now) { toListener.append(bytes) }
        _ = listener.handle(.received(toListener[0]), at: now)
        var toDialler: [UInt8] = []
        let verdict = AuthenticationVerdict.trusted(secret: secret, credential: .record(secret))
        for case .send(let bytes) in listener.handle(.authenticated(verdict), at: now) { toDialler += bytes }
        toListener = []
        for case .send(let bytes) in dialler.handle(.received(toDialler), at: now) { toListener.append(bytes) }
        for case .opened(let session) in dialler.handle(.confirmed, at: now) {
            #expect(session.secureRecordVersion == 1)
            #expect(session.message.name == .hello)
        }
        _ = listener.handle(.received(toListener.flatMap { $0 }), at: now)
        for case .opened(let session) in listener.handle(.confirmed(.admitted), at: now) {
            #expect(session.secureRecordVersion == 1)
            #expect(session.displayName == "Phone of K")
        }
        #expect(listener.isConfirmed)

        let message = SyncMessage.macExportCancel(jobID: UUID())
        var delivered: [SyncMessage] = []
        for case .send(let bytes) in dialler.handle(.send(message.encode()), at: now) {
            for case .deliver(let message) in listener.handle(.received(bytes), at: now) { delivered.append(message) }
        }
        #expect(delivered == [message])
    }
}
