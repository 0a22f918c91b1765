import CanonicalJSON
import Cryptography
import Foundation

/// Signed requests to one archive's service: what reader, editor and writer have in common
/// (day-archive.md 4, day-archive-reader.md 3). Blocking; safe to share between threads.
struct ArchiveClient: Sendable {
    /// The largest answer (day-archive-reader.md 3).
    static let maximumAnswerByteCount = 16 << 20
    /// Seconds for one exchange (day-archive-reader.md 3).
    private static let timeout = 30
    private static let userAgent = "efferent-local-reader/1.0"

    let endpoint: ServiceEndpoint
    let bucket: BucketID
    let exchange: any ArchiveExchange
    let clock: ServiceClock

    /// A key, the header that names it, and the text to sign for a timestamp.
    struct Signature: Sendable {
        let key: Ed25519.PrivateKey
        let signer: SignedHeaders.Signer
        let text: @Sendable (_ timestamp: String) -> [UInt8]
    }

    /// The path of a route, prefix included, as it is signed and sent.
    func target(_ route: String, _ query: [(String, String?)] = []) -> String {
        // Days, names and words: nothing that needs an escape.
        let pairs = query.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return "\(endpoint.prefix)/b/\(bucket)\(route)" + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    private var origin: String { String(endpoint.url.dropLast(endpoint.prefix.count)) }

    /// Sends a signed request. A refusal of the clock is answered by signing once more on the service's clock.
    func send(
        _ method: String, _ target: String, _ signature: Signature, body: [UInt8]? = nil,
        contentType: String = "application/octet-stream", headers: [(String, String)] = []
    ) throws(ClientError) -> ExchangeAnswer {
        let headers = body == nil ? headers : headers + [("Content-Type", contentType)]
        let answer = try sendOnce(method, target, signature, body, headers)
        guard answer.status == 400, let now = Self.serviceNow(answer), clock.learn(now: now) else {
            return try checked(answer, target)
        }
        return try checked(try sendOnce(method, target, signature, body, headers), target)
    }

    private func sendOnce(
        _ method: String, _ target: String, _ signature: Signature, _ body: [UInt8]?, _ headers: [(String, String)]
    ) throws(ClientError) -> ExchangeAnswer {
        let timestamp = String(clock.seconds)
        let signed = signature.key.signature(for: signature.text(timestamp))
        let own = [
            ("User-Agent", Self.userAgent), (SignedHeaders.timestampName, timestamp),
            (signature.signer.rawValue, Base64.encode(signature.key.publicKey.bytes, as: .urlSafe)),
            (SignedHeaders.signatureName, Base64.encode(signed, as: .urlSafe)),
        ]
        return try exchange.send(
            ExchangeRequest(
                method: method, url: origin + target, headers: own + headers, body: body, timeout: Self.timeout,
                maximumByteCount: Self.maximumAnswerByteCount))
    }

    /// The service's clock, from a refusal that may be about ours: `now`, or failing that the moment of the answer
    /// (day-archive.md 4).
    private static func serviceNow(_ answer: ExchangeAnswer) -> Int? {
        // An answer that is no JSON has no `now`.
        (try? JSONParser.parse(answer.body))?["now"]?.number?.int ?? answer.headers["date"].flatMap(HTTPDate.seconds)
    }

    private func checked(_ answer: ExchangeAnswer, _ target: String) throws(ClientError) -> ExchangeAnswer {
        guard answer.status >= 400 || answer.status < 200 else { return answer }
        // A refusal without JSON is shown as it came, or by its number.
        let document = try? JSONParser.parse(answer.body)
        let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
        let message = document?["error"]?.string ?? (text.isEmpty ? String(answer.status) : text)
        throw .refused(
            target: target, status: answer.status, message: message, now: document?["now"]?.number?.int)
    }

    // MARK: Reads

    /// Reads, signed with the read key whether or not one is registered.
    func read(
        _ route: String, _ query: [(String, String?)] = [], key: Ed25519.PrivateKey
    ) throws(ClientError) -> ExchangeAnswer {
        let target = target(route, query)
        let bucket = bucket
        return try send(
            "GET", target,
            Signature(key: key, signer: .reader) { SignedText.read(bucket, target: target, timestamp: $0) })
    }

    /// Reads a JSON object.
    func readObject(
        _ route: String, _ query: [(String, String?)] = [], key: Ed25519.PrivateKey
    ) throws(ClientError) -> JSONObject {
        let answer = try read(route, query, key: key)
        // What is no object is named by the route.
        guard let object = try? JSONParser.parse(answer.body).object else {
            throw .badAnswer(target: target(route), what: "no JSON object")
        }
        return object
    }
}
