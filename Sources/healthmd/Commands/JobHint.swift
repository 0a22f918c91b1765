import Foundation

/// The next step of a job that is not done, for people (cli.md 13, "recovery hints by code").
enum JobHint {
    /// A line for standard error, or nil when the answer's own message says enough.
    static func text(_ answer: ControlClient.Answer, _ jobID: UUID) -> String? {
        let resume = "healthmd resume \(jobID.uuidString)"
        let spared =
            answer.document["partial_failures"]?.array?.filter { $0["code"] == "selection_would_replace" } ?? []
        if !spared.isEmpty {
            return
                "\(spared.count) day(s) stay as they were: their files hold more than was asked for. Choose another folder "
                + "with --destination DIR, or replace them with --replace"
        }
        switch answer.failureReason {
        case "export_in_progress":
            let active = answer.document["active_job_id"]?.string ?? "UUID"
            return "another job is active. To see it: healthmd status --job \(active)"
        case "job_waiter_exists":
            return "another healthmd waits for this job. To see how far it is: healthmd status --job "
                + jobID.uuidString
        case "device_selection_required":
            return "several phones are paired: choose one with --device; healthmd devices lists them"
        case "direct_not_paired": return "pair a phone first: healthmd pair"
        case "direct_device_not_paired": return "healthmd devices lists the phones that are paired"
        case "selection_would_replace":
            return "choose another folder with --destination DIR, or replace what is there with --replace"
        case "iphone_not_connected":
            return "open the app on the phone, or run healthmd phone serve there; export and extract wait for it with "
                + "--wake-timeout S"
        case "mac_destination_unavailable":
            return "make the folder, or choose another one: healthmd destination set DIR"
        case "job_not_found", "job_expired": return "healthmd jobs lists the jobs"
        case "cancellation_deferred": return "one file is being written; the job is cancelled as soon as it is done"
        case "server_not_ready": return "the receiver stops; the job goes on after healthmd serve, then: \(resume)"
        default: break
        }
        switch answer.word {
        case "accepted", "preparing", "timed_out": return "the job is not done. To go on: \(resume)"
        default: return nil
        }
    }
}
