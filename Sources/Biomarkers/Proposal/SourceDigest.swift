import Cryptography
import DurableStore
import Foundation
import HealthExport
import Synchronization

/// The SHA-256 of the file that proposals come from, taken on a thread of its own while the export is read: a zip is not
/// read front to back, so its digest cannot be taken from the bytes that pass.
final class SourceDigest: Sendable {
    private let outcome = Mutex<Swift.Result<Digest, any Error>?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    /// Begins with a file, or with the main file of a folder.
    init(path: String, mainFile: String) {
        let thread = Thread { [self] in
            let result = Swift.Result { try Self.digest(path: path, mainFile: mainFile) }
            outcome.withLock { $0 = result }
            isOver.signal()
        }
        thread.name = "export-digest"
        thread.start()
    }

    /// Waits for the digest. To be called once.
    func take() throws -> Digest {
        isOver.wait()
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the thread signals with a result") }
        return try result.get()
    }

    private static func digest(path: String, mainFile: String) throws -> Digest {
        do {
            let file = try open(path: path, mainFile: mainFile)
            var hash = SHA256()
            try file.forEachPiece { hash.update($0) }
            return hash.finalize()
        } catch let error as StoreError {
            throw ExportError.cannotOpen(path: path, reason: error.code)
        }
    }

    private static func open(path: String, mainFile: String) throws -> File {
        guard let resolved = realpath(path, nil) else {
            throw ExportError.cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        defer { free(resolved) }
        let parts = String(cString: resolved).split(separator: "/")
        guard let name = parts.last else { throw ExportError.notAnExport(path: path) }
        let parent = try Directory.openRoot("/" + parts.dropLast().joined(separator: "/"))
        if try parent.status(of: String(name))?.kind == .directory {
            return try parent.directory(String(name)).file(mainFile)
        }
        return try parent.file(String(name))
    }
}
