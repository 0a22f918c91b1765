import CanonicalJSON

/// The nine tools: names, arguments, defaults (day-archive-reader.md 7). Titles and descriptions are ours.
public enum ToolCatalog {
    /// Days of `phone_data_daily` when no first day is given.
    public static let dailyDays = 90
    static let dailyLongest = 400
    /// Days of `phone_data_statistics`.
    public static let statisticsDays = 365
    /// Days of `phone_data_sleep`.
    public static let sleepDays = 90
    /// Days of `phone_data_workouts`.
    public static let workoutDays = 365
    /// Days of `phone_data_samples`.
    public static let sampleDays = 7
    static let sampleLimit = 500
    static let sampleHighestLimit = 5_000
    static let mostRows = 1_000

    private static let text: JSONValue = ["type": "string"]
    private static func words(_ names: [String]) -> JSONValue {
        ["type": "string", "enum": .array(names.map { .string($0) })]
    }
    private static let writableNames = [WritableMetric.sleepName] + WritableMetric.units.map(\.metric)

    /// The tools as `tools/list` gives them.
    public static let list: [JSONValue] = [
        tool(
            "phone_data_overview", "What is there",
            "What the archive holds, what can be read here, every metric with its unit and days, and what may be written. Start here.",
            []),
        tool(
            "phone_data_daily", "Daily totals",
            "One row a day of daily totals such as steps or energy. A missing total is null, never 0. At most 400 days.",
            [
                ("metrics", ["type": "array", "items": words(MetricCatalog.totalNames)]), ("since", text),
                ("until", text),
            ]),
        tool(
            "phone_data_statistics", "Statistics of one metric",
            "Number, smallest, p10, median, mean, p90, largest and sum per group: over daily totals, or over single readings.",
            [
                ("metric", words(MetricCatalog.statisticsNames)), ("since", text), ("until", text),
                ("group_by", words(DayGroup.allCases.map(\.rawValue))),
            ], required: ["metric"]),
        tool(
            "phone_data_sleep", "Nights",
            "One row a night, noon to noon UTC: hours asleep and in bed, hours by stage. Overlapping stretches count once.",
            [("since", text), ("until", text)]),
        tool(
            "phone_data_workouts", "Workouts", "Workouts with their minutes, and the sum per activity.",
            [("since", text), ("until", text), ("activity", text)]),
        tool(
            "phone_data_samples", "Single events", "The events of one metric as they were recorded, by start.",
            [("metric", text), ("since", text), ("until", text), ("limit", ["type": "integer"])],
            required: ["metric"]),
        tool(
            "phone_data_write", "Write entries",
            "Sends entries or removals to the writer, sealed. It applies them later; phone_data_edits says what became of them.",
            [("items", items)], required: ["items"]),
        tool(
            "phone_data_edits", "What became of edits", "Edits that were sent, with their state and refusals.",
            [("status", words(["pending", "all"])), ("after", text)]),
        tool("phone_data_sync", "Copy now", "Compares everything with the archive now and copies what changed.", []),
    ]

    /// The names of the tools.
    public static let names = list.compactMap { $0["name"]?.string }

    private static let items: JSONValue = [
        "type": "array", "minItems": 1, "maxItems": .integer(EditPlaintext.maximumItemCount),
        "items": [
            "type": "object", "required": ["op", "id"],
            "properties": [
                "op": words(["put", "delete"]), "id": text, "metric": words(writableNames),
                "start": ["type": "integer"], "end": ["type": "integer"], "value": ["type": "number"], "unit": text,
                "stage": words(WritableMetric.stages),
            ],
        ],
    ]

    private static func tool(
        _ name: String, _ title: String, _ description: String, _ properties: [(String, JSONValue)],
        required: [String] = []
    ) -> JSONValue {
        var schema: JSONObject = ["type": "object"]
        if !required.isEmpty { schema.append("required", .array(required.map { .string($0) })) }
        schema.append("properties", .object(JSONObject(properties.map { .init($0.0, $0.1) })))
        return [
            "name": .string(name), "title": .string(title), "description": .string(description),
            "inputSchema": .object(schema),
        ]
    }

    static let instructions = """
        Health data of the person who runs this computer, opened from their sealed archive. Begin with \
        phone_data_overview. Days are the person's own; instants are UTC. Totals come as daily totals: never add hours \
        to days. A missing value means that nothing was recorded. Write only what the person asked for.
        """
}
