import Glibc

/// The state folder and its parts (extensions.md 5): `receiver`, `phone`, `archive`, `biomarkers`.
public struct StateFolders: Sendable {
    /// One part of the state; each job of the program has its own.
    public enum Part: String, Sendable, CaseIterable {
        /// The daemon: journals, peers, jobs, control token.
        case receiver
        /// The sender: day store, outbound journal, trust.
        case phone
        /// The day archive: service, writer, reader.
        case archive
        /// The biomarker review.
        case biomarkers
    }

    /// The state folder itself.
    public let root: Directory
    /// Its path in the system, for messages and for the runtime file.
    public let path: String

    /// Opens the state folder and makes it, 0700, when it is missing.
    ///
    /// - Throws: `not_private` when others may write to it. A folder that the person made readable for others stays as it
    ///   is: everything of ours lies one level below, in folders of mode 0700.
    public init(path: String, on disk: any Disk = PosixDisk()) throws(StoreError) {
        self.path = path
        root = try Directory.openRoot(path, on: disk, creating: true)
        let status = try root.status()
        guard status.permissions & 0o022 == 0 else {
            throw .notPrivate(path: path, reason: "group or others may write to it")
        }
    }

    /// Opens one part, and makes it when it is missing.
    public func folder(_ part: Part) throws(StoreError) -> Directory {
        let folder = try root.createDirectory(part.rawValue)
        try folder.requirePrivate()
        return folder
    }

    /// The path of the state folder: the option, else `HEALTHMD_DATA_DIR`, else `$XDG_DATA_HOME/healthmd`, else
    /// `~/.local/share/healthmd`.
    ///
    /// Empty values count as absent; a relative `XDG_DATA_HOME` is ignored, as its specification demands. Relative other
    /// paths start at `workingDirectory`.
    ///
    /// - Throws: `not_found` when no home folder is known.
    public static func resolvePath(
        option: String?, environment: [String: String], workingDirectory: String
    ) throws(StoreError) -> String {
        func present(_ value: String?) -> String? { value.flatMap { $0.isEmpty ? nil : $0 } }
        func absolute(_ path: String) -> String {
            path.utf8.first == UInt8(ascii: "/") ? path : "\(workingDirectory)/\(path)"
        }
        if let path = present(option) ?? present(environment["HEALTHMD_DATA_DIR"]) { return absolute(path) }
        if let base = present(environment["XDG_DATA_HOME"]), base.utf8.first == UInt8(ascii: "/") {
            return "\(base)/healthmd"
        }
        guard let home = present(environment["HOME"]), home.utf8.first == UInt8(ascii: "/") else {
            throw .notFound(path: "home folder (HOME)")
        }
        return "\(home)/.local/share/healthmd"
    }
}
