import Glibc

/// The nodes of an ``InMemoryDisk``: what is there now, what is durable, and the changes in between.
struct InMemoryDiskState: Sendable {
    typealias NodeNumber = UInt64
    typealias Name = [UInt8]
    static let rootNode: NodeNumber = 1

    enum Content: Equatable, Sendable {
        case file
        case directory
        case symbolicLink(String)
    }

    /// A change of a file that was not synced yet.
    enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    /// A change of names that was not synced yet. A move between folders appears in both with the same number.
    struct NameChange: Sendable {
        let number: UInt64
        let removed: Name?
        let added: (name: Name, node: NodeNumber)?
    }

    struct Node: Sendable {
        var type: Content
        var permissions: UInt16
        var linkCount: UInt64 = 1
        var changedAt: Int64 = 0
        var content: [UInt8] = []
        var durableContent: [UInt8] = []
        var changes: [Change] = []
        var entries: [Name: NodeNumber] = [:]
        var durableEntries: [Name: NodeNumber] = [:]
        var nameChanges: [NameChange] = []

        init(_ type: Content, permissions: UInt16) {
            self.type = type
            self.permissions = permissions
        }

        /// What a number that is not in the table would be; reading it is harmless.
        static let missing = Node(.file, permissions: 0)

        var kind: FileKind {
            switch type {
            case .file: .regularFile
            case .directory: .directory
            case .symbolicLink: .symbolicLink
            }
        }
    }

    struct Opened: Sendable {
        let node: NodeNumber
        let writable: Bool
    }

    var nodes: [NodeNumber: Node] = [rootNode: Node(.directory, permissions: 0o755)]
    var handles: [DiskHandle: Opened] = [:]
    var locks: [NodeNumber: DiskHandle] = [:]
    var capacity: UInt64
    private var nextNode = rootNode + 1
    private var nextHandle: Int32 = 3
    private var clock: Int64 = 0
    private var nextChange: UInt64 = 0

    init(capacity: UInt64) {
        self.capacity = capacity
    }

    var usedByteCount: UInt64 { nodes.values.reduce(0) { $0 + UInt64($1.content.count) } }

    // MARK: Handles and names

    func opened(_ handle: DiskHandle) throws(SystemError) -> Opened {
        guard let opened = handles[handle] else { throw SystemError(EBADF) }
        return opened
    }

    func directoryNode(_ handle: DiskHandle) throws(SystemError) -> NodeNumber {
        let node = try opened(handle).node
        guard nodes[node]?.type == .directory else { throw SystemError(ENOTDIR) }
        return node
    }

    func child(_ name: Name, of directory: NodeNumber) throws(SystemError) -> NodeNumber {
        guard let node = nodes[directory] else { throw SystemError(ENOENT) }
        if case .symbolicLink = node.type { throw SystemError(ELOOP) }
        guard node.type == .directory else { throw SystemError(ENOTDIR) }
        guard let child = node.entries[name] else { throw SystemError(ENOENT) }
        return child
    }

    func node(_ name: String, in directory: DiskHandle) throws(SystemError) -> NodeNumber {
        try child(Array(name.utf8), of: try directoryNode(directory))
    }

    func refuseLink(_ number: NodeNumber) throws(SystemError) {
        if case .symbolicLink = nodes[number]?.type { throw SystemError(ELOOP) }
    }

    mutating func handle(to node: NodeNumber, writable: Bool) -> DiskHandle {
        let handle = DiskHandle(nextHandle)
        nextHandle += 1
        handles[handle] = Opened(node: node, writable: writable)
        return handle
    }

    mutating func openDirectory(_ node: NodeNumber) throws(SystemError) -> DiskHandle {
        try refuseLink(node)
        guard nodes[node]?.type == .directory else { throw SystemError(ENOTDIR) }
        return handle(to: node, writable: false)
    }

    mutating func openFile(_ node: NodeNumber, writable: Bool) throws(SystemError) -> DiskHandle {
        if nodes[node]?.type == .directory, writable { throw SystemError(EISDIR) }
        return handle(to: node, writable: writable)
    }

