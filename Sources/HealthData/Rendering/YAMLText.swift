/// Scalars of front matter as YAML 1.2 reads them (export-formats.md 5.1 wants them plain where they can be).
///
/// Front matter has texts that people choose (names of keys, fixed fields) and texts of other programs (metadata of
/// workouts). A text stands as it is when YAML takes it as it is meant, else in double quotes: so the block can always be
/// read, and an ordinary one has its published bytes.
enum YAMLText {
    /// A key: always a text, so `true`, `null` and `12` are quoted, and so is what our own merging would not know again.
    static func key(_ text: String) -> String {
        isPlain(text) && !text.hasPrefix("-") && !readsAsOtherKind(text) && !text.contains(":") ? text : quoted(text)
    }

    /// A value that is meant as YAML: what a person gives for a fixed field. `true`, `12`, `[a, b]`, `"a: b"` mean what they
    /// mean in YAML; what is not YAML is a text.
    static func value(_ text: String) -> String {
        text.isEmpty || isPlain(text) || FlowScanner.isWhole(text) ? text : quoted(text)
    }

    /// An element of a list in brackets: a text, plain where it can be.
    static func listElement(_ text: String) -> String {
        isPlain(text) && !text.unicodeScalars.contains { ",[]{}".unicodeScalars.contains($0) } ? text : quoted(text)
    }

    // MARK: Quoting

    /// In double quotes: `\` and `"` escaped, a line break as `\n`, other signs that YAML does not print by their number.
    static func quoted(_ text: String) -> String {
        var output = "\""
        for character in text {
            switch character {
            case "\\": output += "\\\\"
            case "\"": output += "\\\""
            case "\n", "\r\n", "\r": output += "\\n"
            case "\t": output += "\\t"
            default:
                for scalar in character.unicodeScalars {
                    if isPrintable(scalar) {
                        output.unicodeScalars.append(scalar)
                    } else {
                        output += escape(scalar)
                    }
                }
            }
        }
        return output + "\""
    }

    /// `\u2028`: the signs that need it all have at most four digits.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether YAML lets a sign stand for itself in a text (1.2, production 1), line breaks of any kind apart.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    // MARK: Reading keys

    /// The name of the key that a line `key: value` begins with, in quotes or without; nil when there is none.
    static func keyName(ofLine line: String) -> String? {
        guard let first = line.first else { return nil }
        guard first == "\"" || first == "'" else {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return String(line[..<colon])
        }
        var name = ""
        var rest = line.dropFirst()
        while let sign = rest.popFirst(), sign != "\n" {
            if sign == first {
                // A doubled ' stands for one.
                guard first == "'", rest.first == "'" else {
                    return rest.drop { $0 == " " }.first == ":" && !name.isEmpty ? name : nil
                }
                rest.removeFirst()
            } else if sign == "\\", first == "\"" {
                guard let escaped = unescaped(&rest) else { return nil }
                name.append(escaped)
                continue
            }
            name.append(sign)
        }
        return nil
    }

    /// The sign behind a backslash, of the escapes that ``quoted(_:)`` writes.
    private static func unescaped(_ rest: inout Substring) -> Character? {
        switch rest.popFirst() {
        case "\\": return "\\"
        case "\"": return "\""
        case "n": return "\n"
        case "t": return "\t"
        case "u":
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init).map(Character.init)
        default: return nil
        }
    }

    // MARK: Plain texts

    /// Whether a text can stand without quotes on its line and is read as exactly these signs.
    static func isPlain(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard let first = scalars.first, let last = scalars.last, first != " ", last != " ", last != ":",
            scalars.allSatisfy(isPrintable), !signsOfYAML.contains(text)
        else { return false }
        if ",[]{}#&*!|>'\"%@`".unicodeScalars.contains(first) { return false }
        if "-?:".unicodeScalars.contains(first), scalars.count == 1 || scalars[1] == " " { return false }
        for (index, scalar) in scalars.enumerated().dropFirst() {
            if scalar == " ", scalars[index - 1] == ":" { return false }
            if scalar == "#", scalars[index - 1] == " " { return false }
        }
        return true
    }

    /// Marks of documents, and what YAML 1.1 takes for a merge or a default, which no reader has a value for.
    private static let signsOfYAML: Set<String> = ["---", "...", "<<", "="]

    /// Whether YAML 1.1 or 1.2 takes a plain text for a truth value, nothing, or a number, or may do so.
    private static func readsAsOtherKind(_ text: String) -> Bool {
        if otherKinds.contains(text.lowercased()) { return true }
        guard let first = text.utf8.first,
            first &- 0x30 < 10 || first == UInt8(ascii: "+") || first == UInt8(ascii: ".")
        else { return false }
        // 12, 1.5, 0x1F, 1_000, 2026-03-15: rather one key too many in quotes than one that is a number.
        return text.utf8.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || "+-._:".utf8.contains($0) }
    }

    private static let otherKinds: Set<String> = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", ".nan", ".inf",
    ]
}

/// Finds out whether a text is one value in quotes, or one list or map in brackets, that YAML reads to its end.
struct FlowScanner {
    /// How deep brackets may stand in each other.
    private static let maximumDepth = 16

    private let scalars: [Unicode.Scalar]
    private var position = 0

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func isWhole(_ text: String) -> Bool {
        var scanner = FlowScanner(text)
        guard scanner.scalars.allSatisfy(YAMLText.isPrintable), let first = scanner.peek, "\"'[{".contains(first),
            scanner.value(depth: 0)
        else { return false }
        return scanner.position == scanner.scalars.count
    }

    private var peek: Character? { position < scalars.count ? Character(scalars[position]) : nil }

    private mutating func skipBlanks() { while peek == " " { position += 1 } }

    private mutating func take(_ sign: Character) -> Bool {
        guard peek == sign else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.maximumDepth else { return false }
        switch peek {
        case "\"": return doubleQuoted()
        case "'": return singleQuoted()
        case "[": return elements(closedBy: "]", depth: depth)
        case "{": return elements(closedBy: "}", depth: depth)
        default: return plain()
        }
    }

    private mutating func doubleQuoted() -> Bool {
        position += 1
        while let sign = peek {
            position += 1
            if sign == "\"" { return true }
            guard sign == "\\" else { continue }
            // The escapes of one sign; those by number are left to the quoting of ours.
            guard let escaped = peek, "\\\"nt/".contains(escaped) else { return false }
            position += 1
        }
        return false
    }

    private mutating func singleQuoted() -> Bool {
        position += 1
        while let sign = peek {
            position += 1
            guard sign == "'" else { continue }
            if peek != "'" { return true }
            position += 1
        }
        return false
    }

    /// `[a, b]` or `{a: b}`.
    private mutating func elements(closedBy end: Character, depth: Int) -> Bool {
        position += 1
        skipBlanks()
        if take(end) { return true }
        while true {
            guard value(depth: depth + 1) else { return false }
            skipBlanks()
            if end == "}" {
                guard take(":"), take(" ") else { return false }
                skipBlanks()
                guard value(depth: depth + 1) else { return false }
                skipBlanks()
            }
            if take(end) { return true }
            guard take(",") else { return false }
            skipBlanks()
        }
    }

    private mutating func plain() -> Bool {
        let start = position
        while let sign = peek, !",[]{}:\"'".contains(sign) { position += 1 }
        var text = String(String.UnicodeScalarView(scalars[start..<position]))
        while text.hasSuffix(" ") { text.removeLast() }
        return YAMLText.isPlain(text)
    }
}
