/// Takes the bytes of one file in order, through one buffer. Handed out by ``Directory/durableReplace(_:mode:expectedByteCount:observing:write:)``.
public final class DurableFileWriter {
    private let file: File
    private let limit: UInt64?
    private let observe: ((UnsafeRawBufferPointer) -> Void)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: File.bufferByteCount, alignment: 4096)
    private var buffered = 0
    private var flushedByteCount: UInt64 = 0

    init(file: File, limit: UInt64?, observe: ((UnsafeRawBufferPointer) -> Void)?) {
        self.file = file
        self.limit = limit
        self.observe = observe
    }

    deinit {
        buffer.deallocate()
    }

    /// Bytes taken so far.
    public var byteCount: UInt64 { flushedByteCount + UInt64(buffered) }

    /// Appends bytes.
    ///
    /// - Throws: `length_mismatch` at the first byte beyond the announced number, before it is written.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        if let limit, UInt64(bytes.count) > limit - byteCount {
            throw .lengthMismatch(path: file.displayPath, expected: limit, found: byteCount + UInt64(bytes.count))
        }
        observe?(bytes)
        if buffered == 0, bytes.count >= buffer.count {
            // Large pieces need no second copy.
            try file.write(bytes, at: flushedByteCount)
            flushedByteCount += UInt64(bytes.count)
            return
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = min(rest.count, buffer.count - buffered)
            UnsafeMutableRawBufferPointer(rebasing: buffer[buffered..<buffered + count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            buffered += count
            rest = rest.dropFirst(count)
            if buffered == buffer.count { try flush() }
        }
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(StoreError) {
        let result: Result<Void, StoreError> = bytes.withUnsafeBytes { buffer in
            Result { () throws(StoreError) in try self.write(buffer) }
        }
        try result.get()
    }

    /// Appends a text as UTF-8.
    public func write(_ text: String) throws(StoreError) {
        var text = text
        let result: Result<Void, StoreError> = text.withUTF8 { buffer in
            Result { () throws(StoreError) in try self.write(UnsafeRawBufferPointer(buffer)) }
        }
        try result.get()
    }

    func finish() throws(StoreError) {
        try flush()
        if let limit, flushedByteCount != limit {
            throw .lengthMismatch(path: file.displayPath, expected: limit, found: flushedByteCount)
        }
        // The disk's word, not ours: what was written is what is there.
        let size = try file.size()
        guard size == flushedByteCount else {
            throw .lengthMismatch(path: file.displayPath, expected: flushedByteCount, found: size)
        }
    }

    private func flush() throws(StoreError) {
        guard buffered > 0 else { return }
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<buffered]), at: flushedByteCount)
        flushedByteCount += UInt64(buffered)
        buffered = 0
    }
}
