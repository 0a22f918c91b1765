/// The IP address of a peer; an IPv4-mapped IPv6 address is the IPv4 address that it maps.
public struct PeerAddress: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 for IPv6, in network order.
    public let bytes: [UInt8]

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

    /// Takes 4 or 16 bytes in network order; nil for any other number.
    public init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes[12...]) : bytes
        default: return nil
        }
    }

    /// The networks from which a six-digit pairing is taken (extensions.md 2.1), as prefix bytes and their length.
    private static let nearNetworks: [(prefix: [UInt8], bitCount: Int, isVersion4: Bool)] = [
        ([127], 8, true), ([10], 8, true), ([172, 16], 12, true), ([192, 168], 16, true), ([100, 64], 10, true),
        ([169, 254], 16, true), ([UInt8](repeating: 0, count: 15) + [1], 128, false), ([0xfe, 0x80], 10, false),
        ([0xfc], 7, false),
    ]

    /// Whether a six-digit pairing may come from here: this machine, a private network, a shared (CGNAT, VPN) or a
    /// link-local one (extensions.md 2.1).
    public var isNear: Bool {
        Self.nearNetworks.contains { network in
            network.isVersion4 == (bytes.count == 4) && hasPrefix(network.prefix, bitCount: network.bitCount)
        }
    }

    private func hasPrefix(_ prefix: [UInt8], bitCount: Int) -> Bool {
        let whole = bitCount / 8
        guard bytes[..<whole] == prefix[..<whole] else { return false }
        let rest = bitCount % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xff << (8 - rest))
        return bytes[whole] & mask == prefix[whole] & mask
    }
}

extension PeerAddress: CustomStringConvertible {
    /// Dotted decimal, or the text form of RFC 5952.
    public var description: String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
        let hidden = Self.longestZeroRun(in: groups)
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let hidden else { return text(0..<8) }
        return text(0..<hidden.lowerBound) + "::" + text(hidden.upperBound..<8)
    }

    /// The first longest run of at least two zero groups.
    private static func longestZeroRun(in groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start: Int?
        for index in 0...groups.count {
            if index < groups.count, groups[index] == 0 {
                if start == nil { start = index }
            } else if let first = start {
                if index - first > max(1, best?.count ?? 0) { best = first..<index }
                start = nil
            }
        }
        return best
    }
}
