import Foundation
import Testing

/// The table of docs/REFUSALS.md names tests; they exist.
@Suite struct ProtocolTableTests {
    private static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Everything that stands in the sources of the tests.
    private func testSources() throws -> String {
        let folder = ProtocolTableTests.project.appendingPathComponent("Tests")
        let files =
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }

    @Test("every test that the table of refusals names is there")
    func namesExist() throws {
        let table = try String(
            contentsOf: ProtocolTableTests.project.appendingPathComponent("docs/REFUSALS.md"), encoding: .utf8)
        // Names stand in quotes; every odd piece is one.
        let names = table.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(names.count > 100)
        let sources = try testSources()
        for name in Set(names) { #expect(sources.contains("\"\(name)\""), "\(name)") }
    }
}
