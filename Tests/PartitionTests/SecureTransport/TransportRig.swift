import Cryptography
import Foundation

@testable import ConnectedProtocol

/// A message of the tests: what a `SyncMessage` is to the real engines.
enum RigMessage: Hashable, Sendable {
    case hello(String)
    case text(String)
}

/// Reads the tests' documents: `{"hello":{…}}`, `{"text":"…"}`, pings and pongs.
@Sendable func interpretRigDocument(_ document: ArraySlice<UInt8>) -> InterpretedMessage<RigMessage> {
    struct Hello: Decodable {
        let installationID: UUID?
        let platform: String
        let healthmdExtensions: HelloExtensions?
    }
    struct Envelope: Decodable {
        let hello: Hello?
        let text: String?
        let ping: [String: String]?
        let pong: [String: String]?
    }
    let envelope: Envelope
    do {
        envelope = try JSONDecoder().decode(Envelope.self, from: Data(document))
    } catch {
        return .undecodable
    }
    if let hello = envelope.hello {
        if hello.healthmdExtensions == .malformed { return .malformedExtensions }
        let peer = PeerHello(
            installationID: hello.installationID, platform: hello.platform,
            extensions: hello.healthmdExtensions?.value)
        return .hello(peer, .hello(hello.platform))
    }
    if let text = envelope.text { return .message(.text(text)) }
    if envelope.ping != nil { return .ping }
    if envelope.pong != nil { return .pong }
    return .undecodable
}

