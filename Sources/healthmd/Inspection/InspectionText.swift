import CanonicalJSON

/// `health-export inspect` for people.
enum InspectionText {
    static func of(_ document: JSONValue) -> String {
        typealias Counts = ExportCountsText
        var report = ReportText()
        let isComplete = document["complete"]?.bool ?? false
        report.heading(
            "\(document["path"]?.string ?? ""): \(isComplete ? "a complete export" : "an incomplete export")")
        report.row("main file", document["main"]?.string)
        report.row("made", Counts.origin(document))
        let span = [Counts.day(document["first"]), Counts.day(document["last"])].compactMap { $0 }
        report.row("dates", span.isEmpty ? nil : span.joined(separator: " to "))
        let nested = Counts.number(document["nested_records"])
        report.row(
            "records",
            Quantity.number(Counts.number(document["records"]))
                + (nested > 0 ? ", and \(Quantity.number(nested)) in correlations and workouts" : ""))
        report.row("workouts", element("Workout", document))
        report.row("clinical records", element("ClinicalRecord", document))
        report.row(
            "other files",
            [
                ("routes", "route"), ("electrocardiograms", "electrocardiogram"), ("clinical", "clinical resource"),
                ("other", "other file"),
            ].map { Quantity.of(Counts.number(document["files"]?[$0.0]), $0.1) }.joined(separator: ", "))
        Counts.types(document["types"], nested: "nested", to: &report)
        Counts.counts(document["sources"], { Quantity.of($0, "source") }, to: &report)
        Counts.unknown(document, to: &report)
        Counts.problems(document["oddities"], to: &report)
        if let place = document["broken_off_at"].flatMap(Counts.place) {
            report.heading("the main file breaks off at \(place)")
        }
        report.heading(
            isComplete
                ? "next: healthmd phone import \(ShellText.quoted(document["path"]?.string ?? "PATH"))"
                : "next: copy the export again, or make a new one in the Health app; --rescue takes what is there")
        return report.text
    }

    private static func element(_ name: String, _ document: JSONValue) -> String? {
        document["elements"]?[name]?.number?.int.map { Quantity.number($0) }
    }
}
