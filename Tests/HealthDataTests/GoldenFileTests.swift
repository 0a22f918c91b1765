import CanonicalJSON
import TestSupport
import Testing

@testable import HealthData

@Suite("Published example files", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
struct GoldenFileTests {
    private func document(_ name: String) throws -> DayDocument {
        try DayDocument(parsing: SharedFixtures.bytes("health-data/\(name)"))
    }

    @Test(
        "the day files are rendered byte for byte from the day document",
        arguments: ["summary-day", "lossless-day"],
        [(ExportFormat.markdown, ".md"), (.bases, "-bases.md"), (.csv, ".csv"), (.json, ".json")])
    func files(_ name: String, _ format: (ExportFormat, String)) throws {
        let rendered = try DayRenderer.bytes(of: document("\(name).json"), as: format.0)
        expectSameBytes(rendered, try SharedFixtures.bytes("health-data/\(name)\(format.1)"))
    }

    @Test("the data dictionary has the published bytes", arguments: [DocumentVersion.v8, .v10])
    func dictionary(_ version: DocumentVersion) throws {
        let name = version == .v8 ? "health-data/data-dictionary.json" : "health-data/v10/data-dictionary.json"
        expectSameBytes(DataDictionary(version: version).bytes(), try SharedFixtures.bytes(name))
    }

    @Test("the archive in the compact form has the published bytes")
    func compactArchive() throws {
        let archive = try #require(document("lossless-day.json").archive)
        let bytes = Array((CSVRenderer.compact(.object(archive)) + "\n").utf8)
        expectSameBytes(bytes, try SharedFixtures.bytes("health-data/canonical-archive.json"))
    }
}
