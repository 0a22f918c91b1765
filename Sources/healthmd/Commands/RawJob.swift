import CanonicalJSON
import Foundation
import HTTPClient
import RawResult

/// Jobs whose result is data: strict raw and projections (cli.md 4–6, raw-result.md 8–12).
enum RawJob {
    private static let resultStays = "The job's result stays available."

    /// `export --raw` and `extract`: creates the job and delivers its result.
    static func run(_ request: JSONObject, _ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let profile = request["raw_profile"]?.string
        let range = request["date_range"].flatMap { range -> (first: String, last: String)? in
            guard let first = range["start"]?.string, let last = range["end"]?.string else { return nil }
            return (first, last)
        }
        let job = UUID()
        return try follow(invocation, console, job, .init(profile: profile, range: range, jobID: job)) { runner, raw in
            try runner.create(
                request, wakeSeconds: JobOptions.wakeSeconds(invocation),
                inactivitySeconds: JobOptions.inactivitySeconds(invocation), raw: raw)
        }
    }

    /// `resume`: of any job; a raw result passes the whole validation again, and the files of a job that was done before are
    /// looked at again.
    static func resume(_ job: UUID, _ invocation: Invocation, _ console: Console) throws -> ExitCode {
        try follow(invocation, console, job, .init(jobID: job)) { runner, raw in
            let client = runner.client
            let state = try client.send("GET", "/v1/exports/\(job.uuidString)?fields=state").document
            let outcome = try runner.resume(inactivitySeconds: JobOptions.inactivitySeconds(invocation), raw: raw)
            if state["state"]?.string == "completed", case .answer(let answer) = outcome, answer.status == 200 {
                try requireFiles(of: job, client) { runner.interruption.signal != nil }
            }
            return outcome
        }
    }

    /// - Throws: `files_missing`.
    private static func requireFiles(
        of job: UUID, _ client: ControlClient, shouldStop: @escaping () -> Bool
    ) throws {
        let answer = try client.send(
            "POST", "/v1/exports/\(job.uuidString)/verify", [:], timeout: ControlClient.waitingTimeout,
            shouldStop: shouldStop)
        guard answer.word == "different" else { return }
        if let failure = Verification(answer.document).missing(job, try JobOrigin.of(job, client)) { throw failure }
    }

    /// `status --job --fetch`: the result of a finished job, without waking anybody.
    static func fetch(_ job: UUID, _ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let client = try ControlClient(invocation)
        return try follow(invocation, console, job, .init(jobID: job)) { runner, raw in
            let result = try client.receive(
                "GET", "/v1/exports/" + job.uuidString, nil, shouldStop: { runner.interruption.signal != nil }, raw: raw
            )
            if let answer = result.answer { return .answer(answer) }
            return .raw(result.head)
        }
    }

    private typealias MakeSink = (HTTPTransfer.Head) throws -> HTTPTransfer.BodySink

    private static func follow(
        _ invocation: Invocation, _ console: Console, _ job: UUID, _ expectation: RawResponseCheck.Expectation,
        _ body: (JobRunner, @escaping MakeSink) throws -> JobRunner.Outcome
    ) throws -> ExitCode {
        let interruption = Interruption.watch()
        let progress = ProgressReporter(invocation, console)
        let runner = JobRunner(
            client: try ControlClient(invocation), jobID: job, console: console, progress: progress,
            interruption: interruption)
        var download: DownloadedBody?
        do {
            let outcome = try body(runner) { head in
                let target = try DownloadedBody(head: head)
                download = target
                return { try target.append($0) }
            }
            progress.finish()
            switch outcome {
            case .answer(let answer): return try small(answer, expectation, job, invocation, console)
            case .raw:
                guard let download else { preconditionFailure("a raw outcome has a body") }
                progress.report(phase: "validating", state: nil)
                defer { progress.finish() }
                return try deliver(download, expectation, invocation, console, progress)
            }
        } catch HTTPTransfer.Failure.stopped {
            progress.finish()
            console.note("interrupted; the job goes on. To wait for it again: healthmd resume \(job.uuidString)")
            return interruption.exitStatus
        }
    }

    private static func small(
        _ answer: ControlClient.Answer, _ expectation: RawResponseCheck.Expectation, _ job: UUID,
        _ invocation: Invocation, _ console: Console
    ) throws -> ExitCode {
        // A result that does not vouch for itself by its headers is not passed on (raw-result.md 1, 8).
        let isData = answer.document["raw_result"] != nil || answer.document["raw_data"] != nil
        if isData || (answer.status == 200 && expectation.profile != nil) {
            throw invalid(["validation_headers_missing"], profile: expectation.profile)
        }
        let hint = JobHint.of(answer, job, invocation)
        if let path = invocation.text("--output"), answer.status == 200 {
            var bytes: [UInt8] = []
            ControlStyle.append(answer.document, to: &bytes)
            bytes.append(0x0A)
            try OutputFile.write(path, nextStep: resultStays) { sink in try bytes.withUnsafeBytes(sink) }
            if let hint { console.note(hint) }
        } else {
            console.print(answer, hint: hint, invocation)
        }
        return JobExit.status(answer, strict: invocation.has("--strict"))
    }

