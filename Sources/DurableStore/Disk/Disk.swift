/// What a system call refused, as `errno`. Becomes a ``StoreError`` where the path is known.
public struct SystemError: Error, Equatable, Sendable {
    /// `ENOENT`, `ENOSPC` and so on.
    public let number: Int32

    /// Wraps an `errno`.
    public init(_ number: Int32) {
        self.number = number
    }
}

/// An open file or folder of a ``Disk``. A plain number: ``Directory`` and ``File`` own it and close it.
public struct DiskHandle: Hashable, Sendable {
    /// The descriptor on a real disk.
    public let number: Int32

    init(_ number: Int32) {
        self.number = number
    }
}

/// How ``Disk/open(_:in:_:)`` opens.
public enum OpenAccess: Equatable, Sendable {
    /// An existing folder.
    case directory
    /// An existing file, for reading.
    case read
    /// An existing file, for reading and writing.
    case readWrite
    /// A new file with exactly these permissions, for reading and writing. Fails with `EEXIST` when the name is taken.
    case create(permissions: UInt16)
}

/// Device and inode: which object it is, whatever its name.
public struct FileIdentity: Hashable, Sendable {
    /// The device number.
    public let device: UInt64
    /// The inode number.
    public let inode: UInt64

    /// An identity from a journal or from a status.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

/// What kind of object a name stands for.
public enum FileKind: Equatable, Sendable {
    /// A plain file.
    case regularFile
    /// A folder.
    case directory
    /// A symbolic link. Never followed.
    case symbolicLink
    /// A device, pipe or socket.
    case other
}

/// What `stat` tells.
public struct FileStatus: Equatable, Sendable {
    /// Device and inode.
    public let identity: FileIdentity
    /// File, folder or other.
    public let kind: FileKind
    /// Bytes; meaningful for files.
    public let size: UInt64
    /// The twelve permission bits.
    public let permissions: UInt16
    /// Number of names (hard links).
    public let linkCount: UInt64
    /// The numeric user id of the owner.
    public let owner: UInt32
    /// Nanoseconds since 1970 of the last change of content.
    public let modifiedNanoseconds: Int64
    /// Nanoseconds since 1970 of the last change of content, links or permissions.
    public let changedNanoseconds: Int64
}

/// One name in a folder.
public struct DirectoryEntry: Equatable, Sendable {
    /// The name. Bytes that are not UTF-8 are shown replaced, so that such a name can be seen but not opened.
    public let name: String
    /// What it stands for.
    public let kind: FileKind
}

/// Space of the file system that a folder lies on, in bytes.
public struct FreeSpace: Equatable, Sendable {
    /// What an ordinary user may still write.
    public let available: UInt64
    /// The size of the file system.
    public let total: UInt64

    /// A measured or invented value.
    public init(available: UInt64, total: UInt64) {
        self.available = available
        self.total = total
    }
}

/// The one seam between this program and file systems.
///
/// Each method is one attempt at one system call: it may move fewer bytes than asked, and fail with `EINTR`. The loops
/// and the meaning stand above, in ``Directory``, ``File`` and ``Directory/durableReplace(_:mode:expectedLength:observing:write:)``.
/// Names are single, checked components; only `openRoot` sees a path of the system. No method follows a link below a root.
///
/// Implementations: ``PosixDisk``, ``InMemoryDisk`` (loses unsynced data at will) and ``FaultyDisk`` (fails at the Nth
/// call of another one). One conformance suite runs on all.
public protocol Disk: Sendable {
    /// Opens an existing folder by absolute path. The last name may be a link only if `followingLinks`.
    func openRoot(_ path: String, followingLinks: Bool) throws(SystemError) -> DiskHandle
    /// Opens below a folder; `ELOOP` for a link at any component.
    func open(_ path: RelativePath, in directory: DiskHandle, _ access: OpenAccess) throws(SystemError) -> DiskHandle
    /// Makes a folder with exactly these permissions, whatever the umask.
    func makeDirectory(_ name: String, in directory: DiskHandle, permissions: UInt16) throws(SystemError)
    /// Moves a name, atomically. Without `replacing` a taken target gives `EEXIST`.
    func rename(
        _ name: String, in directory: DiskHandle, to target: String, in targetDirectory: DiskHandle, replacing: Bool
    ) throws(SystemError)
    /// Removes a name that is not a folder.
    func removeFile(_ name: String, in directory: DiskHandle) throws(SystemError)
    /// Removes an empty folder.
    func removeDirectory(_ name: String, in directory: DiskHandle) throws(SystemError)
    /// All names but `.` and `..`, in no particular order.
    func list(_ directory: DiskHandle) throws(SystemError) -> [DirectoryEntry]
    /// The status of an open object.
    func status(_ handle: DiskHandle) throws(SystemError) -> FileStatus
    /// The status of a name, without opening it or following it.
    func status(of name: String, in directory: DiskHandle) throws(SystemError) -> FileStatus
    /// Reads at an offset; 0 means the end.
    func read(_ handle: DiskHandle, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(SystemError)
        -> Int
    /// Writes at an offset.
    func write(_ handle: DiskHandle, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) -> Int
    /// Sets the size.
    func truncate(_ handle: DiskHandle, to size: UInt64) throws(SystemError)
    /// Makes a file's bytes, or a folder's names, survive a loss of power.
    func sync(_ handle: DiskHandle) throws(SystemError)
    /// Takes a write lock that ends with the handle; false when another holds it.
    func lock(_ handle: DiskHandle) throws(SystemError) -> Bool
    /// Whether another handle holds the lock. Never takes it.
    func isLocked(_ handle: DiskHandle) throws(SystemError) -> Bool
    /// Space of the file system.
    func freeSpace(_ handle: DiskHandle) throws(SystemError) -> FreeSpace
    /// Whether this process may make and remove names in a folder.
    func isWritable(_ directory: DiskHandle) throws(SystemError) -> Bool
    /// The descriptor of the process, for libraries that want one; nil on a disk that has none.
    func descriptor(_ handle: DiskHandle) -> Int32?
    /// Gives the handle up. Cannot fail: whatever must last was synced before.
    func close(_ handle: DiskHandle)
}
