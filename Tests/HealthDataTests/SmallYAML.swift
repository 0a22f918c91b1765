/// A reader of as much YAML 1.2 as front matter needs, written apart from the writer and stricter than most: what it takes,
/// every reader takes. Block maps and lists, flow lists and maps, plain and quoted scalars on one line.
indirect enum SmallYAML: Equatable, Sendable {
    /// A text in quotes, or a plain one that is nothing else.
    case text(String)
    /// A plain scalar that YAML reads as truth value, number or nothing.
    case other(String)
    case list([SmallYAML])
    case map([String: SmallYAML])
    /// A key without a value.
    case empty

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    subscript(key: String) -> SmallYAML? {
        if case .map(let members) = self { return members[key] }
        return nil
    }

    /// The front matter of a file: what stands between its first two lines `---`.
    static func frontMatter(of file: String) throws -> SmallYAML {
        let lines = file.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.first == "---", let end = lines.dropFirst().firstIndex(of: "---") else {
            throw Fault(description: "no front matter")
        }
        var reader = BlockReader(lines: Array(lines[1..<end]))
        return try reader.document()
    }
}

private struct BlockReader {
    var lines: [String]
    var next = 0

    mutating func document() throws -> SmallYAML {
        let value = try block(indent: 0)
        guard next == lines.count else { throw fault("a line that belongs nowhere") }
        return value
    }

    private func fault(_ reason: String) -> SmallYAML.Fault {
        SmallYAML.Fault(description: "line \(next + 1): \(reason): \(next < lines.count ? lines[next] : "")")
    }

    private func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

    private mutating func block(indent: Int) throws -> SmallYAML {
        guard next < lines.count else { return .empty }
        return lines[next].dropFirst(indent).hasPrefix("- ") ? try list(indent: indent) : try map(indent: indent)
    }

    private mutating func list(indent: Int) throws -> SmallYAML {
        var elements: [SmallYAML] = []
        while next < lines.count, self.indent(lines[next]) == indent, lines[next].dropFirst(indent).hasPrefix("- ") {
            let content = String(lines[next].dropFirst(indent + 2))
            if (try? ScalarReader.key(content)) != nil {
                lines[next] = String(repeating: " ", count: indent + 2) + content
                elements.append(try map(indent: indent + 2))
            } else {
                elements.append(try ScalarReader.value(content))
                next += 1
            }
        }
        return .list(elements)
    }

    private mutating func map(indent: Int) throws -> SmallYAML {
        var members: [String: SmallYAML] = [:]
        while next < lines.count, self.indent(lines[next]) == indent {
            let (key, rest) = try ScalarReader.key(String(lines[next].dropFirst(indent)))
            guard members[key] == nil else { throw fault("a key twice") }
            next += 1
            if !rest.isEmpty {
                members[key] = try ScalarReader.value(rest)
            } else if next < lines.count, self.indent(lines[next]) > indent {
                members[key] = try block(indent: self.indent(lines[next]))
            } else {
                members[key] = .empty
            }
        }
        guard !members.isEmpty else { throw fault("neither map nor list") }
        return .map(members)
    }
}

private struct ScalarReader {
    let scalars: [Unicode.Scalar]
    var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// The key of a line, and what stands behind its colon.
    static func key(_ line: String) throws -> (String, String) {
        var reader = ScalarReader(line)
        let key = try reader.scalar(isFlow: false, isKey: true)
        guard case .text(let name) = key, reader.take(":") else {
            throw SmallYAML.Fault(description: "no key that is a text: \(line)")
        }
        guard reader.peek == nil || reader.take(" ") else { throw SmallYAML.Fault(description: "no blank: \(line)") }
        return (name, String(String.UnicodeScalarView(reader.scalars[reader.position...])))
    }

    static func value(_ text: String) throws -> SmallYAML {
        var reader = ScalarReader(text)
        let value = try reader.value(isFlow: false)
        guard reader.peek == nil else { throw SmallYAML.Fault(description: "more than a value: \(text)") }
        return value
    }

    var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard peek == sign else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() { while take(" ") {} }

