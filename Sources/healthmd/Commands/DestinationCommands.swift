import CanonicalJSON

/// `destination show | set`: where file jobs write (extensions.md 5).
enum DestinationCommands {
    static let all = [show, set]

    static let show = CommandSpec(
        "destination", aliases: [["destination", "show"]], summary: "Shows where files are written.",
        examples: [Example("healthmd destination", "the folder, and whether it can be written")],
        run: { invocation, console in
            let answer = try ControlClient(invocation).send("GET", "/v1/status")
            console.print(answer.document["destination"] ?? [:], invocation)
            return answer.document["destination"]?["writable"]?.bool == true ? .success : .failure
        })

    static let set = CommandSpec(
        "destination", "set", summary: "Chooses the folder below which files are written.",
        examples: [Example("healthmd destination set ~/Health", "an existing folder that is no link")],
        positionals: [PositionalSpec(name: "DIR", kind: .folder, count: .one, summary: "an existing folder")],
        run: { invocation, console in
            guard let folder = invocation.words.first else { return .usage }
            let answer = try ControlClient(invocation).send(
                "PUT", "/v1/destination", ["root_path": .string(try AbsolutePath.folder(folder))])
            console.print(answer.printable, invocation)
            return answer.status == 200 ? .success : .failure
        })
}
