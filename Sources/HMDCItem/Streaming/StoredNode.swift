/// An item that stays in its source: nodes are read when they are visited.
///
/// Only the places that are visited are checked (hmdcitem.md 4); `ItemReader.validate` checks a whole item. A file and
/// its nodes share one read buffer and belong to one thread at a time.
public final class ItemFile {
    /// The checked header.
    public let header: ItemHeader
    /// The root node.
    public let root: StoredNode

    /// Opens an item.
    ///
    /// - Parameters:
    ///   - source: Its bytes, read in any order.
    ///   - kind: The kind that it must have, or nil to take either.
    public init(_ source: any ItemSource, kind: ItemKind?) throws {
        let window = ItemWindow(source)
        let (header, root) = try window.root(expected: kind)
        self.header = header
        self.root = StoredNode(window: window, header: root)
    }
}

/// One node of an `ItemFile`: its header is checked, its payload is not read yet.
public struct StoredNode {
    let window: ItemWindow
    let header: NodeHeader

    /// One entry of a stored object.
    public struct Entry {
        /// The key.
        public let key: String
        /// Where the key's bytes start in the file.
        public let keyOffset: UInt64
        /// The node under the key.
        public let value: StoredNode
    }

    /// The node's tag.
    public var tag: ItemTag { header.tag }

    /// Where the node starts, counted from the start of the file.
    public var offset: UInt64 { header.offset }

    /// Where the payload lies in the file.
    public var payload: ItemRegion {
        ItemRegion(within: window.source, offset: header.payloadOffset, byteCount: header.payloadByteCount)
    }

    /// Passes the entries of an object in file order. Traps for other tags.
    ///
    /// Canonically equivalent keys are not looked for here: who keeps keys sees them.
    public func forEachEntry(_ body: (Entry) throws -> Void) throws {
        precondition(tag == .object)
        var position = header.payloadOffset + ItemFormat.entryCountByteCount
        var previous: String?
        for _ in 0..<(try window.entryCount(of: header)) {
            let place = try window.entry(at: position, end: header.end, after: previous)
            let child = try window.nodeHeader(
                at: place.childOffset, enclosing: place.childByteCount, depth: header.depth + 1)
            try body(
                Entry(key: place.key, keyOffset: place.keyOffset, value: StoredNode(window: window, header: child)))
            previous = place.key
            position = place.end
        }
        guard position == header.end else { throw ItemError.rejected(.bytesAfterLastEntry, offset: position) }
    }

    /// The node under a key of an object, or nil. Every entry's header is checked. Traps for other tags.
    public func child(_ key: String) throws -> StoredNode? {
        var found: StoredNode?
        try forEachEntry { entry in
            guard entry.key == key else { return }
            guard found == nil else { throw ItemError.rejected(.duplicateKey, offset: entry.keyOffset) }
            found = entry.value
        }
        return found
    }

    /// Passes the elements of an array in order. Traps for other tags.
    public func forEachElement(_ body: (StoredNode) throws -> Void) throws {
        precondition(tag == .array)
        var elements = try StoredElements(self)
        while let element = try elements.next() { try body(element) }
    }

    /// The node and all below it, in memory and fully checked.
    ///
    /// - Parameter limit: The most bytes that one string or data value may have.
    public func tree(limit: UInt64 = ItemDecoder.defaultLeafLimit) throws -> ItemNode {
        var builder = TreeBuilder(leafLimit: limit)
        var walk = ItemWalk(window)
        try walk.run(from: header, visitor: &builder)
        return builder.finish()
    }

    /// The bytes of a data node, which must have that tag.
    func data(limit: UInt64) throws -> [UInt8] {
        var bytes = try emptyLeaf(limit: limit)
        try window.forEachChunk(at: header.payloadOffset, end: header.end) { append($0, to: &bytes) }
        return bytes
    }

