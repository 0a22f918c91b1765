import Foundation
import HTTPClient

/// An answer of a service, whole.
public struct ExchangeAnswer: Sendable {
    /// The status.
    public let status: Int
    /// Lower-case names.
    public let headers: [String: String]
    /// The body.
    public let body: [UInt8]

    /// An answer.
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// One request to a service. Blocking.
public struct ExchangeRequest: Sendable {
    /// The method.
    public var method: String
    /// The whole address.
    public var url: String
    /// Names and values.
    public var headers: [(String, String)] = []
    /// The body; nil: none.
    public var body: [UInt8]?
    /// Seconds for the whole exchange.
    public var timeout: Int
    /// The largest answer, in bytes.
    public var maximumByteCount: Int
}

/// What carries requests to a service: libcurl, or a test's own.
public protocol ArchiveExchange: Sendable {
    /// Sends a request and waits for its answer.
    ///
    /// - Throws: `unreachable`, `answer_too_large`.
    func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer
}

/// Through libcurl.
public struct CurlExchange: ArchiveExchange {
    private struct TooLarge: Error {}

    /// An exchange.
    public init() {}

    /// Sends a request and waits for its answer.
    public func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer {
        var body: [UInt8] = []
        let transfer = HTTPTransfer(
            method: request.method, url: request.url, body: request.body, headers: request.headers,
            timeout: request.timeout)
        do {
            let head = try transfer.run { piece in
                guard body.count + piece.count <= request.maximumByteCount else { throw TooLarge() }
                body.append(contentsOf: piece)
            }
            return ExchangeAnswer(status: head.status, headers: head.headers, body: body)
        } catch is TooLarge {
            throw .answerTooLarge(maximum: request.maximumByteCount)
        } catch HTTPTransfer.Failure.unreachable(let why) {
            throw .unreachable(why)
        } catch HTTPTransfer.Failure.brokenOff {
            throw .unreachable("no answer")
        } catch HTTPTransfer.Failure.timedOut {
            throw .unreachable("no answer within \(request.timeout) seconds")
        } catch {
            throw .unreachable("the answer ended early")
        }
    }
}
