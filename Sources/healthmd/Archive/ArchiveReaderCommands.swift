import CanonicalJSON
import DayArchive
import DurableStore
import Foundation

/// `archive reader connect|sync|status|query|ask|read`: the mirror and raw events (day-archive-reader.md 8). The commands of the
/// tools stand beside them.
enum ArchiveReaderCommands {
    static let all = [connect, sync, status, query, ask, read] + ArchiveToolCommands.all

    /// The first day; `days` is how many are looked at without it, nil for all.
    static func sinceOption(days: Int?) -> OptionSpec {
        .value(
            "--since", .text, "D",
            "first day, YYYY-MM-DD"
                + (days.map { "; without it the \($0) days up to --until" } ?? "; without it from the start"))
    }

    static let untilOption = OptionSpec.value("--until", .text, "D", "last day, included (today)")
    private static let lastOption = OptionSpec.value("--until", .text, "D", "last day, included; without it to the end")
    private static let urlOption = OptionSpec.value("--url", .text, "URL", "another address of the service; remembered")
    private static let filterOptions: [OptionSpec] = [
        .value("--metric", .text, "NAME", "only this metric"),
        .value("--bucket", .choice(["hour", "day"]), "SIZE", "only totals of this size"),
        sinceOption(days: nil), lastOption,
        .value("--limit", .integer(1...Int.max), "N", "at most so many events"),
        .value(
            "--format", .choice(["ndjson", "summary"]), "FORM",
            "one event a line (default), or counts; with --json one document, unless ndjson is asked for"),
    ]

    /// Runs a reader command. Without `--json` an error is one line with its code, as readers of this archive expect; exit 2, unless
    /// `--exit-codes` asks for those of the other commands.
    static func run(
        _ invocation: Invocation, _ console: Console, _ body: (ArchiveReader) throws -> Void
    ) throws -> ExitCode {
        try reporting(invocation, console) {
            let reader = ArchiveReader(profile: try profile(invocation))
            if let url = invocation.text("--url") { try reader.useEndpoint(url) }
            try body(reader)
        }
    }

    private static func reporting(
        _ invocation: Invocation, _ console: Console, _ body: () throws -> Void
    ) throws -> ExitCode {
        do {
            try body()
            return .success
        } catch let error as UsageError {
            throw error
        } catch {
            guard !invocation.has("--json") else { throw error }
            let failure = FailureText.failure(of: error)
            console.note("error: \(TerminalText.safe(failure.message)) (\(failure.code))")
            return invocation.has("--exit-codes") ? failure.status : .usage
        }
    }

    private static func profile(_ invocation: Invocation) throws -> ReaderProfile {
        let path = ReaderProfile.path(
            environment: ProcessInfo.processInfo.environment,
            workingDirectory: FileManager.default.currentDirectoryPath, stateFolder: try StateRoot.path(invocation))
        return try ReaderProfile(path: path)
    }

    /// The first ten characters of a bound must be a day.
    static func day(_ name: String, _ invocation: Invocation) throws -> ArchiveDay? {
        guard let text = invocation.text(name) else { return nil }
        do {
            return try ArchiveDay(text: text.prefix(10))
        } catch {
            let why = DateForm.whyNoDay(String(text.prefix(10))) ?? "takes a day as YYYY-MM-DD"
            throw UsageError(.valueValidation, "\(name) \(why)", command: invocation.command.path)
        }
    }

    private static func checkDays(_ invocation: Invocation) throws {
        let since = try day("--since", invocation)
        let until = try day("--until", invocation)
        if let since, let until, since > until {
            throw UsageError(.valueValidation, "--since is later than --until", command: invocation.command.path)
        }
    }

    private static func filter(_ invocation: Invocation) throws -> EventFilter {
        EventFilter(
            metric: invocation.text("--metric"), bucket: invocation.text("--bucket"),
            since: try day("--since", invocation), until: try day("--until", invocation))
    }

