import Foundation

/// Bounds what one connection may have waiting in the engine: its reader waits here, and so a fast peer is slowed by
/// TCP, never by memory.
final class ByteGate: @unchecked Sendable {
    private let limit: Int
    private let condition = NSCondition()
    private var used = 0
    private var isOpen = false

    init(limit: Int) { self.limit = limit }

    /// Waits until there is room; a single larger cost is taken when nothing else waits. False after ``open()``.
    func acquire(_ cost: Int) -> Bool {
        condition.withLock {
            while !isOpen, used > 0, used + cost > limit { condition.wait() }
            used += cost
            return !isOpen
        }
    }

    /// Gives room back.
    func release(_ cost: Int) {
        condition.withLock {
            used -= cost
            condition.broadcast()
        }
    }

    /// Lets everyone pass: the connection is over.
    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }
}
