/// Which metrics a day is built from.
public struct MetricSelection: Sendable, Equatable {
    private let ids: Set<String>?

    /// Every metric.
    public static let all = MetricSelection(ids: nil)

    /// These metrics; ids that are not known select nothing.
    public init(metricIDs: some Sequence<String>) { ids = Set(metricIDs) }

    private init(ids: Set<String>?) { self.ids = ids }

    /// Whether a metric is selected.
    public func contains(_ metricID: String) -> Bool { ids?.contains(metricID) ?? true }

    /// Whether every metric is selected: whoever wants all metrics losslessly wants what none of them names, too.
    var isWhole: Bool { ids.map { ids in Registry.current.metrics.allSatisfy { ids.contains($0.id) } } ?? true }

    /// Whether a type of the source belongs to a metric that is selected. A type that no metric names concerns everything, and
    /// nothing in particular; routes belong to workouts.
    public func concerns(type: String) -> Bool {
        guard let ids else { return true }
        if type == Self.routeType { return ids.contains("workouts") }
        return Registry.current.metrics.contains { metric in
            ids.contains(metric.id)
                && [metric.id, metric.healthKitIdentifier, metric.exportType, metric.archiveObjectType].contains(type)
        }
    }

    private static let routeType = "HKWorkoutRouteTypeIdentifier"

    /// Whether any metric of a category is selected: sleep, workout and medication metrics share one section.
    func containsAny(ofCategory category: String) -> Bool {
        guard let ids else { return true }
        return Registry.current.metrics.contains { $0.category == category && ids.contains($0.id) }
    }
}
