/// A bounded window on a source: the only place where items are read.
///
/// Moving forward without a gap reads each byte of the source once and in order; bytes that are still needed move to
/// the front of the buffer.
final class ItemWindow {
    let source: any ItemSource
    /// The length of the source, noted once.
    let byteCount: UInt64
    /// Fed with every byte that is read, in order. Only meaningful while nothing is skipped.
    var digest: (any ItemDigest)?

    private var buffer: [UInt8]
    private var start: UInt64 = 0
    private var count = 0

    /// - Parameter mostNeeded: How many bytes will be read at most; a smaller buffer is enough for fewer.
    init(_ source: any ItemSource, mostNeeded: UInt64 = .max) {
        self.source = source
        byteCount = source.byteCount
        let capacity = min(UInt64(ItemFormat.chunkByteCount), byteCount, mostNeeded)
        buffer = [UInt8](repeating: 0, count: Int(capacity))
    }

    /// How many bytes can be had at `offset` without reading; at least one after this call, unless the source ends.
    func available(at offset: UInt64) throws -> Int {
        try require(1, at: offset)
        return count - Int(offset - start)
    }

    /// The loaded bytes from `offset` on, `length` of them. Call `require` or `available` first.
    func withBytes<Result>(at offset: UInt64, count length: Int, _ body: (Span<UInt8>) throws -> Result) rethrows
        -> Result
    {
        let index = Int(offset - start)
        let bytes = buffer
        let part = bytes.span.extracting(index..<index + length)
        return try body(part)
    }

    /// Makes `length` bytes at `offset` available. The caller has checked that they lie within the source.
    func require(_ length: Int, at offset: UInt64) throws {
        if offset >= start, offset - start <= UInt64(count), count - Int(offset - start) >= length { return }
        precondition(length <= buffer.count && offset <= byteCount && UInt64(length) <= byteCount - offset)
        keepTail(from: offset)
        while count < length { try readMore() }
    }

    func byte(at offset: UInt64) throws -> UInt8 {
        try require(1, at: offset)
        return buffer[Int(offset - start)]
    }

    func bigEndian32(at offset: UInt64) throws -> UInt32 {
        try require(4, at: offset)
        let index = Int(offset - start)
        return (0..<4).reduce(0) { $0 << 8 | UInt32(buffer[index + $1]) }
    }

    func bigEndian64(at offset: UInt64) throws -> UInt64 {
        try require(8, at: offset)
        let index = Int(offset - start)
        var value: UInt64 = 0
        for position in index..<index + 8 { value = value << 8 | UInt64(buffer[position]) }
        return value
    }

    /// Lets the window start at `offset` and keeps what is already loaded from there on.
    private func keepTail(from offset: UInt64) {
        let end = start + UInt64(count)
        var kept = 0
        if offset >= start && offset < end {
            let index = Int(offset - start)
            kept = count - index
            if index > 0 {
                for position in 0..<kept { buffer[position] = buffer[index + position] }
            }
        }
        start = offset
        count = kept
    }

    private func readMore() throws {
        let offset = start + UInt64(count)
        let wanted = Int(min(UInt64(buffer.count - count), byteCount - offset))
        let got = try Self.read(source, at: offset, into: &buffer, count..<count + wanted)
        guard got > 0 else { throw ItemError.rejected(.sourceEndedEarly, offset: offset) }
        precondition(got <= wanted, "a source read more than the buffer holds")
        count += got
        if var running = digest {
            // Taken out while it is updated, so that its own buffers are not copied.
            digest = nil
            withBytes(at: offset, count: got) { running.update($0) }
            digest = running
        }
    }

    private static func read(
        _ source: any ItemSource, at offset: UInt64, into buffer: inout [UInt8], _ range: Range<Int>
    ) throws -> Int {
        var whole = buffer.mutableSpan
        var part = whole._mutatingExtracting(range)
        return try source.read(at: offset, into: &part)
    }
}

/// The checked header of one node.
struct NodeHeader {
    let tag: ItemTag
    /// Where the node starts.
    let offset: UInt64
    /// How many bytes the payload has.
    let payloadByteCount: UInt64
    /// 0 for the root.
    let depth: Int

    var payloadOffset: UInt64 { offset + ItemFormat.nodeHeaderByteCount }
    var end: UInt64 { payloadOffset + payloadByteCount }
}

/// One entry of an object, with its key read and its child only located.
struct EntryPlace {
    let key: String
    let keyOffset: UInt64
    let childOffset: UInt64
    let childByteCount: UInt64

    var end: UInt64 { childOffset + childByteCount }
}

/// The rules of hmdcitem.md 4 that look at one place of the file. Reading in one pass and reading here and there both
/// stand on these functions.
extension ItemWindow {
    /// The root of an item, after the file header was checked (rule 2).
    func root(expected: ItemKind?) throws -> (ItemHeader, NodeHeader) {
        guard byteCount > ItemFormat.headerByteCount else {
            throw ItemError.rejected(.fileTooShort, offset: byteCount)
        }
        let length = Int(ItemFormat.headerByteCount)
        try require(length, at: 0)
        let bytes = withBytes(at: 0, count: length) { span in
            var bytes: [UInt8] = []
            append(span, to: &bytes)
            return bytes
        }
        let header = try ItemHeader(parsing: bytes, fileByteCount: byteCount, expected: expected)
        let offset = ItemFormat.headerByteCount
        return (header, try nodeHeader(at: offset, enclosing: byteCount - offset, depth: 0))
    }