    /// The text of a string node, which must have that tag.
    func string(limit: UInt64) throws -> String {
        let length = header.payloadByteCount
        if length <= min(limit, UInt64(ItemFormat.chunkByteCount)) {
            let length = Int(length)
            try window.require(length, at: header.payloadOffset)
            guard let text = window.withBytes(at: header.payloadOffset, count: length, UTF8Check.string) else {
                throw ItemError.rejected(.stringNotUTF8, offset: header.payloadOffset)
            }
            return text
        }
        var bytes = try emptyLeaf(limit: limit)
        try window.forEachTextChunk(header) { append($0, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Room for the whole payload, after its length was checked.
    private func emptyLeaf(limit: UInt64) throws -> [UInt8] {
        guard header.payloadByteCount <= limit else {
            throw ItemError.rejected(.leafTooLarge(limit: limit), offset: header.offset)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(header.payloadByteCount))
        return bytes
    }
}

/// The elements of a stored array, one after the other.
struct StoredElements {
    let count: UInt64
    private let array: StoredNode
    private var position: UInt64
    private var remaining: UInt64

    init(_ array: StoredNode) throws {
        self.array = array
        count = try array.window.elementCount(of: array.header)
        remaining = count
        position = array.header.payloadOffset + ItemFormat.elementCountByteCount
        if count == 0 { try checkEnd() }
    }

    mutating func next() throws -> StoredNode? {
        guard remaining > 0 else { return nil }
        let place = try array.window.element(at: position, end: array.header.end)
        position = place.offset + place.byteCount
        remaining -= 1
        if remaining == 0 { try checkEnd() }
        let header = try array.window.nodeHeader(
            at: place.offset, enclosing: place.byteCount, depth: array.header.depth + 1)
        return StoredNode(window: array.window, header: header)
    }

    private func checkEnd() throws {
        guard position == array.header.end else {
            throw ItemError.rejected(.bytesAfterLastElement, offset: position)
        }
    }
}

extension ItemRegion {
    /// The whole region in memory.
    func bytes(isText: Bool, limit: UInt64) throws -> [UInt8] {
        guard byteCount <= limit else { throw ItemError.rejected(.leafTooLarge(limit: limit), offset: offset) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(byteCount))
        try forEachChunk(isText: isText) { append($0, to: &bytes) }
        return bytes
    }
}

/// Builds a tree in memory from a walk.
struct TreeBuilder: ItemVisitor {
    /// An object or array that is still open; keys and values side by side.
    private struct Open {
        let isObject: Bool
        var keys: [String] = []
        var nodes: [ItemNode] = []
    }

    let leafLimit: UInt64
    private var open: [Open] = []
    private var leaf: [UInt8] = []
    private var root: ItemNode?

    init(leafLimit: UInt64) {
        self.leafLimit = leafLimit
    }

    func finish() -> ItemNode {
        guard let root else { preconditionFailure("the walk was not finished") }
        return root
    }

    private mutating func add(_ node: ItemNode) {
        if open.isEmpty { root = node } else { open[open.count - 1].nodes.append(node) }
    }

    private mutating func beginLeaf(_ byteCount: UInt64, at offset: UInt64) throws {
        guard byteCount <= leafLimit else {
            throw ItemError.rejected(.leafTooLarge(limit: leafLimit), offset: offset)
        }
        leaf.removeAll(keepingCapacity: true)
        leaf.reserveCapacity(Int(byteCount))
    }

    mutating func beginObject(entryCount: UInt32, at offset: UInt64) { open.append(Open(isObject: true)) }
    mutating func key(_ key: String, at offset: UInt64) { open[open.count - 1].keys.append(key) }
    mutating func endObject() {
        let object = open.removeLast()
        add(.object(zip(object.keys, object.nodes).map { ItemNode.Entry(key: $0, value: $1) }))
    }
    mutating func beginArray(elementCount: UInt64, at offset: UInt64) { open.append(Open(isObject: false)) }
    mutating func endArray() { add(.array(open.removeLast().nodes)) }
    mutating func scalar(_ node: ItemNode, at offset: UInt64) { add(node) }
    mutating func beginString(byteCount: UInt64, at offset: UInt64) throws { try beginLeaf(byteCount, at: offset) }
    mutating func stringChunk(_ bytes: Span<UInt8>) { append(bytes, to: &leaf) }
    mutating func endString() { add(.string(String(decoding: leaf, as: UTF8.self))) }
    mutating func beginData(byteCount: UInt64, at offset: UInt64) throws { try beginLeaf(byteCount, at: offset) }
    mutating func dataChunk(_ bytes: Span<UInt8>) { append(bytes, to: &leaf) }
    mutating func endData() { add(.data(leaf)) }
}
