import CanonicalJSON

/// `phone import` for people.
enum ImportReportText {
    static func of(_ document: JSONValue) -> String {
        typealias Counts = ExportCountsText
        var report = ReportText()
        let isComplete = document["status"] == "complete"
        report.heading("import \(Counts.number(document["generation"])): \(isComplete ? "complete" : "incomplete")")
        for export in document["exports"]?.array ?? [] {
            report.row("export", export["path"]?.string)
            report.row("made", Counts.origin(export))
            report.row("breaks off at", export["broken_off_at"]?.string)
        }
        let span = [document["first_day"]?.string, document["last_day"]?.string].compactMap { $0 }
        report.row(
            "days",
            Quantity.number(Counts.number(document["days"])) + " with data"
                + (span.isEmpty ? "" : ", " + span.joined(separator: " to ")))
        report.row("records kept", number("records_stored", document))
        let nested = (document["types"]?.object?.members ?? []).reduce(0) {
            $0 + Counts.number($1.value["nested_count"])
        }
        report.row(
            "records read",
            (number("records_read", document) ?? "0")
                + (nested > 0 ? ", and \(Quantity.number(nested)) in correlations and workouts" : ""))
        let copies = Counts.number(document["duplicates"])
        let twins = Counts.number(document["nested_twins"])
        if copies + twins > 0 {
            report.row(
                "merged", "\(Quantity.number(copies)) copies, \(Quantity.number(twins)) that stand in correlations too")
        }
        report.row("workouts", document["elements"]?["Workout"]?.number?.int.map { Quantity.number($0) })
        report.row(
            "routes",
            "\(number("routes", document) ?? "0"), \(Quantity.of(Counts.number(document["route_points"]), "point"))")
        report.row("electrocardiograms", number("electrocardiograms", document))
        report.row("clinical resources", number("clinical_resources", document))
        Counts.types(document["types"], nested: "nested_count", to: &report)
        Counts.counts(document["sources"], { Quantity.of($0, "source") }, to: &report)
        Counts.unknown(document, to: &report)
        Counts.problems(document["problems"], to: &report)
        report.heading(
            isComplete
                ? "next: healthmd phone show \(span.last ?? "DAY"), or healthmd phone pair HOST to serve a receiver"
                : "next: copy the export again, or make a new one in the Health app, and import that")
        return report.text
    }

    private static func number(_ name: String, _ document: JSONValue) -> String? {
        document[name]?.number?.int.map { Quantity.number($0) }
    }
}
