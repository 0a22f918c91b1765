import CanonicalJSON

/// `destination show | set`: where file jobs write (extensions.md 5).
enum DestinationCommands {
    static let all = [show, set]

    static let show = CommandSpec(
        "destination", aliases: [["destination", "show"]], summary: "Shows where files are written.",
        examples: [Example("healthmd destination", "the folder, and whether it can be written")],
        run: { invocation, console in
            let answer = try ControlClient(invocation).send("GET", "/v1/status")
            guard let destination = answer.document["destination"] else {
                console.print(answer, invocation)
                return .failure
            }
            console.print(destination, invocation)
            if destination["writable"]?.bool == true { return .success }
            console.note(advice(destination))
            return .failure
        })

    private static func advice(_ destination: JSONValue) -> JobHint {
        guard destination["selected"]?.bool == true, let path = destination["path"]?.string else {
            return JobHint(
                sentence: "no folder is chosen",
                steps: [NextStep("make one and choose it", "mkdir -p ~/Health && healthmd destination set ~/Health")])
        }
        let steps = MissingFolder.steps(path, then: "healthmd destination set \(ShellText.quoted(path))")
        return steps.isEmpty
            ? JobHint(
                sentence: "\(path) cannot be written, or is another folder than was chosen",
                steps: [NextStep("what helps", "healthmd doctor")])
            : JobHint(sentence: "\(path) does not exist", steps: steps)
    }

    static let set = CommandSpec(
        "destination", "set", summary: "Chooses the folder below which files are written.",
        examples: [Example("healthmd destination set ~/Health", "an existing folder that is no link")],
        positionals: [PositionalSpec(name: "DIR", kind: .folder, count: .one, summary: "an existing folder")],
        run: { invocation, console in
            guard let folder = invocation.words.first else { return .usage }
            let path = try AbsolutePath.folder(folder)
            let answer = try ControlClient(invocation).send("PUT", "/v1/destination", ["root_path": .string(path)])
            let steps = MissingFolder.steps(path, then: "healthmd destination set \(ShellText.quoted(path))")
            if answer.status != 200, !steps.isEmpty {
                console.print(
                    answer, hint: JobHint(sentence: "\(path) does not exist", steps: steps), invocation)
            } else {
                console.print(answer, invocation)
            }
            return answer.status == 200 ? .success : .failure
        })
}
