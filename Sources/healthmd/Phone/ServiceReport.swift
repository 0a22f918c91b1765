import CanonicalJSON
import Foundation
import Sender

/// What a phone service says while it works: a line per event on standard error, or JSON lines.
final class ServiceReport: Sendable {
    private enum Mode {
        case silent
        case lines
        case json
    }

    private let console: Console
    private let mode: Mode

    init(_ invocation: Invocation, _ console: Console) {
        self.console = console
        mode = invocation.has("--quiet") ? .silent : invocation.has("--progress-json") ? .json : .lines
    }

    /// Prints one event.
    func take(_ event: SenderEvent) {
        let (name, members) = Self.describe(event)
        let time = RFC3339.seconds(since2001: Date().timeIntervalSinceReferenceDate.rounded(.down)) ?? ""
        switch mode {
        case .silent: return
        case .json:
            var line: JSONObject = [
                "schema": "healthmd.cli_progress", "schema_version": 1, "phase": .string(name),
                "timestamp": .string(time),
            ]
            line.members += members.members
            console.note(document: .object(line))
        case .lines:
            let fields = members.members.map { "\($0.key)=\(Self.text($0.value))" }
            console.note(([time, name] + fields).joined(separator: " "))
            if event == .pairAgain {
                console.note(
                    "the receiver does not know this phone any more. Pair again: healthmd pair there, then here: "
                        + "healthmd phone pair HOST")
            }
        }
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string {
            return text.contains(" ") ? "“\(TerminalText.safe(text))”" : TerminalText.safe(text)
        }
        return String(decoding: JSONWriter.encode(value, style: .compact), as: UTF8.self)
    }

    private static func describe(_ event: SenderEvent) -> (name: String, members: JSONObject) {
        switch event {
        case .connected(let name, let installationID, let secureRecords):
            return (
                "connected",
                [
                    "name": .string(name), "installation_id": .string(installationID.uuidString),
                    "secure_records": .bool(secureRecords),
                ]
            )
        case .disconnected(let code, let retryAfter):
            var members: JSONObject = ["code": .string(code)]
            members.append("retry_after_seconds", ifPresent: retryAfter.map(JSONValue.double))
            return ("disconnected", members)
        case .pairAgain: return ("pair_again", [:])
        case .jobAccepted(let jobID, let mode, let days):
            return ("job_accepted", job(jobID, ["mode": .string(mode), "total_days": .integer(days)]))
        case .jobResumed(let jobID, let partitions):
            return ("job_resumed", job(jobID, ["committed_partitions": .integer(partitions)]))
        case .requestRejected(let jobID, let reason):
            return ("request_rejected", job(jobID, ["reason": .string(reason)]))
        case .dayPrepared(let jobID, let processed, let total, let byteCount):
            return (
                "day_prepared",
                job(
                    jobID,
                    [
                        "processed_days": .integer(processed), "total_days": .integer(total),
                        "bytes": .number(JSONNumber(byteCount)),
                    ])
            )
        case .partitionCommitted(let jobID, let index, let byteCount):
            return (
                "partition_committed",
                job(jobID, ["partition_index": .integer(index), "bytes": .number(JSONNumber(byteCount))])
            )
        case .jobPaused(let jobID, let message):
            return ("job_paused", job(jobID, ["message": .string(message)]))
        case .jobEnded(let jobID, let state, let message):
            var members: JSONObject = ["state": .string(StateWord.snake(state))]
            members.append("message", ifPresent: message.map(JSONValue.string))
            return ("job_ended", job(jobID, members))
        case .pushDropped(let jobID, let code): return ("push_dropped", job(jobID, ["code": .string(code)]))
        case .storeFailed(let code): return ("store_failed", ["code": .string(code)])
        }
    }

    private static func job(_ jobID: UUID, _ members: JSONObject) -> JSONObject {
        JSONObject([JSONObject.Member("job_id", .string(jobID.uuidString))] + members.members)
    }
}
