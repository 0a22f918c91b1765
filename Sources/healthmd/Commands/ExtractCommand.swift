import CanonicalJSON
import Foundation
import RawResult

/// `healthmd extract`: documents, or parts of them, on standard output (cli.md 5).
enum ExtractCommand {
    static let spec = CommandSpec(
        "extract", summary: "Asks the phone for chosen metrics and prints their data.",
        examples: [
            Example("healthmd extract --last 7 --category Sleep", "a week of sleep"),
            Example("healthmd extract --last 30 --metric steps --format jsonl", "one line a day"),
            Example("healthmd extract --yesterday --object heart --field /activity/steps", "parts of a document"),
            Example(
                "healthmd extract --yesterday --object archive --metric steps",
                "the source records of one metric; those of an Apple Health export are in external_records"),
        ],
        options: DateForm.options + SelectionOptions.all + JobOptions.all + [
            .value(
                "--object", .text, "NAME",
                "a part: sleep, heart, workouts … with their metrics; archive, records, warnings … or a /pointer, beside "
                    + "--all-metrics, --category or --metric", repeats: true),
            .value("--field", .text, "/POINTER", "one member, as a JSON Pointer", repeats: true),
            .value("--format", .choice(["json", "jsonl"]), "FORMAT", "json (default), or jsonl: one item a line"),
            .output(),
            .flag("--allow-partial", "give what is there when some days are missing"),
        ],
        exclusive: DateForm.exclusive + SelectionOptions.exclusive, validate: validate,
        guidance: { invocation in
            guard !DateForm.isGiven(invocation) else { return nil }
            return Guidance(
                message: "Which days, and what of them? Nothing was asked of the phone.", missing: ["dates", "scope"],
                exactlyOneOf: [["--from D --to D", "--last N", "--yesterday", "--all"]],
                oneOrMoreOf: [["--metric ID", "--category NAME", "--object NAME", "--all-metrics"]],
                examples: [Example("healthmd extract --last 7 --all-metrics", "seven whole documents")])
        },
        run: { invocation, console in
            var request: JSONObject = ["source": "connected_iphone", "settings_policy": "requested_dates_only"]
            try DateForm.read(invocation, today: LocalCalendar.today()).add(to: &request)
            request.append("response_mode", "raw_json")
            request.append("raw_profile", "health_data_projection")
            if let device = invocation.uuid("--device") { request.append("device_id", .string(device.uuidString)) }
            let objects = try ObjectAlias.resolve(invocation.texts("--object"))
            let fields = invocation.texts("--field")
            let archive = "/healthkit_record_archive"
            let forcesLossless = (objects.pointers + fields).contains { $0 == archive || $0.hasPrefix(archive + "/") }
            request.append(
                "canonical_selection",
                SelectionOptions.selection(
                    invocation, paths: objects.pointers, fields: fields,
                    categories: invocation.has("--all-metrics") ? [] : objects.categories,
                    forcesLossless: forcesLossless))
            return try RawJob.run(request, invocation, console)
        })

    private static func validate(_ invocation: Invocation) throws {
        _ = try DateForm.read(invocation, today: LocalCalendar.today())
        let objects = try ObjectAlias.resolve(invocation.texts("--object"))
        for field in invocation.texts("--field") where JSONPointer(field) == nil {
            throw UsageError(.valueValidation, "--field takes a JSON Pointer that starts with /", command: ["extract"])
        }
        if !SelectionOptions.hasScope(invocation), objects.categories.isEmpty {
            guard objects.pointers.isEmpty else {
                throw UsageError(
                    .missingRequiredArgument,
                    "this --object chooses a part of each day and no metrics; say of which metrics: add --all-metrics, "
                        + "--category or --metric", command: ["extract"],
                    accepted: ["--metric", "--category", "--all-metrics"])
            }
            throw UsageError(
                .missingRequiredArgument, "extract needs --metric, --category, --all-metrics or a named --object",
                command: ["extract"], accepted: ["--metric", "--category", "--all-metrics", "--object"])
        }
    }
}

/// The names that `--object` knows (cli.md 5).
enum ObjectAlias {
    /// Name, pointer, category that the name adds to the scope.
    static let all: [(name: String, pointer: String, category: String?)] = [
        ("sleep", "/sleep", "Sleep"), ("activity", "/activity", "Activity"), ("heart", "/heart", "Heart"),
        ("vitals", "/vitals", "Vitals"), ("body", "/body", "Body Measurements"),
        ("nutrition", "/nutrition", "Nutrition"), ("mindfulness", "/mindfulness", "Mindfulness"),
        ("mobility", "/mobility", "Mobility"), ("hearing", "/hearing", "Hearing"),
        ("reproductive-health", "/reproductiveHealth", "Reproductive Health"),
        ("cycling", "/cyclingPerformance", "Cycling"), ("vitamins", "/vitamins", "Vitamins"),
        ("minerals", "/minerals", "Minerals"), ("symptoms", "/symptoms", "Symptoms"),
        ("medications", "/medications", "Medications"), ("other", "/other", "Other"),
        ("workouts", "/workouts", "Workouts"), ("archive", "/healthkit_record_archive", nil),
        ("records", "/healthkit_record_archive/records", nil),
        ("external-records", "/healthkit_record_archive/external_records", nil),
        ("query-results", "/healthkit_record_archive/query_manifest/results", nil),
        ("warnings", "/healthkit_record_archive/integrity_warnings", nil),
    ]

    /// Pointers and categories of the given names and pointers.
    static func resolve(_ names: [String]) throws -> (pointers: [String], categories: [String]) {
        var pointers: [String] = []
        var categories: [String] = []
        for name in names {
            if name.hasPrefix("/") {
                guard JSONPointer(name) != nil else {
                    throw UsageError(.valueValidation, "--object takes a name or a JSON Pointer", command: ["extract"])
                }
                pointers.append(name)
                continue
            }
            let wanted = name.lowercased().replacingOccurrences(of: "_", with: "-")
            guard let entry = all.first(where: { $0.name == wanted }) else {
                throw UsageError(
                    .valueValidation, "--object does not know this name", command: ["extract"],
                    accepted: all.map(\.name))
            }
            pointers.append(entry.pointer)
            if let category = entry.category { categories.append(category) }
        }
        return (SelectionOptions.sorted(pointers), SelectionOptions.sorted(categories))
    }
}
