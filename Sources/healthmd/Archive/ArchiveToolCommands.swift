import CanonicalJSON
import DayArchive
import Foundation

/// The commands that print exactly what a tool answers, as one line of JSON (day-archive-reader.md 8), and the local MCP server.
enum ArchiveToolCommands {
    static let all = [overview, daily, statistics, sleep, workouts, samples, write, edits, tools, call]

    private static func sinceOption(_ days: Int) -> OptionSpec { ArchiveReaderCommands.sinceOption(days: days) }

    private static let untilOption = ArchiveReaderCommands.untilOption

    private static func call(
        _ tool: String, _ arguments: JSONObject, _ invocation: Invocation, _ console: Console,
        check: (JSONObject, ArchiveReader) throws -> Void = { _, _ in }
    ) throws -> ExitCode {
        try ArchiveReaderCommands.run(invocation, console) { reader in
            let answer = try reader.call(tool, arguments)
            try check(answer, reader)
            console.write(JSONWriter.encode(.object(answer), style: .compact) + [UInt8(ascii: "\n")])
        }
    }

    /// The text options that were given, under the tool's names for them.
    private static func arguments(_ invocation: Invocation, _ names: [(option: String, argument: String)]) -> JSONObject
    {
        var arguments = JSONObject()
        for (option, argument) in names {
            arguments.append(argument, ifPresent: invocation.text(option).map { .string($0) })
        }
        return arguments
    }

    private static let range = [(option: "--since", argument: "since"), (option: "--until", argument: "until")]

    static let overview = CommandSpec(
        "archive", "reader", "overview", summary: "What is there: days, metrics, units, what may be written.",
        examples: [Example("healthmd archive reader overview", "one line of JSON")],
        run: { try call("phone_data_overview", [:], $0, $1) })

    static let daily = CommandSpec(
        "archive", "reader", "daily", summary: "Daily totals, one row a day.",
        examples: [
            Example("healthmd archive reader daily --since 2026-08-01 --metrics steps,activeEnergy", "two columns")
        ],
        options: [
            sinceOption(ToolCatalog.dailyDays), untilOption,
            .value("--metrics", .text, "LIST", "names, separated by commas"),
        ],
        run: { invocation, console in
            var arguments = arguments(invocation, range)
            if let list = invocation.text("--metrics") {
                arguments.append("metrics", .array(list.split(separator: ",").map { .string(String($0)) }))
            }
            return try call("phone_data_daily", arguments, invocation, console)
        })

    static let statistics = CommandSpec(
        "archive", "reader", "statistics", summary: "Statistics of one metric by day, week, month or year.",
        examples: [
            Example("healthmd archive reader statistics --metric restingHeartRate --group-by month", "a year by month")
        ],
        options: [
            metricOption, sinceOption(ToolCatalog.statisticsDays), untilOption,
            .value("--group-by", .choice(["day", "week", "month", "year"]), "GROUP", "month unless told otherwise"),
        ],
        run: { invocation, console in
            let names = [(option: "--metric", argument: "metric"), (option: "--group-by", argument: "group_by")]
            return try call("phone_data_statistics", arguments(invocation, names + range), invocation, console)
        })

    private static let metricOption = OptionSpec.value(
        "--metric", .text, "NAME", "the metric; archive reader overview lists them"
    ).required

    static let sleep = CommandSpec(
        "archive", "reader", "sleep", summary: "Nights: hours asleep and in bed, hours by stage.",
        examples: [Example("healthmd archive reader sleep --since 2026-08-01", "nights from that day on")],
        options: [sinceOption(ToolCatalog.sleepDays), untilOption],
        run: { try call("phone_data_sleep", arguments($0, range), $0, $1) })

    static let workouts = CommandSpec(
        "archive", "reader", "workouts", summary: "Workouts, and their number and minutes by activity.",
        examples: [Example("healthmd archive reader workouts --activity running", "runs of the last year")],
        options: [
            sinceOption(ToolCatalog.workoutDays), untilOption,
            .value("--activity", .text, "NAME", "only this activity"),
        ],
        run: { invocation, console in
            let names = range + [(option: "--activity", argument: "activity")]
            return try call("phone_data_workouts", arguments(invocation, names), invocation, console) {
                answer, reader in
                try ArchiveNames.requireKnown(
                    activity: invocation.text("--activity"), found: answer["total"]?.number?.int ?? 0, reader)
            }
        })

