import Glibc

private let quotationMark = UInt8(ascii: "\"")
private let apostrophe = UInt8(ascii: "'")
private let greater = UInt8(ascii: ">")
private let less = UInt8(ascii: "<")
private let slash = UInt8(ascii: "/")
private let equals = UInt8(ascii: "=")

extension TagScanner {
    /// Takes the markup that begins at `position`. Nil when it was no tag (a comment, the prolog, a lone `<`).
    mutating func generalMarkup() throws -> TagToken? {
        while limit - position < 2 {
            if try !refillForMarkup() { return try endInsideMarkup() }
        }
        switch buffer[position + 1] {
        case UInt8(ascii: "!"):
            return try declaration()
        case UInt8(ascii: "?"):
            return try skip(past: Array("?>".utf8), from: 2)
        case slash:
            return try generalTag(isEnd: true)
        case let byte where nameBytes[Int(byte)]:
            return try generalTag(isEnd: false)
        default:
            hasStrayText = true
            position += 1
            return nil
        }
    }

    /// Reads more behind the markup at `position`. False at the end of the stream or when the buffer is full.
    mutating func refillForMarkup() throws -> Bool {
        if try refill(keepingFrom: keepsText ? textStart : position) { return true }
        // Text that is kept must not cost the markup behind it its room.
        guard !isAtEnd, textStart < position else { return false }
        textStart = position
        textEnd = position
        return try refill(keepingFrom: position)
    }

    /// The stream ended in the middle of markup.
    private mutating func endInsideMarkup() throws -> TagToken {
        cutTagOffset = baseOffset + position
        position = limit
        return .endOfStream
    }

    // MARK: Tags

    private enum TagOutcome {
        case complete(end: Int)
        case needsMore
        case malformed(resume: Int)
    }

    private mutating func generalTag(isEnd: Bool) throws -> TagToken? {
        while true {
            let notesBefore = oddities.count
            switch isEnd ? parseEndTag() : parseStartTag() {
            case .complete(let end):
                position = end
                return isEnd ? .end : .start
            case .malformed(let resume):
                oddities.removeSubrange(notesBefore...)
                note(.malformedTag, at: position)
                position = resume
                return nil
            case .needsMore:
                oddities.removeSubrange(notesBefore...)
                if try refillForMarkup() { continue }
                if !isAtEnd { return try skipOversizeTag(isEnd: isEnd) }
                return try resumeAfterUnclosedQuote() ? nil : endInsideMarkup()
            }
        }
    }

    private mutating func parseEndTag() -> TagOutcome {
        var cursor = position + 2
        while cursor < limit, nameBytes[Int(buffer[cursor])] { cursor += 1 }
        let end = cursor
        while cursor < limit, buffer[cursor] != greater, buffer[cursor] != less { cursor += 1 }
        guard cursor < limit else { return .needsMore }
        if buffer[cursor] == less { return .malformed(resume: cursor) }
        setName(position, position + 2, end)
        return .complete(end: cursor + 1)
    }

    private mutating func parseStartTag() -> TagOutcome {
        var cursor = position + 1
        while cursor < limit, nameBytes[Int(buffer[cursor])] { cursor += 1 }
        setName(position, position + 1, cursor)
        attributeCount = 0
        isOversize = false
        while true {
            while cursor < limit, buffer[cursor] <= 0x20 { cursor += 1 }
            guard cursor + 1 < limit || (cursor < limit && buffer[cursor] == greater) else { return .needsMore }
            switch buffer[cursor] {
            case greater:
                isEmpty = false
                return .complete(end: cursor + 1)
            case slash where buffer[cursor + 1] == greater:
                isEmpty = true
                return .complete(end: cursor + 2)
            case less:
                return .malformed(resume: cursor)
            case slash, quotationMark, apostrophe:
                note(.oddAttributeName, at: cursor)
                cursor += 1
            default:
                switch parseAttribute(from: cursor) {
                case .complete(let end): cursor = end
                case let other: return other
                }
            }
        }
    }

    /// Reads one `name = "value"`. A name with spaces in it (iOS 8 wrote such) is one unknown name, so that its last
    /// word is not taken for a known attribute.
    private mutating func parseAttribute(from start: Int) -> TagOutcome {
        var cursor = start
        var nameEnd = start
        var hasSpace = false
        name: while true {
            guard cursor < limit else { return .needsMore }
            switch buffer[cursor] {
            case equals:
                break name
            case greater, less, quotationMark, apostrophe:
                note(.oddAttributeName, at: start)
                return .complete(end: cursor)
            case slash:
                guard cursor + 1 < limit else { return .needsMore }
                if buffer[cursor + 1] == greater {
                    note(.oddAttributeName, at: start)
                    return .complete(end: cursor)
                }
            case 0...0x20:
                cursor += 1
                continue name
            default: break
            }
            if nameEnd < cursor { hasSpace = true }
            cursor += 1
            nameEnd = cursor
        }
        cursor += 1
        while cursor < limit, buffer[cursor] <= 0x20 { cursor += 1 }
        guard cursor < limit else { return .needsMore }
        if hasSpace || nameEnd == start { note(.oddAttributeName, at: start) }
        let quote = buffer[cursor]
        guard quote == quotationMark || quote == apostrophe else {
            return parseUnquoted(nameStart: start, nameEnd: nameEnd, from: cursor, isKnown: !hasSpace)
        }
        guard let close = find(quote, from: cursor + 1) else { return .needsMore }
        if let resume = tagInsideValue(cursor + 1, close) { return .malformed(resume: resume) }
        append(nameStart: start, nameEnd: nameEnd, value: cursor + 1, close, isKnown: !hasSpace)
        return .complete(end: close + 1)
    }

