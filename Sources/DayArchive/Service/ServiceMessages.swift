import CanonicalJSON
import HTTPService
import Transport

/// A moment on the service's clock.
public struct ServiceMoment: Equatable, Sendable {
    /// Unix milliseconds.
    public let milliseconds: Int

    /// A moment.
    public init(milliseconds: Int) { self.milliseconds = milliseconds }

    /// Whole Unix seconds, rounded down (extensions.md 10.3).
    public var seconds: Int { milliseconds.floorDivided(by: 1_000) }
}

/// A request as the service sees it.
public struct ServiceRequest: Sendable {
    /// As sent.
    public var method: String
    /// As sent: nothing decoded, the query included.
    public var target: String
    /// In the order in which they came; the first of a repeated name counts.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]
    /// The address at the other end of the connection.
    public var peer: IPAddress

    /// A request.
    public init(
        method: String, target: String, headers: HTTPHeaders = [:], body: [UInt8] = [], peer: IPAddress = .loopbackIPv4
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.peer = peer
    }
}

/// The service's answer.
public struct ServiceAnswer: Sendable {
    /// The status.
    public var status: Int
    /// Header fields beside the content type.
    public var headers: [(name: String, value: String)] = []
    /// The content type; nil without a body.
    public var contentType: String?
    /// The body.
    public var body: [UInt8]

    /// A JSON document.
    static func json(_ status: Int, _ document: JSONValue) -> ServiceAnswer {
        json(status, bytes: JSONWriter.encode(document, style: .compact))
    }

    /// A JSON document that has been written before.
    static func json(_ status: Int, bytes: [UInt8]) -> ServiceAnswer {
        ServiceAnswer(status: status, contentType: "application/json", body: bytes)
    }

    /// Sealed bytes, as stored.
    static func sealed(_ bytes: [UInt8], headers: [(name: String, value: String)] = []) -> ServiceAnswer {
        ServiceAnswer(status: 200, headers: headers, contentType: "application/octet-stream", body: bytes)
    }

    /// Nothing but a status.
    static func empty(_ status: Int) -> ServiceAnswer { ServiceAnswer(status: status, contentType: nil, body: []) }
}
