import Glibc
import Synchronization

/// A disk that passes calls to another one and fails at the Nth, for tests.
///
/// Every call of the seam counts, but `close` and `descriptor`. A caller walks N from 1 until a run meets no fault: ``didFail`` is false then.
public final class FaultyDisk: Disk {
    /// What fails, when, and for how long.
    public struct Fault: Sendable {
        /// The first call that fails, from 1.
        public let call: Int
        /// `ENOSPC`, `EIO`, `EDQUOT`, `EMFILE`, `EINTR` …
        public let number: Int32
        /// Whether every later call fails too, as after a crash.
        public let forEver: Bool

        /// A fault at one call or from it on.
        public init(call: Int, number: Int32, forEver: Bool = false) {
            self.call = call
            self.number = number
            self.forEver = forEver
        }
    }

    private struct State {
        var calls: [String] = []
        var didFail = false
        var interruptNext = true
        var writeFailure: Int32?
        var syncFailure: Int32?
        var freeSpace: FreeSpace?
    }

    private let base: any Disk
    private let fault: Fault?
    private let shortTransfers: Bool
    private let interrupting: Bool
    private let state = Mutex(State())

    /// Wraps a disk.
    ///
    /// - Parameters:
    ///   - fault: which call fails; nil: none.
    ///   - shortTransfers: a read or write moves half of what is asked, at least one byte.
    ///   - interrupting: every other read and write is interrupted (`EINTR`) first.
    public init(_ base: any Disk, fault: Fault? = nil, shortTransfers: Bool = false, interrupting: Bool = false) {
        self.base = base
        self.fault = fault
        self.shortTransfers = shortTransfers
        self.interrupting = interrupting
    }

    /// The names of the calls so far, in order.
    public var calls: [String] { state.withLock { $0.calls } }
    /// From now on every call that needs space fails with this number, until it is set to nil: a disk that is full, and freed again.
    public func setWriteFailure(_ number: Int32?) { state.withLock { $0.writeFailure = number } }
    /// From now on every sync fails with this number, until it is set to nil.
    public func setSyncFailure(_ number: Int32?) { state.withLock { $0.syncFailure = number } }
    /// From now on the disk says that it has this much space, until it is set to nil.
    public func setFreeSpace(_ space: FreeSpace?) { state.withLock { $0.freeSpace = space } }
    /// Whether the fault was met.
    public var didFail: Bool { state.withLock { $0.didFail } }

    private func count(_ name: String) throws(SystemError) {
        let fails = state.withLock { state in
            state.calls.append(name)
            guard let fault else { return false }
            let fails = fault.forEver ? state.calls.count >= fault.call : state.calls.count == fault.call
            if fails { state.didFail = true }
            return fails
        }
        if fails, let fault { throw SystemError(fault.number) }
    }

    private func checkSpace() throws(SystemError) {
        if let number = state.withLock({ $0.writeFailure }) { throw SystemError(number) }
    }

    private func transferLimit(_ wanted: Int) throws(SystemError) -> Int {
        if interrupting {
            let interrupts = state.withLock { state in
                state.interruptNext.toggle()
                return !state.interruptNext
            }
            if interrupts { throw SystemError(EINTR) }
        }
        return shortTransfers ? (wanted + 1) / 2 : wanted
    }
}

// MARK: - The seam

extension FaultyDisk {
    /// Counts, then passes on.
    public func openRoot(_ path: String, followingLinks: Bool) throws(SystemError) -> DiskHandle {
        try count("openRoot")
        return try base.openRoot(path, followingLinks: followingLinks)
    }

    /// Counts, then passes on.
    public func open(
        _ path: RelativePath, in directory: DiskHandle, _ access: OpenAccess
    ) throws(SystemError) -> DiskHandle {
        try count("open")
        if case .create = access { try checkSpace() }
        return try base.open(path, in: directory, access)
    }

    /// Counts, then passes on.
    public func makeDirectory(_ name: String, in directory: DiskHandle, permissions: UInt16) throws(SystemError) {
        try count("makeDirectory")
        try checkSpace()
        try base.makeDirectory(name, in: directory, permissions: permissions)
    }

    /// Counts, then passes on.
    public func rename(
        _ name: String, in directory: DiskHandle, to target: String, in targetDirectory: DiskHandle, replacing: Bool
    ) throws(SystemError) {
        try count("rename")
        try base.rename(name, in: directory, to: target, in: targetDirectory, replacing: replacing)
    }

    /// Counts, then passes on.
    public func removeFile(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try count("removeFile")
        try base.removeFile(name, in: directory)
    }

    /// Counts, then passes on.
    public func removeDirectory(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try count("removeDirectory")
        try base.removeDirectory(name, in: directory)
    }

    /// Counts, then passes on.
    public func list(_ directory: DiskHandle) throws(SystemError) -> [DirectoryEntry] {
        try count("list")
        return try base.list(directory)
    }

    /// Counts, then passes on.
    public func status(_ handle: DiskHandle) throws(SystemError) -> FileStatus {
        try count("status")
        return try base.status(handle)
    }

    /// Counts, then passes on.
    public func status(of name: String, in directory: DiskHandle) throws(SystemError) -> FileStatus {
        try count("statusOf")
        return try base.status(of: name, in: directory)
    }

    /// Counts, then passes on a part.
    public func read(
        _ handle: DiskHandle, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try count("read")
        let limit = try transferLimit(buffer.count)
        return try base.read(handle, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit]), at: offset)
    }

    /// Counts, then passes on a part.
    public func write(
        _ handle: DiskHandle, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try count("write")
        try checkSpace()
        let limit = try transferLimit(bytes.count)
        return try base.write(handle, UnsafeRawBufferPointer(rebasing: bytes[..<limit]), at: offset)
    }

    /// Counts, then passes on.
    public func truncate(_ handle: DiskHandle, to size: UInt64) throws(SystemError) {
        try count("truncate")
        try base.truncate(handle, to: size)
    }

    /// Counts, then passes on.
    public func sync(_ handle: DiskHandle) throws(SystemError) {
        try count("sync")
        if let number = state.withLock({ $0.syncFailure }) { throw SystemError(number) }
        try base.sync(handle)
    }

    /// Counts, then passes on.
    public func lock(_ handle: DiskHandle) throws(SystemError) -> Bool {
        try count("lock")
        return try base.lock(handle)
    }

    /// Counts, then passes on.
    public func isLocked(_ handle: DiskHandle) throws(SystemError) -> Bool {
        try count("isLocked")
        return try base.isLocked(handle)
    }

    /// Counts, then passes on.
    public func freeSpace(_ handle: DiskHandle) throws(SystemError) -> FreeSpace {
        try count("freeSpace")
        if let space = state.withLock({ $0.freeSpace }) { return space }
        return try base.freeSpace(handle)
    }

    /// Counts, then passes on.
    public func isWritable(_ directory: DiskHandle) throws(SystemError) -> Bool {
        try count("isWritable")
        return try base.isWritable(directory)
    }

    /// Passes on.
    public func descriptor(_ handle: DiskHandle) -> Int32? {
        base.descriptor(handle)
    }

    /// Passes on.
    public func close(_ handle: DiskHandle) {
        base.close(handle)
    }
}
