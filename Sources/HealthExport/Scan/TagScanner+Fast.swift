import Glibc

/// Bytes that may stand in a name: letters, digits, `_ - . :` and everything beyond ASCII.
private let nameByteFlags: [Bool] = (0..<256).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: ":"), 0x80...0xFF:
        true
    default: false
    }
}

extension TagScanner {
    /// The table above as a pointer that lives as long as the process: an array access would be checked each time.
    /// Written once, before anyone reads it.
    nonisolated(unsafe) static let nameByteTable: UnsafePointer<Bool> = {
        let table = UnsafeMutablePointer<Bool>.allocate(capacity: 256)
        table.initialize(from: nameByteFlags, count: 256)
        return UnsafePointer(table)
    }()

    @inline(__always)
    private func endOfName(from start: Int) -> Int {
        // The byte at `limit - 1` of a line is its newline, which ends every name.
        var index = start
        while nameBytes[Int(buffer[index])] { index += 1 }
        return index
    }

    /// The line end behind `start`. Remembered, so that a file of one endless line is not searched anew for each tag.
    @inline(__always)
    private mutating func lineEnd(from start: Int) -> Int? {
        if start < nextLineEnd { return nextLineEnd }
        guard start >= lineFreeEnd else { return nil }
        guard let newline = memchr(buffer + start, 0x0A, limit - start) else {
            lineFreeEnd = limit
            return nil
        }
        nextLineEnd = offset(of: newline)
        return nextLineEnd
    }

    /// Reads the tag at `start` if all of it stands on its line in the form a phone writes; nil for anything else,
    /// with nothing changed that the general path would not set anew.
    mutating func fastTag(at start: Int) -> TagToken? {
        guard let lineEnd = lineEnd(from: start) else { return nil }
        if buffer[start + 1] == UInt8(ascii: "/") {
            let end = endOfName(from: start + 2)
            guard end > start + 2, buffer[end] == UInt8(ascii: ">") else { return nil }
            setName(start, start + 2, end)
            position = end + 1
            return .end
        }
        let end = endOfName(from: start + 1)
        guard end > start + 1 else { return nil }
        var cursor = end
        var count = 0
        while buffer[cursor] == UInt8(ascii: " ") {
            let attributeStart = cursor + 1
            let attributeEnd = endOfName(from: attributeStart)
            // The two bytes behind the name lie at or before the newline, so they can be looked at.
            guard attributeEnd > attributeStart, buffer[attributeEnd] == UInt8(ascii: "="),
                buffer[attributeEnd + 1] == UInt8(ascii: "\""), count < Self.attributeLimit
            else { return nil }
            let valueStart = attributeEnd + 2
            guard let quote = memchr(buffer + valueStart, Int32(UInt8(ascii: "\"")), lineEnd - valueStart) else {
                return nil
            }
            let valueEnd = offset(of: quote)
            let name = attributeNames.number(buffer + attributeStart, attributeEnd - attributeStart)
            attributes[count] = TagAttribute(
                name: unsafeBitCast(name, to: AttributeName.self), nameStart: Int32(truncatingIfNeeded: attributeStart),
                nameEnd: Int32(truncatingIfNeeded: attributeEnd), valueStart: Int32(truncatingIfNeeded: valueStart),
                valueEnd: Int32(truncatingIfNeeded: valueEnd))
            count += 1
            cursor = valueEnd + 1
        }
        if buffer[cursor] == UInt8(ascii: "/"), buffer[cursor + 1] == UInt8(ascii: ">") {
            isEmpty = true
            position = cursor + 2
        } else if buffer[cursor] == UInt8(ascii: ">") {
            isEmpty = false
            position = cursor + 1
        } else {
            return nil
        }
        setName(start, start + 1, end)
        attributeCount = count
        isOversize = false
        return .start
    }

    /// Sets the name of the tag at hand.
    @inline(__always)
    mutating func setName(_ start: Int, _ nameStart: Int, _ nameEnd: Int) {
        tagOffset = baseOffset + start
        self.nameStart = nameStart
        self.nameEnd = nameEnd
        element = unsafeBitCast(
            elementNames.number(buffer + nameStart, nameEnd - nameStart), to: ElementName.self)
    }
}
