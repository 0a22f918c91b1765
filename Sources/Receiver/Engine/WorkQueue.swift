import Foundation

/// Takes pieces of work and does them one after another, in order.
protocol WorkQueue: Sendable {
    /// Appends work; never blocks.
    func post(_ work: @escaping @Sendable () -> Void)
}

/// A thread of its own that does posted work: the engine is one, the disk worker another.
///
/// Work may block on disks and locks, which Swift's cooperative threads must not.
final class WorkThread: WorkQueue, @unchecked Sendable {
    private let condition = NSCondition()
    // All below belongs to the condition's lock.
    /// What is taken is nil at once: a piece may hold a large buffer, and a busy queue is never empty.
    private var waiting: [(@Sendable () -> Void)?] = []
    private var next = 0
    private var isStopping = false
    private var hasEnded = false

    /// Starts the thread. `idle` is called when there is nothing to do and says how long, in seconds, until it wants
    /// to be called again; nil means until work comes.
    init(name: String, stackSize: Int = 1 << 20, idle: @escaping @Sendable () -> Double? = { nil }) {
        let thread = Thread { [self] in run(idle: idle) }
        thread.name = name
        thread.stackSize = stackSize
        thread.start()
    }

    func post(_ work: @escaping @Sendable () -> Void) {
        condition.withLock {
            waiting.append(work)
            condition.signal()
        }
    }

    /// Does what was posted before, then ends the thread; waits for that unless it is told not to.
    func stop(waiting: Bool = true) {
        condition.withLock {
            isStopping = true
            condition.broadcast()
            while waiting && !hasEnded { condition.wait() }
        }
    }

    /// After so many pieces the idle call comes in between, so that a busy queue does not starve its timers.
    private static let piecesBetweenIdleCalls = 256

    private func run(idle: @Sendable () -> Double?) {
        var pieces = 0
        while let work = take(idle: idle) {
            work()
            pieces += 1
            if pieces % Self.piecesBetweenIdleCalls == 0 { _ = idle() }
        }
        condition.withLock {
            hasEnded = true
            condition.broadcast()
        }
    }

    private func take(idle: @Sendable () -> Double?) -> (@Sendable () -> Void)? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if next < waiting.count {
                let work = waiting[next]
                waiting[next] = nil
                next += 1
                // The empty front is cut off when it is the larger half: each piece is moved at most once on average.
                if next * 2 >= waiting.count {
                    waiting.removeFirst(next)
                    next = 0
                }
                return work
            }
            if isStopping { return nil }
            condition.unlock()
            let delay = idle()
            condition.lock()
            guard waiting.count == next, !isStopping else { continue }
            if let delay {
                if delay > 0 { _ = condition.wait(until: Date(timeIntervalSinceNow: delay)) }
            } else {
                condition.wait()
            }
        }
    }
}

/// A value that one thread makes and another waits for.
final class Promise<Value: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value?

    /// Gives the value, once.
    func fulfill(_ value: Value) {
        condition.withLock {
            precondition(self.value == nil, "a promise is kept once")
            self.value = value
            condition.broadcast()
        }
    }

    /// Waits for the value. Never call on the thread that makes it.
    func wait() -> Value {
        condition.withLock {
            while true {
                if let value { return value }
                condition.wait()
            }
        }
    }
}
