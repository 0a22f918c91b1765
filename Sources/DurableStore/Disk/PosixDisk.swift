import CLinux
import Glibc

/// The file systems of this computer.
public struct PosixDisk: Disk {
    /// Which way to open below a folder; tests force the second.
    enum Resolution {
        /// `openat2`, and the walk where the kernel or a sandbox does not know it.
        case kernel
        /// One `openat` per name.
        case walk
    }

    private let resolution: Resolution

    /// The real disk.
    public init() {
        resolution = .kernel
    }

    init(resolution: Resolution) {
        self.resolution = resolution
    }

    /// Opens an existing folder by path.
    public func openRoot(_ path: String, followingLinks: Bool) throws(SystemError) -> DiskHandle {
        let noFollow = followingLinks ? 0 : O_NOFOLLOW
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | noFollow)
        guard descriptor < 0 else { return DiskHandle(descriptor) }
        let number = errno
        // O_DIRECTORY with O_NOFOLLOW says ENOTDIR for a link; say what it is.
        if number == ENOTDIR, !followingLinks {
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw SystemError(ELOOP) }
        }
        throw SystemError(number)
    }

    /// Opens below a folder.
    public func open(
        _ path: RelativePath, in directory: DiskHandle, _ access: OpenAccess
    ) throws(SystemError) -> DiskHandle {
        var permissions: mode_t = 0
        let flags: Int32
        switch access {
        case .directory: flags = O_RDONLY | O_DIRECTORY
        // O_NONBLOCK: a pipe in the place of a file must not hold us; without effect on files.
        case .read: flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        case .readWrite: flags = O_RDWR | O_NONBLOCK | O_NOCTTY
        case .create(let wanted):
            flags = O_RDWR | O_CREAT | O_EXCL | O_NOCTTY
            permissions = mode_t(wanted)
        }
        let descriptor = try openDescriptor(path, in: directory.number, flags | O_NOFOLLOW, permissions)
        if case .create(let wanted) = access {
            // The umask may have taken bits of the owner away; a descriptor opened before that is not affected.
            guard fchmod(descriptor, mode_t(wanted)) == 0 else {
                let number = errno
                Glibc.close(descriptor)
                throw SystemError(number)
            }
        }
        return DiskHandle(descriptor)
    }

    /// Makes a folder.
    public func makeDirectory(
        _ name: String, in directory: DiskHandle, permissions: UInt16
    ) throws(SystemError) {
        try check(mkdirat(directory.number, name, mode_t(permissions)))
        // Opened as a mere reference, because the umask may have taken the right to open it.
        let made = clinux_open_directory_reference(directory.number, name)
        try check(made)
        defer { Glibc.close(made) }
        var status = stat()
        try check(fstat(made, &status))
        if status.st_mode & 0o7777 != mode_t(permissions) {
            try check(chmod("/proc/self/fd/\(made)", mode_t(permissions)))
        }
    }

    /// Moves a name.
    public func rename(
        _ name: String, in directory: DiskHandle, to target: String, in targetDirectory: DiskHandle, replacing: Bool
    ) throws(SystemError) {
        if replacing {
            try check(renameat(directory.number, name, targetDirectory.number, target))
        } else {
            try check(clinux_rename_without_replacing(directory.number, name, targetDirectory.number, target))
        }
    }

    /// Removes a name.
    public func removeFile(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try check(unlinkat(directory.number, name, 0))
    }

    /// Removes an empty folder.
    public func removeDirectory(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try check(unlinkat(directory.number, name, Int32(AT_REMOVEDIR)))
    }

    /// Lists a folder.
    public func list(_ directory: DiskHandle) throws(SystemError) -> [DirectoryEntry] {
        // A fresh open file description: the position of the stream must not be shared with the handle.
        let descriptor = openat(directory.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        try check(descriptor)
        guard let stream = fdopendir(descriptor) else {
            let number = errno
            Glibc.close(descriptor)
            throw SystemError(number)
        }
        defer { closedir(stream) }
        var entries: [DirectoryEntry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw SystemError(errno) }
                return entries
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            entries.append(DirectoryEntry(name: name, kind: try kind(of: entry, name, in: directory)))
        }
    }

    /// The status of an open object.
    public func status(_ handle: DiskHandle) throws(SystemError) -> FileStatus {
        var status = stat()
        try check(fstat(handle.number, &status))
        return FileStatus(status)
    }

    /// The status of a name.
    public func status(of name: String, in directory: DiskHandle) throws(SystemError) -> FileStatus {
        var status = stat()
        try check(fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW))
        return FileStatus(status)
    }

    /// Reads once.
    public func read(
        _ handle: DiskHandle, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        guard let position = off_t(exactly: offset) else { throw SystemError(EINVAL) }
        let count = pread(handle.number, buffer.baseAddress, buffer.count, position)
        guard count >= 0 else { throw SystemError(errno) }
        return count
    }

    /// Writes once.
    public func write(
        _ handle: DiskHandle, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        guard let position = off_t(exactly: offset) else { throw SystemError(EFBIG) }
        let count = pwrite(handle.number, bytes.baseAddress, bytes.count, position)
        guard count >= 0 else { throw SystemError(errno) }
        return count
    }

    /// Sets the size.
    public func truncate(_ handle: DiskHandle, to size: UInt64) throws(SystemError) {
        guard let length = off_t(exactly: size) else { throw SystemError(EFBIG) }
        try check(ftruncate(handle.number, length))
    }

    /// Syncs, once.
    public func sync(_ handle: DiskHandle) throws(SystemError) {
        try check(fsync(handle.number))
    }

    /// Takes the lock.
    public func lock(_ handle: DiskHandle) throws(SystemError) -> Bool {
        if clinux_ofd_write_lock(handle.number) == 0 { return true }
        if errno == EAGAIN || errno == EACCES { return false }
        throw SystemError(errno)
    }

    /// Probes the lock.
    public func isLocked(_ handle: DiskHandle) throws(SystemError) -> Bool {
        let holder = clinux_ofd_lock_probe(handle.number)
        guard holder >= 0 else { throw SystemError(errno) }
        return holder != 0
    }

    /// Measures the file system.
    public func freeSpace(_ handle: DiskHandle) throws(SystemError) -> FreeSpace {
        var values = statvfs()
        try check(fstatvfs(handle.number, &values))
        let unit = UInt64(values.f_frsize)
        return FreeSpace(
            available: UInt64(values.f_bavail).multipliedReportingOverflow(by: unit).partialValue,
            total: UInt64(values.f_blocks).multipliedReportingOverflow(by: unit).partialValue)
    }

    /// Asks the kernel.
    public func isWritable(_ directory: DiskHandle) throws(SystemError) -> Bool {
        if faccessat(directory.number, ".", W_OK | X_OK, 0) == 0 { return true }
        if [EACCES, EPERM, EROFS].contains(errno) { return false }
        throw SystemError(errno)
    }

    /// The handle is the descriptor.
    public func descriptor(_ handle: DiskHandle) -> Int32? {
        handle.number
    }

    /// Closes.
    public func close(_ handle: DiskHandle) {
        Glibc.close(handle.number)
    }
}

