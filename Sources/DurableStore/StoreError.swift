/// Everything that the store can refuse or fail at.
///
/// Paths are relative to the root that was opened; a text never holds what a file contains.
public enum StoreError: Error, Equatable, Sendable {
    /// No space, or the quota is used up.
    case diskFull(path: String)
    /// The system denies access.
    case permissionDenied(path: String)
    /// The file system, the file or the database can only be read.
    case readOnly(path: String)
    /// Nothing of this name exists.
    case notFound(path: String)
    /// The name is taken and must not be replaced.
    case alreadyExists(path: String)
    /// An absolute path, or one with `..`.
    case pathEscapesRoot(path: String)
    /// A name that no file can have: empty, `.`, too long, or with a zero byte.
    case invalidPath(path: String, reason: String)
    /// A symbolic link stands where a file or folder of ours is expected.
    case isSymbolicLink(path: String)
    /// A file where a folder is expected, a device where a file is, and so on.
    case wrongType(path: String, expected: String)
    /// A private file or folder that others can reach: a second hard link, group or other bits, another owner.
    case notPrivate(path: String, reason: String)
    /// A folder that must be empty is not.
    case notEmpty(path: String)
    /// Another process holds the lock; its pid when it wrote one.
    case lockedBy(path: String, pid: Int32?)
    /// Another connection kept the database busy beyond the busy timeout.
    case databaseBusy(path: String)
    /// The bytes are not what this program wrote.
    case corrupt(path: String, detail: String)
    /// Written by a newer program.
    case newerSchema(path: String, found: Int, supported: Int)
    /// Written by an older program, and opened where it may not be changed.
    case olderSchema(path: String, found: Int, supported: Int)
    /// A writer produced another number of bytes than it announced.
    case lengthMismatch(path: String, expected: UInt64, found: UInt64)
    /// A file that must be adopted exactly holds other bytes.
    case contentDiffers(path: String)
    /// A file cannot be moved to another file system.
    case crossDevice(path: String)
    /// What stands under the path is not the object that was opened before.
    case replaced(path: String)
    /// The process or the system has no descriptor left.
    case tooManyOpenFiles(path: String)
    /// A statement that the database refuses: a constraint, a type, a syntax error. The text is SQLite's and names columns only.
    case databaseRefused(path: String, resultCode: Int32, detail: String)
    /// A read, write or sync failed below us. Never retried.
    case inputOutput(path: String, operation: String, number: Int32)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .diskFull: "disk_full"
        case .permissionDenied: "permission_denied"
        case .readOnly: "read_only"
        case .notFound: "not_found"
        case .alreadyExists: "already_exists"
        case .pathEscapesRoot: "path_escapes_root"
        case .invalidPath: "invalid_path"
        case .isSymbolicLink: "is_symlink"
        case .wrongType: "wrong_type"
        case .notPrivate: "not_private"
        case .notEmpty: "not_empty"
        case .lockedBy: "locked_by"
        case .databaseBusy: "database_busy"
        case .corrupt: "corrupt"
        case .newerSchema: "newer_schema"
        case .olderSchema: "older_schema"
        case .lengthMismatch: "length_mismatch"
        case .contentDiffers: "content_differs"
        case .crossDevice: "cross_device"
        case .replaced: "replaced"
        case .tooManyOpenFiles: "too_many_open_files"
        case .databaseRefused: "database_refused"
        case .inputOutput: "io_error"
        }
    }

    /// The path that the error is about, relative to the root that was opened.
    public var path: String {
        switch self {
        case .diskFull(let path), .permissionDenied(let path), .readOnly(let path), .notFound(let path),
            .alreadyExists(let path), .pathEscapesRoot(let path), .invalidPath(let path, _),
            .isSymbolicLink(let path), .wrongType(let path, _), .notPrivate(let path, _), .notEmpty(let path),
            .lockedBy(let path, _), .databaseBusy(let path), .corrupt(let path, _), .newerSchema(let path, _, _),
            .olderSchema(let path, _, _), .lengthMismatch(let path, _, _), .contentDiffers(let path),
            .crossDevice(let path), .replaced(let path), .tooManyOpenFiles(let path), .databaseRefused(let path, _, _),
            .inputOutput(let path, _, _):
            path
        }
    }
}

extension StoreError {
    /// Whether the disk may do tomorrow what it did not today: then work waits. What somebody changed under us does not heal by itself:
    /// then it fails closed.
    public var mayPass: Bool {
        switch self {
        case .diskFull, .permissionDenied, .readOnly, .databaseBusy, .tooManyOpenFiles, .inputOutput: true
        case .notFound, .alreadyExists, .pathEscapesRoot, .invalidPath, .isSymbolicLink, .wrongType, .notPrivate,
            .notEmpty, .lockedBy, .corrupt, .newerSchema, .olderSchema, .lengthMismatch, .contentDiffers, .crossDevice,
            .replaced, .databaseRefused:
            false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// A sentence for a person: what happened, where, and what to do next.
    public var description: String {
        let path = PrintableText.escaped(self.path)
        return switch self {
        case .diskFull: "The disk is full (\(path)). Free some space, then try again."
        case .permissionDenied: "Access to \(path) is denied. Check its owner and permissions, then try again."
        case .readOnly: "\(path) can only be read. Make it writable or choose another folder."
        case .notFound: "\(path) does not exist. Check the path."
        case .alreadyExists: "\(path) already exists. Move it away or choose another name."
        case .pathEscapesRoot: "The path \(path) leads out of its folder. Use a relative path without \"..\"."
        case .invalidPath(_, let reason): "\(path) is not a usable path: \(reason). Choose another name."
        case .isSymbolicLink: "\(path) is a symbolic link, and links are not followed. Put a real file or folder there."
        case .wrongType(_, let expected): "\(path) is not a \(expected). Move it away, then try again."
        case .notPrivate(_, let reason):
            "\(path) is not private: \(reason). Make it yours alone (chmod go= on it), then try again."
        case .notEmpty: "The folder \(path) is not empty. Empty it or choose another."
        case .lockedBy(_, let pid?): "\(path) is in use by process \(pid). Stop that process, then try again."
        case .lockedBy(_, nil): "\(path) is in use by another process. Stop that process, then try again."
        case .databaseBusy: "The database \(path) is busy. Try again in a moment."
        case .corrupt(_, let detail): "\(path) is damaged (\(detail)). Restore it from a backup or move it away."
        case .newerSchema(_, let found, let supported):
            "\(path) has schema \(found), and this program knows \(supported). Update healthmd."
        case .olderSchema(_, let found, let supported):
            "\(path) has schema \(found) and needs \(supported). Start the command that owns it once to update it."
        case .lengthMismatch(_, let expected, let found):
            "\(path) has \(found) bytes where \(expected) were announced. Nothing was replaced; run the command again."
        case .contentDiffers: "\(path) exists with other content. Move it away, then try again."
        case .crossDevice: "\(path) lies on another disk. Choose a folder on the same disk."
        case .replaced: "\(path) was replaced while it was in use. Check what changes it, then try again."
        case .tooManyOpenFiles: "Too many open files (at \(path)). Raise the limit (ulimit -n), then try again."
        case .databaseRefused(_, let resultCode, let detail):
            "The database \(path) refused a statement (\(resultCode): \(detail)). Please report this."
        case .inputOutput(_, let operation, let number):
            "\(operation) failed on \(path) (errno \(number)). Check the disk, then start again."
        }
    }
}

/// Names from peers and disks, made safe for a terminal and a log line.
enum PrintableText {
    /// The text with control characters and line separators as `\u{…}`.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
