import Foundation
import Testing

@testable import Transport

@Suite("Send queue")
struct SendQueueTests {
    @Test("packets go out in order, and the peer hears the end after finish")
    func order() throws {
        let pair = try ConnectedPair()
        let queue = SendQueue(pair.client, byteLimit: 1 << 20, stall: .seconds(5))
        var expected: [UInt8] = []
        let reading = Outcome { Result { try pair.server.receiveAll() } }
        for index in 0..<2_000 {
            let pieces = [[UInt8(truncatingIfNeeded: index)], [UInt8](repeating: 1, count: index % 300)]
            expected += pieces.joined()
            try queue.enqueue(pieces, until: .now + .seconds(5))
        }
        #expect(try queue.flush(until: .now + .seconds(5)))
        #expect(queue.queuedByteCount == 0)
        queue.finish()
        #expect(transportCode { try queue.enqueue([[1]]) } == "connection_closed")
        #expect(try reading.get()?.get() == expected)
        #expect(queue.waitUntilEnded(.now + .seconds(5)))
    }

    @Test("the bytes that wait are bounded; room comes when the peer takes some")
    func bounded() throws {
        let pair = try ConnectedPair()
        let queue = SendQueue(pair.client, byteLimit: 1 << 20, stall: .seconds(30))
        let packet = [UInt8](repeating: 3, count: 100_000)
        var taken = 0
        // The system's own buffers take some megabytes before anything waits.
        while transportCode({ try queue.enqueue([packet]) }) == nil {
            taken += 1
            try #require(taken < 10_000)
            Thread.sleep(forTimeInterval: 0.002)
        }
        #expect(queue.queuedByteCount <= 1 << 20)
        #expect(throws: TransportError.sendQueueFull(limit: 1 << 20)) {
            try queue.enqueue([packet], until: .now + .milliseconds(50))
        }
        #expect(try !queue.flush(until: .now + .milliseconds(50)))
        let reading = Outcome { Result { try pair.server.receiveAll() } }
        try queue.enqueue([packet], until: .now + .seconds(5))
        queue.finish()
        #expect(try reading.get()?.get().count == (taken + 1) * 100_000)
    }

    @Test("a packet larger than the limit goes alone")
    func largePacket() throws {
        let pair = try ConnectedPair()
        let queue = SendQueue(pair.client, byteLimit: 10, stall: .seconds(5))
        try queue.enqueue([[UInt8](repeating: 1, count: 1_000)])
        try queue.enqueue([[2]], until: .now + .seconds(5))
        #expect(try pair.server.receive(count: 1_001).last == 2)
        queue.finish()
    }

    @Test("when the peer has gone the queue fails with the reason, and the reader is woken")
    func failure() throws {
        let pair = try ConnectedPair()
        let queue = SendQueue(pair.client, byteLimit: 1 << 20, stall: .milliseconds(100))
        try queue.enqueue([[UInt8](repeating: 1, count: 32 << 20)])
        #expect(transportCode { _ = try pair.client.receive(count: 1) } == "connection_closed")
        #expect(queue.waitUntilEnded(.now + .seconds(5)))
        #expect(transportCode { try queue.enqueue([[1]]) } == "send_timeout")
        #expect(transportCode { _ = try queue.flush(until: .now) } == "send_timeout")
    }

    @Test("abort drops what waits and wakes those who wait for room")
    func abort() throws {
        let pair = try ConnectedPair()
        let queue = SendQueue(pair.client, byteLimit: 1_000, stall: .seconds(60))
        try queue.enqueue([[UInt8](repeating: 1, count: 32 << 20)])
        let waiting = Outcome { transportCode { try queue.enqueue([[1]], until: .now + .seconds(60)) } }
        Thread.sleep(forTimeInterval: 0.05)
        queue.abort()
        #expect(waiting.get() == "connection_closed")
        #expect(queue.waitUntilEnded(.now + .seconds(5)))
    }
}
