import CLinux
import Glibc

/// Lets one thread end another one's wait: call off a dial, stop a listener. Once set it stays set.
public final class WakeEvent: Sendable {
    /// For a room that waits on several descriptors itself.
    package let descriptor: Int32

    /// A new event, not set.
    public init() throws(TransportError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw TransportError(errno, "eventfd") }
    }

    deinit {
        close(descriptor)
    }

    /// Sets it. Whoever waits on it, now or later, goes on at once.
    public func set() {
        // Fails only when the counter is full, and then it is set.
        _ = eventfd_write(descriptor, 1)
    }

    /// Whether it is set.
    public var isSet: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
