import Glibc

/// An open folder: the only way to reach files. Closed when the last reference goes.
///
/// Every path is relative to it, goes down only and never through a link. What it makes is private: folders 0700,
/// files 0600, whatever the umask (extensions.md 5).
public final class Directory: Sendable {
    /// The permissions of every folder that the store makes.
    public static let privateDirectoryPermissions: UInt16 = 0o700
    /// The permissions of every file that the store makes.
    public static let privateFilePermissions: UInt16 = 0o600

    /// The path relative to the root that was opened, empty for the root itself.
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

    /// The path of a name in this folder, for messages.
    func display(_ path: String) -> String {
        displayPath.isEmpty ? path : "\(displayPath)/\(path)"
    }

    /// Device and inode, to be compared with what a journal remembers.
    public func identity() throws(StoreError) -> FileIdentity {
        try status().identity
    }

    /// The status of the folder itself.
    public func status() throws(StoreError) -> FileStatus {
        try attempt("fstat", displayPath) { () throws(SystemError) in try disk.status(handle) }
    }

    /// Where the folder is in the system now, for libraries that take paths only; nil on a disk that has none. Whoever
    /// controls the folders above can change what stands there: use it for folders of ours alone.
    public func systemPath() throws(StoreError) -> String? {
        guard let descriptor = disk.descriptor(handle) else { return nil }
        var buffer = [CChar](repeating: 0, count: RelativePath.maximumByteCount + 1)
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { throw StoreError(SystemError(errno), "readlink", displayPath) }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes the names in this folder survive a loss of power. A failure is final.
    public func sync() throws(StoreError) {
        do {
            try disk.sync(handle)
        } catch {
            throw StoreError(error, "fsync", displayPath)
        }
    }

    /// Space of the file system that this folder lies on.
    public func freeSpace() throws(StoreError) -> FreeSpace {
        try attempt("statvfs", displayPath) { () throws(SystemError) in try disk.freeSpace(handle) }
    }

    /// Whether this process may put files into the folder.
    public func isWritable() throws(StoreError) -> Bool {
        try attempt("access", displayPath) { () throws(SystemError) in try disk.isWritable(handle) }
    }

    /// Holds the rules of a private folder: ours, and closed to group and others.
    public func requirePrivate() throws(StoreError) {
        try status().requirePrivateDirectory(displayPath)
    }

    /// The names in this folder, sorted by bytes.
    public func entries() throws(StoreError) -> [DirectoryEntry] {
        let entries = try attempt("readdir", displayPath) { () throws(SystemError) in try disk.list(handle) }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The status of what a path stands for, without following a link; nil when nothing is there.
    public func status(of path: String) throws(StoreError) -> FileStatus? {
        let path = try RelativePath(path)
        do {
            let parent = try parentDirectory(of: path)
            return try attempt("stat", display(path.description)) { () throws(SystemError) in
                try disk.status(of: path.name, in: parent.handle)
            }
        } catch .notFound {
            return nil
        }
    }
}

// MARK: - Folders

extension Directory {
    /// Opens a folder by its path in the system. The folder itself must not be a link.
    ///
    /// - Parameter creating: makes the missing folders on the way, 0700, durably. An existing folder keeps its mode.
    public static func openRoot(
        _ path: String, on disk: any Disk = PosixDisk(), creating: Bool = false
    ) throws(StoreError) -> Directory {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw .invalidPath(path: path, reason: "an absolute path without zero bytes is needed")
        }
        do {
            return try openExistingRoot(path, on: disk, followingLinks: false)
        } catch .notFound where creating {
            let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            guard let name = names.last else { throw .notFound(path: path) }
            let above = "/" + names.dropLast().joined(separator: "/")
            let parent = try openParentOfRoot(above, on: disk)
            let made = try parent.createDirectory(name)
            // Opened once more as a root of its own, so that messages name paths relative to it.
            return try parent.directoryAsRoot(made.displayPath)
        }
    }

    private static func openParentOfRoot(_ path: String, on disk: any Disk) throws(StoreError) -> Directory {
        do {
            return try openExistingRoot(path, on: disk, followingLinks: true)
        } catch .notFound where path != "/" {
            return try openRoot(path, on: disk, creating: true)
        }
    }

    private static func openExistingRoot(
        _ path: String, on disk: any Disk, followingLinks: Bool
    ) throws(StoreError) -> Directory {
        let handle = try attempt("open", path) { () throws(SystemError) in
            try disk.openRoot(path, followingLinks: followingLinks)
        }
        return Directory(handle: handle, on: disk, displayPath: "")
    }

    /// Opens an existing folder below this one.
    public func directory(_ path: String) throws(StoreError) -> Directory {
        try directory(try RelativePath(path))
    }

    func directory(_ path: RelativePath) throws(StoreError) -> Directory {
        let shown = display(path.description)
        let opened = try attempt("open", shown) { () throws(SystemError) in
            try disk.open(path, in: handle, .directory)
        }
        return Directory(handle: opened, on: disk, displayPath: shown)
    }

    /// Opens a folder below this one, making what is missing on the way: 0700, and durable when this returns, also where
    /// it was there: whoever made it, perhaps ourselves before we were killed, may not have synced it.
    public func createDirectory(_ path: String) throws(StoreError) -> Directory {
        var current = self
        for name in try RelativePath(path).components {
            let parent = current
            do {
                current = try parent.directory(name)
                try parent.sync()
            } catch .notFound {
                do {
                    try attempt("mkdir", parent.display(name)) { () throws(SystemError) in
                        try disk.makeDirectory(
                            name, in: parent.handle, permissions: Self.privateDirectoryPermissions)
                    }
                    try parent.sync()
                } catch .alreadyExists {
                    // Another thread made it meanwhile; opening tells whether it is a folder.
                }
                current = try parent.directory(name)
            }
        }
        return current
    }

    /// Removes an empty folder and makes that durable.
    public func removeDirectory(_ path: String) throws(StoreError) {
        let path = try RelativePath(path)
        let parent = try parentDirectory(of: path)
        try attempt("rmdir", display(path.description)) { () throws(SystemError) in
            try disk.removeDirectory(path.name, in: parent.handle)
        }
        try parent.sync()
    }

    /// Removes a folder with everything below it, never through a link; absent is fine. Stops at the first failure.
    public func removeTree(_ path: String) throws(StoreError) {
        let target: Directory
        do {
            target = try directory(path)
        } catch .notFound {
            return
        }
        for entry in try target.entries() {
            if entry.kind == .directory {
                try target.removeTree(entry.name)
            } else {
                try target.unlink(entry.name)
            }
        }
        try removeDirectory(path)
    }

    /// The folder in which the last name of a path lies: this one, or one below.
    func parentDirectory(of path: RelativePath) throws(StoreError) -> Directory {
        guard let parent = path.parent else { return self }
        return try directory(parent)
    }

    private func directoryAsRoot(_ name: String) throws(StoreError) -> Directory {
        let path = try RelativePath(name)
        let opened = try attempt("open", name) { () throws(SystemError) in
            try disk.open(path, in: handle, .directory)
        }
        return Directory(handle: opened, on: disk, displayPath: "")
    }
}

// MARK: - Files

extension Directory {
    /// How a file is opened.
    public enum FileAccess: Sendable {
        /// For reading.
        case read
        /// For reading and writing.
        case readWrite
    }

