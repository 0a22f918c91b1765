import CanonicalJSON
import Cryptography
import DurableStore
import HTTPService
import Synchronization
import Testing
import Transport

@testable import DayArchive

/// A clock that tests set, and randomness that they hand in.
final class TestClock: Sendable {
    private let milliseconds: Mutex<Int>
    private let randomBytes = Mutex<[UInt8]?>(nil)

    init(_ milliseconds: Int = 1_791_633_600_000) { self.milliseconds = Mutex(milliseconds) }

    var now: ServiceMoment {
        get { ServiceMoment(milliseconds: milliseconds.withLock { $0 }) }
        set { milliseconds.withLock { $0 = newValue.milliseconds } }
    }

    func advance(seconds: Int) { milliseconds.withLock { $0 += seconds * 1_000 } }

    func hand(_ bytes: [UInt8]) { randomBytes.withLock { $0 = bytes } }

    func random(_ count: Int) -> [UInt8] {
        randomBytes.withLock { bytes in
            defer { bytes = nil }
            return bytes ?? SecureRandom.bytes(count)
        }
    }
}

/// A service without a network: engine, storage in memory, a clock that tests set.
struct ServiceRig {
    static let token = "fixture-claim-token"
    let clock = TestClock()
    let blobs: MemoryBlobs
    let storage: LocalStorage
    let engine: ServiceEngine
    let bucket = TestKeys.reading.bucket

    init(
        limits: ServiceLimits = ServiceLimits(), claims: ClaimPolicy = .token(ServiceRig.token), basePath: String = "",
        trustedProxies: Set<IPAddress> = [], blobs: MemoryBlobs = MemoryBlobs()
    ) throws {
        self.blobs = blobs
        storage = try LocalStorage.inMemory(blobs: blobs)
        let clock = clock
        engine = ServiceEngine(
            core: ServiceCore(limits: limits, claims: claims, basePath: basePath), storage: storage,
            trustedProxies: trustedProxies, clock: { clock.now }, random: { clock.random($0) })
    }

    /// Limits that never slow a test down.
    static var patient: ServiceLimits {
        var limits = ServiceLimits()
        limits.claimsPerMinute = 10_000
        limits.uploadsPerMinute = 10_000
        limits.editsPerMinute = 10_000
        return limits
    }

    /// Sends a request as the front would.
    func send(_ request: ServiceRequest) -> ServiceAnswer {
        switch engine.admit(request, contentLength: request.body.count) {
        case .refuse(let answer): answer
        case .take: engine.answer(request)
        }
    }

    func send(_ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) -> ServiceAnswer {
        send(ServiceRequest(method: method, target: target, headers: headers, body: body))
    }

    // MARK: Signed requests

    var timestamp: String { String(clock.now.seconds) }

    static func headers(
        _ signer: SignedHeaders.Signer, _ key: Ed25519.PrivateKey, _ text: [UInt8], timestamp: String
    ) -> HTTPHeaders {
        [
            signer.rawValue: Base64.encode(key.publicKey.bytes, as: .urlSafe),
            SignedHeaders.signatureName: Base64.encode(key.signature(for: text), as: .urlSafe),
            SignedHeaders.timestampName: timestamp,
        ]
    }

    func claimRequest(token: String? = ServiceRig.token, writer: Ed25519.PrivateKey = TestKeys.writer) -> ServiceRequest
    {
        var headers = Self.headers(
            .writer, writer, SignedText.claim(bucket, timestamp: timestamp), timestamp: timestamp)
        if let token { headers.add(ClaimPolicy.tokenName, token) }
        return ServiceRequest(method: "PUT", target: "/b/\(bucket)", headers: headers)
    }

    func uploadRequest(_ days: [SealedDay], writer: Ed25519.PrivateKey = TestKeys.writer) -> ServiceRequest {
        let body = DayFrame.encode(days)
        let text = SignedText.upload(bucket, days: days.map(\.day), timestamp: timestamp, body: body)
        return ServiceRequest(
            method: "PUT", target: "/b/\(bucket)/days",
            headers: Self.headers(.writer, writer, text, timestamp: timestamp), body: body)
    }

    func registerRequest(_ what: SignedText.Registration, key: [UInt8]) -> ServiceRequest {
        let text = SignedText.register(what, bucket, timestamp: timestamp, body: key)
        return ServiceRequest(
            method: "PUT", target: "/b/\(bucket)/\(what.rawValue)",
            headers: Self.headers(.writer, TestKeys.writer, text, timestamp: timestamp), body: key)
    }

    func editRequest(_ body: [UInt8], editor: Ed25519.PrivateKey = TestKeys.editor.privateKey) -> ServiceRequest {
        let text = SignedText.edit(bucket, timestamp: timestamp, body: body)
        return ServiceRequest(
            method: "POST", target: "/b/\(bucket)/edits",
            headers: Self.headers(.editor, editor, text, timestamp: timestamp), body: body)
    }

    func outcomeRequest(_ name: EditName, _ outcome: EditOutcome) -> ServiceRequest {
        let text = SignedText.outcome(bucket, name: name, timestamp: timestamp, body: outcome.body)
        return ServiceRequest(
            method: "PUT", target: "/b/\(bucket)/e/\(name)/outcome",
            headers: Self.headers(.writer, TestKeys.writer, text, timestamp: timestamp), body: outcome.body)
    }

    func readRequest(_ target: String, reader: Ed25519.PrivateKey = TestKeys.reading.readKey) -> ServiceRequest {
        let text = SignedText.read(bucket, target: target, timestamp: timestamp)
        return ServiceRequest(
            method: "GET", target: target, headers: Self.headers(.reader, reader, text, timestamp: timestamp))
    }

    /// A claimed bucket with an editor.
    func prepare() {
        #expect(send(claimRequest()).status == 201)
        #expect(send(registerRequest(.editor, key: TestKeys.editor.privateKey.publicKey.bytes)).status == 201)
    }
}

extension ServiceAnswer {
    var document: JSONValue { get throws { try JSONParser.parse(body) } }
    var code: String? { (try? document)?["code"]?.string }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

func sealedDay(_ day: String, _ bytes: [UInt8]) throws -> SealedDay {
    SealedDay(day: try ArchiveDay(text: day), bytes: bytes)
}
