import Testing

@testable import Receiver

/// When a finalization that failed is tried again.
@Suite struct SuspensionTests {
    private static let mebibyte: UInt64 = 1 << 20

    /// A suspension that expectations may change.
    private final class Waiting {
        private var value: Suspension
        init(_ cause: Suspension.Cause, after earlier: Waiting? = nil, at now: Double = 0) {
            value = Suspension(after: earlier?.value, cause, code: "code", message: "", at: now)
        }
        var deadline: Double { value.deadline }
        var failures: Int { value.failures }
        func step(at now: Double) -> Suspension.Step { value.step(at: now) }
        func looked(_ free: UInt64?, at now: Double) -> Bool {
            value.looked(FinalizationSpace(storage: free), at: now)
        }
        func asked(at now: Double) { value.asked(at: now) }
        func hurry() { value.hurry() }
    }

    private func full(needing bytes: UInt64 = 100 * mebibyte) -> Suspension.Cause {
        .space(FinalizationSpace(storage: bytes))
    }

    /// The waits between failures in a row.
    private func waits(_ cause: Suspension.Cause, count: Int) -> [Double] {
        var now: Double = 0
        var last: Waiting?
        return (0..<count).map { _ in
            let next = Waiting(cause, after: last, at: now)
            let wait = next.deadline - now
            now = next.deadline
            #expect(next.step(at: now - 1) == .wait && next.step(at: now) == .attempt)
            #expect(next.deadline == .infinity && next.step(at: now + 1_000) == .wait, "it is under way")
            last = next
            return wait
        }
    }

    @Test("attempts are 15 seconds apart, then twice that, up to 15 minutes")
    func doubling() {
        #expect(waits(.other, count: 9) == [15, 30, 60, 120, 240, 480, 900, 900, 900])
    }

    @Test("what costs nothing to try is tried every 15 seconds")
    func cheap() { #expect(waits(.cheap, count: 4) == [15, 15, 15, 15]) }

    @Test("a person's wish begins the waits anew")
    func hurried() {
        let third = Waiting(.other, after: Waiting(.other, after: Waiting(.other)))
        #expect(third.failures == 3)
        third.hurry()
        #expect(third.deadline == .infinity)
        #expect(Waiting(.other, after: third, at: 100).deadline == 115)
    }

    /// A full disk that was looked at once: so much was free after the failure.
    private func looked(_ free: UInt64?, _ cause: Suspension.Cause, after earlier: Waiting? = nil) -> Waiting {
        let waiting = Waiting(cause, after: earlier)
        #expect(waiting.step(at: 0) == .look && waiting.step(at: 0) == .wait)
        #expect(!waiting.looked(free, at: 0) && waiting.deadline == 15)
        return waiting
    }

    @Test("a full disk is looked at every 15 seconds, and tried at once when notably more is free")
    func growth() {
        let earlier = Waiting(full(), after: Waiting(full(), after: Waiting(full())))
        for (before, after, isNotable) in [
            (0, Self.mebibyte, true), (0, Self.mebibyte - 1, false), (80 * Self.mebibyte, 90 * Self.mebibyte, true),
            (80 * Self.mebibyte, 90 * Self.mebibyte - 1, false), (5, 4, false),
        ] as [(UInt64, UInt64, Bool)] {
            let waiting = looked(before, full(), after: earlier)
            #expect(waiting.step(at: 15) == .look)
            #expect(waiting.looked(after, at: 15) == isNotable)
            #expect(waiting.failures == (isNotable ? 0 : 4) && waiting.deadline == (isNotable ? .infinity : 30))
        }
    }

    @Test("no attempt is made while plainly nothing was freed, however long it takes")
    func plainlyFull() {
        let waiting = looked(7, full())
        var now: Double = 0
        for failures in [2, 3, 4] {
            repeat {
                now = waiting.deadline
                #expect(waiting.step(at: now) == .look)
                #expect(!waiting.looked(7, at: now))
            } while waiting.failures < failures
        }
        #expect(now == 15 + 30 + 60)
        // A little was freed: no reason to hurry, but the next turn is taken.
        repeat {
            now = waiting.deadline
            _ = waiting.step(at: now)
        } while !waiting.looked(8, at: now)
        #expect(now == 15 + 30 + 60 + 120)
    }

    @Test("a quota, or a file system that does not say what is free, leaves the time alone to count")
    func unknown() {
        for free in [nil, 100 * Self.mebibyte] as [UInt64?] {
            let waiting = looked(free, full())
            #expect(waiting.step(at: 15) == .look && waiting.looked(free, at: 15))
        }
    }

    @Test("a phone that asks gets a look at the disk, and no attempt out of turn")
    func asked() {
        let waiting = looked(7, full())
        waiting.asked(at: 3)
        #expect(waiting.step(at: 3) == .look && !waiting.looked(7, at: 3))
        waiting.asked(at: 4)
        #expect(waiting.step(at: 4) == .look)
        #expect(waiting.looked(7 + Self.mebibyte, at: 4))
        let cheap = Waiting(.cheap)
        cheap.asked(at: 3)
        #expect(cheap.step(at: 3) == .attempt)
        let other = Waiting(.other)
        other.asked(at: 3)
        #expect(other.step(at: 3) == .wait)
    }
}