/// A hello document of the tests; `extensions` is raw JSON.
func rigHello(_ id: UUID?, platform: String, extensions: String?) -> [UInt8] {
    var fields = [#""platform":"\#(platform)""#]
    if let id { fields.append(#""installationID":"\#(id.uuidString)""#) }
    if let extensions { fields.append(#""healthmdExtensions":\#(extensions)"#) }
    return Array(#"{"hello":{\#(fields.joined(separator: ","))}}"#.utf8)
}

/// One listener with its gate, a clock, and any number of connections, all in one thread.
final class TransportRig {
    struct StoreFailure: Error {}
    enum Direction { case toListener, toDialler }

    /// One connection: both machines, or the listener's alone with a test playing the other side.
    final class Connection {
        let id: ConnectionID
        var listener: ListenerConnection<RigMessage>
        var dialler: DiallerConnection<RigMessage>?
        var toListener: [[UInt8]] = []
        var toDialler: [[UInt8]] = []
        var listenerEnd: ConnectionEnd?
        var diallerEnd: ConnectionEnd?
        var listenerSession: PeerSession<RigMessage>?
        var diallerSession: PeerSession<RigMessage>?
        var listenerReceived: [RigMessage] = []
        var diallerReceived: [RigMessage] = []
        var listenerFrames: [[UInt8]] = []
        var listenerDropped: [DroppedMessage] = []
        var diallerDropped: [DroppedMessage] = []
        var provisional: DiallerConnection<RigMessage>.Listener?
        var confirmed: DiallerConnection<RigMessage>.Listener?
        var cause: RejectionCause?
        /// The ephemeral private keys, as long as a machine holds them.
        weak var listenerKey: SecretBytes?
        weak var diallerKey: SecretBytes?
        /// The code's key, as long as the dialler holds it.
        weak var codeKey: SecretBytes?
        /// Everything that was sent, in order.
        var sent: [(Direction, [UInt8])] = []

        init(id: ConnectionID, listener: ListenerConnection<RigMessage>) {
            self.id = id
            self.listener = listener
        }

        func sentPackets(_ direction: Direction) -> [[UInt8]] { sent.filter { $0.0 == direction }.map(\.1) }
    }

    static let listenerID = ManualIPVectors.serverID
    static let near = PeerAddress(bytes: [192, 168, 1, 7]) ?? { preconditionFailure("four bytes") }()
    static let far = PeerAddress(bytes: [203, 0, 113, 9]) ?? { preconditionFailure("four bytes") }()
    static let strongCode = "12345678901234567890"
    static let offer = #"{"secureRecords":[1]}"#

    var now = Moment(wall: 800_000_000, monotonic: 1_000)
    var gate: ListenerGate
    var stored: [TrustChange] = []
    var storeFails = false
    /// A pairing that the person approves while the gate's verdict is on its way to the connection.
    var approvesBeforeVerdict: UUID?
    var connections: [ConnectionID: Connection] = [:]
    /// Changes packets on their way; nil leaves them as they are.
    var alter: ((Direction, [UInt8]) -> [[UInt8]])?
    private var nextConnection: UInt64 = 1
    private let services = LinkServices<RigMessage>(
        nonce: { SecureRandom.bytes(12) }, interpret: interpretRigDocument)

    init(trust: TrustStore = TrustStore()) {
        gate = ListenerGate(installationID: Self.listenerID, trust: trust)
    }

    func advance(_ seconds: Double) {
        now.wall += seconds
        now.monotonic += seconds
    }

    @discardableResult
    func openPairing(_ strength: PairingStrength = .strong, code: String = strongCode) throws -> PairingSnapshot {
        let (snapshot, effects) = try gate.openPairing(
            id: UUID(), strength: strength, code: code, lifetime: nil, at: now)
        perform(effects)
        return snapshot
    }

    /// Accepts a connection without a machine on the other side.
    func accept(from address: PeerAddress = near, extensions: String? = offer) -> Connection {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        let key = X25519.PrivateKey()
        let listener = ListenerConnection<RigMessage>(
            installationID: Self.listenerID,
            hello: hello(Self.listenerID, platform: "macOS", extensions: extensions),
            material: .init(
                privateKey: key, nonce: SecureRandom.bytes(32), sealNonce: SecureRandom.bytes(12)),
            services: services, at: now)
        let connection = Connection(id: id, listener: listener)
        connection.listenerKey = key.secret
        connections[id] = connection
        perform(gate.accept(id, from: address))
        return connection
    }

    /// Dials, and runs until nothing moves any more.
    @discardableResult
    func dial(
        _ credential: DiallerConnection<RigMessage>.Credential, as installationID: UUID = ManualIPVectors.clientID,
        platform: String = "iOS", extensions: String? = offer, listenerExtensions: String? = offer,
        from address: PeerAddress = near
    ) -> Connection {
        let connection = accept(from: address, extensions: listenerExtensions)
        let key = X25519.PrivateKey()
        connection.diallerKey = key.secret
        if case .code(let secret) = credential { connection.codeKey = secret }
        connection.dialler = DiallerConnection(
            installationID: installationID, credential: credential,
            hello: hello(installationID, platform: platform, extensions: extensions),
            material: .init(privateKey: key, nonce: SecureRandom.bytes(32)), services: services,
            at: now)
        dialler(connection, .connected)
        run()
        return connection
    }

    static func code(_ digits: String = strongCode) -> DiallerConnection<RigMessage>.Credential {
        .code(ManualIPKeys.codeKey(digits: digits))
    }

    private func hello(_ id: UUID, platform: String, extensions: String?) -> OwnHello {
        let document = rigHello(id, platform: platform, extensions: extensions)
        guard case .hello(let hello, _) = interpretRigDocument(document[...]) else {
            // A test of malformed extensions: the machine believes the published protocol.
            return OwnHello(document: document, extensions: nil)
        }
        return OwnHello(document: document, extensions: hello.extensions)
    }

    /// Delivers packets, oldest first, until none is left.
    func run() {
        var moved = true
        while moved {
            moved = false
            for connection in connections.values.sorted(by: { $0.id.value < $1.id.value }) {
                if !connection.toListener.isEmpty {
                    let packet = connection.toListener.removeFirst()
                    for piece in alter?(.toListener, packet) ?? [packet] { listener(connection, .received(piece)) }
                    moved = true
                }
                if !connection.toDialler.isEmpty, connection.dialler != nil {
                    let packet = connection.toDialler.removeFirst()
                    for piece in alter?(.toDialler, packet) ?? [packet] { dialler(connection, .received(piece)) }
                    moved = true
                }
            }
        }
    }

    /// Lets every machine look at the clock, then runs.
    func tick() {
        perform(gate.tick(at: now))
        for connection in connections.values {
            listener(connection, .timer)
            if connection.dialler != nil { dialler(connection, .timer) }
        }
        run()
    }

    // MARK: The two drivers

    func listener(_ connection: Connection, _ event: ListenerConnection<RigMessage>.Event) {
        for action in connection.listener.handle(event, at: now) {
            switch action {
            case .send(let bytes):
                connection.toDialler.append(bytes)
                connection.sent.append((.toDialler, bytes))
            case .authenticate(let request):
                listener(connection, .authenticated(authenticate(request, connection)))
            case .confirm(let confirmation):
                confirm(confirmation, connection)
            case .opened(let session): connection.listenerSession = session
            case .deliver(let message): connection.listenerReceived.append(message)
            case .deliverFrame(let frame):
                connection.listenerFrames.append(Array(frame.buffer[frame.range]))
                connection.listener.recycle(frame.buffer)
            case .dropped(let reason): connection.listenerDropped.append(reason)
            case .close(let reason):
                connection.listenerEnd = reason
                gate.disconnected(connection.id)
            }
        }
    }

    private func authenticate(_ request: PairingRequest, _ connection: Connection) -> AuthenticationVerdict {
        do {
            let (verdict, effects) = try gate.decide(storing: store) { gate in
                gate.authenticate(
                    request, connection: connection.id, newSecret: SecretBytes.random(count: 32),
                    newSecretID: UUID(), at: now)
            }
            perform(effects)
            if case .rejected(let cause) = verdict { connection.cause = cause }
            return verdict
        } catch {
            return .rejected(.noPlace)
        }
    }

    private func confirm(_ confirmation: PeerConfirmation, _ connection: Connection) {
        do {
            let (verdict, effects) = try gate.decide(storing: store) { gate in
                gate.confirm(confirmation, connection: connection.id, at: now)
            }
            perform(effects)
            if let pairing = approvesBeforeVerdict {
                perform(try gate.answerPairing(pairing, accept: true, at: now).1)
            }
            listener(connection, .confirmed(verdict))
        } catch {
            listener(connection, .end(.storeFailed))
        }
    }

    private func store(_ changes: [TrustChange]) throws {
        if storeFails { throw StoreFailure() }
        stored += changes
    }

    func perform(_ effects: ListenerGate.Effects) {
        for (id, reason) in effects.closing {
            if let connection = connections[id] { listener(connection, .end(reason)) }
        }
        if let approved = effects.approved, let connection = connections[approved] {
            listener(connection, .approved)
        }
    }

    func dialler(_ connection: Connection, _ event: DiallerConnection<RigMessage>.Event) {
        guard var machine = connection.dialler else { return }
        let actions = machine.handle(event, at: now)
        connection.dialler = machine
        for action in actions {
            switch action {
            case .send(let bytes):
                connection.toListener.append(bytes)
                connection.sent.append((.toListener, bytes))
            case .storeProvisional(let peer):
                connection.provisional = peer
                dialler(connection, .provisionalStored)
            case .confirm(let peer):
                connection.confirmed = peer
                dialler(connection, .confirmed)
            case .opened(let session): connection.diallerSession = session
            case .deliver(let message): connection.diallerReceived.append(message)
            case .deliverFrame: break
            case .dropped(let reason): connection.diallerDropped.append(reason)
            case .close(let reason): connection.diallerEnd = reason
            }
        }
    }
}
