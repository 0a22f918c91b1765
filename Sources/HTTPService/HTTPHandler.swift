import Transport

/// What a service does with requests. Called on threads of the server: answer soon, or defer.
public protocol HTTPHandler: Sendable {
    /// Looks at a head that kept the framing rules, before any of the body is read: the place for `Host`, `Origin`, tokens,
    /// rates and body limits. Must not block.
    func admit(_ head: HTTPRequestHead, from peer: SocketAddress) -> HTTPAdmission
    /// Answers a complete request.
    func answer(_ request: HTTPRequest) -> HTTPReply
}

extension HTTPHandler {
    /// Takes every request with the limits of the rules.
    public func admit(_ head: HTTPRequestHead, from peer: SocketAddress) -> HTTPAdmission {
        .collect()
    }
}

/// What becomes of the body of a request.
public enum HTTPAdmission: Sendable {
    /// It is collected in memory, up to a limit (nil: that of the rules), then the handler answers.
    case collect(limit: Int? = nil, context: (any Sendable)? = nil)
    /// It passes through a sink piece by piece, up to a limit, then the handler answers. The sink is called on one thread at a time.
    case stream(
        limit: Int, context: (any Sendable)? = nil, sink: @Sendable (UnsafeRawBufferPointer) throws(HTTPRefusal) -> Void
    )
    /// It is not read, and this is the answer.
    case refuse(HTTPResponse)
}

/// A sink's reason to read no further.
public struct HTTPRefusal: Error, Sendable {
    /// The answer, in memory or empty.
    public let response: HTTPResponse

    /// Refuses with an answer.
    public init(_ response: HTTPResponse) {
        self.response = response
    }
}

/// A handler's answer.
public enum HTTPReply: Sendable {
    /// At once.
    case response(HTTPResponse)
    /// Later, from any thread.
    case deferred(HTTPDeferred)
}
