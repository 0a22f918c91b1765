import Foundation

/// Hands values from many threads to one, in order. The only place where the engine thread waits.
final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var isClosed = false

    /// Appends a value; after `close` it is dropped.
    func post(_ element: Element) {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return }
        elements.append(element)
        condition.signal()
    }

    /// Waits for values and takes all that are there; empty when the time is over or the box was closed.
    func take(waitingFor seconds: Double?) -> [Element] {
        condition.lock()
        defer { condition.unlock() }
        let end = seconds.map { Date(timeIntervalSinceNow: max($0, 0)) }
        while elements.isEmpty, !isClosed {
            guard let end else {
                condition.wait()
                continue
            }
            guard condition.wait(until: end) else { break }
        }
        defer { elements.removeAll(keepingCapacity: true) }
        return elements
    }

    /// Drops what is there and wakes the reader for good.
    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        elements = []
        condition.broadcast()
    }
}
