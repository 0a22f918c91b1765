import Glibc

/// The advisory lock of a folder that is not ours alone: `flock` on its descriptor, so that nothing is left in it.
///
/// It ends with this object, or with the process, however that ends. Only programs that ask for it respect it.
public final class DirectoryLock: Sendable {
    private let directory: Directory

    private init(_ directory: Directory) { self.directory = directory }

    /// Takes the lock. `directory` must have been opened for this alone: the lock belongs to that opening.
    ///
    /// A file system that has no such locks gives one that keeps nobody out: the folder can be used there as before.
    ///
    /// - Throws: `locked_by` when another opening of the folder, here or in another process, has it.
    public static func take(_ directory: Directory) throws(StoreError) -> DirectoryLock {
        guard let descriptor = directory.disk.descriptor(directory.handle) else { return DirectoryLock(directory) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: throw .lockedBy(path: directory.displayPath, pid: nil)
            default: return DirectoryLock(directory)
            }
        }
        return DirectoryLock(directory)
    }
}
