import CanonicalJSON

/// Exit codes from response objects (cli.md 11).
enum JobExit {
    /// A file export or a small answer of a job.
    static func status(_ answer: ControlClient.Answer, strict: Bool) -> ExitCode {
        switch (answer.status, answer.word) {
        case (200, "partial_success"): return strict ? .partial : .success
        case (200, _): return .success
        default: return failure(answer)
        }
    }

    /// What kind of failure an answer is, for the extended codes.
    static func failure(_ answer: ControlClient.Answer) -> ExitCode {
        switch answer.failureReason {
        case "job_not_found", "job_expired", "direct_device_not_found", "pairing_not_found": return .notFound
        case "export_in_progress", "job_waiter_exists", "pairing_in_progress": return .busy
        case "iphone_not_connected", "unsupported_iphone", "peer_changed", "device_selection_required":
            return .peerUnavailable
        case "control_response_spool_unavailable", "raw_profile_response_mismatch": return .integrity
        default: return answer.word == "timed_out" || answer.word == "accepted" ? .timedOut : .failure
        }
    }
}
