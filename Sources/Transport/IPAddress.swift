import Glibc

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address is the IPv4 address, so that one peer has one address.
public struct IPAddress: Hashable, Sendable {
    /// Four or sixteen bytes, in network order.
    public let bytes: [UInt8]
    /// The interface of a link-local IPv6 address, else 0.
    public let scope: UInt32

    /// All IPv4 interfaces.
    public static let anyIPv4 = IPAddress(bytes: [0, 0, 0, 0])
    /// All IPv6 interfaces.
    public static let anyIPv6 = IPAddress(bytes: [UInt8](repeating: 0, count: 16))
    /// 127.0.0.1.
    public static let loopbackIPv4 = IPAddress(bytes: [127, 0, 0, 1])
    /// ::1.
    public static let loopbackIPv6 = IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    init(bytes: [UInt8], scope: UInt32 = 0) {
        if bytes.count == 16, bytes.starts(with: Self.mappedPrefix) {
            self.bytes = Array(bytes[12...])
            self.scope = 0
        } else {
            self.bytes = bytes
            self.scope = scope
        }
    }

    /// Parses `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`. Names are not resolved here.
    public init(_ text: String) throws(TransportError) {
        guard !text.utf8.contains(0) else { throw .invalidAddress(text: text) }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: four) { Array($0) })
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var six = in6_addr()
        guard inet_pton(AF_INET6, String(parts[0]), &six) == 1 else { throw .invalidAddress(text: text) }
        var scope: UInt32 = 0
        if parts.count == 2 {
            scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
            guard scope != 0 else { throw .invalidAddress(text: text) }
        }
        self.init(bytes: withUnsafeBytes(of: six) { Array($0) }, scope: scope)
    }

    /// Whether it has four bytes.
    public var isIPv4: Bool { bytes.count == 4 }

    /// Whether it stands for all interfaces.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// 127.0.0.0/8 or ::1 (control-api.md 1).
    public var isLoopback: Bool {
        isIPv4 ? bytes[0] == 127 : self == Self.loopbackIPv6
    }

    /// A peer that a six-digit pairing code may be typed on: loopback, private, shared, link-local and unique local
    /// ranges (extensions.md 2.1).
    public var isPrivateRange: Bool {
        if isLoopback { return true }
        if isIPv4 {
            switch (bytes[0], bytes[1]) {
            case (10, _), (172, 16...31), (192, 168), (100, 64...127), (169, 254): return true
            default: return false
            }
        }
        return (bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80) || bytes[0] & 0xfe == 0xfc
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its usual notation, with the number of the interface where it has one.
    public var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else {
            preconditionFailure("an address has four or sixteen bytes")
        }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return scope == 0 ? text : "\(text)%\(scope)"
    }
}

/// An address and a port.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public let address: IPAddress
    /// The port.
    public let port: UInt16

    /// An address and a port.
    public init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `192.0.2.1:17646` or `[2001:db8::1]:17646`.
    public var description: String {
        address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}

extension SocketAddress {
    /// Reads what the system filled in; nil for another family.
    package init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let four = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            address = IPAddress(bytes: withUnsafeBytes(of: four.sin_addr) { Array($0) })
            port = UInt16(bigEndian: four.sin_port)
        case AF_INET6:
            let six = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            address = IPAddress(bytes: withUnsafeBytes(of: six.sin6_addr) { Array($0) }, scope: six.sin6_scope_id)
            port = UInt16(bigEndian: six.sin6_port)
        default:
            return nil
        }
    }

    /// Lends the address in the form that the system wants.
    package func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if address.isIPv4 {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: address.bytes) }
            return withUnsafePointer(to: four) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        six.sin6_scope_id = address.scope
        withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: address.bytes) }
        return withUnsafePointer(to: six) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
