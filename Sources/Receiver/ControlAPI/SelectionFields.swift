import HealthData
import RawResult

/// The members of `canonical_selection` (control-api.md 5, step 7).
struct SelectionFields {
    /// Limits of control-api.md 5.
    static let maximumMetricCount = 512
    static let maximumCategoryCount = 64
    static let maximumObjectPathCount = 128
    static let maximumFieldPointerCount = 256

    let metricIDs: [String]
    let categories: [String]
    let allMetrics: Bool
    let sourceIDs: [String]
    let detailWord: String?
    let objectPaths: [String]
    let fieldPointers: [String]

    init(_ members: RequestMembers) throws(ExportRequestError) {
        metricIDs = try members.strings("metric_ids") ?? []
        categories = try members.strings("categories") ?? []
        allMetrics = try members.bool("all_metrics") ?? false
        sourceIDs = try members.strings("source_ids") ?? ["apple_health"]
        detailWord = try members.string("detail_level")
        objectPaths = try members.strings("object_paths") ?? []
        fieldPointers = try members.strings("field_pointers") ?? []
    }

    /// Checks in the order of the specification and replaces categories and `all_metrics` by metric ids.
    func resolved(isProjection: Bool) throws(ExportRequestError) -> JobRequest.CanonicalSelection {
        let names = categories.map(Self.normalized)
        try checkShape(names)
        let metrics = try expanded(names)
        guard !metrics.isEmpty else { throw .emptySelection }
        guard sourceIDs == ["apple_health"] else { throw .unsupportedCanonicalSource }
        guard let detail = JobRequest.DetailLevel(rawValue: detailWord ?? "summary") else {
            throw .unsupportedDetailLevel
        }
        guard isProjection || (objectPaths.isEmpty && fieldPointers.isEmpty) else { throw .pathsRequireProjection }
        guard objectPaths.count <= Self.maximumObjectPathCount,
            fieldPointers.count <= Self.maximumFieldPointerCount,
            (objectPaths + fieldPointers).allSatisfy({ JSONPointer($0) != nil })
        else { throw .invalidPath }
        return JobRequest.CanonicalSelection(
            metricIDs: metrics, sourceIDs: sourceIDs, detailLevel: detail, objectPaths: objectPaths,
            fieldPointers: fieldPointers)
    }

    private func checkShape(_ names: [String]) throws(ExportRequestError) {
        guard metricIDs.count <= Self.maximumMetricCount, categories.count <= Self.maximumCategoryCount,
            Set(metricIDs).count == metricIDs.count, Set(names).count == names.count,
            !allMetrics || (metricIDs.isEmpty && categories.isEmpty)
        else { throw .invalidSelection }
    }

    private func expanded(_ names: [String]) throws(ExportRequestError) -> [String] {
        let registry = Registry.current
        if allMetrics { return registry.metrics.map(\.id) }
        if let unknown = metricIDs.first(where: { registry.metric($0) == nil }) { throw .unknownMetric(unknown) }
        let known = Set(registry.categories.map(Self.normalized))
        if let unknown = names.first(where: { !known.contains($0) }) { throw .unknownMetricCategory(unknown) }
        let chosen = Set(names)
        return metricIDs + registry.metrics.filter { chosen.contains(Self.normalized($0.category)) }.map(\.id)
    }

    /// A category's name without case; `_`, `-` and a space are the same.
    private static func normalized(_ name: String) -> String {
        name.lowercased().replacing("_", with: " ").replacing("-", with: " ")
    }
}
