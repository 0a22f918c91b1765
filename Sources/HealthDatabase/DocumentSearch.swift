import CanonicalJSON
import DurableStore

/// Finds the JSON files below a folder, without following a link and without entering hidden folders.
struct DocumentSearch {
    /// The files that may be day documents, relative to the folder, sorted by bytes in each folder.
    private(set) var paths: [String] = []
    /// Folders that cannot be read, and why: what lies in them is not known, and not gone.
    private(set) var unreadable: [UpdateReport.Document] = []

    /// How deep folders are followed; templates make five levels at most.
    static let maximumDepth = 32

    /// Searches a folder. Only the folder itself must be readable.
    mutating func run(in folder: Directory) throws { try take(try folder.entries(), of: folder, prefix: "", depth: 0) }

    private mutating func take(
        _ entries: [DirectoryEntry], of folder: Directory, prefix: String, depth: Int
    ) throws {
        for entry in entries where !entry.name.hasPrefix(".") {
            switch entry.kind {
            case .regularFile where entry.name.hasSuffix(".json"): paths.append(prefix + entry.name)
            case .directory where depth < Self.maximumDepth:
                let path = prefix + entry.name + "/"
                let inner: (folder: Directory, entries: [DirectoryEntry])
                do {
                    let folder = try folder.directory(entry.name)
                    inner = (folder, try folder.entries())
                } catch {
                    unreadable.append(UpdateReport.Document(path: path, date: nil, code: error.code))
                    continue
                }
                try take(inner.entries, of: inner.folder, prefix: path, depth: depth + 1)
            case .regularFile, .directory, .symbolicLink, .other: break
            }
        }
    }

    /// The day that a file's name shows, `2026-03-15` in `note 2026-03-15.json`: for documents that cannot be read.
    static func day(inName path: String) -> String? {
        let name = Array((path.split(separator: "/").last ?? "").utf8)
        guard name.count >= 10 else { return nil }
        for start in 0...(name.count - 10) {
            let text = String(decoding: name[start..<(start + 10)], as: UTF8.self)
            if let day = CivilDate(text) { return day.description }
        }
        return nil
    }
}
