import Glibc
import Synchronization

/// A disk in memory that knows which of its bytes and names would survive a loss of power.
///
/// A file's bytes survive once the file was synced, a name once its folder was. ``afterPowerLoss(seed:)`` gives the
/// disk that a machine finds when the power returns: of what was not synced, any part may be there or not, names in any
/// order, writes torn at sectors. That is more than journaling file systems do to us, and no less than POSIX allows.
public final class InMemoryDisk: Disk {
    let state: Mutex<InMemoryDiskState>

    /// An empty disk of `capacity` bytes of file content.
    public init(capacity: UInt64 = 1 << 40) {
        state = Mutex(InMemoryDiskState(capacity: capacity))
    }

    private init(state: InMemoryDiskState) {
        self.state = Mutex(state)
    }

    /// The disk after the power was lost now. Handles of this disk mean nothing there; this one is not changed.
    ///
    /// - Parameter seed: chooses what survives of the unsynced; nil: nothing of it does.
    public func afterPowerLoss(seed: UInt64?) -> InMemoryDisk {
        InMemoryDisk(state: state.withLock { $0.afterPowerLoss(seed: seed) })
    }

    /// The disk as other processes find it when the one that used it was killed: everything that was written is there, synced
    /// or not, and nobody holds a handle or a lock.
    public func afterProcessDeath() -> InMemoryDisk {
        InMemoryDisk(
            state: state.withLock { state in
                var state = state
                state.handles = [:]
                state.locks = [:]
                return state
            })
    }

    /// Puts a symbolic link on the disk, for tests: the store itself never makes one.
    public func plantSymbolicLink(_ name: String, to target: String, in directory: Directory) throws(StoreError) {
        try attempt("symlink", name) { () throws(SystemError) in
            try state.withLock { (state) throws(SystemError) in
                let node = InMemoryDiskState.Node(.symbolicLink(target), permissions: 0o777)
                _ = try state.add(name, node, in: directory.handle)
            }
        }
    }

    /// Gives a file a second name, for tests: the store itself never does.
    public func plantHardLink(
        _ name: String, to existing: String, in directory: Directory
    ) throws(StoreError) {
        try attempt("link", name) { () throws(SystemError) in
            try state.withLock { (state) throws(SystemError) in
                try state.link(name, to: existing, in: directory.handle)
            }
        }
    }

    /// Changes the permissions of a name, for tests.
    public func setPermissions(
        _ permissions: UInt16, of name: String, in directory: Directory
    ) throws(StoreError) {
        try attempt("chmod", name) { () throws(SystemError) in
            try state.withLock { (state) throws(SystemError) in
                let number = try state.node(name, in: directory.handle)
                state.nodes[number]?.permissions = permissions
            }
        }
    }

    /// How much room is left, for tests that make the disk full.
    public func setCapacity(_ capacity: UInt64) {
        state.withLock { $0.capacity = capacity }
    }

    /// The number of open handles, for tests that look for leaks.
    public var openHandleCount: Int { state.withLock { $0.handles.count } }
}

// MARK: - The seam

extension InMemoryDisk {
    /// Opens an existing folder by path.
    public func openRoot(_ path: String, followingLinks: Bool) throws(SystemError) -> DiskHandle {
        try state.withLock { (state) throws(SystemError) in
            var current = InMemoryDiskState.rootNode
            for name in path.utf8.split(separator: UInt8(ascii: "/")) {
                current = try state.child(Array(name), of: current)
            }
            return try state.openDirectory(current)
        }
    }

    /// Opens below a folder.
    public func open(
        _ path: RelativePath, in directory: DiskHandle, _ access: OpenAccess
    ) throws(SystemError) -> DiskHandle {
        try state.withLock { (state) throws(SystemError) in
            var current = try state.directoryNode(directory)
            for name in path.components.dropLast() {
                current = try state.child(Array(name.utf8), of: current)
                try state.refuseLink(current)
            }
            if case .create(let permissions) = access {
                let node = InMemoryDiskState.Node(.file, permissions: permissions)
                return state.handle(to: try state.add(path.name, node, inNode: current), writable: true)
            }
            current = try state.child(Array(path.name.utf8), of: current)
            try state.refuseLink(current)
            if access == .directory { return try state.openDirectory(current) }
            return try state.openFile(current, writable: access == .readWrite)
        }
    }

