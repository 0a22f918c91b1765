import Glibc

/// One attribute of the tag at hand: offsets into the scanner's buffer, valid until the next token.
struct TagAttribute {
    var name: AttributeName
    var nameStart: Int32
    var nameEnd: Int32
    var valueStart: Int32
    var valueEnd: Int32
}

/// What the scanner found.
enum TagToken {
    /// A start tag, or an empty-element tag (`isEmpty`).
    case start
    /// An end tag.
    case end
    /// The stream is over.
    case endOfStream
}

/// What the scanner met and passed over, and where. The reader counts it.
struct ScanOddity {
    var code: ExportProblemCode
    var offset: Int
    var line: Int
}

/// Finds tags in a stream of XML-like bytes, in one buffer that never grows.
///
/// Two ways lead over a tag and end in the same attributes. The *line fast path* takes what a phone writes: a whole
/// tag on one line, one space between attributes, double quotes. Whatever deviates by a byte goes the *general path*
/// (`TagScanner+General.swift`), which takes anything that can be made sense of. Nothing is validated, no entity is
/// expanded, and a document type is passed over as text (apple-health-export.md 3, 4, 15).
///
/// Offsets are into `buffer`; `baseOffset + offset` is the place in the stream.
struct TagScanner {
    /// The buffer, and so the longest tag, comment start or document type that can be read: beyond it a tag is passed
    /// over and reported (apple-health-export.md 15 asks for a bound; real tags are below 2 KB, a DTD below 12 KB).
    static let bufferSize = 1 << 20
    /// Bytes asked for at a time. Far less than the buffer, so that what is scanned is still in the processor's cache.
    static let pieceSize = 1 << 18
    /// Attributes kept of one tag; real tags have at most 22.
    static let attributeLimit = 256

    let buffer: UnsafeMutablePointer<UInt8>
    let attributes: UnsafeMutablePointer<TagAttribute>
    let capacity: Int
    /// Where the unread bytes begin and end.
    var position = 0
    var limit = 0
    /// The stream offset of `buffer[0]`.
    var baseOffset = 0

    // The tag at hand.
    var element = ElementName.unknown
    var nameStart = 0
    var nameEnd = 0
    var isEmpty = false
    var isOversize = false
    var attributeCount = 0
    /// The stream offset of the tag's `<`.
    var tagOffset = 0
    /// The character data before the tag; empty unless `keepsText`.
    var textStart = 0
    var textEnd = 0
    /// Whether something other than white space stood before the tag.
    var hasStrayText = false

    // The prolog.
    var doctypeName: String?
    var exportVersion: Int?
    /// What was met since the reader last took it.
    var oddities: [ScanOddity] = []
    /// Where the tag began that the end of the stream cut off.
    var cutTagOffset: Int?

    // Kept here because asking a global costs a check each time.
    let nameBytes = TagScanner.nameByteTable
    let attributeNames = NameTable.attributes
    let elementNames = NameTable.elements

    private let source: any ByteSource
    let keepsText: Bool
    private let usesFastPath: Bool
    private(set) var isAtEnd = false
    /// The next line end behind `position` that is known, and up to where there is known to be none.
    var nextLineEnd = -1
    var lineFreeEnd = 0
    private var lineCursor = 0
    private var lineAtCursor = 1

    /// A scanner over a stream.
    ///
    /// - Parameters:
    ///   - keepsText: whether character data between tags is wanted (routes) or only its presence (exports).
    ///   - usesFastPath: false sends every tag the general way, for the tests that compare the two.
    init(source: any ByteSource, keepsText: Bool = false, usesFastPath: Bool = true, capacity: Int = bufferSize) {
        self.source = source
        self.keepsText = keepsText
        self.usesFastPath = usesFastPath
        self.capacity = capacity
        // Names are compared eight bytes at a time, so a few bytes behind the end are looked at, never used.
        buffer = calloc(capacity + 8, 1).bindMemory(to: UInt8.self, capacity: capacity + 8)
        attributes = .allocate(capacity: Self.attributeLimit)
    }

    /// Frees the buffers; the scanner is of no use afterwards.
    func deallocate() {
        free(buffer)
        attributes.deallocate()
    }

    /// The next tag, or the end.
    mutating func next() throws -> TagToken {
        textStart = position
        textEnd = position
        hasStrayText = false
        while true {
            guard let open = memchr(buffer + position, Int32(UInt8(ascii: "<")), limit - position) else {
                noteText(upTo: limit)
                if !keepsText { position = limit }
                if try refill(keepingFrom: keepsText ? textStart : position) { continue }
                if isAtEnd { return .endOfStream }
                // Character data as long as the buffer: none that we read is, so it is let go.
                position = limit
                textStart = limit
                continue
            }
            let start = offset(of: open)
            noteText(upTo: start)
            position = start
            if usesFastPath, let token = fastTag(at: start) { return token }
            if let token = try generalMarkup() { return token }
        }
    }

