/// One step through a JSON text.
public enum JSONToken: Sendable, Equatable {
    /// `{`
    case beginObject
    /// `}`
    case endObject
    /// `[`
    case beginArray
    /// `]`
    case endArray
    /// A key; `keyBytes` and `rawKey` hold it until the next step.
    case key
    /// The start of a string value. Its content is fetched with one of the string functions, or skipped (and still
    /// checked) by the next step.
    case string
    /// A number; `numberBytes` holds its token until the next step.
    case number
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// The document is complete and nothing but white space follows.
    case end
}

/// A strict RFC 8259 pull tokenizer that never holds more than its buffer, the current key and the current number.
///
/// Text comes either from one piece of memory or from a closure that fills a bounded buffer. Everything that the
/// limits of corpus-protocol.md 14 name is checked while the tokens pass, duplicate keys included: for these a keyed
/// 64-bit hash of each key is kept per open object, so that two different keys are taken for one with a probability
/// below 2⁻³⁶ even in the largest object allowed.
public final class JSONTokenizer {
    /// Fills the buffer from its start and returns the number of bytes written; 0 means the end of the text.
    public typealias Reader = (UnsafeMutableRawBufferPointer) throws -> Int

    /// What the grammar allows next.
    enum Expectation { case value, valueOrEndArray, keyOrEndObject, key, commaOrEnd, nothing }

    /// Default size of the streaming buffer.
    public static let defaultBufferByteCount = 256 * 1_024
    private static let eightSpaces: UInt64 = 0x2020_2020_2020_2020
    /// An escaped surrogate pair is the longest unit that must lie in the buffer as a whole.
    static let longestUnit = 12

    /// Everything that changes from step to step. It lies behind a pointer rather than in the class: the accesses of
    /// these loops are millions per second, and each access to a stored property of a class is checked at run time.
    struct State {
        var bytes: UnsafePointer<UInt8>
        var position = 0
        var limit = 0
        /// Offset in the text of the buffer's first byte.
        var base = 0
        /// Offset in the text of the first byte of the token that began last.
        var valueStart = 0
        var isAtEnd: Bool
        var isInString = false
        var containers: [Bool] = []  // true: object
        var keyHashes: [JSONKeyHashes] = []
        var expectation = Expectation.value
        var keyBytes: [UInt8] = []
        /// The key as it stands in the text; empty when that is what `keyBytes` holds.
        var escapedKey: [UInt8] = []
        var numberBytes: [UInt8] = []
    }

    /// The limits in force.
    public let limits: JSONLimits
    let state: UnsafeMutablePointer<State>
    private let hashKey = JSONKeyHash.Key()
    private let reader: Reader?
    private let owned: UnsafeMutableBufferPointer<UInt8>?

    /// The decoded bytes of the key last returned.
    public var keyBytes: [UInt8] { state.pointee.keyBytes }
    /// The bytes of the key last returned as they stand in the text, without quotes.
    public var rawKey: [UInt8] {
        state.pointee.escapedKey.isEmpty ? state.pointee.keyBytes : state.pointee.escapedKey
    }
    /// The bytes of the number last returned.
    public var numberBytes: [UInt8] { state.pointee.numberBytes }
    /// Offset in the text of the first byte of the token that began last.
    var valueStart: Int { state.pointee.valueStart }

