import CanonicalJSON
import Foundation

/// The next step of a job that is not done, or not whole (cli.md 13, "recovery hints by code"): a line for standard error, and
/// `next_actions` of the document.
struct JobHint: Equatable {
    let sentence: String
    var steps: [NextStep] = []

    /// The sentence, and a line for each step.
    var lines: [String] { [steps.isEmpty || sentence.hasSuffix(".") ? sentence : sentence + ":"] + steps.lines }

    /// The hint of an answer; nil when its own message says enough.
    ///
    /// - Parameter invocation: the command that made or resumed the job.
    static func of(_ answer: ControlClient.Answer, _ jobID: UUID, _ invocation: Invocation) -> JobHint? {
        if let partial = PartialFiles(answer) {
            return partial.hint(invocation)
        }
        return answer.status == 200 ? nil : refused(answer, jobID.uuidString) ?? unfinished(answer, jobID.uuidString)
    }

    private static func refused(_ answer: ControlClient.Answer, _ job: String) -> JobHint? {
        switch answer.failureReason {
        case "export_in_progress":
            let active = answer.document["active_job_id"]?.string ?? "UUID"
            return JobHint(
                sentence: "job \(active) is not done, and jobs run one after the other",
                steps: [
                    NextStep("how far it is", "healthmd status --job \(active)"),
                    NextStep("to go on with it", "healthmd resume \(active)"),
                    NextStep("to drop it", "healthmd cancel \(active)"),
                ])
        case "job_waiter_exists":
            return JobHint(
                sentence: "another healthmd waits for this job",
                steps: [NextStep("how far it is", "healthmd status --job \(job)")])
        case "device_selection_required":
            return JobHint(
                sentence: "several phones are paired: choose one with --device UUID",
                steps: [NextStep("which there are", "healthmd devices")])
        case "iphone_not_connected" where answer.document["device_ids"]?.array?.isEmpty == true:
            return JobHint(sentence: "no phone is paired", steps: [NextStep("pair one", "healthmd pair")])
        case "direct_device_not_paired":
            return JobHint(sentence: "this phone is not paired", steps: [NextStep("which are", "healthmd devices")])
        case "selection_would_replace":
            return JobHint(
                sentence:
                    "choose another folder with --destination DIR, or replace what is there with --replace")
        case "iphone_not_connected":
            return JobHint(
                sentence:
                    "open the app on the phone, or run healthmd phone serve there; export and extract wait for it with "
                    + "--wake-timeout S")
        case "mac_destination_unavailable":
            return JobHint(
                sentence: "there is no folder to write to",
                steps: [NextStep("make one and choose it", "mkdir -p ~/Health && healthmd destination set ~/Health")])
        case "job_not_found", "job_expired":
            return JobHint(
                sentence: "the receiver keeps jobs for seven days", steps: [NextStep("which it has", "healthmd jobs")])
        case "cancellation_deferred":
            return JobHint(sentence: "one file is being written; the job is cancelled as soon as it is done")
        case "server_not_ready":
            return JobHint(
                sentence: "the receiver stops; the job is kept",
                steps: [NextStep("start it again", "healthmd serve"), NextStep("then", "healthmd resume \(job)")])
        default: return nil
        }
    }

    private static func unfinished(_ answer: ControlClient.Answer, _ job: String) -> JobHint? {
        guard ["accepted", "preparing", "timed_out"].contains(answer.word) else { return nil }
        return JobHint(
            sentence: "the job is not done",
            steps: [NextStep("to go on", "healthmd resume \(job)"), NextStep("to drop it", "healthmd cancel \(job)")])
    }
}

extension Console {
    /// An answer with its hint: in the document as `next_actions`, and as a line on standard error.
    func print(
        _ answer: ControlClient.Answer, hint: JobHint?, _ invocation: Invocation, wasAskedFor: Bool = false
    ) {
        if isForPeople(invocation) {
            print(answer, invocation, wasAskedFor: wasAskedFor)
        } else {
            print(with(hint, answer.document(advice)))
        }
        if let hint { note(hint) }
    }

    /// The lines of a hint on standard error.
    func note(_ hint: JobHint) {
        for line in hint.lines { note(TerminalText.safe(line)) }
    }

    /// A document with the hint's commands as `next_actions`.
    func with(_ hint: JobHint?, _ document: JSONValue) -> JSONValue {
        guard let hint, !hint.steps.isEmpty, var object = document.object, object["next_actions"] == nil else {
            return document
        }
        object.append("next_actions", hint.steps.document(advice))
        return .object(object)
    }
}