    mutating func close(_ handle: DiskHandle) {
        guard let opened = handles.removeValue(forKey: handle) else { return }
        if locks[opened.node] == handle { locks[opened.node] = nil }
        forget(opened.node)
    }

    /// Drops a node that has no name, no handle and no claim on the durable tree.
    private mutating func forget(_ number: NodeNumber) {
        guard nodes[number]?.linkCount == 0, !handles.values.contains(where: { $0.node == number }) else { return }
        let isDurable = nodes.values.contains { node in
            node.durableEntries.values.contains(number) || node.nameChanges.contains { $0.added?.node == number }
        }
        if isDurable {
            // No longer counted as used, but a loss of power may bring it back.
            nodes[number]?.content = []
        } else {
            nodes[number] = nil
        }
    }

    // MARK: Changes of names

    mutating func add(_ name: String, _ node: Node, in directory: DiskHandle) throws(SystemError) -> NodeNumber {
        try add(name, node, inNode: try directoryNode(directory))
    }

    mutating func add(_ name: String, _ node: Node, inNode directory: NodeNumber) throws(SystemError) -> NodeNumber {
        let name = Array(name.utf8)
        guard let parent = nodes[directory], parent.type == .directory else { throw SystemError(ENOTDIR) }
        guard parent.entries[name] == nil else { throw SystemError(EEXIST) }
        let number = nextNode
        nextNode += 1
        nodes[number] = node
        touch(number)
        changeNames(of: directory, nextNumber(), removed: nil, added: (name, number))
        return number
    }

    mutating func link(_ name: String, to existing: String, in directory: DiskHandle) throws(SystemError) {
        let parent = try directoryNode(directory)
        let number = try node(existing, in: directory)
        nodes[number]?.linkCount += 1
        changeNames(of: parent, nextNumber(), removed: nil, added: (Array(name.utf8), number))
    }

    mutating func removeName(_ name: String, in directory: DiskHandle, directory isDirectory: Bool) throws(SystemError)
    {
        let parent = try directoryNode(directory)
        let number = try node(name, in: directory)
        let node = nodes[number, default: .missing]
        if isDirectory {
            guard node.type == .directory else { throw SystemError(ENOTDIR) }
            guard node.entries.isEmpty else { throw SystemError(ENOTEMPTY) }
        } else if node.type == .directory {
            throw SystemError(EISDIR)
        }
        changeNames(of: parent, nextNumber(), removed: Array(name.utf8), added: nil)
        nodes[number]?.linkCount -= 1
        forget(number)
    }

    mutating func rename(
        _ name: String, in directory: DiskHandle, to target: String, in targetDirectory: DiskHandle, replacing: Bool
    ) throws(SystemError) {
        let from = try directoryNode(directory)
        let into = try directoryNode(targetDirectory)
        let moved = try node(name, in: directory)
        let replaced = nodes[into]?.entries[Array(target.utf8)]
        if let replaced {
            guard replacing else { throw SystemError(EEXIST) }
            if replaced == moved { return }
            let movesDirectory = nodes[moved]?.type == .directory
            let replacesDirectory = nodes[replaced]?.type == .directory
            if replacesDirectory, !movesDirectory { throw SystemError(EISDIR) }
            if !replacesDirectory, movesDirectory { throw SystemError(ENOTDIR) }
            if replacesDirectory, nodes[replaced]?.entries.isEmpty == false { throw SystemError(ENOTEMPTY) }
        }
        let number = nextNumber()
        if from == into {
            changeNames(of: from, number, removed: Array(name.utf8), added: (Array(target.utf8), moved))
        } else {
            changeNames(of: from, number, removed: Array(name.utf8), added: nil)
            changeNames(of: into, number, removed: nil, added: (Array(target.utf8), moved))
        }
        touch(moved)
        if let replaced {
            nodes[replaced]?.linkCount -= 1
            forget(replaced)
        }
    }

    private mutating func changeNames(
        of directory: NodeNumber, _ number: UInt64, removed: Name?, added: (name: Name, node: NodeNumber)?
    ) {
        if let removed { nodes[directory]?.entries[removed] = nil }
        if let added { nodes[directory]?.entries[added.name] = added.node }
        nodes[directory]?.nameChanges.append(NameChange(number: number, removed: removed, added: added))
        touch(directory)
    }

