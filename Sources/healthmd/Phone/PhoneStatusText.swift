import CanonicalJSON

/// `phone status` for people.
enum PhoneStatusText {
    static func of(_ document: JSONValue) -> String {
        var report = ReportText()
        report.heading("phone side \(document["installation_id"]?.string ?? "")")
        report.row("data", data(document["data"]))
        report.row("receiver", receiver(document["workstation"]))
        let isServing = document["serving"]?.bool ?? false
        let process = document["serving_pid"]?.number?.int.map { ", process \($0)" } ?? ""
        report.row("service", isServing ? "runs\(process)" : "does not run; start it: healthmd phone serve")
        let jobs = document["jobs"]?.array ?? []
        if !jobs.isEmpty {
            report.heading(Quantity.of(jobs.count, "transfer"))
            report.table([["TRANSFER", "STATE", "DAYS", "FROM", "TO", "SENT", "UPDATED", "MESSAGE"]] + jobs.map(job))
        }
        let pushes = document["pushes"]?.array ?? []
        if !pushes.isEmpty {
            report.heading("waiting for the service: \(Quantity.number(pushes.count))")
            report.table(
                pushes.map { [$0["job_id"]?.string ?? "", "\($0["from"]?.string ?? "") to \($0["to"]?.string ?? "")"] })
        }
        if let data = document["data"], let leftOut = data["left_out"]?.number?.int, leftOut > 0 {
            report.heading("left out by the import: \(Quantity.number(leftOut))")
            report.line("import the export again to see what and where: healthmd phone import PATH")
        }
        return report.text
    }

    private static func data(_ data: JSONValue?) -> String {
        guard let data else {
            return "nothing was imported; import an export: healthmd phone import PATH --time-zone ZONE"
        }
        let span = [data["first_day"]?.string, data["last_day"]?.string].compactMap { $0 }
        let parts = [
            "import \(ExportCountsText.number(data["generation"]))",
            data["status"] == "incomplete" ? "incomplete" : nil,
            Quantity.of(ExportCountsText.number(data["record_count"]), "record"),
            span.isEmpty ? "no days" : span.joined(separator: " to "), data["time_zone"]?.string,
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private static func receiver(_ receiver: JSONValue?) -> String {
        guard let receiver else { return "none is paired; pair one: healthmd phone pair HOST" }
        let place = "\(receiver["host"]?.string ?? ""):\(receiver["port"]?.number?.int ?? 0)"
        let since = ExportCountsText.day(receiver["paired_at"]).map { ", paired \($0)" } ?? ""
        let isNew = receiver["provisional"]?.bool ?? false
        return "\(receiver["name"]?.string ?? "") at \(place)\(since)" + (isNew ? ", not met since then" : "")
    }

    private static func job(_ job: JSONValue) -> [String] {
        [
            job["job_id"]?.string ?? "", job["state"]?.string ?? "",
            "\(Quantity.number(ExportCountsText.number(job["processed_days"]))) of "
                + Quantity.number(ExportCountsText.number(job["total_days"])),
            job["first_day"]?.string ?? "", job["last_day"]?.string ?? "",
            Quantity.bytes(ExportCountsText.number(job["committed_bytes"])),
            ExportCountsText.time(job["updated_at"]) ?? "", job["message"]?.string ?? "",
        ]
    }
}
