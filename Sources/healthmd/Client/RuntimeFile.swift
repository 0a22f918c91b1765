import CanonicalJSON
import DurableStore
import Foundation

/// The state root of a command: `--data-dir`, else the environment, else the standard place (extensions.md 5).
enum StateRoot {
    static func path(_ invocation: Invocation) throws -> String {
        try StateFolders.resolvePath(
            option: invocation.text("--data-dir"), environment: ProcessInfo.processInfo.environment,
            workingDirectory: FileManager.default.currentDirectoryPath)
    }

    /// One part, if it exists: a client never creates state.
    static func existing(_ part: StateFolders.Part, _ invocation: Invocation) throws -> Directory? {
        do {
            return try Directory.openRoot(try path(invocation)).directory(part.rawValue)
        } catch StoreError.notFound {
            return nil
        }
    }
}

/// What a running daemon publishes about itself: `receiver/runtime.json` (extensions.md 5).
struct RuntimeFile: Sendable {
    static let maximumByteCount = 65_536

    let pid: Int
    let controlPort: Int
    let peerPort: Int

    /// The published ports, or nil when no daemon holds the folder.
    static func read(in receiver: Directory) throws -> RuntimeFile? {
        guard case .held = try FolderLock.probe(in: receiver) else { return nil }
        do {
            let bytes = try receiver.file("runtime.json").contents(maximumByteCount: maximumByteCount)
            let document = try JSONParser.parse(bytes)
            guard let pid = document["pid"]?.number?.int, let control = document["control_port"]?.number?.int,
                let peer = document["peer_port"]?.number?.int
            else { return nil }
            return RuntimeFile(pid: pid, controlPort: control, peerPort: peer)
        } catch StoreError.notFound {
            return nil  // The daemon holds the lock and is not ready yet.
        }
    }
}
