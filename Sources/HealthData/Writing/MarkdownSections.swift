/// The body of a Markdown file cut at the headings of one level. Lines keep their line ends.
struct MarkdownSections {
    struct Section {
        /// The heading in the form in which headings are compared.
        let name: String
        /// False for headings above the level: they end a section but are never ours.
        let isMatchable: Bool
        var lines: [String]

        /// The lines without the blank ones at the end.
        var content: [String] { Array(lines.dropLast(trailingBlanks.count)) }
        /// The blank lines at the end.
        var trailingBlanks: [String] { lines.reversed().prefix { MarkdownSections.isBlank($0) } }
    }

    private(set) var preamble: [String] = []
    private(set) var sections: [Section] = []

    init(_ lines: [String], level: Int) {
        for (line, heading) in Self.headings(in: lines) {
            if let heading, heading.level == level || (heading.level < level && !sections.isEmpty) {
                sections.append(
                    Section(name: heading.name, isMatchable: heading.level == level, lines: [line]))
            } else if sections.isEmpty {
                preamble.append(line)
            } else {
                sections[sections.count - 1].lines.append(line)
            }
        }
    }

    /// The level of the first heading that has the name of a section of ours.
    static func level(of lines: [String]) -> Int? {
        headings(in: lines).lazy.compactMap(\.heading).first { known.contains($0.name) }?.level
    }

    private static let known = Set(FileFormat.current.sections.map { normalized($0.title) })

    /// The lines with all headings moved by some levels.
    static func shifted(_ lines: [String], by levels: Int) -> [String] {
        guard levels != 0 else { return lines }
        let titleLevel = 1
        return headings(in: lines).map { line, heading in
            guard let heading, heading.level > titleLevel else { return line }
            let level = max(1, heading.level + levels)
            return String(repeating: "#", count: level) + line.dropFirst(heading.level)
        }
    }

    static func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }

    /// Every line with its heading, if it is one. Lines of code blocks are none.
    private static func headings(in lines: [String]) -> [(line: String, heading: (level: Int, name: String)?)] {
        var fence: String?
        return lines.map { line in
            let marker = String(line.drop { $0 == " " }.prefix(3))
            if marker == "```" || marker == "~~~" {
                if fence == nil { fence = marker } else if fence == marker { fence = nil }
                return (line, nil)
            }
            let level = line.prefix { $0 == "#" }.count
            guard fence == nil, (1...6).contains(level), line.dropFirst(level).first.map(\.isWhitespace) == true else {
                return (line, nil)
            }
            return (line, (level, normalized(String(line.dropFirst(level)))))
        }
    }

    /// Lower case, emoji stripped, white space collapsed.
    static func normalized(_ heading: String) -> String {
        let scalars = heading.unicodeScalars.filter { scalar in
            let properties = scalar.properties
            return scalar.value < 0x80
                || !(properties.isEmojiPresentation || properties.isEmoji || properties.isVariationSelector
                    || properties.isEmojiModifier || scalar.value == 0x200D)
        }
        return String(String.UnicodeScalarView(scalars)).lowercased()
            .split { $0.isWhitespace }.joined(separator: " ")
    }
}
