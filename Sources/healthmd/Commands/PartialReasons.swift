import CanonicalJSON
import HealthData
import RawResult

/// Why days of a result are partial or missing: types and codes, whether they were asked for, and on how many days. The rule itself
/// is published (raw-result.md 3): a day is partial as soon as one query of its archive was no success, or one part of it failed.
struct PartialReasons {
    /// One reason.
    struct Reason: Hashable {
        /// `query_unsupported`, `query_skipped`, `query_failure`, `query_cancelled`, `partial_failure`, `capture_incomplete`, or
        /// the failure code of a day without a document.
        var code: String
        /// The type of the source, as it names it.
        var type: String?
        /// Whether a metric that was asked for needs this type; nil for a whole day, and where nothing was chosen.
        var isSelected: Bool?
    }

    /// Days whose archives are looked into; what a source cannot give is the same every day.
    static let examinedDayCount = 3
    /// Types that a message names; `reasons` has all of them.
    static let namedTypeCount = 6

    private(set) var counts: [(reason: Reason, days: Int)] = []
    private let totalDays: Int
    private var partialDays = 0
    private var absentDays = 0
    private let selected: Set<String>?

    /// Reads the days of a checked response.
    init(_ response: RawResponse, reading read: @escaping Extraction.BodyReader) throws {
        totalDays = response.days.count
        selected = response.selection.map { Set($0.metricIDs) }
        var found: [Reason: Int] = [:]
        var examined = 0
        for day in response.days {
            var reasons: Set<Reason> = []
            switch day.status {
            case "partial":
                partialDays += 1
                for type in day.receiptMembers["partial_failure_types"]?.array?.compactMap(\.string) ?? [] {
                    reasons.insert(Reason(code: "partial_failure", type: type, isSelected: isSelected(type, [])))
                }
                if let document = day.document, document.archive != nil, examined < Self.examinedDayCount {
                    examined += 1
                    for query in try ArchiveQueries.unsuccessful(in: document, reading: read) {
                        reasons.insert(
                            Reason(
                                code: "query_" + query.status, type: query.type,
                                isSelected: isSelected(query.type, query.metricIDs)))
                    }
                    if reasons.isEmpty { reasons.insert(Reason(code: "capture_incomplete")) }
                }
            case "failed", "cancelled", "missing":
                absentDays += 1
                reasons.insert(Reason(code: day.failureCode ?? day.status ?? "missing"))
            default: continue
            }
            for reason in reasons { found[reason, default: 0] += 1 }
        }
        counts = found.map { ($0.key, $0.value) }.sorted { one, other in
            (other.days, one.reason.code, one.reason.type ?? "") < (
                one.days, other.reason.code, other.reason.type ?? ""
            )
        }
    }

    /// Whether a type belongs to a metric that was asked for.
    private func isSelected(_ type: String, _ metricIDs: [String]) -> Bool? {
        guard let selected else { return nil }
        if !metricIDs.isEmpty { return !selected.isDisjoint(with: metricIDs) }
        return MetricSelection(metricIDs: selected).concerns(type: type)
    }

    /// `reasons` of the failure document.
    var document: JSONValue {
        .array(
            counts.map { reason, days in
                var entry: JSONObject = ["code": .string(reason.code), "days": .integer(days)]
                entry.append("type", ifPresent: reason.type.map(JSONValue.string))
                entry.append("selected", ifPresent: reason.isSelected.map(JSONValue.bool))
                return .object(entry)
            })
    }

    /// Sentences for people: how many days, which types, and whether they were asked for.
    var sentence: String {
        var parts: [String] = []
        if partialDays > 0 {
            parts.append("\(partialDays) of \(totalDays) days \(partialDays == 1 ? "is" : "are") partial")
        }
        if absentDays > 0 { parts.append("\(absentDays) of \(totalDays) \(absentDays == 1 ? "is" : "are") missing") }
        var text = parts.joined(separator: ", ") + "."
        let types = counts.filter { $0.reason.type != nil }.map(\.reason)
        guard !types.isEmpty else { return text }
        let asked = types.filter { $0.isSelected != false }
        let others = types.filter { $0.isSelected == false }
        if !asked.isEmpty {
            text += " Not whole" + (selected == nil ? ": " : " of what was asked for: ") + Self.list(asked) + "."
        }
        if !others.isEmpty {
            text +=
                " Not asked for, but the published rule calls a day partial for it all the same: " + Self.list(others)
                + "."
        }
        return text
    }

    private static func list(_ reasons: [Reason]) -> String {
        let named = reasons.prefix(namedTypeCount).map { reason in
            "\(TerminalText.safe(reason.type ?? "")) (\(words[reason.code] ?? "not whole"))"
        }
        let rest = reasons.count - named.count
        return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private static let words = [
        "query_unsupported": "the source does not hold it", "query_skipped": "the source left it out",
        "query_failure": "reading it failed", "query_cancelled": "reading it was cancelled",
        "partial_failure": "a part could not be read",
    ]
}
