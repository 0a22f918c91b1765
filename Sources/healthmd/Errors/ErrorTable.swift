/// One stable code: what it means, what to do, and how a command ends with it.
struct ErrorRow: Sendable {
    /// The word that programs compare.
    let code: String
    /// What happened. A sentence without its point.
    let meaning: String
    /// The next step.
    let remedy: String
    /// How a command ends that fails with it; nil where it only stands inside of a document or a log line.
    let exit: ExitCode?
    /// The HTTP status of the control API or of the archive's service, where the code is an answer of one.
    let http: Int?

    init(
        _ code: String, _ meaning: String, _ remedy: String, exit: ExitCode? = .failure, http: Int? = nil
    ) {
        self.code = code
        self.meaning = meaning
        self.remedy = remedy
        self.exit = exit
        self.http = http
    }
}

/// The codes of one kind of place, under one heading of `docs/errors.md`.
struct ErrorSection: Sendable {
    let title: String
    /// Where a person or a program meets these codes.
    let place: String
    /// Folders and files below `Sources` whose codes these are. The tests compare them with what stands there.
    let sources: [String]
    let rows: [ErrorRow]

    /// The row of a code.
    subscript(_ code: String) -> ErrorRow? { rows.first { $0.code == code } }
}

/// Every stable code of this program that reaches a person, a document or the control API, in one place. `docs/errors.md` is
/// rendered from it, commands take their exit codes from it, and the tests hold it to the error types.
enum ErrorTable {
    static let sections: [ErrorSection] = [
        usage, commandLine, controlRequests, controlRoutes, jobs, days, rawResults, verification, phone, pairing,
        exports,
        importProblems, connections, transport, transfer, items, json, documents, database, store, cryptography,
        archive,
        archiveWire,
        archiveService, archiveEdits, biomarkers, biomarkerWarnings,
    ]

    /// How a command ends that fails with a code of a section. A code that another room passed through is looked up in
    /// the whole table; one that stands nowhere is a plain failure.
    static func exit(_ code: String, in section: ErrorSection) -> ExitCode {
        if let row = section[code] { return row.exit ?? .failure }
        for other in sections {
            if let status = other[code]?.exit { return status }
        }
        return .failure
    }
}
