import CanonicalJSON

/// Lines of a report for people, in the order in which they are added: headings, labelled values, tables. Every text is made
/// safe for a terminal here.
struct ReportText {
    private(set) var lines: [String] = []
    private var labelled: [(label: String, value: String)] = []

    /// The report, each line ended.
    var text: String {
        var copy = self
        copy.endBlock()
        return copy.lines.map { $0 + "\n" }.joined()
    }

    /// A line at the left edge, with a blank line above it when something stands there.
    mutating func heading(_ text: String) {
        endBlock()
        if !lines.isEmpty { lines.append("") }
        lines.append(TerminalText.safe(text))
    }

    /// A line under a heading.
    mutating func line(_ text: String) {
        endBlock()
        lines.append("  " + TerminalText.safe(text))
    }

    /// A value with its label; the values of neighbours begin in one column. Nothing for no value.
    mutating func row(_ label: String, _ value: String?) {
        if let value { labelled.append((label, TerminalText.safe(value))) }
    }

    /// Rows of cells in columns. Cells of the columns named in `right` end in one column, as numbers do.
    mutating func table(_ rows: [[String]], right: Set<Int> = []) {
        endBlock()
        let safe = rows.map { $0.map(TerminalText.safe) }
        let count = safe.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in safe.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        for row in safe {
            let cells = row.enumerated().map { column, cell -> String in
                let gap = String(repeating: " ", count: widths[column] - cell.count)
                return right.contains(column) ? gap + cell : cell + gap
            }
            var line = "  " + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
    }

    private mutating func endBlock() {
        let width = labelled.map(\.label.count).max() ?? 0
        for (label, value) in labelled {
            lines.append("  \(label)" + String(repeating: " ", count: width - label.count + 2) + value)
        }
        labelled.removeAll()
    }
}

/// Documents that have a report of their own.
enum Reports {
    /// The report of a document; nil when there is none for it.
    static func text(of document: JSONValue) -> String? {
        switch document["schema"]?.string {
        case "healthmd.import_report": ImportReportText.of(document)
        case "healthmd.health_export_inspection": InspectionText.of(document)
        case "healthmd.phone_status": PhoneStatusText.of(document)
        case "healthmd.phone_push": PushText.of(document)
        case nil: JobText.of(document) ?? StatusText.of(document)
        default: nil
        }
    }
}
