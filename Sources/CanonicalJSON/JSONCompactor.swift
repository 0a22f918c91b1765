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
        let output = CompactorOutput(writer: writer)
        return try copy(tokens, to: output)
    }

    /// Copies in memory.
    public func copy(_ text: [UInt8]) throws -> (bytes: [UInt8], report: Report) {
        try text.withUnsafeBufferPointer { text in
            let tokens = try JSONTokenizer(limits: limits, borrowing: text)
            var bytes: [UInt8] = []
            let output = CompactorOutput { bytes.append(contentsOf: $0) }
            let report = try copy(tokens, to: output)
            return (bytes, report)
        }
    }

    private func copy(_ tokens: JSONTokenizer, to output: CompactorOutput) throws -> Report {
        let first = try tokens.next()
        var found: [String: JSONMemberReport] = [:]
        if first == .beginObject {
            found = try copyObject(tokens, to: output, watching: watched)
        } else {
            try copyValue(first, tokens, to: output)
        }
        _ = try tokens.next()
        try output.flush()
        return Report(isObject: first == .beginObject, members: found, byteCount: output.byteCount)
    }

    /// Copies an object whose opening brace was taken, and reports watched members.
    private func copyObject(
        _ tokens: JSONTokenizer, to output: CompactorOutput, watching: [String: Set<String>]
    ) throws -> [String: JSONMemberReport] {
        var found: [String: JSONMemberReport] = [:]
        var isFirst = true
        try output.append(UInt8(ascii: "{"))
        while try tokens.next() == .key {
            if !isFirst { try output.append(UInt8(ascii: ",")) }
            isFirst = false
            try output.appendKey(tokens)
            let name = String(decoding: tokens.keyBytes, as: UTF8.self)
            if let nested = watching[name] {
                found[name] = try copyWatched(tokens.next(), tokens, to: output, watching: nested)
            } else {
                try copyValue(tokens.next(), tokens, to: output)
            }
        }
        try output.append(UInt8(ascii: "}"))
        return found
    }

    /// Copies one watched value and reports it.
    private func copyWatched(
        _ token: JSONToken, _ tokens: JSONTokenizer, to output: CompactorOutput, watching: Set<String>
    ) throws -> JSONMemberReport {
        switch token {
        case .beginObject:
            let inner = watching.reduce(into: [String: Set<String>]()) { $0[$1] = [] }
            return .object(try copyObject(tokens, to: output, watching: inner))
        case .string:
            try output.append(UInt8(ascii: "\""))
            var sink = KeepingSink(output: output)
            try tokens.readString(into: &sink)
            try output.append(UInt8(ascii: "\""))
            return sink.kept.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .longString
        case .number:
            let number = JSONNumber(checkedToken: String(decoding: tokens.numberBytes, as: UTF8.self))
            try copyValue(token, tokens, to: output)
            return .number(number)
        case .bool(let value):
            try copyValue(token, tokens, to: output)
            return .bool(value)
        case .beginArray:
            try copyValue(token, tokens, to: output)
            return .array
        case .null:
            try copyValue(token, tokens, to: output)
            return .null
        case .key, .endObject, .endArray, .end:
            preconditionFailure("the tokenizer gives a value where the grammar wants one")
        }
    }

    /// Copies one value that nobody watches, whatever its depth, without recursion.
    private func copyValue(_ first: JSONToken, _ tokens: JSONTokenizer, to output: CompactorOutput) throws {
        var token = first
        var depth = 0
        var needsComma = false
        while true {
            switch token {
            case .endObject, .endArray: break
            case .beginObject, .beginArray, .key, .string, .number, .bool, .null:
                if needsComma { try output.append(UInt8(ascii: ",")) }
            case .end: preconditionFailure("a value is over before the text is")
            }
            needsComma = true
            switch token {
            case .beginObject, .beginArray:
                try output.append(token == .beginObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
                depth += 1
                needsComma = false
            case .endObject, .endArray:
                try output.append(token == .endObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                depth -= 1
            case .key:
                try output.appendKey(tokens)
                needsComma = false
            case .string:
                try output.append(UInt8(ascii: "\""))
                var sink = CopyingSink(output: output)
                try tokens.readString(into: &sink)
                try output.append(UInt8(ascii: "\""))
            case .number: try tokens.state.pointee.numberBytes.withUnsafeBufferPointer { try output.append($0) }
            case .bool(let value): try output.append(value ? "true" : "false")
            case .null: try output.append("null")
            case .end: break
            }
            if depth == 0 { return }
            token = try tokens.next()
        }
    }
}

/// A bounded buffer in front of a writer. A class over plain memory: it is passed around without being copied, and its
/// bytes are appended millions of times per second.
private final class CompactorOutput {
    private static let capacity = 64 * 1_024

    private struct State {
        var count = 0
        var flushedByteCount = 0
    }

    private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: CompactorOutput.capacity)
    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    private let writer: (UnsafeRawBufferPointer) throws -> Void

    init(writer: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.writer = writer
        state.initialize(to: State())
    }

    deinit {
        bytes.deallocate()
        state.deallocate()
    }

    /// Bytes taken so far.
    var byteCount: Int { state.pointee.flushedByteCount + state.pointee.count }

    func append(_ byte: UInt8) throws {
        if state.pointee.count == CompactorOutput.capacity { try flush() }
        bytes[state.pointee.count] = byte
        state.pointee.count += 1
    }

    func append(_ part: UnsafeBufferPointer<UInt8>) throws {
        guard let source = part.baseAddress else { return }
        if part.count > CompactorOutput.capacity - state.pointee.count {
            try flush()
            if part.count > CompactorOutput.capacity {
                try writer(UnsafeRawBufferPointer(part))
                state.pointee.flushedByteCount += part.count
                return
            }
        }
        (bytes + state.pointee.count).update(from: source, count: part.count)
        state.pointee.count += part.count
    }

    func append(_ text: StaticString) throws {
        try append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The key that was just taken, quoted, with its colon.
    func appendKey(_ tokens: JSONTokenizer) throws {
        try append(UInt8(ascii: "\""))
        if tokens.state.pointee.escapedKey.isEmpty {
            try tokens.state.pointee.keyBytes.withUnsafeBufferPointer { try append($0) }
        } else {
            try JSONSolidus.unescaped(tokens.rawKey).withUnsafeBufferPointer { try append($0) }
        }
        try append(UInt8(ascii: "\""))
        try append(UInt8(ascii: ":"))
    }

    func flush() throws {
        guard state.pointee.count > 0 else { return }
        try writer(UnsafeRawBufferPointer(start: bytes, count: state.pointee.count))
        state.pointee.flushedByteCount += state.pointee.count
        state.pointee.count = 0
    }
}

/// Copies a string's tokens to the output.
private struct CopyingSink: JSONStringSink {
    let output: CompactorOutput

    mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) throws { try output.append(bytes) }

    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) throws {
        if raw.count == 2, scalar == "/" {
            try output.append(UInt8(ascii: "/"))
        } else {
            try output.append(raw)
        }
    }
}

/// Copies a string's tokens to the output and keeps a short one for the report.
private struct KeepingSink: JSONStringSink {
    private var copying: CopyingSink
    private(set) var kept: [UInt8]? = []

    init(output: CompactorOutput) { copying = CopyingSink(output: output) }

    mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        try copying.plain(bytes)
        keep(bytes)
    }

    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) throws {
        try copying.escape(raw, scalar: scalar)
        keep(UTF8.encode(scalar)!)
    }

    private mutating func keep<Bytes: Collection>(_ bytes: Bytes) where Bytes.Element == UInt8 {
        guard let count = kept?.count else { return }
        if count + bytes.count > JSONCompactor.reportedStringByteCount {
            kept = nil
        } else {
            kept?.append(contentsOf: bytes)
        }
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
