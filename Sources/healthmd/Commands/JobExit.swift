import CanonicalJSON

/// Exit codes from response objects (cli.md 11).
enum JobExit {
    /// A file export or a small answer of a job. Strict is also about what is missing within a day that has files.
    static func status(_ answer: ControlClient.Answer, strict: Bool) -> ExitCode {
        guard answer.status == 200 else { return failure(answer) }
        return strict && PartialFiles(answer) != nil ? .partial : .success
    }

    /// What kind of failure an answer is, for the extended codes.
    static func failure(_ answer: ControlClient.Answer) -> ExitCode {
        if let reason = answer.failureReason {
            let places = [ErrorTable.jobs, ErrorTable.controlRoutes, ErrorTable.controlRequests]
            if let status = places.lazy.compactMap({ $0[reason]?.exit }).first, status != .failure { return status }
        }
        return answer.word == "timed_out" || answer.word == "accepted" ? .timedOut : .failure
    }
}
