import CSQLite
import Glibc
import Synchronization

/// SQLite's view of a disk that the operating system does not know: an own VFS that does every read, write, sync and
/// removal of a database and of its write-ahead log through the ``Disk`` seam. So the real SQLite runs on an
/// ``InMemoryDisk``, loses what was not synced, and meets the faults of a ``FaultyDisk``.
///
/// One connection per database: it runs with `locking_mode = EXCLUSIVE`, for which SQLite needs no shared memory. Like
/// SQLite's own VFS for Unix it syncs the folder with the first sync of a new log or journal.
final class DiskFileSystem: Sendable {
    /// The name under which SQLite knows the VFS.
    static let name = "healthmd-disk"

    private let number: Int
    private let fileName: String

    /// Makes a folder known until the last reference goes.
    init(_ fileName: String, in directory: Directory) {
        self.fileName = fileName
        number = DiskFileSystem.mounts.withLock { mounts in
            mounts.next += 1
            mounts.directories[mounts.next] = directory
            return mounts.next
        }
        _ = DiskFileSystem.registration
    }

    deinit {
        DiskFileSystem.mounts.withLock { $0.directories[number] = nil }
    }

    /// What SQLite is told to open.
    var path: String { "/\(number)/\(fileName)" }

    // MARK: Folders by number

    private struct Mounts {
        var directories: [Int: Directory] = [:]
        var next = 0
    }

    private static let mounts = Mutex(Mounts())

    /// The folder and the name that a path of SQLite means.
    fileprivate static func place(of path: UnsafePointer<CChar>?) -> (directory: Directory, name: String)? {
        guard let path else { return nil }
        let parts = String(cString: path).split(separator: "/")
        guard parts.count == 2, let number = Int(parts[0]) else { return nil }
        return mounts.withLock { $0.directories[number] }.map { ($0, String(parts[1])) }
    }

    // MARK: Registration

    /// Registers the VFS with SQLite, once; the structure belongs to SQLite from then on.
    private static let registration: Void = {
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = 1
        vfs.pointee.szOsFile = Int32(MemoryLayout<OpenedFile>.size)
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.xOpen = openFile
        vfs.pointee.xDelete = { _, path, syncsFolder in
            guard let (directory, name) = place(of: path) else { return SQLITE_IOERR_DELETE_ }
            return code(SQLITE_IOERR_DELETE_) {
                do {
                    try directory.disk.removeFile(name, in: directory.handle)
                } catch let error as SystemError where error.number == ENOENT {
                    throw Refusal(code: SQLITE_IOERR_DELETE_NOENT_)
                }
                if syncsFolder != 0 { try directory.disk.sync(directory.handle) }
            }
        }
        vfs.pointee.xAccess = { _, path, _, result in
            guard let (directory, name) = place(of: path) else { return SQLITE_IOERR_ACCESS_ }
            return code(SQLITE_IOERR_ACCESS_) {
                do {
                    let status = try directory.disk.status(of: name, in: directory.handle)
                    // SQLite counts an empty file as absent.
                    result?.pointee = status.size > 0 ? 1 : 0
                } catch let error as SystemError where error.number == ENOENT {
                    result?.pointee = 0
                }
            }
        }
        vfs.pointee.xFullPathname = { _, path, byteCount, result in
            guard let path, let result, strlen(path) < Int(byteCount) else { return SQLITE_CANTOPEN }
            strcpy(result, path)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = { _, count, bytes in
            systemVFS?.pointee.xRandomness(systemVFS, count, bytes) ?? 0
        }
        vfs.pointee.xSleep = { _, microseconds in systemVFS?.pointee.xSleep(systemVFS, microseconds) ?? 0 }
        vfs.pointee.xCurrentTime = { _, time in
            systemVFS?.pointee.xCurrentTime(systemVFS, time) ?? SQLITE_ERROR
        }
        vfs.pointee.xGetLastError = { _, _, _ in errno }
        let result = sqlite3_vfs_register(vfs, 0)
        precondition(result == SQLITE_OK, "SQLite takes a further VFS")
    }()
}

/// SQLite's own VFS, for what concerns no file.
nonisolated(unsafe) private let systemVFS = sqlite3_vfs_find(nil)

// Extended result codes, which the importer does not see: they are macros with a shift.
private let SQLITE_IOERR_READ_ = SQLITE_IOERR | (1 << 8)
private let SQLITE_IOERR_SHORT_READ_ = SQLITE_IOERR | (2 << 8)
private let SQLITE_IOERR_WRITE_ = SQLITE_IOERR | (3 << 8)
private let SQLITE_IOERR_FSYNC_ = SQLITE_IOERR | (4 << 8)
private let SQLITE_IOERR_DIR_FSYNC_ = SQLITE_IOERR | (5 << 8)
private let SQLITE_IOERR_TRUNCATE_ = SQLITE_IOERR | (6 << 8)
private let SQLITE_IOERR_FSTAT_ = SQLITE_IOERR | (7 << 8)
private let SQLITE_IOERR_DELETE_ = SQLITE_IOERR | (10 << 8)
private let SQLITE_IOERR_ACCESS_ = SQLITE_IOERR | (13 << 8)
private let SQLITE_IOERR_LOCK_ = SQLITE_IOERR | (15 << 8)
private let SQLITE_IOERR_DELETE_NOENT_ = SQLITE_IOERR | (23 << 8)
private let SQLITE_IOCAP_POWERSAFE_OVERWRITE_: Int32 = 0x1000
private let sectorByteCount: Int32 = 4_096

/// Another result code than that of the call as a whole.
private struct Refusal: Error {
    let code: Int32
}

/// Does calls of the seam, again while they are interrupted, and makes a result code of what they refuse. The caller
/// may ask for the number of the system's error next, so it is left in `errno`.
private func code(_ failure: Int32, _ body: () throws -> Void) -> Int32 {
    while true {
        do {
            try body()
            return SQLITE_OK
        } catch let refusal as Refusal {
            return refusal.code
        } catch let error as SystemError {
            if error.number == EINTR { continue }
            errno = error.number
            let isFull = error.number == ENOSPC || error.number == EDQUOT
            return isFull && failure == SQLITE_IOERR_WRITE_ ? SQLITE_FULL : failure
        } catch {
            return failure
        }
    }
}

// MARK: - Files

/// What SQLite allocates for each open file.
private struct OpenedFile {
    var base: sqlite3_file
    var file: Unmanaged<DatabaseFile>?
}

/// One open file of a database.
private final class DatabaseFile {
    let directory: Directory
    let handle: DiskHandle
    /// Whether the next sync must make the name durable too.
    var syncsFolder: Bool

