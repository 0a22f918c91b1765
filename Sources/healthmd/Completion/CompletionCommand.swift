/// `completion bash | zsh | fish`: scripts made from the command table, so that they cannot go stale
/// (extensions.md 11).
enum CompletionCommand {
    private static let shells = ["bash", "zsh", "fish"]

    static let spec = CommandSpec(
        "completion", summary: "Prints the completion script of a shell.",
        examples: [
            Example("healthmd completion bash", "save as ~/.local/share/bash-completion/completions/healthmd"),
            Example("healthmd completion zsh", "save as _healthmd in a folder of $fpath"),
            Example("healthmd completion fish", "save as ~/.config/fish/completions/healthmd.fish"),
        ],
        positionals: [
            PositionalSpec(name: "SHELL", kind: .choice(shells), count: .one, summary: "bash, zsh or fish")
        ],
        run: { invocation, console in
            let routes = CompletionRoutes(CommandLineTool.commands)
            switch invocation.words.first {
            case "bash": console.print(text: BashCompletion.script(routes))
            case "zsh": console.print(text: ZshCompletion.script(routes))
            case "fish": console.print(text: FishCompletion.script(routes))
            default: return .usage
            }
            return .success
        })
}

/// The command table as completion needs it: what may follow which words.
struct CompletionRoutes {
    /// A word that may follow a route.
    struct Word {
        let text: String
        let summary: String
    }

    /// One command or group of commands: the words that lead there, without the program's name.
    struct Route {
        let path: [String]
        /// Nil for a group.
        let command: CommandSpec?
        /// Command words that may follow.
        let next: [Word]

        var spelled: String { path.joined(separator: " ") }
        var options: [OptionSpec] { (command?.options ?? []) + GlobalOptions.all }
    }

    /// Shorter routes first; the first one is the program itself.
    let routes: [Route]

    init(_ commands: [CommandSpec]) {
        let named = commands.flatMap { command in ([command.path] + command.aliases).map { ($0, command) } }
        var paths: [[String]] = [[]]
        for (path, _) in named {
            for count in 1...path.count where !paths.contains(Array(path.prefix(count))) {
                paths.append(Array(path.prefix(count)))
            }
        }
        paths.sort { ($0.count, $0.joined(separator: " ")) < ($1.count, $1.joined(separator: " ")) }
        routes = paths.map { path in
            var next: [Word] = []
            for (longer, command) in named
            where longer.count > path.count && longer.starts(with: path)
                && !next.contains(where: { $0.text == longer[path.count] })
            {
                let isWhole = longer.count == path.count + 1
                next.append(
                    Word(
                        text: longer[path.count],
                        summary: isWhole ? command.summary : CommandTable.groupSummary(longer[path.count])))
            }
            next.sort { $0.text < $1.text }
            return Route(path: path, command: named.first { $0.0 == path }?.1, next: next)
        }
    }
}

/// Texts inside single quotes of a shell.
enum ShellText {
    /// The text in single quotes, for bash and zsh.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// The words of a line that we composed: cut at blanks, except within single quotes.
    static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isBegun = false
        var rest = line[...]
        while let letter = rest.popFirst() {
            if letter == "'" {
                isQuoted.toggle()
                isBegun = true
            } else if letter == "\\", !isQuoted, let escaped = rest.popFirst() {
                word.append(escaped)
                isBegun = true
            } else if letter == " ", !isQuoted {
                if isBegun { words.append(word) }
                (word, isBegun) = ("", false)
            } else {
                word.append(letter)
                isBegun = true
            }
        }
        return isBegun ? words + [word] : words
    }

    /// The text in single quotes, for fish.
    static func fishQuoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
