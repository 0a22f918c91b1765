import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

@Suite struct OutputTests {
    /// Runs a file job with these settings to its end; `killBetweenSlices` restarts the receiver after each piece of work.
    private func run(
        _ rig: EngineRig, item: (String) throws -> [UInt8] = { try FakePhone.healthDay($0) },
        _ change: (inout SettingsContent) -> Void, killedAfter steps: Int? = nil
    ) throws -> MacExportResult {
        if rig.connection == nil { rig.connect() }
        let (id, _) = rig.createJob()
        var settings = SettingsContent()
        change(&settings)
        let phone = try rig.filePhone(id, settings: settings, item: item)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        if let steps {
            rig.settle(steps: steps)
            try rig.restart()
            rig.settle()
            rig.connect()
            rig.send(try phone.finalize(partitions))
        }
        rig.settle()
        let results = rig.channel.take().compactMap { message -> MacExportResult? in
            if case .macExportResult(let result) = message { return result }
            return nil
        }
        return try #require(results.last)
    }

    private func text(_ rig: EngineRig, _ path: String) throws -> String {
        try String(contentsOfFile: rig.destinationPath + "/" + path, encoding: .utf8)
    }

    @Test("Update keeps the sections that a person added to a Markdown day")
    func update() throws {
        let rig = try EngineRig()
        _ = try run(rig) { $0.writeMode = "Update" }
        let path = "Health/2026-01-01.md"
        let first = try text(rig, path)
        try (first + "\n## My own words\n\nRain.\n").write(
            toFile: rig.destinationPath + "/" + path, atomically: false, encoding: .utf8)
        let result = try run(rig) { $0.writeMode = "Update" }
        #expect(result.status == .success)
        #expect(try text(rig, path).contains("## My own words"))
        #expect(try text(rig, path).contains("Rain."))
    }

    @Test("Append adds Markdown once, and refuses to make invalid JSON")
    func append() throws {
        let rig = try EngineRig()
        let first = try run(rig) { $0.writeMode = "Append" }
        #expect(first.status == .success)
        let before = try text(rig, "Health/2026-01-01.json")
        let again = try run(rig) { $0.writeMode = "Append" }
        #expect(again.status == .success, "what is there already is not added again")
        #expect(try text(rig, "Health/2026-01-01.json") == before)
        let second = try run(rig, item: { try FakePhone.healthDay($0, steps: 12) }) { $0.writeMode = "Append" }
        #expect(second.status == .failure && second.failedDateDetails.count == 3)
        #expect(second.failedDateDetails.first?.errorDetails == "content_unmergeable")
        #expect(try text(rig, "Health/2026-01-01.json") == before)
        let markdown = try run(rig) {
            $0.writeMode = "Append"
            $0.exportFormats = ["Markdown"]
        }
        #expect(markdown.status == .success)
    }

    @Test(
        "ZIP mode writes one archive and no loose files, also when the receiver dies on the way",
        arguments: [nil, 1, 2, 3])
    func archive(killedAfter steps: Int?) throws {
        let rig = try EngineRig()
        let result = try run(
            rig,
            {
                $0.archiveExportFiles = true
                $0.generateRangeSummary = true
            }, killedAfter: steps)
        #expect(result.status == .success && result.totalFilesWritten == 1)
        #expect(result.outputBreakdown?.zipArchiveFileCount == 1)
        let path = "Health/Health.md Export 2026-01-01_to_2026-01-03.zip"
        #expect(rig.destinationFiles() == [path])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: rig.destinationPath + "/" + path))
        #expect(bytes.prefix(4) == Data([0x50, 0x4b, 3, 4]))
        for name in ["2026-01-01.json", "2026-01-03.md", "_healthmd_data_dictionary.json", "Rollups/Range/"] {
            #expect(bytes.range(of: Data(name.utf8)) != nil, "\(name)")
        }
        #expect(!rig.stateFiles().contains { $0.contains("archive.zip") })
    }

    @Test("a range summary is a file of its own in each format, with the same bytes when it is written again")
    func rollup() throws {
        let rig = try EngineRig()
        let result = try run(rig) { $0.generateRangeSummary = true }
        #expect(result.outputBreakdown?.rollupFileCount == 2)
        let files = rig.destinationFiles().filter { $0.contains("Rollups/Range/2026-01-01_to_2026-01-03") }
        #expect(files.count == 2)
    }

    @Test("summary only writes the roll-up and no daily files")
    func summaryOnly() throws {
        let rig = try EngineRig()
        let result = try run(rig) {
            $0.generateRangeSummary = true
            $0.summaryOnlyExport = true
        }
        #expect(result.status == .success)
        #expect(!rig.destinationFiles().contains { $0.hasSuffix("2026-01-01.json") })
        #expect(rig.destinationFiles().contains { $0.contains("Rollups/Range") })
    }

    @Test("daily notes are merged into, counted as updates, and skipped where none is there")
    func dailyNotes() throws {
        let rig = try EngineRig()
        try FileManager.default.createDirectory(
            atPath: rig.destinationPath + "/Notes", withIntermediateDirectories: true)
        try "# Thursday\n\nMy day.\n".write(
            toFile: rig.destinationPath + "/Notes/2026-01-01.md", atomically: false, encoding: .utf8)
        let result = try run(rig) {
            $0.dailyNoteInjection.enabled = true
            $0.dailyNoteInjection.folderPath = "Notes"
            $0.dailyNoteInjection.filenamePattern = "{date}"
            $0.dailyNoteInjection.createIfMissing = false
            $0.dailyNoteInjection.dailyNotesOnly = true
        }
        #expect(result.dailyNoteUpdateCount == 1 && result.dailyNoteSkipCount == 2 && result.totalFilesWritten == 0)
        #expect(result.status == .partialSuccess && result.successCount == 1)
        #expect(rig.destinationFiles() == ["Notes/2026-01-01.md"])
        #expect(try text(rig, "Notes/2026-01-01.md").contains("My day."))
    }
}