// MARK: - Helpers

extension PosixDisk {
    private func check(_ result: Int32) throws(SystemError) {
        guard result >= 0 else { throw SystemError(errno) }
    }

    private func openDescriptor(
        _ path: RelativePath, in directory: Int32, _ flags: Int32, _ permissions: mode_t
    ) throws(SystemError) -> Int32 {
        if resolution == .kernel {
            let descriptor = clinux_open_beneath(directory, path.description, flags, permissions)
            if descriptor >= 0 { return descriptor }
            // A sandbox answers EPERM for calls that it does not know, the kernel ENOSYS; EAGAIN is a rename meanwhile.
            // ENOTDIR may be a link where a folder is wanted: the walk finds out.
            guard [ENOSYS, EPERM, EAGAIN, ENOTDIR].contains(errno) else { throw SystemError(errno) }
        }
        return try walk(path, in: directory, flags, permissions)
    }

    /// Opens name by name, holding each folder, so that no link is followed and no name is looked up twice.
    private func walk(
        _ path: RelativePath, in directory: Int32, _ flags: Int32, _ permissions: mode_t
    ) throws(SystemError) -> Int32 {
        var current = directory
        defer { if current != directory { Glibc.close(current) } }
        for name in path.components.dropLast() {
            let next = openat(current, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
            guard next >= 0 else { throw SystemError(linkAware(errno, name, in: current)) }
            if current != directory { Glibc.close(current) }
            current = next
        }
        let descriptor = openat(current, path.name, flags | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw SystemError(linkAware(errno, path.name, in: current)) }
        return descriptor
    }

    /// `O_DIRECTORY | O_NOFOLLOW` on a link says `ENOTDIR`; callers shall hear `ELOOP`.
    private func linkAware(_ number: Int32, _ name: String, in directory: Int32) -> Int32 {
        guard number == ENOTDIR else { return number }
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return number }
        return status.st_mode & S_IFMT == S_IFLNK ? ELOOP : number
    }

    private func kind(
        of entry: UnsafeMutablePointer<dirent>, _ name: String, in directory: DiskHandle
    ) throws(SystemError) -> FileKind {
        switch Int(entry.pointee.d_type) {
        case Int(DT_REG): return .regularFile
        case Int(DT_DIR): return .directory
        case Int(DT_LNK): return .symbolicLink
        case Int(DT_UNKNOWN): return try status(of: name, in: directory).kind
        default: return .other
        }
    }
}

extension FileStatus {
    init(_ status: stat) {
        let kind: FileKind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regularFile
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        self.init(
            identity: FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
            kind: kind, size: UInt64(max(0, status.st_size)),
            permissions: UInt16(status.st_mode & 0o7777), linkCount: UInt64(status.st_nlink), owner: status.st_uid,
            modifiedNanoseconds: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            changedNanoseconds: Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec))
    }
}
