/// Merges what we render into a Markdown file that its owner may have edited (export-formats.md 9 and 11).
///
/// Ours are the front matter keys and the sections that we write; everything else of the file stays as it is, down to
/// its line ends. Merging the same content twice changes nothing.
struct MarkdownMerge {
    /// Whose the parts are that have no name of ours.
    enum Target {
        /// A file of the day: title and preamble are ours.
        case dayFile
        /// A note of the person: the preamble is theirs; sections only when wanted.
        case dailyNote(injectsSections: Bool)
    }

    private let existing: MarkdownFile
    /// The line end of the file.
    private let lineEnd: String

    init(existing text: String) {
        existing = MarkdownFile(text)
        lineEnd = text.utf8.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
    }

    /// The file with the new content in it.
    func merging(_ text: String, _ target: Target) -> String {
        let new = MarkdownFile(text)
        var result = MarkdownFile(frontMatter: mergedFrontMatter(new), body: existing.body)
        switch target {
        case .dayFile: result.body = mergedBody(new, keepsPreamble: false)
        case .dailyNote(injectsSections: true): result.body = mergedBody(new, keepsPreamble: true)
        case .dailyNote(injectsSections: false): break
        }
        return result.text(lineEnd: lineEnd)
    }

    // MARK: Front matter

    /// Our keys at the first place where they stand; new ones before the end; later duplicates of ours go.
    private func mergedFrontMatter(_ new: MarkdownFile) -> [FrontMatterEntry]? {
        guard let ours = new.frontMatter else { return existing.frontMatter }
        guard let theirs = existing.frontMatter else { return ours.map(withLineEnd) }
        let byKey = Dictionary(ours.compactMap { entry in entry.key.map { ($0, entry) } }) { first, _ in first }
        var placed: Set<String> = []
        var result: [FrontMatterEntry] = []
        for entry in theirs {
            guard let key = entry.key, let replacement = byKey[key] else {
                result.append(entry)
                continue
            }
            if placed.insert(key).inserted { result.append(withLineEnd(replacement)) }
        }
        for entry in ours {
            if let key = entry.key, placed.insert(key).inserted { result.append(withLineEnd(entry)) }
        }
        return result
    }

    private func withLineEnd(_ entry: FrontMatterEntry) -> FrontMatterEntry {
        FrontMatterEntry(key: entry.key, lines: entry.lines.map(withLineEnd))
    }

    private func withLineEnd(_ line: String) -> String {
        let content =
            line.hasSuffix("\r\n") ? String(line.dropLast()) : line.hasSuffix("\n") ? String(line.dropLast()) : line
        return content + lineEnd
    }

    // MARK: Body

    private func mergedBody(_ new: MarkdownFile, keepsPreamble: Bool) -> [String] {
        let level = MarkdownSections.level(of: existing.body) ?? MarkdownSections.level(of: new.body) ?? 2
        let ownLevel = MarkdownSections.level(of: new.body) ?? 2
        let theirs = MarkdownSections(existing.body, level: level)
        let ours = MarkdownSections(
            MarkdownSections.shifted(new.body, by: level - ownLevel).map(withLineEnd), level: level)
        let byName = Dictionary(ours.sections.map { ($0.name, $0) }) { first, _ in first }
        var placed: Set<String> = []
        var result = keepsPreamble ? theirs.preamble : preamble(ours: ours.preamble, theirs: theirs.preamble)
        for section in theirs.sections {
            guard section.isMatchable, let replacement = byName[section.name],
                placed.insert(section.name).inserted
            else {
                result += section.lines
                continue
            }
            result += replacement.content + section.trailingBlanks
        }
        for section in ours.sections where placed.insert(section.name).inserted {
            if let last = result.last {
                if !last.hasSuffix("\n") { result[result.count - 1] = withLineEnd(last) }
                if !MarkdownSections.isBlank(last) { result.append(lineEnd) }
            }
            result += section.content
        }
        return result
    }

    /// Our preamble with the blank lines that followed theirs, or one where there were none.
    private func preamble(ours: [String], theirs: [String]) -> [String] {
        let blanks = theirs.reversed().prefix { MarkdownSections.isBlank($0) }
        var content = ours
        while let last = content.last, MarkdownSections.isBlank(last) { content.removeLast() }
        return content + (blanks.isEmpty ? [lineEnd] : Array(blanks))
    }
}

/// A front matter key with its lines, or lines without a key: comments, blank lines.
struct FrontMatterEntry: Equatable {
    let key: String?
    var lines: [String]
}

/// A Markdown file in two parts. Lines keep their line ends.
struct MarkdownFile {
    var frontMatter: [FrontMatterEntry]?
    var body: [String]

    init(frontMatter: [FrontMatterEntry]?, body: [String]) {
        self.frontMatter = frontMatter
        self.body = body
    }

    init(_ text: String) {
        let lines = Self.lines(text)
        guard let first = lines.first, Self.isFence(first),
            let end = lines.dropFirst().firstIndex(where: Self.isFence)
        else {
            self.init(frontMatter: nil, body: lines)
            return
        }
        self.init(frontMatter: Self.entries(lines[1..<end]), body: Array(lines[(end + 1)...]))
    }

    func text(lineEnd: String) -> String {
        let body = body.joined()
        guard let frontMatter else { return body }
        let head = "---" + lineEnd + frontMatter.flatMap(\.lines).joined() + "---" + lineEnd
        // A note that had no front matter gets a blank line under it.
        let needsBlank = !body.isEmpty && !MarkdownSections.isBlank(self.body[0])
        return head + (needsBlank ? lineEnd : "") + body
    }

    /// The lines with their ends. `\r\n` is one Character in Swift, so this goes by bytes.
    private static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        var start = text.utf8.startIndex
        while start < text.utf8.endIndex {
            let newline = text.utf8[start...].firstIndex(of: UInt8(ascii: "\n"))
            let end = newline.map { text.utf8.index(after: $0) } ?? text.utf8.endIndex
            lines.append(String(text[start..<end]))
            start = end
        }
        return lines
    }

    private static func isFence(_ line: String) -> Bool {
        line == "---\n" || line == "---\r\n" || line == "---"
    }

    private static func entries(_ lines: ArraySlice<String>) -> [FrontMatterEntry] {
        var entries: [FrontMatterEntry] = []
        for line in lines {
            if let key = key(of: line) {
                entries.append(FrontMatterEntry(key: key, lines: [line]))
            } else if isContinuation(line), let last = entries.last, last.key != nil {
                entries[entries.count - 1].lines.append(line)
            } else {
                entries.append(FrontMatterEntry(key: nil, lines: [line]))
            }
        }
        return entries
    }

    /// The key of a line `key: value` at the left edge.
    private static func key(of line: String) -> String? {
        guard let first = line.utf8.first, !" \t#-\r\n".utf8.contains(first) else { return nil }
        return YAMLText.keyName(ofLine: line)
    }

    /// A line that belongs to the key above it: indented, or a list item at the left edge.
    private static func isContinuation(_ line: String) -> Bool {
        guard let first = line.utf8.first else { return false }
        return first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") || first == UInt8(ascii: "-")
    }
}
