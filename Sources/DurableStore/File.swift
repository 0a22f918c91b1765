import Glibc

/// An open file below a ``Directory``. Closed when the last reference goes.
///
/// Reads and writes are positional, so threads may share it; whoever writes sees to it that ranges do not overlap.
public final class File: Sendable {
    /// The size of the buffers that copies and comparisons use, and of the largest single transfer.
    public static let bufferByteCount = 256 * 1024

    /// The path relative to the root, for messages.
    public let displayPath: String
    let disk: any Disk
    let handle: DiskHandle

    init(handle: DiskHandle, on disk: any Disk, displayPath: String) {
        self.handle = handle
        self.disk = disk
        self.displayPath = displayPath
    }

    deinit {
        disk.close(handle)
    }

    /// Size, kind, links, permissions, times.
    public func status() throws(StoreError) -> FileStatus {
        try attempt("fstat", displayPath) { () throws(SystemError) in try disk.status(handle) }
    }

    /// The size in bytes.
    public func size() throws(StoreError) -> UInt64 {
        try status().size
    }

    /// Reads until the buffer is full or the file ends; returns the number of bytes read.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StoreError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try attempt("read", displayPath) { () throws(SystemError) in
                try disk.read(handle, into: rest, at: offset + UInt64(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads exactly this range into memory. For small things; large ones go through ``read(into:at:)``.
    ///
    /// - Throws: `corrupt` when the file ends before.
    public func bytes(at offset: UInt64, count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read: Result<Int, StoreError> = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StoreError) in try self.read(into: buffer, at: offset) }
        }
        guard try read.get() == count else {
            throw .corrupt(path: displayPath, detail: "it ends before byte \(offset + UInt64(count))")
        }
        return bytes
    }

    /// The whole file, when it is not larger than `maximumByteCount`.
    ///
    /// - Throws: `corrupt` when it is larger.
    public func contents(maximumByteCount: Int) throws(StoreError) -> [UInt8] {
        let size = try size()
        guard size <= UInt64(maximumByteCount) else {
            throw .corrupt(path: displayPath, detail: "\(size) bytes, at most \(maximumByteCount) expected")
        }
        return try bytes(at: 0, count: Int(size))
    }

    /// Passes every byte, in order, in pieces of at most ``bufferByteCount``; returns their number.
    @discardableResult
    public func forEachPiece(
        from offset: UInt64 = 0, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> UInt64 {
        try withPieceBuffer { buffer in
            var position = offset
            while true {
                let count = try read(into: buffer, at: position)
                if count > 0 { try body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                position += UInt64(count)
                if count < buffer.count { return position - offset }
            }
        }
    }

    /// Writes all bytes at an offset.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = try attempt("write", displayPath) { () throws(SystemError) in
                try disk.write(handle, rest, at: offset + UInt64(done))
            }
            guard count > 0 else { throw .inputOutput(path: displayPath, operation: "write", number: EIO) }
            done += count
        }
    }

    /// Writes all bytes at an offset.
    public func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
        let written: Result<Void, StoreError> = bytes.withUnsafeBytes { buffer in
            Result { () throws(StoreError) in try self.write(buffer, at: offset) }
        }
        try written.get()
    }

    /// Sets the size: cuts, or extends with zeros.
    public func truncate(to size: UInt64) throws(StoreError) {
        try attempt("ftruncate", displayPath) { () throws(SystemError) in try disk.truncate(handle, to: size) }
    }

    /// Makes the bytes survive a loss of power. A failure is final: never call it again for the same bytes
    /// (reliability.md: Linux marks the pages clean, so a retry lies).
    public func sync() throws(StoreError) {
        do {
            try disk.sync(handle)
        } catch {
            throw StoreError(error, "fsync", displayPath)
        }
    }

    /// A descriptor of the process for the same open file, for a library that takes one; the caller closes it.
    ///
    /// - Throws: `wrong_type` on a disk without descriptors.
    public func duplicateDescriptor() throws(StoreError) -> Int32 {
        guard let descriptor = disk.descriptor(handle) else {
            throw .wrongType(path: displayPath, expected: "file of the operating system")
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw StoreError(SystemError(errno), "dup", displayPath) }
        return copy
    }

    /// Holds the rules of a private file: a plain file with one name, ours, and closed to group and others.
    public func requirePrivate() throws(StoreError) {
        try status().requirePrivateFile(displayPath)
    }

    /// Whether both files hold the same bytes. Reads both once, in bounded buffers.
    public func hasSameContent(as other: File) throws -> Bool {
        guard try size() == other.size() else { return false }
        return try withPieceBuffer { mine in
            try withPieceBuffer { theirs in
                var position: UInt64 = 0
                while true {
                    let count = try read(into: mine, at: position)
                    guard try other.read(into: theirs, at: position) == count else { return false }
                    guard mine[..<count].elementsEqual(theirs[..<count]) else { return false }
                    if count < mine.count { return true }
                    position += UInt64(count)
                }
            }
        }
    }
}

/// Lends one buffer for transfers.
func withPieceBuffer<Result>(_ body: (UnsafeMutableRawBufferPointer) throws -> Result) rethrows -> Result {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: File.bufferByteCount, alignment: 4096)
    defer { buffer.deallocate() }
    return try body(buffer)
}

extension FileStatus {
    func requirePlainFile(_ path: String) throws(StoreError) {
        switch kind {
        case .regularFile: break
        case .symbolicLink: throw .isSymbolicLink(path: path)
        case .directory, .other: throw .wrongType(path: path, expected: "plain file")
        }
    }

    func requirePrivateFile(_ path: String) throws(StoreError) {
        try requirePlainFile(path)
        guard linkCount <= 1 else { throw .notPrivate(path: path, reason: "it has \(linkCount) hard links") }
        try requireOwnerOnly(path)
    }

    func requirePrivateDirectory(_ path: String) throws(StoreError) {
        guard kind == .directory else { throw .wrongType(path: path, expected: "folder") }
        try requireOwnerOnly(path)
    }

    private func requireOwnerOnly(_ path: String) throws(StoreError) {
        guard permissions & 0o077 == 0 else {
            throw .notPrivate(path: path, reason: "its mode is 0\(String(permissions & 0o777, radix: 8))")
        }
        guard owner == geteuid() else { throw .notPrivate(path: path, reason: "it belongs to user \(owner)") }
    }
}
