/// Lines of a Markdown body with the blank lines between them (export-formats.md 5.3.1).
struct MarkdownPage {
    private let look: FormatCustomization
    private var lines: [String] = []
    /// Whether a blank line is due before the next line.
    private var needsBlank = false
    private var headingCount = 0

    init(look: FormatCustomization) { self.look = look }

    /// Whether anything but section headings was written.
    var hasContent: Bool { lines.count > headingCount }

    /// The text; ends with one line feed.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// A level-2 heading, or at the level that is wanted, with its emoji where wanted. Two blank lines stand before the
    /// lossless records.
    mutating func beginSection(_ title: String) {
        let emoji = look.usesEmoji ? SectionEmoji.bySection[title].map { $0 + " " } ?? "" : ""
        if title == "Lossless Health Records" {
            lines.append("")
            headingCount += 1
        }
        heading(look.sectionHeaderLevel, emoji + title)
    }

    /// A heading below a section: 1 for the next level.
    mutating func subheading(_ depth: Int, _ title: String) {
        if needsBlank || !lines.isEmpty { lines.append("") }
        lines.append(String(repeating: "#", count: look.sectionHeaderLevel + depth) + " " + title)
        needsBlank = true
    }

    /// A heading; blank lines around it.
    mutating func heading(_ level: Int, _ title: String) {
        if lines.count > headingCount { lines.append("") }
        lines.append(String(repeating: "#", count: level) + " " + title)
        headingCount += 1
        needsBlank = true
    }

    /// A paragraph; a blank line before it.
    mutating func paragraph(_ text: String) {
        lines.append("")
        lines.append(text)
        needsBlank = true
    }

    /// A list item.
    mutating func item(_ text: String) { line("\(look.bulletStyle) \(text)") }

    /// An item below an item.
    mutating func nestedItem(_ text: String) { line("  \(look.bulletStyle) \(text)") }

    /// A line, after the blank line that may be due.
    mutating func line(_ text: String) {
        if needsBlank { lines.append("") }
        needsBlank = false
        lines.append(text)
    }

    /// One blank line before the next line, if lines precede.
    mutating func requestBlank() { needsBlank = needsBlank || hasContent }

    /// One blank line, now.
    mutating func blank() {
        lines.append("")
        needsBlank = false
    }

    /// A collapsed table.
    mutating func details(_ summary: String, header: [String], dashes: [String]? = nil, rows: [[String]]) {
        if look.style == .compact { return }
        let isOpen = look.style == .detailed
        lines.append("")
        lines.append(isOpen ? "<details open>" : "<details>")
        lines.append("<summary>\(summary)</summary>")
        lines.append("")
        let usual = header.map { String(repeating: "-", count: $0.count + 2) }
        table(header, dashes: dashes ?? usual, rows: rows)
        lines.append("")
        lines.append("</details>")
        needsBlank = false
    }

    /// A table whose header line is `|---|`, or as given.
    mutating func table(_ header: [String], dashes: [String]? = nil, rows: [[String]]) {
        line(Self.row(header))
        lines.append("|" + (dashes ?? header.map { _ in "---" }).joined(separator: "|") + "|")
        for row in rows { lines.append(Self.row(row.map(Self.cell))) }
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    /// A cell: `|` escaped, a line break as a blank.
    private static func cell(_ text: String) -> String {
        guard text.contains(where: { $0 == "|" || $0.isNewline }) else { return text }
        return text.reduce(into: "") { output, character in
            if character == "|" { output += "\\|" } else { output.append(character.isNewline ? " " : character) }
        }
    }

    /// Appends a section built elsewhere, a blank line before it.
    mutating func append(_ section: MarkdownPage) {
        if !lines.isEmpty { lines.append("") }
        lines += section.lines
        needsBlank = true
    }
}

/// Emoji before section titles, where wanted.
enum SectionEmoji {
    static let bySection: [String: String] = [
        "Sleep": "😴", "Activity": "🏃", "Heart": "❤️", "Vitals": "🩺", "Body": "📏", "Nutrition": "🍎",
        "Mindfulness": "🧘", "Mobility": "🚶", "Hearing": "👂", "Workouts": "💪", "Medications": "💊",
        "Reproductive Health": "🌸", "Cycling Performance": "🚴", "Vitamins": "🍊", "Minerals": "🧂",
        "Symptoms": "🤒", "Other": "📋", "Lossless Health Records": "🗄️",
    ]
}
