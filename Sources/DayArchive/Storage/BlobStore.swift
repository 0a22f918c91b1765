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

    /// A name that the index or the store holds.
    init(stored text: String) { self.text = text }

    var folder: String { String(text.prefix { $0 != "/" }) }
    var file: String { String(text.drop { $0 != "/" }.dropFirst()) }

    var description: String { text }
}

/// What became of blobs that were to be stored.
struct StoredBlobs: Sendable {
    /// Those that are durable now.
    var names: Set<BlobName> = []
    /// Why the first of the others is not; for the operator.
    var failure: (any Error)?
}

/// Where the sealed bytes of days lie: files here, objects of a bucket elsewhere.
protocol BlobStore: Sendable {
    /// Stores what it can.
    func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> StoredBlobs
    /// The bytes of each stored name, in the same order; nil where they are gone or not as many as were stored.
    ///
    /// - Throws: when the store cannot tell.
    func load(_ blobs: [(name: BlobName, byteCount: Int)]) throws -> [[UInt8]?]
    /// The names that a bucket has in the store now for these days, with the bytes of each.
    func byteCounts(of bucket: BucketID, _ days: ClosedRange<ArchiveDay>) throws -> [BlobName: Int]
    /// Removes names that nothing refers to; absent ones are fine.
    func remove(_ names: [BlobName]) throws
}

extension BlobStore {
    /// The names that a bucket has in the store now, with the bytes of each.
    func byteCounts(of bucket: BucketID) throws -> [BlobName: Int] { try byteCounts(of: bucket, ArchiveDay.all) }
}

extension BlobName {
    /// Whether the blob is of one of these days; the names are in the order of the days.
    func isOf(_ days: ClosedRange<ArchiveDay>) -> Bool {
        let day = file.prefix(ArchiveDay.byteCount)
        return day >= days.lowerBound.description && day <= days.upperBound.description
    }
}

/// Blobs as private files, one folder for each bucket.
struct FileBlobs: BlobStore {
    let root: Directory

    func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> StoredBlobs {
        var stored = StoredBlobs()
        var folders: [String: Directory] = [:]
        for (name, bytes) in blobs {
            do {
                let folder = try folders[name.folder] ?? root.createDirectory(name.folder)
                folders[name.folder] = folder
                let file = try folder.createFile(name.file)
                try file.write(bytes, at: 0)
                try file.sync()
                stored.names.insert(name)
            } catch {
                // A day that cannot be stored is left out of the answer; its writer sends it again.
                stored.failure = stored.failure ?? error
            }
        }
        do {
            // The bucket's folder itself may be as new as what lies in it, or have been made by a call that failed.
            try root.sync()
            for folder in folders.values { try folder.sync() }
        } catch {
            // Without these the new names may be lost, so none of them counts.
            return StoredBlobs(failure: error)
        }
        return stored
    }

    func load(_ blobs: [(name: BlobName, byteCount: Int)]) throws -> [[UInt8]?] {
        try blobs.map { name, byteCount in
            do {
                let file = try root.file(name.text, requiringPrivate: true)
                guard try file.size() == UInt64(byteCount) else { return nil }
                return try file.bytes(at: 0, count: byteCount)
            } catch StoreError.notFound {
                return nil
            }
        }
    }

    func byteCounts(of bucket: BucketID, _ days: ClosedRange<ArchiveDay>) throws -> [BlobName: Int] {
        guard try root.status(of: bucket.text) != nil else { return [:] }
        let folder = try root.directory(bucket.text)
        var byteCounts: [BlobName: Int] = [:]
        for entry in try folder.entries() where entry.kind == .regularFile {
            let name = BlobName(stored: "\(bucket)/\(entry.name)")
            // Nil for one that an upload replaced since the folder was read.
            guard name.isOf(days), let status = try folder.status(of: entry.name) else { continue }
            byteCounts[name] = Int(clamping: status.size)
        }
        return byteCounts
    }

    func remove(_ names: [BlobName]) throws {
        for name in names { try root.removeIfPresent(name.text) }
    }
}

/// Blobs in memory, for tests.
final class MemoryBlobs: BlobStore {
    struct Refused: Error {}

    private let blobs = Mutex<[BlobName: [UInt8]]>([:])
    private let refuses: @Sendable (BlobName) -> Bool

    /// - Parameter refuses: names that cannot be stored.
    init(refusing refuses: @escaping @Sendable (BlobName) -> Bool = { _ in false }) { self.refuses = refuses }

    var names: Set<BlobName> { blobs.withLock { Set($0.keys) } }

    func store(_ new: [(name: BlobName, bytes: [UInt8])]) -> StoredBlobs {
        blobs.withLock { blobs in
            var stored = StoredBlobs()
            for (name, bytes) in new {
                if refuses(name) {
                    stored.failure = Refused()
                } else {
                    blobs[name] = bytes
                    stored.names.insert(name)
                }
            }
            return stored
        }
    }

    func load(_ wanted: [(name: BlobName, byteCount: Int)]) -> [[UInt8]?] {
        blobs.withLock { blobs in wanted.map { blobs[$0.name] } }
    }

    func byteCounts(of bucket: BucketID, _ days: ClosedRange<ArchiveDay>) -> [BlobName: Int] {
        blobs.withLock { $0.filter { $0.key.folder == bucket.text && $0.key.isOf(days) }.mapValues(\.count) }
    }

    func remove(_ names: [BlobName]) {
        blobs.withLock { blobs in
            for name in names { blobs[name] = nil }
        }
    }
}
