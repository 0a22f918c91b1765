import CanonicalJSON

/// What a recognised but incomplete command prints: `healthmd.cli_guidance` v1, exit 0 (cli.md 13). Nobody was contacted
/// and nothing was made.
struct Guidance: Sendable {
    let message: String
    /// What has to be given.
    let missing: [String]
    /// Groups of which exactly one has to be chosen.
    let exactlyOneOf: [[String]]
    /// Groups of which one or more have to be chosen.
    let oneOrMoreOf: [[String]]
    /// Commands that work.
    let examples: [Example]

    init(
        message: String, missing: [String], exactlyOneOf: [[String]], oneOrMoreOf: [[String]] = [],
        examples: [Example]
    ) {
        self.message = message
        self.missing = missing
        self.exactlyOneOf = exactlyOneOf
        self.oneOrMoreOf = oneOrMoreOf
        self.examples = examples
    }

    /// Guidance for words that only begin a command: `healthmd phone`.
    init(group path: [String], next: [String], commands: [CommandSpec]) {
        let inside = commands.filter { ([$0.path] + $0.aliases).contains { $0.starts(with: path) } }
        self.init(
            message: "\(path.joined(separator: " ")) is the beginning of a command.", missing: ["command"],
            exactlyOneOf: [next], examples: Array(inside.compactMap(\.examples.first).prefix(3)))
    }

    /// The same with examples that reach the state in use.
    func carrying(_ advice: Advice) -> Guidance {
        Guidance(
            message: advice.carrying(message), missing: missing, exactlyOneOf: exactlyOneOf, oneOrMoreOf: oneOrMoreOf,
            examples: examples.map { Example(advice.carrying($0.command), $0.explanation) })
    }

    /// The document.
    func document(command: String) -> JSONValue {
        func words(_ group: [String]) -> JSONValue { .array(group.map(JSONValue.string)) }
        return [
            "schema": "healthmd.cli_guidance", "schema_version": 1, "status": "guidance", "backend": "receiver",
            "command": .string(command), "message": .string(message), "request_sent": false,
            "missing": words(missing),
            "required_choices": .array(
                exactlyOneOf.map { ["exactly_one_of": words($0)] } + oneOrMoreOf.map { ["one_or_more_of": words($0)] }
            ),
            "examples": .array(
                examples.map { example in
                    let words = words(ShellText.words(example.command))
                    return example.isTemplate ? ["argv_template": words] : ["argv": words]
                }),
            "next_actions": .array(
                examples.map { example in
                    let key = example.isTemplate ? "command_template" : "command"
                    return .object([
                        key: .string(example.command), "description": .string(example.explanation),
                    ])
                }),
        ]
    }

    /// The same for people.
    var text: String {
        var lines = [message]
        for group in exactlyOneOf { lines.append("one of: " + group.joined(separator: " | ")) }
        for group in oneOrMoreOf { lines.append("one or more of: " + group.joined(separator: ", ")) }
        for example in examples { lines.append("  \(example.command)\n      \(example.explanation)") }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Example {
    /// Whether something has to be put in before it can be typed.
    var isTemplate: Bool {
        command.split(separator: " ").contains { word in
            ["UUID", "ID", "HOST", "DIR", "FILE"].contains { word == $0 || word.hasPrefix($0 + "[") }
        }
    }
}
