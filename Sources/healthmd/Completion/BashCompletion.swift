/// The script for bash. Works with bash 4 and later, without the bash-completion package.
enum BashCompletion {
    static func script(_ routes: CompletionRoutes) -> String {
        let known = routes.routes.dropFirst().map { ShellText.quoted($0.spelled) }.joined(separator: " | ")
        var lines = [
            "# bash completion of healthmd; made by: healthmd completion bash",
            "_healthmd() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} route= words= kind= index",
            "    for ((index = 1; index < COMP_CWORD; index++)); do",
            "        case \"${route:+$route }${COMP_WORDS[index]}\" in",
            "            \(known)) route=\"${route:+$route }${COMP_WORDS[index]}\" ;;",
            "        esac",
            "    done",
            "    case \"$route|$previous\" in",
        ]
        for route in routes.routes {
            for option in route.options {
                if let action = action(option.kind) {
                    let names = ([option.name] + option.aliases).map { ShellText.quoted("\(route.spelled)|\($0)") }
                    lines.append("        \(names.joined(separator: " | "))) \(action) ;;")
                }
            }
        }
        lines += [
            "        *)",
            "            case \"$route\" in",
        ]
        for route in routes.routes {
            let words = route.next.map(\.text) + (route.command.map(positionalWords) ?? [])
            let options = route.options.flatMap { [$0.name] + $0.aliases } + ["--help"]
            lines.append("                \(ShellText.quoted(route.spelled)))")
            if let kind = route.command.flatMap(positionalKind) { lines.append("                    kind=\(kind)") }
            lines.append(
                "                    if [[ $current == -* ]]; then words=\(ShellText.quoted(options.joined(separator: " ")));"
                    + " else words=\(ShellText.quoted(words.joined(separator: " "))); fi ;;")
        }
        lines += [
            "            esac ;;",
            "    esac",
            "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))",
            "    if [[ -n $kind && $current != -* ]]; then",
            "        COMPREPLY+=($(compgen \"$kind\" -- \"$current\"))",
            "        compopt -o filenames",
            "    fi",
            "}",
            "complete -F _healthmd healthmd",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// What follows an option; nil where the option takes no value.
    private static func action(_ kind: ValueKind) -> String? {
        switch kind {
        case .flag: nil
        case .choice(let words): "words=\(ShellText.quoted(words.joined(separator: " ")))"
        case .file: "kind=-f"
        case .folder: "kind=-d"
        case .date, .integer, .seconds, .uuid, .text: "words="
        }
    }

    private static func positionalWords(_ command: CommandSpec) -> [String] {
        guard case .choice(let words)? = command.positionals.first?.kind else { return [] }
        return words
    }

    private static func positionalKind(_ command: CommandSpec) -> String? {
        switch command.positionals.first?.kind {
        case .file: "-f"
        case .folder: "-d"
        default: nil
        }
    }
}
