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

    /// Whether any metric of a category is selected: sleep, workout and medication metrics share one section.
    func containsAny(ofCategory category: String) -> Bool {
        guard let ids else { return true }
        return Registry.current.metrics.contains { $0.category == category && ids.contains($0.id) }
    }
}
