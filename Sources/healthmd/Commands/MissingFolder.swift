import Foundation

/// What to do about a folder that files are to be written into, and that is not there.
enum MissingFolder {
    /// `mkdir -p PATH && COMMAND`; nothing when something stands at the path.
    static func steps(_ path: String, then command: String) -> [NextStep] {
        guard path.hasPrefix("/"), !FileManager.default.fileExists(atPath: path) else { return [] }
        return [
            NextStep(
                "mount its disk, or make the folder, then try again", "mkdir -p \(ShellText.quoted(path)) && \(command)"
            )
        ]
    }
}
