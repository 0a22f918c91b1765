import CanonicalJSON

/// What a file of a day has names for, without any value: keys of JSON, metrics of CSV, front matter keys, headings and labels
/// of Markdown.
///
/// A selection of metrics is written over a file only when the file has no name that would be lost: a day that was
/// exported whole is never replaced by a part of it unless the person says so (export-formats.md 9, user-wants.md 15).
public struct ContentOutline: Sendable, Equatable {
    /// The names. As many as a format has, never as many as a day has records.
    public var names: Set<String> { found.names }
    private var found = NameCollection()

    /// Reads a file in order; `reader` fills a buffer and returns 0 at the end. Memory holds one buffer and the names.
    ///
    /// Throws `JSONError` for JSON that is none, and what `reader` throws.
    public init(_ format: ExportFormat, reader: @escaping JSONTokenizer.Reader) throws {
        switch format {
        case .json: try readJSON(reader)
        case .csv: try Self.forEachByte(reader, CSVNames.init) { $0.take($1, &found) }
        case .markdown, .bases:
            var lines = MarkdownNames()
            try Self.forEachByte(reader, { lines }) { lines, byte in
                lines.take(byte, &found)
            } atEnd: {
                lines = $0
            }
            lines.finish(&found)
        }
    }

    /// The outline of a file in memory.
    public init(_ format: ExportFormat, bytes: [UInt8]) throws {
        var rest = bytes[...]
        try self.init(format) { buffer in
            let piece = rest.prefix(buffer.count)
            buffer.copyBytes(from: piece)
            rest = rest.dropFirst(piece.count)
            return piece.count
        }
    }

    /// Whether something here is not in another outline. What has more names than a day can have, or longer ones, is taken for more.
    public func holdsMore(than other: ContentOutline) -> Bool {
        found.isOverfull || !found.names.isSubset(of: other.found.names)
    }

    // MARK: JSON

    private mutating func readJSON(_ reader: @escaping JSONTokenizer.Reader) throws {
        let tokens = try JSONTokenizer(reader: reader)
        // The path of each open container, and of the value that comes next.
        var open: [String] = []
        var path = ""
        while true {
            switch try tokens.next() {
            case .key:
                // Deep in a foreign file paths may become as long as the file.
                guard !found.isOverfull else { return }
                path = (open.last ?? "") + "/" + String(decoding: tokens.keyBytes, as: UTF8.self)
                found.insert(path)
            case .beginObject: open.append(path)
            case .beginArray:
                path += "[]"
                open.append(path)
            case .endObject, .endArray:
                open.removeLast()
                path = open.last ?? ""
            case .string, .number, .bool, .null: path = open.last ?? ""
            case .end: return
            }
        }
    }

    // MARK: Lines

    private static let bufferByteCount = 64 * 1_024

    private static func forEachByte<State>(
        _ reader: JSONTokenizer.Reader, _ start: () -> State, _ body: (inout State, UInt8) -> Void,
        atEnd: (State) -> Void = { _ in }
    ) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 1)
        defer { buffer.deallocate() }
        var state = start()
        while true {
            let count = try reader(buffer)
            guard count > 0 else { return atEnd(state) }
            for byte in buffer[..<count] { body(&state, byte) }
        }
    }
}

/// Names of a file that may be anybody's, within bounds.
private struct NameCollection: Sendable, Equatable {
    /// The longest name in bytes, and all of them together: a day of ours has some thousand names of less than a hundred bytes.
    static let nameByteCount = 4_096
    static let totalByteCount = 2 << 20

    private(set) var names: Set<String> = []
    private var byteCount = 0
    /// A name was too long, or one too many.
    private(set) var isOverfull = false

    mutating func insert(_ name: String) {
        let count = name.utf8.count
        guard count <= Self.nameByteCount, byteCount + count <= Self.totalByteCount else { return overfill() }
        if names.insert(name).inserted { byteCount += count }
    }

    mutating func overfill() { isOverfull = true }
}

/// The second and third field of each row: category and metric.
private struct CSVNames {
    private var field = 0
    private var isQuoted = false
    private var name: [UInt8] = []

    mutating func take(_ byte: UInt8, _ names: inout NameCollection) {
        switch byte {
        case UInt8(ascii: "\""): isQuoted.toggle()
        case UInt8(ascii: "\n") where !isQuoted:
            if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
            self = CSVNames()
        case UInt8(ascii: ",") where !isQuoted:
            if field == 1 { name.append(UInt8(ascii: "/")) }
            field += 1
        default:
            guard field == 1 || field == 2 else { break }
            // A quote that is never closed makes one field of the whole rest.
            if name.count <= NameCollection.nameByteCount { name.append(byte) } else { names.overfill() }
        }
    }
}

/// Front matter keys, headings, labels of list items, first cells of tables.
private struct MarkdownNames {
    /// The longest line that is looked at; what follows in it is passed over.
    static let lineByteCount = 4_096

    private var line: [UInt8] = []
    private var lineNumber = 0
    private var isFrontMatter = false

    mutating func take(_ byte: UInt8, _ names: inout NameCollection) {
        if byte == UInt8(ascii: "\n") { return end(&names) }
        if line.count < Self.lineByteCount { line.append(byte) }
    }

    mutating func finish(_ names: inout NameCollection) { if !line.isEmpty { end(&names) } }

    private mutating func end(_ names: inout NameCollection) {
        defer {
            line.removeAll(keepingCapacity: true)
            lineNumber += 1
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.prefix(3) == "---", text.dropFirst(3).allSatisfy(\.isWhitespace) {
            isFrontMatter = lineNumber == 0
        } else if isFrontMatter {
            if let first = text.first, first.isLetter || first == "_", let colon = text.firstIndex(of: ":") {
                names.insert("key " + text[..<colon])
            }
        } else if let name = Self.name(of: text) {
            names.insert(name)
        }
    }

    /// The name in a line of the body; nil for prose, and for lines that begin with a value.
    private static func name(of text: String) -> String? {
        let line = text.drop(while: \.isWhitespace)
        if line.first == "#" {
            // A heading with digits names a day or a time, not a kind of data.
            return line.contains(where: \.isNumber) ? nil : "heading " + line.drop { $0 == "#" || $0.isWhitespace }
        }
        guard let start = line.range(of: "**") else { return nil }
        let label = line[start.upperBound...]
        guard let end = label.range(of: "**"), !label[..<end.lowerBound].contains(where: \.isNumber) else { return nil }
        return "label " + label[..<end.lowerBound]
    }
}