    static let samples = CommandSpec(
        "archive", "reader", "samples", summary: "The events of one metric as they were recorded.",
        examples: [Example("healthmd archive reader samples --metric bodyMass --limit 10", "the first ten")],
        options: [
            metricOption, sinceOption(ToolCatalog.sampleDays), untilOption,
            .value("--limit", .integer(1...5_000), "N", "at most so many (500)"),
        ],
        run: { invocation, console in
            var arguments = arguments(invocation, [(option: "--metric", argument: "metric")] + range)
            arguments.append("limit", ifPresent: invocation.integer("--limit").map { .integer($0) })
            return try call("phone_data_samples", arguments, invocation, console) { answer, reader in
                try ArchiveNames.requireKnown(
                    metric: invocation.text("--metric"), found: answer["matched"]?.number?.int ?? 0, reader)
            }
        })

    static let write = CommandSpec(
        "archive", "reader", "write", summary: "Seals entries or removals and sends them to the writer.",
        examples: [Example("healthmd archive reader write --items meal.json", "a list, or an object with items")],
        options: [.value("--items", .file, "FILE", "JSON; - is standard input").required],
        run: { invocation, console in
            let bytes = try ArchiveFolders.contents(invocation.text("--items") ?? "-", option: "--items", console)
            let value = try JSONParser.parse(bytes)
            return try call("phone_data_write", ["items": value["items"] ?? value], invocation, console)
        })

    static let edits = CommandSpec(
        "archive", "reader", "edits", summary: "What became of the edits that were sent.",
        examples: [Example("healthmd archive reader edits --status pending", "those that wait")],
        options: [
            .value("--status", .choice(["pending", "all"]), "WHICH", "all unless told otherwise"),
            .value("--after", .text, "NAME", "those behind this one"),
        ],
        run: { invocation, console in
            let names = [(option: "--status", argument: "status"), (option: "--after", argument: "after")]
            return try call("phone_data_edits", arguments(invocation, names), invocation, console)
        })

    static let tools = CommandSpec(
        "archive", "reader", "tools", summary: "Lists the tools of the local MCP server, with their arguments.",
        examples: [Example("healthmd archive reader tools", "all nine")],
        positionals: [PositionalSpec(name: "NAME", kind: .text, count: .optional, summary: "one tool")],
        run: { invocation, console in
            let name = invocation.words.first
            let found = ToolCatalog.list.filter { name == nil || $0["name"]?.string == name }
            guard !found.isEmpty else { throw ReaderError.unknownTool(name ?? "") }
            console.print(["tools": .array(found)])
            return .success
        })

    static let call = CommandSpec(
        "archive", "reader", "call", summary: "Calls a tool with its arguments as JSON.",
        examples: [Example("healthmd archive reader call phone_data_sync", "compares everything now")],
        positionals: [
            PositionalSpec(name: "TOOL", kind: .text, count: .one, summary: "the tool"),
            PositionalSpec(name: "JSON", kind: .text, count: .optional, summary: "an object of arguments"),
        ],
        run: { invocation, console in
            let text = invocation.words.dropFirst().first ?? "{}"
            guard let object = try JSONParser.parse(Array(text.utf8)).object else {
                throw UsageError(
                    .valueValidation, "the arguments are a JSON object", command: invocation.command.path)
            }
            return try call(invocation.words.first ?? "", object, invocation, console)
        })

    static let mcp = CommandSpec(
        "archive", "mcp", summary: "The local MCP server on standard input and output, for an agent on this computer.",
        examples: [Example("healthmd archive mcp", "what an agent's configuration starts")],
        run: { invocation, console in
            try ArchiveReaderCommands.run(invocation, console) { reader in
                try LocalToolServer(reader: reader).run(
                    input: FileHandle(fileDescriptor: console.standardInput, closeOnDealloc: false),
                    output: FileHandle(fileDescriptor: console.standardOutput, closeOnDealloc: false))
            }
        })
}
