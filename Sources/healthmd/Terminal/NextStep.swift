import CanonicalJSON

/// A command to type, and what it is for (cli.md 13).
struct NextStep: Equatable, Sendable {
    /// `to go on`: a few words, for a line that ends with the command.
    let purpose: String
    let command: String

    init(_ purpose: String, _ command: String) {
        self.purpose = purpose
        self.command = command
    }
}

extension [NextStep] {
    /// `next_actions`.
    func document(_ advice: Advice) -> JSONValue {
        .array(map { ["command": .string(advice.carrying($0.command)), "description": .string($0.purpose)] })
    }

    /// One line each: `  to go on: healthmd resume ID`.
    var lines: [String] { map { "  \($0.purpose): \($0.command)" } }
}
