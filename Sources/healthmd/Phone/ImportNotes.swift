import HealthExport

/// What a person must know of an import beside its numbers: what it took the place of, and stretches without any day. On
/// standard error, so that it is seen too when the report goes into a file; the report has the same as members.
enum ImportNotes {
    /// The lines of an import.
    static func lines(_ report: ImportReport) -> [String] {
        (report.replaced.map { replaced($0, report) } ?? []) + gaps(report.gaps ?? [])
    }

    // MARK: What was replaced

    private static func replaced(_ earlier: ReplacedImport, _ report: ImportReport) -> [String] {
        guard earlier.isUnreadable != true else {
            return [
                "replaced import \(earlier.generation), which could not be read any more; what it held is not known"
            ]
        }
        var lines = [
            "replaced import \(earlier.generation): \(span(earlier.firstDay, earlier.lastDay)), "
                + "\(Quantity.of(earlier.dayCount, "day")), \(Quantity.of(earlier.recordCount, "record")); now "
                + "\(span(report.firstDay, report.lastDay)), \(Quantity.of(report.dayCount, "day")), "
                + Quantity.of(report.storedRecordCount, "record")
        ]
        guard earlier.lostDayCount > 0 else { return lines }
        let shown = earlier.lostSpans.prefix(shownSpans).map { lost in
            lost.from == lost.to ? lost.from : "\(lost.from) to \(lost.to) (\(Quantity.of(lost.dayCount, "day")))"
        }
        let named = earlier.lostSpans.prefix(shownSpans).reduce(0) { $0 + $1.dayCount }
        let rest = earlier.lostDayCount - named
        lines.append(
            "\(Quantity.of(earlier.lostDayCount, "day")) of it \(earlier.lostDayCount == 1 ? "is" : "are") not in the "
                + "new import: " + shown.joined(separator: ", ")
                + (rest > 0 ? " and \(Quantity.of(rest, "further day"))" : ""))
        let earlierOnly = earlier.paths.filter { path in !report.exports.contains { $0.path == path } }
        let paths = (report.exports.map(\.path) + earlierOnly).map(ShellText.quoted).joined(separator: " ")
        lines.append(
            earlierOnly.isEmpty
                ? "to have them again, import a copy of the earlier export together with the new one"
                : "to have them again, import both together: healthmd phone import \(paths)")
        return lines
    }

    /// Stretches of lost days that are named on one line.
    private static let shownSpans = 3

    private static func span(_ first: String?, _ last: String?) -> String {
        guard let first, let last else { return "no day" }
        return first == last ? first : "\(first) to \(last)"
    }

    // MARK: Stretches without a day

    /// The lines about stretches without a day, and how to leave out what lies before them.
    static func gaps(_ gaps: [DayGap]) -> [String] {
        var lines = gaps.map { gap -> String in
            let empty = Quantity.of(gap.yearCount, "year")
            let hidden = gap.earlierDayCount - gap.earlierDays.count
            let dates =
                gap.earlierDays.joined(separator: ", ") + (hidden > 0 ? " and \(Quantity.number(hidden)) more" : "")
            return gap.isBeforeMostDays
                ? "no data for \(empty) between \(gap.lastDayBefore) and \(gap.firstDayAfter); before that only "
                    + "\(Quantity.of(gap.earlierDayCount, "day")): \(dates)"
                : "no data for \(empty) between \(gap.lastDayBefore) and \(gap.firstDayAfter); after that only "
                    + Quantity.of(gap.laterDayCount, "day")
        }
        if let last = gaps.last(where: \.isBeforeMostDays) {
            lines.append(
                "--all covers the empty days too; to leave them out, name the first day: "
                    + "healthmd export --from \(last.firstDayAfter) --to DAY")
        }
        return lines
    }
}
