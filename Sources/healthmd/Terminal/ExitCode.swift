/// Exit codes (cli.md 11).
enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done; help; version; guidance; a validated partial result where it is allowed.
    case success = 0
    /// The command ran and failed, is unfinished, or is partial without permission.
    case failure = 1
    /// The command line cannot be run.
    case usage = 2
    /// With `--exit-codes extended`: part of it is there.
    case partial = 3
    /// With `--exit-codes extended`: no such job, or it has expired.
    case notFound = 4
    /// With `--exit-codes extended`: another job or another waiter is there.
    case busy = 5
    /// With `--exit-codes extended`: the phone is not there.
    case peerUnavailable = 6
    /// With `--exit-codes extended`: the wait ended, the job goes on.
    case timedOut = 7
    /// With `--exit-codes extended`: what arrived is not what was sent.
    case integrity = 8
    /// Interrupted; the job lives on.
    case interrupted = 130
    /// Terminated; the job lives on.
    case terminated = 143

    /// The code as the chosen set prints it: the extended codes are plain failures unless asked for.
    func number(extended: Bool) -> Int32 {
        switch self {
        case .partial, .notFound, .busy, .peerUnavailable, .timedOut, .integrity:
            return extended ? rawValue : ExitCode.failure.rawValue
        case .success, .failure, .usage, .interrupted, .terminated:
            return rawValue
        }
    }
}

extension ExitCode {
    /// What each code says, for `docs/errors.md`.
    static let meanings: [(code: ExitCode, meaning: String)] = [
        (
            .success,
            "done; help; version; guidance; a validated partial result where it is allowed; files of some of the days "
                + "(`partial_success`) without `--strict`"
        ),
        (
            .failure,
            "the command ran and failed, is unfinished, or is partial: data without `--allow-partial`, files with `--strict`"
        ),
        (.usage, "the command line cannot be run, or the file of `--output` cannot be written"),
        (.partial, "with `--exit-codes extended`: part of it is there"),
        (.notFound, "with `--exit-codes extended`: no such thing, or it has expired"),
        (.busy, "with `--exit-codes extended`: something else is under way"),
        (.peerUnavailable, "with `--exit-codes extended`: the phone, or the service, is not there"),
        (.timedOut, "with `--exit-codes extended`: the wait ended, the job goes on"),
        (.integrity, "with `--exit-codes extended`: what is there is not what was sent or written"),
        (.interrupted, "interrupted (SIGINT); the job lives on"),
        (.terminated, "terminated (SIGTERM); the job lives on"),
    ]
}

/// A failure that a command prints as one JSON document on standard output (cli.md 12).
struct CommandFailure: Error {
    /// A stable code.
    let code: String
    /// A sentence with the next step, without health values.
    let message: String
    let status: ExitCode
    /// Further members of the document.
    let details: [(String, JSONDetail)]
    /// What to type next, beside the sentence.
    let steps: [NextStep]

    init(
        _ code: String, _ message: String, status: ExitCode = .failure, details: [(String, JSONDetail)] = [],
        steps: [NextStep] = []
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.details = details
        self.steps = steps
    }

    /// The same failure with something to type.
    func with(_ steps: [NextStep]) -> CommandFailure {
        CommandFailure(code, message, status: status, details: details, steps: steps)
    }
}
