import Transport

/// One connection, from accept to close. Everything but the `let`s belongs to the lock of ``ClientTable``, except where noted.
final class Client: @unchecked Sendable {
    /// Who owns the descriptor, and what is awaited.
    enum Phase {
        /// The front, which awaits the head.
        case head
        /// libmicrohttpd, which reads the body.
        case body
        /// libmicrohttpd, which sends the answer, or the handler, which makes it.
        case answering
        /// libmicrohttpd, suspended until the answer comes. The front watches for the client's leaving.
        case waiting
        /// libmicrohttpd, woken to close: the client left.
        case left
        /// The front, which drops what arrives so that the answer is not lost to a reset.
        case lingering
    }

    let key: EventSet.Key
    let peer: SocketAddress
    var phase: Phase

    /// The front's thread only: how far the head was looked at, and whether the descriptor is in its set.
    var scanner: RequestHeadScanner
    var isWatched = false
    /// The front's thread only: bytes dropped while lingering.
    var droppedByteCount = 0

    /// Set before libmicrohttpd sees the connection, then constant.
    var head: HTTPRequestHead?
    var bodyLimit = 0
    var sink: (@Sendable (UnsafeRawBufferPointer) throws(HTTPRefusal) -> Void)?
    var context: (any Sendable)?

    /// libmicrohttpd's thread only.
    var wasSeenByHandler = false
    var body: [UInt8] = []
    var bodyByteCount = 0
    /// What is sent from, kept until the connection has ended.
    var file: HTTPFileBody?

    /// libmicrohttpd's connection, between its start and its end.
    var connection: OpaquePointer?
    /// An answer was written past libmicrohttpd: it shall close and say nothing.
    var isDead = false
    var deferred: HTTPDeferred?
    var response: HTTPResponse?

    init(key: EventSet.Key, peer: SocketAddress, phase: Phase, maximumHeadByteCount: Int) {
        self.key = key
        self.peer = peer
        self.phase = phase
        scanner = RequestHeadScanner(maximumByteCount: maximumHeadByteCount)
    }

    var descriptor: Int32 { key.descriptor }

    /// Whether libmicrohttpd owns the descriptor.
    var isHandedOver: Bool {
        switch phase {
        case .body, .answering, .waiting, .left: true
        case .head, .lingering: false
        }
    }
}
