/// Collects the text of a file in a bounded buffer that is handed on whenever it is full.
struct TextWriter {
    /// Takes a full buffer.
    typealias Flush = (_ bytes: [UInt8]) throws -> Void

    /// What has been written and not handed on.
    private(set) var buffer: [UInt8] = []
    private let flush: Flush?
    /// Size at which the buffer is handed on.
    static let flushByteCount = 256 * 1_024

    /// Collects everything in ``buffer``.
    init() { flush = nil }

    /// Hands bytes to a sink.
    init(flush: @escaping Flush) {
        self.flush = flush
        buffer.reserveCapacity(Self.flushByteCount + 4_096)
    }

    /// Appends text.
    mutating func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        guard let flush, buffer.count >= Self.flushByteCount else { return }
        try flush(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Appends text and a line feed.
    mutating func line(_ text: String = "") throws {
        buffer.append(contentsOf: text.utf8)
        try write("\n")
    }

    /// Hands on what is left.
    mutating func finish() throws {
        guard let flush, !buffer.isEmpty else { return }
        try flush(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}
