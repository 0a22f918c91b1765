import CanonicalJSON
import DurableStore
import Foundation

/// The state root of a command: `--data-dir`, else the environment, else the standard place (extensions.md 5).
enum StateRoot {
    static func path(_ invocation: Invocation) throws -> String {
        var environment = ProcessInfo.processInfo.environment
        // Services and cron jobs may come without HOME; the user has a home folder all the same.
        if environment["HOME"]?.isEmpty ?? true, let home = homeFolder() { environment["HOME"] = home }
        let folder = Result { [environment] () throws(StoreError) in
            try StateFolders.resolvePath(
                option: invocation.text("--data-dir"), environment: environment,
                workingDirectory: FileManager.default.currentDirectoryPath)
        }
        if case .failure(.notFound) = folder {
            throw CommandFailure(
                "state_folder_unknown",
                "no home folder is known, so nothing says where state is kept; name the folder with --data-dir DIR or "
                    + "HEALTHMD_DATA_DIR", status: .usage)
        }
        let path = try folder.get()
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
            let failure = FailureText.failure(of: StoreError.wrongType(path: path, expected: "folder"))
            throw CommandFailure(
                failure.code, "the state folder \(path) is no folder; name another one with --data-dir DIR",
                details: failure.details)
        }
        return path
    }

    /// The folder that somebody chose for this run: the option, else the environment, which the next command may not have.
    static func given(_ invocation: Invocation) -> String? {
        if let option = invocation.text("--data-dir") { return option }
        let folder = ProcessInfo.processInfo.environment["HEALTHMD_DATA_DIR"]
        return folder?.isEmpty == false ? folder : nil
    }

    /// What the user database says.
    private static func homeFolder() -> String? {
        guard let entry = getpwuid(getuid()), let folder = entry.pointee.pw_dir else { return nil }
        let path = String(cString: folder)
        return path.hasPrefix("/") ? path : nil
    }

    /// The root, if it exists: a client never creates state.
    static func existingRoot(_ invocation: Invocation) throws -> Directory? {
        do {
            return try Directory.openRoot(try path(invocation))
        } catch StoreError.notFound {
            return nil
        }
    }

    /// One part, if it exists.
    static func existing(_ part: StateFolders.Part, _ invocation: Invocation) throws -> Directory? {
        do {
            return try existingRoot(invocation)?.directory(part.rawValue)
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
    /// When it became ready, in Unix seconds; nil when that cannot be read.
    let startedAt: Double?

    /// The published ports, or nil when no daemon holds the folder.
    static func read(in receiver: Directory) throws -> RuntimeFile? {
        guard case .held = try FolderLock.probe(in: receiver) else { return nil }
        do {
            let bytes = try receiver.file("runtime.json").contents(maximumByteCount: maximumByteCount)
            let document = try JSONParser.parse(bytes)
            guard let pid = document["pid"]?.number?.int, let control = document["control_port"]?.number?.int,
                let peer = document["peer_port"]?.number?.int
            else { return nil }
            return RuntimeFile(
                pid: pid, controlPort: control, peerPort: peer, startedAt: DoctorChecks.instant(document["started_at"]))
        } catch StoreError.notFound {
            return nil  // The daemon holds the lock and is not ready yet.
        }
    }
}
