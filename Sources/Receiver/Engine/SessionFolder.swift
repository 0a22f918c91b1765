import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem

/// The files of one session, opened below its verified folder.
///
///     sessions/<SESSION>/items/<ITEM>.item      items, growing segment by segment, complete ones until the end
///     sessions/<SESSION>/spool-<TRANSFER>-<n>   the partition on its way; never needed after a restart
///     sessions/<SESSION>/terminal/              the protected copy of a raw result, until the job expires
struct SessionFolder: Sendable {
    let directory: Directory
    let items: Directory

    /// Makes the folder of a new session. One that is there already is not adopted, whatever it holds
    /// (corpus-protocol.md 13.2.8); the next start removes it when no row knows it. What a failure leaves half made is
    /// removed: it would stand in the way of the phone's next open.
    ///
    /// - Parameter whenLeft: hears of it when even that removal failed.
    static func create(
        _ id: UUID, in sessions: Directory, whenLeft: (any Error) -> Void = { _ in }
    ) throws -> SessionFolder {
        guard try sessions.status(of: id.uuidString) == nil else { throw ReceiverError.sessionFolderChanged }
        do {
            let directory = try sessions.createDirectory(id.uuidString)
            return SessionFolder(directory: directory, items: try directory.createDirectory("items"))
        } catch {
            do { try sessions.removeTree(id.uuidString) } catch { whenLeft(error) }
            throw error
        }
    }

    /// Opens the folder of a stored session, which must be the very one that the journal remembers.
    static func open(_ id: UUID, identity: FileIdentity, in sessions: Directory) throws -> SessionFolder {
        let directory = try sessions.directory(id.uuidString)
        try directory.requirePrivate()
        guard try directory.identity() == identity else { throw ReceiverError.sessionFolderChanged }
        return SessionFolder(directory: directory, items: try directory.createDirectory("items"))
    }

    /// The name of an item's file below ``items``.
    static func itemName(_ id: UUID) -> String { "\(id.uuidString).item" }

    /// The name of the file that a complete day is read from: the item itself, or, where items are JSON (protocol
    /// versions 1 to 3), its translation into the item format.
    static func dayName(_ id: UUID, protocolVersion: Int) -> String {
        usesJSONItems(protocolVersion) ? "\(id.uuidString).day" : itemName(id)
    }

    /// Whether items of this version are JSON (corpus-protocol.md 19).
    static func usesJSONItems(_ protocolVersion: Int) -> Bool { protocolVersion < 4 }

    /// A complete day as a source of the item decoder. Its bytes are those that the phone announced: they may have lain on the disk
    /// for days. (Of a JSON item only the translation is kept, and the digest was the item's.)
    ///
    /// - Throws: `item_file_damaged` when they are not, or when the file is not there.
    static func source(
        of day: DestinationJournal.Day, protocolVersion: Int, in items: Directory
    ) throws -> FileItemSource {
        try StoredDamage.reading {
            let file = try items.file(dayName(day.itemID, protocolVersion: protocolVersion), requiringPrivate: true)
            let size = try file.size()
            if !usesJSONItems(protocolVersion) {
                guard size == UInt64(day.itemByteCount) else { throw ReceiverError.itemFileDamaged }
                var hasher = SHA256()
                try file.forEachPiece { hasher.update($0) }
                guard hasher.peek() == day.itemSHA256 else { throw ReceiverError.itemFileDamaged }
            }
            return FileItemSource(file, byteCount: size)
        }
    }
}

/// An item file as a source of the item decoder.
final class FileItemSource: ItemSource {
    private let file: File
    let byteCount: UInt64

    /// A source over the first `byteCount` bytes of a file.
    init(_ file: File, byteCount: UInt64) {
        self.file = file
        self.byteCount = byteCount
    }

    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        guard offset < byteCount else { return 0 }
        let wanted = Int(min(UInt64(buffer.count), byteCount - offset))
        return try buffer.withUnsafeMutableBytes { bytes in
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]), at: offset)
        }
    }
}
