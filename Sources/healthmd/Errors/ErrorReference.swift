/// `docs/errors.md`, rendered from ``ErrorTable``.
enum ErrorReference {
    static let text: String = {
        var lines = [
            "# Error codes", "",
            "Rendered from the table in `Sources/healthmd/Errors` by the tests; change it there, then",
            "`HEALTHMD_WRITE_SNAPSHOTS=1 swift test --filter CommandLineTests`.", "",
            "Codes are stable: they are never renamed and never get another meaning. Texts are for people and may change.",
            "A command that fails prints one JSON document on standard output. It has `message`, and the code in one of two",
            "members: `error` when the command or the receiver refused (`status` is `failure`), `failure_reason` in the response",
            "of a job that the receiver answered for (`status` is `failure`, `unavailable`, `timed_out`, `cancelled`, `accepted`",
            "or `preparing`; in `partial_success` it is the reason of the first day that is missing). A program looks at `error`",
            "first, then at `failure_reason`. With `--human` the code stands in brackets behind the sentence on standard error.",
            "`archive reader` without `--json` writes one line `error: SENTENCE (CODE)` on standard error and ends with 2, as the",
            "published reader does; with `--json`, or `--exit-codes extended`, it ends like every other command.", "",
            "*Exit* is the exit status, in brackets the one with `--exit-codes extended`; `–` where the code only stands inside of a",
            "document or a log line. JSON.md lists the members of every document.", "",
            "| Exit | Meaning |", "|---|---|",
        ]
        lines += ExitCode.meanings.map { "| \($0.code.rawValue) | \($0.meaning) |" }
        for section in ErrorTable.sections {
            lines += ["", "## \(section.title)", "", "Where: \(section.place)", ""] + table(section)
        }
        return lines.joined(separator: "\n") + "\n"
    }()

    private static func table(_ section: ErrorSection) -> [String] {
        let hasStatus = section.rows.contains { $0.http != nil }
        let head = ["Code", "Meaning", "What to do"] + (hasStatus ? ["HTTP"] : []) + ["Exit"]
        let rows = section.rows.map { row in
            ["`\(row.code)`", row.meaning, row.remedy] + (hasStatus ? [row.http.map(String.init) ?? "–"] : [])
                + [exit(row.exit)]
        }
        return ([head, head.map { _ in "---" }] + rows).map { "| " + $0.map(cell).joined(separator: " | ") + " |" }
    }

    private static func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }

    private static func exit(_ status: ExitCode?) -> String {
        guard let status else { return "–" }
        let plain = status.number(extended: false)
        let extended = status.number(extended: true)
        return plain == extended ? "\(plain)" : "\(plain) (\(extended))"
    }
}
