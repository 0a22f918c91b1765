/// What to do when the name is already taken.
public enum ReplaceMode: Sendable {
    /// Replace it, atomically.
    case replace
    /// Refuse with `already_exists`.
    case noReplace
    /// Keep it when it is a plain file with exactly the bytes that were written, else refuse with `content_differs`.
    case adoptIfExact
    /// Leave it alone when it is a private file with exactly the bytes that were written, else replace it, whatever it is.
    case replaceUnlessExact
}

/// A file that is in place and durable.
public struct InstalledFile: Equatable, Sendable {
    /// How it came to be there.
    public enum Outcome: Sendable {
        /// The written file was moved to its name.
        case installed
        /// The name held the same bytes already (``ReplaceMode/adoptIfExact``, ``ReplaceMode/replaceUnlessExact``).
        case adopted
    }

    /// Device and inode.
    public let identity: FileIdentity
    /// Bytes.
    public let byteCount: UInt64
    /// Written or adopted.
    public let outcome: Outcome
}

extension Directory {
    /// Puts a file in place so that, at any moment and after any loss of power, the name holds either what it held before
    /// or all of the new bytes, and when this returns the new ones for good (style.md, "Record, then speak").
    ///
    /// Temporary file (0600, fresh name, same folder) → write → length check → sync → rename → sync of the folder. This is
    /// (with ``durableMove(_:to:as:mode:)``, its second half) the only function that renames. On failure the temporary is removed and the name keeps what it held, except
    /// when the last sync fails: then the new file is visible and complete, but not known to be durable. A failed sync is never retried.
    ///
    /// - Parameters:
    ///   - path: the name below this folder; the folders on the way exist.
    ///   - mode: what to do when the name is taken.
    ///   - expectedByteCount: when known, fewer or more bytes are a `length_mismatch`.
    ///   - observe: sees every byte once, in order, as it is written: the place for a digest.
    ///   - write: gives the bytes to the writer. Its error is passed on.
    @discardableResult
    public func durableReplace(
        _ path: String, mode: ReplaceMode = .replace, expectedByteCount: UInt64? = nil,
        observing observe: ((UnsafeRawBufferPointer) -> Void)? = nil,
        write: (DurableFileWriter) throws -> Void
    ) throws -> InstalledFile {
        let path = try RelativePath(path)
        let parent = try parentDirectory(of: path)
        let temporaryName = TemporaryName.next()
        let file = try parent.createFile(temporaryName)
        do {
            let writer = DurableFileWriter(file: file, limit: expectedByteCount, observe: observe)
            try write(writer)
            try writer.finish()
            if mode == .replaceUnlessExact,
                let exact = try parent.keepIfExact(path.name, for: file, temporaryName, from: parent)
            {
                return exact
            }
            try file.sync()
            return try parent.install(file, temporaryName, from: parent, as: path.name, mode)
        } catch {
            // The first error tells; a temporary that cannot be removed now is swept at the next start. After the rename the name is gone.
            try? parent.unlink(temporaryName)
            throw error
        }
    }

    /// ``durableReplace(_:mode:expectedByteCount:observing:write:)`` for bytes that are in memory.
    @discardableResult
    public func durableReplace(
        _ path: String, mode: ReplaceMode = .replace, with bytes: [UInt8]
    ) throws -> InstalledFile {
        try durableReplace(path, mode: mode, expectedByteCount: UInt64(bytes.count)) { try $0.write(bytes) }
    }

    /// Moves a file that is complete to its name, in this or another folder of the same disk, without copying it.
    /// The second half of ``durableReplace(_:mode:expectedByteCount:observing:write:)``: sync → rename → sync of the folders.
    ///
    /// - Throws: `cross_device` when the folders lie on different file systems: then the bytes must be copied.
    @discardableResult
    public func durableMove(
        _ source: String, to directory: Directory, as target: String, mode: ReplaceMode = .replace
    ) throws -> InstalledFile {
        let source = try RelativePath(source)
        let target = try RelativePath(target)
        let file = try self.file(source.description)
        let (from, to) = (try parentDirectory(of: source), try directory.parentDirectory(of: target))
        if mode == .replaceUnlessExact,
            let exact = try to.keepIfExact(target.name, for: file, source.name, from: from)
        {
            return exact
        }
        try file.sync()
        return try to.install(file, source.name, from: from, as: target.name, mode)
    }

    /// Keeps a file that has the bytes already, made durable, and drops ours; nil when there is none.
    private func keepIfExact(
        _ name: String, for file: File, _ currentName: String, from folder: Directory
    ) throws -> InstalledFile? {
        // Whatever cannot be read as a private file of ours is not exact, and is replaced.
        guard let existing = try? self.file(name, requiringPrivate: true),
            (try? existing.hasSameContent(as: file)) == true
        else { return nil }
        // Whoever wrote it, perhaps ourselves before we were killed, may not have synced it.
        try existing.sync()
        try folder.unlink(currentName)
        try sync()
        if folder !== self { try folder.sync() }
        let status = try existing.status()
        return InstalledFile(identity: status.identity, byteCount: status.size, outcome: .adopted)
    }

    /// Gives a synced file its name in this folder.
    private func install(
        _ file: File, _ currentName: String, from folder: Directory, as name: String, _ mode: ReplaceMode
    ) throws -> InstalledFile {
        let status = try file.status()
        let isMoved = try renameUnlessAdopting(currentName, in: folder, to: name, mode)
        let identity = isMoved ? status.identity : try adopt(name, for: file, currentName, from: folder)
        try sync()
        if folder !== self { try folder.sync() }
        return InstalledFile(identity: identity, byteCount: status.size, outcome: isMoved ? .installed : .adopted)
    }

    /// Takes the file that has the name already, if it holds the same bytes, and drops ours.
    private func adopt(
        _ name: String, for file: File, _ currentName: String, from folder: Directory
    ) throws -> FileIdentity {
        let existing = try self.file(name)
        guard try existing.hasSameContent(as: file) else { throw StoreError.contentDiffers(path: display(name)) }
        // Whoever wrote it may not have synced it.
        try existing.sync()
        try folder.unlink(currentName)
        return try existing.status().identity
    }

    /// False when the name is taken and may be adopted.
    private func renameUnlessAdopting(
        _ name: String, in folder: Directory, to target: String, _ mode: ReplaceMode
    ) throws(StoreError) -> Bool {
        do {
            try rename(name, in: folder, to: target, replacing: mode == .replace || mode == .replaceUnlessExact)
            return true
        } catch .alreadyExists where mode == .adoptIfExact {
            return false
        }
    }

    private func rename(
        _ name: String, in folder: Directory, to target: String, replacing: Bool
    ) throws(StoreError) {
        try attempt("rename", display(target)) { () throws(SystemError) in
            try disk.rename(name, in: folder.handle, to: target, in: handle, replacing: replacing)
        }
    }
}
