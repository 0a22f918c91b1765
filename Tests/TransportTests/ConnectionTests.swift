import Foundation
import Testing

@testable import Transport

@Suite("Connection")
struct ConnectionTests {
    static let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 251 >> 3) }

    @Test("pieces arrive in order and complete, whatever their number and size")
    func gathering() throws {
        let pair = try ConnectedPair()
        var sizes = (0..<150).map { $0 % 7 } + [100_000, 0, 1, 600_000]
        sizes.append(0)
        let pieces = sizes.enumerated().map { index, size in [UInt8](repeating: UInt8(index), count: size) }
        let sending = Outcome {
            transportCode {
                let flat = Array(pieces.joined())
                try flat.withUnsafeBytes { all in
                    var start = 0
                    try pair.client.send(
                        pieces.map { piece in
                            defer { start += piece.count }
                            return UnsafeRawBufferPointer(rebasing: all[start..<start + piece.count])
                        }, stall: .seconds(5))
                }
                pair.client.finishSending()
            } ?? "sent"
        }
        #expect(try pair.server.receiveAll() == Array(pieces.joined()))
        #expect(sending.get() == "sent")
    }

    @Test("after a half close the other direction goes on")
    func halfClose() throws {
        let pair = try ConnectedPair()
        try pair.client.send([1], stall: .seconds(5))
        pair.client.finishSending()
        #expect(try pair.server.receiveAll() == [1])
        try pair.server.send([2, 3], stall: .seconds(5))
        pair.server.finishSending()
        #expect(try pair.client.receiveAll() == [2, 3])
    }

    @Test("a stream that ends too early says how far it came")
    func earlyEnd() throws {
        let pair = try ConnectedPair()
        try pair.client.send([1, 2], stall: .seconds(5))
        pair.client.finishSending()
        #expect(throws: TransportError.endOfStream(expected: 5, received: 2)) { try pair.server.receive(count: 5) }
    }

    @Test("a peer that sends nothing is given up at the deadline, and the connection can go on")
    func receiveDeadline() throws {
        let pair = try ConnectedPair()
        let start = ContinuousClock.now
        #expect(throws: TransportError.receiveTimedOut) {
            try pair.server.receive(count: 1, within: .milliseconds(100))
        }
        #expect(.now - start >= .milliseconds(100))
        try pair.client.send([9], stall: .seconds(5))
        #expect(try pair.server.receive(count: 1) == [9])
    }

    @Test("a peer that takes nothing is given up after the stall time; a slow one is not")
    func stall() throws {
        let pair = try ConnectedPair()
        let many = [UInt8](repeating: 7, count: 16 << 20)
        #expect(throws: TransportError.sendTimedOut) { try pair.client.send(many, stall: .milliseconds(100)) }

        let slow = try ConnectedPair()
        let reading = Outcome {
            var count = 0
            _ = transportCode {
                while count < many.count {
                    count += try slow.server.receive(count: min(1 << 20, many.count - count)).count
                    Thread.sleep(forTimeInterval: 0.02)
                }
            }
            return count
        }
        try slow.client.send(many, stall: .milliseconds(500))
        #expect(reading.get() == many.count)
    }

    @Test("abort wakes a blocked receiver and a blocked sender")
    func abortWakes() throws {
        let pair = try ConnectedPair()
        let receiving = Outcome { transportCode { _ = try pair.client.receive(count: 1, within: .seconds(60)) } }
        let sending = Outcome {
            transportCode { try pair.client.send([UInt8](repeating: 7, count: 64 << 20), stall: .seconds(60)) }
        }
        Thread.sleep(forTimeInterval: 0.1)
        pair.client.abort()
        #expect(receiving.get() == "connection_closed")
        #expect(sending.get() == "connection_closed")
        #expect(transportCode { try pair.client.send([1], stall: .seconds(1)) } == "connection_closed")
    }

    @Test("the peer of an aborted connection hears of it")
    func peerHears() throws {
        var pair: ConnectedPair? = try ConnectedPair()
        let server = try #require(pair?.server)
        pair?.client.abort()
        pair = nil
        // In order or as a reset, depending on what was on the way.
        let code = transportCode { _ = try server.receiveAll() }
        #expect(code == nil || code == "connection_reset")
        #expect(
            transportCode {
                for _ in 0..<100 {
                    try server.send([1], stall: .seconds(1))
                    Thread.sleep(forTimeInterval: 0.005)
                }
            } == "connection_reset")
    }

    @Test("finish delivers the last bytes even when the peer's bytes were not read")
    func finish() throws {
        let pair = try ConnectedPair()
        try pair.client.send(Array(Self.large[..<100_000]), stall: .seconds(5))
        try pair.server.send([1, 2, 3], stall: .seconds(5))
        let finishing = Outcome {
            pair.server.finish()
            return true
        }
        #expect(try pair.client.receiveAll() == [1, 2, 3])
        pair.client.finishSending()
        #expect(finishing.get() == true)
    }

    @Test("keepalive and no-delay are set on both sides")
    func options() throws {
        let pair = try ConnectedPair()
        for connection in [pair.client, pair.server] {
            let socket = try #require(
                Mirror(reflecting: connection).children.first { $0.label == "socket" }?.value as? Socket)
            func option(_ level: Int32, _ name: Int32) -> Int32 {
                var value: Int32 = -1
                var length = socklen_t(4)
                getsockopt(socket.descriptor, level, name, &value, &length)
                return value
            }
            #expect(option(Int32(IPPROTO_TCP), TCP_NODELAY) == 1 && option(SOL_SOCKET, SO_KEEPALIVE) == 1)
            #expect(option(Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 10)
            #expect(option(Int32(IPPROTO_TCP), TCP_KEEPINTVL) == 5 && option(Int32(IPPROTO_TCP), TCP_KEEPCNT) == 3)
            #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
    }
}
