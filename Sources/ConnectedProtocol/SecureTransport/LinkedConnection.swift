import Cryptography

/// A link together with what its peer proved in the handshake.
struct Linked<Message: Sendable, Credential: Sendable>: Sendable {
    var link: PeerLink<Message>
    let credential: Credential
}

/// The actions of a connection that only pass on what its link said.
protocol LinkAction {
    associatedtype Message: Sendable

    static func send(_ bytes: [UInt8]) -> Self
    static func deliver(_ message: Message) -> Self
    static func deliverFrame(_ frame: InboundFrame) -> Self
    static func dropped(_ reason: DroppedMessage) -> Self
}

/// What the two roles of a connection have in common once the session key stands: everything goes through the link.
protocol LinkedConnection {
    associatedtype Message
    associatedtype PeerProof: Sendable
    associatedtype Action: LinkAction where Action.Message == Message

    /// Takes the link out of the state, which counts as closed until it is put back: a link is changed by its sole owner, so that
    /// nothing of it is copied, and one that threw is never used again.
    mutating func takeLinked() -> Linked<Message, PeerProof>
    /// Puts it back.
    mutating func put(_ linked: Linked<Message, PeerProof>)
    /// The peer said hello: what the driver has to decide.
    mutating func confirmed(_ hello: PeerHello, _ linked: Linked<Message, PeerProof>) -> Action
}

extension LinkedConnection {
    /// Lets the link do something and says what came of it.
    mutating func withLink(
        _ actions: inout [Action],
        _ body: (inout PeerLink<Message>) throws(SecureTransportError) -> [PeerLink<Message>.Output]
    ) throws(SecureTransportError) {
        var linked = takeLinked()
        let outputs = try body(&linked.link)
        put(linked)
        append(outputs, linked, &actions)
    }

    /// Takes the body of one packet.
    mutating func takePacket(
        _ body: consuming [UInt8], _ actions: inout [Action], at now: Moment
    ) throws(SecureTransportError) {
        var body = body
        try withLink(&actions) { link throws(SecureTransportError) in try link.receive(&body, at: now) }
    }

    /// Adds what the link said to what the driver has to do.
    mutating func append(
        _ outputs: [PeerLink<Message>.Output], _ linked: Linked<Message, PeerProof>, _ actions: inout [Action]
    ) {
        for output in outputs {
            switch output {
            case .send(let bytes): actions.append(.send(bytes))
            case .deliver(let message): actions.append(.deliver(message))
            case .deliverFrame(let frame): actions.append(.deliverFrame(frame))
            case .dropped(let reason): actions.append(.dropped(reason))
            case .confirmed(let hello): actions.append(confirmed(hello, linked))
            }
        }
    }
}
