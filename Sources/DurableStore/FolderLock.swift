import Glibc

/// The lock of a folder: an open-file-description write lock on a file that holds the pid (extensions.md 5).
///
/// It ends with this object, or with the process, however that ends. The file stays.
public final class FolderLock: Sendable {
    /// The longest pid with its line end, with room to spare.
    private static let maximumPidByteCount = 32

    private let file: File

    private init(file: File) {
        self.file = file
    }

    /// Takes the lock.
    ///
    /// - Throws: `locked_by` with the holder's pid when another process (or another object of this one) has it.
    public static func take(_ name: String = "lock", in directory: Directory) throws(StoreError) -> FolderLock {
        let file = try directory.openOrCreateFile(name)
        let taken = try attempt("lock", file.displayPath) { () throws(SystemError) in
            try file.disk.lock(file.handle)
        }
        guard taken else { throw .lockedBy(path: file.displayPath, pid: try writtenPid(in: file)) }
        // Not synced: after a loss of power there is no holder either.
        let line = Array("\(getpid())\n".utf8)
        try file.write(line, at: 0)
        try file.truncate(to: UInt64(line.count))
        return FolderLock(file: file)
    }

    /// Who holds the lock. Never takes it, so that a probe cannot stop a daemon from starting.
    public static func probe(_ name: String = "lock", in directory: Directory) throws(StoreError) -> LockState {
        let file: File
        do {
            file = try directory.file(name, requiringPrivate: true)
        } catch .notFound {
            return .free
        }
        let locked = try attempt("lock", file.displayPath) { () throws(SystemError) in
            try file.disk.isLocked(file.handle)
        }
        return locked ? .held(pid: try writtenPid(in: file)) : .free
    }

    private static func writtenPid(in file: File) throws(StoreError) -> Int32? {
        let size = try file.size()
        guard size > 0, size <= UInt64(maximumPidByteCount) else { return nil }
        let text = String(decoding: try file.bytes(at: 0, count: Int(size)), as: UTF8.self)
        return text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
    }
}

/// What ``FolderLock/probe(_:in:)`` finds.
public enum LockState: Equatable, Sendable {
    /// Nobody holds it.
    case free
    /// Held; the pid when the holder has written it.
    case held(pid: Int32?)
}
