import CanonicalJSON
import DurableStore
import HealthData

/// The ZIP archive of a file job while it grows (export-formats.md 8): a private file in the session's folder, which
/// goes when the session is over. Its checkpoint is committed together with the frontier, after ``sync()``.
struct ArchiveBuilder: Sendable {
    /// The name of the unfinished archive.
    static let name = "archive.zip"
    private static let folderName = "finalization"

    private let file: File
    private let folder: Directory
    private var writer: ZipArchiveWriter

    /// Begins an archive, or goes on at a checkpoint: whatever lies behind it is cut off.
    init(in session: Directory, resuming checkpoint: ZipArchiveWriter.Checkpoint?) throws {
        folder = try session.createDirectory(Self.folderName)
        file = try folder.openOrCreateFile(Self.name)
        guard let checkpoint, checkpoint.byteCount > 0 else {
            try file.truncate(to: 0)
            writer = ZipArchiveWriter()
            return
        }
        let size = try file.size()
        guard size >= checkpoint.byteCount else { throw ReceiverError.itemFileDamaged }
        writer = try ZipArchiveWriter(resuming: checkpoint) { [file] offset, count in
            let rest = offset < size ? Int(min(UInt64(count), size - offset)) : 0
            return try file.bytes(at: offset, count: rest)
        }
        try file.truncate(to: checkpoint.byteCount)
    }

    /// Where the archive may be continued once it is synced.
    var checkpoint: ZipArchiveWriter.Checkpoint { writer.checkpoint }

    /// Adds an entry. A failure leaves the entries before it as they are.
    mutating func add(_ name: String, date: CivilDate, _ render: DestinationWriter.Rendering) throws {
        var offset = writer.checkpoint.byteCount
        try writer.add(name, date: date) { [file] bytes in
            try file.write(bytes, at: offset)
            offset += UInt64(bytes.count)
        } content: { sink in
            try withoutActuallyEscaping(sink) { try render($0) }
        }
    }

    /// Makes the entries durable. A failure is final for what came after the last checkpoint.
    func sync() throws {
        try file.sync()
        try folder.sync()
    }

    /// Writes the complete archive, entries and directory.
    func write(to writer: DurableFileWriter, _ interruption: Interruption) throws {
        var rest = checkpoint.byteCount
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: File.bufferByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        while rest > 0 {
            try interruption.check()
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(rest, UInt64(buffer.count)))])
            guard try file.read(into: piece, at: checkpoint.byteCount - rest) == piece.count else {
                throw ReceiverError.itemFileDamaged
            }
            try writer.write(UnsafeRawBufferPointer(piece))
            rest -= UInt64(piece.count)
        }
        try self.writer.finish { try writer.write($0) }
    }
}
