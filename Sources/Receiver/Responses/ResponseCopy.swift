import Cryptography
import DurableStore

/// One of the two stored copies of a raw job's response body (control-api.md 14).
///
/// It counts as sound when it is a private plain file with one name, of the recorded length and digest, and did not
/// change while it was read.
struct ResponseCopy {
    /// The name of either copy in its folder.
    static let fileName = "control-response.json"

    /// What is wrong with a copy.
    enum Damage: String, Error {
        /// Nothing has its name.
        case missing
        /// Another length than was recorded.
        case sizeMismatch = "size_mismatch"
        /// Another digest than was recorded, or a change during the read.
        case digestMismatch = "digest_mismatch"
        /// A link, a folder, a second name, open to others, or in another folder than was recorded.
        case notPrivate = "not_private"
    }

    let folder: Directory
    let description: RawResponseDescription

    /// Reads the whole copy, handing out each piece. Throws ``Damage``, what `body` throws, or `StoreError` when the
    /// disk cannot say.
    func read(_ body: (UnsafeRawBufferPointer) throws -> Void = { _ in }) throws {
        let (file, before) = try open()
        guard before.size == UInt64(description.byteCount) else { throw Damage.sizeMismatch }
        var hasher = SHA256()
        let byteCount = try file.forEachPiece { piece in
            hasher.update(piece)
            try body(piece)
        }
        let after = try file.status()
        guard byteCount == before.size, hasher.peek().hex == description.sha256,
            after.modifiedNanoseconds == before.modifiedNanoseconds, after.size == before.size
        else { throw Damage.digestMismatch }
    }

    private func open() throws -> (File, FileStatus) {
        do {
            let file = try folder.file(ResponseCopy.fileName, requiringPrivate: true)
            return (file, try file.status())
        } catch StoreError.notFound {
            throw Damage.missing
        } catch StoreError.notPrivate, StoreError.wrongType, StoreError.isSymbolicLink {
            throw Damage.notPrivate
        }
    }

    /// A private, unnamed copy of the copy, hashed while it is made.
    func snapshot(in scratch: Directory) throws -> File {
        let snapshot = try scratch.createUnnamedFile()
        var offset: UInt64 = 0
        try read { piece in
            try snapshot.write(piece, at: offset)
            offset += UInt64(piece.count)
        }
        return snapshot
    }

    /// Puts the bytes of `source` in this copy's place, unless they are not the recorded ones.
    func replace(from source: File) throws {
        var hasher = SHA256()
        try folder.durableReplace(
            ResponseCopy.fileName, expectedByteCount: UInt64(description.byteCount), observing: { hasher.update($0) },
            write: { writer in
                try source.forEachPiece { try writer.write($0) }
                guard hasher.peek().hex == description.sha256 else { throw Damage.digestMismatch }
            })
    }
}
