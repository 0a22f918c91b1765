import Testing

@testable import Transport

@Suite("Addresses")
struct IPAddressTests {
    @Test(
        "an address prints as it is usually written, an IPv4-mapped one as IPv4",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("::ffff:127.0.0.1", "127.0.0.1"),
            ("::FFFF:7f00:2", "127.0.0.2"), ("2001:DB8::a", "2001:db8::a"), ("fe80::1%1", "fe80::1%1"),
            ("fe80::1%lo", "fe80::1%1"),
        ])
    func printing(_ text: String, _ expected: String) throws {
        #expect(try IPAddress(text).description == expected)
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4 ", "::g", "[::1]", "fe80::1%",
            "fe80::1%nothere",
            "127.0.0.1\0x", "1.2.3.4/8",
        ])
    func refused(_ text: String) {
        #expect(transportCode { _ = try IPAddress(text) } == "invalid_address")
    }

    @Test(
        "loopback is 127/8 and ::1, also IPv4-mapped",
        arguments: [
            ("127.0.0.1", true), ("127.255.255.255", true), ("128.0.0.1", false), ("126.255.255.255", false),
            ("::1", true),
            ("::2", false), ("::ffff:127.3.2.1", true), ("::ffff:10.0.0.1", false), ("::", false), ("0.0.0.0", false),
        ])
    func loopback(_ text: String, _ expected: Bool) throws {
        #expect(try IPAddress(text).isLoopback == expected)
    }

    @Test(
        "the ranges of extensions.md 2.1, at both ends",
        arguments: [
            ("10.0.0.0", true), ("10.255.255.255", true), ("9.255.255.255", false), ("11.0.0.0", false),
            ("172.15.255.255", false),
            ("172.16.0.0", true), ("172.31.255.255", true), ("172.32.0.0", false), ("192.168.0.0", true),
            ("192.168.255.255", true),
            ("192.167.255.255", false), ("192.169.0.0", false), ("100.63.255.255", false), ("100.64.0.0", true),
            ("100.127.255.255", true), ("100.128.0.0", false), ("169.254.0.1", true), ("169.253.0.1", false),
            ("169.255.0.1", false),
            ("127.0.0.1", true), ("::1", true), ("fe80::1", true), ("febf::1", true), ("fec0::1", false),
            ("fe7f::1", false),
            ("fc00::1", true), ("fdff::1", true), ("fe00::1", false), ("fbff::1", false), ("2001:db8::1", false),
            ("8.8.8.8", false),
            ("::ffff:192.168.1.1", true), ("::ffff:8.8.8.8", false), ("::", false),
        ])
    func privateRange(_ text: String, _ expected: Bool) throws {
        #expect(try IPAddress(text).isPrivateRange == expected)
    }

    @Test("an address with its port")
    func socketAddress() throws {
        #expect(SocketAddress(address: .loopbackIPv4, port: 80).description == "127.0.0.1:80")
        #expect(SocketAddress(address: .loopbackIPv6, port: 80).description == "[::1]:80")
    }
}
