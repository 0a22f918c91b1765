import Foundation
import Synchronization
import Transport

/// Where and how a server listens.
public struct HTTPServerConfiguration: Sendable {
    /// Addresses to listen on. IPv6 may be missing on the computer when IPv4 comes first.
    public var addresses: [IPAddress] = [.loopbackIPv4, .loopbackIPv6]
    /// The port; 0 takes one that is free on all addresses.
    public var port: UInt16
    /// What is taken and how it is refused.
    public var rules: HTTPRules
    /// Connections at a time, lingering ones aside. At the limit the oldest that has not sent its head makes room; when there
    /// is none, accepting pauses. Fewer in a process that may not have the descriptors for them.
    public var connectionLimit = 1_024
    /// Threads that read bodies, run handlers and send answers.
    public var workerCount = 2
    /// A client that takes or sends nothing for this long is cut off. Waiting for a deferred answer does not count.
    public var stallTime = Duration.seconds(60)
    /// How long a stop waits for answers on the way.
    public var stopGrace = Duration.seconds(2)

    /// A configuration with the limits of the control API.
    public init(port: UInt16, rules: HTTPRules = HTTPRules()) {
        self.port = port
        self.rules = rules
    }
}

/// An HTTP/1.1 server of one request per connection: a front of our own that checks every head, and libmicrohttpd behind it.
public final class HTTPServer: Sendable {
    /// Where it listens; all on one port.
    public let addresses: [SocketAddress]
    /// The port, also when 0 was asked for.
    public let port: UInt16
    private let table: ClientTable
    private let engines: EnginePair
    private let front: Front
    private let stopGrace: Duration
    private let isStopped = Mutex(false)

    /// Starts to serve. Whoever starts a server stops it with ``stop()``.
    ///
    /// - Throws: `port_in_use` and the other refusals of ``Listener``, `http_engine_failed`.
    public init(configuration: HTTPServerConfiguration, handler: any HTTPHandler) throws(HTTPServerError) {
        let listener: Listener
        do {
            listener = try Listener(
                addresses: configuration.addresses, port: configuration.port, skippingMissingIPv6: true)
        } catch {
            throw .listen(error)
        }
        addresses = listener.addresses
        port = listener.port
        stopGrace = configuration.stopGrace
        table = try ClientTable(rules: configuration.rules)
        engines = EnginePair(table: table, handler: handler)
        var stall = configuration.stallTime
        if case .idle(let idle) = configuration.rules.receiveLimit { stall = min(stall, idle) }
        let connectionLimit = DescriptorBudget.claim(wanted: configuration.connectionLimit).connectionCount
        try engines.start(
            largestHeadByteCount: configuration.rules.maximumHeadByteCount, connectionLimit: connectionLimit,
            stallSeconds: UInt32(clamping: stall.components.seconds),
            workerCount: UInt32(clamping: configuration.workerCount))
        front = Front(
            table: table, engines: engines, handler: handler, listener: listener, connectionLimit: connectionLimit)
        front.start()
    }

    /// Starts to serve with a function that answers every request.
    public convenience init(
        configuration: HTTPServerConfiguration, handler: @escaping @Sendable (HTTPRequest) -> HTTPReply
    ) throws(HTTPServerError) {
        struct Function: HTTPHandler {
            let body: @Sendable (HTTPRequest) -> HTTPReply
            func answer(_ request: HTTPRequest) -> HTTPReply { body(request) }
        }
        try self.init(configuration: configuration, handler: Function(body: handler))
    }

    /// Stops: no new connections, waiting clients are answered 503, answers on the way get a short time. Blocks until
    /// all threads have ended; a second call does nothing.
    ///
    /// The order matters: libmicrohttpd ends the process when it is stopped with a suspended connection.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        front.stopAccepting()
        for (client, deferred) in table.beginStop() {
            deferred.clientLeft()
            _ = table.deliver(table.rules.renderFault(.serverStopping), to: client)
        }
        let (seconds, attoseconds) = stopGrace.components
        _ = table.waitUntilAnswered(for: Double(seconds) + Double(attoseconds) / 1e18)
        engines.stop()
        front.end()
    }

    deinit {
        stop()
    }
}
