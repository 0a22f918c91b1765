import HTTPService
import Synchronization
import Transport

/// The loopback control API (control-api.md, extensions.md 5): an HTTP server in front of a ``ReceiverControl``.
///
/// Holds no state of the receiver. A client that leaves detaches its waiter and nothing else.
public final class ControlAPI: Sendable {
    /// The published port (control-api.md 1).
    public static let defaultPort: UInt16 = 17_645
    /// Threads that read requests and call the receiver.
    private static let workerCount = 4
    /// A reader of a response that takes nothing for this long, in seconds, is cut off: a person may well leave a pager
    /// open for a while.
    private static let stallSeconds = 3_600
    /// How long a stop waits for answers on the way, in seconds: the receiver has to end within two (extensions.md 5).
    private static let stopGraceSeconds = 1

    /// Where to listen and whom to serve.
    public struct Configuration: Sendable {
        /// The port on both loopback addresses; 0 takes one that is free.
        public var port: UInt16
        /// The control token: base64url of at least 32 random bytes.
        public var token: String
        /// Whether every route needs the token. If not, upstream's routes are open, and only what we added needs it
        /// (`--no-control-token`).
        public var requiresToken: Bool

        /// A configuration.
        public init(port: UInt16 = ControlAPI.defaultPort, token: String, requiresToken: Bool = true) {
            self.port = port
            self.token = token
            self.requiresToken = requiresToken
        }
    }

    /// Where a started API listens.
    public struct Endpoint: Hashable, Sendable {
        /// The port, also when 0 was asked for.
        public let port: UInt16
        /// `127.0.0.1`, and `::1` where the computer has IPv6; both on ``port``.
        public let addresses: [SocketAddress]
    }

    private struct Running {
        let server: HTTPServer
        let pool: BlockingPool
    }

    private let configuration: Configuration
    private let control: any ReceiverControl
    private let running = Mutex<Running?>(nil)

    /// An API that does not listen yet.
    public init(configuration: Configuration, control: any ReceiverControl) {
        self.configuration = configuration
        self.control = control
    }

    /// Begins to listen; from then on the receiver is called from threads of the server. To be called once; whoever
    /// starts calls ``stop()``.
    ///
    /// - Throws: `control_token_invalid`, `port_in_use` and the other refusals of ``HTTPServer``.
    public func start() throws(ControlAPIError) -> Endpoint {
        guard let access = ControlAccess(token: configuration.token, requiresToken: configuration.requiresToken) else {
            throw .invalidToken
        }
        let pool = BlockingPool()
        let router = ControlRouter(control: control, access: access, delivery: ResponseDelivery(pool: pool))
        let server: HTTPServer
        do {
            server = try HTTPServer(configuration: serverConfiguration(), handler: router)
        } catch {
            pool.stop()
            throw .server(error)
        }
        running.withLock { running in
            precondition(running == nil, "the control API is started once")
            running = Running(server: server, pool: pool)
        }
        return Endpoint(port: server.port, addresses: server.addresses)
    }

    /// Stops: waiting clients get 503 `server_not_ready` and their waiters are detached, answers on the way get a
    /// second. Calls the receiver, so it must still run, and must not be called from the receiver's own threads.
    public func stop() {
        let stopped = running.withLock { running in
            defer { running = nil }
            return running
        }
        stopped?.server.stop()
        stopped?.pool.stop()
    }

    func serverConfiguration() -> HTTPServerConfiguration {
        var rules = HTTPRules()
        rules.renderFault = { .controlError(status: $0.status, code: $0.code, message: $0.message) }
        var server = HTTPServerConfiguration(port: configuration.port, rules: rules)
        server.workerCount = Self.workerCount
        server.stallTime = .seconds(Self.stallSeconds)
        server.stopGrace = .seconds(Self.stopGraceSeconds)
        return server
    }
}

extension ControlAPI.Configuration: CustomStringConvertible, CustomReflectable {
    /// The port and the rule; never the token.
    public var description: String { "port \(port), token redacted, \(requiresToken ? "always" : "partly") required" }
    /// No children, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why the control API could not start.
public enum ControlAPIError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The token is shorter than 32 random bytes in base64url, or holds other characters.
    case invalidToken
    /// The port cannot be used, or the engine did not start.
    case server(HTTPServerError)

    /// The stable code.
    public var code: String {
        switch self {
        case .invalidToken: "control_token_invalid"
        case .server(let error): error.code
        }
    }

    /// A sentence with the next step.
    public var description: String {
        switch self {
        case .invalidToken:
            "The control token is damaged. Remove receiver/control-token from the state folder; the next start makes a new one."
        case .server(let error): error.description
        }
    }
}
