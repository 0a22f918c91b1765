import Foundation

/// Reads a stream on a thread of its own into two buffers, so that unpacking and scanning go on at the same time.
final class ReadAheadSource: ByteSource {
    /// Bytes of each of the two buffers.
    static let bufferSize = 1 << 18

    private let ring: Ring
    /// The filled buffer at hand.
    private var ready: UnsafeRawBufferPointer?
    private var position = 0

    /// Starts reading `source`, which from now on belongs to the thread: the caller must not touch it again.
    init(_ source: any ByteSource) {
        let ring = Ring()
        self.ring = ring
        let box = Box(source: source)
        let thread = Thread { ring.fill(from: box.source) }
        thread.name = "export-unpack"
        thread.start()
    }

    deinit {
        ring.cancel()
    }

    /// Copies from the buffer that is ready; waits for the thread when none is.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if ready == nil {
            ready = try ring.take()
            position = 0
        }
        guard let ready else { return 0 }
        let count = min(buffer.count, ready.count - position)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: ready[position..<position + count]))
        position += count
        if position == ready.count {
            ring.giveBack()
            self.ready = nil
        }
        return count
    }

    /// Carries the stream to the thread; it is used there alone.
    private struct Box: @unchecked Sendable {
        let source: any ByteSource
    }

    /// Two buffers that are filled and emptied in turn. The counters are guarded by the condition; a buffer belongs to the
    /// filler until it is counted as filled, and to the reader until it is given back.
    private final class Ring: @unchecked Sendable {
        private let condition = NSCondition()
        private let buffers: [UnsafeMutableRawBufferPointer]
        private var counts = [0, 0]
        private var filled = 0
        private var emptied = 0
        private var isOver = false
        private var isCancelled = false
        private var failure: (any Error)?

        init() {
            buffers = (0..<2).map { _ in
                UnsafeMutableRawBufferPointer.allocate(byteCount: ReadAheadSource.bufferSize, alignment: 16)
            }
        }

        deinit {
            for buffer in buffers { buffer.deallocate() }
        }

        // The reader.

        /// Waits for a filled buffer; nil at the end.
        func take() throws -> UnsafeRawBufferPointer? {
            condition.lock()
            defer { condition.unlock() }
            while filled == emptied, !isOver { condition.wait() }
            if filled > emptied {
                return UnsafeRawBufferPointer(rebasing: buffers[emptied % 2][..<counts[emptied % 2]])
            }
            if let failure { throw failure }
            return nil
        }

        func giveBack() {
            condition.lock()
            emptied += 1
            condition.signal()
            condition.unlock()
        }

        func cancel() {
            condition.lock()
            isCancelled = true
            condition.signal()
            condition.unlock()
        }

        // The filler.

        func fill(from source: any ByteSource) {
            while let index = nextEmpty() {
                do {
                    let count = try source.read(into: buffers[index])
                    finish(count, nil)
                    if count == 0 { return }
                } catch {
                    finish(0, error)
                    return
                }
            }
        }

        private func nextEmpty() -> Int? {
            condition.lock()
            defer { condition.unlock() }
            while filled - emptied == 2, !isCancelled { condition.wait() }
            return isCancelled ? nil : filled % 2
        }

        private func finish(_ count: Int, _ error: (any Error)?) {
            condition.lock()
            if count == 0 {
                isOver = true
                failure = error
            } else {
                counts[filled % 2] = count
                filled += 1
            }
            condition.signal()
            condition.unlock()
        }
    }
}
