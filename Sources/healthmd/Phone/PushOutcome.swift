import CanonicalJSON
import Sender

/// How a push ended: `healthmd.phone_push` v1.
struct PushOutcome {
    private let report: PushReport

    init(_ report: PushReport) {
        self.report = report
    }

    private var state: String { StateWord.snake(report.state) }

    /// Nothing was written: the reason of most days, else the state.
    private var failureCode: String? {
        guard !["completed", "queued"].contains(state), report.successCount ?? 0 == 0 else { return nil }
        return mostFrequentCode ?? (state == "failed" || state == "partial_success" ? "push_failed" : state)
    }

    private var mostFrequentCode: String? {
        let counts = Dictionary(grouping: report.failedDays, by: \.code).mapValues(\.count)
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// `success`, `partial_success`, `queued` or `failure`.
    private var status: String {
        if failureCode != nil { return "failure" }
        return state == "completed" ? "success" : state
    }

    var exit: ExitCode {
        switch status {
        case "success", "queued": .success
        case "partial_success": .partial
        default: .failure
        }
    }

    /// A sentence with the reason and the next step.
    private var message: String? {
        let days = report.totalCount.map { $0 == 1 ? "the day" : "the \($0) days" } ?? "the days"
        switch failureCode ?? status {
        case "no_health_data":
            return "none of \(days) has data here; healthmd phone status shows the first and the last day that has some"
        case "queued":
            return report.message ?? "the running healthmd phone serve sends it"
        case "partial_success":
            let reasons = Set(report.failedDays.map(\.code)).sorted().joined(separator: ", ")
            return "\(report.successCount ?? 0) of \(days) have files; the others: \(reasons)"
        case "success": return report.message
        case let code:
            let row = ErrorTable.days[code] ?? ErrorTable.phone[code]
            return report.message ?? row.map { "\($0.meaning). \($0.remedy)" }
                ?? "the receiver has written nothing; there healthmd jobs show \(report.jobID.uuidString) says why"
        }
    }

    /// What standard error says beside the document.
    var note: String? { status == "partial_success" || status == "queued" ? message : nil }

    func document(_ advice: Advice) -> JSONValue {
        var document: JSONObject = [
            "schema": "healthmd.phone_push", "schema_version": 1, "job_id": .string(report.jobID.uuidString),
            "status": .string(status), "state": .string(state),
        ]
        document.append("error", ifPresent: failureCode.map(JSONValue.string))
        document.append("message", ifPresent: message.map { .string(advice.carrying($0)) })
        document.append("files_written", ifPresent: report.filesWritten.map { .integer($0) })
        document.append("success_count", ifPresent: report.successCount.map { .integer($0) })
        document.append("total_count", ifPresent: report.totalCount.map { .integer($0) })
        if !report.failedDays.isEmpty {
            document.append(
                "failed_days",
                .array(report.failedDays.map { ["date": .string($0.date), "code": .string($0.code)] }))
        }
        if failureCode == "no_health_data" {
            document.append(
                "next_actions",
                [
                    [
                        "command": .string(advice.carrying("healthmd phone status")),
                        "description": "shows the first and the last day with data",
                    ],
                    [
                        "command_template": .string(advice.carrying("healthmd phone import PATH")),
                        "description": "takes a newer export",
                    ],
                ])
        }
        return .object(document)
    }
}

/// States as our documents write them.
enum StateWord {
    /// `partialSuccess` becomes `partial_success`: peers write their states in camel case.
    static func snake(_ word: String) -> String {
        word.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty { text += "_" }
            text += letter.lowercased()
        }
    }
}
