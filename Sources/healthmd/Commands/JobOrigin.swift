import CanonicalJSON
import Foundation

/// Where a job came from, as far as the receiver tells: enough to type it again, except for the metrics that were chosen.
struct JobOrigin {
    /// How far back jobs are looked for.
    private static let pageSize = 200
    private static let pageCount = 16

    /// The entry of the job list; nil when the job is not listed any more.
    private let entry: JSONValue?
    /// The stored destination, where a job without one of its own writes.
    private let standardDestination: String?

    init(entry: JSONValue?, standardDestination: String?) {
        self.entry = entry
        self.standardDestination = standardDestination
    }

    /// Asks the receiver.
    static func of(_ job: UUID, _ client: ControlClient) throws -> JobOrigin {
        var query = "?limit=\(pageSize)"
        var entry: JSONValue?
        for _ in 0..<pageCount {
            let page = try client.send("GET", "/v1/exports" + query).document
            entry = page["jobs"]?.array?.first { $0["job_id"]?.string == job.uuidString }
            guard entry == nil, let cursor = page["next_cursor"]?.string,
                let escaped = cursor.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            else { break }
            query = "?limit=\(pageSize)&before=\(escaped)"
        }
        let destination = try client.send("GET", "/v1/status").document["destination"]?["path"]?.string
        return JobOrigin(entry: entry, standardDestination: destination)
    }

    /// The command that does the same again, and what has to be added to it because the receiver does not tell.
    var again: (command: String, advice: String?) {
        let range = entry?["date_range"]
        var days = "--from D --to D"
        var unknown = ["its days"]
        if let first = range?["start"]?.string, let last = range?["end"]?.string {
            days = "--from \(first) --to \(last)"
            unknown = []
        }
        var command: String
        switch (entry?["origin"]?.string, entry?["response_mode"]?.string, entry?["raw_profile"]?.string) {
        case ("source_initiated", _, _): command = "healthmd phone push \(days)"
        case (_, "raw_json", "health_data_projection"):
            command = "healthmd extract \(days) --all-metrics"
            unknown.append("the metrics and parts that it was limited to")
        case (_, "raw_json", _): command = "healthmd export --raw \(days)"
        default:
            command = "healthmd export \(days)"
            if let folder = entry?["destination_path"]?.string, folder != standardDestination {
                command += " --destination \(ShellText.quoted(folder))"
            }
            unknown.append("--metric, --category, --detail or --use-iphone-settings, if it had them")
        }
        let advice = unknown.isEmpty ? nil : "add what the receiver does not tell: \(unknown.joined(separator: "; "))"
        return (command, advice)
    }
}
