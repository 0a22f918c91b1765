import CLinux
import Glibc

/// Listens for TCP connections on one port of one or more addresses.
public final class Listener: Sendable {
    /// Connections that may wait to be accepted.
    private static let backlog: Int32 = 1_024
    /// Attempts to find a port that is free on every address, when any will do.
    private static let anyPortAttempts = 16
    /// Pause of accepting when the process has no descriptor left.
    private static let exhaustionPause = Duration.milliseconds(100)

    /// Where it listens; all on the same port.
    public let addresses: [SocketAddress]
    /// The port, also when 0 was asked for.
    public let port: UInt16
    private let sockets: [Socket]
    private let stopEvent: WakeEvent

    /// The listening descriptors, for a room that waits on them itself. They are closed with this object.
    package var descriptors: [Int32] { sockets.map(\.descriptor) }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - addresses: where; empty means all interfaces, IPv6 and IPv4. An IPv6 address behind an IPv4 one may be missing
    ///     on the computer when `skippingMissingIPv6`; a port in use on either is an error.
    ///   - port: 0 takes one that is free on every address.
    /// - Throws: `port_in_use`, `port_not_permitted`, `address_unavailable`.
    public init(
        addresses: [IPAddress] = [], port: UInt16, skippingMissingIPv6: Bool = false
    ) throws(TransportError) {
        stopEvent = try WakeEvent()
        let isEverywhere = addresses.isEmpty
        let wanted = isEverywhere ? [.anyIPv4, .anyIPv6] : addresses
        var attempt = 1
        while true {
            do {
                sockets = try Self.bindAll(wanted, port: port, skippingMissingIPv6: isEverywhere || skippingMissingIPv6)
                break
            } catch .portInUse where port == 0 && attempt < Self.anyPortAttempts {
                attempt += 1
            }
        }
        var bound: [SocketAddress] = []
        for socket in sockets { bound.append(try socket.localAddress()) }
        self.addresses = bound
        self.port = bound[0].port
    }

    /// Waits for the next connection.
    ///
    /// - Returns: nil after ``stop()``.
    public func accept() throws(TransportError) -> Connection? {
        while !stopEvent.isSet {
            var entries = (sockets.map(\.descriptor) + [stopEvent.descriptor])
                .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            _ = try Poll.wait(&entries, until: nil)
            for (socket, entry) in zip(sockets, entries) where entry.revents != 0 {
                if let connection = try acceptOnce(socket) { return connection }
            }
        }
        return nil
    }

    /// Ends waiting and future ``accept()`` calls, from any thread. The port is free when the listener is gone.
    public func stop() {
        stopEvent.set()
    }

    /// One attempt; nil when there is nothing to hand out after all.
    private func acceptOnce(_ listening: Socket) throws(TransportError) -> Connection? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                clinux_accept(listening.descriptor, $0, &length, 1)
            }
        }
        guard descriptor >= 0 else {
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                // The connection stays in the queue; without a pause this would spin.
                var entries = [pollfd(fd: stopEvent.descriptor, events: Int16(POLLIN), revents: 0)]
                _ = try Poll.wait(&entries, until: .now + Self.exhaustionPause)
                return nil
            case EBADF, EINVAL, EFAULT, ENOTSOCK: throw TransportError(errno, "accept")
            default: return nil  // The peer has gone already, or another thread was first.
            }
        }
        let socket = Socket(descriptor: descriptor)
        guard let peer = SocketAddress(storage) else { return nil }
        // A peer that has gone already refuses the options: not an error of the listener.
        return try? Connection(socket, peer: peer)
    }

    private static func bindAll(
        _ addresses: [IPAddress], port: UInt16, skippingMissingIPv6: Bool
    ) throws(TransportError) -> [Socket] {
        var sockets: [Socket] = []
        var port = port
        for address in addresses {
            do {
                let socket = try bind(SocketAddress(address: address, port: port))
                if port == 0 { port = try socket.localAddress().port }
                sockets.append(socket)
            } catch {
                let isMissing =
                    error == .system(operation: "socket", number: EAFNOSUPPORT)
                    || error == .addressUnavailable(address: address.description)
                guard skippingMissingIPv6, !address.isIPv4, isMissing, !sockets.isEmpty else { throw error }
            }
        }
        return sockets
    }

    private static func bind(_ address: SocketAddress) throws(TransportError) -> Socket {
        let socket = try Socket.stream(for: address.address)
        try socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
        if !address.address.isIPv4 { try socket.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        let bound = address.withSystemAddress { Glibc.bind(socket.descriptor, $0, $1) }
        guard bound == 0, listen(socket.descriptor, backlog) == 0 else {
            switch errno {
            case EADDRINUSE: throw .portInUse(address: address.address.description, port: address.port)
            case EACCES, EPERM: throw .portNotPermitted(port: address.port)
            case EADDRNOTAVAIL, EINVAL: throw .addressUnavailable(address: address.address.description)
            case let number: throw TransportError(number, "bind")
            }
        }
        return socket
    }
}
