import DurableStore
import Glibc

/// Sorts any number of packed records by day, type, start and bytes, in bounded memory: runs of a few megabytes are
/// sorted in memory, written to a file without a name, and merged (an external merge sort).
final class RecordSorter {
    /// Bytes of packed records sorted in memory at a time.
    static let runSize = 8 << 20
    /// Records sorted in memory at a time.
    static let runCount = 400_000
    /// Bytes read ahead of each run while merging.
    static let mergeBufferSize = 1 << 16

    /// Where a record goes, and where its bytes are.
    private struct Key {
        /// Day number in the upper half, offset so that it sorts unsigned; type in the lower.
        var group: UInt64
        var start: Int64
        var offset: UInt32
        var length: UInt32
    }

    /// What comes out, in order. The bytes are valid during the call.
    struct Item {
        var day: Int32
        var type: Int32
        var start: Int64
        var identityCount: Int
        var bytes: UnsafeBufferPointer<UInt8>
    }

    private let folder: Directory
    private let runByteLimit: Int
    private let runRecordLimit: Int
    private let arena: UnsafeMutablePointer<UInt8>
    private let keys: UnsafeMutablePointer<Key>
    private var arenaCount = 0
    private var keyCount = 0
    private var file: File?
    private var fileEnd: UInt64 = 0
    private var runs: [Range<UInt64>] = []

    /// A sorter whose runs lie in a folder, nameless, while they are needed.
    init(folder: Directory, runSize: Int = runSize, runCount: Int = runCount) {
        self.folder = folder
        runByteLimit = runSize
        runRecordLimit = runCount
        arena = .allocate(capacity: runSize)
        keys = .allocate(capacity: runCount)
    }

    deinit {
        arena.deallocate()
        keys.deallocate()
    }

    /// Adds one record. `identityCount` of its bytes tell equal samples apart from others.
    func add(day: Int32, type: Int32, start: Int64, identityCount: Int, bytes: [UInt8]) throws {
        let length = bytes.count + 4
        if arenaCount + length > runByteLimit || keyCount == runRecordLimit { try flushRun() }
        precondition(length <= runByteLimit, "a packed record is bounded by the reader's limits")
        let offset = arenaCount
        UnsafeMutableRawPointer(arena + offset).storeBytes(of: UInt32(identityCount), as: UInt32.self)
        bytes.withUnsafeBufferPointer { (arena + offset + 4).update(from: $0.baseAddress!, count: bytes.count) }
        arenaCount += (length + 3) & ~3
        (keys + keyCount).initialize(
            to: Key(
                group: UInt64(UInt32(bitPattern: day ^ Int32.min)) << 32 | UInt64(UInt32(bitPattern: type)),
                start: start, offset: UInt32(offset), length: UInt32(length)))
        keyCount += 1
    }

    private func sortKeys() {
        let arena = arena
        var sorted = UnsafeMutableBufferPointer(start: keys, count: keyCount)
        sorted.sort { left, right in
            if left.group != right.group { return left.group < right.group }
            if left.start != right.start { return left.start < right.start }
            let order = memcmp(
                arena + Int(left.offset) + 4, arena + Int(right.offset) + 4, Int(min(left.length, right.length)) - 4)
            if order != 0 { return order < 0 }
            return left.length != right.length ? left.length < right.length : left.offset < right.offset
        }
    }

    // MARK: Runs

    /// Header of a record in a run: group, start, length.
    private static let headerSize = 20

