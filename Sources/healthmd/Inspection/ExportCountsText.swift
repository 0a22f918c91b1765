import CanonicalJSON

/// What the reports of an import and of an inspection have in common: types, sources, oddities, in a fixed order.
enum ExportCountsText {
    /// Types and sources that are listed; the document has all.
    static let listed = 20

    /// `2026-04-15T19:04:09Z` as `2026-04-15 19:04 UTC`.
    static func time(_ value: JSONValue?) -> String? {
        guard let text = value?.string, text.utf8.count >= 16 else { return value?.string }
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    static func day(_ value: JSONValue?) -> String? { value?.string.map { String($0.prefix(10)) } }

    static func number(_ value: JSONValue?) -> Int { value?.number?.int ?? 0 }

    /// How an export introduces itself: when it was made, where, in which version, how large.
    static func origin(_ export: JSONValue) -> String {
        let parts = [
            time(export["export_date"]), export["locale"]?.string,
            export["export_version"]?.number?.int.map { "version \($0)" },
            export["bytes"]?.number?.int.map { Quantity.bytes($0) + " unpacked" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// The types, those with the most records first; equal counts by name.
    static func types(_ types: JSONValue?, nested: String, to report: inout ReportText) {
        let all = (types?.object?.members ?? []).map { (name: $0.key, type: $0.value) }
            .sorted { (-total($0.type, nested), $0.name) < (-total($1.type, nested), $1.name) }
        guard !all.isEmpty else { return }
        report.heading(Quantity.of(all.count, "record type"))
        report.table(
            all.prefix(listed).map { name, type in
                let units = (type["units"]?.array ?? []).compactMap(\.string).joined(separator: " and ")
                let span = [day(type["first"]), day(type["last"])].compactMap { $0 }
                return [
                    Quantity.number(total(type, nested)), shortName(name), units,
                    span.first == span.last ? span.first ?? "" : span.joined(separator: " to "),
                ]
            }, right: [0])
        if all.count > listed {
            report.line("and \(Quantity.of(all.count - listed, "further type")) (--json lists all)")
        }
    }

    private static func total(_ type: JSONValue, _ nested: String) -> Int {
        number(type["count"]) + number(type[nested])
    }

    /// Without what the names of most types begin with.
    private static func shortName(_ type: String) -> String {
        for prefix in ["HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"] where type.hasPrefix(prefix) {
            return String(type.dropFirst(prefix.count))
        }
        return type
    }

    /// Names with their counts, the highest first.
    static func counts(_ counts: JSONValue?, _ heading: (Int) -> String, to report: inout ReportText) {
        let all = (counts?.object?.members ?? []).map { (name: $0.key, count: number($0.value)) }
            .sorted { (-$0.count, $0.name) < (-$1.count, $1.name) }
        guard !all.isEmpty else { return }
        report.heading(heading(all.count))
        report.table(all.prefix(listed).map { [Quantity.number($0.count), $0.name] }, right: [0])
        if all.count > listed { report.line("and \(Quantity.number(all.count - listed)) more (--json lists all)") }
    }

    /// What is odd: first what was read all the same, then what was left out, so that this is read last.
    static func problems(_ problems: JSONValue?, to report: inout ReportText) {
        let all = problems?.array ?? []
        for (heading, leavesOut) in [("odd, and read all the same", false), ("left out", true)] {
            let found = all.filter { ($0["leaves_out"]?.bool ?? false) == leavesOut }
                .sorted {
                    (-number($0["count"]), $0["code"]?.string ?? "") < (-number($1["count"]), $1["code"]?.string ?? "")
                }
            guard !found.isEmpty else { continue }
            report.heading("\(heading): \(Quantity.number(found.reduce(0) { $0 + number($1["count"]) }))")
            report.table(
                found.map { problem in
                    let code = problem["code"]?.string ?? ""
                    let place = (problem["places"]?.array?.first).flatMap(place).map { "first at " + $0 } ?? ""
                    return [
                        Quantity.number(number(problem["count"])), code,
                        ErrorTable.importProblems[code]?.meaning ?? "", place,
                    ]
                }, right: [0])
        }
    }

    /// `export.xml, line 12, byte 345`.
    static func place(_ place: JSONValue) -> String? {
        if let text = place.string { return text }
        let parts = [
            place["entry"]?.string, place["line"]?.number?.int.map { "line \(Quantity.number($0))" },
            place["offset"]?.number?.int.map { "byte \(Quantity.number($0))" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// Names that the reader does not know.
    static func unknown(_ document: JSONValue, to report: inout ReportText) {
        counts(document["unknown_elements"], { Quantity.of($0, "kind") + " of unknown elements" }, to: &report)
        counts(document["unknown_attributes"], { Quantity.of($0, "kind") + " of unknown attributes" }, to: &report)
    }
}
