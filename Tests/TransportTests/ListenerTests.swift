import Foundation
import Testing

@testable import Transport

@Suite("Listener and dialler", .serialized)
struct ListenerTests {
    @Test("a listener on all interfaces takes IPv4 and IPv6 on one free port, and names the peers")
    func everywhere() throws {
        let listener = try Listener(port: 0)
        #expect(listener.port != 0)
        #expect(listener.addresses.allSatisfy { $0.port == listener.port && $0.address.isUnspecified })
        for host in listener.addresses.count == 2 ? ["127.0.0.1", "::1", "localhost"] : ["127.0.0.1", "localhost"] {
            let client = try Dialler.dial(host: host, port: listener.port, timeout: .seconds(5))
            let server = try #require(try listener.accept())
            #expect(server.peer == client.local && server.local == client.peer)
            #expect(server.peer.address.isLoopback)
        }
    }

    @Test("a port in use is named")
    func portInUse() throws {
        let first = try Listener(addresses: [.loopbackIPv4], port: 0)
        #expect(throws: TransportError.portInUse(address: "127.0.0.1", port: first.port)) {
            try Listener(addresses: [.loopbackIPv4], port: first.port)
        }
        #expect("\(TransportError.portInUse(address: "127.0.0.1", port: 17646))".contains("17646"))
        #expect(transportCode { _ = try Listener(port: first.port) } == "port_in_use")
    }

    @Test("an address of another computer is refused")
    func foreignAddress() throws {
        let address = try IPAddress("192.0.2.1")
        #expect(transportCode { _ = try Listener(addresses: [address], port: 0) } == "address_unavailable")
    }

    @Test("the port can be taken again at once after the listener is gone")
    func rebind() throws {
        var listener: Listener? = try Listener(addresses: [.loopbackIPv4], port: 0)
        let port = try #require(listener?.port)
        let client = try Dialler.dial(host: "127.0.0.1", port: port, timeout: .seconds(5))
        let server = try listener?.accept()
        server?.finish(within: .zero)
        client.abort()
        listener = nil
        _ = try Listener(addresses: [.loopbackIPv4], port: port)
    }

    @Test("stop ends a waiting accept")
    func stop() throws {
        let listener = try Listener(addresses: [.loopbackIPv4], port: 0)
        let waiting = Outcome { Result { try listener.accept() == nil } }
        Thread.sleep(forTimeInterval: 0.05)
        listener.stop()
        #expect(try waiting.get()?.get() == true)
        #expect(try listener.accept() == nil)
    }

    @Test("a port where nobody listens refuses, also by name")
    func refused() throws {
        let port = try Listener(addresses: [.loopbackIPv4], port: 0).port
        #expect(throws: TransportError.refused(host: "127.0.0.1", port: port)) {
            try Dialler.dial(host: "127.0.0.1", port: port, timeout: .seconds(5))
        }
        #expect(
            transportCode {
                _ = try Dialler.dial(host: "localhost", port: port, timeout: .seconds(5))
            } == "connection_refused")
    }

    @Test("a host that does not exist is told apart", arguments: ["", "a\0b", "no-such-host.invalid"])
    func unknownHost(_ host: String) {
        #expect(
            transportCode {
                _ = try Dialler.dial(host: host, port: 1, timeout: .seconds(20))
            } == "name_not_found")
    }

    /// A listening socket whose queue is full does not answer: the kernel drops what comes.
    private func withSilentPort(_ body: (UInt16) throws -> Void) throws {
        let silent = try Socket.stream(for: .loopbackIPv4)
        let address = SocketAddress(address: .loopbackIPv4, port: 0)
        #expect(address.withSystemAddress { bind(silent.descriptor, $0, $1) } == 0)
        #expect(listen(silent.descriptor, 0) == 0)
        let port = try silent.localAddress().port
        var fillers: [Socket] = []
        for _ in 0..<4 {
            let filler = try Socket.stream(for: .loopbackIPv4)
            _ = SocketAddress(address: .loopbackIPv4, port: port).withSystemAddress {
                connect(filler.descriptor, $0, $1)
            }
            fillers.append(filler)
        }
        try withExtendedLifetime(fillers) { try body(port) }
    }

    @Test("a dial to a port that does not answer ends at its timeout")
    func timeout() throws {
        try withSilentPort { port in
            let start = ContinuousClock.now
            #expect(throws: TransportError.connectTimedOut(host: "127.0.0.1", port: port)) {
                try Dialler.dial(host: "127.0.0.1", port: port, timeout: .milliseconds(200))
            }
            #expect((.milliseconds(190)..<(.seconds(5))).contains(.now - start))
        }
    }

    @Test("another thread calls a dial off")
    func cancelled() throws {
        try withSilentPort { port in
            let cancellation = try WakeEvent()
            let dialling = Outcome {
                transportCode {
                    _ = try Dialler.dial(
                        host: "127.0.0.1", port: port, timeout: .seconds(60), cancellation: cancellation)
                }
            }
            Thread.sleep(forTimeInterval: 0.05)
            cancellation.set()
            #expect(dialling.get() == "cancelled")
        }
    }

    @Test("two hundred connections come and go, and no descriptor is left")
    func manyConnections() throws {
        func roundTrips(_ count: Int) throws {
            let listener = try Listener(addresses: [.loopbackIPv4], port: 0)
            let serving = Outcome {
                transportCode {
                    while let connection = try listener.accept() {
                        try connection.send(try connection.receive(count: 3), stall: .seconds(5))
                        connection.finish()
                    }
                } ?? "ended"
            }
            for _ in 0..<count {
                let client = try Dialler.dial(host: "127.0.0.1", port: listener.port, timeout: .seconds(5))
                try client.send([1, 2, 3], stall: .seconds(5))
                client.finishSending()
                #expect(try client.receiveAll() == [1, 2, 3])
            }
            listener.stop()
            #expect(serving.get() == "ended")
        }
        try roundTrips(2)
        let before = try descriptorCount()
        try roundTrips(200)
        // Other tests of the same process open and close files meanwhile: far below 200 is flat.
        #expect(try descriptorCount() < before + 50)
    }
}
