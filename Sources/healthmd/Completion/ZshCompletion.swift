/// The script for zsh.
enum ZshCompletion {
    static func script(_ routes: CompletionRoutes) -> String {
        let known = routes.routes.dropFirst().map { ShellText.quoted($0.spelled) }.joined(separator: " | ")
        var lines = [
            "#compdef healthmd",
            "# zsh completion of healthmd; made by: healthmd completion zsh",
            "_healthmd() {",
            "    local route= index depth=0",
            "    for ((index = 2; index < CURRENT; index++)); do",
            "        case \"${route:+$route }${words[index]}\" in",
            "            (\(known)) route=\"${route:+$route }${words[index]}\"; depth=$((index - 1)) ;;",
            "        esac",
            "    done",
            "    shift depth words",
            "    ((CURRENT -= depth))",
            "    local -a next",
            "    case \"$route\" in",
        ]
        for route in routes.routes {
            lines.append("        (\(ShellText.quoted(route.spelled)))")
            if !route.next.isEmpty {
                let entries = route.next.map { ShellText.quoted("\(escaped($0.text)):\($0.summary)") }
                lines.append("            next=(\(entries.joined(separator: " ")))")
                lines.append("            [[ ${words[CURRENT]} == -* ]] || _describe command next")
            }
            let specs = route.options.map(spec) + (route.command.map(positionals) ?? [])
            lines.append("            _arguments \(specs.joined(separator: " \\\n                ")) ;;")
        }
        lines += ["    esac", "}", "_healthmd \"$@\""]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func spec(_ option: OptionSpec) -> String {
        let text = "\(option.name)[\(bracketed(option.summary))]"
        let value = action(option.kind).map { ":\(escaped(option.placeholder)):\($0)" } ?? ""
        return ShellText.quoted((option.repeats ? "*" : "") + text + value)
    }

    private static func positionals(_ command: CommandSpec) -> [String] {
        command.positionals.prefix(1).map { positional in
            ShellText.quoted("*:\(escaped(positional.summary)):\(action(positional.kind) ?? "")")
        }
    }

    private static func action(_ kind: ValueKind) -> String? {
        switch kind {
        case .flag: nil
        case .choice(let words): "(\(words.joined(separator: " ")))"
        case .file: "_files"
        case .folder: "_files -/"
        case .date, .integer, .seconds, .uuid, .text: ""
        }
    }

    private static func escaped(_ text: String) -> String { text.replacing(":", with: "\\:") }

    private static func bracketed(_ text: String) -> String {
        text.replacing("[", with: "\\[").replacing("]", with: "\\]")
    }
}