    private mutating func value(isFlow: Bool) throws -> SmallYAML {
        if take("[") {
            var elements: [SmallYAML] = []
            skipBlanks()
            while !take("]") {
                elements.append(try value(isFlow: true))
                skipBlanks()
                if take(",") {
                    skipBlanks()
                } else if peek != "]" {
                    throw SmallYAML.Fault(description: "no end of a list")
                }
            }
            return .list(elements)
        }
        if take("{") {
            var members: [String: SmallYAML] = [:]
            skipBlanks()
            while !take("}") {
                guard case .text(let name) = try scalar(isFlow: true, isKey: true), take(":"), take(" ") else {
                    throw SmallYAML.Fault(description: "no key in a map")
                }
                skipBlanks()
                guard members.updateValue(try value(isFlow: true), forKey: name) == nil else {
                    throw SmallYAML.Fault(description: "a key twice")
                }
                skipBlanks()
                if take(",") {
                    skipBlanks()
                } else if peek != "}" {
                    throw SmallYAML.Fault(description: "no end of a map")
                }
            }
            return .map(members)
        }
        return try scalar(isFlow: isFlow, isKey: false)
    }

    private mutating func scalar(isFlow: Bool, isKey: Bool) throws -> SmallYAML {
        if take("\"") { return .text(try doubleQuoted()) }
        if take("'") { return .text(try singleQuoted()) }
        return try plain(isFlow: isFlow, isKey: isKey)
    }

    private mutating func doubleQuoted() throws -> String {
        var text = String.UnicodeScalarView()
        while let sign = peek {
            position += 1
            if sign == "\"" { return String(text) }
            guard sign == "\\" else {
                text.append(try printable(sign))
                continue
            }
            let escape = peek
            position += 1
            switch escape {
            case "n": text.append("\n")
            case "t": text.append("\t")
            case "\\", "\"", "/": text.append(escape ?? " ")
            case "u":
                let end = min(position + 4, scalars.count)
                let digits = String(String.UnicodeScalarView(scalars[position..<end]))
                position = end
                guard digits.utf8.count == 4, let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code)
                else { throw SmallYAML.Fault(description: "a bad escape") }
                text.append(scalar)
            default: throw SmallYAML.Fault(description: "an unknown escape")
            }
        }
        throw SmallYAML.Fault(description: "an open quote")
    }

    private mutating func singleQuoted() throws -> String {
        var text = String.UnicodeScalarView()
        while let sign = peek {
            position += 1
            if sign == "'", !take("'") { return String(text) }
            text.append(try printable(sign))
        }
        throw SmallYAML.Fault(description: "an open quote")
    }

    private mutating func plain(isFlow: Bool, isKey: Bool) throws -> SmallYAML {
        let start = position
        guard let first = peek, !"-?:,[]{}#&*!|>'\"%@` ".unicodeScalars.contains(first) || isSafeStart(first, isFlow)
        else { throw SmallYAML.Fault(description: "no plain text begins so") }
        while let sign = peek {
            if isFlow, ",[]{}".unicodeScalars.contains(sign) { break }
            let follower = position + 1 < scalars.count ? scalars[position + 1] : nil
            let endsKey =
                follower == nil || follower == " " || (isFlow && ",[]{}".unicodeScalars.contains(follower ?? " "))
            if sign == ":", endsKey {
                if isKey { break }
                throw SmallYAML.Fault(description: "a colon in a plain text")
            }
            if sign == "#", position > start, scalars[position - 1] == " " {
                throw SmallYAML.Fault(description: "a comment")
            }
            _ = try printable(sign)
            position += 1
        }
        var end = position
        while end > start, scalars[end - 1] == " " { end -= 1 }
        let text = String(String.UnicodeScalarView(scalars[start..<end]))
        guard !text.isEmpty, isFlow || isKey || end == position else {
            throw SmallYAML.Fault(description: "blanks around a plain text")
        }
        if ["<<", "=", "---", "..."].contains(text) { throw SmallYAML.Fault(description: "a sign of YAML's own") }
        return Self.isOther(text) ? .other(text) : .text(text)
    }

    private func isSafeStart(_ first: Unicode.Scalar, _ isFlow: Bool) -> Bool {
        guard "-?:".unicodeScalars.contains(first), position + 1 < scalars.count else { return false }
        return scalars[position + 1] != " "
    }

    private func printable(_ sign: Unicode.Scalar) throws -> Unicode.Scalar {
        let value = sign.value
        let isFine =
            (0x20...0x7E).contains(value) || (0xA0...0x2027).contains(value) || (0x202A...0xFEFE).contains(value)
            || (0xFF00...0xFFFD).contains(value) || value >= 0x1_0000
        guard isFine else { throw SmallYAML.Fault(description: "a sign that YAML does not print") }
        return sign
    }

    /// What YAML 1.1 or 1.2 reads as something else than a text; dates stay texts here.
    private static func isOther(_ text: String) -> Bool {
        let words: Set = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~"]
        if words.contains(text.lowercased()) { return true }
        let digits = text.utf8.filter { $0 != UInt8(ascii: "_") }
        return Double(String(decoding: digits, as: UTF8.self)) != nil
    }
}
