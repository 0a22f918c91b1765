import CanonicalJSON
import Foundation
import HTTPClient

/// `healthmd export`: files of a range of days, or one strict raw document (cli.md 4).
enum ExportCommand {
    static let spec = CommandSpec(
        "export",
        summary: "Asks the phone for days and writes their files, or with --raw one strict raw document.",
        examples: [
            Example("healthmd export --last 7", "the seven days up to yesterday, one file a day"),
            Example("healthmd export --from 2026-03-01 --to 2026-03-31", "a month"),
            Example("healthmd export --all --use-iphone-settings", "everything, with the phone's own roll-ups"),
            Example(
                "healthmd export --last 30 --category Sleep --destination ~/Sleep",
                "some metrics, into an existing folder of their own"),
            Example("healthmd export --yesterday --raw --output day.json", "the full source records of one day"),
        ],
        options: DateForm.options + SelectionOptions.all + JobOptions.all + [
            .flag("--raw", "strict raw JSON of the source records instead of files"),
            .output("with --raw: write there (0600, atomically) instead of standard output"),
            .flag("--allow-partial", "with --raw: exit 0 on a validated partial result"),
            .flag(
                "--use-iphone-settings", "the phone's saved settings exactly, roll-ups included",
                aliases: ["--use-device-settings"]),
            .value("--destination", .folder, "DIR", "write this job there instead of the stored destination"),
            .flag("--replace", "with chosen metrics: also over files that hold more than these"),
            .flag("--strict", "exit 1 when some days, or parts of them, could not be written; without it 0"),
            JobOptions.database,
            .flag("--iphone", "accepted for old scripts, without effect"),
        ],
        exclusive: DateForm.exclusive + SelectionOptions.exclusive + [
            ["--raw", "--metric"], ["--raw", "--category"], ["--raw", "--all-metrics"], ["--raw", "--detail"],
            ["--raw", "--source"], ["--raw", "--use-iphone-settings"], ["--raw", "--destination"],
            ["--raw", "--replace"], ["--raw", "--database"], ["--raw", "--strict"],
            ["--use-iphone-settings", "--metric"], ["--use-iphone-settings", "--category"],
            ["--use-iphone-settings", "--all-metrics"], ["--use-iphone-settings", "--detail"],
            ["--use-iphone-settings", "--source"],
        ],
        validate: validate,
        guidance: { invocation in
            guard !DateForm.isGiven(invocation) else { return nil }
            return Guidance(
                message: "Which days? Nothing was asked of the phone.", missing: ["dates"],
                exactlyOneOf: [["--from D --to D", "--last N", "--yesterday", "--all"]],
                examples: [
                    Example("healthmd export --last 7", "the seven days up to yesterday"),
                    Example("healthmd export --from 2026-03-01 --to 2026-03-31", "a month"),
                ])
        },
        run: run)

    private static func validate(_ invocation: Invocation) throws {
        _ = try DateForm.read(invocation, today: LocalCalendar.today())
        if invocation.has("--output"), !invocation.has("--raw") {
            throw UsageError(.argumentConflict, "--output goes with --raw", command: ["export"])
        }
        if invocation.has("--allow-partial"), !invocation.has("--raw") {
            throw UsageError(
                .argumentConflict,
                "--allow-partial goes with --raw; files of the days that are there are always written",
                command: ["export"])
        }
        if invocation.has("--replace"), !SelectionOptions.hasScope(invocation) {
            throw UsageError(
                .missingRequiredArgument, "--replace goes with --metric, --category or --all-metrics",
                command: ["export"],
                accepted: ["--metric", "--category", "--all-metrics"])
        }
        if invocation.has("--detail") || invocation.has("--source"), !SelectionOptions.hasScope(invocation) {
            throw UsageError(
                .missingRequiredArgument, "--detail and --source need --metric, --category or --all-metrics",
                command: ["export"], accepted: ["--metric", "--category", "--all-metrics"])
        }
    }

    private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
        var request: JSONObject = ["source": "connected_iphone"]
        try DateForm.read(invocation, today: LocalCalendar.today()).add(to: &request)
        request.append(
            "settings_policy",
            invocation.has("--use-iphone-settings") ? "current_iphone_settings" : "requested_dates_only")
        if let device = invocation.uuid("--device") { request.append("device_id", .string(device.uuidString)) }
        if invocation.has("--raw") {
            request.append("response_mode", "raw_json")
            request.append("raw_profile", "canonical_source_records_v1")
            return try RawJob.run(request, invocation, console)
        }
        request.append("response_mode", "write_files")
        if SelectionOptions.hasScope(invocation) {
            request.append("canonical_selection", SelectionOptions.selection(invocation, paths: []))
            if invocation.has("--replace") { request.append("replace_existing", true) }
        }
        if let folder = invocation.text("--destination") {
            request.append("destination", .string(try AbsolutePath.folder(folder)))
        }
        return try FileJob.create(request, invocation, console)
    }
}

/// Jobs that write files: their answer is one small document.
enum FileJob {
    static func create(_ request: JSONObject, _ invocation: Invocation, _ console: Console) throws -> ExitCode {
        // Before the export: it may take hours, and its files are there then without the database.
        if let file = invocation.text("--database") { try DatabaseUpdate.requireUsable(file) }
        return try follow(invocation, console, jobID: UUID()) { runner in
            try runner.create(
                request, wakeSeconds: JobOptions.wakeSeconds(invocation),
                inactivitySeconds: JobOptions.inactivitySeconds(invocation), raw: refuseRaw)
        }
    }

