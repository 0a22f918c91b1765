import CanonicalJSON

/// Help, rendered from the command table. It begins with an example.
struct Help {
    let commands: [CommandSpec]

    /// The text for a path: the program, a group of commands, or one command.
    func text(for path: [String]) -> String {
        if let command = commands.first(where: { $0.path == path || $0.aliases.contains(path) }) {
            return one(command)
        }
        return overview(path)
    }

    private func one(_ command: CommandSpec) -> String {
        var lines = command.examples.map { "  \($0.command)\n      \($0.explanation)" }
        lines.insert(command.examples.count == 1 ? "Example:" : "Examples:", at: 0)
        lines += ["", command.summary, "", "Usage: \(command.usage)"]
        let bare = Invocation(command: command, options: [:], positionals: [])
        if let needed = command.guidance(bare) {
            lines += needed.exactlyOneOf.map { "  exactly one of: " + $0.joined(separator: " | ") }
            lines += needed.oneOrMoreOf.map { "  one or more of: " + $0.joined(separator: ", ") }
        }
        if !command.positionals.isEmpty {
            lines += [""] + table(command.positionals.map { ($0.name, $0.summary) })
        }
        if !command.options.isEmpty {
            lines += ["", "Options:"] + table(command.options.map { ($0.label, $0.explanation) })
        }
        lines +=
            ["", "Options of every command:"]
            + table(GlobalOptions.all.map { ($0.label, $0.explanation) } + [("-h, --help", "this text")])
        return lines.joined(separator: "\n") + "\n"
    }

    private func overview(_ path: [String]) -> String {
        // Old names are listed where somebody asks for them: `direct --help`.
        let inside = commands.filter { ([$0.path] + $0.aliases).contains { $0.starts(with: path) } }
        var lines: [String] = []
        if path.isEmpty {
            lines = [
                "Example:", "  healthmd export --last 7",
                "      writes the seven days up to yesterday, one file a day, below the destination", "",
                "healthmd moves your Apple Health data, whole and verified, to machines that you own.", "",
            ]
        } else if let first = inside.first?.examples.first {
            lines = ["Example:", "  \(first.command)", "      \(first.explanation)", ""]
        }
        if path.isEmpty {
            let width = Self.width(commands.map { $0.path.joined(separator: " ") })
            for section in CommandTable.sections {
                lines += ["\(section.title):"] + table(section.commands.map(Self.row), width: width) + [""]
            }
            lines.removeLast()
        } else {
            lines += ["Commands:"] + table(inside.map { Self.row($0, below: path) })
        }
        lines += ["", "healthmd COMMAND --help, or healthmd help COMMAND, shows a command with its options."]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Two columns; the first as wide as its longest entry, up to a bound.
    private func table(_ rows: [(String, String)], width: Int? = nil) -> [String] {
        let width = width ?? Self.width(rows.map(\.0))
        return rows.map { name, summary in
            name.count > width
                ? "  \(name)\n" + String(repeating: " ", count: width + 4) + summary
                : "  " + name + String(repeating: " ", count: width - name.count + 2) + summary
        }
    }
    private static func width(_ names: [String]) -> Int { min(names.map(\.count).max() ?? 0, 30) }

    private static func row(_ command: CommandSpec) -> (String, String) { row(command, below: []) }

    /// A command under the name that it has below a path.
    private static func row(_ command: CommandSpec, below path: [String]) -> (String, String) {
        let name = ([command.path] + command.aliases).first { $0.starts(with: path) } ?? command.path
        return (name.joined(separator: " "), command.summary)
    }
}
