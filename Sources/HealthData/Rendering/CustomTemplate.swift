import CanonicalJSON

/// The person's own body template (export-formats.md 5.5): `{{date}}`, `{{summary}}`, `{{metrics}}`,
/// `{{<section>_metrics}}`, `{{workout_list}}` and blocks `{{#section}}…{{/section}}` that vanish without data.
/// What is not known stays as it is written.
struct CustomTemplate {
    let view: DayView

    /// The body; ends with one line feed.
    func text() -> String {
        var text = view.look.customTemplate
        for section in FileFormat.current.sections {
            let content = content(of: section)
            text = replaceBlocks(named: Self.name(section.title), hasContent: content != nil, in: text)
            text = text.replacing("{{\(Self.name(section.title))_metrics}}", with: content ?? "")
            if section.title == "Workouts" { text = text.replacing("{{workout_list}}", with: content ?? "") }
        }
        if text.contains("{{metrics}}") { text = text.replacing("{{metrics}}", with: allSections()) }
        text = text.replacing("{{summary}}", with: SummaryLine(view).text ?? "")
        text = text.replacing("{{date}}", with: view.look.dateFormat.text(view.document.date))
        while text.hasSuffix("\n") { text.removeLast() }
        return text + "\n"
    }

    /// `Reproductive Health` as `reproductive_health`.
    private static func name(_ title: String) -> String {
        title.lowercased().split(separator: " ").joined(separator: "_")
    }

    private var renderer: MarkdownRenderer { MarkdownRenderer(view: view, settings: ExportSettings()) }

    /// The lines of a section without its heading; nil when the day has none.
    private func content(of section: FileFormat.Section) -> String? {
        var page = MarkdownPage(look: view.look)
        renderer.appendContent(section, to: &page)
        guard page.hasContent else { return nil }
        return String(page.text.drop { $0 == "\n" }.dropLast())
    }

    private func allSections() -> String {
        var page = MarkdownPage(look: view.look)
        for section in FileFormat.current.sections { renderer.append(section, to: &page) }
        return String(page.text.dropLast())
    }

    private func replaceBlocks(named name: String, hasContent: Bool, in text: String) -> String {
        var text = text
        let open = "{{#\(name)}}"
        let close = "{{/\(name)}}"
        while let start = text.firstRange(of: open),
            let end = text[start.upperBound...].firstRange(of: close)
        {
            let inner = text[start.upperBound..<end.lowerBound].drop { $0 == "\n" }
            var rest = text[end.upperBound...]
            if !hasContent { rest = rest.drop { $0 == "\n" } }
            let kept = hasContent ? String(inner.trimmingSuffix(while: { $0 == "\n" })) : ""
            text = text[..<start.lowerBound] + kept + rest
        }
        return text
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
