import Cryptography
import DurableStore
import Foundation

/// The stored body of a finished raw job: `jobs/<JOB>/control-response.json` (control-api.md 14).
///
/// Every read checks the folder's identity, the file's kind, mode, links, length and whole digest, and that nothing
/// changed meanwhile; what the client gets is a private copy that was hashed while it was made.
struct JobResponseSpool: ResponseSpool {
    static let fileName = "control-response.json"

    let jobID: UUID
    let stored: StoredResponse
    /// All jobs' folders.
    let jobs: Directory
    /// Where the unnamed copy lives.
    let scratch: Directory

    var description: RawResponseDescription { stored.description }

    func openSnapshot() throws(ReceiverControlError) -> ResponseSnapshot {
        do {
            let (file, status) = try openArtifact()
            let copy = try scratch.createUnnamedFile()
            var hasher = SHA256()
            var offset: UInt64 = 0
            let byteCount = try file.forEachPiece { piece in
                hasher.update(piece)
                try copy.write(piece, at: offset)
                offset += UInt64(piece.count)
            }
            let after = try file.status()
            guard byteCount == UInt64(stored.description.byteCount), hasher.peek().hex == stored.description.sha256,
                after.modifiedNanoseconds == status.modifiedNanoseconds, after.size == status.size
            else { throw ReceiverControlError.responseSpoolUnavailable }
            return ResponseSnapshot(
                fileDescriptor: try copy.duplicateDescriptor(), byteCount: stored.description.byteCount)
        } catch {
            // Whichever check failed, the client is told the same and may extract again.
            throw .responseSpoolUnavailable
        }
    }

    /// Whether the artifact is exactly what was stored: for `verify`.
    func verify() -> (bytes: Int64, code: String?) {
        do {
            let (file, _) = try openArtifact()
            var hasher = SHA256()
            let count = try file.forEachPiece { hasher.update($0) }
            guard Int64(count) == stored.description.byteCount else { return (Int64(count), "size_mismatch") }
            return (Int64(count), hasher.peek().hex == stored.description.sha256 ? nil : "digest_mismatch")
        } catch StoreError.notFound {
            return (0, "missing")
        } catch {
            return (0, "unreadable")
        }
    }

    private func openArtifact() throws -> (File, FileStatus) {
        let folder = try jobs.directory(jobID.uuidString)
        try folder.requirePrivate()
        guard try folder.identity() == stored.directory else { throw ReceiverControlError.responseSpoolUnavailable }
        let file = try folder.file(JobResponseSpool.fileName, requiringPrivate: true)
        let status = try file.status()
        guard status.size == UInt64(stored.description.byteCount) else {
            throw ReceiverControlError.responseSpoolUnavailable
        }
        return (file, status)
    }
}
