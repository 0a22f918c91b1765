/// Row orders, body lines and constant sentences of the files, parsed once from ``FormatTable``.
struct FileFormat: Sendable {
    /// The formats of this build.
    static let current = FileFormat(table: FormatTable.text)

    /// Rows of one CSV section: output keys, `@path` for samples, or `by label`.
    struct CSVSection: Sendable {
        let name: String
        let rows: [String]
    }

    /// One level-2 section of the Markdown body.
    struct Section: Sendable {
        enum Content: Sendable {
            /// Lines of their own.
            case lines([BodyLine])
            /// The CSV rows of a section.
            case rows(of: String)
            /// Code of its own.
            case layout
        }

        let title: String
        var content: Content
    }

    private(set) var csvSections: [CSVSection] = []
    private(set) var sections: [Section] = []
    private(set) var notesByRule: [String: String] = [:]
    private(set) var notesByKey: [String: String] = [:]
    private(set) var rollup: [String: String] = [:]
    private(set) var rollupNotes: [String] = []

    private init(table: String) {
        for line in table.split(separator: "\n") {
            let fields = TableFields(line)
            switch fields[0] {
            case "csv": csvSections.append(CSVSection(name: fields[1], rows: Array(fields.rest(from: 2))))
            case "section": sections.append(Self.section(fields))
            case "note-rule": notesByRule[fields[1]] = fields[2]
            case "note-key": notesByKey[fields[1]] = fields[2]
            case "rollup": rollup[fields[1]] = fields[2]
            case "rollup-note": rollupNotes.append(fields[1])
            default: appendLine(BodyLine(fields))
            }
        }
    }

    private static func section(_ fields: TableFields) -> Section {
        let content: Section.Content
        switch fields[2] {
        case "lines": content = .lines([])
        case "plain": content = .rows(of: fields[3])
        default: content = .layout
        }
        return Section(title: fields[1], content: content)
    }

    private mutating func appendLine(_ line: BodyLine) {
        guard let last = sections.indices.last, case .lines(let lines) = sections[last].content else {
            preconditionFailure("a body line outside a section of lines")
        }
        sections[last].content = .lines(lines + [line])
    }

    /// The note of a dictionary entry or roll-up metric.
    func note(for output: OutputKey) -> String {
        let rule: String
        switch output.dailyRule {
        case "sum", "duration_sum", "count": rule = "sum, duration_sum, count"
        case "first_time", "last_time": rule = "first_time, last_time"
        case "latest" where output.rollupStatistics.contains("value_counts"):
            rule = "latest, VO2 provenance (the four text keys)"
        case "latest": rule = "latest with primary \(output.rollupPrimary)"
        default: rule = output.dailyRule
        }
        return notesByRule[rule] ?? ""
    }
}

/// How a value is shown in the body.
enum ValuePattern: Sendable, Equatable {
    case fixed(Int)
    case grouped
    case duration
    case clock
    case truncated
    case moodPercent
    case list
    case text

    init(_ name: String) {
        switch name {
        case "0": self = .fixed(0)
        case "0.0": self = .fixed(1)
        case "0.00": self = .fixed(2)
        case "#,##0": self = .grouped
        case "duration": self = .duration
        case "HH:mm": self = .clock
        case "truncate": self = .truncated
        case "mood_percent": self = .moodPercent
        case "list": self = .list
        case "text": self = .text
        default: preconditionFailure("unknown pattern \(name)")
        }
    }
}

/// One line or block of a body section.
enum BodyLine: Sendable {
    /// `- **Label:** value unit`, or a nested item.
    case value(ValueLine)
    /// One blank line before the next line that is present.
    case blank
    /// A collapsed table.
    case samples(SampleTable)
    /// A heading and one line an element, when there are only few.
    case entries(EntryList)

    init(_ fields: TableFields) {
        switch fields[0] {
        case "blank": self = .blank
        case "line", "sub": self = .value(ValueLine(fields))
        case "samples": self = .samples(SampleTable(fields))
        case "entries":
            self = .entries(EntryList(title: fields[1], path: fields[2], atMost: fields.number(3), line: fields[4]))
        default: preconditionFailure("unknown body line \(fields[0])")
        }
    }
}

/// A labelled value.
struct ValueLine: Sendable {
    let isNested: Bool
    let label: String
    /// Several paths are joined with `/`.
    let paths: [String]
    let pattern: ValuePattern
    let suffix: String
    let factor: Double
    let minimum: [String]
    let maximum: [String]
    let rangeSuffix: String
    /// Text that is added when the boolean at a path is true.
    let condition: (path: String, text: String)?
    let hasBand: Bool
    /// Text with `{x}` for another value.
    let extra: (path: String, pattern: ValuePattern, text: String)?

    init(_ fields: TableFields) {
        isNested = fields[0] == "sub"
        label = fields[1]
        paths = fields.list(2)
        pattern = ValuePattern(fields[3])
        suffix = fields[4]
        factor = Double(fields[5]) ?? 1
        minimum = fields.list(6)
        maximum = fields.list(7)
        rangeSuffix = fields[8]
        condition = fields.text(9).map { ($0, fields[10]) }
        hasBand = fields[11] == "1"
        extra = fields.text(12).map { ($0, ValuePattern(fields[13]), fields[14]) }
    }
}

/// A table of samples.
struct SampleTable: Sendable {
    struct Column: Sendable {
        let header: String
        let path: String
        let pattern: ValuePattern
        let suffix: String
        let factor: Double
    }

    let path: String
    let summary: String
    let columns: [Column]

    init(_ fields: TableFields) {
        path = fields[1]
        summary = fields[2]
        columns = fields.rest(from: 3).map { text in
            let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            precondition(parts.count == 5, "a column has five parts")
            return Column(
                header: parts[0], path: parts[1], pattern: ValuePattern(parts[2]), suffix: parts[3],
                factor: Double(parts[4]) ?? 1)
        }
    }
}

/// Entries under a heading of their own.
struct EntryList: Sendable {
    let title: String
    let path: String
    let atMost: Int
    let line: String
}
