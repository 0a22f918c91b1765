import Cryptography
import Foundation

/// One connection of the dialler, the phone's side (secure-transport.md 6.3, extensions.md 2): a machine without
/// clock, socket, disk or randomness.
///
/// It sends its pairing request, checks the listener's proof, and says hello. After a code pairing the new secret is
/// stored as provisional before the hello goes out, since that hello makes the listener drop the older secret. The
/// listener's hello confirms it; the machine asks its driver to store that, and is then open. A rejection takes no
/// trust away: it is not authenticated.
public struct DiallerConnection<Message: Sendable>: Sendable {
    /// What the dialler knows of the listener.
    public enum Credential: Sendable {
        /// A code that the person typed, as `ManualIPKeys.codeKey`.
        case code(SecretBytes)
        /// The secret of an earlier pairing with this installation.
        case trusted(installationID: UUID, secret: SecretBytes)
    }

    /// What happens to a connection.
    public enum Event: Sendable {
        /// The socket is connected; the first event.
        case connected
        /// Bytes from the socket.
        case received([UInt8])
        /// The provisional secret is durable.
        case provisionalStored
        /// The confirmation is durable.
        case confirmed
        /// A message to send: its JSON document.
        case send([UInt8])
        /// A frame to send, in a buffer of `RecordChannel.buffer(forPlaintextOf:)`.
        case sendFrame([UInt8])
        /// `deadline` has passed.
        case timer
        /// End of stream or a broken socket.
        case peerClosed
        /// This side ends the connection.
        case end(ConnectionEnd)
    }

    /// A listener that proved itself.
    public struct Listener: Sendable {
        /// Its installation id.
        public let installationID: UUID
        /// Its name; in its hello, else in its response.
        public let displayName: String
        /// The secret for the next connection.
        public let reconnectSecret: SecretBytes
    }

    /// What the driver does, in order.
    public enum Action: Sendable {
        /// Write these bytes to the socket.
        case send([UInt8])
        /// Store the listener as provisional trust, then answer with `provisionalStored`.
        case storeProvisional(Listener)
        /// Store the listener as the trusted one, then answer with `confirmed`.
        case confirm(Listener)
        /// The connection may be used; tell the engine.
        case opened(PeerSession<Message>)
        /// A message for the engine.
        case deliver(Message)
        /// A frame for the engine.
        case deliverFrame(InboundFrame)
        /// Something was not used; for counters.
        case dropped(DroppedMessage)
        /// Flush what was sent, close the socket and, if it was opened, tell the engine.
        case close(ConnectionEnd)
    }

    /// What this side brings to one handshake. All of it fresh.
    public struct Material: Sendable {
        /// The ephemeral key.
        public let privateKey: X25519.PrivateKey
        /// 32 random bytes.
        public let nonce: [UInt8]

        /// Traps on a wrong length.
        public init(privateKey: X25519.PrivateKey, nonce: [UInt8]) {
            precondition(nonce.count == SecureTransportLimits.handshakeValueByteCount)
            self.privateKey = privateKey
            self.nonce = nonce
        }
    }

    /// An accepted response whose secret is being stored.
    private struct Accepted: Sendable {
        let handshake: PeerLink<Message>.Handshake
        let sessionKey: SecretBytes
        let secret: SecretBytes
    }

    private enum State: Sendable {
        /// Not connected yet.
        case idle
        /// The request is out.
        case awaitingResponse
        /// The new secret is being stored. Nothing is taken meanwhile.
        case storing(Accepted)
        /// The session key stands.
        case linked(Linked<Message, SecretBytes>)
        /// Over.
        case closed
    }

    private let installationID: UUID
    // Both only until the response is checked: with the private key gone, an erased session key cannot be made again.
    private var credential: Credential?
    private var material: Material?
    private let own: OwnHello
    private let services: LinkServices<Message>
    private let confirmationDeadline: Double
    private var state = State.idle
    private var input = PacketInput()

