import CanonicalJSON

/// Writes a ZIP64 archive to an append-only sink, entry by entry, and goes on after an interruption
/// (export-formats.md 8).
///
/// The writer never seeks: an entry is compressed first, then written with its sizes in its header. After each entry
/// ``checkpoint`` says how many bytes are whole; once those are durable, a writer made from the checkpoint continues,
/// and whatever lies behind them in the file is cut off by the caller.
public struct ZipArchiveWriter: Sendable {
    /// A place at which an archive can be continued. The file keeps the rest: its headers are read again.
    public struct Checkpoint: Codable, Hashable, Sendable {
        /// Bytes of finished entries.
        public let byteCount: UInt64
        /// Number of finished entries.
        public let entryCount: Int
    }

    /// Receives bytes in order.
    public typealias Sink = (_ bytes: [UInt8]) throws -> Void
    /// Reads bytes of the file that is continued.
    public typealias Reader = (_ offset: UInt64, _ count: Int) throws -> [UInt8]

    private var entries: [ZipEntry] = []
    private var names: Set<String> = []
    private var byteCount: UInt64 = 0

    /// A writer of a new archive.
    public init() {}

    /// Goes on behind the finished entries of a file. Throws `setting_invalid` when the file is not the one that the
    /// checkpoint was taken of.
    public init(resuming checkpoint: Checkpoint, reading read: Reader) throws {
        while byteCount < checkpoint.byteCount {
            let entry = try ZipEntry(at: byteCount, reading: read)
            entries.append(entry)
            names.insert(RelativePath.collisionKey(entry.name))
            byteCount = entry.end
        }
        guard byteCount == checkpoint.byteCount, entries.count == checkpoint.entryCount else {
            throw ZipEntry.damage("does not end where its checkpoint says")
        }
    }

    /// Where the archive stands.
    public var checkpoint: Checkpoint { Checkpoint(byteCount: byteCount, entryCount: entries.count) }

    /// Whether an entry of that name was written.
    public func contains(_ name: String) -> Bool {
        guard let name = try? Self.checkedName(name) else {
            // A name that may not be written was not written.
            return false
        }
        return names.contains(RelativePath.collisionKey(name))
    }

    /// Adds an entry whose content comes in pieces. Throws `setting_invalid` for an unsafe name and `path_collision` for
    /// one that is there already.
    ///
    /// - Parameter date: the entry's date in the archive; the day that it holds, so that equal content gives equal bytes.
    public mutating func add(
        _ name: String, date: CivilDate, to sink: Sink,
        content: (_ sink: (_ bytes: [UInt8]) throws -> Void) throws -> Void
    ) throws {
        let name = try Self.checkedName(name)
        let key = RelativePath.collisionKey(name)
        guard !names.contains(key) else { throw HealthDataError.pathCollision(name) }
        let content = try Deflate.compress(content)
        let entry = ZipEntry(
            name: name, date: date, checksum: content.checksum, compressedByteCount: UInt64(content.compressed.count),
            byteCount: content.byteCount, offset: byteCount)
        let header = entry.localHeader()
        try sink(header)
        try sink(content.compressed)
        byteCount = entry.end
        entries.append(entry)
        names.insert(key)
    }

    /// Adds an entry that is in memory.
    public mutating func add(_ name: String, date: CivilDate, content: [UInt8], to sink: Sink) throws {
        try add(name, date: date, to: sink) { try $0(content) }
    }

    /// Writes the directory. The archive is complete then.
    public func finish(to sink: Sink) throws {
        var directory: [UInt8] = []
        var size: UInt64 = 0
        for entry in entries {
            directory += entry.centralHeader()
            if directory.count >= TextWriter.flushByteCount {
                size += UInt64(directory.count)
                try sink(directory)
                directory.removeAll(keepingCapacity: true)
            }
        }
        size += UInt64(directory.count)
        directory += ZipEntry.endRecords(entryCount: entries.count, directorySize: size, directoryOffset: byteCount)
        try sink(directory)
    }

    /// Backslashes as slashes, empty and `.` components dropped; `..`, drives and control characters refused.
    private static func checkedName(_ name: String) throws -> String {
        let parts = name.replacing("\\", with: "/").split(separator: "/").filter { $0 != "." }
        let path = parts.joined(separator: "/")
        if let fault = RelativePath.fault(in: path) {
            throw HealthDataError.invalidSetting(key: "filenameFormat", reason: "gives an archive entry that \(fault)")
        }
        return path
    }
}

extension FilePlanner {
    /// The path of the archive of a range (export-formats.md 8).
    public func archivePath(from start: CivilDate, to end: CivilDate) -> String {
        let dates = start == end ? "\(start)" : "\(start)_to_\(end)"
        return RelativePath.join([settings.healthSubfolder, "Health.md Export \(dates).zip"])
    }
}
