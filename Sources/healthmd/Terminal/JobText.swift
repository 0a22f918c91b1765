import CanonicalJSON

/// A job's response for people: what came of it first, then where it is and how far.
enum JobText {
    /// Days without files that are listed.
    private static let listedFailures = 20

    /// Nil when a document is no response of a job.
    static func of(_ document: JSONValue) -> String? {
        guard let status = document["status"]?.string, let message = document["message"]?.string,
            let job = document["job_id"]?.string, document["schema"] == nil, document["error"] == nil
        else { return nil }
        var report = ReportText()
        report.heading(message)
        report.row("status", status.replacing("_", with: " "))
        report.row("state", document["state"]?.string)
        report.row("reason", document["failure_reason"]?.string)
        report.row("days", days(document))
        report.row("files", files(document))
        report.row("in", document["destination_path"]?.string)
        report.row("daily notes", count(document, "daily_notes_updated"))
        report.row("transferred", transferred(document))
        report.row("job", job)
        report.row("kept until", document["expires_at"]?.string)
        failures(document["partial_failures"]?.array ?? [], &report)
        if let database = document["database"] {
            report.heading("database")
            for member in database.object?.members ?? [] where ["database", "status", "message"].contains(member.key) {
                report.row(member.key == "database" ? "file" : member.key, member.value.string)
            }
            report.row("days", counts(database["days"]))
        }
        return report.text
    }

    private static func days(_ document: JSONValue) -> String? {
        guard let total = document["total_count"]?.number?.int else { return nil }
        let isOver = ["completed", "failed", "cancelled"].contains(document["state"]?.string)
        let done = (isOver ? document["success_count"] : document["processed_days"] ?? document["success_count"])
        return "\(done?.number?.int ?? 0) of \(total)"
    }

    private static func files(_ document: JSONValue) -> String? {
        guard let files = document["files_written"]?.number?.int, document["destination_path"] != nil else {
            return nil
        }
        let bound = document["files_written_is_lower_bound"]?.bool == true ? "at least " : ""
        let others = document["external_record_count"]?.number?.int ?? 0
        return "\(bound)\(files)" + (others > 0 ? ", and \(others) of other providers" : "")
    }

    private static func transferred(_ document: JSONValue) -> String? {
        document["committed_bytes"]?.number?.int64.flatMap { $0 > 0 ? ByteText.short($0) : nil }
    }

    private static func count(_ document: JSONValue, _ key: String) -> String? {
        document[key]?.number?.int.map(String.init)
    }

    private static func counts(_ days: JSONValue?) -> String? {
        guard let members = days?.object?.members else { return nil }
        let order = ["total", "added", "changed", "unchanged", "removed"]
        return order.compactMap { name in
            members.first { $0.key == name }?.value.number?.int.map { "\($0) \(name)" }
        }.joined(separator: ", ")
    }

    private static func failures(_ failures: [JSONValue], _ report: inout ReportText) {
        guard !failures.isEmpty else { return }
        report.heading("missing")
        report.table(
            failures.prefix(listedFailures).map { failure in
                ["date", "code", "message"].map { failure[$0]?.string ?? "" }
            })
        if failures.count > listedFailures { report.line("and \(failures.count - listedFailures) more, with --json") }
    }
}

/// The receiver's status for people.
enum StatusText {
    /// Nil when a document is no status.
    static func of(_ document: JSONValue) -> String? {
        guard let receiver = document["receiver"]?.string, let destination = document["destination"] else { return nil }
        var report = ReportText()
        report.heading("receiver: \(receiver)")
        for phone in document["phones"]?.array ?? [] {
            let isConnected = phone["connected"]?.bool == true
            report.row(
                "phone", "\(phone["name"]?.string ?? "without a name"), \(isConnected ? "connected" : "not connected")")
        }
        if document["phones"]?.array?.isEmpty ?? true { report.row("phone", "none is paired: healthmd pair") }
        report.row("files", files(destination))
        if let job = document["active_export"] {
            let days = "\(job["processed_days"]?.number?.int ?? 0) of \(job["total_days"]?.number?.int ?? 0) days"
            report.row("job", "\(job["job_id"]?.string ?? ""), \(job["state"]?.string ?? "live"), \(days)")
        }
        if let pairing = document["open_pairing"] {
            report.row("pairing", "open until \(pairing["expires_at"]?.string ?? "it is used")")
        }
        return report.text
    }

    private static func files(_ destination: JSONValue) -> String {
        guard let path = destination["path"]?.string else { return "no folder is chosen: healthmd destination set DIR" }
        return destination["writable"]?.bool == true ? path : "\(path), which cannot be written: healthmd destination"
    }
}

/// A push from the phone side for people.
enum PushText {
    static func of(_ document: JSONValue) -> String {
        let status = document["status"]?.string ?? ""
        var report = ReportText()
        report.heading(status == "success" ? "The days were sent." : document["message"]?.string ?? status)
        report.row("status", status.replacing("_", with: " "))
        report.row("state", document["state"]?.string?.replacing("_", with: " "))
        if let done = document["success_count"]?.number?.int, let total = document["total_count"]?.number?.int {
            report.row("days", "\(done) of \(total)")
        }
        report.row("files", document["files_written"]?.number?.int.map(String.init))
        report.row("job", document["job_id"]?.string)
        let failed = document["failed_days"]?.array ?? []
        if !failed.isEmpty {
            report.heading("missing")
            report.table(failed.prefix(20).map { [$0["date"]?.string ?? "", $0["code"]?.string ?? ""] })
            if failed.count > 20 { report.line("and \(failed.count - 20) more, with --json") }
        }
        return report.text
    }
}
