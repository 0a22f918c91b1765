import Glibc

/// The service manager that started this process, as systemd's notification protocol has it: one datagram a message.
///
/// Written here and not taken from libsystemd: the protocol is documented as stable and is one `sendto`, the library
/// brings compression libraries into a process that holds keys.
public struct ServiceManager: Sendable {
    /// What a service tells its manager.
    public enum State: String, Sendable {
        /// It listens; what waits for it may start.
        case ready = "READY=1"
        /// It was told to end and is doing so.
        case stopping = "STOPPING=1"
        /// It still works; expected once in every ``ServiceManager/watchdogInterval``.
        case alive = "WATCHDOG=1"
    }

    private static let socketVariable = "NOTIFY_SOCKET"
    private static let watchdogVariable = "WATCHDOG_USEC"
    private static let watchdogProcessVariable = "WATCHDOG_PID"

    private let address: sockaddr_un
    private let addressLength: socklen_t
    /// How long the manager waits for ``State/alive`` before it ends the process; nil: it does not wait.
    public let watchdogInterval: Duration?

    /// Nil when nobody waits for messages, or the name of the socket is none.
    ///
    /// - Parameter environment: what the process was started with: `NOTIFY_SOCKET` (a path, or `@name` for an
    ///   abstract socket), `WATCHDOG_USEC`, `WATCHDOG_PID`.
    public init?(environment: [String: String]) {
        var name = Array((environment[Self.socketVariable] ?? "").utf8)
        guard let first = name.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), name.count > 1 else {
            return nil
        }
        if first == UInt8(ascii: "@") { name[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The zero at the end of a path is not part of an address.
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        self.address = address
        addressLength = socklen_t(MemoryLayout<sa_family_t>.size + name.count)

        let isForUs = environment[Self.watchdogProcessVariable].map { $0 == String(getpid()) } ?? true
        let microseconds = environment[Self.watchdogVariable].flatMap(Int64.init) ?? 0
        watchdogInterval = isForUs && microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Sends one message.
    ///
    /// - Returns: false when it could not be sent. Nothing depends on it: a manager that is gone must not stop the work.
    @discardableResult
    public func tell(_ state: State) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let message = Array(state.rawValue.utf8)
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, addressLength)
            }
        }
        return sent == message.count
    }
}
