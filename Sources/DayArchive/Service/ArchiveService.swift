import Cryptography
import DurableStore
import HTTPService
import Synchronization
import Transport

/// The running service: keeps sealed days and edits for writers and readers, and can open none (day-archive.md 6).
///
/// Whoever starts it stops it. One process per folder.
public final class ArchiveService: Sendable {
    /// Who may create archives, as the command line says it.
    public enum Claims: String, CaseIterable, Sendable {
        /// Whoever sends the token of `claim-token`.
        case token
        /// Whoever speaks from this computer.
        case loopback
        /// Everyone.
        case open
        /// Nobody.
        case closed
    }

    /// How a service is started (extensions.md 7, 10.1).
    public struct Configuration: Sendable {
        /// The service's own private folder, `archive/service`.
        public var folder: Directory
        /// Addresses to listen on.
        public var addresses: [IPAddress] = [.loopbackIPv4]
        /// The port; 0: any that is free.
        public var port: UInt16 = ArchiveService.defaultPort
        /// Who may create archives.
        public var claims = Claims.token
        /// Lets `open` run off loopback.
        public var allowsOpenClaims = false
        /// Removed from the front of paths for routing; empty or beginning with `/`.
        public var basePath = ""
        /// What the remote tools call this service.
        public var publicURL: ServiceEndpoint?
        /// What is allowed.
        public var limits = ServiceLimits()
        /// An object store for the sealed days; nil: files in the folder. The index stays in the folder.
        public var objectStore: S3Configuration?
        /// Proxies whose `X-Forwarded-For` is believed.
        public var trustedProxies: Set<IPAddress> = []

        /// Told when something goes wrong that no caller can mend. Called on any thread.
        public var report: @Sendable (ServiceReport) -> Void = { _ in }

        /// The defaults, for a folder.
        public init(folder: Directory) { self.folder = folder }
    }

    /// The port when none is asked for (extensions.md 7).
    public static let defaultPort: UInt16 = 17_648
    /// The file of the plain claim token (extensions.md 7).
    public static let claimTokenName = "claim-token"
    private static let maximumTokenByteCount = 1_024
    /// Without a byte of the body for this long, the connection is closed (extensions.md 10.9).
    private static let idleSeconds = 30
    /// How long a stop waits for requests on the way.
    private static let stopSeconds = 10
    /// Connections at a time.
    private static let connectionLimit = 256

    /// Where it listens.
    public let addresses: [SocketAddress]
    /// The port, also when 0 was asked for.
    public let port: UInt16
    private let server: HTTPServer
    private let lock: FolderLock

    /// Opens the storage, takes the folder's lock and listens.
    ///
    /// - Throws: ``ServiceStartError``, `locked_by` and other `StoreError`s.
    public static func start(_ configuration: Configuration) throws -> ArchiveService {
        try start(configuration, clock: ServiceEngine.systemClock, random: SecureRandom.bytes)
    }

    static func start(
        _ configuration: Configuration, clock: @escaping @Sendable () -> ServiceMoment,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) throws -> ArchiveService {
        let basePath = try checkedBasePath(configuration.basePath)
        if configuration.claims == .open, !configuration.allowsOpenClaims {
            guard configuration.addresses.allSatisfy(\.isLoopback) else {
                throw ServiceStartError.openClaimsOffLoopback
            }
        }
        let lock = try FolderLock.take(in: configuration.folder)
        let core = ServiceCore(
            limits: configuration.limits, claims: try policy(configuration), basePath: basePath,
            publicURL: configuration.publicURL)
        let blobs = try objects(configuration, clock)
        let storage = try LocalStorage(
            folder: configuration.folder, blobs: blobs, report: configuration.report)
        let engine = ServiceEngine(
            core: core, storage: storage,
            trustedProxies: configuration.trustedProxies, clock: clock, random: random, report: configuration.report)
        var http = HTTPServerConfiguration(port: configuration.port, rules: rules)
        http.addresses = configuration.addresses
        http.connectionLimit = connectionLimit
        http.stallTime = .seconds(idleSeconds)
        // An upload that is being stored is worth waiting for: its writer would only send it again.
        http.stopGrace = .seconds(stopSeconds)
        do throws(HTTPServerError) {
            let server = try HTTPServer(configuration: http, handler: ServiceHandler(engine: engine))
            return ArchiveService(server: server, lock: lock)
        } catch {
            throw ServiceStartError.cannotListen(code: error.code, sentence: error.description)
        }
    }

    private init(server: HTTPServer, lock: FolderLock) {
        self.server = server
        self.lock = lock
        addresses = server.addresses
        port = server.port
    }

    /// Finishes what is on the way and stops.
    public func stop() { server.stop() }

