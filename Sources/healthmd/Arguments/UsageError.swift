import CanonicalJSON

/// A command line that cannot be run: `healthmd.cli_error` v1, exit 2 (cli.md 13). Values that the user typed are
/// never part of it: they may be private.
struct UsageError: Error, Sendable {
    /// The kinds of cli.md 13.
    enum Kind: String, Sendable {
        case invalidValue = "invalid_value"
        case unknownArgument = "unknown_argument"
        case invalidSubcommand = "invalid_subcommand"
        case missingEquals = "missing_equals"
        case valueValidation = "value_validation"
        case tooManyValues = "too_many_values"
        case tooFewValues = "too_few_values"
        case argumentConflict = "argument_conflict"
        case missingRequiredArgument = "missing_required_argument"
        case missingSubcommand = "missing_subcommand"
    }

    let kind: Kind
    let message: String
    /// The command as far as it was recognised, `["phone"]`.
    let command: [String]
    /// Option names or command words that would have been taken.
    let accepted: [String]

    init(_ kind: Kind, _ message: String, command: [String] = [], accepted: [String] = []) {
        self.kind = kind
        self.message = message
        self.command = command
        self.accepted = accepted
    }

    var helpCommand: String { (["healthmd"] + command + ["--help"]).joined(separator: " ") }

    var document: JSONValue {
        var document: JSONObject = [
            "schema": "healthmd.cli_error", "schema_version": 1, "status": "failure", "backend": "receiver",
            "error": "usage_error", "error_kind": .string(kind.rawValue), "message": .string(message),
            "command": .string((["healthmd"] + command).joined(separator: " ")),
            "help_command": .string(helpCommand), "request_sent": false,
            "next_actions": [
                ["command": .string(helpCommand), "description": "shows the command with examples"]
            ],
        ]
        if !accepted.isEmpty {
            let isCommand = kind == .invalidSubcommand || kind == .missingSubcommand
            document.append(
                isCommand ? "available_commands" : "accepted_arguments", .array(accepted.map(JSONValue.string)))
        }
        return .object(document)
    }
}
