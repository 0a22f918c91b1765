import Biomarkers
import CanonicalJSON

/// Proposals and entries as lines for people. Names come from devices and laboratories: made safe for a terminal.
enum BiomarkerText {
    /// Readings that a review prints of one proposal.
    private static let shownReadings = 12

    // MARK: A reading of an export

    static func report(_ report: ProposalReport) -> String {
        let source = report.source
        let count = report.proposals.count
        var lines = [
            (count == 0 ? "nothing is proposed" : "\(Quantity.of(count, "value")) proposed")
                + " from \(safe(source.pathName)), \(Quantity.of(source.recordCount, "record"))"
                + (source.isComplete ? "" : ", which is incomplete") + "\n"
        ]
        lines += report.proposals.map { evidence($0.evidence, readings: 0) }
        let next = report.proposals.isEmpty ? "" : "\nnext: healthmd biomarkers review\n"
        return lines.joined(separator: "\n") + "\n\n" + surroundings(report.surroundings) + next
    }

    /// What stands around the proposals: warnings, and what has no place.
    static func surroundings(_ report: JSONValue) -> String {
        var lines = (report["warnings"]?.array ?? []).map { "warning: " + text($0["message"]) }
        let found = (report["unplaceable"]?.array ?? []).filter { $0["count"]?.number?.int != 0 }
        if !found.isEmpty { lines.append("without a place:") }
        lines += found.map { entry in
            let value = [text(entry["value_text"]), text(entry["unit"])].filter { !$0.isEmpty }.joined(separator: " ")
            let parts = [value, day(entry["date"])].filter { !$0.isEmpty }
            let detail = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
            return "  \(text(entry["name"]))\(detail) (\(text(entry["reason"]).replacing("_", with: " ")))"
        }
        let dropped = (report["dropped"]?.object?.members ?? []).compactMap { $0.value.number?.int }
        if !dropped.isEmpty {
            let count = dropped.reduce(0, +)
            lines.append(
                "\(Quantity.of(count, "record")) of \(dropped.count) other "
                    + "\(dropped.count == 1 ? "type was" : "types were") counted and dropped")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    static func heading(_ pending: PendingReview) -> String {
        let count = pending.proposals.count
        return "\(Quantity.of(count, "value")) from \(safe(pending.sourceName))"
            + (pending.isComplete ? "" : ", which is incomplete")
    }

    // MARK: One proposal

    /// A proposal with what it was computed from.
    static func evidence(_ proposal: JSONValue, readings limit: Int = shownReadings) -> String {
        var lines = [
            "\(text(proposal["name"])): \(text(proposal["display"])) \(text(proposal["unit"]))  (\(text(proposal["id"])))",
            "  " + origin(proposal),
        ]
        if let excluded = proposal["excluded"]?.object, !excluded.isEmpty {
            let parts = excluded.members.sorted { $0.key < $1.key }.map {
                "\(Quantity.number($0.value.number?.int ?? 0)) \($0.key.replacing("_", with: " "))"
            }
            lines.append("  left out: " + safe(parts.joined(separator: ", ")))
        }
        if let grade = proposal["band"]?["grade"]?.string { lines.append("  your range: \(safe(grade))") }
        if let loser = proposal["superseded"] {
            lines.append(
                "  outranks \(text(loser["display"])) \(text(loser["unit"])) from a device, \(day(loser["newest"]))")
        }
        for warning in proposal["warnings"]?.array ?? [] { lines.append("  warning: \(text(warning["message"]))") }
        lines += readingLines(proposal, limit)
        return lines.joined(separator: "\n")
    }

    private static func origin(_ proposal: JSONValue) -> String {
        let sources = (proposal["sources"]?.array ?? []).compactMap(\.string).map(safe).joined(separator: ", ")
        let from = sources.isEmpty ? "" : "; " + sources
        if let laboratory = proposal["laboratory"] {
            let code = laboratory["loinc"]?.string.map { ", LOINC " + safe($0) } ?? ""
            return "laboratory: \(text(laboratory["name"])) \(text(laboratory["value_text"])), "
                + "\(text(laboratory["date"]))\(code)\(from)"
        }
        let used = proposal["used"]?.number?.int ?? 0
        let available = proposal["available"]?.number?.int ?? used
        guard let days = proposal["window_days"]?.number?.int else {
            return "the latest of \(available) \(available == 1 ? "reading" : "readings"), "
                + "\(day(proposal["newest"]))\(from)"
        }
        return "\(text(proposal["statistic"])) of \(used) of \(available) readings, \(day(proposal["first"])) to "
            + "\(day(proposal["newest"])) (\(days) days to the newest)\(from)"
    }

    private static func readingLines(_ proposal: JSONValue, _ limit: Int) -> [String] {
        guard limit > 0, let readings = proposal["readings"]?.array, !readings.isEmpty else { return [] }
        var lines = readings.suffix(limit).reversed().map { reading -> String in
            let value = number(reading["value"])
            let pair = reading["paired_value"].map { " with " + number($0) } ?? ""
            return "    \(text(reading["time"]))  \(value)\(pair)"
        }
        if readings.count > limit { lines.append("    and \(readings.count - limit) older") }
        return lines
    }

    // MARK: The record

    static func entries(_ entries: [RecordEntry]) -> String {
        guard !entries.isEmpty else { return "no entries; propose some: healthmd biomarkers propose EXPORT\n" }
        var report = ReportText()
        let heading = ["NO", "BIOMARKER", "VALUE", "UNIT", "MEASURED", "DECISION", "ON", "FROM", "ID"]
        report.table(
            [heading]
                + entries.map { entry in
                    [
                        "\(entry.number)", entry.evidence["name"]?.string ?? entry.id, entry.display ?? "none",
                        entry.unit, day(entry.evidence["newest"]), entry.decision, String(entry.recordedAt.prefix(10)),
                        entry.sourceName, entry.id,
                    ]
                }, right: [0, 2])
        return report.text
    }

    private static func day(_ instant: JSONValue?) -> String { String(text(instant).prefix(10)) }

    private static func number(_ value: JSONValue?) -> String {
        guard let number = value?.number?.double else { return "?" }
        // Two digits behind the point are enough to recognise a reading.
        let rounded = (number * 100).rounded() / 100
        return JSONNumberText.text(rounded, style: .shortest)
    }

    private static func text(_ value: JSONValue?) -> String { safe(value?.string ?? "") }

    private static func safe(_ text: String) -> String { TerminalText.safe(text) }
}
