import Foundation

/// A few threads for what takes long: copying and hashing a stored response, reading a job's files again. The threads of
/// the server stay free for requests, and a crowd of downloads does not fill the disk's queue.
final class BlockingPool: @unchecked Sendable {
    /// Works at a time.
    static let threadCount = 2

    private let condition = NSCondition()
    // Guarded by the condition.
    private var waiting: [@Sendable () -> Void] = []
    private var isStopping = false

    init() {
        for index in 1...Self.threadCount {
            let thread = Thread { [self] in run() }
            thread.name = "control-\(index)"
            thread.stackSize = 512 * 1_024
            thread.start()
        }
    }

    /// Does `work` when a thread is free; drops it after ``stop()``.
    func submit(_ work: @escaping @Sendable () -> Void) {
        condition.withLock {
            guard !isStopping else { return }
            waiting.append(work)
            condition.signal()
        }
    }

    /// Drops what has not begun and lets the threads end. Does not wait: what runs may be reading gigabytes, and nobody waits
    /// for its result any more.
    func stop() {
        condition.withLock {
            isStopping = true
            waiting.removeAll()
            condition.broadcast()
        }
    }

    private func run() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while waiting.isEmpty, !isStopping { condition.wait() }
            return waiting.isEmpty ? nil : waiting.removeFirst()
        }
    }
}
