import ConnectedProtocol
import DurableStore
import Foundation

/// The destination root: stored with its real path, device and inode, and looked at again before every use.
extension ReceiverEngine {
    /// The stored binding, whatever its state.
    func storedDestination() -> DestinationBinding? {
        do {
            return try store.destination()
        } catch {
            log("destination_unreadable", ("code", .code(of: error)))
            return nil
        }
    }

    /// The stored destination as admission sees it.
    func destinationFacts() -> DestinationFacts {
        guard let binding = storedDestination() else { return .notSelected }
        return destinationFacts(of: binding)
    }

    /// A bound destination as admission sees it.
    func destinationFacts(of binding: DestinationBinding) -> DestinationFacts {
        do {
            _ = try usableDestination(binding)
            return .ready(binding)
        } catch {
            return .unavailable
        }
    }

    /// Opens a bound root: the same folder as when it was bound, and writable.
    func usableDestination(_ binding: DestinationBinding) throws -> Directory {
        try DestinationRoot.open(binding, on: configuration.destinationDisk)
    }
}

/// Opening and binding of destination roots.
enum DestinationRoot {
    /// Binds a directory that a person named: absolute, existing, no link, writable, and not in the receiver's own
    /// state folder, where a day's file could replace what the receiver lives on.
    static func bind(_ path: String, outside state: Directory) throws(ReceiverControlError) -> DestinationBinding {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .invalidDestination(reason: "the path must be absolute.")
        }
        var trimmed = Substring(path)
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        do {
            let root = try Directory.openRoot(String(trimmed))
            guard try root.isWritable() else {
                throw ReceiverControlError.invalidDestination(reason: "it cannot be written.")
            }
            let identity = try root.identity()
            // The last component is no link, so the real path names the same folder.
            guard let real = realpath(String(trimmed), nil) else {
                throw ReceiverControlError.invalidDestination(reason: "its real path cannot be found.")
            }
            defer { free(real) }
            guard try !isInside(String(cString: real), state.identity()) else {
                throw ReceiverControlError.invalidDestination(reason: "it lies in the receiver's own state folder.")
            }
            return DestinationBinding(
                path: String(cString: real), device: identity.device, inode: identity.inode)
        } catch let error as ReceiverControlError {
            throw error
        } catch let error as StoreError {
            throw .invalidDestination(reason: reason(error))
        } catch {
            throw .invalidDestination(reason: "it cannot be opened.")
        }
    }

    /// Whether a real path is a folder or leads through it.
    private static func isInside(_ path: String, _ folder: FileIdentity) -> Bool {
        var path = Substring(path)
        while !path.isEmpty {
            var status = stat()
            if lstat(String(path), &status) == 0, UInt64(status.st_dev) == folder.device,
                UInt64(status.st_ino) == folder.inode
            {
                return true
            }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return false
    }

    /// Opens a bound root again. Throws `destination_unusable`.
    static func open(
        _ binding: DestinationBinding, on disk: any Disk = PosixDisk()
    ) throws(ReceiverError) -> Directory {
        do {
            let root = try Directory.openRoot(binding.path, on: disk)
            let identity = try root.identity()
            guard identity.device == binding.device, identity.inode == binding.inode else {
                throw ReceiverError.destinationUnusable("it is another folder than the one that was chosen.")
            }
            guard try root.isWritable() else {
                throw ReceiverError.destinationUnusable("it cannot be written.")
            }
            return root
        } catch let error as ReceiverError {
            throw error
        } catch let error as StoreError {
            switch error {
            case .diskFull, .tooManyOpenFiles, .inputOutput: throw .destinationNotOpened(error.code)
            default: throw .destinationUnusable(reason(error))
            }
        } catch {
            throw .destinationUnusable("it cannot be opened.")
        }
    }

    private static func reason(_ error: StoreError) -> String {
        switch error.code {
        case "not_found": "it does not exist."
        case "is_symlink": "it is a symbolic link."
        case "wrong_type": "it is no directory."
        case "permission_denied": "it may not be opened."
        default: "it cannot be opened (\(error.code))."
        }
    }
}