    /// The object store, when there is one and it lets us in. One that is only out of reach may come back.
    private static func objects(
        _ configuration: Configuration, _ clock: @escaping @Sendable () -> ServiceMoment
    ) throws(ServiceStartError) -> S3Blobs? {
        guard let store = configuration.objectStore else { return nil }
        let blobs = S3Blobs(configuration: store, exchange: CurlExchange(), clock: { clock().seconds })
        do throws(S3Error) {
            try blobs.checkAccess()
        } catch {
            if case .refused(let status, let word) = error, status < 500 {
                throw .objectStoreRefused(status: status, word: word)
            }
            configuration.report(.storageFailed(error))
        }
        return blobs
    }

    private static func checkedBasePath(_ text: String) throws(ServiceStartError) -> String {
        var path = text[...]
        while path.hasSuffix("/") { path.removeLast() }
        guard path.isEmpty || path.hasPrefix("/"),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"?#\\".utf8.contains($0) })
        else { throw .badBasePath }
        return String(path)
    }

    private static func policy(_ configuration: Configuration) throws -> ClaimPolicy {
        switch configuration.claims {
        case .token: .token(try claimToken(in: configuration.folder))
        case .loopback: .loopback
        case .open: .open
        case .closed: .closed
        }
    }

    /// The operator's token: what the file says, or a new one.
    private static func claimToken(in folder: Directory) throws -> String {
        do {
            let file = try folder.file(claimTokenName, requiringPrivate: true)
            let bytes = try file.contents(maximumByteCount: maximumTokenByteCount)
            let token = String(decoding: bytes, as: UTF8.self).trimmingWhitespace
            guard !token.isEmpty else { throw ServiceStartError.badClaimToken }
            return String(token)
        } catch StoreError.notFound {
            let token = Base64.encode(SecureRandom.bytes(32), as: .urlSafe)
            try folder.durableReplace(claimTokenName, mode: .noReplace, with: Array((token + "\n").utf8))
            return token
        }
    }

    private static var rules: HTTPRules {
        var rules = HTTPRules()
        // The routes have limits of their own, and words of their own for what exceeds them.
        rules.maximumBodyByteCount = .max
        rules.receiveLimit = .idle(.seconds(idleSeconds))
        rules.takesChunkedBodies = true
        rules.refusesRepeatedNames = false
        rules.methodsWithBody = []
        rules.methodsWithoutBody = []
        rules.requiredMediaType = nil
        rules.acceptsPeer = { _ in true }
        rules.renderFault = { fault in
            let answer = ServiceAnswer.json(
                fault.status, ["error": .string(fault.message), "code": .string(word(for: fault))])
            return answer.response
        }
        return rules
    }

    /// The word for a fault of the framing, spelled as the other words are.
    private static func word(for fault: HTTPFault) -> String {
        fault == .bodyTooLarge
            ? ServiceRefusal.requestTooLarge.rawValue : fault.code.replacing("_", with: "-")
    }
}

/// Memory for bodies that are on their way: before a signature can be checked its whole body must be here.
private final class BodyBudget: Sendable {
    /// All bodies together, in bytes.
    private static let byteCount = 256 << 20
    private let taken = Mutex(0)

    /// Holds its share until the request is over, however that ends.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let byteCount: Int

        init?(_ byteCount: Int, of budget: BodyBudget) {
            let isGranted = budget.taken.withLock { taken in
                guard taken + byteCount <= BodyBudget.byteCount else { return false }
                taken += byteCount
                return true
            }
            self.budget = budget
            self.byteCount = isGranted ? byteCount : 0
            if !isGranted { return nil }
        }

        deinit { budget.taken.withLock { $0 -= byteCount } }
    }
}

/// Between the HTTP server and the engine.
private struct ServiceHandler: HTTPHandler {
    let engine: ServiceEngine
    private let budget = BodyBudget()

    init(engine: ServiceEngine) { self.engine = engine }

    func admit(_ head: HTTPRequestHead, from peer: SocketAddress) -> HTTPAdmission {
        let request = ServiceRequest(
            method: head.method, target: head.target, headers: head.headers, peer: peer.address)
        switch engine.admit(request, contentLength: head.contentLength) {
        case .refuse(let answer): return .refuse(answer.response)
        case .take(let byteCount):
            // A body of unknown length may take all that its route allows.
            let expected = head.isChunked ? byteCount : head.contentLength ?? 0
            guard let share = BodyBudget.Share(expected, of: budget) else {
                return .refuse(ServiceFault(.slowDown, retryAfter: 1).answer.response)
            }
            return .collect(limit: byteCount, context: share)
        }
    }

    func answer(_ request: HTTPRequest) -> HTTPReply {
        let head = request.head
        let answer = engine.answer(
            ServiceRequest(
                method: head.method, target: head.target, headers: head.headers, body: request.body,
                peer: request.peer.address))
        return .response(answer.response)
    }
}

extension ServiceAnswer {
    fileprivate var response: HTTPResponse {
        var fields: HTTPHeaders = [:]
        if let contentType { fields.add("Content-Type", contentType) }
        for (name, value) in headers { fields.add(name, value) }
        return HTTPResponse(status: status, headers: fields, body: body.isEmpty ? .empty : .bytes(body))
    }
}