    /// Reads from a closure through a buffer of `bufferByteCount` bytes (at least 64).
    public init(
        limits: JSONLimits = .document, bufferByteCount: Int = defaultBufferByteCount, reader: @escaping Reader
    ) throws {
        precondition(bufferByteCount >= 64, "the buffer holds at least one unit")
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bufferByteCount)
        self.limits = limits
        self.reader = reader
        owned = buffer
        state = .allocate(capacity: 1)
        state.initialize(to: State(bytes: UnsafePointer(buffer.baseAddress!), isAtEnd: false))
        try refuseByteOrderMark()
    }

    /// Reads memory that must outlive the tokenizer.
    init(limits: JSONLimits, borrowing text: UnsafeBufferPointer<UInt8>) throws {
        self.limits = limits
        reader = nil
        state = .allocate(capacity: 1)
        // An empty text has no address; its limit of 0 keeps the stand-in from being read.
        if let start = text.baseAddress {
            owned = nil
            state.initialize(to: State(bytes: start, limit: text.count, isAtEnd: true))
        } else {
            let standIn = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1)
            owned = standIn
            state.initialize(to: State(bytes: UnsafePointer(standIn.baseAddress!), isAtEnd: true))
        }
        try refuseByteOrderMark()
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        owned?.deallocate()
    }

    /// Offset in bytes of the next byte to be read.
    public var offset: Int { state.pointee.base + state.pointee.position }
    /// Number of arrays and objects that are open.
    public var depth: Int { state.pointee.containers.count }

    /// Takes one step.
    public func next() throws -> JSONToken {
        if state.pointee.isInString { try finishString() }
        while true {
            guard try skipWhiteSpace() else {
                if state.pointee.expectation == .nothing { return .end }
                throw failure(.unexpectedEnd)
            }
            let byte = state.pointee.bytes[state.pointee.position]
            state.pointee.valueStart = offset
            switch state.pointee.expectation {
            case .nothing: throw failure(.trailingContent)
            case .commaOrEnd:
                if byte == UInt8(ascii: ",") {
                    state.pointee.position += 1
                    state.pointee.expectation = state.pointee.containers.last! ? .key : .value
                    continue
                }
                return try end(byte)
            case .keyOrEndObject:
                if byte == UInt8(ascii: "}") { return try end(byte) }
                return try key(byte)
            case .key: return try key(byte)
            case .valueOrEndArray:
                if byte == UInt8(ascii: "]") { return try end(byte) }
                return try value(byte)
            case .value: return try value(byte)
            }
        }
    }

    // MARK: Strings

    /// Passes the content of the string that `next()` announced to a sink.
    public func readString<Sink: JSONStringSink>(into sink: inout Sink) throws {
        precondition(state.pointee.isInString, "no string is open")
        try scanString(into: &sink)
        state.pointee.isInString = false
    }

    /// Checks the rest of the string that `next()` announced and drops it.
    func finishString() throws {
        var sink = JSONStringSkipper()
        try readString(into: &sink)
    }

    /// The decoded content of the string that `next()` announced, when it is at most `byteLimit` bytes long.
    public func stringBytes(byteLimit: Int) throws -> [UInt8] {
        var sink = JSONStringDecoder(byteLimit: byteLimit, failure: failure(.stringTooLong))
        try readString(into: &sink)
        return sink.bytes
    }

    /// Makes at least `count` bytes available behind the position, unless the text ends before.
    func refill(_ count: Int) throws {
        let available = state.pointee.limit - state.pointee.position
        guard available < count, !state.pointee.isAtEnd, let owned, let reader else { return }
        if state.pointee.position > 0 {
            owned.baseAddress!.update(from: owned.baseAddress! + state.pointee.position, count: available)
            state.pointee.base += state.pointee.position
            state.pointee.position = 0
            state.pointee.limit = available
        }
        while state.pointee.limit < count {
            let free = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(owned)[state.pointee.limit...])
            let filled = try reader(free)
            precondition(filled >= 0 && filled <= free.count, "the reader wrote past its buffer")
            if filled == 0 {
                state.pointee.isAtEnd = true
                return
            }
            state.pointee.limit += filled
        }
    }

    func failure(_ code: JSONError.Code) -> JSONError { JSONError(code, offset: offset) }

    // MARK: Grammar

    private func refuseByteOrderMark() throws {
        try refill(3)
        let bytes = state.pointee.bytes
        if state.pointee.limit >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            throw failure(.byteOrderMark)
        }
    }

    /// False at the end of the text.
    private func skipWhiteSpace() throws -> Bool {
        while true {
            let bytes = state.pointee.bytes
            let limit = state.pointee.limit
            var position = state.pointee.position
            while position < limit {
                let byte = bytes[position]
                // A line of a document for people begins with many spaces.
                if byte == 0x20, position + 8 <= limit,
                    UnsafeRawPointer(bytes + position).loadUnaligned(as: UInt64.self) == JSONTokenizer.eightSpaces
                {
                    position += 8
                    continue
                }
                guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                    state.pointee.position = position
                    return true
                }
                position += 1
            }
            state.pointee.position = position
            if state.pointee.isAtEnd { return false }
            try refill(1)
        }
    }

    private func end(_ byte: UInt8) throws -> JSONToken {
        guard let isObject = state.pointee.containers.last,
            byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        else { throw failure(.unexpectedByte) }
        state.pointee.position += 1
        state.pointee.containers.removeLast()
        valueEnded()
        return isObject ? .endObject : .endArray
    }

    private func valueEnded() { state.pointee.expectation = state.pointee.containers.isEmpty ? .nothing : .commaOrEnd }

    private func begin(object: Bool) throws {
        guard state.pointee.containers.count < limits.depth else { throw failure(.depthLimit) }
        state.pointee.position += 1
        state.pointee.containers.append(object)
        if object {
            let level = state.pointee.containers.count - 1
            while state.pointee.keyHashes.count <= level { state.pointee.keyHashes.append(JSONKeyHashes()) }
            state.pointee.keyHashes[level].removeAll()
        }
        state.pointee.expectation = object ? .keyOrEndObject : .valueOrEndArray
    }

    private func value(_ byte: UInt8) throws -> JSONToken {
        switch byte {
        case UInt8(ascii: "{"):
            try begin(object: true)
            return .beginObject
        case UInt8(ascii: "["):
            try begin(object: false)
            return .beginArray
        case UInt8(ascii: "\""):
            state.pointee.position += 1
            state.pointee.isInString = true
            valueEnded()
            return .string
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try number()
            return .number
        default: throw failure(.unexpectedByte)
        }
    }

    private func word(_ word: StaticString) throws {
        let count = word.utf8CodeUnitCount
        try refill(count)
        for index in 0..<count {
            guard state.pointee.position < state.pointee.limit else { throw failure(.unexpectedEnd) }
            guard state.pointee.bytes[state.pointee.position] == word.utf8Start[index] else {
                throw failure(.unexpectedByte)
            }
            state.pointee.position += 1
        }
        valueEnded()
    }

    private func number() throws {
        state.pointee.numberBytes.removeAll(keepingCapacity: true)
        let start = offset
        while true {
            let bytes = state.pointee.bytes
            let limit = state.pointee.limit
            let first = state.pointee.position
            var position = first
            while position < limit, JSONNumberGrammar.mayContain(bytes[position]) { position += 1 }
            let count = position - first
            guard count <= limits.numberByteCount - state.pointee.numberBytes.count else {
                state.pointee.position += limits.numberByteCount - state.pointee.numberBytes.count
                throw failure(.numberTooLong)
            }
            state.pointee.numberBytes.append(contentsOf: UnsafeBufferPointer(start: bytes + first, count: count))
            state.pointee.position = position
            if position < limit || state.pointee.isAtEnd { break }
            try refill(1)
        }
        guard state.pointee.numberBytes.withUnsafeBufferPointer({ JSONNumberGrammar.isNumber($0) }) else {
            throw JSONError(.invalidNumber, offset: start)
        }
        valueEnded()
    }

    private func key(_ byte: UInt8) throws -> JSONToken {
        guard byte == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
        let start = offset
        state.pointee.position += 1
        if try !takePlainKey(at: start) {
            var sink = JSONKeyCollector(
                byteLimit: limits.keyByteCount, failure: JSONError(.keyTooLong, offset: start))
            try scanString(into: &sink)
            // An escape is longer than what it names: equal lengths mean that there is none.
            state.pointee.escapedKey = sink.raw.count == sink.decoded.count ? [] : sink.raw
            state.pointee.keyBytes = sink.decoded
        }
        try registerKey(at: start)
        guard try skipWhiteSpace() else { throw failure(.unexpectedEnd) }
        guard state.pointee.bytes[state.pointee.position] == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
        state.pointee.position += 1
        state.pointee.expectation = .value
        return .key
    }

    /// Takes a key without escapes that lies in the buffer as a whole; nearly all do.
    private func takePlainKey(at start: Int) throws -> Bool {
        let first = state.pointee.position
        guard try scanPlain() == .quote else {
            state.pointee.position = first
            return false
        }
        let text = UnsafeBufferPointer(start: state.pointee.bytes + first, count: state.pointee.position - first)
        guard text.count <= limits.keyByteCount else { throw JSONError(.keyTooLong, offset: start) }
        if !state.pointee.escapedKey.isEmpty { state.pointee.escapedKey = [] }
        state.pointee.keyBytes.removeAll(keepingCapacity: true)
        state.pointee.keyBytes.append(contentsOf: text)
        state.pointee.position += 1
        return true
    }

    private func registerKey(at start: Int) throws {
        let hash = state.pointee.keyBytes.withUnsafeBufferPointer { JSONKeyHash.hash($0, hashKey) }
        let level = state.pointee.containers.count - 1
        let isNew = state.pointee.keyHashes[level].insert(hash)
        if !isNew, limits.refusesDuplicateKeys { throw JSONError(.duplicateKey, offset: start) }
        if state.pointee.keyHashes[level].count > limits.keysPerObject { throw JSONError(.tooManyKeys, offset: start) }
    }
}

/// The hashes of the keys of one open object: a short list is searched, a long one becomes a set.
struct JSONKeyHashes {
    private static let listCount = 24
    private var list: [Int] = []
    private var set: Set<Int> = []

    /// Keys that were inserted, repeated ones not counted.
    var count: Int { list.count + set.count }

    /// Forgets all keys.
    mutating func removeAll() {
        list.removeAll(keepingCapacity: true)
        // A large set would be cleared slot by slot for each small object that follows.
        if !set.isEmpty { set = [] }
    }

    /// Whether the hash is new.
    mutating func insert(_ hash: Int) -> Bool {
        if list.contains(hash) { return false }
        if list.count < JSONKeyHashes.listCount {
            list.append(hash)
            return true
        }
        return set.insert(hash).inserted
    }
}
