import Glibc
import Transport

/// Header fields in the order in which they came.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// Names as sent, and values without surrounding white space.
    public private(set) var fields: [(name: String, value: String)] = []

    /// From a literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Adds a field behind the others.
    public mutating func add(_ name: String, _ value: String) {
        fields.append((name, value))
    }

    /// The value of the first field of this name, in any case.
    public subscript(_ name: String) -> String? {
        fields.first { asciiCaseInsensitiveEqual($0.name, name) }?.value
    }

    /// How often a name occurs, in any case.
    public func count(of name: String) -> Int {
        fields.count { asciiCaseInsensitiveEqual($0.name, name) }
    }
}

func asciiCaseInsensitiveEqual(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count
        && zip(left.utf8, right.utf8).allSatisfy { asciiLowercase($0) == asciiLowercase($1) }
}

func asciiLowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// A request line and headers that kept all rules.
public struct HTTPRequestHead: Sendable {
    /// The method, as sent.
    public let method: String
    /// The target, as sent: nothing is decoded.
    public let target: String
    /// The target before the first `?`.
    public let path: String
    /// The target behind the first `?`; nil when there is none.
    public let query: String?
    /// The header fields.
    public let headers: HTTPHeaders
    /// The announced length of the body; nil when it is not announced (none, or chunked).
    public let contentLength: Int?
    /// Whether the body comes in chunks.
    public let isChunked: Bool

    /// Whether a body follows.
    public var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }
}

/// A complete request.
public struct HTTPRequest: Sendable {
    /// Request line and headers.
    public let head: HTTPRequestHead
    /// Who sent it.
    public let peer: SocketAddress
    /// The body, when it was collected; empty when it went to a sink.
    public let body: [UInt8]
    /// What ``HTTPHandler/admit(_:from:)`` wanted to be remembered.
    public let context: (any Sendable)?
}

/// An open file whose part is a body. Closes the descriptor unless the server took it.
public final class HTTPFileBody: @unchecked Sendable {
    /// The first byte to send.
    public let offset: UInt64
    /// The number of bytes to send. The file must hold them for as long as it is being sent: a private, unlinked snapshot.
    public let byteCount: UInt64
    private var descriptor: Int32
    private let owner: (any Sendable)?

    /// Takes over a descriptor. The owner is kept until the client is done.
    public init(descriptor: Int32, offset: UInt64, byteCount: UInt64, keeping owner: (any Sendable)? = nil) {
        self.descriptor = descriptor
        self.offset = offset
        self.byteCount = byteCount
        self.owner = owner
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Hands the descriptor out, once: a response is sent once.
    func take() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }
}

/// An answer. The server adds `Date`, `Content-Length` and `Connection: close`.
public struct HTTPResponse: Sendable {
    /// What follows the headers.
    public enum Body: Sendable {
        /// Nothing.
        case empty
        /// Bytes in memory.
        case bytes([UInt8])
        /// A part of a file, sent without passing through memory. Such a response can be sent once.
        case file(HTTPFileBody)
    }

    /// The status code.
    public var status: Int
    /// Header fields; one whose value has CR or LF is dropped.
    public var headers: HTTPHeaders
    /// The body.
    public var body: Body

    /// An answer.
    public init(status: Int, headers: HTTPHeaders = [:], body: Body = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON document with the content type of the control API.
    public static func json(status: Int, _ document: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json; charset=utf-8"], body: .bytes(document))
    }

    /// An error body of the control API: `{"error": code}` with an optional `message`, in the style of control-api.md 2.
    public static func controlError(status: Int, code: String, message: String? = nil) -> HTTPResponse {
        var text = "{\n  \"error\" : \(quoted(code))"
        if let message { text += ",\n  \"message\" : \(quoted(message))" }
        return json(status: status, Array((text + "\n}").utf8))
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{0}"..."\u{1f}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
