import CanonicalJSON

/// What a file job did not write, by its answer: which days, why, and what helps.
struct PartialFiles {
    /// One reason of `partial_failures`, with the days that have it.
    private struct Reason {
        let code: String
        var dates: [String]
        var count: Int
        /// Code of the store that a message names in brackets.
        let detail: String?
        /// What the receiver says of the first of them.
        let message: String?
    }

    /// Days that a line names for each reason.
    private static let namedDays = 3

    private var reasons: [Reason] = []
    /// Days without files, as opposed to days of which a part is missing.
    private let isPartial: Bool
    /// The exit code tells nothing of what is missing, unless `--strict` is given.
    private let succeeds: Bool
    private let days: String
    private let destination: String?

    /// Nil when nothing is missing, as far as the answer says.
    init?(_ answer: ControlClient.Answer) {
        let document = answer.document
        let failures = document["partial_failures"]?.array ?? []
        isPartial = answer.word == "partial_success"
        succeeds = answer.status == 200
        guard isPartial || !failures.isEmpty, document["raw_result"] == nil else { return nil }
        let done = document["success_count"]?.number?.int
        let total = document["total_count"]?.number?.int
        days = done.flatMap { done in total.map { "\(done) of \($0) days have files" } } ?? "some days have no files"
        destination = document["destination_path"]?.string
        for failure in failures { add(failure) }
    }

    private mutating func add(_ failure: JSONValue) {
        let code = failure["code"]?.string ?? "unknown"
        let message = failure["message"]?.string
        let detail = message.flatMap(Self.storeCode)
        let date = failure["date"]?.string
        if let index = reasons.firstIndex(where: { $0.code == code && $0.detail == detail }) {
            reasons[index].count += 1
            if let date, !reasons[index].dates.contains(date) { reasons[index].dates.append(date) }
        } else {
            reasons.append(
                Reason(code: code, dates: [date].compactMap(\.self), count: 1, detail: detail, message: message))
        }
    }

    /// The store's code at the end of a message: `… could not be written (wrong_type).`
    private static func storeCode(_ message: String) -> String? {
        guard let open = message.lastIndex(of: "("), let close = message[open...].firstIndex(of: ")") else {
            return nil
        }
        let word = String(message[message.index(after: open)..<close])
        return ErrorTable.store[word] == nil ? nil : word
    }

    /// What to say, and the command that writes the days again where that can help.
    func hint(_ invocation: Invocation) -> JobHint {
        var sentence =
            isPartial ? "partial: \(days)." : succeeds ? "\(days), and a part is missing." : "failed: \(days)."
        for reason in reasons { sentence += " " + describe(reason) }
        if isPartial, reasons.isEmpty { sentence += " The receiver gave no reason." }
        if succeeds, !invocation.has("--strict") {
            sentence += " The exit code is 0 all the same; --strict makes it 1."
        }
        var steps = [search].compactMap(\.self)
        let again = reasons.filter { $0.code != "no_health_data" && $0.code != "selection_would_replace" }
        let dates = again.flatMap(\.dates).sorted()
        if let first = dates.first, let last = dates.last, let command = Self.command(first, last, invocation) {
            steps.append(NextStep("then write these days again", command))
        }
        return JobHint(sentence: sentence, steps: steps)
    }

    private func describe(_ reason: Reason) -> String {
        var text = reason.code
        if !reason.dates.isEmpty {
            let rest = reason.dates.count - Self.namedDays
            text += " on \(reason.dates.prefix(Self.namedDays).joined(separator: ", "))"
            if rest > 0 { text += " and \(rest) more" }
        }
        let row = reason.detail.flatMap { ErrorTable.store[$0] } ?? ErrorTable.days[reason.code]
        if let message = reason.message ?? row.map({ $0.meaning + "." }) { text += ": " + message }
        guard let row else { return text }
        return reason.detail == nil ? "\(text) \(row.remedy)" : "\(text) \(row.meaning). \(row.remedy)"
    }

    /// Shows what stands where a file of the day should be.
    private var search: NextStep? {
        guard let destination, let reason = reasons.first(where: { ["wrong_type", "is_symlink"].contains($0.detail) }),
            let date = reason.dates.first
        else { return nil }
        return NextStep(
            "what stands in the way", "find \(ShellText.quoted(destination)) -name '*\(date)*' ! -type f")
    }

    /// The same export for these days; nil when the job came from elsewhere.
    private static func command(_ first: String, _ last: String, _ invocation: Invocation) -> String? {
        guard invocation.command.path == ["export"] else { return nil }
        return invocation.spelled(from: first, to: last)
    }
}
