import CanonicalJSON

/// The Markdown file of a day: front matter and a readable body (export-formats.md 5.3).
struct MarkdownRenderer {
    let view: DayView
    let settings: ExportSettings

    init(_ document: DayDocument, settings: ExportSettings) throws(HealthDataError) {
        view = try DayView(document, look: settings.customization)
        self.settings = settings
    }

    init(view: DayView, settings: ExportSettings) {
        self.view = view
        self.settings = settings
    }

    func write(to writer: inout TextWriter) throws {
        if settings.includesMetadata {
            try writer.line("---")
            try FrontMatter(view).write(to: &writer)
            try writer.line("---")
            try writer.line()
        }
        try writer.write(body())
    }

    /// The body without front matter; it ends with one line feed.
    func body() -> String {
        if view.look.style == .custom { return CustomTemplate(view: view).text() }
        var page = MarkdownPage(look: view.look)
        page.heading(1, "Health Data — \(view.look.dateFormat.text(view.document.date))")
        if view.look.includesSummary, let line = SummaryLine(view).text { page.paragraph(line) }
        for section in FileFormat.current.sections { append(section, to: &page) }
        return page.text
    }

    /// Appends a section when it has anything to say.
    func append(_ section: FileFormat.Section, to page: inout MarkdownPage) {
        var content = MarkdownPage(look: view.look)
        content.beginSection(section.title)
        appendContent(section, to: &content)
        if content.hasContent { page.append(content) }
    }

    /// The content of a section under its heading.
    func appendContent(_ section: FileFormat.Section, to page: inout MarkdownPage) {
        switch section.content {
        case .lines(let lines):
            BodySection(view: view).append(lines, to: &page)
        case .rows(let name):
            for (row, text) in view.rows(of: name) { page.item("**\(row.metric):** \(text)") }
        case .layout:
            switch section.title {
            case "Workouts": WorkoutsSection(view: view).append(to: &page)
            case "Medications": MedicationsSection(view: view).append(to: &page)
            case "Lossless Health Records": ArchiveSection(view: view).append(to: &page)
            default: preconditionFailure("no layout for \(section.title)")
            }
        }
    }
}

/// The line of headline values (export-formats.md 5.3.1).
struct SummaryLine {
    /// The parts that exist, or nil when none does.
    let text: String?

    init(_ view: DayView) {
        let document = view.document
        var parts: [String] = []
        if let seconds = document.number("sleep.totalDuration") { parts.append("\(DayText.duration(seconds)) sleep") }
        if let steps = document.number("activity.steps") {
            parts.append(NumberText.grouped(steps, 0) + (steps == 1 ? " step" : " steps"))
        }
        let workouts = document.elements("workouts").count
        if workouts > 0 { parts.append(workouts == 1 ? "1 workout" : "\(workouts) workouts") }
        let doses = document.value("medications.doseEventCount")?.number?.int ?? 0
        if doses > 0 { parts.append(doses == 1 ? "1 medication dose" : "\(doses) medication doses") }
        if let mood = document.number("mindfulness.averageValencePercent") {
            parts.append("mood \(NumberText.truncated(mood))%")
        }
        text = parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
