import DurableStore
import Foundation

/// How an export is opened.
public struct ExportOptions: Sendable {
    /// Takes what a zip without its end still gives; the result is incomplete.
    public var rescue = false
    /// How many times larger an entry may be than its packed bytes; real exports reach 30.
    public var maximumRatio = 400
    /// Bytes that all entries together may unpack to.
    public var maximumUnpackedSize = 256 << 30
    /// An absolute path for the one temporary file that a zip inside a zip needs.
    public var temporaryFolder: String

    /// The usual limits.
    public init() {
        temporaryFolder = FileManager.default.temporaryDirectory.path
    }
}

/// One file of an export.
public struct ExportFile: Hashable, Sendable {
    /// The name inside the export, slashes between the parts.
    public let name: String
    /// Unpacked bytes; for a rescued entry what its header says.
    public let size: Int
    let index: Int
}

/// An export as a set of files that can be read one by one: a zip, a zip in a zip, a folder, or the bare XML
/// (apple-health-export.md 1 and 2). Nothing of it is ever written to a disk under its own name.
public final class ExportArchive {
    /// Below this size an entry may shrink as much as it likes.
    private static let ratioFloor = 1 << 20

    enum Container {
        case zip(FileRange, [ZipEntry])
        case folder(Directory, [String])
        case single(FileRange)
    }

    /// The path that was opened, for messages.
    public let path: String
    /// Whether the archive's end is missing, so that files may be missing too.
    public let isRescued: Bool
    /// The files, without folders, links and companions of other systems.
    public private(set) var files: [ExportFile] = []
    /// What was left out, and why.
    public private(set) var problems = ExportProblems()
    let container: Container
    /// The main file when the person named it.
    var givenMain: String?
    private var filesByName: [String: [Int]] = [:]

    init(path: String, container: Container, isRescued: Bool = false, options: ExportOptions) throws {
        self.path = path
        self.container = container
        self.isRescued = isRescued
        switch container {
        case .zip(_, let entries): try addZip(entries, options)
        case .folder(let directory, let names): try addFolder(directory, names)
        case .single(let file): add(file.name, file.count, 0)
        }
        for (position, file) in files.enumerated() { filesByName[file.name, default: []].append(position) }
        if isRescued { problems.note(.archiveRescued, at: ExportPlace(entry: path)) }
    }

    private func add(_ name: String, _ size: Int, _ index: Int) {
        files.append(ExportFile(name: name, size: size, index: index))
    }

    private func addZip(_ entries: [ZipEntry], _ options: ExportOptions) throws {
        var total = 0
        for (index, entry) in entries.enumerated() where !entry.isFolder {
            guard !entry.isLink, let name = Self.safeName(entry.name) else {
                problems.note(.entrySkipped, at: ExportPlace(entry: entry.name))
                continue
            }
            if Self.isCompanion(name) { continue }
            let (sum, overflow) = total.addingReportingOverflow(entry.size)
            total = sum
            guard !overflow, total <= options.maximumUnpackedSize else {
                throw ExportError.tooLarge(ExportPlace(entry: name), limit: options.maximumUnpackedSize)
            }
            if entry.size > Self.ratioFloor, entry.size / options.maximumRatio > entry.packedSize, !entry.isRescued {
                throw ExportError.tooLarge(ExportPlace(entry: name), limit: entry.packedSize * options.maximumRatio)
            }
            add(name, entry.size, index)
        }
    }

    private func addFolder(_ directory: Directory, _ names: [String]) throws {
        for (index, name) in names.enumerated() where !Self.isCompanion(name) {
            do {
                let size = try directory.status(of: name)?.size ?? 0
                add(name, Int(clamping: size), index)
            } catch {
                // A name that cannot be opened, such as one that is not UTF-8.
                noteSkipped([name])
            }
        }
    }

