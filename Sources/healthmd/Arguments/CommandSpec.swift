import CanonicalJSON
import Foundation

/// What a value on the command line has to be. The parser checks it, help and completion print it.
enum ValueKind: Sendable {
    /// No value: the option is there or not.
    case flag
    /// A strict `YYYY-MM-DD`.
    case date
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// Seconds, finite, in a range (cli.md 4).
    case seconds(ClosedRange<Double>)
    /// One of the words.
    case choice([String])
    /// A UUID in either case.
    case uuid
    /// A path of a file.
    case file
    /// A path of a folder.
    case folder
    /// Any text.
    case text
}

/// One option of a command.
struct OptionSpec: Sendable {
    /// With its dashes: `--from`.
    let name: String
    /// Other spellings that mean the same.
    let aliases: [String]
    let kind: ValueKind
    /// What help prints for the value: `D`, `N`, `DIR`.
    let placeholder: String
    let summary: String
    /// Whether it may be given more than once.
    let repeats: Bool
    /// Whether the command cannot do without it. The parser checks it.
    var isRequired = false

    /// What help and the manual page say of it: the words of a choice too, unless the summary names them.
    var explanation: String {
        var text = summary
        if case .choice(let words) = kind, !words.allSatisfy(summary.contains) {
            text += ": \(words.joined(separator: ", "))"
        }
        if isRequired { text += " (required)" }
        return repeats ? text + " (may be repeated)" : text
    }

    /// All spellings, the short one first, and the word for its value: `-o, --output FILE`.
    var label: String {
        let names = [name] + aliases
        let spellings = names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
        return (spellings.joined(separator: ", ") + " " + placeholder).trimmingCharacters(in: .whitespaces)
    }

    /// How a command line has it: `--output FILE`.
    var usage: String { placeholder.isEmpty ? name : "\(name) \(placeholder)" }

    /// The same option, and the command cannot do without it.
    var required: OptionSpec {
        var option = self
        option.isRequired = true
        return option
    }

    /// Where a result goes.
    static func output(
        _ summary: String = "write there (0600, atomically) instead of standard output", _ kind: ValueKind = .file,
        _ placeholder: String = "FILE"
    ) -> OptionSpec {
        .value("--output", kind, placeholder, summary, aliases: ["-o"])
    }

    static func flag(_ name: String, _ summary: String, aliases: [String] = []) -> OptionSpec {
        OptionSpec(name: name, aliases: aliases, kind: .flag, placeholder: "", summary: summary, repeats: false)
    }

    static func value(
        _ name: String, _ kind: ValueKind, _ placeholder: String, _ summary: String, repeats: Bool = false,
        aliases: [String] = []
    ) -> OptionSpec {
        OptionSpec(
            name: name, aliases: aliases, kind: kind, placeholder: placeholder, summary: summary, repeats: repeats)
    }
}

/// One argument without a name.
struct PositionalSpec: Sendable {
    /// How many of it a command takes.
    enum Count: Sendable {
        case one
        case optional
        case oneOrMore
        case any
    }

    /// What help prints: `UUID`.
    let name: String
    let kind: ValueKind
    let count: Count
    let summary: String

    /// As help and the manual page write it in a command line: `[DAY…]`.
    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .oneOrMore: "\(name)…"
        case .any: "[\(name)…]"
        }
    }
}

/// One example of help: a command that works when typed, and what it does.
struct Example: Sendable {
    let command: String
    let explanation: String

    init(_ command: String, _ explanation: String) {
        self.command = command
        self.explanation = explanation
    }
}

/// One command: everything that the parser, help, completion and the man page say comes from here.
struct CommandSpec: Sendable {
    /// `["phone", "import"]`.
    let path: [String]
    /// Other paths that mean the same, `["direct", "pair"]`.
    let aliases: [[String]]
    let summary: String
    let examples: [Example]
    let positionals: [PositionalSpec]
    let options: [OptionSpec]
    /// Groups of options of which at most one may be given.
    let exclusive: [[String]]
    /// Rules that need more than one option; throws ``UsageError``.
    let validate: @Sendable (Invocation) throws -> Void
    /// What an incomplete but recognised command prints instead of an error (cli.md 13), or nil.
    let guidance: @Sendable (Invocation) -> Guidance?
    let run: @Sendable (Invocation, Console) throws -> ExitCode

    init(
        _ path: String..., aliases: [[String]] = [], summary: String, examples: [Example],
        positionals: [PositionalSpec] = [], options: [OptionSpec] = [], exclusive: [[String]] = [],
        validate: @escaping @Sendable (Invocation) throws -> Void = { _ in },
        guidance: @escaping @Sendable (Invocation) -> Guidance? = { _ in nil },
        run: @escaping @Sendable (Invocation, Console) throws -> ExitCode
    ) {
        self.path = path
        self.aliases = aliases
        self.summary = summary
        self.examples = examples
        self.positionals = positionals
        self.options = options
        self.exclusive = exclusive
        self.validate = validate
        self.guidance = guidance
        self.run = run
    }

    /// `healthmd item encode TREE.json --kind KIND --output FILE [options]`, for help and the manual page.
    var usage: String {
        let required = options.filter(\.isRequired)
        let words = [spelled] + positionals.map(\.usage) + required.map(\.usage)
        return (words + (options.count > required.count ? ["[options]"] : [])).joined(separator: " ")
    }

    /// `healthmd phone import`.
    var spelled: String { (["healthmd"] + path).joined(separator: " ") }
}

/// Options that every command takes, before or after its name (cli.md 1).
enum GlobalOptions {
    static let all: [OptionSpec] = [
        .value(
            "--data-dir", .folder, "DIR", "state folder; default ${XDG_DATA_HOME:-~/.local/share}/healthmd"),
        .value("--base-url", .text, "URL", "control API of the receiver; default: found in the state folder"),
        .value("--control-token-file", .file, "FILE", "control token; default: the receiver's own"),
        .value("--backend", .choice(["receiver", "mac-app"]), "NAME", "receiver (mac-app is the same)"),
        .value(
            "--exit-codes", .choice(["standard", "extended"]), "SET", "extended tells partial, missing, busy apart"),
        .flag("--json", "JSON, usage errors too; the default unless standard output is a terminal"),
        .flag("--human", "text for people; the default on a terminal. Health data stays as it is"),
        .flag("--quiet", "no progress"),
        .flag("--progress-json", "progress as JSON lines on standard error"),
    ]

    static let exclusive = [["--json", "--human"], ["--quiet", "--progress-json"]]
}
