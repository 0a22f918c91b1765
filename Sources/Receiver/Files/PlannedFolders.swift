import DurableStore
import HealthData

/// The check of all planned folders: before a file job is admitted (corpus-protocol.md 13.2.7), and again before its first
/// write.
enum PlannedFolders {
    /// Refuses a destination in which a planned folder exists as something else than a folder, a link above all.
    ///
    /// Files are later opened relative to the root without following links, so nothing can escape; this check only
    /// tells the person before anything is written instead of after it.
    static func check(_ plan: FilePlan, in root: Directory) throws {
        // Each folder on the way is looked at once; nothing lies below one that is not there.
        var known: [String: Directory?] = ["": root]
        for path in try plan.folders().sorted() {
            var folder: Directory? = root
            var walked = ""
            for name in path.split(separator: "/").map(String.init) {
                guard let parent = folder else { break }
                walked += walked.isEmpty ? name : "/" + name
                if let seen = known[walked] {
                    folder = seen
                    continue
                }
                let status = try parent.status(of: name)
                if let status, status.kind != .directory {
                    throw ReceiverError.destinationUnusable(
                        "the planned folder \(walked) is taken by something that is no folder; move it away.")
                }
                folder = status == nil ? nil : try parent.directory(name)
                known[walked] = .some(folder)
            }
        }
    }
}

extension FilePlan {
    /// Every folder that files of the plan go to, relative to the root.
    func folders() throws(HealthDataError) -> Set<String> {
        var folders: Set<String> = []
        func add(_ path: String) {
            if let slash = path.lastIndex(of: "/") { folders.insert(String(path[..<slash])) }
        }
        if writesNotes {
            for day in requested {
                if let path = try planner.dailyNotePath(on: day.day) { add(path) }
            }
        }
        if let archivePath {
            add(archivePath)
            return folders
        }
        if let dictionaryPath { add(dictionaryPath) }
        for period in periods {
            for format in settings.formats { add(planner.path(of: period, as: format)) }
        }
        if writesDays {
            for day in requested {
                for file in try planner.files(for: day.day) { add(file.path) }
            }
        }
        if writesEntries { folders.formUnion(planner.entryFolders) }
        return folders
    }
}
