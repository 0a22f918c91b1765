import Foundation
import Synchronization

/// Finds the addresses of a host. The system's look-up cannot be interrupted, so it has a thread of its own that is
/// left behind when time is up.
enum NameLookup {
    private final class Answer: Sendable {
        let result = Mutex<Result<[IPAddress], TransportError>?>(nil)
    }

    static func addresses(
        of host: String, until deadline: Deadline, cancellation: WakeEvent?, port: UInt16
    ) throws(TransportError) -> [IPAddress] {
        guard !host.isEmpty, !host.utf8.contains(0) else { throw .nameNotFound(host: host) }
        do {
            return [try IPAddress(host)]
        } catch {
            // Not a number: ask the system for the name.
        }
        let answer = Answer()
        let done = try WakeEvent()
        let thread = Thread {
            let found = resolve(host)
            answer.result.withLock { $0 = found }
            done.set()
        }
        thread.stackSize = 256 * 1024
        thread.start()
        var entries = [done.descriptor, cancellation?.descriptor ?? -1]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard try Poll.wait(&entries, until: deadline) else { throw .connectTimedOut(host: host, port: port) }
        guard let found = answer.result.withLock({ $0 }) else { throw .cancelled }
        return try found.get()
    }

    private static func resolve(_ host: String) -> Result<[IPAddress], TransportError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0, let first = list else {
            return .failure(.nameNotFound(host: host))
        }
        defer { freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
            guard let address = entry.pointee.ai_addr else { continue }
            var storage = sockaddr_storage()
            let count = min(Int(entry.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
            }
            if let found = SocketAddress(storage)?.address, !addresses.contains(found) { addresses.append(found) }
        }
        return addresses.isEmpty ? .failure(.nameNotFound(host: host)) : .success(addresses)
    }
}