    /// A connection that is being made now.
    public init(
        installationID: UUID, credential: Credential, hello: OwnHello, material: Material,
        services: LinkServices<Message>, at now: Moment
    ) {
        self.installationID = installationID
        self.credential = credential
        self.material = material
        self.services = services
        own = hello
        confirmationDeadline = now.monotonic + SecureTransportLimits.confirmationSeconds
    }

    // MARK: What the driver asks

    /// When `timer` is due, on the monotonic clock.
    public var deadline: Double? {
        switch state {
        case .idle, .awaitingResponse, .storing: confirmationDeadline
        case .linked(let linked) where linked.link.isConfirmed: linked.link.deadline
        case .linked(let linked): min(confirmationDeadline, linked.link.deadline ?? confirmationDeadline)
        case .closed: nil
        }
    }

    /// Whether the driver should read from the socket now.
    public var wantsInput: Bool { takesPackets && input.isDrained }

    /// The most to read at once.
    public var readByteCount: Int {
        (isConfirmed ? 4 : 1) * SecureTransportLimits.unconfirmedPacketByteCount
    }

    private var isConfirmed: Bool {
        switch state {
        case .idle, .awaitingResponse, .storing, .closed: false
        case .linked(let linked): linked.link.isConfirmed
        }
    }

    private var takesPackets: Bool {
        switch state {
        case .awaitingResponse: true
        case .idle, .storing, .closed: false
        case .linked(let linked): linked.link.takesPackets
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
            case .connected:
                sendRequest(&actions)
            case .received(let bytes):
                try input.append(bytes, isConfirmed: isConfirmed)
                try drain(&actions, at: now)
            case .provisionalStored:
                guard case .storing(let accepted) = state else { preconditionFailure("nothing was to be stored") }
                try link(accepted, &actions, at: now)
                try drain(&actions, at: now)
            case .confirmed:
                admit(&actions, at: now)
                try drain(&actions, at: now)
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
        forgetHandshake()
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

// MARK: - Handshake

extension DiallerConnection {
    private func party(_ material: Material) -> ManualIPKeys.Party {
        ManualIPKeys.Party(
            installationID: installationID, publicKey: material.privateKey.publicKey, nonce: material.nonce)
    }

    private mutating func forgetHandshake() {
        credential = nil
        material = nil
    }

    private mutating func sendRequest(_ actions: inout [Action]) {
        guard case .idle = state, let credential, let material else {
            preconditionFailure("a connection is made once")
        }
        let proof: ClientProof
        switch credential {
        case .code(let codeKey):
            proof = .code(
                ManualIPKeys.codeClientProof(
                    codeKey: codeKey, publicKey: material.privateKey.publicKey, nonce: material.nonce))
        case .trusted(_, let secret):
            proof = .trusted(ManualIPKeys.trustedClientProof(reconnectSecret: secret, client: party(material)))
        }
        let request = PairingRequest(
            deviceName: SecureTransportLimits.clearName, installationID: installationID,
            publicKey: material.privateKey.publicKey, nonce: material.nonce, proof: proof)
        state = .awaitingResponse
        actions.append(.send(Packet.framed(Packet.body(of: request))))
    }

    private mutating func takeResponse(
        _ body: [UInt8], _ actions: inout [Action], at now: Moment
    ) throws(SecureTransportError) {
        let packet = try Packet(body: body)
        switch packet {
        case .pairingResponse(let response):
            guard let credential, let material else { preconditionFailure("one response is checked") }
            let accepted = try check(response, credential, material)
            forgetHandshake()
            switch credential {
            case .code:
                state = .storing(accepted)
                actions.append(.storeProvisional(listener(response.listenerName, accepted.handshake, accepted.secret)))
            case .trusted:
                try link(accepted, &actions, at: now)
            }
        case .pairingRejected:
            throw .pairingRejected
        case .pairingRequest, .encrypted:
            throw .unexpectedPacket(kind: packet.kind, phase: "awaiting the response")
        }
    }

    /// Checks that the listener knows what we know (secure-transport.md 6.3).
    private func check(
        _ response: PairingResponse, _ credential: Credential, _ material: Material
    ) throws(SecureTransportError) -> Accepted {
        let party = party(material)
        guard response.installationID != installationID else { throw .equalInstallationIDs }
        let sessionKey: SecretBytes
        do {
            sessionKey = ManualIPKeys.sessionKey(
                sharedSecret: try material.privateKey.sharedSecret(with: response.publicKey),
                clientNonce: material.nonce, serverNonce: response.nonce)
        } catch {
            throw .weakPublicKey
        }
        let expected: [UInt8]
        let secret: SecretBytes
        switch credential {
        case .code(let codeKey):
            guard let sealed = response.sealedSecret else { throw .responseShape(detail: "no sealed secret") }
            expected = ManualIPKeys.codeServerProof(
                codeKey: codeKey, client: party, server: response.party, sealedSecret: sealed)
            guard constantTimeEquals(expected, response.proof) else { throw .proofInvalid }
            secret = try sealed.openedSecret(under: sessionKey)
        case .trusted(let installationID, let saved):
            guard response.sealedSecret == nil else { throw .responseShape(detail: "sealed secret on reconnect") }
            guard response.installationID == installationID else { throw .unexpectedInstallation }
            expected = ManualIPKeys.trustedServerProof(
                reconnectSecret: saved, client: party, server: response.party)
            guard constantTimeEquals(expected, response.proof) else { throw .proofInvalid }
            secret = saved
        }
        let handshake = PeerLink<Message>.Handshake(
            role: .client, client: party, server: response.party, peerName: response.listenerName,
            usedNonces: response.sealedSecret.map { [$0.nonce] } ?? [])
        return Accepted(handshake: handshake, sessionKey: sessionKey, secret: secret)
    }

    private mutating func link(
        _ accepted: Accepted, _ actions: inout [Action], at now: Moment
    ) throws(SecureTransportError) {
        let (link, outputs) = try PeerLink.start(
            accepted.handshake, sessionKey: accepted.sessionKey, own: own, services: services, at: now)
        let linked = Linked(link: link, credential: accepted.secret)
        state = .linked(linked)
        append(outputs, linked, &actions)
    }

    private func listener(
        _ name: String, _ handshake: PeerLink<Message>.Handshake, _ secret: SecretBytes
    ) -> Listener {
        Listener(installationID: handshake.peer.installationID, displayName: name, reconnectSecret: secret)
    }

    private mutating func admit(_ actions: inout [Action], at now: Moment) {
        guard case .linked(var linked) = state else { preconditionFailure("only a confirmed peer is admitted") }
        let session = linked.link.admit(at: now)
        state = .linked(linked)
        actions.append(.opened(session))
    }
}

// MARK: - Packets

extension DiallerConnection {
    /// Takes packets while the machine is in a state that takes them.
    private mutating func drain(_ actions: inout [Action], at now: Moment) throws(SecureTransportError) {
        while takesPackets, let packet = try input.next() {
            switch state {
            case .awaitingResponse:
                try takeResponse(packet, &actions, at: now)
            case .linked:
                try takePacket(packet, &actions, at: now)
            case .idle, .storing, .closed:
                preconditionFailure("no packet is taken in this state")
            }
        }
    }
}

extension DiallerConnection.Action: LinkAction {}

extension DiallerConnection: LinkedConnection {
    mutating func takeLinked() -> Linked<Message, SecretBytes> {
        guard case .linked(let linked) = state else { preconditionFailure("there is a link from the response on") }
        state = .closed
        return linked
    }

    mutating func put(_ linked: Linked<Message, SecretBytes>) { state = .linked(linked) }

    mutating func confirmed(_ hello: PeerHello, _ linked: Linked<Message, SecretBytes>) -> Action {
        input.confirm()
        let handshake = linked.link.handshake
        return .confirm(listener(handshake.displayName(with: hello), handshake, linked.credential))
    }
}
