/// Writes a tree as an item, in two passes: the first measures, the second writes.
///
/// Enclosing lengths stand in front of what they enclose. The first pass needs only the lengths of streamed values, so
/// their sources are read once, in order, in the second. Memory beyond the tree: eight bytes per object and array, and
/// two buffers of `ItemFormat.chunkByteCount`.
public enum ItemWriter {
    /// The length of the whole item of a tree. Checks everything that can be checked without reading sources.
    public static func byteCount(of root: ItemNode) throws -> UInt64 {
        var plan = SizePlan()
        return try plan.itemByteCount(of: root)
    }

    /// Writes the item of a tree: header and root. A sink that is a value keeps its old state when this throws.
    ///
    /// - Returns: How many bytes were written.
    @discardableResult
    public static func write(_ root: ItemNode, kind: ItemKind, to sink: inout some ItemSink) throws -> UInt64 {
        var plan = SizePlan()
        let total = try plan.itemByteCount(of: root)
        var pass = WritePass(sizes: plan.sizes, output: BufferedOutput(sink))
        try pass.output.append(ItemHeader(kind: kind).bytes)
        try pass.write(root)
        try pass.output.flush()
        sink = pass.output.sink
        return total
    }

    /// The item of a tree, in memory.
    public static func bytes(of root: ItemNode, kind: ItemKind) throws -> [UInt8] {
        var buffer = ItemByteBuffer()
        try write(root, kind: kind, to: &buffer)
        return buffer.bytes
    }
}

/// The first pass: payload lengths of objects and arrays in the order in which they open.
private struct SizePlan {
    private(set) var sizes: [UInt64] = []
    private var path = ItemPath()

    mutating func itemByteCount(of root: ItemNode) throws(ItemError) -> UInt64 {
        let node = try nodeByteCount(of: root, depth: 0)
        return try sum(node, ItemFormat.headerByteCount)
    }

    private mutating func nodeByteCount(of node: ItemNode, depth: Int) throws(ItemError) -> UInt64 {
        guard depth <= ItemFormat.maximumDepth else { throw refuse(.tooDeep) }
        let payload: UInt64
        switch node {
        case .object(let entries): payload = try objectByteCount(entries, depth: depth)
        case .array(let elements): payload = try arrayByteCount(elements, depth: depth)
        case .null: payload = 0
        case .bool: payload = ItemFormat.booleanByteCount
        case .signed, .unsigned: payload = ItemFormat.numberByteCount
        case .double(let value), .date(let value):
            guard value.isFinite else { throw refuse(.numberNotFinite) }
            payload = ItemFormat.numberByteCount
        case .string(let text): payload = UInt64(text.utf8.count)
        case .data(let bytes): payload = UInt64(bytes.count)
        case .streamedString(let region):
            guard region.byteCount > 0 else { throw refuse(.emptyStreamedString) }
            payload = region.byteCount
        case .streamedData(let region): payload = region.byteCount
        }
        guard payload <= ItemFormat.maximumPayloadByteCount else { throw refuse(.tooLarge) }
        return try sum(payload, ItemFormat.nodeHeaderByteCount)
    }

    private mutating func objectByteCount(_ entries: [ItemNode.Entry], depth: Int) throws(ItemError) -> UInt64 {
        guard entries.count <= Int(ItemFormat.maximumEntryCount) else { throw refuse(.tooManyEntries) }
        let place = sizes.count
        sizes.append(0)
        var total = ItemFormat.entryCountByteCount
        var keys = DistinctKeys()
        for entry in entries {
            path.push(key: entry.key)
            let keyByteCount = entry.key.utf8.count
            guard keyByteCount >= 1, keyByteCount <= Int(ItemFormat.maximumKeyByteCount) else {
                throw refuse(.keyLength)
            }
            if let fault = keys.check(entry.key) { throw refuse(fault) }
            let child = try nodeByteCount(of: entry.value, depth: depth + 1)
            total = try sum(total, ItemFormat.keyLengthByteCount + UInt64(keyByteCount))
            total = try sum(total, try sum(child, ItemFormat.childLengthByteCount))
            path.pop()
        }
        sizes[place] = total
        return total
    }

    private mutating func arrayByteCount(_ elements: [ItemNode], depth: Int) throws(ItemError) -> UInt64 {
        let place = sizes.count
        sizes.append(0)
        var total = ItemFormat.elementCountByteCount
        for (index, element) in elements.enumerated() {
            path.push(index: index)
            let child = try nodeByteCount(of: element, depth: depth + 1)
            total = try sum(total, try sum(child, ItemFormat.childLengthByteCount))
            path.pop()
        }
        sizes[place] = total
        return total
    }

