import CanonicalJSON

/// Sections whose lines are data (export-formats.md 5.3.1).
struct BodySection {
    let view: DayView
    private var document: DayDocument { view.document }

    func append(_ lines: [BodyLine], to page: inout MarkdownPage) {
        for line in lines {
            switch line {
            case .blank: page.requestBlank()
            case .value(let line): append(line, to: &page)
            case .samples(let table): append(table, to: &page)
            case .entries(let list): append(list, to: &page)
            }
        }
    }

    private func append(_ line: ValueLine, to page: inout MarkdownPage) {
        guard let text = text(of: line) else { return }
        if line.isNested {
            page.nestedItem("\(line.label): \(text)")
        } else {
            page.item("**\(line.label):** \(text)")
        }
    }

    private func append(_ table: SampleTable, to page: inout MarkdownPage) {
        let elements = document.elements(table.path)
        guard !elements.isEmpty else { return }
        page.details(
            table.summary.replacing("{n}", with: "\(elements.count)"), header: table.columns.map(\.header),
            rows: elements.map { element in table.columns.map { cell(element, $0) } })
    }

    private func cell(_ element: JSONValue, _ column: SampleTable.Column) -> String {
        guard let value = element[column.path], let text = view.text(value, column.pattern, factor: column.factor)
        else {
            return ""
        }
        return text + column.suffix
    }

    private func append(_ list: EntryList, to page: inout MarkdownPage) {
        let elements = document.elements(list.path)
        guard (1...list.atMost).contains(elements.count) else { return }
        page.subheading(1, list.title)
        for element in elements {
            let labels = (element["labels"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
            let time = element["displayTime"].flatMap { view.plain($0) } ?? ""
            let percent = element["valencePercent"].flatMap { view.plain($0) } ?? ""
            let kind = element["kind"]?.string ?? "Unknown"
            page.item("**\(time)** (\(kind)): \(percent)%" + (labels.isEmpty ? "" : " — \(labels)"))
        }
    }

    // MARK: Values

    private func text(of line: ValueLine) -> String? {
        let units = UnitView(line, preference: view.look.units)
        guard let text = joined(line.paths, line.pattern, units) else { return nil }
        var result = text + units.suffix
        if !line.minimum.isEmpty, let low = joined(line.minimum, line.pattern, units),
            let high = joined(line.maximum, line.pattern, units)
        {
            result += " (range: \(low)\(units.rangeSuffix)–\(high)\(units.rangeSuffix))"
        }
        if line.hasBand, let value = line.paths.first.flatMap({ document.number($0) }) {
            result += " (\(DayText.moodBand(value)))"
        }
        if let condition = line.condition, document.value(condition.path)?.bool == true { result += condition.text }
        if let extra = line.extra, let value = document.value(extra.path), let text = view.text(value, extra.pattern) {
            result += extra.text.replacing("{x}", with: text)
        }
        return result
    }

    /// The texts of all paths joined with `/`; nil unless all are there.
    private func joined(_ paths: [String], _ pattern: ValuePattern, _ units: UnitView) -> String? {
        let texts = paths.compactMap { path in
            document.value(path).flatMap { value -> String? in
                guard let number = value.number else { return view.text(value, pattern) }
                return view.text(.double(units.convert(number.double)), pattern)
            }
        }
        return texts.count == paths.count ? texts.joined(separator: "/") : nil
    }
}

/// A line's unit in the system that is wanted (export-formats.md 5.5).
struct UnitView {
    let suffix: String
    let rangeSuffix: String
    private let factor: Double
    private let isFahrenheit: Bool

    init(_ line: ValueLine, preference: UnitPreference) {
        let isWater = line.paths == ["nutrition.water"]
        let imperial: (unit: String, factor: Double)?
        switch (preference, line.suffix) {
        case (.imperial, " km"): imperial = (" mi", 1_000 / metresPerMile)
        case (.imperial, " km/h"): imperial = (" mph", 1_000 / metresPerMile)
        case (.imperial, " m"): imperial = (" ft", 3.28084)
        case (.imperial, " cm"): imperial = (" in", 0.393701)
        case (.imperial, " kg"): imperial = (" lb", 2.20462)
        case (.imperial, " L") where isWater: imperial = (" fl oz", 33.814)
        case (.imperial, "°C"): imperial = ("°F", 1)
        default: imperial = nil
        }
        suffix = imperial?.unit ?? line.suffix
        isFahrenheit = suffix == "°F"
        rangeSuffix = line.rangeSuffix == line.suffix ? suffix : line.rangeSuffix
        factor = line.factor * (imperial?.factor ?? 1)
    }

    func convert(_ value: Double) -> Double {
        isFahrenheit ? value * factor * 1.8 + 32 : value * factor
    }
}
