import Cryptography
import DurableStore
import Synchronization

/// The name of a sealed day in a blob store. Never used twice, so that the index alone says which one counts.
struct BlobName: Hashable, Sendable, CustomStringConvertible {
    /// `<bucket>/<day>-<random>`.
    let text: String

    init(bucket: BucketID, day: ArchiveDay) {
        text = "\(bucket)/\(day)-\(Base32.encode(SecureRandom.bytes(10)))"
    }

    /// A name that the index holds.
    init(stored text: String) { self.text = text }

    var folder: String { String(text.prefix { $0 != "/" }) }
    var file: String { String(text.drop { $0 != "/" }.dropFirst()) }

    var description: String { text }
}

/// Where the sealed bytes of days lie: files here, objects of a bucket elsewhere.
protocol BlobStore: Sendable {
    /// Stores what it can; returns the names that are durable now.
    func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> Set<BlobName>
    /// The bytes of a stored name.
    func load(_ name: BlobName, byteCount: Int) throws -> [UInt8]
    /// Removes names that nothing refers to; absent ones are fine.
    func remove(_ names: [BlobName]) throws
}

/// Blobs as private files, one folder for each bucket.
struct FileBlobs: BlobStore {
    let root: Directory

    func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> Set<BlobName> {
        var written: Set<BlobName> = []
        var folders: [String: Directory] = [:]
        for (name, bytes) in blobs {
            do {
                let folder = try folders[name.folder] ?? root.createDirectory(name.folder)
                folders[name.folder] = folder
                let file = try folder.createFile(name.file)
                try file.write(bytes, at: 0)
                try file.sync()
                written.insert(name)
            } catch {
                // A day that cannot be stored is left out of the answer; its writer sends it again.
                continue
            }
        }
        do {
            // The bucket's folder itself may be as new as what lies in it, or have been made by a call that failed.
            try root.sync()
            for folder in folders.values { try folder.sync() }
        } catch {
            // Without these the new names may be lost, so none of them counts.
            return []
        }
        return written
    }

    func load(_ name: BlobName, byteCount: Int) throws -> [UInt8] {
        let file = try root.file(name.text, requiringPrivate: true)
        guard try file.size() == UInt64(byteCount) else {
            throw StoreError.corrupt(path: file.displayPath, detail: "its size is not what the index says")
        }
        return try file.bytes(at: 0, count: byteCount)
    }

    func remove(_ names: [BlobName]) throws {
        for name in names { try root.removeIfPresent(name.text) }
    }
}

/// Blobs in memory, for tests.
final class MemoryBlobs: BlobStore {
    private let blobs = Mutex<[BlobName: [UInt8]]>([:])
    private let refuses: @Sendable (BlobName) -> Bool

    /// - Parameter refuses: names that cannot be stored.
    init(refusing refuses: @escaping @Sendable (BlobName) -> Bool = { _ in false }) { self.refuses = refuses }

    var names: Set<BlobName> { blobs.withLock { Set($0.keys) } }

    func store(_ new: [(name: BlobName, bytes: [UInt8])]) -> Set<BlobName> {
        blobs.withLock { blobs in
            var stored: Set<BlobName> = []
            for (name, bytes) in new where !refuses(name) {
                blobs[name] = bytes
                stored.insert(name)
            }
            return stored
        }
    }

    func load(_ name: BlobName, byteCount: Int) throws -> [UInt8] {
        guard let bytes = blobs.withLock({ $0[name] }) else { throw StoreError.notFound(path: name.text) }
        return bytes
    }

    func remove(_ names: [BlobName]) {
        blobs.withLock { blobs in
            for name in names { blobs[name] = nil }
        }
    }
}
