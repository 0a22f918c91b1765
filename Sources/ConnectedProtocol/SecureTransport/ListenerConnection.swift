import Cryptography
import Foundation

/// One connection of the listener (secure-transport.md 6.2, extensions.md 2): a machine without clock, socket, disk
/// or randomness.
///
/// The peer's first packet must be a pairing request. The machine asks for a verdict, which its driver gets from the
/// shared `ListenerGate` and gives back once it is durable. With a good one the machine answers, says hello, and
/// waits for the peer's hello. That confirms the peer: the machine asks again, since a confirmed connection replaces
/// older ones and uses up the pairing. Only an admitted connection is announced to the engine and carries messages.
/// A six-digit pairing first waits for the person, and meanwhile answers pings and nothing else.
///
/// Time: 15 s from accept to confirmation, 10 s of them for the hello, then never 30 s of silence. The driver calls
/// `timer` when `deadline` passes, after handing in what had already arrived, and reads only while `wantsInput`, at
/// most `readByteCount` at once.
public struct ListenerConnection<Message: Sendable>: Sendable {
    /// What happens to a connection.
    public enum Event: Sendable {
        /// Bytes from the socket.
        case received([UInt8])
        /// The answer to `authenticate`, durable.
        case authenticated(AuthenticationVerdict)
        /// The answer to `confirm`, durable.
        case confirmed(ConfirmationVerdict)
        /// The person said yes; comes from the gate's effects.
        case approved
        /// A message to send: its JSON document.
        case send([UInt8])
        /// A frame to send, in a buffer of `RecordChannel.buffer(forPlaintextOf:)`.
        case sendFrame([UInt8])
        /// `deadline` has passed.
        case timer
        /// End of stream or a broken socket.
        case peerClosed
        /// This side ends the connection; comes from the gate's effects or the engine.
        case end(ConnectionEnd)
    }

    /// What the driver does, in order.
    public enum Action: Sendable {
        /// Write these bytes to the socket.
        case send([UInt8])
        /// Ask the gate about the request, make its changes durable, then answer with `authenticated`.
        case authenticate(PairingRequest)
        /// Ask the gate about the confirmed peer, make its changes durable, then answer with `confirmed`.
        case confirm(PeerConfirmation)
        /// The connection may be used; tell the engine.
        case opened(PeerSession<Message>)
        /// A message for the engine.
        case deliver(Message)
        /// A frame for the engine.
        case deliverFrame(InboundFrame)
        /// Something was not used; for counters.
        case dropped(DroppedMessage)
        /// Flush what was sent, close the socket, tell the gate and, if it was opened, the engine.
        case close(ConnectionEnd)
    }

    /// What this side brings to one handshake. All of it fresh.
    public struct Material: Sendable {
        /// The ephemeral key.
        public let privateKey: X25519.PrivateKey
        /// 32 random bytes.
        public let nonce: [UInt8]
        /// 12 random bytes, for sealing the reconnect secret.
        public let sealNonce: [UInt8]

        /// Traps on wrong lengths.
        public init(privateKey: X25519.PrivateKey, nonce: [UInt8], sealNonce: [UInt8]) {
            precondition(nonce.count == SecureTransportLimits.handshakeValueByteCount)
            precondition(sealNonce.count == ChaCha20Poly1305.nonceByteCount)
            self.privateKey = privateKey
            self.nonce = nonce
            self.sealNonce = sealNonce
        }
    }

    private enum State: Sendable {
        /// Nothing has come yet.
        case awaitingRequest
        /// The gate looks at the request. Nothing is taken meanwhile.
        case authenticating(PairingRequest)
        /// The session key stands.
        case linked(Linked<Message, PeerCredential>)
        /// Over.
        case closed
    }

    private let installationID: UUID
    /// Until the answer is made: with the private key gone, an erased session key cannot be made again.
    private var material: Material?
    private let own: OwnHello
    private let services: LinkServices<Message>
    private let confirmationDeadline: Double
    private var state = State.awaitingRequest
    private var input = PacketInput()

    /// A connection that was accepted now.
    public init(
        installationID: UUID, hello: OwnHello, material: Material, services: LinkServices<Message>, at now: Moment
    ) {
        self.installationID = installationID
        self.material = material
        self.services = services
        own = hello
        confirmationDeadline = now.monotonic + SecureTransportLimits.confirmationSeconds
    }
    // MARK: What the driver asks