    private static func refuseRaw(_ head: HTTPTransfer.Head) throws -> HTTPTransfer.BodySink {
        throw CommandFailure("invalid_response", "the receiver answered a file job with a raw result")
    }

    /// Runs one job to its answer and prints it; an interruption prints how to go on.
    static func follow(
        _ invocation: Invocation, _ console: Console, jobID: UUID, _ body: (JobRunner) throws -> JobRunner.Outcome
    ) throws -> ExitCode {
        let interruption = Interruption.watch()
        let progress = ProgressReporter(invocation, console)
        let runner = JobRunner(
            client: try ControlClient(invocation), jobID: jobID, console: console, progress: progress,
            interruption: interruption)
        do {
            let outcome = try body(runner)
            progress.finish()
            guard case .answer(let answer) = outcome else {
                throw CommandFailure("invalid_response", "the receiver answered a file job with a raw result")
            }
            if answer.status == 200 { progress.report(phase: "completed", state: answer.document) }
            progress.finish()
            let hint = try missingFolder(answer, invocation, runner) ?? JobHint.of(answer, jobID, invocation)
            guard let file = invocation.text("--database"), answer.status == 200 else {
                console.print(answer, hint: hint, invocation)
                return JobExit.status(answer, strict: invocation.has("--strict"))
            }
            if let hint { console.note(hint) }
            return updateDatabase(file, after: answer, hint, invocation, console, interruption)
        } catch HTTPTransfer.Failure.stopped {
            progress.finish()
            console.note("interrupted; the job goes on. To wait for it again: healthmd resume \(jobID.uuidString)")
            return interruption.exitStatus
        }
    }
}

extension FileJob {
    /// The hint for a destination that is not there, with its path.
    private static func missingFolder(
        _ answer: ControlClient.Answer, _ invocation: Invocation, _ runner: JobRunner
    ) throws -> JobHint? {
        guard answer.failureReason == "mac_destination_unavailable" else { return nil }
        let path: String
        let command: String
        if let given = invocation.text("--destination") {
            path = try AbsolutePath.folder(given)
            command = invocation.spelled
        } else {
            guard let stored = try runner.client.send("GET", "/v1/status").document["destination"]?["path"]?.string
            else {
                return nil
            }
            path = stored
            command = "healthmd destination set \(ShellText.quoted(stored))"
        }
        let steps = MissingFolder.steps(path, then: command)
        return steps.isEmpty ? nil : JobHint(sentence: "\(path) does not exist", steps: steps)
    }

    /// The step after a finished export: the database is brought to the files of the destination. What it did stands in
    /// the answer as `database`; its failure does not hide that the export succeeded, but the command fails.
    private static func updateDatabase(
        _ file: String, after answer: ControlClient.Answer, _ hint: JobHint?, _ invocation: Invocation,
        _ console: Console, _ interruption: Interruption
    ) -> ExitCode {
        var document = answer.document.object ?? [:]
        var exit = JobExit.status(answer, strict: invocation.has("--strict"))
        do {
            guard let destination = answer.document["destination_path"]?.string else {
                throw CommandFailure(
                    "invalid_response",
                    "the receiver named no destination; run healthmd database update on its folder")
            }
            let update = try DatabaseUpdate.run(folder: destination, file: file, interruption)
            update.tellUnreadable(console)
            if update.isInterrupted {
                console.note(
                    "interrupted; to go on: healthmd database update \(ShellText.quoted(destination)) -o "
                        + ShellText.quoted(file))
                exit = interruption.exitStatus
            }
            document.append("database", .object(update.document))
            if exit == .success { exit = update.exit(strict: invocation.has("--strict")) }
        } catch {
            let failure = FailureText.failure(of: error)
            document.append(
                "database", ["status": "failure", "error": .string(failure.code), "message": .string(failure.message)])
            console.note("the database was not updated: \(TerminalText.safe(failure.message)) (\(failure.code))")
            if exit == .success { exit = failure.status }
        }
        console.print(console.with(hint, .object(document)), invocation)
        return exit
    }
}

/// Paths as the receiver wants them.
enum AbsolutePath {
    /// `~` and relative paths made absolute, without touching the disk.
    static func of(_ path: String) throws -> String {
        let expanded = (path as NSString).expandingTildeInPath
        if expanded.hasPrefix("/") { return expanded }
        return FileManager.default.currentDirectoryPath + "/" + expanded
    }

    /// The same without `.` and `..`, for a receiver that works elsewhere and takes neither. What stands before a `..` is
    /// resolved as the system would, links included; the last name stays what was typed.
    static func folder(_ path: String) throws -> String {
        var resolved = ""
        for name in try of(path).split(separator: "/") where name != "." {
            guard name == ".." else {
                resolved += "/" + name
                continue
            }
            guard let real = realpath(resolved.isEmpty ? "/" : resolved, nil) else {
                throw CommandFailure(
                    "invalid_destination", "the folder before “..” does not exist; write the path without it",
                    details: [("path", .string(path))])
            }
            defer { free(real) }
            let parent = (String(cString: real) as NSString).deletingLastPathComponent
            resolved = parent == "/" ? "" : parent
        }
        return resolved.isEmpty ? "/" : resolved
    }
}
