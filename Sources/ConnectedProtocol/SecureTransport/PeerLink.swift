import Cryptography
import Foundation

/// A frame that arrived in a secure record, in the buffer that it was opened in.
public struct InboundFrame: Sendable {
    /// The record's body. Give it back with `recycle` when the frame is used.
    public let buffer: [UInt8]
    /// Where the frame lies in it: `HMDCTFRM` and what follows.
    public let range: Range<Int>
}

/// Why something that decrypted was not used. Not fatal.
public enum DroppedMessage: String, Hashable, Sendable {
    /// It came before the peer's hello (extensions.md 2.4).
    case beforeHello = "before_hello"
    /// It came before the person approved the pairing (extensions.md 2.1).
    case beforeApproval = "before_approval"
    /// It is no message that we know.
    case undecodable
}

/// A connection that may be used.
public struct PeerSession<Message: Sendable>: Sendable {
    /// Who is there.
    public let installationID: UUID
    /// The name in the peer's hello, else in its pairing packet.
    public let displayName: String
    /// What the transport read in the hello.
    public let hello: PeerHello
    /// The hello itself.
    public let message: Message
    /// The version of secure records in force; nil in plain mode, where bulk data travels as JSON.
    public let secureRecordVersion: Int?
}

/// What both roles do once the session key stands: hellos, negotiation, heartbeat, messages.
///
/// The link says hello at once and then nothing until the peer's hello has arrived. That hello decides the mode:
/// plain Manual IP, or secure records, whose keys are then derived and the session key erased. The link then waits
/// for its owner's verdict: `admit` opens it, `hold` keeps it silent but for pongs. Every thrown error is fatal.
struct PeerLink<Message: Sendable>: Sendable {
    enum Output: Sendable {
        case send([UInt8])
        /// The peer is confirmed; the owner has to decide.
        case confirmed(PeerHello)
        case deliver(Message)
        case deliverFrame(InboundFrame)
        case dropped(DroppedMessage)
    }

    /// What the link is made from.
    struct Handshake: Sendable {
        let role: RecordChannel.Role
        let client: ManualIPKeys.Party
        let server: ManualIPKeys.Party
        /// The peer's name in its pairing packet.
        let peerName: String
        /// Nonces that the handshake itself used under the session key.
        let usedNonces: [[UInt8]]

        var peer: ManualIPKeys.Party { role == .client ? server : client }
        /// The name in the hello, which only the peer can have written, else the one in the clear.
        func displayName(with hello: PeerHello) -> String {
            guard let name = hello.extensions?.deviceName, !name.isEmpty else { return peerName }
            return name
        }

        /// A phone dials, a receiver listens (extensions.md 2.1, secure-transport.md 6.5).
        var peerPlatform: String { role == .client ? PeerPlatform.workstation : PeerPlatform.phone }
    }

    private enum Phase: Sendable {
        /// Our hello is out; the peer's may come until the deadline.
        case awaitingHello(deadline: Double)
        /// The hello is there; the owner decides. Nothing is taken meanwhile.
        case deciding(PeerHello, Message)
        /// Confirmed, not approved.
        case held(PeerHello, Message)
        /// In use.
        case open(PeerHello)
    }

