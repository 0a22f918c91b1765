import Foundation

/// Bytes that wait to be sent on a connection, bounded, with a thread that sends them.
///
/// The order of ``enqueue(_:until:)`` calls is the order on the wire. When sending fails the connection is aborted, so
/// that its reader notices too, and every later call throws that error.
public final class SendQueue: @unchecked Sendable {
    /// One batch ends with the piece that reaches this many bytes …
    private static let batchByteCount = 256 * 1024
    /// … or this many pieces, as many as one system call gathers.
    private static let batchPieceCount = 64

    private let connection: Connection
    /// Bytes that may wait, those on the way to the system included.
    public let byteLimit: Int
    private let stall: Duration
    private let condition = NSCondition()
    // All below belongs to the condition's lock.
    private var waiting: [[UInt8]] = []
    private var waitingByteCount = 0
    private var isSending = false
    private var isFinishing = false
    private var failure: TransportError?
    private var hasEnded = false

    /// Starts the thread. It lives until ``finish()`` or ``abort()``, or until sending fails: one of these must come.
    ///
    /// - Parameters:
    ///   - byteLimit: bytes that may wait; a larger single packet is taken when nothing else waits.
    ///   - stall: the longest time without the peer taking a byte.
    public init(_ connection: Connection, byteLimit: Int, stall: Duration) {
        self.connection = connection
        self.byteLimit = byteLimit
        self.stall = stall
        let thread = Thread { [self] in run() }
        thread.name = "send"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Bytes that wait now.
    public var queuedByteCount: Int { condition.withLock { waitingByteCount } }

    /// Puts a packet, in one or more pieces, behind the others.
    ///
    /// - Parameter deadline: how long to wait for room; nil: not at all.
    /// - Throws: `send_queue_full` when there is no room in time, `connection_closed` after ``finish()`` or ``abort()``,
    ///   else what ended the sending.
    public func enqueue(_ pieces: [[UInt8]], until deadline: Deadline? = nil) throws(TransportError) {
        let byteCount = pieces.reduce(0) { $0 + $1.count }
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let failure { throw failure }
            if isFinishing { throw .closed }
            if waitingByteCount == 0 || waitingByteCount + byteCount <= byteLimit { break }
            guard let deadline, wait(until: deadline) else { throw .sendQueueFull(limit: byteLimit) }
        }
        waiting += pieces
        waitingByteCount += byteCount
        condition.broadcast()
    }

    /// Waits until everything was handed to the system.
    ///
    /// - Returns: false when the deadline came first.
    public func flush(until deadline: Deadline) throws(TransportError) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let failure { throw failure }
            if waiting.isEmpty, !isSending { return true }
            if !wait(until: deadline) { return false }
        }
    }

    /// Takes nothing more; what waits is sent, then the peer is told that nothing more will come. Does not block.
    public func finish() {
        condition.withLock {
            isFinishing = true
            condition.broadcast()
        }
    }

    /// Drops what waits and aborts the connection. Does not block.
    public func abort() {
        condition.withLock {
            if failure == nil { failure = .closed }
            waiting = []
            waitingByteCount = 0
            condition.broadcast()
        }
        connection.abort()
    }

    /// Waits until the thread has ended, after ``finish()`` or ``abort()``.
    ///
    /// - Returns: false when the deadline came first.
    public func waitUntilEnded(_ deadline: Deadline) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !hasEnded {
            if !wait(until: deadline) { return hasEnded }
        }
        return true
    }

    /// Waits for a signal; false when the deadline is over. Needs the lock.
    private func wait(until deadline: Deadline) -> Bool {
        let rest = Deadline.now.duration(to: deadline)
        guard rest > .zero else { return false }
        let (seconds, attoseconds) = rest.components
        _ = condition.wait(until: Date(timeIntervalSinceNow: Double(seconds) + Double(attoseconds) / 1e18))
        return true
    }

    // MARK: The thread

    private func run() {
        while let batch = next() {
            do throws(TransportError) {
                try send(batch)
            } catch {
                condition.withLock {
                    if failure == nil { failure = error }
                    waiting = []
                    waitingByteCount = 0
                }
                connection.abort()
            }
            condition.withLock {
                if failure == nil { waitingByteCount -= batch.reduce(0) { $0 + $1.count } }
                isSending = false
                condition.broadcast()
            }
        }
        condition.withLock {
            hasEnded = true
            condition.broadcast()
        }
    }

    /// What to send next; nil when there will be nothing.
    private func next() -> [[UInt8]]? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if failure != nil { return nil }
            if !waiting.isEmpty {
                isSending = true
                return takeBatch()
            }
            if isFinishing {
                connection.finishSending()
                return nil
            }
            condition.wait()
        }
    }

    private func takeBatch() -> [[UInt8]] {
        var byteCount = 0
        var pieceCount = 0
        for piece in waiting {
            byteCount += piece.count
            pieceCount += 1
            if byteCount >= Self.batchByteCount || pieceCount == Self.batchPieceCount { break }
        }
        let batch = Array(waiting.prefix(pieceCount))
        waiting.removeFirst(pieceCount)
        return batch
    }

    private func send(_ batch: [[UInt8]]) throws(TransportError) {
        // The arrays stay alive in `batch`; pinned one by one their addresses go out together.
        var pinned: [UnsafeRawBufferPointer] = []
        func pin(_ rest: ArraySlice<[UInt8]>) throws(TransportError) {
            guard let first = rest.first else { return try connection.send(pinned, stall: stall) }
            let result: Result<Void, TransportError> = first.withUnsafeBytes { bytes in
                pinned.append(bytes)
                return Result { () throws(TransportError) in try pin(rest.dropFirst()) }
            }
            try result.get()
        }
        try pin(batch[...])
    }
}
