import Transport

/// What a service takes, and how it says no. The control API and the archive service differ in all of this.
public struct HTTPRules: Sendable {
    /// How long a request may take to arrive.
    public enum ReceiveLimit: Sendable {
        /// From accept to complete request; then 408 (control-api.md 2).
        case total(Duration)
        /// Without a byte of the body, then the connection is closed without an answer (extensions.md 10.9).
        /// The head must be complete within the same time.
        case idle(Duration)

        var duration: Duration {
            switch self {
            case .total(let duration), .idle(let duration): duration
            }
        }
    }

    /// Request line and headers with the blank line, in bytes.
    public var maximumHeadByteCount = 16_384
    /// Body, in bytes, when the handler names no limit of its own.
    public var maximumBodyByteCount = 262_144
    /// How long a request may take.
    public var receiveLimit = ReceiveLimit.total(.seconds(10))
    /// Whether `Transfer-Encoding: chunked` is taken. Any other encoding, or one beside `Content-Length`, never is.
    public var takesChunkedBodies = false
    /// Whether a header name may come once only. `Content-Length` and `Host` may never be repeated.
    public var refusesRepeatedNames = true
    /// Methods that must announce their body (411) with the right media type (415).
    public var methodsWithBody: Set<String> = ["POST", "PUT"]
    /// The media type of those bodies; nil: any.
    public var requiredMediaType: String? = "application/json"
    /// Methods that must not have a body (400).
    public var methodsWithoutBody: Set<String> = ["GET", "DELETE"]
    /// Whether a peer may speak at all (403).
    public var acceptsPeer: @Sendable (SocketAddress) -> Bool = { $0.address.isLoopback }
    /// The answer to a fault. The server adds `Content-Length` and `Connection: close`.
    public var renderFault: @Sendable (HTTPFault) -> HTTPResponse = {
        .controlError(status: $0.status, code: $0.code)
    }

    /// The rules of the control API (control-api.md 2), to be changed where a service differs.
    public init() {}
}
