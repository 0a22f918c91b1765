import ConnectedProtocol
import Foundation

/// Hands values from many threads to one, in order. The only place where the engine thread waits.
final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var byteCount = 0
    private var isClosed = false

    /// Values that may wait before a writer that can wait has to.
    private static var limit: Int { 256 }
    /// Bytes that may wait: the largest document of a peer twice (extensions.md 3.2). One more is let in below the limit, so that a
    /// large one is never stuck.
    static var byteLimit: Int { 2 * SecureTransportLimits.recordDocumentByteCount }

    /// Appends a value at once; after `close` it is dropped. For writers that hand in what was asked for.
    func post(_ element: Element) {
        condition.lock()
        defer { condition.unlock() }
        append(element)
    }

    /// Appends a value that came in this many bytes, when there is room: a peer that sends faster than the engine works is slowed by its
    /// own connection.
    func postWhenThereIsRoom(_ element: Element, byteCount count: Int) {
        condition.lock()
        defer { condition.unlock() }
        while elements.count >= Mailbox.limit || byteCount >= Mailbox.byteLimit, !isClosed { condition.wait() }
        if !isClosed { byteCount += count }
        append(element)
    }

    private func append(_ element: Element) {
        guard !isClosed else { return }
        elements.append(element)
        condition.broadcast()
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
        defer {
            elements.removeAll(keepingCapacity: true)
            byteCount = 0
            condition.broadcast()
        }
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
