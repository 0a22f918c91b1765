/// The tree form of items: JSON for people and tests (extensions.md 6).
///
/// Every node is an object with `tag` and, by tag:
///
/// | Tag | Fields |
/// |---|---|
/// | `object` | `entries`: array of `{"key", "value"}` in file order |
/// | `array` | `elements` |
/// | `null` | none |
/// | `boolean` | `value` |
/// | `signed`, `unsigned` | `value`: the digits as a string, so that 64 bits survive |
/// | `double` | `value`: the number, and `bits`: its 16 hexadecimal digits, which decide |
/// | `date` | as `double`, and `utc`: the instant for people, where it lies in the years 1 to 9999 |
/// | `string` | `value`; cut ones also `truncated`, `bytes` and `sha256` of the whole |
/// | `data` | `base64`; cut: `bytes` and `sha256` |
public enum ItemTree {
    /// How much of strings and data is shown.
    public enum Detail: Hashable, Sendable {
        /// Strings over 256 bytes cut, data as length and digest.
        case summary
        /// Everything, so that the item can be made again.
        case full
    }

    /// The most bytes of a string that a summary shows (extensions.md 6).
    public static let shownStringByteCount: UInt64 = 256

    /// Describes an item: header, tree, node count and digest, as one indented JSON object.
    ///
    /// The item is checked whole before anything is written, then read a second time; neither pass holds more than
    /// `ItemReader` does.
    ///
    /// - Parameters:
    ///   - source: The item; must give the same bytes twice.
    ///   - makeDigest: A fresh SHA-256.
    @discardableResult
    public static func inspect(
        _ source: any ItemSource, kind: ItemKind? = nil, detail: Detail, makeDigest: @escaping () -> any ItemDigest,
        to sink: inout some ItemSink
    ) throws -> ItemSummary {
        let summary = try ItemReader.validate(source, kind: kind, digest: makeDigest())
        var text = JSONText(sink, layout: .indented)
        try text.beginObject()
        try text.field("format", string: String(decoding: ItemFormat.magic, as: UTF8.self))
        try text.field("version", literal: String(ItemFormat.version))
        try text.field("kind", string: summary.kind.rawValue)
        try text.field("bytes", literal: String(summary.byteCount))
        try text.field("nodes", literal: String(summary.nodeCount))
        if let digest = summary.digest { try text.field("sha256", string: hexadecimal(digest)) }
        try text.key("root")
        var printer = TreePrinter(text: text, detail: detail, makeDigest: makeDigest)
        try ItemReader.read(source, kind: kind, visitor: &printer)
        try printer.text.endObject()
        try printer.text.finish()
        sink = printer.text.output.sink
        return summary
    }

    /// Writes a tree in memory.
    public static func write(
        _ root: ItemNode, detail: Detail, makeDigest: @escaping () -> any ItemDigest, to sink: inout some ItemSink
    ) throws {
        var printer = TreePrinter(
            text: JSONText(sink, layout: .indented), detail: detail, makeDigest: makeDigest)
        try root.visit(&printer)
        try printer.text.finish()
        sink = printer.text.output.sink
    }