    private static var ping: [UInt8] { Array(#"{"ping":{}}"#.utf8) }
    private static var pong: [UInt8] { Array(#"{"pong":{}}"#.utf8) }

    let handshake: Handshake
    private let own: OwnHello
    private let services: LinkServices<Message>
    private var phase: Phase
    // Exactly one of the two is there. Not an enum: its payload would be copied, nonce memory and all, on each use.
    private var plain: PlainChannel?
    private var records: RecordChannel?
    /// Only until the mode is known.
    private var sessionKey: SecretBytes?
    private(set) var secureRecordVersion: Int?
    private var lastValid: Double
    private var nextPing: Double

    /// Makes a link and its first packet, our hello.
    static func start(
        _ handshake: Handshake, sessionKey: SecretBytes, own: OwnHello, services: LinkServices<Message>,
        at now: Moment
    ) throws(SecureTransportError) -> (Self, [Output]) {
        var link = Self(handshake, sessionKey: sessionKey, own: own, services: services, at: now)
        let hello = try link.sealed(own.document)
        return (link, [.send(hello)])
    }

    private init(
        _ handshake: Handshake, sessionKey: SecretBytes, own: OwnHello, services: LinkServices<Message>,
        at now: Moment
    ) {
        self.own = own
        self.services = services
        self.handshake = handshake
        phase = .awaitingHello(deadline: now.monotonic + SecureTransportLimits.helloSeconds)
        plain = PlainChannel(sessionKey: sessionKey, usedNonces: handshake.usedNonces)
        self.sessionKey = sessionKey
        lastValid = now.monotonic
        nextPing = now.monotonic + SecureTransportLimits.heartbeatSeconds
    }

    // MARK: State

    /// Whether the peer's hello has come and fits.
    var isConfirmed: Bool {
        switch phase {
        case .awaitingHello: false
        case .deciding, .held, .open: true
        }
    }

    /// Whether packets may be handed in now.
    var takesPackets: Bool {
        switch phase {
        case .deciding: false
        case .awaitingHello, .held, .open: true
        }
    }

    /// Whether messages may be sent.
    var isOpen: Bool {
        switch phase {
        case .open: true
        case .awaitingHello, .deciding, .held: false
        }
    }

    /// When `timer` has something to do.
    var deadline: Double? {
        switch phase {
        case .awaitingHello(let deadline): deadline
        case .deciding: nil
        case .held: lastValid + SecureTransportLimits.silenceSeconds
        case .open: min(lastValid + SecureTransportLimits.silenceSeconds, nextPing)
        }
    }

    // MARK: The owner's verdict

    /// The connection may be used. Returns what the owner announces.
    mutating func admit(at now: Moment) -> PeerSession<Message> {
        let (hello, message): (PeerHello, Message)
        switch phase {
        case .deciding(let first, let second), .held(let first, let second): (hello, message) = (first, second)
        case .awaitingHello, .open: preconditionFailure("a link is admitted once, after the peer's hello")
        }
        phase = .open(hello)
        lastValid = now.monotonic
        nextPing = now.monotonic + SecureTransportLimits.heartbeatSeconds
        return PeerSession(
            installationID: handshake.peer.installationID, displayName: handshake.displayName(with: hello),
            hello: hello,
            message: message, secureRecordVersion: secureRecordVersion)
    }

    /// The connection waits for the person.
    mutating func hold(at now: Moment) {
        guard case .deciding(let hello, let message) = phase else {
            preconditionFailure("only a link that awaits its verdict is held")
        }
        phase = .held(hello, message)
        lastValid = now.monotonic
    }

    // MARK: Time

    mutating func timer(at now: Moment) throws(SecureTransportError) -> [Output] {
        guard let deadline, now.monotonic >= deadline else { return [] }
        switch phase {
        case .awaitingHello: throw .helloTimedOut
        case .deciding: return []
        case .held, .open:
            guard now.monotonic < lastValid + SecureTransportLimits.silenceSeconds else { throw .silence }
            nextPing = now.monotonic + SecureTransportLimits.heartbeatSeconds
            return [.send(try sealed(Self.ping))]
        }
    }

    // MARK: Sending

    /// Seals one message document.
    mutating func send(document: [UInt8]) throws(SecureTransportError) -> Output {
        precondition(isOpen, "nothing is sent before the peer's hello and the owner's verdict")
        return .send(try sealed(document))
    }

    /// Seals one frame in its own buffer, which `RecordChannel.buffer(forPlaintextOf:)` made. Secure records only.
    mutating func send(frame buffer: consuming [UInt8]) throws(SecureTransportError) -> Output {
        precondition(isOpen && records != nil, "frames travel only in secure records")
        try records?.seal(&buffer)
        return .send(buffer)
    }

    private mutating func sealed(_ document: [UInt8]) throws(SecureTransportError) -> [UInt8] {
        if let packet = try records?.seal(document: document) { return packet }
        let nonce = services.nonce()
        if let body = try plain?.seal(document, nonce: nonce) { return Packet.framed(body) }
        preconditionFailure("a link always has a channel")
    }
}

// MARK: - Receiving

extension PeerLink {
    /// Takes the body of one packet, of either kind, out of the caller's hands: a record is opened in its own buffer.
    mutating func receive(_ body: inout [UInt8], at now: Moment) throws(SecureTransportError) -> [Output] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        guard taken.first == Packet.recordMarker else { return try receive(Packet(body: taken), at: now) }
        return try receive(record: taken, at: now)
    }

    /// Takes a JSON packet.
    private mutating func receive(_ packet: Packet, at now: Moment) throws(SecureTransportError) -> [Output] {
        guard case .encrypted(let frame) = packet else {
            throw .unexpectedPacket(kind: packet.kind, phase: "authenticated")
        }
        guard let document = try plain?.open(frame) else { throw .plainPacketAmongRecords }
        lastValid = now.monotonic
        return try take(document[...])
    }

    /// Takes a secure record.
    private mutating func receive(
        record body: consuming [UInt8], at now: Moment
    ) throws(SecureTransportError) -> [Output] {
        guard let (content, range) = try records?.open(&body) else { throw .recordInPlainMode }
        lastValid = now.monotonic
        switch content {
        case .document:
            return try take(body[range])
        case .frame:
            guard isOpen else { return [.dropped(.beforeApproval)] }
            return [.deliverFrame(InboundFrame(buffer: body, range: range))]
        }
    }

    private mutating func take(_ document: ArraySlice<UInt8>) throws(SecureTransportError) -> [Output] {
        let interpreted = services.interpret(document)
        if case .malformedExtensions = interpreted { throw .malformedExtensions }
        switch phase {
        case .awaitingHello:
            guard case .hello(let hello, let message) = interpreted else { return [.dropped(.beforeHello)] }
            try confirm(hello, message)
            return [.confirmed(hello)]
        case .deciding:
            preconditionFailure("no packet is handed in while the owner decides")
        case .held(let hello, _):
            return try takeWhileHeld(interpreted, hello)
        case .open(let hello):
            return try takeWhileOpen(interpreted, hello)
        }
    }

    private mutating func takeWhileHeld(
        _ interpreted: InterpretedMessage<Message>, _ first: PeerHello
    ) throws(SecureTransportError) -> [Output] {
        switch interpreted {
        case .ping: return [.send(try sealed(Self.pong))]
        case .pong: return []
        case .hello(let hello, _):
            guard hello == first else { throw .helloChanged }
            return []
        case .message: return [.dropped(.beforeApproval)]
        case .undecodable, .malformedExtensions: return [.dropped(.undecodable)]
        }
    }

    private mutating func takeWhileOpen(
        _ interpreted: InterpretedMessage<Message>, _ first: PeerHello
    ) throws(SecureTransportError) -> [Output] {
        switch interpreted {
        case .ping: return [.send(try sealed(Self.pong))]
        case .pong: return []
        case .hello(let hello, let message):
            guard hello == first else { throw .helloChanged }
            return [.deliver(message)]
        case .message(let message): return [.deliver(message)]
        case .undecodable, .malformedExtensions: return [.dropped(.undecodable)]
        }
    }

    /// The peer is who the handshake said, and plays its part; the mode follows from the two hellos.
    private mutating func confirm(_ hello: PeerHello, _ message: Message) throws(SecureTransportError) {
        guard hello.installationID == handshake.peer.installationID else { throw .helloInstallationMismatch }
        guard hello.platform == handshake.peerPlatform else { throw .helloPlatformMismatch }
        secureRecordVersion = HealthmdExtensions.sharedSecureRecordVersion(own.extensions, hello.extensions)
        if secureRecordVersion != nil, let sessionKey {
            let keys = ManualIPKeys.recordKeys(
                sessionKey: sessionKey, client: handshake.client, server: handshake.server)
            records = RecordChannel(keys: keys, role: handshake.role)
            plain = nil
        }
        // The last reference: the memory is erased with it.
        sessionKey = nil
        phase = .deciding(hello, message)
    }
}

/// What a link is given from outside.
public struct LinkServices<Message: Sendable>: Sendable {
    /// 12 fresh random bytes.
    public let nonce: @Sendable () -> [UInt8]
    /// Reads a decrypted document.
    public let interpret: @Sendable (ArraySlice<UInt8>) -> InterpretedMessage<Message>

    /// Randomness and the reader of messages.
    public init(
        nonce: @escaping @Sendable () -> [UInt8],
        interpret: @escaping @Sendable (ArraySlice<UInt8>) -> InterpretedMessage<Message>
    ) {
        self.nonce = nonce
        self.interpret = interpret
    }
}
