import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import HealthData

@Suite("The registry")
struct RegistryTests {
    private let registry = Registry.current

    @Test("holds 230 metrics, 226 output keys, 6 diagnostic keys, 21 categories and 84 workout types")
    func counts() {
        #expect(registry.metrics.count == 230)
        #expect(registry.outputs.count == 226)
        #expect(registry.diagnostics.count == 6)
        #expect(registry.categories.count == 21)
        #expect(registry.activityTypes.count == 84)
    }

    @Test("lists every metric under a known category, and archive-only metrics without outputs")
    func categories() {
        for metric in registry.metrics {
            #expect(registry.categories.contains(metric.category), "\(metric.id)")
            #expect(metric.isArchiveOnly == metric.outputs.isEmpty, "\(metric.id)")
        }
    }

    @Test("gives the tokens of category values by their spelling in exports")
    func tokens() {
        #expect(
            registry.token(
                kind: "HKCategoryTypeIdentifierMenstrualFlow", spelling: "HKCategoryValueMenstrualFlowMedium")
                == "medium")
        #expect(
            registry.token(
                kind: "HKCategoryTypeIdentifierSleepAnalysis", spelling: "HKCategoryValueSleepAnalysisAsleepREM")
                == "rem")
    }

    @Test("finds workout types by number, symbol and spelling in exports")
    func activities() {
        #expect(registry.activityType(rawValue: 37)?.symbol == "running")
        #expect(registry.activityType(exportName: "HKWorkoutActivityTypeTaiChi")?.rawValue == 72)
        #expect(registry.activityType(symbol: "other")?.rawValue == 3_000)
        #expect(registry.activityType(rawValue: 81) == nil)
    }

    @Test("CSV orders name output keys or sample places only")
    func orders() {
        let rows = FormatTable.text.split(separator: "\n").map { TableFields($0) }.filter { $0[0] == "csv" }
        #expect(rows.count == 18)
        for row in rows {
            for name in row.rest(from: 2) where !name.hasPrefix("@") && name != "by label" {
                #expect(registry.output(name) != nil, "\(name)")
            }
        }
    }

    @Test(
        "agrees with metrics.json of the specification in every metric, key, place and row",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func specification() throws {
        let root = try #require(SharedFixtures.root).deletingLastPathComponent()
        let text = try Data(contentsOf: root.appendingPathComponent("spec/metrics.json"))
        let specification = try JSONParser.parse([UInt8](text))
        let metrics = try #require(specification["metrics"]?.array)
        #expect(metrics.count == registry.metrics.count)
        for (spec, metric) in zip(metrics, registry.metrics) {
            #expect(spec["id"]?.string == metric.id)
            #expect(spec["name"]?.string == metric.name)
            #expect(spec["healthkit_identifier"]?.string == metric.healthKitIdentifier)
            #expect(spec["source_aggregation"]?.string == metric.aggregation.rawValue)
            #expect(spec["record_unit"]?.string == metric.recordUnit)
            #expect(spec["apple_export"]?["element"]?.string == metric.exportElement)
            #expect(spec["archive_only"]?.bool == metric.isArchiveOnly)
            let outputs = try #require(spec["outputs"]?.array)
            #expect(outputs.count == metric.outputs.count)
            for (output, key) in zip(outputs, metric.outputs) {
                #expect(output["key"]?.string == key.key)
                #expect(output["unit"]?.string == key.unit)
                #expect(output["daily_rule"]?.string == key.dailyRule)
                #expect(output["rollup_primary"]?.string == key.rollupPrimary)
                #expect(output["rollup_statistics"]?.array?.compactMap(\.string) == key.rollupStatistics)
                #expect(output["frontmatter_decimals"]?.number?.int == key.decimals)
                #expect(output["json"]?.array?.compactMap { $0["path"]?.string } == key.places.map(\.path))
                #expect((output["csv"]?.array ?? []).compactMap { $0["metric"]?.string } == key.rows.map(\.metric))
                #expect((output["csv"]?.array ?? []).compactMap { $0["from"]?.string } == key.rows.map(\.source))
            }
        }
    }
}