    func noteSkipped(_ names: [String]) {
        for name in names { problems.note(.entrySkipped, at: ExportPlace(entry: name)) }
    }

    /// The name in parts divided by single slashes; nil for names that would lead out of the export.
    static func safeName(_ name: String) -> String? {
        let plain = name.replacing("\\", with: "/")
        guard !plain.hasPrefix("/"), !plain.utf8.contains(0) else { return nil }
        let parts = plain.split(separator: "/").filter { $0 != "." }
        guard !parts.isEmpty, !parts.contains("..") else { return nil }
        // A drive letter makes a name absolute on another system.
        if parts[0].utf8.count == 2, parts[0].utf8.last == UInt8(ascii: ":") { return nil }
        return parts.joined(separator: "/")
    }

    /// Files that another system left beside the real ones.
    static func isCompanion(_ name: String) -> Bool {
        let parts = name.split(separator: "/")
        return parts.contains("__MACOSX") || parts.last?.hasPrefix("._") == true || parts.last == ".DS_Store"
    }

    // MARK: Files

    /// The file of a name; nil when there is none.
    ///
    /// - Throws: `unsafe_name` when two different files have the name.
    public func file(named name: String) throws -> ExportFile? {
        guard let found = filesByName[name], let first = found.first else { return nil }
        if found.count > 1, case .zip(_, let entries) = container {
            // Equal copies are one file.
            let one = entries[files[first].index]
            for other in found.dropFirst().map({ entries[files[$0].index] })
            where other.checksum != one.checksum || other.size != one.size {
                throw ExportError.unsafeName(
                    ExportPlace(entry: name), detail: "two different entries have this name")
            }
        }
        return files[first]
    }

    /// The file that a path in the main file means: `/workout-routes/route.gpx` beside the main file.
    ///
    /// - Throws: `unsafe_name` for a path that would lead out of the export.
    public func file(atReference reference: String, from main: ExportFile) throws -> ExportFile? {
        let trimmed = String(reference.drop { $0 == "/" })
        guard let relative = Self.safeName(trimmed) else {
            throw ExportError.unsafeName(ExportPlace(entry: reference), detail: "it leads out of the export")
        }
        let folder = main.name.split(separator: "/").dropLast().joined(separator: "/")
        return try file(named: folder.isEmpty ? relative : folder + "/" + relative)
    }

    /// A stream over a file, unpacked and checked.
    public func stream(_ file: ExportFile) throws -> any ByteSource {
        switch container {
        case .zip(let range, let entries): return try ZipEntryStream(range, entries[file.index])
        case .folder(let directory, let names): return try Self.open(names[file.index], in: directory).stream()
        case .single(let range): return range.stream()
        }
    }

    /// A stream that is unpacked on a thread of its own. What is not packed is read where it is wanted: the system reads
    /// ahead by itself, and handing pieces to another thread costs a copy and a switch that nothing pays back.
    public func streamAhead(_ file: ExportFile) throws -> any ByteSource {
        guard case .zip = container else { return try stream(file) }
        return ReadAheadSource(try stream(file))
    }

    /// The whole file in memory, for small ones.
    ///
    /// - Throws: `too_large` when it is larger than `limit` bytes.
    public func bytes(_ file: ExportFile, limit: Int) throws -> [UInt8] {
        let source = try stream(file)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try source.read(into: buffer), count > 0 {
            guard bytes.count + count <= limit else {
                throw ExportError.tooLarge(ExportPlace(entry: file.name), limit: limit)
            }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// Whether the archive ends inside this file.
    public func isCut(_ file: ExportFile) -> Bool {
        if case .zip(_, let entries) = container { return entries[file.index].isCut }
        return false
    }

    static func open(_ name: String, in directory: Directory) throws -> FileRange {
        do {
            return try FileRange(try directory.file(name), name: name)
        } catch let error as StoreError {
            throw ExportError.cannotOpen(path: name, reason: error.code)
        }
    }
}