    /// When `timer` is due, on the monotonic clock.
    public var deadline: Double? {
        switch state {
        case .awaitingRequest, .authenticating: confirmationDeadline
        case .linked(let linked) where linked.link.isConfirmed: linked.link.deadline
        case .linked(let linked): min(confirmationDeadline, linked.link.deadline ?? confirmationDeadline)
        case .closed: nil
        }
    }

    /// Whether the driver should read from the socket now.
    public var wantsInput: Bool {
        switch state {
        case .awaitingRequest: true
        case .authenticating, .closed: false
        case .linked(let linked): linked.link.takesPackets && input.isDrained
        }
    }

    /// The most to read at once.
    public var readByteCount: Int {
        isConfirmed
            ? 4 * SecureTransportLimits.unconfirmedPacketByteCount
            : SecureTransportLimits.unconfirmedPacketByteCount
    }

    /// Whether the peer is no waiting peer any more.
    public var isConfirmed: Bool {
        switch state {
        case .awaitingRequest, .authenticating, .closed: false
        case .linked(let linked): linked.link.isConfirmed
        }
    }

    /// Gives a frame's buffer back.
    public mutating func recycle(_ buffer: consuming [UInt8]) {
        input.recycle(buffer)
    }

    // MARK: Events

    /// Takes an event; returns what to do, in order.
    ///
    /// Events that cross with the end of the connection are ignored; events that cannot come in a state otherwise
    /// are the driver's mistake and trap.
    public mutating func handle(_ event: Event, at now: Moment) -> [Action] {
        if case .closed = state { return [] }
        var actions: [Action] = []
        do throws(SecureTransportError) {
            switch event {
            case .received(let bytes):
                try input.append(bytes, isConfirmed: isConfirmed)
                try drain(&actions, at: now)
            case .authenticated(let verdict):
                try respond(verdict, &actions, at: now)
                try drain(&actions, at: now)
            case .confirmed(let verdict):
                take(verdict, &actions, at: now)
                try drain(&actions, at: now)
            case .approved:
                admit(&actions, at: now)
            case .send(let document):
                try withLink(&actions) { link throws(SecureTransportError) in [try link.send(document: document)] }
            case .sendFrame(let buffer):
                try withLink(&actions) { link throws(SecureTransportError) in [try link.send(frame: buffer)] }
            case .timer:
                try checkTime(&actions, at: now)
            case .peerClosed:
                close(.peerClosed, &actions)
            case .end(let reason):
                close(reason, &actions)
            }
        } catch {
            close(.failure(error), &actions)
        }
        return actions
    }

    private mutating func close(_ reason: ConnectionEnd, _ actions: inout [Action]) {
        state = .closed
        material = nil
        actions.append(.close(reason))
    }

    private mutating func checkTime(
        _ actions: inout [Action], at now: Moment
    ) throws(SecureTransportError) {
        if !isConfirmed, now.monotonic >= confirmationDeadline { throw .confirmationTimedOut }
        guard case .linked = state else { return }
        try withLink(&actions) { link throws(SecureTransportError) in try link.timer(at: now) }
    }
}

// MARK: - Input

extension ListenerConnection {
    /// Takes packets while the machine is in a state that takes them.
    private mutating func drain(_ actions: inout [Action], at now: Moment) throws(SecureTransportError) {
        while takesPackets, let packet = try input.next() {
            switch state {
            case .awaitingRequest:
                try takeRequest(packet, &actions)
            case .linked:
                try takePacket(packet, &actions, at: now)
            case .authenticating, .closed:
                preconditionFailure("no packet is taken in this state")
            }
        }
    }

    private var takesPackets: Bool {
        switch state {
        case .awaitingRequest: true
        case .authenticating, .closed: false
        case .linked(let linked): linked.link.takesPackets
        }
    }

    /// The first packet. Whatever is wrong with it, the answer is the same.
    private mutating func takeRequest(_ body: [UInt8], _ actions: inout [Action]) throws(SecureTransportError) {
        do throws(SecureTransportError) {
            let packet = try Packet(body: body)
            guard case .pairingRequest(let request) = packet else {
                throw .unexpectedPacket(kind: packet.kind, phase: "not authenticated")
            }
            guard request.installationID != installationID else { throw .equalInstallationIDs }
            state = .authenticating(request)
            actions.append(.authenticate(request))
        } catch {
            actions.append(.send(Packet.framed(Packet.rejectionBody())))
            throw error
        }
    }
}

extension ListenerConnection.Action: LinkAction {}

