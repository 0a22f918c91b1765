@testable import healthmd

/// The manual page, rendered from the command table in the `man` macros: the same source as help and completion.
struct ManualPage {
    let sections: [CommandTable.Section]

    /// The page's text. It holds no date and no version, so that it changes only when a command does.
    var text: String {
        var lines = [
            ".TH HEALTHMD 1", ".SH NAME", "healthmd \\- health data, whole and verified, on machines that you own",
            ".SH SYNOPSIS", ".B healthmd", ".I COMMAND", "[options]", ".SH EXAMPLE", ".EX",
            Self.escaped("healthmd export --last 7"), ".EE",
        ]
        for section in sections {
            lines += [".SH \(Self.escaped(section.title.uppercased()))"]
            for command in section.commands { lines += Self.lines(of: command) }
        }
        lines += [".SH OPTIONS OF EVERY COMMAND"] + GlobalOptions.all.flatMap(Self.lines(of:))
        lines += [".SH EXIT STATUS"]
        for (code, meaning) in ExitCode.meanings {
            lines += [".TP", "\(code.rawValue)", Self.escaped(meaning.replacing("`", with: ""))]
        }
        lines += [
            ".SH FILES", ".TP", Self.escaped("${XDG_DATA_HOME:-~/.local/share}/healthmd"),
            "Keys, journals and settings of this person: private, and not to be copied to another machine while in use.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of command: CommandSpec) -> [String] {
        var lines = [".SS \(escaped(command.usage))", escaped(command.summary)]
        for positional in command.positionals {
            lines += [".TP", ".I \(escaped(positional.name))", escaped(positional.summary)]
        }
        lines += command.options.flatMap(Self.lines(of:))
        for example in command.examples {
            lines += [".PP", escaped(example.explanation) + ":", ".EX", "    " + escaped(example.command), ".EE"]
        }
        return lines
    }

    private static func lines(of option: OptionSpec) -> [String] {
        [".TP", ".B \(escaped(option.label))", escaped(option.explanation)]
    }

    /// Text as the macros take it: no escapes, no request at the start of a line, dashes that can be copied.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