    static let connect = CommandSpec(
        "archive", "reader", "connect",
        summary: "Takes a handoff: keys and address go into the reader's private folder.",
        examples: [
            Example("healthmd archive reader connect --handoff handoff.txt", "then delete the file"),
            Example("healthmd archive reader connect --handoff -", "the text comes on standard input"),
        ],
        options: [.value("--handoff", .file, "FILE", "the handoff; - is standard input").required],
        run: { invocation, console in
            try reporting(invocation, console) {
                let bytes = try ArchiveFolders.contents(
                    invocation.text("--handoff") ?? "-", option: "--handoff", console)
                let profile = try profile(invocation)
                let done = try ArchiveReader.connect(profile, handoff: String(decoding: bytes, as: UTF8.self))
                console.print(
                    [
                        "schema": "healthmd.archive_connection", "schema_version": 1, "status": "success",
                        "bucket": .string(done.bucket.text), "url": .string(done.endpoint.url),
                        "profile": .string(profile.path), "files": .array(done.files.map { .string($0) }),
                    ], invocation)
            }
        })

    static let sync = CommandSpec(
        "archive", "reader", "sync", summary: "Copies and opens every day that changed. Safe to interrupt.",
        examples: [
            Example("healthmd archive reader sync", "everything that changed"),
            Example("healthmd archive reader sync --since 2026-08-01", "only from that day on"),
        ],
        options: [sinceOption(days: nil), lastOption, urlOption], validate: checkDays,
        run: { invocation, console in
            try run(invocation, console) { reader in
                let report = try reader.sync(
                    since: try day("--since", invocation), until: try day("--until", invocation))
                guard !invocation.has("--json") else { return console.print(ArchiveDocuments.sync(report)) }
                console.print(
                    text: report.copied == 0
                        ? "Nothing has changed; \(report.mirrored) days are mirrored.\n"
                        : "\(report.copied) days copied; \(report.mirrored) are mirrored.\n")
            }
        })

    static let status = CommandSpec(
        "archive", "reader", "status", summary: "Shows what the archive holds and what is held here.",
        examples: [Example("healthmd archive reader status", "three lines")], options: [urlOption],
        run: { invocation, console in
            try run(invocation, console) { reader in
                let status = try reader.status()
                guard !invocation.has("--json") else { return console.print(ArchiveDocuments.status(status)) }
                console.print(text: status.lines.map { $0 + "\n" }.joined())
            }
        })

    static let query = CommandSpec(
        "archive", "reader", "query", summary: "Answers from the mirror, without the network: one event a line.",
        examples: [
            Example("healthmd archive reader query --metric sleep --since 2026-08-01", "nights of August on"),
            Example("healthmd archive reader query --format summary", "how many events of each metric"),
        ],
        options: filterOptions, validate: checkDays,
        run: { invocation, console in
            try run(invocation, console) { reader in
                let filter = try filter(invocation)
                let events = try reader.query(filter, limit: invocation.integer("--limit"))
                try ArchiveNames.requireKnown(metric: filter.metric, found: events.matchCount, reader)
                let missing = try reader.missingFiles(since: filter.since, until: filter.until)
                try ArchiveOutput(invocation, console).print(events, missing: missing)
                if missing > 0 {
                    console.note(
                        "the files of \(missing) copied days are gone, so the answer lacks them; to fetch them again: "
                            + "healthmd archive reader sync")
                }
            }
        })

    static let ask = CommandSpec(
        "archive", "reader", "ask", summary: "Fetches only the days that a question covers, opens them, and answers.",
        examples: [
            Example(
                "healthmd archive reader ask --metric sleep --since 2026-08-01 --until 2026-08-31", "keeps nothing here"
            )
        ],
        options: filterOptions + [urlOption], validate: checkDays,
        run: { invocation, console in
            try run(invocation, console) { reader in
                let filter = try filter(invocation)
                let events = try reader.ask(filter, limit: invocation.integer("--limit"))
                try ArchiveNames.requireKnown(metric: filter.metric, found: events.matchCount, reader)
                try ArchiveOutput(invocation, console).print(events)
                console.note("\(events.dayCount) days fetched, \(events.lines.count) events kept")
            }
        })

    static let read = CommandSpec(
        "archive", "reader", "read", summary: "Fetches a range and prints every event of it, day by day.",
        examples: [
            Example(
                "healthmd archive reader read --since 2026-08-01 --until 2026-08-31",
                "unfiltered; of the evening before only what reaches into the range")
        ],
        options: [sinceOption(days: nil), lastOption, urlOption], validate: checkDays,
        run: { invocation, console in
            try run(invocation, console) { reader in
                let output = try ArchiveOutput(invocation, console)
                try reader.read(
                    since: try day("--since", invocation), until: try day("--until", invocation)
                ) { _, lines in try output.append(lines) }
                try output.finish()
            }
        })
}