    private mutating func nextNumber() -> UInt64 {
        nextChange += 1
        return nextChange
    }

    private mutating func touch(_ node: NodeNumber) {
        clock += 1
        nodes[node]?.changedAt = clock
    }

    // MARK: Changes of content

    mutating func write(_ handle: DiskHandle, _ bytes: [UInt8], at offset: UInt64) throws(SystemError) -> Int {
        let opened = try opened(handle)
        guard opened.writable else { throw SystemError(EBADF) }
        guard let start = Int(exactly: offset) else { throw SystemError(EFBIG) }
        let size = nodes[opened.node, default: .missing].content.count
        let room = capacity - min(capacity, usedByteCount)
        let reach = UInt64(size) + room
        guard bytes.isEmpty || UInt64(start) < reach else { throw SystemError(ENOSPC) }
        let piece = Array(bytes.prefix(Int(min(UInt64(bytes.count), reach - UInt64(start)))))
        nodes[opened.node]?.content.apply(.write(offset: start, bytes: piece))
        nodes[opened.node]?.changes.append(.write(offset: start, bytes: piece))
        touch(opened.node)
        return piece.count
    }

    mutating func truncate(_ handle: DiskHandle, to size: UInt64) throws(SystemError) {
        let opened = try opened(handle)
        guard opened.writable else { throw SystemError(EINVAL) }
        let current = UInt64(nodes[opened.node, default: .missing].content.count)
        guard size <= current || size - current <= capacity - min(capacity, usedByteCount) else {
            throw SystemError(ENOSPC)
        }
        nodes[opened.node]?.content.apply(.truncate(Int(size)))
        nodes[opened.node]?.changes.append(.truncate(Int(size)))
        touch(opened.node)
    }

    mutating func sync(_ handle: DiskHandle) throws(SystemError) {
        let number = try opened(handle).node
        guard var node = nodes[number] else { return }
        let moves = Set(node.nameChanges.map(\.number))
        node.durableContent = node.content
        node.changes = []
        node.durableEntries = node.entries
        node.nameChanges = []
        nodes[number] = node
        completeMoves(moves)
    }

    /// A move between two folders is one entry of a file system's journal: syncing one folder makes both halves durable.
    private mutating func completeMoves(_ moves: Set<UInt64>) {
        for number in nodes.keys {
            guard var node = nodes[number], node.nameChanges.contains(where: { moves.contains($0.number) }) else {
                continue
            }
            for change in node.nameChanges where moves.contains(change.number) {
                if let removed = change.removed { node.durableEntries[removed] = nil }
                if let added = change.added { node.durableEntries[added.name] = added.node }
            }
            node.nameChanges.removeAll { moves.contains($0.number) }
            nodes[number] = node
        }
    }

    func status(of number: NodeNumber) -> FileStatus {
        let node = nodes[number, default: .missing]
        return FileStatus(
            identity: FileIdentity(device: 1, inode: number), kind: node.kind, size: UInt64(node.content.count),
            permissions: node.permissions, linkCount: node.linkCount, owner: geteuid(),
            modifiedNanoseconds: node.changedAt, changedNanoseconds: node.changedAt)
    }
}

extension [UInt8] {
    /// Applies one change of content; gaps become zeros. Bytes are moved at once: runs of the simulator live from it.
    mutating func apply(_ change: InMemoryDiskState.Change) {
        switch change {
        case .write(let offset, let bytes):
            if count < offset + bytes.count { self += [UInt8](repeating: 0, count: offset + bytes.count - count) }
            withUnsafeMutableBytes { content in
                bytes.withUnsafeBytes { piece in
                    UnsafeMutableRawBufferPointer(rebasing: content[offset..<offset + piece.count])
                        .copyMemory(from: piece)
                }
            }
        case .truncate(let size):
            if count > size {
                removeLast(count - size)
            } else {
                self += [UInt8](repeating: 0, count: size - count)
            }
        }
    }

    /// A copy of bytes, made at once.
    init(copying bytes: UnsafeRawBufferPointer) {
        self.init(unsafeUninitializedCapacity: bytes.count) { buffer, count in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            count = bytes.count
        }
    }
}