    /// The offset of a byte that was found in the buffer.
    @inline(__always)
    func offset(of found: UnsafeMutableRawPointer) -> Int { found - UnsafeMutableRawPointer(buffer) }

    /// The bytes of one attribute's value.
    @inline(__always)
    func value(_ attribute: TagAttribute) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: buffer + Int(attribute.valueStart), count: Int(attribute.valueEnd - attribute.valueStart))
    }

    /// The line, counted from 1, on which a stream offset lies that is still in the buffer.
    ///
    /// Goes from the last one asked for, back too: a tag that is parsed again after a refill asks for its places again.
    mutating func line(at offset: Int) -> Int {
        let target = max(0, min(offset - baseOffset, limit))
        if target < lineCursor {
            lineAtCursor -= Self.newlines(buffer + target, lineCursor - target)
        } else {
            lineAtCursor += Self.newlines(buffer + lineCursor, target - lineCursor)
        }
        lineCursor = target
        return lineAtCursor
    }

    /// Counts line ends, sixteen bytes at a time: every byte of a file passes here once.
    private static func newlines(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
        let newline = SIMD16<UInt8>(repeating: 0x0A)
        let one = SIMD16<UInt8>(repeating: 1)
        var total = 0
        var index = 0
        while index + 16 <= count {
            // A lane holds at most 255, so sums are taken in time.
            let stop = min(count - 15, index + 16 * 255)
            var lanes = SIMD16<UInt8>.zero
            while index < stop {
                let block = UnsafeRawPointer(bytes + index).loadUnaligned(as: SIMD16<UInt8>.self)
                lanes &+= one.replacing(with: 0, where: block .!= newline)
                index += 16
            }
            total += Int(SIMD16<UInt16>(truncatingIfNeeded: lanes).wrappedSum())
        }
        while index < count {
            total += bytes[index] == 0x0A ? 1 : 0
            index += 1
        }
        return total
    }

    /// Notes whether the text up to `end` is more than white space.
    @inline(__always)
    private mutating func noteText(upTo end: Int) {
        textEnd = end
        var index = position
        while index < end {
            if buffer[index] > 0x20 {
                hasStrayText = true
                return
            }
            index += 1
        }
    }

    /// Notes something odd at an offset into the buffer.
    mutating func note(_ code: ExportProblemCode, at offset: Int) {
        let offset = baseOffset + offset
        oddities.append(ScanOddity(code: code, offset: offset, line: line(at: offset)))
    }

    /// Moves the bytes from `start` on to the front and reads more behind them. False at the end of the stream or
    /// when the buffer is full; `isAtEnd` tells which.
    mutating func refill(keepingFrom start: Int) throws -> Bool {
        if isAtEnd { return false }
        if start > 0 {
            _ = line(at: baseOffset + start)
            memmove(buffer, buffer + start, limit - start)
            baseOffset += start
            limit -= start
            position -= start
            textStart = max(0, textStart - start)
            textEnd = max(0, textEnd - start)
            lineCursor -= start
            nextLineEnd -= start
            lineFreeEnd -= start
        }
        guard limit < capacity else { return false }
        let room = min(capacity - limit, Self.pieceSize)
        let count = try source.read(into: UnsafeMutableRawBufferPointer(start: buffer + limit, count: room))
        if count == 0 {
            isAtEnd = true
            return false
        }
        limit += count
        return true
    }
}

extension TagScanner {
    /// Passes over a byte-order mark and refuses what is not UTF-8.
    mutating func skipSignature(entry: String) throws {
        while limit < 4 {
            if try !refill(keepingFrom: 0) { break }
        }
        guard limit >= 2 else { return }
        let isWide = (buffer[0] == 0xFE && buffer[1] == 0xFF) || (buffer[0] == 0xFF && buffer[1] == 0xFE)
        if isWide || buffer[0] == 0 || (buffer[0] == UInt8(ascii: "<") && buffer[1] == 0) {
            throw ExportError.unsupportedEncoding(ExportPlace(entry: entry, line: 1, offset: 0), name: "UTF-16")
        }
        if limit >= 3, buffer[0] == 0xEF, buffer[1] == 0xBB, buffer[2] == 0xBF { position = 3 }
    }
}
