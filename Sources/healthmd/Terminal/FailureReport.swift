import CanonicalJSON

// How failures reach whoever called: as one document on standard output, or as words on standard error, where results never are.
extension Console {
    /// A failure as one document; for people as words on standard error, with the code in brackets.
    func report(_ failure: CommandFailure, _ invocation: Invocation) {
        guard isForPeople(invocation) else { return print(failure.document(advice)) }
        note("healthmd: \(TerminalText.safe(failure.message)) (\(TerminalText.safe(failure.code)))")
        if !failure.details.isEmpty {
            let details = JSONObject(failure.details.map { JSONObject.Member($0.0, $0.1) })
            noteWithoutLineEnd(advice.carrying(HumanText.of(.object(details))))
        }
        for line in failure.steps.lines { note(TerminalText.safe(line)) }
    }

    /// An answer of the receiver. For people what it refused, or has not done, is no result.
    ///
    /// - Parameter wasAskedFor: the state of the job itself is what the command is to show, whatever it is.
    func print(_ answer: ControlClient.Answer, _ invocation: Invocation, wasAskedFor: Bool = false) {
        guard isForPeople(invocation) else { return print(answer.document(advice)) }
        let isResult = (200...201).contains(answer.status) || (wasAskedFor && !answer.isRefusal)
        if isResult { return print(text: advice.carrying(HumanText.of(answer.document))) }
        guard answer.document["state"] != nil, let job = JobText.of(answer.document) else {
            return report(answer.failure, invocation)
        }
        // The first line is the sentence, which stands there with its code already.
        report(CommandFailure(answer.failure.code, answer.failure.message), invocation)
        noteWithoutLineEnd(advice.carrying(String(job[(job.firstIndex(of: "\n") ?? job.startIndex)...].dropFirst())))
    }

    /// One document, as JSON or as text for people.
    func print(_ document: JSONValue, _ invocation: Invocation) {
        guard isForPeople(invocation) else { return print(document) }
        guard document["status"] == "failure", let failure = CommandFailure(document: document) else {
            return print(text: HumanText.of(document))
        }
        report(failure, invocation)
    }

    /// Whether a command prints text for people: asked for, or a terminal that was not told otherwise.
    func isForPeople(_ invocation: Invocation) -> Bool {
        invocation.has("--human") || (outputIsTerminal && !invocation.has("--json"))
    }
}

extension CommandFailure {
    /// The document of cli.md 12.
    func document(_ advice: Advice) -> JSONValue {
        var document: JSONObject = [
            "status": "failure", "error": .string(code), "message": .string(advice.carrying(message)),
        ]
        for (name, value) in details { document.append(name, value) }
        if !steps.isEmpty { document.append("next_actions", steps.document(advice)) }
        return .object(document)
    }

    /// What a document says that is a failure; nil without a code.
    init?(document: JSONValue) {
        guard let code = document["error"]?.string else { return nil }
        self.init(
            code, document["message"]?.string ?? "",
            details: (document.object?.members ?? []).filter { !Self.said.contains($0.key) }.map { ($0.key, $0.value) })
    }

    fileprivate static let said: Set<String> = ["status", "error", "failure_reason", "message"]
}

extension ControlClient.Answer {
    /// The document as a command prints it: an error body says `failure` like every other failure (cli.md 12), and commands in
    /// its message reach the state in use.
    func document(_ advice: Advice) -> JSONValue {
        guard var object = printable.object, status != 200, let message = object["message"]?.string else {
            return printable
        }
        object["message"] = .string(advice.carrying(message))
        return .object(object)
    }

    /// The answer as a failure for people.
    fileprivate var failure: CommandFailure {
        let code = failureReason ?? word ?? "failure"
        let row = ErrorTable.sections.lazy.compactMap { $0[code] }.first
        let message = document["message"]?.string ?? row.map { "\($0.meaning). \($0.remedy)" }
        return CommandFailure(
            code, message ?? "the receiver answered \(status)",
            details: (document.object?.members ?? []).filter { !CommandFailure.said.contains($0.key) }
                .map { ($0.key, $0.value) })
    }
}
