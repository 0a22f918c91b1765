import DurableStore
import Foundation

/// A result file: written beside its target, synced, then renamed over it, mode 0600 (raw-result.md 13).
enum OutputFile {
    /// Calls `body` with a sink; the target appears whole or stays as it was.
    ///
    /// - Parameter nextStep: what a person can do when it was not written, after the reason.
    static func write(
        _ path: String, nextStep: String = "",
        _ body: (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let target = URL(fileURLWithPath: try AbsolutePath.of(path))
        do {
            let folder = try Directory.openRoot(target.deletingLastPathComponent().resolvingSymlinksInPath().path)
            try folder.durableReplace(target.lastPathComponent) { writer in
                try body { bytes in try writer.write(bytes) }
            }
        } catch let error as StoreError {
            let folder = target.deletingLastPathComponent().path
            throw CommandFailure(
                "output_write_failed",
                "the output file was not written. \(error)" + (nextStep.isEmpty ? "" : " " + nextStep),
                status: .usage, details: [("reason", .string(error.code))],
                steps: error.code == "not_found" && !FileManager.default.fileExists(atPath: folder)
                    ? [NextStep("make its folder, then try again", "mkdir -p \(ShellText.quoted(folder))")] : [])
        }
    }
}
