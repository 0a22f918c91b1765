import CanonicalJSON

/// Documents as text for people: `--human`, and on a terminal unless `--json` is given (cli.md 1).
///
/// Some documents have a report of their own (``Reports``). Lists that are tables have one line an entry, by the columns of their schema; everything else has one line a member.
enum HumanText {
    /// The text of a document, made safe for a terminal.
    static func of(_ document: JSONValue) -> String {
        if let report = Reports.text(of: document) { return report }
        if let schema = document["schema"]?.string, let table = tables[schema],
            let rows = document[table.list]?.array
        {
            return text(of: table, rows, rest: document)
        }
        return lines(document, indent: "").map { $0 + "\n" }.joined()
    }

    // MARK: Tables

    /// A list of a document as a table.
    private struct Table {
        let list: String
        /// Heading and member; several members are joined by a blank.
        let columns: [(title: String, members: [String])]
        /// What is said of an empty list.
        let empty: String
        /// Members that are not said beside the table.
        var silent: Set<String> = []
    }

    private static let tables: [String: Table] = [
        "healthmd.job_list": Table(
            list: "jobs",
            columns: [
                ("JOB", ["job_id"]), ("STATE", ["state"]), ("DAYS", ["success_count", "total_count"]),
                ("FROM", ["date_range.start"]), ("TO", ["date_range.end"]), ("UPDATED", ["updated_at"]),
                ("MESSAGE", ["message"]),
            ], empty: "no jobs in the last seven days"),
        "healthmd.direct_devices": Table(
            list: "devices",
            columns: [
                ("PHONE", ["installation_id"]), ("NAME", ["name"]), ("CODE", ["pairing_strength"]),
                ("PAIRED", ["paired_at"]), ("LAST THERE", ["last_connected_at"]),
            ], empty: "no phone is paired; pair one with: healthmd pair"),
        "healthmd.metric_catalog": Table(
            list: "metrics",
            columns: [("METRIC", ["id"]), ("UNIT", ["unit"]), ("CATEGORY", ["category"]), ("NAME", ["name"])],
            empty: "no metrics", silent: ["categories"]),
    ]

    private static func text(of table: Table, _ rows: [JSONValue], rest document: JSONValue) -> String {
        guard !rows.isEmpty else { return table.empty + "\n" }
        let cells = rows.map { row in
            table.columns.map { column in
                column.members.compactMap { member(row, $0) }.joined(separator: " of ")
            }
        }
        var grid = [table.columns.map(\.title)] + cells
        let widths = table.columns.indices.map { column in grid.map { $0[column].count }.max() ?? 0 }
        // Columns that no row fills are left out.
        let used = table.columns.indices.filter { column in cells.contains { !$0[column].isEmpty } }
        grid = grid.map { row in used.map { row[$0].padded(to: widths[$0]) } }
        var lines = grid.map { $0.joined(separator: "  ").trimmedEnd }
        let others = (document.object?.members ?? []).filter { member in
            member.key != table.list && !hidden.contains(member.key) && !table.silent.contains(member.key)
        }
        for member in others { lines += self.lines(member.key, member.value, indent: "") }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func member(_ row: JSONValue, _ path: String) -> String? {
        var value: JSONValue? = row
        for key in path.split(separator: ".") { value = value?[String(key)] }
        return value.flatMap(scalar)
    }

    // MARK: Members

    /// Members that say nothing to a person.
    private static let hidden: Set<String> = ["schema", "schema_version", "request_sent", "legacy_error"]

    private static func lines(_ value: JSONValue, indent: String) -> [String] {
        if let text = scalar(value) { return [indent + text] }
        if let object = value.object {
            return object.members.filter { !hidden.contains($0.key) }.flatMap {
                lines($0.key, $0.value, indent: indent)
            }
        }
        return (value.array ?? []).flatMap { element -> [String] in
            var inner = lines(element, indent: indent + "  ")
            if let first = inner.first { inner[0] = indent + "- " + first.dropFirst(indent.count + 2) }
            return inner
        }
    }

    private static func lines(_ key: String, _ value: JSONValue, indent: String) -> [String] {
        let name = TerminalText.safe(key.replacing("_", with: " "))
        if let text = scalar(value) { return ["\(indent)\(name): \(text)"] }
        if let array = value.array, array.isEmpty { return ["\(indent)\(name): none"] }
        if let array = value.array, case let texts = array.compactMap(scalar), texts.count == array.count {
            return ["\(indent)\(name): \(texts.joined(separator: ", "))"]
        }
        if value.object?.isEmpty == true { return ["\(indent)\(name): none"] }
        return ["\(indent)\(name):"] + lines(value, indent: indent + "  ")
    }

    private static func scalar(_ value: JSONValue) -> String? {
        if let text = value.string { return TerminalText.safe(text) }
        if let flag = value.bool { return flag ? "yes" : "no" }
        if value.isNull { return "none" }
        guard value.number != nil else { return nil }
        return String(decoding: JSONWriter.encode(value, style: .compact), as: UTF8.self)
    }
}

extension String {
    /// With blanks up to a width in characters.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Without blanks at the end.
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
