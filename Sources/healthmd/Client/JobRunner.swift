import CanonicalJSON
import Foundation
import HTTPClient

/// Creates or resumes a job and follows it to its answer: progress, wake time, interruption.
struct JobRunner {
    let client: ControlClient
    let jobID: UUID
    let console: Console
    let progress: ProgressReporter
    let interruption: Interruption

    /// How a job ended for this client.
    enum Outcome {
        /// A small response object.
        case answer(ControlClient.Answer)
        /// A raw body that went into the sink; its headers are checked by whoever made the sink.
        case raw(HTTPTransfer.Head)
    }

    private var route: String { "/v1/exports/" + jobID.uuidString }

    /// `POST /v1/exports`, then waits. With a wake time the job is queued while the phone is away.
    func create(
        _ request: JSONObject, wakeSeconds: Int, inactivitySeconds: Double,
        raw: @escaping (HTTPTransfer.Head) throws -> HTTPTransfer.BodySink
    ) throws -> Outcome {
        var request = request
        request.append("job_id", .string(jobID.uuidString))
        request.append("wait_timeout_seconds", .double(inactivitySeconds))
        if wakeSeconds > 0 { request.append("queue_if_offline", true) }
        console.note("job \(jobID.uuidString)")
        progress.report(phase: "job_created", state: nil)
        let outcome = try wait("POST", "/v1/exports", .object(request), raw)
        if case .answer(let answer) = outcome, answer.isRefusal {
            console.note("nothing was started: the receiver keeps no job of this id")
        }
        guard case .answer(let answer) = outcome, answer.status == 202, answer.document["state"]?.string == "queued"
        else { return outcome }
        console.note("the phone is not connected; waiting up to \(wakeSeconds) s for it")
        try waitWhileQueued(seconds: wakeSeconds)
        return try resume(inactivitySeconds: inactivitySeconds, raw: raw)
    }

    /// `POST /v1/exports/{id}/resume`, then waits.
    func resume(
        inactivitySeconds: Double, raw: @escaping (HTTPTransfer.Head) throws -> HTTPTransfer.BodySink
    ) throws -> Outcome {
        try wait("POST", route + "/resume", ["wait_timeout_seconds": .double(inactivitySeconds)], raw)
    }

    private func waitWhileQueued(seconds: Int) throws {
        let deadline = Date().addingTimeInterval(Double(seconds))
        while Date() < deadline {
            if interruption.signal != nil { throw HTTPTransfer.Failure.stopped }
            let answer = try client.send("GET", route + "?fields=state")
            if answer.document["state"]?.string != "queued" { return }
            Thread.sleep(forTimeInterval: 0.5)
        }
        throw CommandFailure(
            "iphone_not_connected",
            "the phone did not come within \(seconds) s; the job stays queued and starts when it connects. To drop it: "
                + "healthmd cancel \(jobID.uuidString)", status: .peerUnavailable,
            details: [("job_id", .string(jobID.uuidString)), ("state", "queued")])
    }

    private func wait(
        _ method: String, _ path: String, _ body: JSONValue,
        _ raw: @escaping (HTTPTransfer.Head) throws -> HTTPTransfer.BodySink
    ) throws -> Outcome {
        let poller = ProgressPoller(client: client, path: route + "?fields=state", progress: progress)
        poller.start()
        defer { poller.stop() }
        let result: (answer: ControlClient.Answer?, head: HTTPTransfer.Head)
        do {
            result = try client.receive(method, path, body, shouldStop: { interruption.signal != nil }) { head in
                poller.stop()
                progress.report(phase: "downloading", state: nil)
                return try raw(head)
            }
        } catch let failure as CommandFailure
            where poller.hasSeenJob || failure.code == "response_cut_short"
        {
            throw lost(failure, isKept: poller.hasSeenJob)
        }
        if let answer = result.answer { return .answer(answer) }
        return .raw(result.head)
    }

    /// The receiver went away, or broke off. Whether it has the job is known only when it has said so: its answer to the request
    /// may have been lost, or the request before it was stored.
    private func lost(_ failure: CommandFailure, isKept: Bool) -> CommandFailure {
        guard ["receiver_unreachable", "response_cut_short"].contains(failure.code) else { return failure }
        let job = jobID.uuidString
        let next =
            isKept
            ? "the job is kept. Start it again with: healthmd serve; then go on with: healthmd resume \(job)"
            : "it may or may not have the job. Start it again with: healthmd serve; then ask with: healthmd status --job \(job); if "
                + "it is there go on with: healthmd resume \(job), else run this command again"
        return CommandFailure(
            "receiver_lost", "the receiver went away while the job was waited for; \(next)", status: failure.status,
            details: [("job_id", .string(job)), ("legacy_error", "mac_app_unreachable")])
    }
}
