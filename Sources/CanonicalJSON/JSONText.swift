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
        for index in 0..<text.count {
            let byte = text[index]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C || (byte == 0x2F && escapesSolidus) else { continue }
            output.append(contentsOf: text[runStart..<index])
            appendEscape(byte, to: &output)
            runStart = index + 1
        }
        output.append(contentsOf: text[runStart..<text.count])
        output.append(UInt8(ascii: "\""))
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
