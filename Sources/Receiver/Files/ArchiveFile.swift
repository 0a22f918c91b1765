import CanonicalJSON
import DurableStore
import HealthData

/// The archive of a job in ZIP mode, built in the session's folder and published at the end (export-formats.md 8).
///
/// After each slice the file is synced before its checkpoint is stored; what lies behind the checkpoint after a restart is
/// cut off.
///
/// Used by the disk worker alone.
final class ArchiveFile {
    private static let name = "archive.zip"
    private static let folderName = "finalization"

    private let folder: Directory
    private let file: File
    private(set) var writer: ZipArchiveWriter

    /// Goes on at a checkpoint; `writer` spares reading the headers again when it stands there.
    init(
        in session: Directory, at checkpoint: ZipArchiveWriter.Checkpoint?, writer running: ZipArchiveWriter?
    ) throws {
        folder = try session.createDirectory(Self.folderName)
        let file = try folder.openOrCreateFile(Self.name)
        self.file = file
        let start = checkpoint ?? ZipArchiveWriter().checkpoint
        try file.truncate(to: start.byteCount)
        if let running, running.checkpoint == start {
            writer = running
        } else {
            writer = try ZipArchiveWriter(resuming: start) { try file.bytes(at: $0, count: $1) }
        }
    }

    /// Adds an entry.
    func add(
        _ name: String, date: CivilDate, _ render: (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard !writer.contains(name) else { throw HealthDataError.pathCollision(name) }
        var offset = writer.checkpoint.byteCount
        try writer.add(name, date: date, to: { [file] in try ArchiveFile.append($0, to: file, &offset) }) { sink in
            try withoutActuallyEscaping(sink) { sink in try render { try sink($0) } }
        }
    }

    /// Makes everything up to the checkpoint durable.
    func sync() throws {
        try file.sync()
        try folder.sync()
    }

    /// Writes the directory and puts a copy of the whole into the destination.
    func publish(as path: String, into files: inout LooseFiles) throws {
        var offset = writer.checkpoint.byteCount
        try writer.finish { [file] in try ArchiveFile.append($0, to: file, &offset) }
        try files.replace(path) { [file] sink in
            _ = try file.forEachPiece { try sink([UInt8]($0)) }
        }
    }

    private static func append(_ bytes: [UInt8], to file: File, _ offset: inout UInt64) throws {
        try file.write(bytes, at: offset)
        offset += UInt64(bytes.count)
    }
}
