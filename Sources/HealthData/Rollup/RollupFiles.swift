import CanonicalJSON

/// The CSV file of a roll-up (export-formats.md 7.3).
struct RollupCSV {
    let rollup: Rollup

    private static let columns = [
        "Period", "Period ID", "Start Date", "End Date", "Days Expected", "Days Counted", "Coverage Percent",
        "Category",
        "Metric", "Key", "Canonical Key", "Primary Value", "Unit", "Metric Days Counted", "Rule", "Statistic",
        "Statistic Value", "Notes",
    ]
    /// Before them since schema 9.
    private static let leadingColumns = [
        "Schema", "Schema Version", "Source Schema", "Source Schema Version", "Rollup Rules Version",
        "Calendar Timezone",
    ]

    func write(to writer: inout TextWriter) throws {
        try line((rollup.namesZone ? Self.leadingColumns : []) + Self.columns, to: &writer)
        let version = "\(rollup.version.rawValue)"
        var head = [
            rollup.period.kind.rawValue, rollup.period.id, rollup.period.start.description,
            rollup.period.end.description, "\(rollup.period.dayCount)", "\(rollup.sourceDates.count)",
            RollupAccumulator.text(rollup.coverage),
        ]
        if rollup.namesZone {
            head = [Rollup.schema, version, DocumentVersion.schema, version, version, rollup.zoneIdentifier] + head
        }
        for metric in rollup.metrics {
            let common =
                head + [
                    metric.category, metric.displayName, metric.key, metric.canonicalKey, metric.primary, metric.unit,
                    "\(metric.dayCount)", metric.rule,
                ]
            for (name, value) in [(name: "primary", value: metric.primary)] + metric.statistics {
                try line(common + [name, value, metric.notes], to: &writer)
            }
        }
    }

    private func line(_ fields: [String], to writer: inout TextWriter) throws {
        try writer.line(fields.map(CSVRenderer.field).joined(separator: ","))
    }
}

/// Markdown and Bases of a roll-up (export-formats.md 7.3).
struct RollupMarkdown {
    let rollup: Rollup

    private var title: String { "\(rollup.period.title) Health Summary — \(rollup.period.id)" }

    private func sentence(_ key: String) -> String {
        (FileFormat.current.rollup[key] ?? "")
            .replacing("{days_counted}", with: "\(rollup.sourceDates.count)")
            .replacing("{rollup_period}", with: rollup.period.kind.rawValue)
            .replacing("{rollup_rules_version}", with: "\(rollup.version.rawValue)")
    }

    // MARK: Markdown

    func write(to writer: inout TextWriter) throws {
        try writeFrontMatter(isBases: false, to: &writer)
        var page = MarkdownPage(look: FormatCustomization())
        page.heading(1, title)
        page.paragraph(sentence("markdown_intro"))
        page.heading(2, "Coverage")
        let counted = rollup.sourceDates.count
        let coverage = RollupAccumulator.text(rollup.coverage)
        page.item("**Period:** \(rollup.period.start) → \(rollup.period.end)")
        page.item("**Days counted:** \(counted) / \(rollup.period.dayCount) (\(coverage)%)")
        page.item("**Missing days:** \(rollup.period.dayCount - counted)")
        page.item("**Rule source:** \(sentence("markdown_rule_source"))")
        page.item("**Source dates:** \(rollup.sourceDates.map(\.description).joined(separator: ", "))")
        for category in rollup.categories {
            page.heading(2, category.name)
            page.table(
                ["Metric", "Key", "Value", "Unit", "Days", "Rule"],
                dashes: ["---", "---:", "---:", "---", "---:", "---"],
                rows: category.metrics.map { metric in
                    [
                        metric.displayName, "`\(metric.key)`", metric.primary, metric.unit,
                        "\(metric.dayCount)/\(rollup.period.dayCount)", metric.rule,
                    ]
                })
            page.details(
                "\(category.name) statistics", header: ["Key", "Statistic", "Value"],
                dashes: ["---", "---:", "---:"],
                rows: category.metrics.flatMap { metric in
                    metric.statistics.map { ["`\(metric.key)`", $0.name, $0.value] }
                })
        }
        page.heading(2, FileFormat.current.rollup["markdown_notes_title"] ?? "")
        for note in FileFormat.current.rollupNotes { page.item(note) }
        try writer.line()
        try writer.write(page.text)
    }

    // MARK: Bases

    func writeBases(to writer: inout TextWriter) throws {
        try writeFrontMatter(isBases: true, to: &writer)
        try writer.line()
        try writer.line("# \(title)")
        try writer.line()
        try writer.line(sentence("bases_body"))
    }

    private func writeFrontMatter(isBases: Bool, to writer: inout TextWriter) throws {
        try writer.line("---")
        for (name, value) in rollup.head() {
            let isQuoted = isBases && name == "period_id"
            try writer.line("\(name): \(isQuoted ? YAMLText.quoted(rollup.period.id) : scalar(value))")
            if isQuoted { try writer.line("title: \(YAMLText.quoted(title))") }
        }
        try writer.line("source_dates:")
        for date in rollup.sourceDates { try writer.line("  - \(date)") }
        try writer.line("units:")
        for (key, unit) in rollup.units {
            try writer.line("  \(key): \(isBases ? YAMLText.quoted(unit) : YAMLText.value(unit))")
        }
        if isBases { try writeMetrics(to: &writer) }
        try writer.line("---")
    }

    private func scalar(_ value: JSONValue) -> String {
        if let number = value.number { return RollupAccumulator.text(number.double) }
        return YAMLText.value(value.string ?? "")
    }

    private func writeMetrics(to writer: inout TextWriter) throws {
        try writer.line("rollup_metrics:")
        for metric in rollup.metrics.sorted(by: { JSONKeyOrder.bytes($0.key, $1.key) }) {
            try writer.line("  \(metric.key):")
            for (name, text) in [
                ("value", YAMLText.quoted(metric.primary)), ("unit", YAMLText.quoted(metric.unit)),
                ("category", YAMLText.quoted(metric.category)),
                ("display_name", YAMLText.quoted(metric.displayName)), ("canonical_key", metric.canonicalKey),
                ("rule", metric.rule), ("days_counted", "\(metric.dayCount)"),
            ] {
                try writer.line("    \(name): \(text)")
            }
            try writer.line("    statistics:")
            for (name, value) in metric.statistics {
                try writer.line("      \(name): \(YAMLText.quoted(value))")
            }
            try writer.line("    notes: \(YAMLText.quoted(metric.notes))")
        }
    }
}
