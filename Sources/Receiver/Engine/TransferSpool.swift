import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// Names a spool: transfer ids are chosen by peers, so the connection belongs to the name.
struct SpoolKey: Hashable, Sendable {
    let connection: ConnectionID
    let transferID: UUID
}

/// The private file that a partition is received into, and the digest of what has arrived.
///
/// Touched by the disk worker only. It is never synced: after a restart the source sends the partition again, and
/// what the acknowledgement promises lies in the item files, which are synced before the journal.
final class TransferSpool: @unchecked Sendable {
    private let folder: Directory
    private let name: String
    private(set) var file: File?
    private var hasher = SHA256()
    private(set) var byteCount: Int64 = 0

    init(folder: Directory, name: String) {
        self.folder = folder
        self.name = name
    }

    /// Makes the file.
    func open() throws {
        try folder.removeIfPresent(name)
        file = try folder.createFile(name)
    }

    /// Appends the next chunk.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        guard let file, offset == byteCount else { throw ReceiverError.itemFileDamaged }
        try file.write(bytes, at: UInt64(offset))
        hasher.update(bytes)
        byteCount += Int64(bytes.count)
    }

    /// The digest of everything that was written.
    func digest() -> Digest { hasher.peek() }

    /// Closes and removes the file.
    func delete() throws {
        file = nil
        try folder.removeIfPresent(name)
    }
}
