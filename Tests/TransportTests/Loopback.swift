import Foundation
import Testing

@testable import Transport

/// A listener and the two ends of one connection, over loopback.
struct ConnectedPair {
    let client: Connection
    let server: Connection

    init() throws {
        let listener = try Listener(addresses: [.loopbackIPv4], port: 0)
        client = try Dialler.dial(host: "127.0.0.1", port: listener.port, timeout: .seconds(5))
        server = try #require(try listener.accept())
    }
}

extension Connection {
    /// Everything until the peer ends, at most for five seconds.
    func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try receive(into: buffer, until: .now + .seconds(5))
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    func receive(count: Int, within time: Duration = .seconds(5)) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try bytes.withUnsafeMutableBytes { try receiveExactly(into: $0, until: .now + time) }
        return bytes
    }
}

/// A value that another thread sets.
final class Outcome<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value?

    /// Runs a body on a thread of its own.
    init(_ body: @escaping @Sendable () -> Value) {
        Thread { [self] in
            let value = body()
            condition.withLock {
                self.value = value
                condition.broadcast()
            }
        }.start()
    }

    /// The value, at most after ten seconds.
    func get() -> Value? {
        condition.withLock {
            let deadline = Date(timeIntervalSinceNow: 10)
            while value == nil, condition.wait(until: deadline) {}
            return value
        }
    }
}

/// The code of the error that the body throws; nil when it throws none.
func transportCode(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as TransportError {
        return error.code
    } catch {
        return "\(error)"
    }
}

/// The number of open descriptors of this process.
func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}
