import CLinux
import Glibc

/// An owned, non-blocking, close-on-exec descriptor. Closed when the last reference goes, so that no thread can
/// use a number that meanwhile belongs to something else.
final class Socket: Sendable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// A new TCP socket.
    static func stream(for address: IPAddress) throws(TransportError) -> Socket {
        let family = address.isIPv4 ? AF_INET : AF_INET6
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw TransportError(errno, "socket") }
        return Socket(descriptor: descriptor)
    }

    /// Sets an integer option.
    func set(_ level: Int32, _ option: Int32, _ value: Int32) throws(TransportError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw TransportError(errno, "setsockopt")
        }
    }

    /// The error that a finished `connect` left behind, 0 for none.
    func pendingError() -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
    }

    /// This side's address.
    func localAddress() throws(TransportError) -> SocketAddress {
        try address(getsockname, "getsockname")
    }

    /// The other side's address.
    func peerAddress() throws(TransportError) -> SocketAddress {
        try address(getpeername, "getpeername")
    }

    private func address(
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32, _ name: String
    ) throws(TransportError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
        }
        guard result == 0 else { throw TransportError(errno, name) }
        guard let address = SocketAddress(storage) else {
            throw TransportError.system(operation: name, number: EAFNOSUPPORT)
        }
        return address
    }
}

extension TransportError {
    /// The meaning of an `errno` where no address is known.
    init(_ number: Int32, _ operation: String) {
        switch number {
        case ECONNRESET, EPIPE, ETIMEDOUT, ENETRESET, ENOTCONN, ENETDOWN, ENETUNREACH, EHOSTUNREACH:
            self = .connectionReset
        case EMFILE, ENFILE: self = .tooManyOpenFiles
        default: self = .system(operation: operation, number: number)
        }
    }
}

/// A point in time until which a call may block.
public typealias Deadline = ContinuousClock.Instant

/// Waits on descriptors.
enum Poll {
    /// Waits until one is ready or the deadline is over. `poll` rounds to milliseconds; we round up, so that a wait never
    /// ends before its deadline and spins.
    ///
    /// - Returns: whether one is ready.
    static func wait(_ entries: inout [pollfd], until deadline: Deadline?) throws(TransportError) -> Bool {
        while true {
            let timeout = deadline.map(milliseconds(until:)) ?? -1
            let count = poll(&entries, nfds_t(entries.count), timeout)
            if count > 0 { return true }
            if count < 0 {
                guard errno == EINTR else { throw TransportError(errno, "poll") }
            } else if timeout >= 0, let deadline, ContinuousClock.now >= deadline {
                return false
            }
        }
    }

    private static func milliseconds(until deadline: Deadline) -> Int32 {
        let rest = ContinuousClock.now.duration(to: deadline)
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        guard seconds < 86_400 else { return 86_400_000 }
        return Int32(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
