/// What an item was found to be.
public struct ItemSummary: Hashable, Sendable {
    /// The kind in the header.
    public let kind: ItemKind
    /// The length of the whole file.
    public let byteCount: UInt64
    /// How many nodes, the root included.
    public let nodeCount: UInt64
    /// The digest of the whole file, when one was asked for.
    public let digest: [UInt8]?
}

/// Hears of the nodes of an item in file order. Every method has an empty default.
///
/// Strings and data arrive as `begin…`, chunks, `end…`. Each chunk of a string is valid UTF-8 by itself. Offsets are
/// those of the node, counted from the start of the file.
public protocol ItemVisitor {
    /// An object opens; its entries follow as `key` and a node each.
    mutating func beginObject(entryCount: UInt32, at offset: UInt64) throws
    /// The key of the node that follows.
    mutating func key(_ key: String, at offset: UInt64) throws
    /// The innermost open object is complete.
    mutating func endObject() throws
    /// An array opens; its elements follow.
    mutating func beginArray(elementCount: UInt64, at offset: UInt64) throws
    /// The innermost open array is complete.
    mutating func endArray() throws
    /// A null, Boolean, integer, double or date.
    mutating func scalar(_ node: ItemNode, at offset: UInt64) throws
    /// A string of this many bytes opens.
    mutating func beginString(byteCount: UInt64, at offset: UInt64) throws
    /// The next part of the open string.
    mutating func stringChunk(_ bytes: Span<UInt8>) throws
    /// The open string is complete.
    mutating func endString() throws
    /// Data of this many bytes opens.
    mutating func beginData(byteCount: UInt64, at offset: UInt64) throws
    /// The next part of the open data.
    mutating func dataChunk(_ bytes: Span<UInt8>) throws
    /// The open data is complete.
    mutating func endData() throws
}

extension ItemVisitor {
    /// Does nothing.
    public mutating func beginObject(entryCount: UInt32, at offset: UInt64) throws {}
    /// Does nothing.
    public mutating func key(_ key: String, at offset: UInt64) throws {}
    /// Does nothing.
    public mutating func endObject() throws {}
    /// Does nothing.
    public mutating func beginArray(elementCount: UInt64, at offset: UInt64) throws {}
    /// Does nothing.
    public mutating func endArray() throws {}
    /// Does nothing.
    public mutating func scalar(_ node: ItemNode, at offset: UInt64) throws {}
    /// Does nothing.
    public mutating func beginString(byteCount: UInt64, at offset: UInt64) throws {}
    /// Does nothing.
    public mutating func stringChunk(_ bytes: Span<UInt8>) throws {}
    /// Does nothing.
    public mutating func endString() throws {}
    /// Does nothing.
    public mutating func beginData(byteCount: UInt64, at offset: UInt64) throws {}
    /// Does nothing.
    public mutating func dataChunk(_ bytes: Span<UInt8>) throws {}
    /// Does nothing.
    public mutating func endData() throws {}
}

/// Reads an item once from front to back and checks every rule of hmdcitem.md 4, and besides that nulls are empty and
/// that nothing follows in an empty array.
///
/// Memory: one buffer of `ItemFormat.chunkByteCount`, and per open level one key and eight bytes for each key seen.
/// The source is read in order and each byte once.
public enum ItemReader {
    /// Checks a whole item.
    ///
    /// - Parameters:
    ///   - kind: The kind that it must have, or nil to take either.
    ///   - digest: Fed with the whole file.
    @discardableResult
    public static func validate(
        _ source: any ItemSource, kind: ItemKind? = nil, digest: (any ItemDigest)? = nil
    ) throws -> ItemSummary {
        var silent = SilentVisitor()
        return try read(source, kind: kind, digest: digest, visitor: &silent)
    }

    /// Checks a whole item and tells a visitor about each node as soon as it is known. Nodes before a fault have been
    /// told by the time that the fault is thrown.
    @discardableResult
    public static func read(
        _ source: any ItemSource, kind: ItemKind? = nil, digest: (any ItemDigest)? = nil,
        visitor: inout some ItemVisitor
    ) throws -> ItemSummary {
        let window = ItemWindow(source)
        window.digest = digest
        let (header, root) = try window.root(expected: kind)
        var walk = ItemWalk(window)
        try walk.run(from: root, visitor: &visitor)
        return ItemSummary(
            kind: header.kind, byteCount: window.byteCount, nodeCount: walk.nodeCount,
            digest: window.digest?.finish())
    }
}

private struct SilentVisitor: ItemVisitor {}

/// A walk over one node and all below it, in file order, without recursion.
struct ItemWalk {
    /// An object or array whose children are being read.
    private struct Level {
        let node: NodeHeader
        var position: UInt64
        var remaining: UInt64
        var previousKey: String?
        var keys = KeyHashes()
    }

    private let window: ItemWindow
    private(set) var nodeCount: UInt64 = 0
    private var levels: [Level] = []

    init(_ window: ItemWindow) {
        self.window = window
    }

    /// Reads `root` to its end.
    mutating func run(from root: NodeHeader, visitor: inout some ItemVisitor) throws {
        try visit(root, &visitor)
        while let level = levels.last {
            if level.remaining > 0 {
                try visit(try nextChild(&visitor), &visitor)
            } else {
                try close(level, &visitor)
            }
        }
    }