    private static func deliver(
        _ body: DownloadedBody, _ expectation: RawResponseCheck.Expectation, _ invocation: Invocation,
        _ console: Console, _ progress: ProgressReporter
    ) throws -> ExitCode {
        let response = try validated(body, expectation)
        let isPartial = response.status == "partial_success"
        progress.report(phase: "completed", state: nil)
        progress.finish()
        if response.profile == "health_data_projection" {
            return try extract(response, body, isPartial, invocation, console)
        }
        if let path = invocation.text("--output") {
            try OutputFile.write(path, nextStep: resultStays) { sink in try copy(body, sink) }
        } else {
            try copy(body) { console.write($0) }
            console.write([0x0A])
        }
        guard isPartial, !invocation.has("--allow-partial") else { return .success }
        let reasons = try PartialReasons(response) { try body.read($0, $1) }
        console.note(
            "the result is written and checked. \(reasons.sentence) Each day's status says more; --allow-partial makes this "
                + "exit 0")
        return .partial
    }

    /// The checks of raw-result.md 8, in its order.
    private static func validated(
        _ body: DownloadedBody, _ expectation: RawResponseCheck.Expectation
    ) throws -> RawResponse {
        let claims = try body.verifiedClaims()
        var offset = 0
        let response: RawResponse
        do {
            response = try RawResponseScanner.scan { buffer in
                let count = try body.read(offset, buffer)
                offset += count
                return count
            }
        } catch let error as JSONError {
            throw invalid(
                ["malformed_streamed_json"], profile: expectation.profile,
                details: [("offset", .integer(error.offset))])
        } catch let error as RawResultError {
            throw invalid([error.code], profile: expectation.profile)
        }
        var issues = RawResponseCheck.issues(response, expecting: expectation)
        if claims.status != response.status || claims.firstDate != response.firstDate
            || claims.lastDate != response.lastDate || claims.totalDays != response.totalRequestedDays
        {
            issues.append("raw_response_date_range_mismatch")
        }
        guard issues.isEmpty else { throw invalid(issues, profile: response.profile ?? expectation.profile) }
        return response
    }

    private static func invalid(
        _ issues: [String], profile: String?, details: [(String, JSONDetail)] = []
    ) -> CommandFailure {
        CommandFailure(
            profile == "health_data_projection"
                ? "invalid_canonical_health_data_response" : "invalid_strict_raw_success",
            "the result does not pass its checks; do not use or repair it. Inspect the job, then resume it",
            status: .integrity,
            details: [("validation_errors", .array(issues.prefix(256).map(JSONValue.string)))] + details)
    }

    private static func extract(
        _ response: RawResponse, _ body: DownloadedBody, _ isPartial: Bool, _ invocation: Invocation,
        _ console: Console
    ) throws -> ExitCode {
        let extraction = Extraction(response) { try body.read($0, $1) }
        if isPartial, !invocation.has("--allow-partial") {
            let reasons = try PartialReasons(response) { try body.read($0, $1) }
            throw CommandFailure(
                "partial_canonical_extraction",
                "\(reasons.sentence) No data was written; the same command with --allow-partial gives what is there",
                status: .partial, details: [("reasons", reasons.document), ("receipt", extraction.receipt)])
        }
        let format = Extraction.Format(rawValue: invocation.text("--format") ?? "json") ?? .json
        do {
            if let path = invocation.text("--output") {
                try OutputFile.write(path, nextStep: resultStays) { sink in try extraction.write(format, to: sink) }
                if format == .jsonl {
                    let receipt = JSONWriter.encode(extraction.receipt, style: .compactSorted) + [0x0A]
                    try OutputFile.write(path + ".receipt.json", nextStep: resultStays) { sink in
                        try receipt.withUnsafeBytes(sink)
                    }
                }
            } else {
                try extraction.write(format) { console.write($0) }
                if format == .jsonl {
                    console.note(document: extraction.receipt)
                }
            }
        } catch let error as RawResultError {
            throw CommandFailure(
                error.code,
                "a day's document is too large to be projected; ask for fewer metrics, or drop --object "
                    + "and --field to get whole documents")
        }
        return .success
    }

    private static func copy(_ body: DownloadedBody, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_024 * 1_024, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < body.byteCount {
            let count = try body.read(offset, buffer)
            guard count > 0 else { break }
            try sink(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }
}
