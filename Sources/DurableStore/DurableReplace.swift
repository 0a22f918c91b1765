/// What to do when the name is already taken.
public enum ReplaceMode: Sendable {
    /// Replace it, atomically.
    case replace
    /// Refuse with `already_exists`.
    case noReplace
    /// Keep it when it is a plain file with exactly the bytes that were written, else refuse with `content_differs`.
    case adoptIfExact
}

/// A file that is in place and durable.
public struct InstalledFile: Equatable, Sendable {
    /// How it came to be there.
    public enum Outcome: Sendable {
        /// The written file was moved to its name.
        case installed
        /// The name held the same bytes already (``ReplaceMode/adoptIfExact``).
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
    /// the only function that renames. On failure the temporary is removed and the name keeps what it held, except
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
            try file.sync()
            let outcome = try parent.install(file, temporaryName, as: path.name, mode)
            if outcome == .installed { try parent.sync() }
            let identity = try outcome == .installed ? file.status().identity : parent.identity(of: path.name)
            return InstalledFile(identity: identity, byteCount: writer.byteCount, outcome: outcome)
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

    private func install(
        _ file: File, _ temporaryName: String, as name: String, _ mode: ReplaceMode
    ) throws -> InstalledFile.Outcome {
        do {
            try rename(temporaryName, to: name, replacing: mode == .replace)
            return .installed
        } catch .alreadyExists where mode == .adoptIfExact {
            let existing = try self.file(name)
            guard try existing.hasSameContent(as: file) else { throw StoreError.contentDiffers(path: display(name)) }
            // Whoever wrote it may not have synced it.
            try existing.sync()
            try unlink(temporaryName)
            try sync()
            return .adopted
        }
    }

    private func rename(_ name: String, to target: String, replacing: Bool) throws(StoreError) {
        try attempt("rename", display(target)) { () throws(SystemError) in
            try disk.rename(name, in: handle, to: target, in: handle, replacing: replacing)
        }
    }

    private func identity(of name: String) throws(StoreError) -> FileIdentity {
        guard let status = try status(of: name) else { throw .notFound(path: display(name)) }
        return status.identity
    }
}
