import Testing
import Transport

@testable import Receiver

@Suite struct LocalAddressTests {
    private let usable = ["192.168.1.5", "10.0.0.7", "2001:db8::1", "fe80::1%eth0"]

    @Test("a pairing lists only addresses on which the receiver listens")
    func reachable() throws {
        func found(_ addresses: [IPAddress]) -> [String] {
            LocalAddresses.reachable(listeningOn: addresses, of: usable)
        }
        #expect(found([]) == usable)
        #expect(found([try IPAddress("192.168.1.5")]) == ["192.168.1.5"])
        #expect(found([.loopbackIPv4]) == ["127.0.0.1"])
        #expect(found([.anyIPv4]) == ["192.168.1.5", "10.0.0.7"])
        #expect(found([.anyIPv6, try IPAddress("10.0.0.7")]) == ["2001:db8::1", "fe80::1%eth0", "10.0.0.7"])
        #expect(found([.anyIPv4, try IPAddress("10.0.0.7")]) == ["192.168.1.5", "10.0.0.7"])
    }
}