    /// Lower-case hexadecimal digits.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            if byte < 0x10 { text += "0" }
            text += String(byte, radix: 16)
        }
    }

    /// The sixteen hexadecimal digits of a double.
    static func bits(of value: Double) -> String {
        let digits = String(value.bitPattern, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension JSONText {
    mutating func field(_ name: String, string value: String) throws {
        try key(name)
        try string(value)
    }

    mutating func field(_ name: String, literal value: String) throws {
        try key(name)
        try literal(value)
    }
}

/// Prints nodes as they come.
private struct TreePrinter<Sink: ItemSink>: ItemVisitor {
    var text: JSONText<Sink>
    let detail: ItemTree.Detail
    let makeDigest: () -> any ItemDigest

    /// For each open object or array whether it is an object: then every node inside stands in an entry.
    private var open: [Bool] = []
    private var leafByteCount: UInt64 = 0
    /// Nil while the leaf is shown whole.
    private var digest: (any ItemDigest)?
    private var shown: UInt64 = 0
    private var isCut = false
    private var base64 = Base64()

    init(text: JSONText<Sink>, detail: ItemTree.Detail, makeDigest: @escaping () -> any ItemDigest) {
        self.text = text
        self.detail = detail
        self.makeDigest = makeDigest
    }

    mutating func beginObject(entryCount: UInt32, at offset: UInt64) throws {
        try beginNode(.object)
        try text.key("entries")
        try text.beginArray()
        open.append(true)
    }

    mutating func key(_ key: String, at offset: UInt64) throws {
        try text.beginObject()
        try text.field("key", string: key)
        try text.key("value")
    }

    mutating func endObject() throws {
        open.removeLast()
        try text.endArray()
        try endNode()
    }

    mutating func beginArray(elementCount: UInt64, at offset: UInt64) throws {
        try beginNode(.array)
        try text.key("elements")
        try text.beginArray()
        open.append(false)
    }

    mutating func endArray() throws {
        open.removeLast()
        try text.endArray()
        try endNode()
    }

    mutating func scalar(_ node: ItemNode, at offset: UInt64) throws {
        try beginNode(node.tag)
        switch node {
        case .bool(let value): try text.field("value", literal: value ? "true" : "false")
        case .signed(let value): try text.field("value", string: String(value))
        case .unsigned(let value): try text.field("value", string: String(value))
        case .double(let value): try number(value)
        case .date(let value):
            try number(value)
            if let utc = CalendarText.utc(secondsSince2001: value) { try text.field("utc", string: utc) }
        default: break
        }
        try endNode()
    }

    mutating func beginString(byteCount: UInt64, at offset: UInt64) throws {
        try beginNode(.string)
        try text.key("value")
        try text.beginString()
        leafByteCount = byteCount
        isCut = detail == .summary && byteCount > ItemTree.shownStringByteCount
        digest = isCut ? makeDigest() : nil
        shown = 0
    }

    mutating func stringChunk(_ bytes: Span<UInt8>) throws {
        guard isCut else { return try text.stringPart(bytes) }
        digest?.update(bytes)
        let room = Int(min(UInt64(bytes.count), ItemTree.shownStringByteCount - shown))
        let part = bytes.extracting(0..<room)
        // A cut inside a sequence moves back to its start, and nothing is shown after it.
        let whole = room < bytes.count ? part.extracting(0..<room - UTF8Check.incompleteTail(part)) : part
        try text.stringPart(whole)
        shown = room < bytes.count ? ItemTree.shownStringByteCount : shown + UInt64(room)
    }

    mutating func endString() throws {
        try text.endString()
        if isCut {
            try text.field("truncated", literal: "true")
            try lengthAndDigest()
        }
        try endNode()
    }

    mutating func beginData(byteCount: UInt64, at offset: UInt64) throws {
        try beginNode(.data)
        leafByteCount = byteCount
        base64 = Base64()
        digest = detail == .summary ? makeDigest() : nil
        guard detail == .full else { return }
        try text.key("base64")
        try text.beginString()
    }

    mutating func dataChunk(_ bytes: Span<UInt8>) throws {
        switch detail {
        case .summary: digest?.update(bytes)
        case .full: try text.plainPart(base64.encode(bytes))
        }
    }

    mutating func endData() throws {
        switch detail {
        case .summary: try lengthAndDigest()
        case .full:
            try text.plainPart(base64.finish())
            try text.endString()
        }
        try endNode()
    }

    private mutating func beginNode(_ tag: ItemTag) throws {
        try text.beginObject()
        try text.field("tag", string: tag.name)
    }

    private mutating func endNode() throws {
        try text.endObject()
        if open.last == true { try text.endObject() }
    }

    private mutating func number(_ value: Double) throws {
        try text.field("value", literal: JSONText<Sink>.number(value))
        try text.field("bits", string: ItemTree.bits(of: value))
    }

    private mutating func lengthAndDigest() throws {
        try text.field("bytes", literal: String(leafByteCount))
        guard var digest else { return }
        try text.field("sha256", string: ItemTree.hexadecimal(digest.finish()))
        self.digest = nil
    }
}

extension ItemNode {
    /// Tells a visitor about this node and all below it, as `ItemReader` does for a file. Offsets are 0.
    public func visit(_ visitor: inout some ItemVisitor) throws {
        switch self {
        case .object(let entries):
            try visitor.beginObject(entryCount: UInt32(entries.count), at: 0)
            for entry in entries {
                try visitor.key(entry.key, at: 0)
                try entry.value.visit(&visitor)
            }
            try visitor.endObject()
        case .array(let elements):
            try visitor.beginArray(elementCount: UInt64(elements.count), at: 0)
            for element in elements { try element.visit(&visitor) }
            try visitor.endArray()
        case .null, .bool, .signed, .unsigned, .double, .date:
            try visitor.scalar(self, at: 0)
        case .string(let text):
            try visitor.beginString(byteCount: UInt64(text.utf8.count), at: 0)
            try visitor.stringChunk(text.utf8Span.span)
            try visitor.endString()
        case .data(let bytes):
            try visitor.beginData(byteCount: UInt64(bytes.count), at: 0)
            try visitor.dataChunk(bytes.span)
            try visitor.endData()
        case .streamedString(let region):
            try visitor.beginString(byteCount: region.byteCount, at: 0)
            try region.forEachChunk(isText: true) { try visitor.stringChunk($0) }
            try visitor.endString()
        case .streamedData(let region):
            try visitor.beginData(byteCount: region.byteCount, at: 0)
            try region.forEachChunk(isText: false) { try visitor.dataChunk($0) }
            try visitor.endData()
        }
    }
}
