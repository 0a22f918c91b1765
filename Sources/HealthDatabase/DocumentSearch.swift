import CanonicalJSON
import DurableStore

/// Finds the JSON files below a folder, without following a link and without entering hidden folders.
struct DocumentSearch {
    /// How deep folders are followed; templates make five levels at most.
    static let maximumDepth = 32

    /// Passes the path of each file that may be a day document, relative to the folder, sorted by bytes in each folder.
    static func forEachFile(in folder: Directory, _ body: (_ path: String) throws -> Void) throws {
        try walk(folder, prefix: "", depth: 0, body)
    }

    private static func walk(
        _ folder: Directory, prefix: String, depth: Int, _ body: (String) throws -> Void
    ) throws {
        for entry in try folder.entries() where !entry.name.hasPrefix(".") {
            switch entry.kind {
            case .regularFile where entry.name.hasSuffix(".json"): try body(prefix + entry.name)
            case .directory where depth < maximumDepth:
                try walk(
                    try folder.directory(entry.name), prefix: prefix + entry.name + "/", depth: depth + 1, body)
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
