import Foundation
import Testing

@testable import Sender

@Suite struct MailboxTests {
    private func writer(_ box: Mailbox<Int>, _ count: Int, byteCount: Int, _ done: DispatchSemaphore) {
        let thread = Thread {
            for number in 0..<count { box.postWhenThereIsRoom(number, byteCount: byteCount) }
            done.signal()
        }
        thread.start()
    }

    @Test("a peer is slowed by the bytes that wait, not only by their number; in the end everything arrives in order")
    func bytes() {
        let box = Mailbox<Int>()
        let done = DispatchSemaphore(value: 0)
        let half = Mailbox<Int>.byteLimit / 2
        writer(box, 9, byteCount: half, done)
        #expect(done.wait(timeout: .now() + 0.2) == .timedOut)
        var taken: [Int] = []
        while taken.count < 9 {
            let batch = box.take(waitingFor: 5)
            // Two fill the box, and none is let in above that.
            #expect((1...2).contains(batch.count))
            taken += batch
        }
        #expect(taken == Array(0..<9) && done.wait(timeout: .now() + 5) == .success)
    }

    @Test(
        "small values are bounded by their number; one larger than the box goes in alone; a closed box holds nobody up")
    func bounds() {
        let box = Mailbox<Int>()
        let done = DispatchSemaphore(value: 0)
        writer(box, 257, byteCount: 1, done)
        #expect(done.wait(timeout: .now() + 0.2) == .timedOut)
        #expect(box.take(waitingFor: 5).count == 256)
        #expect(done.wait(timeout: .now() + 5) == .success && box.take(waitingFor: 5).count == 1)
        box.postWhenThereIsRoom(1, byteCount: 10 * Mailbox<Int>.byteLimit)
        writer(box, 1, byteCount: 1, done)
        #expect(done.wait(timeout: .now() + 0.2) == .timedOut)
        box.close()
        #expect(done.wait(timeout: .now() + 5) == .success && box.take(waitingFor: 0).isEmpty)
    }
}
