import ConnectedProtocol
import Cryptography
import DurableStore
import HealthData

/// Puts single files into the destination, durably and below its descriptor.
struct LooseFiles {
    /// The most of an existing file that is read to be merged into or appended to.
    static let maximumExistingByteCount = 64 << 20

    let destination: Directory
    /// What was written since this was made.
    private(set) var written: [WrittenFile] = []

    init(destination: Directory) { self.destination = destination }

    /// Replaces a file with what `render` gives.
    mutating func replace(_ path: String, _ render: (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Void) throws
    {
        try makeFolder(of: path)
        var hasher = SHA256()
        let installed = try destination.durableReplace(path, observing: { hasher.update($0) }) { writer in
            try render { try writer.write($0) }
        }
        written.append(WrittenFile(path: path, byteCount: Int64(installed.byteCount), sha256: hasher.peek()))
    }

    /// Writes a day's file in the mode of the settings (export-formats.md 9).
    mutating func write(
        _ path: String, as format: ExportFormat, mode: WriteMode,
        _ render: (_ sink: @escaping ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard mode != .overwrite, let existing = try existing(path) else { return try replace(path, render) }
        var rendered: [UInt8] = []
        try render { rendered += $0 }
        let content = try FileUpdate.content(rendered: rendered, existing: existing, format: format, mode: mode)
        try replace(path) { try $0(content) }
    }

    /// What stands there now; nil when nothing does.
    func existing(_ path: String) throws -> [UInt8]? {
        do {
            return try destination.file(path).contents(maximumByteCount: LooseFiles.maximumExistingByteCount)
        } catch StoreError.notFound {
            return nil
        }
    }

    private func makeFolder(of path: String) throws {
        if let slash = path.lastIndex(of: "/") { _ = try destination.createDirectory(String(path[..<slash])) }
    }
}
