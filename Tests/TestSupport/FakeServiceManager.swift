import Foundation

/// A datagram socket that plays the manager.
public final class FakeServiceManager {
    /// What goes into `NOTIFY_SOCKET`.
    public let name: String
    private let descriptor: Int32
    private let path: String?

    /// Binds it, as a file below `/tmp` or in the abstract name space.
    public init(isAbstract: Bool = true) throws {
        let word = "healthmd-notify-\(UUID().uuidString.prefix(8))"
        path = isAbstract ? nil : "/tmp/\(word)"
        name = path ?? "@\(word)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(word.utf8) : Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The next message, or an empty text when none is waiting.
    public func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
