import CLinux
import Glibc

/// Wakes the front's thread from another one. Unlike a stop it can happen again and again.
final class WakeEventSource: Sendable {
    /// Generation 0 belongs to no client.
    let key: EventSet.Key

    init(_ events: EventSet) throws(HTTPServerError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw .system(operation: "eventfd", number: errno) }
        key = EventSet.Key(descriptor: descriptor, generation: 0)
        guard events.add(key, .readable) else { throw .system(operation: "epoll_ctl", number: errno) }
    }

    deinit {
        close(key.descriptor)
    }

    func set() {
        // Fails only when the counter is full, and then it is set.
        _ = eventfd_write(key.descriptor, 1)
    }

    func clear() {
        var value: eventfd_t = 0
        _ = eventfd_read(key.descriptor, &value)
    }
}
