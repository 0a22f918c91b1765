/// What a copied document says at its top level about one watched member.
public enum JSONMemberReport: Sendable, Equatable {
    /// A string of at most `JSONCompactor.reportedStringByteCount` bytes.
    case string(String)
    /// A longer string, which is not kept.
    case longString
    /// A number.
    case number(JSONNumber)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// An array.
    case array
    /// An object, with those of its members that were asked for.
    case object([String: JSONMemberReport])

    /// The string, when it is one that was kept.
    public var string: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    /// The number as an integer.
    public var integer: Int? {
        if case .number(let value) = self { return value.int }
        return nil
    }

    /// The reported members, when it is an object.
    public var members: [String: JSONMemberReport]? {
        if case .object(let value) = self { return value }
        return nil
    }
}

/// Copies a JSON document without its insignificant white space, token for token, while it checks it
/// (corpus-protocol.md 14).
///
/// The only token change is the escape `\/`, which becomes `/`. Neither the document nor any of its strings is held.
/// Members that the caller watches are reported.
public struct JSONCompactor {
    /// What was copied.
    public struct Report: Sendable, Equatable {
        /// Whether the document is an object.
        public let isObject: Bool
        /// The watched members that were found.
        public let members: [String: JSONMemberReport]
        /// Number of bytes written.
        public let byteCount: Int
    }

    /// Longest string value that a report keeps.
    public static let reportedStringByteCount = 1_024

    private let limits: JSONLimits
    private let watched: [String: Set<String>]

    /// A copier that watches top-level members by name, and inside those that are objects the members listed for it.
    public init(limits: JSONLimits = .document, watching watched: [String: Set<String>] = [:]) {
        self.limits = limits
        self.watched = watched
    }

    /// Copies from `reader` to `writer`. Throws `JSONError`, or what either closure throws; bytes written before an
    /// error are worthless.
    public func copy(
        bufferByteCount: Int = JSONTokenizer.defaultBufferByteCount, reader: @escaping JSONTokenizer.Reader,
        writer: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Report {
        let tokens = try JSONTokenizer(limits: limits, bufferByteCount: bufferByteCount, reader: reader)
        var output = Output(capacity: bufferByteCount, writer: writer)
        return try copy(tokens, to: &output)
    }

    /// Copies in memory.
    public func copy(_ text: [UInt8]) throws -> (bytes: [UInt8], report: Report) {
        try text.withUnsafeBufferPointer { text in
            let tokens = try JSONTokenizer(limits: limits, borrowing: text)
            var output = Output(capacity: .max, writer: nil)
            let report = try copy(tokens, to: &output)
            return (output.bytes, report)
        }
    }

    private func copy(_ tokens: JSONTokenizer, to output: inout Output) throws -> Report {
        let first = try tokens.next()
        var found: [String: JSONMemberReport] = [:]
        if first == .beginObject {
            found = try copyObject(tokens, to: &output, watching: watched)
        } else {
            _ = try copyValue(first, tokens, to: &output, watching: nil)
        }
        _ = try tokens.next()
        try output.finish()
        return Report(isObject: first == .beginObject, members: found, byteCount: output.byteCount)
    }

    /// Copies an object whose opening brace was taken, and reports watched members.
    private func copyObject(
        _ tokens: JSONTokenizer, to output: inout Output, watching: [String: Set<String>]
    ) throws -> [String: JSONMemberReport] {
        var found: [String: JSONMemberReport] = [:]
        var isFirst = true
        try output.append(UInt8(ascii: "{"))
        while try tokens.next() == .key {
            if !isFirst { try output.append(UInt8(ascii: ",")) }
            isFirst = false
            try output.appendKey(tokens.rawKey)
            let name = watching.isEmpty ? nil : String(decoding: tokens.keyBytes, as: UTF8.self)
            let nested = name.flatMap { watching[$0] }
            let report = try copyValue(tokens.next(), tokens, to: &output, watching: nested)
            if let name, nested != nil { found[name] = report }
        }
        try output.append(UInt8(ascii: "}"))
        return found
    }

    /// Copies one value. Its report is only meaningful when `watching` is not nil.
    private func copyValue(
        _ token: JSONToken, _ tokens: JSONTokenizer, to output: inout Output, watching: Set<String>?
    ) throws -> JSONMemberReport {
        switch token {
        case .beginObject:
            let inner = (watching ?? []).reduce(into: [String: Set<String>]()) { $0[$1] = [] }
            return .object(try copyObject(tokens, to: &output, watching: inner))
        case .beginArray:
            try output.append(UInt8(ascii: "["))
            var isFirst = true
            while true {
                let element = try tokens.next()
                if element == .endArray { break }
                if !isFirst { try output.append(UInt8(ascii: ",")) }
                isFirst = false
                _ = try copyValue(element, tokens, to: &output, watching: nil)
            }
            try output.append(UInt8(ascii: "]"))
            return .array
        case .string:
            try output.append(UInt8(ascii: "\""))
            // Moved there and back: a second owner, however short its life, makes each string copy the whole buffer.
            var sink = CopyingSink(output: Output(capacity: 0, writer: nil), keeps: watching != nil)
            swap(&output, &sink.output)
            try tokens.readString(into: &sink)
            swap(&output, &sink.output)
            try output.append(UInt8(ascii: "\""))
            guard let kept = sink.kept else { return .longString }
            return .string(String(decoding: kept, as: UTF8.self))
        case .number:
            try output.append(contentsOf: tokens.numberBytes)
            return .number(JSONNumber(checkedToken: String(decoding: tokens.numberBytes, as: UTF8.self)))
        case .bool(let value):
            try output.append(contentsOf: (value ? "true" : "false").utf8)
            return .bool(value)
        case .null:
            try output.append(contentsOf: "null".utf8)
            return .null
        case .key, .endObject, .endArray, .end:
            preconditionFailure("the tokenizer gives a value where the grammar wants one")
        }
    }
}

/// A bounded buffer in front of a writer, or an unbounded one without.
private struct Output {
    var bytes: [UInt8] = []
    var byteCount = 0
    let capacity: Int
    let writer: ((UnsafeRawBufferPointer) throws -> Void)?

