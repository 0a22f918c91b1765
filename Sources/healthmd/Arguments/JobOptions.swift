import CanonicalJSON

/// Options of every command that waits for a job (cli.md 4).
enum JobOptions {
    static let all: [OptionSpec] = [
        .value("--timeout", .seconds(5...900), "S", "give up after S seconds without progress (300); the job goes on"),
        .value("--wake-timeout", .integer(0...3600), "S", "wait S seconds for a phone that is not there (120); 0: no"),
        .value("--device", .uuid, "UUID", "which phone, when more than one is paired"),
    ]

    /// The step after a job that wrote files (extensions.md 11).
    static let database = OptionSpec.value(
        "--database", .file, "FILE", "afterwards update this SQLite database from the JSON files of the destination")

    static func inactivitySeconds(_ invocation: Invocation) -> Double { invocation.seconds("--timeout") ?? 300 }
    static func wakeSeconds(_ invocation: Invocation) -> Int { invocation.integer("--wake-timeout") ?? 120 }
}

/// Which metrics a command asks for (cli.md 4, 5).
enum SelectionOptions {
    static let all: [OptionSpec] = [
        .value("--metric", .text, "ID", "a metric; healthmd metrics lists them", repeats: true),
        .value("--category", .text, "NAME", "all metrics of a category", repeats: true),
        .flag("--all-metrics", "every metric"),
        .value("--detail", .choice(["summary", "lossless"]), "LEVEL", "summary (default) or lossless"),
        .value("--source", .choice(["apple_health"]), "NAME", "apple_health, the only source"),
    ]

    static let exclusive = [["--all-metrics", "--metric"], ["--all-metrics", "--category"]]

    static func hasScope(_ invocation: Invocation) -> Bool {
        invocation.has("--metric") || invocation.has("--category") || invocation.has("--all-metrics")
    }

    /// The `canonical_selection` of a request; `paths` are JSON Pointers of whole objects.
    static func selection(
        _ invocation: Invocation, paths: [String], fields: [String] = [], categories: [String] = [],
        forcesLossless: Bool = false
    ) -> JSONValue {
        var selection: JSONObject = [:]
        let wanted = sorted(invocation.texts("--category") + categories)
        if invocation.has("--all-metrics") {
            selection.append("all_metrics", true)
        } else {
            if invocation.has("--metric") { selection.append("metric_ids", list(invocation.texts("--metric"))) }
            if !wanted.isEmpty { selection.append("categories", list(wanted)) }
        }
        selection.append("source_ids", ["apple_health"])
        let detail = forcesLossless ? "lossless" : invocation.text("--detail") ?? "summary"
        selection.append("detail_level", .string(detail))
        if !paths.isEmpty { selection.append("object_paths", list(paths)) }
        if !fields.isEmpty { selection.append("field_pointers", list(fields)) }
        return .object(selection)
    }

    private static func list(_ texts: [String]) -> JSONValue { .array(sorted(texts).map(JSONValue.string)) }

    /// De-duplicated and sorted, as the request wants its lists.
    static func sorted(_ texts: [String]) -> [String] { Set(texts).sorted() }
}
