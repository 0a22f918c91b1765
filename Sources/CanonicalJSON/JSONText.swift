/// String texts as bytes.
public enum JSONText {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Appends a quoted string: short escapes where they exist, other controls as lower-case `\u00xx`, everything
    /// else raw (health-data.md 4.1, extensions.md 9.12).
    public static func append(_ text: String, escapesSolidus: Bool = false, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, escapesSolidus: escapesSolidus, to: &output) }
    }

    /// Appends valid UTF-8 as a quoted string.
    public static func append(_ text: UnsafeBufferPointer<UInt8>, escapesSolidus: Bool, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var runStart = 0
        while true {
            let end = plainEnd(text, from: runStart, escapesSolidus)
            if end > runStart { output.append(contentsOf: UnsafeBufferPointer(rebasing: text[runStart..<end])) }
            guard end < text.count else { break }
            appendEscape(text[end], to: &output)
            runStart = end + 1
        }
        output.append(UInt8(ascii: "\""))
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first index at or behind `start` whose byte must be escaped; the count when none must.
    private static func plainEnd(
        _ text: UnsafeBufferPointer<UInt8>, from start: Int, _ escapesSolidus: Bool
    ) -> Int {
        var index = start
        let raw = UnsafeRawBufferPointer(text)
        let solidus = escapesSolidus ? ones &* 0x2F : ones &* 0x22
        // Eight at a time, as the scanner does (`PlainASCII`), but bytes beyond ASCII are plain here.
        while index + 8 <= text.count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let marks =
                (word &- ones &* 0x20) | ((word ^ (ones &* 0x22)) &- ones) | ((word ^ (ones &* 0x5C)) &- ones)
                | ((word ^ solidus) &- ones)
            if marks & ~word & highs != 0 { break }
            index += 8
        }
        while index < text.count {
            let byte = text[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || (byte == 0x2F && escapesSolidus) { break }
            index += 1
        }
        return index
    }

    private static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C, 0x2F: output.append(byte)
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        default:
            output.append(contentsOf: "u00".utf8)
            output.append(hexadecimal[Int(byte >> 4)])
            output.append(hexadecimal[Int(byte & 15)])
        }
    }
}
