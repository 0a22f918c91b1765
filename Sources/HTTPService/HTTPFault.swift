/// What the front and the body reader refuse before any handler is asked (control-api.md 2).
public enum HTTPFault: Error, Hashable, Sendable, CaseIterable {
    /// The peer's address is not accepted.
    case peerRefused
    /// The request line and headers are larger than allowed.
    case headTooLarge
    /// The body is larger than allowed.
    case bodyTooLarge
    /// The request was not complete in time.
    case requestTimeout
    /// The connection ended before the request was complete.
    case incompleteRequest
    /// A header line that is not UTF-8, lacks its colon or name, holds a control character, or repeats a name.
    case invalidHeaders
    /// `Content-Length` repeated, or not a number.
    case invalidContentLength
    /// `Transfer-Encoding` where it is not taken.
    case transferEncodingNotSupported
    /// Not three parts, or not HTTP/1.0 or HTTP/1.1.
    case invalidRequestLine
    /// A body is expected and its length is not given.
    case contentLengthRequired
    /// The media type of the body is not `application/json`.
    case mediaTypeRequired
    /// A body where none is expected.
    case unexpectedBody
    /// The server is stopping.
    case serverStopping

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .peerRefused: 403
        case .headTooLarge: 431
        case .bodyTooLarge: 413
        case .requestTimeout: 408
        case .incompleteRequest, .invalidHeaders, .invalidContentLength, .transferEncodingNotSupported,
            .invalidRequestLine, .unexpectedBody:
            400
        case .contentLengthRequired: 411
        case .mediaTypeRequired: 415
        case .serverStopping: 503
        }
    }

    /// The stable word, as the control API spells it.
    public var code: String {
        switch self {
        case .peerRefused: "loopback_required"
        case .headTooLarge: "request_headers_too_large"
        case .bodyTooLarge: "request_body_too_large"
        case .requestTimeout: "request_timeout"
        case .incompleteRequest: "incomplete_request"
        case .invalidHeaders: "invalid_headers"
        case .invalidContentLength: "invalid_content_length"
        case .transferEncodingNotSupported: "transfer_encoding_not_supported"
        case .invalidRequestLine: "invalid_request_line"
        case .contentLengthRequired: "content_length_required"
        case .mediaTypeRequired: "application_json_required"
        case .unexpectedBody: "unexpected_body"
        case .serverStopping: "server_not_ready"
        }
    }

    /// One sentence for a person.
    public var message: String {
        switch self {
        case .peerRefused: "Only this computer may connect here."
        case .headTooLarge: "The request line and headers are too large."
        case .bodyTooLarge: "The request body is too large."
        case .requestTimeout: "The request was not complete in time; send it again."
        case .incompleteRequest: "The connection ended before the request was complete."
        case .invalidHeaders: "A header is malformed or repeated."
        case .invalidContentLength: "Content-Length must be given once, as a number."
        case .transferEncodingNotSupported: "Transfer-Encoding is not supported; send Content-Length."
        case .invalidRequestLine: "The request line must be METHOD TARGET HTTP/1.1."
        case .contentLengthRequired: "Content-Length is required."
        case .mediaTypeRequired: "Send the body as application/json."
        case .unexpectedBody: "This method takes no body."
        case .serverStopping: "The service is stopping; try again in a moment."
        }
    }
}
