import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem

/// The files of prepared days: `items/<UUID>.item`, private, written once and never changed.
struct ItemStore: Sendable {
    private let folder: Directory

    init(_ folder: Directory) {
        self.folder = folder
    }

    static func name(of itemID: UUID) -> String { "\(itemID.uuidString).item" }

    /// Writes a new item and makes it durable; a file that could not be finished is removed.
    ///
    /// - Returns: the number of bytes and the digest of the whole file, taken while the bytes passed.
    func write(
        _ itemID: UUID, _ body: (inout ItemFileSink) throws -> Void
    ) throws -> (byteCount: Int64, sha256: Digest) {
        let name = ItemStore.name(of: itemID)
        let file = try folder.createFile(name)
        do {
            var sink = ItemFileSink(file)
            try body(&sink)
            try file.sync()
            try folder.sync()
            return (Int64(sink.byteCount), sink.finish())
        } catch {
            // The first error tells; a file that stays is swept at the next start.
            try? folder.remove(name)
            throw error
        }
    }

    /// Opens an item for reading; refuses one that is missing, linked elsewhere or of another length.
    func open(_ itemID: UUID, byteCount: Int64) throws -> File {
        let name = ItemStore.name(of: itemID)
        do {
            let file = try folder.file(name, requiringPrivate: true)
            guard try file.size() == UInt64(byteCount) else { throw SenderError.itemDamaged(name: name) }
            return file
        } catch let error as StoreError {
            switch error {
            case .notFound, .isSymbolicLink, .wrongType, .notPrivate: throw SenderError.itemDamaged(name: name)
            default: throw error
            }
        }
    }

    /// Checks that an item is, byte for byte, the one that the journal names, and of the form that the session's version demands
    /// (corpus-protocol.md 17.1, hmdcitem.md 1).
    func verify(_ item: PendingItem, protocolVersion: Int) throws {
        let name = ItemStore.name(of: item.itemID)
        let file = try open(item.itemID, byteCount: item.totalBytes)
        var digest = SHA256()
        var head: [UInt8] = []
        try file.forEachPiece { piece in
            if head.isEmpty { head = Array(piece.prefix(ItemForm.headByteCount)) }
            digest.update(piece)
        }
        guard digest.finalize() == item.sha256, ItemForm(protocolVersion: protocolVersion).accepts(head, item.kind)
        else { throw SenderError.itemDamaged(name: name) }
    }

    /// Deletes items that nothing refers to any more.
    func delete(_ itemIDs: [UUID]) throws {
        for itemID in itemIDs { try folder.removeIfPresent(ItemStore.name(of: itemID)) }
    }

    /// Deletes what an interrupted run left behind (corpus-protocol.md 17.1: unreferenced files are removed on load).
    func sweep(keeping referenced: Set<UUID>) throws {
        let names = Set(referenced.map(ItemStore.name))
        for entry in try folder.entries() where !names.contains(entry.name) && entry.kind != .directory {
            try folder.removeIfPresent(entry.name)
        }
    }
}

/// Which bytes an item has: JSON text up to version 3, the token format from version 4 on (hmdcitem.md 1).
enum ItemForm: Sendable {
    case json
    case binary

    /// Bytes that tell the form and the kind: magic, version, kind, reserved.
    static let headByteCount = 12

    init(protocolVersion: Int) {
        self = protocolVersion >= 4 ? .binary : .json
    }

    func accepts(_ head: [UInt8], _ kind: ConnectedProtocol.ItemKind) -> Bool {
        let isBinary = head.starts(with: "HMDCITEM".utf8)
        switch self {
        case .json: return !isBinary
        case .binary:
            return isBinary && head.count == ItemForm.headByteCount && head[10] == (kind == .macHealthDay ? 1 : 2)
        }
    }
}

/// Takes the bytes of an item in order: into its file, and through the digest on the way.
struct ItemFileSink: ItemSink {
    private let file: File
    private var digest = SHA256()
    private(set) var byteCount: UInt64 = 0

    init(_ file: File) {
        self.file = file
    }

    mutating func write(_ bytes: Span<UInt8>) throws {
        try bytes.withUnsafeBytes { buffer in
            digest.update(buffer)
            try file.write(buffer, at: byteCount)
        }
        byteCount += UInt64(bytes.count)
    }

    mutating func write(_ bytes: [UInt8]) throws {
        try write(bytes.span)
    }

    mutating func finish() -> Digest { digest.finalize() }
}
