import ConnectedProtocol
import DurableStore

/// The check of planned folders before a file job is admitted (corpus-protocol.md 13.2.7).
enum PlannedFolders {
    /// Refuses a destination in which a planned folder exists as something else than a folder, a link above all.
    ///
    /// Files are later opened relative to the root without following links, so nothing can escape; this check only
    /// tells the person before the transfer instead of after it.
    static func check(_ settings: SettingsSnapshot, in root: Directory) throws {
        guard let subfolder = settings.healthSubfolder, !subfolder.isEmpty else { return }
        var folder = root
        for name in subfolder.split(separator: "/") {
            guard let status = try folder.status(of: String(name)) else { return }
            guard status.kind == .directory else {
                throw ReceiverError.destinationUnusable("A planned folder is taken by something else.")
            }
            folder = try folder.directory(String(name))
        }
    }
}
