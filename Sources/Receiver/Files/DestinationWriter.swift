import CanonicalJSON
import Cryptography
import DurableStore
import Glibc
import HealthData

/// Puts files into a destination by the write mode (export-formats.md 9), relative to its root and never through a link.
struct DestinationWriter {
    /// Hands out the bytes of a file in order.
    typealias Rendering = (_ sink: @escaping (_ bytes: [UInt8]) throws -> Void) throws -> Void

    /// The largest existing file that is joined with new content; it is held in memory.
    static let maximumExistingByteCount = 64 << 20
    /// How often a file that someone changes meanwhile is read again.
    static let maximumAttempts = 3

    /// When the receiver began, in nanoseconds since 1970; it asks for this as it starts. What was last changed in a
    /// destination before, and bears the name of a temporary, was left by one that was killed: it holds part of a day
    /// and must not stay. By the clock that stamps files, since the killed one may have written a moment ago.
    static let receiverStart: Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }()

    let root: Directory
    /// What was written, in order.
    private(set) var written: [WrittenFile] = []
    /// Folders that were made durable and rid of abandoned temporaries.
    private var preparedFolders: Set<String> = []

    init(root: Directory) { self.root = root }

    /// Forgets what was written beyond the first `count` files: their step is repeated.
    mutating func forget(after count: Int) { written.removeSubrange(count...) }

    /// Writes a file of a format by the mode. Throws `content_unmergeable` where old and new make no document.
    mutating func put(_ path: String, as format: ExportFormat, mode: WriteMode, _ render: Rendering) throws {
        if mode == .overwrite { return try replace(path, render) }
        try join(path, format: format.rawValue) { existing in
            // Nothing to join with: streamed, however large.
            guard let existing, !existing.isEmpty else { return .render }
            let rendered = try DestinationWriter.bytes(of: render)
            if rendered == existing { return .keep }
            return .bytes(
                try FileUpdate.content(rendered: rendered, existing: existing, format: format, mode: mode))
        } render: {
            try render($0)
        }
    }

    /// Refuses a write that would take something away from the file that is there: `selection_would_replace`. A file that
    /// cannot be read as what it should be is taken for one that holds more.
    func requireNothingLost(
        _ path: String, as format: ExportFormat, mode: WriteMode, _ render: Rendering
    ) throws {
        let file: File
        do {
            file = try root.file(path)
        } catch StoreError.notFound {
            return
        }
        guard try file.status().size > 0 else { return }
        var next: [UInt8]
        switch (mode, format) {
        case (.append, _): return  // The old content stays; where that makes no document it is refused as ever.
        case (.update, .markdown):
            let existing = try existing(path, format: format.rawValue).bytes
            next = try FileUpdate.content(
                rendered: DestinationWriter.bytes(of: render), existing: existing, format: format, mode: mode)
        case (.update, _), (.overwrite, _): next = try DestinationWriter.bytes(of: render)
        }
        let outline = try ContentOutline(format, bytes: next)
        next = []
        guard let old = try DestinationWriter.outline(of: file, format), !old.holdsMore(than: outline) else {
            throw HealthDataError.selectionWouldReplace(path: path)
        }
    }

    /// Nil when the file is not of its format.
    private static func outline(of file: File, _ format: ExportFormat) throws -> ContentOutline? {
        var offset: UInt64 = 0
        do {
            return try ContentOutline(format) { buffer in
                let count = try file.read(into: buffer, at: offset)
                offset += UInt64(count)
                return count
            }
        } catch is JSONError {
            return nil
        }
    }

    /// Merges a day into a note; tells whether there was a note to merge into.
    mutating func merge(
        _ document: DayDocument, intoNote path: String, settings: ExportSettings, sparesRicherNotes: Bool = false
    ) throws -> Bool {
        var isSkipped = false
        try join(path, format: "a daily note") { existing in
            switch try DailyNote.merging(document, into: existing, settings: settings) {
            case .update(let bytes):
                if sparesRicherNotes, let existing,
                    try ContentOutline(.markdown, bytes: existing)
                        .holdsMore(than: ContentOutline(.markdown, bytes: bytes))
                {
                    throw HealthDataError.selectionWouldReplace(path: path)
                }
                return .bytes(bytes)
            case .unchanged: return .keep
            case .skip:
                isSkipped = true
                return .keep
            }
        } render: { _ in
        }
        return !isSkipped
    }

    /// Replaces a file with what is rendered.
    mutating func replace(_ path: String, _ render: Rendering) throws {
        try install(path) { writer in try render { try writer.write($0) } }
    }

    /// Replaces a file with what is written into it. One that holds just that is left alone: a slice that a crash
    /// repeats writes nothing twice.
    mutating func install(_ path: String, _ write: (DurableFileWriter) throws -> Void) throws {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) }
        // Once for each folder: making one durable costs a flush of the disk.
        if !preparedFolders.contains(folder ?? "") {
            let parent = try folder.map { try root.createDirectory($0) } ?? root
            try parent.removeAbandonedTemporaries(changedBefore: Self.receiverStart)
            preparedFolders.insert(folder ?? "")
        }
        var hasher = SHA256()
        let installed = try root.durableReplace(
            path, mode: .replaceUnlessExact, observing: { hasher.update($0) }, write: write)
        written.append(WrittenFile(path: path, byteCount: Int64(installed.byteCount), sha256: hasher.peek()))
    }

    // MARK: Joining

    private enum Joined {
        /// What is there is right.
        case keep
        /// The new content.
        case bytes([UInt8])
        /// The rendering alone.
        case render
    }

    /// Someone changed the file after it was read.
    private struct Changed: Error {}

    private mutating func join(
        _ path: String, format: String, _ decide: (_ existing: [UInt8]?) throws -> Joined, render: Rendering
    ) throws {
        for _ in 0..<Self.maximumAttempts {
            let (existing, status) = try existing(path, format: format)
            let joined = try decide(existing)
            do {
                switch joined {
                case .keep:
                    guard let existing else { return }
                    written.append(
                        WrittenFile(path: path, byteCount: Int64(existing.count), sha256: SHA256.hash(existing)))
                case .bytes(let bytes):
                    try install(path) { [root] writer in
                        try writer.write(bytes)
                        try Self.requireUnchanged(status, path, in: root)
                    }
                case .render:
                    try install(path) { [root] writer in
                        try render { try writer.write($0) }
                        try Self.requireUnchanged(status, path, in: root)
                    }
                }
                return
            } catch is Changed {
                // What the person wrote meanwhile is read and joined again.
            }
        }
        throw HealthDataError.unmergeable(format: format, reason: "is being changed by another program")
    }

    private func existing(_ path: String, format: String) throws -> (bytes: [UInt8]?, status: FileStatus?) {
        let file: File
        do {
            file = try root.file(path)
        } catch StoreError.notFound {
            return (nil, nil)
        }
        let status = try file.status()
        guard status.size <= UInt64(Self.maximumExistingByteCount) else {
            throw HealthDataError.unmergeable(
                format: format, reason: "of more than \(Self.maximumExistingByteCount >> 20) MiB cannot be joined")
        }
        return (try file.contents(maximumByteCount: Self.maximumExistingByteCount), status)
    }

    /// The last look before the new file takes the name.
    private static func requireUnchanged(_ status: FileStatus?, _ path: String, in root: Directory) throws {
        let now = try root.status(of: path)
        guard
            now?.identity == status?.identity, now?.size == status?.size,
            now?.modifiedNanoseconds == status?.modifiedNanoseconds
        else { throw Changed() }
    }

    private static func bytes(of render: Rendering) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try render { bytes += $0 }
        return bytes
    }
}
