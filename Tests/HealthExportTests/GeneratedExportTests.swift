import HealthRecords
import Testing

@testable import HealthExport

@Suite(.enabled(if: GeneratedExport.isAvailable, GeneratedExport.absence))
struct GeneratedExportTests {
    private static let small = ["--days", "16", "--records-per-day", "60", "--ecgs", "0"]

    /// Records that the generator writes without counting them, by hazard.
    private static let uncounted = ["dup-records": 2, "odd-dates": 7, "quotes": 1]
    /// Metadata entries likewise.
    private static let uncountedMetadata = ["control": 1, "long-attr": 1]
    /// Records that cannot be used, by hazard.
    private static let leftOut = ["odd-dates": 2, "long-attr": 1]

    private func check(
        _ arguments: [String], extra: Int = 0, metadata: Int = 0, leftOut: Int = 0
    ) throws -> (RecordingVisitor, ExportSummary) {
        let (bytes, expected) = try GeneratedExport.xml(Self.small + arguments)
        let (visitor, summary) = try readAll(bytes)
        for (name, count) in expected.elements {
            let found = summary.elements[name] ?? summary.problems.unknownElements["Workout/\(name)"] ?? 0
            let more = ["Record": extra, "MetadataEntry": metadata][name] ?? 0
            #expect(found == count + more, "\(name) \(arguments)")
        }
        #expect(summary.recordCount == expected.top_level_records_by_type.values.reduce(0, +) + extra - leftOut)
        for (type, count) in expected.top_level_records_by_type where !type.hasSuffix("DietaryCaffeine") {
            #expect(summary.types[type]?.count == count, "\(type) \(arguments)")
        }
        #expect(summary.byteCount == expected.xml_bytes)
        let (general, generalSummary) = try readAll(bytes, usesFastPath: false, pieceSize: 70_001)
        #expect(visitor.everything == general.everything, "\(arguments)")
        #expect(summary.problems.all == generalSummary.problems.all)
        return (visitor, summary)
    }

    @Test(
        "every locale gives the generator's totals on both paths",
        arguments: [
            "de_DE", "en_GB", "en_US", "es_ES", "fi_FI", "fr_FR", "ja_JP", "nb_NO", "ru_RU", "zh_CN", "zh_TW",
        ])
    func locales(locale: String) throws {
        let (_, summary) = try check(["--locale", locale])
        #expect(summary.locale == locale)
        #expect(summary.problems.all.isEmpty)
        #expect(summary.isComplete)
    }

    @Test(
        "every document type gives the generator's totals, also the broken one of iOS 16",
        arguments: ["none", "11", "12", "12-broken", "13", "14", "14-zones"])
    func documentTypes(version: String) throws {
        let (_, summary) = try check(["--dtd", version])
        #expect(summary.exportVersion == Int(version.prefix(2)))
        #expect(summary.isComplete)
        #expect(summary.problems.all.filter { $0.code != .unknownElement }.isEmpty)
    }

    @Test(
        "every hazard costs at most the record it stands in, and is counted",
        arguments: [
            ("crlf", nil), ("bom", nil), ("control", .controlCharacterDropped),
            ("charref", .forbiddenReferenceDropped), ("bad-utf8", .invalidUTF8Replaced),
            ("dup-attr", .duplicateAttribute), ("dup-records", nil), ("raw-amp", .unescapedMarkup),
            ("odd-values", .unreadableValue), ("odd-dates", .unreadableDate), ("no-value", nil), ("nested-only", nil),
            ("quotes", nil), ("long-attr", .oversizeElement),
        ] as [(String, ExportProblemCode?)])
    func hazards(name: String, code: ExportProblemCode?) throws {
        let (visitor, summary) = try check(
            ["--hazard", name], extra: Self.uncounted[name] ?? 0,
            metadata: Self.uncountedMetadata[name] ?? 0, leftOut: Self.leftOut[name] ?? 0)
        #expect(summary.isComplete)
        if let code {
            #expect(summary.problems.count(code) > 0)
            let place = try #require(summary.problems.all.first { $0.code == code }?.places.first)
            #expect((place.line ?? 0) > 3 && (place.offset ?? 0) > 0)
        } else {
            #expect(summary.problems.all.isEmpty, "\(summary.problems.all)")
        }
        if name == "control" {
            #expect(visitor.records.contains { $0.record.source.name == "Tabulator" })
            #expect(visitor.records.contains { $0.record.metadata.first?.value == "linebreak" })
        }
        if name == "raw-amp" { #expect(visitor.records.contains { $0.record.source.name == "Salt & Pepper" }) }
        if name == "bad-utf8" {
            #expect(visitor.records.contains { $0.record.source.name == "Caf\u{FFFD} \u{FFFD}\u{FFFD}" })
        }
        if name == "quotes" { #expect(visitor.records.contains { $0.record.source.name == "Single \"quoted\"" }) }
    }

    @Test("a file that stops inside a tag gives everything before it and says where it broke off")
    func truncated() throws {
        let (_, summary) = try check(["--hazard", "truncate-xml"])
        #expect(!summary.isComplete)
        #expect((summary.brokenOffAt?.offset ?? 0) > summary.byteCount - 200)
        #expect((summary.brokenOffAt?.line ?? 0) > 1_000)
    }

    @Test("offsets that follow the instant give the same instants as one offset for the whole file")
    func offsetModes() throws {
        let (fixed, _) = try check([])
        let (local, _) = try check(["--offset-mode", "local"])
        #expect(fixed.records.map(\.record) == local.records.map(\.record))
    }
}