    /// The header of the node that fills `enclosing` bytes at `offset` (rules 3, 4, 12 and the payload lengths).
    func nodeHeader(at offset: UInt64, enclosing: UInt64, depth: Int) throws -> NodeHeader {
        guard depth <= ItemFormat.maximumDepth else { throw ItemError.rejected(.tooDeep, offset: offset) }
        guard enclosing >= ItemFormat.nodeHeaderByteCount else {
            throw ItemError.rejected(.nodeTooShort, offset: offset)
        }
        guard let tag = ItemTag(rawValue: try byte(at: offset)) else {
            throw ItemError.rejected(.unknownTag, offset: offset)
        }
        let length = try bigEndian64(at: offset + 1)
        guard length <= ItemFormat.maximumPayloadByteCount else {
            throw ItemError.rejected(.lengthOutOfRange, offset: offset + 1)
        }
        guard length == enclosing - ItemFormat.nodeHeaderByteCount else {
            throw ItemError.rejected(.lengthMismatch, offset: offset + 1)
        }
        try checkPayloadLength(length, of: tag, at: offset)
        return NodeHeader(tag: tag, offset: offset, payloadByteCount: length, depth: depth)
    }

    private func checkPayloadLength(_ length: UInt64, of tag: ItemTag, at offset: UInt64) throws {
        let fault: ItemRejection? =
            switch tag {
            case .object: length < ItemFormat.entryCountByteCount ? .objectTooShort : nil
            case .array: length < ItemFormat.elementCountByteCount ? .arrayTooShort : nil
            case .null: length != 0 ? .nullNotEmpty : nil
            case .boolean: length != ItemFormat.booleanByteCount ? .booleanLength : nil
            case .signed, .unsigned, .double, .date: length != ItemFormat.numberByteCount ? .numberLength(tag) : nil
            case .string, .data: nil
            }
        if let fault { throw ItemError.rejected(fault, offset: offset + 1) }
    }

    /// How many entries an object declares (rule 5).
    func entryCount(of node: NodeHeader) throws -> UInt32 {
        let count = try bigEndian32(at: node.payloadOffset)
        guard count <= ItemFormat.maximumEntryCount else {
            throw ItemError.rejected(.tooManyEntries, offset: node.payloadOffset)
        }
        return count
    }

    /// The entry at `offset` of an object that ends at `end` (rules 5 and 6, except canonical equivalence).
    func entry(at offset: UInt64, end: UInt64, after previous: String?) throws -> EntryPlace {
        guard end - offset >= ItemFormat.keyLengthByteCount else {
            throw ItemError.rejected(.keyPastEnd, offset: offset)
        }
        let keyByteCount = try bigEndian32(at: offset)
        guard (1...ItemFormat.maximumKeyByteCount).contains(keyByteCount) else {
            throw ItemError.rejected(.keyLengthOutOfRange, offset: offset)
        }
        let keyOffset = offset + ItemFormat.keyLengthByteCount
        guard end - keyOffset >= UInt64(keyByteCount) else { throw ItemError.rejected(.keyPastEnd, offset: offset) }
        try require(Int(keyByteCount), at: keyOffset)
        guard let key = withBytes(at: keyOffset, count: Int(keyByteCount), UTF8Check.string) else {
            throw ItemError.rejected(.keyNotUTF8, offset: keyOffset)
        }
        if let previous, !previous.precedesByBytes(key) {
            throw ItemError.rejected(.keyNotIncreasing, offset: keyOffset)
        }
        let lengthOffset = keyOffset + UInt64(keyByteCount)
        let length = try childLength(at: lengthOffset, end: end, pastEnd: .childPastEnd)
        return EntryPlace(
            key: key, keyOffset: keyOffset, childOffset: lengthOffset + ItemFormat.childLengthByteCount,
            childByteCount: length)
    }

    /// How many elements an array declares (rule 8). Leftover bytes of an empty array are refused here.
    func elementCount(of node: NodeHeader) throws -> UInt64 {
        let count = try bigEndian64(at: node.payloadOffset)
        let room = node.payloadByteCount - ItemFormat.elementCountByteCount
        guard count <= room / ItemFormat.minimumElementByteCount else {
            throw ItemError.rejected(.tooManyElements, offset: node.payloadOffset)
        }
        return count
    }

    /// Where the element at `offset` of an array that ends at `end` starts, and its length (rule 8).
    func element(at offset: UInt64, end: UInt64) throws -> (offset: UInt64, byteCount: UInt64) {
        let length = try childLength(at: offset, end: end, pastEnd: .elementPastEnd)
        return (offset + ItemFormat.childLengthByteCount, length)
    }

    private func childLength(at offset: UInt64, end: UInt64, pastEnd: ItemRejection) throws -> UInt64 {
        guard end - offset >= ItemFormat.childLengthByteCount else { throw ItemError.rejected(pastEnd, offset: offset) }
        let length = try bigEndian64(at: offset)
        guard length >= ItemFormat.nodeHeaderByteCount else {
            throw ItemError.rejected(.childTooShort, offset: offset)
        }
        guard length <= end - offset - ItemFormat.childLengthByteCount else {
            throw ItemError.rejected(pastEnd, offset: offset)
        }
        return length
    }

    /// The value of a Boolean node (rule 9).
    func boolean(_ node: NodeHeader) throws -> Bool {
        switch try byte(at: node.payloadOffset) {
        case 0: return false
        case 1: return true
        default: throw ItemError.rejected(.booleanValue, offset: node.payloadOffset)
        }
    }

    /// The value of a double or date node (rule 10).
    func finite(_ node: NodeHeader) throws -> Double {
        let value = Double(bitPattern: try bigEndian64(at: node.payloadOffset))
        guard value.isFinite else { throw ItemError.rejected(.notFinite(node.tag), offset: node.payloadOffset) }
        return value
    }
}