    private mutating func visit(_ node: NodeHeader, _ visitor: inout some ItemVisitor) throws {
        nodeCount += 1
        switch node.tag {
        case .object:
            let count = try window.entryCount(of: node)
            let first = node.payloadOffset + ItemFormat.entryCountByteCount
            levels.append(Level(node: node, position: first, remaining: UInt64(count)))
            try visitor.beginObject(entryCount: count, at: node.offset)
        case .array:
            let count = try window.elementCount(of: node)
            let first = node.payloadOffset + ItemFormat.elementCountByteCount
            levels.append(Level(node: node, position: first, remaining: count))
            try visitor.beginArray(elementCount: count, at: node.offset)
        case .string:
            try visitor.beginString(byteCount: node.payloadByteCount, at: node.offset)
            try window.forEachTextChunk(node) { try visitor.stringChunk($0) }
            try visitor.endString()
        case .data:
            try visitor.beginData(byteCount: node.payloadByteCount, at: node.offset)
            try window.forEachChunk(at: node.payloadOffset, end: node.end) { try visitor.dataChunk($0) }
            try visitor.endData()
        case .null, .boolean, .signed, .unsigned, .double, .date:
            try visitor.scalar(try window.scalar(node), at: node.offset)
        }
    }

    /// Steps to the next child of the innermost level.
    private mutating func nextChild(_ visitor: inout some ItemVisitor) throws -> NodeHeader {
        let innermost = levels.count - 1
        let level = levels[innermost]
        let child: (offset: UInt64, byteCount: UInt64)
        if level.node.tag == .object {
            let entry = try window.entry(at: level.position, end: level.node.end, after: level.previousKey)
            guard levels[innermost].keys.insert(entry.key) else {
                throw ItemError.rejected(.duplicateKey, offset: entry.keyOffset)
            }
            levels[innermost].previousKey = entry.key
            try visitor.key(entry.key, at: entry.keyOffset)
            child = (entry.childOffset, entry.childByteCount)
        } else {
            child = try window.element(at: level.position, end: level.node.end)
        }
        levels[innermost].position = child.offset + child.byteCount
        levels[innermost].remaining -= 1
        return try window.nodeHeader(at: child.offset, enclosing: child.byteCount, depth: level.node.depth + 1)
    }

    private mutating func close(_ level: Level, _ visitor: inout some ItemVisitor) throws {
        let isObject = level.node.tag == .object
        guard level.position == level.node.end else {
            throw ItemError.rejected(isObject ? .bytesAfterLastEntry : .bytesAfterLastElement, offset: level.position)
        }
        levels.removeLast()
        if isObject { try visitor.endObject() } else { try visitor.endArray() }
    }
}

/// The keys of one level, kept as hashes, to find canonically equivalent ones (extensions.md 9.13).
///
/// Keys come in strictly increasing order of their bytes, so equal bytes are found without this. Two keys of different
/// bytes can only be equivalent when at least one of them is not ASCII; until such a key comes, hashes are only listed.
/// Swift hashes strings in normalised form. 64 bits over at most 16 384 keys take unequal keys for equal once in 2^37
/// objects that hold the maximum.
struct KeyHashes {
    private var listed: [Int] = []
    private var indexed: Set<Int>?

    /// Notes a key. False when an equivalent key was noted before.
    mutating func insert(_ key: String) -> Bool {
        let hash = key.hashValue
        if indexed == nil {
            if key.utf8.allSatisfy({ $0 < 0x80 }) {
                listed.append(hash)
                return true
            }
            indexed = Set(listed)
            listed = []
        }
        return indexed?.insert(hash).inserted ?? true
    }
}

extension ItemWindow {
    /// The value of a null, Boolean, integer, double or date node.
    func scalar(_ node: NodeHeader) throws -> ItemNode {
        switch node.tag {
        case .null: .null
        case .boolean: .bool(try boolean(node))
        case .signed: .signed(Int64(bitPattern: try bigEndian64(at: node.payloadOffset)))
        case .unsigned: .unsigned(try bigEndian64(at: node.payloadOffset))
        case .double: .double(try finite(node))
        case .date: .date(try finite(node))
        case .object, .array, .string, .data: preconditionFailure("not a scalar")
        }
    }

    /// Passes bytes in chunks.
    func forEachChunk(at offset: UInt64, end: UInt64, _ body: (Span<UInt8>) throws -> Void) throws {
        var position = offset
        while position < end {
            let count = Int(min(UInt64(try available(at: position)), end - position))
            try withBytes(at: position, count: count, body)
            position += UInt64(count)
        }
    }

    /// Passes the payload of a string node in chunks, each of them valid UTF-8 (rule 11).
    func forEachTextChunk(_ node: NodeHeader, _ body: (Span<UInt8>) throws -> Void) throws {
        try forEachTextChunk(at: node.payloadOffset, end: node.end, body)
    }

    /// Passes bytes in chunks, each of them valid UTF-8 (rule 11). A sequence that crosses the border of a chunk is
    /// left for the next one.
    func forEachTextChunk(at offset: UInt64, end: UInt64, _ body: (Span<UInt8>) throws -> Void) throws {
        var position = offset
        var carried = 0
        while position < end {
            // One byte more than what was carried guarantees progress; a whole sequence is longer than any carry.
            try require(Int(min(UInt64(carried + 1), end - position)), at: position)
            let count = Int(min(UInt64(try available(at: position)), end - position))
            let isLast = position + UInt64(count) == end
            carried = try withBytes(at: position, count: count) { bytes in
                let tail = isLast ? 0 : UTF8Check.incompleteTail(bytes)
                let whole = bytes.extracting(0..<count - tail)
                guard UTF8Check.isValid(whole) else { throw ItemError.rejected(.stringNotUTF8, offset: position) }
                if count > tail { try body(whole) }
                return tail
            }
            position += UInt64(count - carried)
        }
    }
}