    /// Opens an existing plain file.
    ///
    /// - Parameter requiringPrivate: refuses it when group or others can reach it, or when it has a second name.
    public func file(
        _ path: String, _ access: FileAccess = .read, requiringPrivate: Bool = false
    ) throws(StoreError) -> File {
        let path = try RelativePath(path)
        let file = try open(path, access == .read ? .read : .readWrite)
        if requiringPrivate {
            try file.requirePrivate()
        } else if try file.status().kind != .regularFile {
            throw .wrongType(path: file.displayPath, expected: "plain file")
        }
        return file
    }

    /// Makes a new file, 0600, for reading and writing. It becomes durable by syncing it and this folder.
    ///
    /// - Throws: `already_exists` when the name is taken, by whatever.
    public func createFile(_ path: String) throws(StoreError) -> File {
        try open(try RelativePath(path), .create(permissions: Self.privateFilePermissions))
    }

    /// Opens a private file for reading and writing, or makes it.
    public func openOrCreateFile(_ path: String) throws(StoreError) -> File {
        while true {
            do {
                return try file(path, .readWrite, requiringPrivate: true)
            } catch .notFound {
                do {
                    return try createFile(path)
                } catch .alreadyExists {
                    // Made by another process between the two attempts: open it.
                }
            }
        }
    }

    /// A new file without a name: it is gone with its last descriptor. For snapshots that are sent away.
    public func createUnnamedFile() throws(StoreError) -> File {
        let name = TemporaryName.next()
        let file = try createFile(name)
        try unlink(name)
        return file
    }

    /// Removes a file (or a link, never what it points to) and makes that durable.
    public func remove(_ path: String) throws(StoreError) {
        let path = try RelativePath(path)
        let parent = try parentDirectory(of: path)
        try parent.unlink(path.name)
        try parent.sync()
    }

    /// Removes a file when it is there; tells whether it was.
    @discardableResult
    public func removeIfPresent(_ path: String) throws(StoreError) -> Bool {
        do {
            try remove(path)
            return true
        } catch .notFound {
            return false
        }
    }

    /// Removes a name without syncing, for temporaries whose return after a crash does no harm.
    func unlink(_ name: String) throws(StoreError) {
        try attempt("unlink", display(name)) { () throws(SystemError) in
            try disk.removeFile(name, in: handle)
        }
    }

    private func open(_ path: RelativePath, _ access: OpenAccess) throws(StoreError) -> File {
        let shown = display(path.description)
        let opened = try attempt("open", shown) { () throws(SystemError) in
            try disk.open(path, in: handle, access)
        }
        return File(handle: opened, on: disk, displayPath: shown)
    }
}
