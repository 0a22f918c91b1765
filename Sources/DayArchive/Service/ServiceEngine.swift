import Cryptography
import Foundation
import HTTPService
import Synchronization
import Transport

/// The service between its front and its storage: counts rates, asks the core, performs what it decided.
///
/// Requests of one bucket that may change something are taken one at a time, so that a decision still holds when it is performed;
/// reads, remote tools (which only read) among them, and other buckets do not wait for them.
final class ServiceEngine: Sendable {
    /// Locks that buckets are spread over.
    private static let stripeCount = 64
    /// Characters of an IPv6 address with a zone, with room to spare.
    private static let longestAddress = 64

    let core: ServiceCore
    private let storage: any ArchiveStorage
    private let trustedProxies: Set<IPAddress>
    private let clock: @Sendable () -> ServiceMoment
    private let random: @Sendable (Int) -> [UInt8]
    private let rates: Mutex<ServiceRates>
    private let stripes: [NSLock]
    private let report: @Sendable (ServiceReport) -> Void

    init(
        core: ServiceCore, storage: any ArchiveStorage, trustedProxies: Set<IPAddress> = [],
        clock: @escaping @Sendable () -> ServiceMoment = ServiceEngine.systemClock,
        random: @escaping @Sendable (Int) -> [UInt8] = SecureRandom.bytes,
        report: @escaping @Sendable (ServiceReport) -> Void = { _ in }
    ) {
        self.core = core
        self.storage = storage
        self.trustedProxies = trustedProxies
        self.clock = clock
        self.random = random
        self.report = report
        rates = Mutex(ServiceRates(core.limits))
        stripes = (0..<Self.stripeCount).map { _ in NSLock() }
    }

    static func systemClock() -> ServiceMoment {
        ServiceMoment(milliseconds: Int((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// What becomes of a request once its head is known.
    enum Admission {
        case refuse(ServiceAnswer)
        /// Its body may have this many bytes; one more is let through, so that the route can refuse in its own words.
        case take(bodyByteCount: Int)
    }

    /// Looks at a head: rate first, then path, then the announced length.
    func admit(_ request: ServiceRequest, contentLength: Int?) -> Admission {
        let target = RequestTarget(request.target, basePath: core.basePath)
        do throws(ServiceFault) {
            try count(request, target)
            let limit = try ServiceRoute.parse(method: request.method, target).bodyLimit(core.limits)
            if let contentLength, contentLength > limit.byteCount { throw ServiceFault(limit.refusal) }
            return .take(bodyByteCount: limit.byteCount + 1)
        } catch {
            return .refuse(error.answer)
        }
    }

    private func count(_ request: ServiceRequest, _ target: RequestTarget) throws(ServiceFault) {
        guard let segments = target.segments,
            let kind = ServiceRates.Class.of(method: request.method, segments)
        else { return }
        let now = clock().milliseconds
        let address = caller(of: request)
        let counted = rates.withLock { rates in
            Result { () throws(ServiceFault) in try rates.count(kind, from: address, at: now) }
        }
        try counted.get()
    }

    /// Answers a request that was admitted.
    func answer(_ request: ServiceRequest) -> ServiceAnswer {
        let target = RequestTarget(request.target, basePath: core.basePath)
        let bucket = target.segments.flatMap { $0.count > 1 ? $0[1] : nil } ?? ""
        let isRead = request.method == "GET" || target.segments?.first == "mcp"
        let answer = isRead ? perform(request) : stripe(bucket).withLock { perform(request) }
        if answer.status == 429, let segments = target.segments,
            let kind = ServiceRates.Class.of(method: request.method, segments)
        {
            let address = caller(of: request)
            rates.withLock { $0.forgetLast(kind, from: address) }
        }
        return answer
    }

    private func perform(_ request: ServiceRequest) -> ServiceAnswer {
        let now = clock()
        do {
            switch try core.decide(request, at: now, view: storage, random: random) {
            case .answer(let answer): return answer
            case .change(let change, let mark, let answer):
                try storage.apply(change, remembering: mark, answer, at: now)
                return answer
            case .upload(let plan): return try storage.store(plan)
            }
        } catch {
            // Nothing was acknowledged: the caller tries again, the operator is told.
            report(.storageFailed(error))
            return ServiceFault(.storeFailed).answer
        }
    }

    private func stripe(_ bucket: Substring) -> NSLock {
        stripes[Int(bucket.utf8.reduce(UInt(5381)) { $0 &* 33 &+ UInt($1) } % UInt(stripes.count))]
    }

    /// The TCP peer, or the last forwarded address when the peer is a trusted proxy (extensions.md 10.6).
    private func caller(of request: ServiceRequest) -> String {
        guard trustedProxies.contains(request.peer),
            let last = request.headers.fields.last(where: { $0.name.lowercased() == "x-forwarded-for" })?.value
                .split(separator: ",").last
        else { return request.peer.description }
        // What the proxy says is only a key to count by; no address is longer.
        return String(last.trimmingWhitespace.prefix(Self.longestAddress))
    }
}
