import CanonicalJSON
import HealthData

/// `metrics [list] [--category NAME]`: the catalogue of this build, without asking anybody (cli.md 3).
enum MetricsCommand {
    static let spec = CommandSpec(
        "metrics", aliases: [["metrics", "list"]], summary: "Lists the metrics that can be asked for.",
        examples: [
            Example("healthmd metrics", "all of them, with ids, units and categories"),
            Example("healthmd metrics --category sleep", "those of one category"),
        ],
        options: [.value("--category", .text, "NAME", "only this category; case, - and _ do not matter")],
        run: { invocation, console in
            let registry = Registry.current
            var metrics = registry.metrics
            if let wanted = invocation.text("--category") {
                guard let category = registry.categories.first(where: { folded($0) == folded(wanted) }) else {
                    throw CommandFailure(
                        "unknown_metric_category", "there is no such category; healthmd metrics lists all of them",
                        details: [("categories", .array(registry.categories.map(JSONValue.string)))])
                }
                metrics = metrics.filter { $0.category == category }
            }
            let sorted = metrics.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
            console.print(
                [
                    "schema": "healthmd.metric_catalog", "schema_version": 1,
                    "categories": .array(registry.categories.map(JSONValue.string)),
                    "metrics": .array(sorted.map(describe)),
                ], invocation)
            return .success
        })

    /// Ignores case and takes `_`, `-` and space for one another (control-api.md 5).
    static func folded(_ category: String) -> String {
        String(category.lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
    }

    private static func describe(_ metric: Metric) -> JSONValue {
        [
            "id": .string(metric.id), "name": .string(metric.name), "category": .string(metric.category),
            "unit": .string(metric.selectionUnit), "archive_only": .bool(metric.isArchiveOnly),
            "availability": .string(metric.selectionDefault.rawValue),
            "requires_separate_authorization": .bool(metric.selectionDefault != .enabled),
        ]
    }
}
