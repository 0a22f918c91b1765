import CanonicalJSON

// Jobs that keep others from starting.
extension DoctorChecks {
    /// Jobs run one after the other: one that waits refuses every new one until it goes on, is cancelled or expires
    /// (control-api.md 6.5).
    static func activeJob(_ jobs: JSONValue?, isConnected: Bool, _ service: Service) -> DoctorCheck {
        guard let jobs = jobs?["jobs"]?.array else {
            return .unavailable("active_job", blocking: false, "The receiver knows the jobs.")
        }
        // Newest first: the oldest is the one that the others wait for.
        guard let job = jobs.last(where: isWaiting), let identifier = job["job_id"]?.string else {
            guard let running = jobs.last, let identifier = running["job_id"]?.string else {
                return .ready("active_job", blocking: true, "No job is in the way of a new one.")
            }
            return .ready(
                "active_job", blocking: true,
                "Job \(identifier) is under way (\(running["state"]?.string ?? "live")); a new one is taken when it is done."
            )
        }
        let state = job["state"]?.string ?? "paused"
        let cancel = service.command("cancel \(identifier)")
        return DoctorCheck(
            code: "active_job", state: .actionRequired, isBlocking: true,
            message:
                "Job \(identifier) is \(state): until it is done or cancelled every export and extract is refused.",
            action: isConnected
                ? DoctorCheck.Action(
                    code: "resume_job", message: "Go on with it, or drop it: \(cancel)",
                    command: service.command("resume \(identifier)"))
                : DoctorCheck.Action(
                    code: "cancel_job", message: "It goes on by itself when its phone connects. This drops it.",
                    command: cancel))
    }

    private static func isWaiting(_ job: JSONValue) -> Bool { ["paused", "queued"].contains(job["state"]?.string) }

    /// A job that is under way, and of which nothing was heard for long. Those that wait are told by ``activeJob``.
    static func stalledJobs(
        _ jobs: JSONValue?, isConnected: Bool, now: Double, _ service: Service
    ) -> DoctorCheck {
        guard let jobs = jobs?["jobs"]?.array else {
            return .unavailable("stalled_jobs", blocking: false, "The receiver knows the jobs.")
        }
        let stalled = jobs.filter { job in
            !isWaiting(job) && instant(job["updated_at"]).map { now - $0 > stallSeconds } ?? false
        }
        guard let first = stalled.first?["job_id"]?.string else {
            return .ready("stalled_jobs", blocking: false, "No job stands still.")
        }
        return DoctorCheck(
            code: "stalled_jobs", state: .warning, isBlocking: false,
            message: "\(stalled.count) job(s) without progress for a quarter of an hour; they block new ones.",
            action: DoctorCheck.Action(
                code: isConnected ? "resume_job" : "inspect_job",
                message: (isConnected ? "Go on with it" : "It goes on when its phone is there")
                    + ", or drop it: \(service.command("cancel \(first)"))",
                command: service.command(isConnected ? "resume \(first)" : "jobs show \(first)")))
    }
}
