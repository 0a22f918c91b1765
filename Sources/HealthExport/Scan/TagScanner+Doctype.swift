/// The document type is text to us: skipped, never obeyed. Its declarations are broken in real files
/// (apple-health-export.md 3.1), so only comments, quotes and the way out are looked at.
extension TagScanner {
    /// Takes the `<!DOCTYPE` at `position`.
    mutating func doctype() throws -> TagToken? {
        while true {
            let notesBefore = oddities.count
            let wasAtEnd = isAtEnd
            if let end = doctypeEnd() {
                position = end
                textStart = end
                hasStrayText = false
                return nil
            }
            oddities.removeSubrange(notesBefore...)
            if try refillForMarkup() { continue }
            // What was left open for want of bytes is decided now that no more will come.
            if isAtEnd, !wasAtEnd { continue }
            guard isAtEnd else {
                throw ExportError.prologTooLarge(
                    ExportPlace(entry: "", line: line(at: baseOffset + position), offset: baseOffset + position),
                    limit: capacity)
            }
            cutTagOffset = baseOffset + position
            position = limit
            return .endOfStream
        }
    }

    /// Where the document type ends; nil when that is not in the buffer yet.
    private mutating func doctypeEnd() -> Int? {
        var cursor = position + 9
        while cursor < limit, buffer[cursor] <= 0x20 { cursor += 1 }
        let nameStart = cursor
        while cursor < limit, nameBytes[Int(buffer[cursor])] { cursor += 1 }
        guard cursor < limit else { return nil }
        doctypeName = String(
            decoding: UnsafeBufferPointer(start: buffer + nameStart, count: cursor - nameStart), as: UTF8.self)
        while cursor < limit {
            switch buffer[cursor] {
            case UInt8(ascii: ">"): return cursor + 1
            case UInt8(ascii: "["): return internalSubsetEnd(from: cursor + 1)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let close = find(buffer[cursor], from: cursor + 1) else { return nil }
                cursor = close + 1
            default: cursor += 1
            }
        }
        return nil
    }

    private mutating func internalSubsetEnd(from start: Int) -> Int? {
        var cursor = start
        while cursor < limit {
            switch buffer[cursor] {
            case UInt8(ascii: "<"):
                guard limit - cursor >= 8 || isAtEnd else { return nil }
                if starts(with: "<!--", at: cursor) {
                    guard let end = find("-->", from: cursor + 4) else { return nil }
                    noteVersion(cursor + 4, end)
                    cursor = end + 3
                } else if starts(with: "<?", at: cursor) {
                    guard let end = find("?>", from: cursor + 2) else { return nil }
                    cursor = end + 2
                } else if starts(with: "<!ENTITY", at: cursor) {
                    note(.entityDeclarationIgnored, at: cursor)
                    cursor += 8
                } else if cursor + 1 < limit, nameBytes[Int(buffer[cursor + 1])] {
                    // The root element: the subset's own end is missing, as in files repaired by hand.
                    return cursor
                } else {
                    cursor += 1
                }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                // A quote that does not close on its line is a leftover, not a quote.
                let line = find(0x0A, from: cursor)
                guard line != nil || isAtEnd else { return nil }
                cursor = (find(buffer[cursor], from: cursor + 1, to: line) ?? cursor) + 1
            case UInt8(ascii: "]"):
                var after = cursor + 1
                while after < limit, buffer[after] <= 0x20 { after += 1 }
                guard after < limit else { return nil }
                if buffer[after] == UInt8(ascii: ">") { return after + 1 }
                cursor += 1
            default: cursor += 1
            }
        }
        return nil
    }

    private func find(_ text: StaticString, from start: Int) -> Int? {
        var cursor = start
        while let hit = find(text.utf8Start[0], from: cursor) {
            if starts(with: text, at: hit) { return hit }
            cursor = hit + 1
        }
        return nil
    }

    /// Reads N from the comment `HealthKit Export Version: N`.
    private mutating func noteVersion(_ start: Int, _ end: Int) {
        let text = String(decoding: UnsafeBufferPointer(start: buffer + start, count: end - start), as: UTF8.self)
        let words = text.split(separator: " ")
        guard words.starts(with: ["HealthKit", "Export", "Version:"]), words.count == 4 else { return }
        exportVersion = Int(words[3])
    }
}
