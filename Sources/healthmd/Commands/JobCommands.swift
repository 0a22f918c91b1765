import CanonicalJSON
import Foundation

/// `status`, `jobs`, `resume`, `cancel` (cli.md 6).
enum JobCommands {
    static let all = [status, jobs, jobsShow, jobsVerify, resume, cancel]

    private static let identifier = PositionalSpec(name: "UUID", kind: .uuid, count: .one, summary: "the job's id")

    static let status = CommandSpec(
        "status", summary: "Shows the receiver, the phone, the destination and the active job; with --job one job.",
        examples: [
            Example("healthmd status", "is the receiver there, and is the phone connected?"),
            Example("healthmd status --job UUID", "how far is that job?"),
        ],
        options: [
            .value("--job", .uuid, "UUID", "one job"),
            .flag("--fetch", "with --job: the data of a finished raw job, as resume prints it"),
        ],
        validate: { invocation in
            if invocation.has("--fetch"), !invocation.has("--job") {
                throw UsageError(.missingRequiredArgument, "--fetch goes with --job", command: ["status"])
            }
        },
        run: { invocation, console in
            let client = try ControlClient(invocation)
            guard let job = invocation.uuid("--job") else {
                let answer = try client.send("GET", "/v1/status")
                console.print(answer, invocation)
                return answer.status == 200 ? .success : .failure
            }
            if invocation.has("--fetch") { return try RawJob.fetch(job, invocation, console) }
            return try show(job, client, invocation, console)
        })

    static let jobs = CommandSpec(
        "jobs", aliases: [["jobs", "list"]], summary: "Lists the jobs that the receiver knows, newest first.",
        examples: [
            Example("healthmd jobs", "all jobs of the last seven days"),
            Example("healthmd jobs --state paused", "those that wait for a phone"),
        ],
        options: [
            .value(
                "--state",
                .choice([
                    "queued", "sent", "accepted", "preparing", "transferring", "paused", "completed", "failed",
                    "cancelled",
                ]), "STATE", "only jobs in this state", repeats: true),
            .value("--limit", .integer(1...200), "N", "at most N jobs (50)"),
            .value("--before", .text, "CURSOR", "the page after next_cursor"),
        ],
        run: { invocation, console in
            var query = invocation.texts("--state").map { "state=" + $0 }
            if let limit = invocation.integer("--limit") { query.append("limit=\(limit)") }
            if let cursor = invocation.text("--before")?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) {
                query.append("before=" + cursor)
            }
            let path = "/v1/exports" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
            let answer = try ControlClient(invocation).send("GET", path)
            let isFiltered = invocation.has("--state") || invocation.has("--before")
            if isFiltered, console.isForPeople(invocation), answer.document["jobs"]?.array?.isEmpty == true {
                let states = invocation.texts("--state").joined(separator: " or ")
                console.print(
                    text: states.isEmpty
                        ? "no more jobs\n" : "no job is \(states); healthmd jobs lists those in other states\n")
                return .success
            }
            console.print(answer, invocation)
            return answer.status == 200 ? .success : .failure
        })

    static let jobsShow = CommandSpec(
        "jobs", "show", summary: "Shows one job.",
        examples: [Example("healthmd jobs show UUID", "state, counters, reason, expiry")], positionals: [identifier],
        run: { invocation, console in
            guard let job = invocation.identifier else { return .usage }
            return try show(job, try ControlClient(invocation), invocation, console)
        })

    static let jobsVerify = CommandSpec(
        "jobs", "verify",
        summary: "Reads every file of a job again and compares it with the digests that the receiver keeps.",
        examples: [Example("healthmd jobs verify UUID", "is everything still as it was written?")],
        positionals: [identifier],
        run: { invocation, console in
            guard let job = invocation.identifier else { return .usage }
            let client = try ControlClient(invocation)
            let answer = try client.send(
                "POST", "/v1/exports/\(job.uuidString)/verify", [:], timeout: ControlClient.waitingTimeout)
            guard answer.status == 200 else {
                console.print(answer, hint: JobHint.of(answer, job, invocation), invocation)
                return JobExit.failure(answer)
            }
            guard answer.word != "intact" else {
                console.print(answer, invocation)
                if answer.document["files"] == .integer(0) {
                    console.note("nothing to compare: this job keeps no file. healthmd jobs show \(job.uuidString)")
                }
                return .success
            }
            let origin = try JobOrigin.of(job, client)
            console.print(answer, hint: Verification(answer.document).hint(job, origin), invocation)
            return .integrity
        })

    static let resume = CommandSpec(
        "resume", summary: "Goes on with a job and waits for it; a finished one gives its result again.",
        examples: [Example("healthmd resume UUID", "after an interruption, a restart or a lost network")],
        positionals: [identifier],
        options: JobOptions.all.filter { $0.name == "--timeout" } + [
            .value("--format", .choice(["json", "jsonl"]), "FORMAT", "of an extract job"),
            .output("write the result there (0600, atomically)"),
            .flag("--allow-partial", "of a job with data: exit 0 on a validated partial result"),
            .flag("--strict", "of a job with files: exit 1 when some days, or parts of them, could not be written"),
        ],
        exclusive: [["--allow-partial", "--strict"]],
        guidance: needsIdentifier("resume", "Which job? healthmd jobs lists them."),
        run: { invocation, console in
            guard let job = invocation.identifier else { return .usage }
            return try RawJob.resume(job, invocation, console)
        })

    static let cancel = CommandSpec(
        "cancel", summary: "Cancels a job. Files that are already written stay.",
        examples: [Example("healthmd cancel UUID", "the only thing that cancels")], positionals: [identifier],
        guidance: needsIdentifier("cancel", "Which job? healthmd jobs lists them."),
        run: { invocation, console in
            guard let job = invocation.identifier else { return .usage }
            let answer = try end(job, try ControlClient(invocation))
            let isCancelled = answer.word == "cancelled"
            console.print(
                answer, hint: isCancelled ? nil : JobHint.of(answer, job, invocation), invocation,
                wasAskedFor: isCancelled)
            return isCancelled ? .success : JobExit.failure(answer)
        })

    /// Cancels a job. What has ended already answers with its whole result, which nobody asked for here: its state is shown.
    private static func end(_ job: UUID, _ client: ControlClient) throws -> ControlClient.Answer {
        let route = "/v1/exports/" + job.uuidString
        let before = try client.send("GET", route + "?fields=state")
        if ["completed", "failed", "cancelled"].contains(before.document["state"]?.string) { return before }
        let answer = try client.send("POST", route + "/cancel", [:])
        guard answer.document["raw_result"] != nil else { return answer }
        return try client.send("GET", route + "?fields=state")
    }

    private static func show(
        _ job: UUID, _ client: ControlClient, _ invocation: Invocation, _ console: Console
    ) throws -> ExitCode {
        let answer = try client.send("GET", "/v1/exports/\(job.uuidString)?fields=state")
        console.print(answer, invocation, wasAskedFor: true)
        return answer.status == 200 || answer.status == 202 ? .success : JobExit.failure(answer)
    }

    private static func needsIdentifier(_ command: String, _ message: String) -> @Sendable (Invocation) -> Guidance? {
        { invocation in
            guard invocation.identifier == nil else { return nil }
            return Guidance(
                message: message, missing: ["UUID"], exactlyOneOf: [],
                examples: [
                    Example("healthmd jobs", "lists the jobs with their ids"),
                    Example("healthmd \(command) UUID", "with the id of one of them"),
                ])
        }
    }
}
