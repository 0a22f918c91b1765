/// Receives the content of a JSON string while it is scanned, so that no string need be held as a whole.
public protocol JSONStringSink {
    /// Checked UTF-8 that contains no escape. A character is never cut in two.
    mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) throws
    /// One escape (or escaped surrogate pair) as it stands in the text, and the scalar that it names.
    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) throws
}

extension JSONTokenizer {
    /// Scans from behind the opening quote to behind the closing one.
    func scanString<Sink: JSONStringSink>(into sink: inout Sink) throws {
        while true {
            let start = state.pointee.position
            let stop = try scanPlain()
            let end = state.pointee.position
            if end > start {
                try sink.plain(UnsafeBufferPointer(start: state.pointee.bytes + start, count: end - start))
            }
            switch stop {
            case .quote:
                state.pointee.position += 1
                return
            case .escape: try scanEscape(into: &sink)
            case .needsMore:
                let available = state.pointee.limit - end
                try refill(JSONTokenizer.longestUnit)
                if state.pointee.limit - state.pointee.position == available {
                    throw failure(available == 0 ? .unexpectedEnd : .invalidUTF8)
                }
            }
        }
    }

    /// Why plain characters ended.
    enum Stop { case quote, escape, needsMore }

    /// Advances over plain characters that lie in the buffer as a whole.
    func scanPlain() throws -> Stop {
        let bytes = state.pointee.bytes
        let limit = state.pointee.limit
        var index = state.pointee.position
        defer { state.pointee.position = index }
        while true {
            index = PlainASCII.end(bytes, from: index, limit: limit)
            guard index < limit else { return .needsMore }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") { return .quote }
            if byte == UInt8(ascii: "\\") { return .escape }
            if byte < 0x20 {
                state.pointee.position = index
                throw failure(.controlCharacter)
            }
            let length = UTF8Rules.sequenceLength(bytes + index, available: limit - index)
            if length > 0 {
                index += length
            } else if length == 0 {
                return .needsMore
            } else {
                state.pointee.position = index
                throw failure(.invalidUTF8)
            }
        }
    }

    private func scanEscape<Sink: JSONStringSink>(into sink: inout Sink) throws {
        try refill(JSONTokenizer.longestUnit)
        guard state.pointee.limit - state.pointee.position >= 2 else { throw failure(.unexpectedEnd) }
        let scalar: Unicode.Scalar
        var length = 2
        switch byte(1) {
        case UInt8(ascii: "\""): scalar = "\""
        case UInt8(ascii: "\\"): scalar = "\\"
        case UInt8(ascii: "/"): scalar = "/"
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"): (scalar, length) = try unicodeEscape()
        default: throw failure(.invalidEscape)
        }
        let start = state.pointee.bytes + state.pointee.position
        try sink.escape(UnsafeBufferPointer(start: start, count: length), scalar: scalar)
        state.pointee.position += length
    }

    /// The byte that lies so far behind the position.
    private func byte(_ distance: Int) -> UInt8 { state.pointee.bytes[state.pointee.position + distance] }

    private func unicodeEscape() throws -> (Unicode.Scalar, Int) {
        let first = try hexadecimal(at: 2)
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        // Only surrogates fail above; the pair must be high, then low.
        guard first < 0xDC00 else { throw failure(.loneSurrogate) }
        guard state.pointee.limit - state.pointee.position >= 8, byte(6) == UInt8(ascii: "\\"),
            byte(7) == UInt8(ascii: "u")
        else { throw failure(.loneSurrogate) }
        let second = try hexadecimal(at: 8)
        guard (0xDC00...0xDFFF).contains(second) else { throw failure(.loneSurrogate) }
        let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw failure(.loneSurrogate) }
        return (scalar, 12)
    }

    private func hexadecimal(at start: Int) throws -> UInt32 {
        guard state.pointee.limit - state.pointee.position >= start + 4 else { throw failure(.unexpectedEnd) }
        var value: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = hexadecimalDigit(byte(index)) else { throw failure(.invalidEscape) }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}

/// Bytes of a string that mean themselves: ASCII without control characters, quote and backslash.
enum PlainASCII {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first index at or behind `start` whose byte is not plain; `limit` when all are.
    static func end(_ bytes: UnsafePointer<UInt8>, from start: Int, limit: Int) -> Int {
        var index = start
        // Eight at a time: a borrow marks a byte below 0x20, or equal to the quote or backslash after the exclusive or.
        // Marks may only be wrong behind the first true one, and then the loop below finds that one.
        while index + 8 <= limit {
            let word = UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let marks = (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | word
            if marks & highs != 0 { break }
            index += 8
        }
        while index < limit {
            let byte = bytes[index]
            if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { break }
            index += 1
        }
        return index
    }
}

/// Well-formed UTF-8 (Unicode, table 3-7).
enum UTF8Rules {
    /// Length of the multi-byte sequence at `bytes`; 0 when it is cut off by `available`; -1 when it is not UTF-8.
    static func sequenceLength(_ bytes: UnsafePointer<UInt8>, available: Int) -> Int {
        let lead = bytes[0]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: length = 3
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return -1
        }
        for index in 1..<length {
            guard index < available else { return 0 }
            let allowed = index == 1 ? second : 0x80...0xBF
            guard allowed.contains(bytes[index]) else { return -1 }
        }
        return length
    }
}

/// Checks a string and drops it.
struct JSONStringSkipper: JSONStringSink {
    mutating func plain(_ bytes: UnsafeBufferPointer<UInt8>) {}
    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) {}
}

/// Holds the decoded bytes of a string of limited length.
struct JSONStringDecoder: JSONStringSink {
    var bytes: [UInt8] = []
    let byteLimit: Int
    let failure: JSONError

    init(byteLimit: Int, failure: JSONError) {
        self.byteLimit = byteLimit
        self.failure = failure
    }

    mutating func plain(_ part: UnsafeBufferPointer<UInt8>) throws {
        guard part.count <= byteLimit - bytes.count else { throw failure }
        bytes.append(contentsOf: part)
    }

    mutating func escape(_ raw: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) throws {
        guard UTF8.width(scalar) <= byteLimit - bytes.count else { throw failure }
        bytes.append(contentsOf: UTF8.encode(scalar)!)
    }
}

/// Holds a key both decoded and as it stands in the text.
struct JSONKeyCollector: JSONStringSink {
    var raw: [UInt8] = []
    var decoded: [UInt8] = []
    let byteLimit: Int
    let failure: JSONError

    init(byteLimit: Int, failure: JSONError) {
        self.byteLimit = byteLimit
        self.failure = failure
    }

    mutating func plain(_ part: UnsafeBufferPointer<UInt8>) throws {
        guard part.count <= byteLimit - decoded.count else { throw failure }
        raw.append(contentsOf: part)
        decoded.append(contentsOf: part)
    }

    mutating func escape(_ part: UnsafeBufferPointer<UInt8>, scalar: Unicode.Scalar) throws {
        guard UTF8.width(scalar) <= byteLimit - decoded.count else { throw failure }
        raw.append(contentsOf: part)
        decoded.append(contentsOf: UTF8.encode(scalar)!)
    }
}