    private mutating func parseUnquoted(nameStart: Int, nameEnd: Int, from start: Int, isKnown: Bool) -> TagOutcome {
        var cursor = start
        while cursor < limit, buffer[cursor] > 0x20, buffer[cursor] != greater, buffer[cursor] != less { cursor += 1 }
        guard cursor < limit else { return .needsMore }
        let closesEmpty = buffer[cursor] == greater && cursor > start && buffer[cursor - 1] == slash
        note(.unquotedValue, at: start)
        append(
            nameStart: nameStart, nameEnd: nameEnd, value: start, closesEmpty ? cursor - 1 : cursor, isKnown: isKnown)
        return .complete(end: closesEmpty ? cursor - 1 : cursor)
    }

    private mutating func append(nameStart: Int, nameEnd: Int, value start: Int, _ end: Int, isKnown: Bool) {
        guard attributeCount < Self.attributeLimit else {
            note(.tooManyAttributes, at: nameStart)
            return
        }
        let number = isKnown ? attributeNames.number(buffer + nameStart, nameEnd - nameStart) : 0
        attributes[attributeCount] = TagAttribute(
            name: unsafeBitCast(number, to: AttributeName.self), nameStart: Int32(nameStart), nameEnd: Int32(nameEnd),
            valueStart: Int32(start), valueEnd: Int32(end))
        attributeCount += 1
    }

    /// A line inside a value that begins like a tag means that the closing quote is missing.
    private func tagInsideValue(_ start: Int, _ end: Int) -> Int? {
        var cursor = start
        while let newline = find(0x0A, from: cursor, to: end) {
            cursor = newline + 1
            while cursor < end, buffer[cursor] <= 0x20 { cursor += 1 }
            if cursor + 1 < end, buffer[cursor] == less,
                buffer[cursor + 1] == slash || nameBytes[Int(buffer[cursor + 1])]
            {
                return cursor
            }
        }
        return nil
    }

    /// At the end of the stream: a quote that never closes hides the tags behind it. Goes back to the first of them.
    private mutating func resumeAfterUnclosedQuote() throws -> Bool {
        guard let resume = tagInsideValue(position + 1, limit) else { return false }
        note(.malformedTag, at: position)
        position = resume
        return true
    }

    /// Passes over a tag that does not fit the buffer, honouring its quotes.
    private mutating func skipOversizeTag(isEnd: Bool) throws -> TagToken? {
        var cursor = position + (isEnd ? 2 : 1)
        let nameStart = cursor
        while cursor < limit, nameBytes[Int(buffer[cursor])] { cursor += 1 }
        setName(position, nameStart, cursor)
        note(.oversizeElement, at: position)
        self.nameEnd = nameStart
        attributeCount = 0
        isOversize = true
        var quote: UInt8 = 0
        var previous: UInt8 = 0
        while true {
            while cursor < limit {
                let byte = buffer[cursor]
                cursor += 1
                if quote != 0 {
                    if byte == quote { quote = 0 }
                } else if byte == quotationMark || byte == apostrophe {
                    quote = byte
                } else if byte == greater {
                    isEmpty = previous == slash
                    position = cursor
                    return isEnd ? .end : .start
                }
                previous = byte
            }
            position = limit
            textStart = limit
            textEnd = limit
            guard try refill(keepingFrom: limit) else {
                cutTagOffset = tagOffset
                return .endOfStream
            }
            cursor = position
        }
    }

    // MARK: What is no tag

    private mutating func declaration() throws -> TagToken? {
        while limit - position < 9 {
            if try !refillForMarkup() { break }
        }
        if starts(with: "<!--", at: position) { return try skip(past: Array("-->".utf8), from: 4) }
        if starts(with: "<![CDATA[", at: position) {
            hasStrayText = true
            return try skip(past: Array("]]>".utf8), from: 9)
        }
        if starts(with: "<!DOCTYPE", at: position) { return try doctype() }
        return try skip(past: [greater], from: 2)
    }

    /// Goes on behind the next `pattern`, however far away it is.
    private mutating func skip(past pattern: [UInt8], from lead: Int) throws -> TagToken? {
        let start = baseOffset + position
        let textWasBlank = !hasStrayText
        position = min(limit, position + lead)
        while true {
            var cursor = position
            while let hit = find(pattern[0], from: cursor) {
                guard hit + pattern.count <= limit else { break }
                if starts(with: pattern, at: hit) {
                    position = hit + pattern.count
                    if textWasBlank { textStart = position }
                    return nil
                }
                cursor = hit + 1
            }
            position = max(position, limit - pattern.count + 1)
            textStart = position
            if try !refill(keepingFrom: position) {
                cutTagOffset = start
                position = limit
                return .endOfStream
            }
        }
    }

    func find(_ byte: UInt8, from start: Int, to end: Int? = nil) -> Int? {
        let end = end ?? limit
        guard start < end, let hit = memchr(buffer + start, Int32(byte), end - start) else { return nil }
        return offset(of: hit)
    }

    func starts(with text: StaticString, at start: Int) -> Bool {
        start + text.utf8CodeUnitCount <= limit && memcmp(buffer + start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    func starts(with bytes: [UInt8], at start: Int) -> Bool {
        start + bytes.count <= limit && memcmp(buffer + start, bytes, bytes.count) == 0
    }
}