    init(capacity: Int, writer: ((UnsafeRawBufferPointer) throws -> Void)?) {
        self.capacity = capacity
        self.writer = writer
    }

    mutating func append(_ byte: UInt8) throws {
        bytes.append(byte)
        byteCount += 1
        if bytes.count >= capacity { try finish() }
    }

    mutating func append<Bytes: Collection>(contentsOf part: Bytes) throws where Bytes.Element == UInt8 {
        bytes.append(contentsOf: part)
        byteCount += part.count
        if bytes.count >= capacity { try finish() }
    }

    mutating func appendKey(_ raw: [UInt8]) throws {
        try append(UInt8(ascii: "\""))
        try append(contentsOf: JSONSolidus.unescaped(raw))
        try append(UInt8(ascii: "\""))
        try append(UInt8(ascii: ":"))
    }

    mutating func finish() throws {
        guard let writer, !bytes.isEmpty else { return }
        try bytes.withUnsafeBytes { try writer($0) }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// Copies a string's tokens to the output and keeps a short one for the report.
private struct CopyingSink: JSONStringSink {
    var output: Output
    var kept: [UInt8]?

    init(output: Output, keeps: Bool) {
        self.output = output
        kept = keeps ? [] : nil
    }

    mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        try output.append(contentsOf: bytes)
        keep(bytes)
    }

    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) throws {
        if raw.count == 2, scalar == "/" {
            try output.append(UInt8(ascii: "/"))
        } else {
            try output.append(contentsOf: raw)
        }
        keep(UTF8.encode(scalar)!)
    }

    private mutating func keep<Bytes: Collection>(_ bytes: Bytes) where Bytes.Element == UInt8 {
        guard kept != nil else { return }
        kept!.append(contentsOf: bytes)
        if kept!.count > JSONCompactor.reportedStringByteCount { kept = nil }
    }
}

/// The escape of `/`, which both forms of corpus-protocol.md 6 and 14 remove.
enum JSONSolidus {
    /// A checked raw string text in which the escape `\/` is `/`; other escapes stay as they are.
    static func unescaped(_ raw: [UInt8]) -> [UInt8] {
        guard raw.contains(UInt8(ascii: "\\")) else { return raw }
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = 0
        while index < raw.count {
            if raw[index] == UInt8(ascii: "\\"), index + 1 < raw.count {
                if raw[index + 1] != UInt8(ascii: "/") { result.append(raw[index]) }
                result.append(raw[index + 1])
                index += 2
            } else {
                result.append(raw[index])
                index += 1
            }
        }
        return result
    }
}