extension ListenerConnection: LinkedConnection {
    mutating func takeLinked() -> Linked<Message, PeerCredential> {
        guard case .linked(let linked) = state else { preconditionFailure("there is a link from the response on") }
        state = .closed
        return linked
    }

    mutating func put(_ linked: Linked<Message, PeerCredential>) { state = .linked(linked) }

    mutating func confirmed(_ hello: PeerHello, _ linked: Linked<Message, PeerCredential>) -> Action {
        input.confirm()
        return .confirm(
            PeerConfirmation(
                installationID: linked.link.handshake.peer.installationID,
                displayName: linked.link.handshake.displayName(with: hello), credential: linked.credential))
    }
}

// MARK: - Verdicts

extension ListenerConnection {
    /// Answers the request, then says hello.
    private mutating func respond(
        _ verdict: AuthenticationVerdict, _ actions: inout [Action], at now: Moment
    ) throws(SecureTransportError) {
        guard case .authenticating(let request) = state else {
            preconditionFailure("a verdict answers one request")
        }
        if case .rejected = verdict {
            actions.append(.send(Packet.framed(Packet.rejectionBody())))
            close(.rejected, &actions)
            return
        }
        guard let material else { preconditionFailure("a connection answers one request") }
        self.material = nil
        let server = ManualIPKeys.Party(
            installationID: installationID, publicKey: material.privateKey.publicKey, nonce: material.nonce)
        let sessionKey: SecretBytes
        do {
            sessionKey = ManualIPKeys.sessionKey(
                sharedSecret: try material.privateKey.sharedSecret(with: request.publicKey),
                clientNonce: request.nonce, serverNonce: material.nonce)
        } catch {
            actions.append(.send(Packet.framed(Packet.rejectionBody())))
            throw .weakPublicKey
        }
        let answer = answer(
            verdict, request: request, server: server, sessionKey: sessionKey, sealNonce: material.sealNonce)
        let handshake = PeerLink<Message>.Handshake(
            role: .server, client: request.party, server: server, peerName: request.deviceName,
            usedNonces: answer.response.sealedSecret.map { [$0.nonce] } ?? [])
        let (link, outputs) = try PeerLink.start(
            handshake, sessionKey: sessionKey, own: own, services: services, at: now)
        let linked = Linked(link: link, credential: answer.credential)
        actions.append(.send(Packet.framed(Packet.body(of: answer.response))))
        state = .linked(linked)
        append(outputs, linked, &actions)
    }

    private func answer(
        _ verdict: AuthenticationVerdict, request: PairingRequest, server: ManualIPKeys.Party,
        sessionKey: SecretBytes, sealNonce: [UInt8]
    ) -> (response: PairingResponse, credential: PeerCredential) {
        let proof: [UInt8]
        let sealed: SealedFrame?
        let credential: PeerCredential
        switch verdict {
        case .trusted(let secret, let presented):
            proof = ManualIPKeys.trustedServerProof(
                reconnectSecret: secret, client: request.party, server: server)
            sealed = nil
            credential = presented
        case .code(let codeKey, let newSecret, let presented):
            let frame = SealedFrame(sealing: newSecret, under: sessionKey, nonce: sealNonce)
            proof = ManualIPKeys.codeServerProof(
                codeKey: codeKey, client: request.party, server: server, sealedSecret: frame)
            sealed = frame
            credential = presented
        case .rejected:
            preconditionFailure("a rejected request has no answer")
        }
        let response = PairingResponse(
            listenerName: SecureTransportLimits.clearName, installationID: installationID,
            publicKey: server.publicKey, nonce: server.nonce, proof: proof, sealedSecret: sealed)
        return (response, credential)
    }

    private mutating func take(_ verdict: ConfirmationVerdict, _ actions: inout [Action], at now: Moment) {
        switch verdict {
        case .admitted:
            admit(&actions, at: now)
        case .awaitingApproval:
            guard case .linked(var linked) = state else { preconditionFailure("a verdict answers one hello") }
            // The person's yes may overtake the question on its way here: the two come from different threads.
            guard !linked.link.isOpen else { return }
            linked.link.hold(at: now)
            state = .linked(linked)
        case .refused:
            close(.notAdmitted, &actions)
        }
    }

    private mutating func admit(_ actions: inout [Action], at now: Moment) {
        guard case .linked(var linked) = state else { preconditionFailure("only a confirmed peer is admitted") }
        let session = linked.link.admit(at: now)
        state = .linked(linked)
        actions.append(.opened(session))
    }
}
