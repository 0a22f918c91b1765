/// The script for fish.
enum FishCompletion {
    static func script(_ routes: CompletionRoutes) -> String {
        let known = routes.routes.dropFirst().map { ShellText.fishQuoted($0.spelled) }.joined(separator: " ")
        var lines = [
            "# fish completion of healthmd; made by: healthmd completion fish",
            "function __healthmd_route",
            "    set -l route",
            "    for word in (commandline -opc)[2..-1]",
            "        set -l longer (string trim \"$route $word\")",
            "        contains -- $longer \(known); and set route $longer",
            "    end",
            "    test \"$route\" = \"$argv[1]\"",
            "end",
            "complete -c healthmd -f",
        ]
        for route in routes.routes {
            let here =
                "complete -c healthmd -n \(ShellText.fishQuoted("__healthmd_route \(ShellText.fishQuoted(route.spelled))"))"
            for word in route.next {
                lines.append("\(here) -a \(word.text) -d \(ShellText.fishQuoted(word.summary))")
            }
            for option in route.options {
                lines.append("\(here) \(names(option)) \(value(option.kind))\(text(option))")
            }
            switch route.command?.positionals.first?.kind {
            case .choice(let words): lines.append("\(here) -a \(ShellText.fishQuoted(words.joined(separator: " ")))")
            case .file: lines.append("\(here) -F")
            case .folder: lines.append("\(here) -a '(__fish_complete_directories)'")
            default: break
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func names(_ option: OptionSpec) -> String {
        ([option.name] + option.aliases).map { name in
            name.hasPrefix("--") ? "-l \(name.dropFirst(2))" : "-s \(name.dropFirst())"
        }.joined(separator: " ")
    }

    private static func value(_ kind: ValueKind) -> String {
        switch kind {
        case .flag: ""
        case .choice(let words): "-x -a \(ShellText.fishQuoted(words.joined(separator: " "))) "
        case .file: "-r -F "
        case .folder: "-x -a '(__fish_complete_directories)' "
        case .date, .integer, .seconds, .uuid, .text: "-x "
        }
    }

    private static func text(_ option: OptionSpec) -> String { "-d \(ShellText.fishQuoted(option.summary))" }
}