    init(directory: Directory, handle: DiskHandle, syncsFolder: Bool) {
        self.directory = directory
        self.handle = handle
        self.syncsFolder = syncsFolder
    }

    deinit { directory.disk.close(handle) }

    var disk: any Disk { directory.disk }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try disk.read(handle, into: rest, at: offset + UInt64(done))
            guard count > 0 else {
                // What is behind the end reads as zeros (SQLite demands it).
                rest.initializeMemory(as: UInt8.self, repeating: 0)
                throw Refusal(code: SQLITE_IOERR_SHORT_READ_)
            }
            done += count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = try disk.write(handle, rest, at: offset + UInt64(done))
            guard count > 0 else { throw SystemError(ENOSPC) }
            done += count
        }
    }

    /// A failed sync is final, interrupted or not: it is not tried again.
    func sync() throws(Refusal) {
        try sync(handle, SQLITE_IOERR_FSYNC_)
        if syncsFolder { try sync(directory.handle, SQLITE_IOERR_DIR_FSYNC_) }
        syncsFolder = false
    }

    private func sync(_ handle: DiskHandle, _ failure: Int32) throws(Refusal) {
        do {
            try disk.sync(handle)
        } catch {
            errno = error.number
            throw Refusal(code: failure)
        }
    }
}

private func openFile(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ path: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32, _ resultFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let file, let (directory, name) = DiskFileSystem.place(of: path), let single = try? RelativePath(name)
    else { return SQLITE_CANTOPEN }  // The name was checked before SQLite got it; its own end in -wal and -journal.
    file.pointee.pMethods = nil
    return code(SQLITE_CANTOPEN) {
        let wanted: OpenAccess = flags & SQLITE_OPEN_READWRITE != 0 ? .readWrite : .read
        let handle: DiskHandle
        do {
            handle = try directory.disk.open(single, in: directory.handle, wanted)
        } catch let error as SystemError where error.number == ENOENT && flags & SQLITE_OPEN_CREATE != 0 {
            handle = try directory.disk.open(
                single, in: directory.handle, .create(permissions: Directory.privateFilePermissions))
        }
        // Also when the file was there: who made it may have died before the folder was synced.
        let syncsFolder = flags & SQLITE_OPEN_CREATE != 0 && flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0
        let opened = DatabaseFile(directory: directory, handle: handle, syncsFolder: syncsFolder)
        file.withMemoryRebound(to: OpenedFile.self, capacity: 1) { $0.pointee.file = .passRetained(opened) }
        file.pointee.pMethods = UnsafePointer(fileMethods)
        resultFlags?.pointee = flags
    }
}

private func opened(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DatabaseFile {
    guard let file,
        let opened = file.withMemoryRebound(to: OpenedFile.self, capacity: 1, { $0.pointee.file })
    else { preconditionFailure("SQLite uses files that it opened") }
    return opened.takeUnretainedValue()
}

/// The calls of SQLite for an open file. Never changed after it is made.
nonisolated(unsafe) private let fileMethods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 1
    methods.pointee.xClose = { file in
        file?.withMemoryRebound(to: OpenedFile.self, capacity: 1) { opened in
            opened.pointee.file?.release()
            opened.pointee.file = nil
        }
        return SQLITE_OK
    }
    methods.pointee.xRead = { file, bytes, count, offset in
        code(SQLITE_IOERR_READ_) {
            try opened(file).read(
                into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)), at: UInt64(offset))
        }
    }
    methods.pointee.xWrite = { file, bytes, count, offset in
        code(SQLITE_IOERR_WRITE_) {
            try opened(file).write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: UInt64(offset))
        }
    }
    methods.pointee.xTruncate = { file, size in
        code(SQLITE_IOERR_TRUNCATE_) {
            let file = opened(file)
            try file.disk.truncate(file.handle, to: UInt64(size))
        }
    }
    methods.pointee.xSync = { file, _ in code(SQLITE_IOERR_FSYNC_) { try opened(file).sync() } }
    methods.pointee.xFileSize = { file, size in
        code(SQLITE_IOERR_FSTAT_) {
            let file = opened(file)
            size?.pointee = sqlite3_int64(try file.disk.status(file.handle).size)
        }
    }
    methods.pointee.xLock = { file, _ in
        code(SQLITE_IOERR_LOCK_) {
            let file = opened(file)
            guard try file.disk.lock(file.handle) else { throw Refusal(code: SQLITE_BUSY) }
        }
    }
    // A lock of the seam ends with its handle, which an exclusive connection keeps anyway.
    methods.pointee.xUnlock = { _, _ in SQLITE_OK }
    methods.pointee.xCheckReservedLock = { file, result in
        code(SQLITE_IOERR_LOCK_) {
            let file = opened(file)
            result?.pointee = try file.disk.isLocked(file.handle) ? 1 : 0
        }
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in sectorByteCount }
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE_ }
    return methods
}()
