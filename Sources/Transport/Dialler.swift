import Glibc

/// Opens connections to a host.
public enum Dialler {
    /// The head start that one address has over the next one (RFC 8305, section 5).
    private static let attemptDelay = Duration.milliseconds(250)

    /// Connects to the first address of a host that answers. The addresses are tried in the system's order, each
    /// next one when the one before has failed or has not answered for a quarter of a second.
    ///
    /// - Parameters:
    ///   - host: an IP address or a name.
    ///   - timeout: for everything, the look-up of the name included.
    ///   - cancellation: ends the attempt when another thread sets it.
    /// - Throws: `name_not_found`, `connection_refused`, `unreachable`, `connect_timeout`, `cancelled`.
    public static func dial(
        host: String, port: UInt16, timeout: Duration, cancellation: WakeEvent? = nil
    ) throws(TransportError) -> Connection {
        let deadline = Deadline.now + timeout
        let addresses = try NameLookup.addresses(of: host, until: deadline, cancellation: cancellation, port: port)
        var race = Race(
            host: host, port: port, waiting: addresses[...], deadline: deadline, cancellation: cancellation)
        return try race.run()
    }

    /// The attempts on the way, and those to come.
    private struct Race {
        let host: String
        let port: UInt16
        var waiting: ArraySlice<IPAddress>
        let deadline: Deadline
        let cancellation: WakeEvent?
        var running: [(socket: Socket, peer: SocketAddress)] = []
        var lastError: TransportError?

        mutating func run() throws(TransportError) -> Connection {
            while true {
                if let connection = try startNext() { return connection }
                if running.isEmpty {
                    guard waiting.isEmpty else { continue }
                    throw lastError ?? .unreachable(host: host, port: port)
                }
                if let connection = try awaitOne() { return connection }
            }
        }

        /// Starts one more attempt; a connection when it succeeds on the spot.
        private mutating func startNext() throws(TransportError) -> Connection? {
            guard let address = waiting.popFirst() else { return nil }
            let peer = SocketAddress(address: address, port: port)
            let socket: Socket
            do {
                socket = try Socket.stream(for: address)
            } catch .system {
                // A family that this computer does not have.
                lastError = .unreachable(host: host, port: port)
                return nil
            }
            let result = peer.withSystemAddress { connect(socket.descriptor, $0, $1) }
            if result == 0 { return try Connection(socket, peer: peer) }
            if errno == EINPROGRESS || errno == EINTR {
                running.append((socket, peer))
            } else {
                lastError = meaning(of: errno)
            }
            return nil
        }

        /// Waits until an attempt ends or the next may start.
        private mutating func awaitOne() throws(TransportError) -> Connection? {
            let pause = waiting.isEmpty ? deadline : min(deadline, .now + Dialler.attemptDelay)
            var entries = running.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLOUT), revents: 0) }
            if let cancellation {
                entries.append(pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0))
            }
            guard try Poll.wait(&entries, until: pause) else {
                if ContinuousClock.now >= deadline { throw .connectTimedOut(host: host, port: port) }
                return nil
            }
            if cancellation != nil, entries[entries.count - 1].revents != 0 { throw .cancelled }
            for index in running.indices.reversed() where entries[index].revents != 0 {
                let (socket, peer) = running.remove(at: index)
                let number = socket.pendingError()
                if number == 0 { return try Connection(socket, peer: peer) }
                lastError = meaning(of: number)
            }
            return nil
        }

        private func meaning(of number: Int32) -> TransportError {
            switch number {
            case ECONNREFUSED, ECONNRESET: .refused(host: host, port: port)
            case ETIMEDOUT: .connectTimedOut(host: host, port: port)
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EACCES, EPERM, EINVAL, ENETDOWN, EHOSTDOWN:
                .unreachable(host: host, port: port)
            default: TransportError(number, "connect")
            }
        }
    }
}
