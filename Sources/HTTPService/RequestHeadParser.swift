/// Finds the end of a head in bytes that arrive bit by bit. Sees each byte once.
struct RequestHeadScanner {
    enum Finding: Equatable {
        /// More bytes are needed.
        case incomplete
        /// The blank line ends here.
        case complete(byteCount: Int)
        /// Refused whatever follows.
        case refused(HTTPFault)
    }

    let maximumByteCount: Int
    private var scanned = 0
    /// The number of bytes of CR LF CR LF that were seen last.
    private var matched = 0
    private var sawLine = false

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Looks at all bytes so far; those seen before are skipped.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Finding {
        while scanned < bytes.count {
            guard scanned < maximumByteCount else { return .refused(.headTooLarge) }
            let byte = bytes[scanned]
            scanned += 1
            let expected: UInt8 = matched % 2 == 0 ? 0x0d : 0x0a
            if byte == expected {
                matched += 1
                if matched == 4 { return .complete(byteCount: scanned) }
                if matched == 2 { sawLine = true }
            } else if byte == 0x0a || matched % 2 == 1 {
                // A line feed alone, or a carriage return alone: nobody may read it as a line end.
                return .refused(sawLine ? .invalidHeaders : .invalidRequestLine)
            } else {
                matched = 0
            }
        }
        return .incomplete
    }
}

/// Checks a complete head against the rules: one pure function over its bytes (control-api.md 2, platform-notes.md "The front").
/// Stricter than libmicrohttpd in everything, so that both read the same request.
enum RequestHeadParser {
    /// - Parameter bytes: from the first byte to the blank line.
    static func parse(_ bytes: UnsafeRawBufferPointer, rules: HTTPRules) -> Result<HTTPRequestHead, HTTPFault> {
        Result { () throws(HTTPFault) in
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidHeaders }
            var lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).map { $0.dropLast() }
            // Behind the last two line ends: the blank line, and nothing.
            lines.removeLast(2)
            let (method, target) = try requestLine(lines[0])
            var headers: HTTPHeaders = [:]
            for line in lines.dropFirst() {
                let (name, value) = try headerField(line)
                headers.add(name, value)
            }
            return try checked(method, target, headers, rules)
        }
    }

    // MARK: Syntax

    private typealias Line = Substring.UTF8View.SubSequence

    private static func requestLine(_ line: Line) throws(HTTPFault) -> (method: String, target: String) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenCharacter), !parts[1].isEmpty,
            !parts[1].contains(where: isControlCharacter)
        else { throw .invalidRequestLine }
        let version = String(Substring(parts[2]))
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .invalidRequestLine }
        return (String(Substring(parts[0])), String(Substring(parts[1])))
    }

    private static func headerField(_ line: Line) throws(HTTPFault) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .invalidHeaders }
        let name = line[..<colon]
        // A name that begins or ends with white space (a folded line, a space before the colon) is no token.
        guard !name.isEmpty, name.allSatisfy(isTokenCharacter) else { throw .invalidHeaders }
        var value = line[line.index(after: colon)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        if let last = value.last, last == 0x20 || last == 0x09 {
            // libmicrohttpd keeps white space at the end, and then misreads these two.
            let text = String(Substring(name))
            if asciiCaseInsensitiveEqual(text, "Content-Length") { throw .invalidContentLength }
            if asciiCaseInsensitiveEqual(text, "Transfer-Encoding") { throw .transferEncodingNotSupported }
        }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        guard !value.contains(where: { isControlCharacter($0) && $0 != 0x09 }) else { throw .invalidHeaders }
        return (String(Substring(name)), String(Substring(value)))
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func isControlCharacter(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7f
    }

    // MARK: Rules

    private static func checked(
        _ method: String, _ target: String, _ headers: HTTPHeaders, _ rules: HTTPRules
    ) throws(HTTPFault) -> HTTPRequestHead {
        // Before the repeated names: extensions.md 5.
        let length = try contentLength(headers)
        guard headers.count(of: "Host") <= 1 else { throw .invalidHeaders }
        if rules.refusesRepeatedNames {
            var names: Set<[UInt8]> = []
            for (name, _) in headers.fields {
                guard names.insert(name.utf8.map(asciiLowercase)).inserted else { throw .invalidHeaders }
            }
        }
        let isChunked = try isChunked(headers, length, rules)
        if let length, length > rules.maximumBodyByteCount { throw .bodyTooLarge }
        if rules.methodsWithBody.contains(method) {
            guard length != nil || isChunked else { throw .contentLengthRequired }
            try checkMediaType(headers, rules)
        }
        let hasBody = isChunked || (length ?? 0) > 0
        if hasBody, rules.methodsWithoutBody.contains(method) { throw .unexpectedBody }
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPRequestHead(
            method: method, target: target, path: String(Substring(parts[0])),
            query: parts.count == 2 ? String(Substring(parts[1])) : nil, headers: headers, contentLength: length,
            isChunked: isChunked)
    }

    private static func contentLength(_ headers: HTTPHeaders) throws(HTTPFault) -> Int? {
        guard let text = headers["Content-Length"] else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard headers.count(of: "Content-Length") == 1, text.utf8.allSatisfy(digits.contains), let length = Int(text)
        else { throw .invalidContentLength }
        return length
    }

    private static func isChunked(
        _ headers: HTTPHeaders, _ length: Int?, _ rules: HTTPRules
    ) throws(HTTPFault) -> Bool {
        guard let coding = headers["Transfer-Encoding"] else { return false }
        // Beside a length the two could be read differently (request smuggling), and libmicrohttpd
        // takes anything but "chunked" for "until the connection ends".
        guard rules.takesChunkedBodies, length == nil, headers.count(of: "Transfer-Encoding") == 1,
            asciiCaseInsensitiveEqual(coding, "chunked")
        else { throw .transferEncodingNotSupported }
        return true
    }

    private static func checkMediaType(_ headers: HTTPHeaders, _ rules: HTTPRules) throws(HTTPFault) {
        guard let required = rules.requiredMediaType else { return }
        let whole = headers["Content-Type"] ?? ""
        let type = whole.utf8.prefix { $0 != UInt8(ascii: ";") }
        let trimmed = String(Substring(type)).filter { $0 != " " && $0 != "\t" }
        guard asciiCaseInsensitiveEqual(trimmed, required) else { throw .mediaTypeRequired }
    }
}
