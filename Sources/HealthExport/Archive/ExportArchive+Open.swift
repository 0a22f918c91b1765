import DurableStore
import Foundation

extension ExportArchive {
    /// Files of a folder that is not an export by mistake (a home folder, say) are not walked without end.
    private static let fileLimit = 100_000
    /// Folders in each other.
    private static let folderDepthLimit = 8

    /// Opens an export by its path in the system.
    ///
    /// - Throws: ``ExportError``: `cannot_open`, `empty_file`, `not_an_export`, `truncated_archive` and the others of a zip.
    public static func open(path: String, options: ExportOptions = ExportOptions()) throws -> ExportArchive {
        // The person's own path may go through links; below it none is followed.
        guard let resolved = realpath(path, nil) else {
            throw ExportError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        defer { free(resolved) }
        let real = String(cString: resolved)
        let parts = real.split(separator: "/")
        do {
            guard let name = parts.last else { throw ExportError.notAnExport(path: path) }
            let parent = try Directory.openRoot("/" + parts.dropLast().joined(separator: "/"))
            switch try parent.status(of: String(name))?.kind {
            case .directory:
                let folder = try parent.directory(String(name))
                return try openFolder(folder, Listing(walking: folder), path: path, options)
            case .regularFile:
                let file = try FileRange(try parent.file(String(name)), name: path)
                return try openFile(file, String(name), in: parent, path: path, options)
            default: throw ExportError.notAnExport(path: path)
            }
        } catch let error as StoreError {
            throw ExportError.cannotOpen(path: path, reason: error.code)
        }
    }

    /// The plain files below a folder.
    private struct Listing {
        var names: [String] = []
        /// What cannot be opened or named.
        var skipped: [String] = []

        init() {}

        init(walking folder: Directory) throws { try walk(folder, "", 0) }

        mutating func walk(_ folder: Directory, _ prefix: String, _ depth: Int) throws {
            for entry in try folder.entries() where names.count < fileLimit {
                switch entry.kind {
                case .regularFile: names.append(prefix + entry.name)
                case .directory where depth < folderDepthLimit:
                    do {
                        try walk(try folder.directory(entry.name), prefix + entry.name + "/", depth + 1)
                    } catch is StoreError {
                        skipped.append(prefix + entry.name)
                    }
                default: continue
                }
            }
        }
    }

    private static func openFolder(
        _ directory: Directory, _ listing: Listing, main: String? = nil, path: String, _ options: ExportOptions
    ) throws -> ExportArchive {
        let archive = try ExportArchive(path: path, container: .folder(directory, listing.names), options: options)
        archive.noteSkipped(listing.skipped)
        archive.givenMain = main
        return archive
    }

    /// The folders that stand beside the main file of an unpacked export.
    private static let siblings = ["workout-routes", "electrocardiograms", "clinical-records"]

    /// A bare XML: alone, or, where it lies in its unpacked export, with the files beside it.
    private static func openDocument(
        _ file: FileRange, _ name: String, in parent: Directory, path: String, _ options: ExportOptions
    ) throws -> ExportArchive {
        var listing = Listing()
        listing.names = [name]
        for sibling in siblings where try parent.status(of: sibling)?.kind == .directory {
            try listing.walk(try parent.directory(sibling), sibling + "/", 1)
        }
        guard listing.names.count > 1 else {
            return try ExportArchive(path: path, container: .single(file), options: options)
        }
        return try openFolder(parent, listing, main: name, path: path, options)
    }

    private static func openFile(
        _ file: FileRange, _ name: String, in parent: Directory, path: String, _ options: ExportOptions
    ) throws -> ExportArchive {
        guard file.count > 0 else { throw ExportError.emptyFile(path: path) }
        let head = try file.bytes(at: 0, count: 4)
        if isZip(head) { return try openZip(file, path: path, isNested: false, options) }
        let first = try file.bytes(at: 0, count: 64).first { $0 > 0x20 }
        // A byte-order mark or `<`: the reader says what it is.
        guard let first, first == UInt8(ascii: "<") || first >= 0xEF else {
            // Something may stand before a zip: its end tells.
            do {
                return try openZip(file, path: path, isNested: false, options)
            } catch ExportError.truncatedArchive {
                throw ExportError.notAnExport(path: path)
            }
        }
        return try openDocument(file, name, in: parent, path: path, options)
    }

    private static func isZip(_ head: [UInt8]) -> Bool {
        head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06])
    }

    private static func openZip(
        _ file: FileRange, path: String, isNested: Bool, _ options: ExportOptions
    ) throws -> ExportArchive {
        let archive: ExportArchive
        do {
            archive = try ExportArchive(
                path: path, container: .zip(file, try ZipDirectory(file).entries), options: options)
        } catch ExportError.truncatedArchive where options.rescue {
            let entries = try ZipRescue.entries(of: file)
            archive = try ExportArchive(
                path: path, container: .zip(file, entries), isRescued: true, options: options)
        }
        let inner = archive.files.filter { $0.name.lowercased().hasSuffix(".zip") }
        let hasDocument = archive.files.contains { $0.name.lowercased().hasSuffix(".xml") }
        guard !isNested, !hasDocument, inner.count == 1, case .zip(_, let entries) = archive.container else {
            return archive
        }
        return try openZip(
            try archive.innerArchive(inner[0], entries[inner[0].index], file, options), path: path, isNested: true,
            options)
    }

    /// A zip that lies in this one: in place when it is stored, else unpacked into a file without a name.
    private func innerArchive(
        _ file: ExportFile, _ entry: ZipEntry, _ range: FileRange, _ options: ExportOptions
    ) throws -> FileRange {
        let folder = try Directory.openRoot(options.temporaryFolder)
        let space = try folder.freeSpace()
        guard UInt64(clamping: entry.size) < space.available else {
            throw ExportError.tooLarge(ExportPlace(entry: file.name), limit: Int(clamping: space.available))
        }
        let target = try folder.createUnnamedFile()
        let source = try stream(file)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while case let count = try source.read(into: buffer), count > 0 {
            try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += UInt64(count)
        }
        return try FileRange(target, name: file.name)
    }
}
