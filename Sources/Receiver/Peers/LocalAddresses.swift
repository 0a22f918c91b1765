import Glibc
import Transport

/// The addresses under which a phone may reach this computer, most useful first.
enum LocalAddresses {
    /// Those on which somebody listens: of all interfaces, or the ones that were chosen.
    static func reachable(listeningOn addresses: [IPAddress], of usable: [String] = usable()) -> [String] {
        guard !addresses.isEmpty else { return usable }
        var found: [String] = []
        for address in addresses {
            switch address {
            case .anyIPv4: found += usable.filter { !$0.contains(":") }
            case .anyIPv6: found += usable.filter { $0.contains(":") }
            default: found.append(address.description)
            }
        }
        return found.reduce(into: []) { list, text in if !list.contains(text) { list.append(text) } }
    }

    /// IPv4 before IPv6, private networks before others, never loopback unless there is nothing else.
    static func usable() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return ["127.0.0.1"] }
        defer { freeifaddrs(first) }
        var found: [(rank: Int, text: String)] = []
        var next = first
        while let interface = next?.pointee {
            next = interface.ifa_next
            let isUp = interface.ifa_flags & UInt32(IFF_UP) != 0
            let isLoopback = interface.ifa_flags & UInt32(IFF_LOOPBACK) != 0
            guard isUp, !isLoopback, let address = interface.ifa_addr, let text = numeric(address) else { continue }
            let isIPv4 = Int32(address.pointee.sa_family) == AF_INET
            found.append((rank: isIPv4 ? 0 : text.hasPrefix("fe80") ? 2 : 1, text: text))
        }
        let sorted = found.sorted { ($0.rank, $0.text) < ($1.rank, $1.text) }.map(\.text)
        return sorted.isEmpty ? ["127.0.0.1"] : sorted
    }

    private static func numeric(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
