import CLinux
import Glibc

/// An epoll set. A key names a descriptor and the generation of its user, because descriptor numbers are used again.
final class EventSet: Sendable {
    struct Key: Hashable, Sendable {
        let descriptor: Int32
        let generation: UInt32

        init(descriptor: Int32, generation: UInt32) {
            self.descriptor = descriptor
            self.generation = generation
        }

        fileprivate init(_ value: UInt64) {
            descriptor = Int32(truncatingIfNeeded: value)
            generation = UInt32(truncatingIfNeeded: value >> 32)
        }

        fileprivate var value: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }
    }

    struct Event {
        let key: Key
        /// Whether the peer has finished sending, or the connection is broken.
        let hasEnded: Bool
    }

    enum Interest {
        /// Whenever there is something to read.
        case readable
        /// Once for each arrival: what was peeked at stays unread.
        case arrival
        /// Once, when the peer finishes sending or breaks off.
        case departure

        fileprivate var flags: UInt32 {
            switch self {
            case .readable: EPOLLIN.rawValue | EPOLLRDHUP.rawValue
            case .arrival: EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            case .departure: EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
            }
        }
    }

    /// Events taken by one wait.
    private static let batchCount = 64
    private static let endFlags = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue

    private let descriptor: Int32

    init() throws(HTTPServerError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .system(operation: "epoll_create1", number: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Adds a descriptor; false when the system has no room.
    func add(_ key: Key, _ interest: Interest) -> Bool {
        var event = epoll_event()
        event.events = interest.flags
        event.data.u64 = key.value
        return epoll_ctl(descriptor, EPOLL_CTL_ADD, key.descriptor, &event) == 0
    }

    /// Removes a descriptor; it may be absent.
    func remove(_ descriptor: Int32) {
        _ = epoll_ctl(self.descriptor, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Waits for events; none when the time is over. Milliseconds; -1 for ever.
    func wait(milliseconds: Int32) -> [Event] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batchCount) { buffer in
            let count = epoll_wait(descriptor, buffer.baseAddress, Int32(Self.batchCount), milliseconds)
            // Interrupted counts as nothing.
            return buffer.prefix(max(0, Int(count))).map { event in
                Event(key: Key(event.data.u64), hasEnded: event.events & Self.endFlags != 0)
            }
        }
    }
}