    private func sum(_ left: UInt64, _ right: UInt64) throws(ItemError) -> UInt64 {
        let (total, overflow) = left.addingReportingOverflow(right)
        guard !overflow, total <= ItemFormat.maximumPayloadByteCount else { throw refuse(.tooLarge) }
        return total
    }

    private func refuse(_ refusal: ItemRefusal) -> ItemError { .refused(refusal, path: path.description) }
}

/// The second pass.
private struct WritePass<Sink: ItemSink> {
    private let sizes: [UInt64]
    private var nextSize = 0
    private var path = ItemPath()
    var output: BufferedOutput<Sink>

    init(sizes: [UInt64], output: BufferedOutput<Sink>) {
        self.sizes = sizes
        self.output = output
    }

    mutating func write(_ node: ItemNode) throws {
        try header(of: node, payloadByteCount: payloadByteCount(of: node))
        switch node {
        case .object(let entries):
            try output.append(UInt32(entries.count))
            for entry in entries {
                try output.append(UInt32(entry.key.utf8.count))
                try output.append(entry.key)
                try child(entry.value) { $0.push(key: entry.key) }
            }
        case .array(let elements):
            try output.append(UInt64(elements.count))
            for (index, element) in elements.enumerated() {
                try child(element) { $0.push(index: index) }
            }
        case .null: break
        case .bool(let value): try output.append(value ? 1 : 0 as UInt8)
        case .signed(let value): try output.append(UInt64(bitPattern: value))
        case .unsigned(let value): try output.append(value)
        case .double(let value), .date(let value): try output.append(value.bitPattern)
        case .string(let text): try output.append(text)
        case .data(let bytes): try output.append(bytes)
        case .streamedString(let region): try stream(region, isText: true)
        case .streamedData(let region): try stream(region, isText: false)
        }
    }

    private mutating func child(_ node: ItemNode, _ step: (inout ItemPath) -> Void) throws {
        step(&path)
        // The size of an object or array is taken from the list when its own header is written.
        let payload =
            switch node {
            case .object, .array: sizes[nextSize]
            default: payloadByteCount(of: node)
            }
        try output.append(ItemFormat.nodeHeaderByteCount + payload)
        try write(node)
        path.pop()
    }

    private mutating func payloadByteCount(of node: ItemNode) -> UInt64 {
        switch node {
        case .object, .array:
            nextSize += 1
            return sizes[nextSize - 1]
        case .null: return 0
        case .bool: return ItemFormat.booleanByteCount
        case .signed, .unsigned, .double, .date: return ItemFormat.numberByteCount
        case .string(let text): return UInt64(text.utf8.count)
        case .data(let bytes): return UInt64(bytes.count)
        case .streamedString(let region), .streamedData(let region): return region.byteCount
        }
    }

    private mutating func header(of node: ItemNode, payloadByteCount: UInt64) throws {
        try output.append(node.tag.rawValue)
        try output.append(payloadByteCount)
    }

    private mutating func stream(_ region: ItemRegion, isText: Bool) throws {
        do {
            try region.forEachChunk(isText: isText) { try output.append($0) }
        } catch ItemError.rejected(.stringNotUTF8, _) {
            throw ItemError.refused(.streamedStringNotUTF8, path: path.description)
        } catch ItemError.rejected(.sourceEndedEarly, _) {
            throw ItemError.refused(.streamedSourceShort, path: path.description)
        }
    }
}

extension ItemRegion {
    /// Reads the region once, in order, in chunks; text is checked to be UTF-8 and each of its chunks is so by itself.
    func forEachChunk(isText: Bool, _ body: (Span<UInt8>) throws -> Void) throws {
        let window = ItemWindow(source, mostNeeded: byteCount)
        guard window.byteCount >= offset, window.byteCount - offset >= byteCount else {
            throw ItemError.rejected(.sourceEndedEarly, offset: window.byteCount)
        }
        if isText {
            try window.forEachTextChunk(at: offset, end: offset + byteCount, body)
        } else {
            try window.forEachChunk(at: offset, end: offset + byteCount, body)
        }
    }
}

/// Watches the keys of one object as they pass in order.
private struct DistinctKeys {
    private var previous: String?
    private var hashes = KeyHashes()

    mutating func check(_ key: String) -> ItemRefusal? {
        defer { previous = key }
        if let previous, !previous.precedesByBytes(key) {
            return key.precedesByBytes(previous) ? .keyOrder : .duplicateKey
        }
        return hashes.insert(key) ? nil : .duplicateKey
    }
}

/// Where in a tree a pass stands, for error texts.
struct ItemPath: CustomStringConvertible {
    private enum Step {
        case key(String)
        case index(Int)
    }

    private var steps: [Step] = []

    mutating func push(key: String) { steps.append(.key(key)) }
    mutating func push(index: Int) { steps.append(.index(index)) }
    mutating func pop() { steps.removeLast() }

    var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += text.isEmpty ? key : ".\(key)"
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}