    /// Makes a folder.
    public func makeDirectory(
        _ name: String, in directory: DiskHandle, permissions: UInt16
    ) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            _ = try state.add(name, InMemoryDiskState.Node(.directory, permissions: permissions), in: directory)
        }
    }

    /// Moves a name.
    public func rename(
        _ name: String, in directory: DiskHandle, to target: String, in targetDirectory: DiskHandle, replacing: Bool
    ) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            try state.rename(name, in: directory, to: target, in: targetDirectory, replacing: replacing)
        }
    }

    /// Removes a name.
    public func removeFile(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            try state.removeName(name, in: directory, directory: false)
        }
    }

    /// Removes an empty folder.
    public func removeDirectory(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            try state.removeName(name, in: directory, directory: true)
        }
    }

    /// Lists a folder.
    public func list(_ directory: DiskHandle) throws(SystemError) -> [DirectoryEntry] {
        try state.withLock { (state) throws(SystemError) in
            let node = try state.directoryNode(directory)
            return state.nodes[node, default: .missing].entries.map { name, child in
                DirectoryEntry(
                    name: String(decoding: name, as: UTF8.self), kind: state.nodes[child, default: .missing].kind)
            }
        }
    }

    /// The status of an open object.
    public func status(_ handle: DiskHandle) throws(SystemError) -> FileStatus {
        try state.withLock { (state) throws(SystemError) in state.status(of: try state.opened(handle).node) }
    }

    /// The status of a name.
    public func status(of name: String, in directory: DiskHandle) throws(SystemError) -> FileStatus {
        try state.withLock { (state) throws(SystemError) in state.status(of: try state.node(name, in: directory)) }
    }

    /// Reads.
    public func read(
        _ handle: DiskHandle, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try state.withLock { (state) throws(SystemError) in
            let content = state.nodes[try state.opened(handle).node, default: .missing].content
            guard offset < UInt64(content.count) else { return 0 }
            let count = min(buffer.count, content.count - Int(offset))
            content.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
            }
            return count
        }
    }

    /// Writes as much as there is room for.
    public func write(
        _ handle: DiskHandle, _ bytes: UnsafeRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        let bytes = [UInt8](copying: bytes)
        return try state.withLock { (state) throws(SystemError) in
            try state.write(handle, bytes, at: offset)
        }
    }

    /// Sets the size.
    public func truncate(_ handle: DiskHandle, to size: UInt64) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in try state.truncate(handle, to: size) }
    }

    /// Syncs.
    public func sync(_ handle: DiskHandle) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in try state.sync(handle) }
    }

    /// Takes the lock.
    public func lock(_ handle: DiskHandle) throws(SystemError) -> Bool {
        try state.withLock { (state) throws(SystemError) in
            let opened = try state.opened(handle)
            let holder = state.locks[opened.node] ?? handle
            if holder == handle { state.locks[opened.node] = handle }
            return holder == handle
        }
    }

    /// Probes the lock.
    public func isLocked(_ handle: DiskHandle) throws(SystemError) -> Bool {
        try state.withLock { (state) throws(SystemError) in
            let holder = state.locks[try state.opened(handle).node]
            return holder != nil && holder != handle
        }
    }

    /// Measures.
    public func freeSpace(_ handle: DiskHandle) throws(SystemError) -> FreeSpace {
        state.withLock { state in
            FreeSpace(available: state.capacity - min(state.capacity, state.usedByteCount), total: state.capacity)
        }
    }

    /// Looks at the owner's bits.
    public func isWritable(_ directory: DiskHandle) throws(SystemError) -> Bool {
        try state.withLock { (state) throws(SystemError) in
            state.nodes[try state.directoryNode(directory), default: .missing].permissions & 0o300 == 0o300
        }
    }

    /// There is none.
    public func descriptor(_ handle: DiskHandle) -> Int32? {
        nil
    }

    /// Closes.
    public func close(_ handle: DiskHandle) {
        state.withLock { $0.close(handle) }
    }
}