    private func flushRun() throws {
        sortKeys()
        let file = try self.file ?? folder.createUnnamedFile()
        self.file = file
        let begin = fileEnd
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var filled = 0
        func put(_ bytes: UnsafeRawBufferPointer) throws {
            var rest = bytes[...]
            while !rest.isEmpty {
                if filled == buffer.count {
                    try file.write(UnsafeRawBufferPointer(buffer), at: fileEnd)
                    fileEnd += UInt64(filled)
                    filled = 0
                }
                let piece = rest.prefix(buffer.count - filled)
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: piece))
                filled += piece.count
                rest = rest.dropFirst(piece.count)
            }
        }
        var header = (UInt64(0), Int64(0), UInt32(0))
        for index in 0..<keyCount {
            let key = keys[index]
            header = (key.group, key.start, key.length)
            try withUnsafeBytes(of: &header) { try put(UnsafeRawBufferPointer(rebasing: $0[..<Self.headerSize])) }
            try put(UnsafeRawBufferPointer(start: arena + Int(key.offset), count: Int(key.length)))
        }
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: fileEnd)
        fileEnd += UInt64(filled)
        runs.append(begin..<fileEnd)
        arenaCount = 0
        keyCount = 0
    }

    // MARK: Merge

    /// Passes every record in order. Ends the sorter: nothing can be added afterwards.
    func drain(_ body: (Item) throws -> Void) throws {
        guard let file else {
            sortKeys()
            for index in 0..<keyCount {
                let key = keys[index]
                try body(Self.item(key.group, key.start, arena + Int(key.offset), Int(key.length)))
            }
            return
        }
        try flushRun()
        var cursors: [Cursor] = []
        for run in runs {
            let cursor = Cursor(file, run)
            if try cursor.advance() { cursors.append(cursor) }
        }
        var heap = Heap(cursors)
        while let cursor = heap.top {
            try body(Self.item(cursor.group, cursor.start, cursor.bytes, cursor.length))
            try heap.replaceTop(advanced: try cursor.advance())
        }
    }

    private static func item(
        _ group: UInt64, _ start: Int64, _ bytes: UnsafePointer<UInt8>, _ length: Int
    ) -> Item {
        Item(
            day: Int32(bitPattern: UInt32(group >> 32)) ^ Int32.min, type: Int32(truncatingIfNeeded: group),
            start: start, identityCount: Int(UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)),
            bytes: UnsafeBufferPointer(start: bytes + 4, count: length - 4))
    }

    /// The front of one run.
    private final class Cursor {
        private let file: File
        private var next: UInt64
        private let end: UInt64
        private var buffer: UnsafeMutableRawBufferPointer
        private var position = 0
        private var limit = 0
        private(set) var group: UInt64 = 0
        private(set) var start: Int64 = 0
        private(set) var length = 0

        init(_ file: File, _ run: Range<UInt64>) {
            self.file = file
            next = run.lowerBound
            end = run.upperBound
            buffer = .allocate(byteCount: RecordSorter.mergeBufferSize, alignment: 16)
        }

        deinit { buffer.deallocate() }

        /// The record's bytes, identity count first.
        var bytes: UnsafePointer<UInt8> {
            UnsafePointer(buffer.baseAddress!.assumingMemoryBound(to: UInt8.self)) + position - length
        }

        /// Goes to the next record; false at the end of the run.
        func advance() throws -> Bool {
            if limit - position < RecordSorter.headerSize { try fill(RecordSorter.headerSize) }
            guard limit - position >= RecordSorter.headerSize else { return false }
            let raw = UnsafeRawPointer(buffer.baseAddress!) + position
            group = raw.loadUnaligned(as: UInt64.self)
            start = raw.loadUnaligned(fromByteOffset: 8, as: Int64.self)
            length = Int(raw.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
            position += RecordSorter.headerSize
            if limit - position < length { try fill(length) }
            position += length
            return true
        }

        /// Reads more until `wanted` bytes are there; a record longer than the buffer makes it grow once.
        private func fill(_ wanted: Int) throws {
            let rest = limit - position
            if wanted > buffer.count {
                let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: wanted, alignment: 16)
                larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[position..<limit]))
                buffer.deallocate()
                buffer = larger
            } else {
                memmove(buffer.baseAddress!, buffer.baseAddress! + position, rest)
            }
            position = 0
            limit = rest
            let count = min(buffer.count - rest, Int(end - next))
            guard count > 0 else { return }
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[rest..<rest + count])
            guard try file.read(into: target, at: next) == count else {
                throw ExportError.readFailed(ExportPlace(entry: "sort file"), reason: "it is shorter than it was")
            }
            next += UInt64(count)
            limit += count
        }

        func isBefore(_ other: Cursor) -> Bool {
            if group != other.group { return group < other.group }
            if start != other.start { return start < other.start }
            let order = memcmp(bytes + 4, other.bytes + 4, min(length, other.length) - 4)
            return order != 0 ? order < 0 : length < other.length
        }
    }

    /// The runs ordered by their front record.
    private struct Heap {
        private var cursors: [Cursor]

        init(_ cursors: [Cursor]) {
            self.cursors = cursors
            for index in stride(from: cursors.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
        }

        var top: Cursor? { cursors.first }

        mutating func replaceTop(advanced: Bool) throws {
            if !advanced {
                cursors.swapAt(0, cursors.count - 1)
                cursors.removeLast()
            }
            siftDown(0)
        }

        private mutating func siftDown(_ start: Int) {
            var index = start
            while true {
                var smallest = index
                for child in [2 * index + 1, 2 * index + 2]
                where child < cursors.count && cursors[child].isBefore(cursors[smallest]) {
                    smallest = child
                }
                if smallest == index { return }
                cursors.swapAt(index, smallest)
                index = smallest
            }
        }
    }
}
