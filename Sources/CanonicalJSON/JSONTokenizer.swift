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
    /// An escaped surrogate pair is the longest unit that must lie in the buffer as a whole.
    static let longestUnit = 12

    /// The limits in force.
    public let limits: JSONLimits
    /// The decoded bytes of the key last returned.
    public private(set) var keyBytes: [UInt8] = []
    /// The bytes of the key last returned as they stand in the text, without quotes.
    public private(set) var rawKey: [UInt8] = []
    /// The bytes of the number last returned.
    public private(set) var numberBytes: [UInt8] = []

    private let reader: Reader?
    private let owned: UnsafeMutableBufferPointer<UInt8>?
    var bytes: UnsafePointer<UInt8>
    var position = 0
    var limit = 0
    /// Offset in the text of the buffer's first byte.
    private var base = 0
    /// Offset in the text of the first byte of the token that began last.
    private(set) var valueStart = 0
    private var isAtEnd: Bool
    private var isInString = false
    private var containers: [Bool] = []  // true: object
    private var keyHashes: [Set<Int>] = []
    private var expectation = Expectation.value

    /// Reads from a closure through a buffer of `bufferByteCount` bytes (at least 64).
    public init(
        limits: JSONLimits = .document, bufferByteCount: Int = defaultBufferByteCount, reader: @escaping Reader
    ) throws {
        precondition(bufferByteCount >= 64, "the buffer holds at least one unit")
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bufferByteCount)
        self.limits = limits
        self.reader = reader
        owned = buffer
        bytes = UnsafePointer(buffer.baseAddress!)
        isAtEnd = false
        try refuseByteOrderMark()
    }

    /// Reads memory that must outlive the tokenizer.
    init(limits: JSONLimits, borrowing text: UnsafeBufferPointer<UInt8>) throws {
        self.limits = limits
        reader = nil
        // An empty text has no address; its limit of 0 keeps the stand-in from being read.
        if let start = text.baseAddress {
            owned = nil
            bytes = start
        } else {
            let standIn = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1)
            owned = standIn
            bytes = UnsafePointer(standIn.baseAddress!)
        }
        limit = text.count
        isAtEnd = true
        try refuseByteOrderMark()
    }

    deinit { owned?.deallocate() }

    /// Offset in bytes of the next byte to be read.
    public var offset: Int { base + position }
    /// Number of arrays and objects that are open.
    public var depth: Int { containers.count }

    /// Takes one step.
    public func next() throws -> JSONToken {
        if isInString { try finishString() }
        while true {
            guard try skipWhiteSpace() else {
                if expectation == .nothing { return .end }
                throw failure(.unexpectedEnd)
            }
            let byte = bytes[position]
            valueStart = offset
            switch expectation {
            case .nothing: throw failure(.trailingContent)
            case .commaOrEnd:
                if byte == UInt8(ascii: ",") {
                    position += 1
                    expectation = containers.last! ? .key : .value
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
        precondition(isInString, "no string is open")
        try scanString(into: &sink)
        isInString = false
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

    /// Makes at least `count` bytes available behind `position`, unless the text ends before.
    func refill(_ count: Int) throws {
        guard limit - position < count, !isAtEnd, let owned, let reader else { return }
        if position > 0 {
            let kept = limit - position
            owned.baseAddress!.update(from: owned.baseAddress! + position, count: kept)
            base += position
            position = 0
            limit = kept
        }
        while limit < count {
            let free = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(owned)[limit...])
            let filled = try reader(free)
            precondition(filled >= 0 && filled <= free.count, "the reader wrote past its buffer")
            if filled == 0 {
                isAtEnd = true
                return
            }
            limit += filled
        }
    }

    func failure(_ code: JSONError.Code) -> JSONError { JSONError(code, offset: offset) }

    // MARK: Grammar

    private func refuseByteOrderMark() throws {
        try refill(3)
        if limit >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { throw failure(.byteOrderMark) }
    }

    /// False at the end of the text.
    private func skipWhiteSpace() throws -> Bool {
        while true {
            while position < limit {
                switch bytes[position] {
                case 0x20, 0x0A, 0x0D, 0x09: position += 1
                default: return true
                }
            }
            if isAtEnd { return false }
            try refill(1)
        }
    }

    private func end(_ byte: UInt8) throws -> JSONToken {
        guard let isObject = containers.last, byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw failure(.unexpectedByte)
        }
        position += 1
        containers.removeLast()
        valueEnded()
        return isObject ? .endObject : .endArray
    }

    private func valueEnded() { expectation = containers.isEmpty ? .nothing : .commaOrEnd }

    private func begin(object: Bool) throws {
        guard containers.count < limits.depth else { throw failure(.depthLimit) }
        position += 1
        containers.append(object)
        if object {
            if keyHashes.count < containers.count {
                keyHashes += Array(repeating: [], count: containers.count - keyHashes.count)
            }
            keyHashes[containers.count - 1].removeAll(keepingCapacity: true)
        }
        expectation = object ? .keyOrEndObject : .valueOrEndArray
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
            position += 1
            isInString = true
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
            guard position < limit else { throw failure(.unexpectedEnd) }
            guard bytes[position] == word.utf8Start[index] else { throw failure(.unexpectedByte) }
            position += 1
        }
        valueEnded()
    }

    private func number() throws {
        numberBytes.removeAll(keepingCapacity: true)
        let start = offset
        scanning: while true {
            while position < limit {
                switch bytes[position] {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                    UInt8(ascii: "e"), UInt8(ascii: "E"):
                    guard numberBytes.count < limits.numberByteCount else { throw failure(.numberTooLong) }
                    numberBytes.append(bytes[position])
                    position += 1
                default: break scanning
                }
            }
            if isAtEnd { break }
            try refill(1)
        }
        guard numberBytes.withUnsafeBufferPointer({ JSONNumberGrammar.isNumber($0) }) else {
            throw JSONError(.invalidNumber, offset: start)
        }
        valueEnded()
    }

    private func key(_ byte: UInt8) throws -> JSONToken {
        guard byte == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
        let start = offset
        position += 1
        var sink = JSONKeyCollector(
            raw: rawKey, decoded: keyBytes, byteLimit: limits.keyByteCount,
            failure: JSONError(.keyTooLong, offset: start))
        rawKey = []
        keyBytes = []
        try scanString(into: &sink)
        rawKey = sink.raw
        keyBytes = sink.decoded
        try registerKey(at: start)
        guard try skipWhiteSpace() else { throw failure(.unexpectedEnd) }
        guard bytes[position] == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
        position += 1
        expectation = .value
        return .key
    }

    private func registerKey(at start: Int) throws {
        var hasher = Hasher()
        keyBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        let level = containers.count - 1
        let isNew = keyHashes[level].insert(hasher.finalize()).inserted
        if !isNew, limits.refusesDuplicateKeys { throw JSONError(.duplicateKey, offset: start) }
        if keyHashes[level].count > limits.keysPerObject { throw JSONError(.tooManyKeys, offset: start) }
    }
}
