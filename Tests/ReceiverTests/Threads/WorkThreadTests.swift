import Foundation
import Synchronization
import Testing

@testable import Receiver

@Suite struct WorkThreadTests {
    @Test("work is done in order, and what was posted before a stop is still done")
    func order() {
        let done = Mutex<[Int]>([])
        let thread = WorkThread(name: "test")
        for number in 0..<1_000 { thread.post { done.withLock { $0.append(number) } } }
        thread.stop()
        #expect(done.withLock { $0 } == Array(0..<1_000))
    }

    @Test("a piece that was done is let go although the queue never runs empty")
    func letsGo() {
        final class Token: Sendable {
            let gone: Promise<Bool>
            init(_ gone: Promise<Bool>) { self.gone = gone }
            deinit { gone.fulfill(true) }
        }
        let thread = WorkThread(name: "test")
        let gone = Promise<Bool>()
        let gate = Promise<Bool>()
        let token = Token(gone)
        thread.post { [token] in _ = token }
        thread.post { _ = gate.wait() }
        for _ in 0..<100 { thread.post {} }
        _ = consume token
        #expect(gone.wait())
        gate.fulfill(true)
        thread.stop()
    }

    @Test("the idle call says when it wants to come again")
    func idle() {
        let calls = Mutex(0)
        let thread = WorkThread(
            name: "test",
            idle: {
                calls.withLock { $0 += 1 }
                return 0.005
            })
        while calls.withLock({ $0 }) < 5 { usleep(1_000) }
        thread.stop()
    }

    @Test("a queue that is never empty does not starve the idle call")
    func busyQueue() {
        let calls = Mutex(0)
        let gate = Promise<Bool>()
        let thread = WorkThread(
            name: "test",
            idle: {
                calls.withLock { $0 += 1 }
                return nil
            })
        thread.post { _ = gate.wait() }
        for _ in 0..<2_000 { thread.post {} }
        calls.withLock { $0 = 0 }
        gate.fulfill(true)
        let seen = Promise<Int>()
        thread.post { seen.fulfill(calls.withLock { $0 }) }
        #expect(seen.wait() >= 7)
        thread.stop()
    }

    @Test("a gate holds a reader back until room is given back, and lets everyone pass when it is opened")
    func gate() {
        let gate = ByteGate(limit: 10)
        #expect(gate.acquire(8))
        let passed = Promise<Bool>()
        Thread { passed.fulfill(gate.acquire(8)) }.start()
        usleep(20_000)
        gate.release(8)
        #expect(passed.wait())
        let last = Promise<Bool>()
        Thread { last.fulfill(gate.acquire(8)) }.start()
        usleep(20_000)
        gate.open()
        #expect(!last.wait())
    }
}
