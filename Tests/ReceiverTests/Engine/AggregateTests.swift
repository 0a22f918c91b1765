import ConnectedProtocol
import Foundation
import HealthData
import Testing

@testable import Receiver

/// What file jobs make beside the loose files of days, and what a stop at any point leaves.
@Suite("File jobs: roll-ups, archive, entries, notes, accounts") struct FileJobAggregateTests {
    /// Labels from Thursday, 1 January 2026.
    private static let supporting = ["2025-12-30", "2025-12-31", "2026-01-04"]

    private func day(_ label: String) throws -> [UInt8] {
        let isRequested = FakePhone.labels.contains(label)
        return try FakePhone.healthDay(
            label, steps: 1_000 + (CalendarDay(label)?.daysSince1970 ?? 0) % 100, isRequested: isRequested)
    }

    /// Transfers a file job and asks for its end; nothing of the finalization has run when this returns.
    private func begin(
        _ rig: EngineRig, supporting: [String] = [], item: ((String) throws -> [UInt8])? = nil,
        _ change: (inout SettingsContent) -> Void
    ) throws -> (phone: FakePhone, finalize: SyncMessage) {
        if rig.connection == nil { rig.connect() }
        let (id, _) = rig.createJob()
        var settings = SettingsContent()
        change(&settings)
        let phone = try rig.filePhone(id, settings: settings, supporting: supporting, item: item ?? day)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        let finalize = try phone.finalize(partitions)
        rig.send(finalize)
        return (phone, finalize)
    }

    private func result(_ rig: EngineRig) throws -> MacExportResult {
        rig.settle()
        let results = rig.channel.take().compactMap { message -> MacExportResult? in
            if case .macExportResult(let result) = message { return result }
            return nil
        }
        return try #require(results.last)
    }

    private func bytes(_ rig: EngineRig, _ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: rig.destinationPath + "/" + path))
    }

    private func write(_ text: String, _ path: String, _ rig: EngineRig) throws {
        let url = URL(fileURLWithPath: rig.destinationPath + "/" + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func everything(_ settings: inout SettingsContent) {
        settings.exportFormats = ["JSON", "Markdown", "CSV", "Obsidian Bases"]
        settings.generateRangeSummary = true
        settings.generateWeeklyRollups = true
        settings.generateMonthlyRollups = true
        settings.generateYearlyRollups = true
    }

    @Test("calendar roll-ups cover their whole periods; supporting days count in them and have no files")
    func calendarRollups() throws {
        let rig = try EngineRig()
        _ = try begin(rig, supporting: Self.supporting) {
            everything(&$0)
            $0.exportFormats = ["JSON"]
        }
        let result = try result(rig)
        #expect(result.status == .success && result.outputBreakdown?.rollupFileCount == 4)
        let names = Set(rig.destinationFiles())
        #expect(
            names == [
                "Health/2026-01-01.json", "Health/2026-01-02.json", "Health/2026-01-03.json",
                "Health/Rollups/Weekly/2026-W01.json", "Health/Rollups/Monthly/2026-01.json",
                "Health/Rollups/Yearly/2026.json", "Health/Rollups/Range/2026-01-01_to_2026-01-03.json",
                "Health/_healthmd_data_dictionary.json",
            ])
        func dates(_ path: String) throws -> [String] {
            let object = try JSONSerialization.jsonObject(with: bytes(rig, path)) as? [String: Any]
            return object?["source_dates"] as? [String] ?? []
        }
        #expect(try dates("Health/Rollups/Weekly/2026-W01.json") == (FakePhone.labels + Self.supporting).sorted())
        #expect(try dates("Health/Rollups/Monthly/2026-01.json") == FakePhone.labels + ["2026-01-04"])
        #expect(try dates("Health/Rollups/Range/2026-01-01_to_2026-01-03.json") == FakePhone.labels)
    }

    @Test(
        "a receiver that dies at any piece of work of the finalization gives the same bytes",
        arguments: [false, true])
    func sameBytes(isArchive: Bool) throws {
        func change(_ settings: inout SettingsContent) {
            everything(&settings)
            settings.archiveExportFiles = isArchive
            settings.individualTracking.globalEnabled = true
            settings.individualTracking.metricConfigs["steps"] = MetricTracking()
        }
        let whole = try EngineRig(sliceSeconds: 0)
        _ = try begin(whole, supporting: Self.supporting, change)
        let expected = try result(whole)
        #expect(expected.status == .success)
        let names = whole.destinationFiles()
        #expect(names.count == (isArchive ? 1 : 3 * 4 + 4 * 4 + 3 + 1))
        var isOver = false
        var steps = 0
        while !isOver {
            let rig = try EngineRig(sliceSeconds: 0)
            let (_, finalize) = try begin(rig, supporting: Self.supporting, change)
            rig.settle(steps: steps)
            isOver = rig.channel.take().contains { if case .macExportResult = $0 { true } else { false } }
            try rig.restart()
            rig.settle()
            rig.connect()
            rig.send(finalize)
            let again = try result(rig)
            #expect(again.outputBreakdown == expected.outputBreakdown, "dead after \(steps)")
            #expect(again.isTotalFilesWrittenAuthoritative)
            #expect(rig.destinationFiles() == names)
            for name in names {
                #expect(try bytes(rig, name) == bytes(whole, name), "\(name) dead after \(steps)")
            }
            steps += isArchive ? 3 : 5
        }
    }

    @Test("entries are counted by themselves, and a metric that has none on a day is told")
    func entries() throws {
        let rig = try EngineRig()
        _ = try begin(rig) {
            $0.individualTracking.globalEnabled = true
            $0.individualTracking.metricConfigs["steps"] = MetricTracking()
            $0.individualTracking.metricConfigs["weight"] = MetricTracking()
        }
        let result = try result(rig)
        #expect(result.status == .success && result.outputBreakdown?.individualEntryFileCount == 3)
        #expect(result.partialFailures?.map(\.dataType) == ["weight", "weight", "weight"])
        #expect(rig.destinationFiles().filter { $0.hasPrefix("Health/entries/") }.count == 3)
    }

    @Test("a plan in which two files are one fails as a whole before anything is written")
    func collisions() throws {
        let rig = try EngineRig()
        _ = try begin(rig) { $0.filenameFormat = "day" }
        rig.settle()
        guard case .macExportFailed(let failure)? = rig.channel.take().dropLast().last else {
            Issue.record("a definitive failure precedes the ack")
            return
        }
        #expect(failure.message.contains("path_collision") && failure.totalFilesWritten == 0)
        #expect(rig.destinationFiles().isEmpty)
    }

    @Test("a file that is a link is never followed; its day fails with the code, the others are written")
    func link() throws {
        let rig = try EngineRig()
        try write("mine", "other.txt", rig)
        try FileManager.default.createDirectory(
            atPath: rig.destinationPath + "/Health", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: rig.destinationPath + "/Health/2026-01-02.md",
            withDestinationPath: rig.destinationPath + "/other.txt")
        _ = try begin(rig) {
            $0.writeMode = "Update"
            $0.exportFormats = ["Markdown"]
        }
        let result = try result(rig)
        #expect(result.status == .partialSuccess && result.successCount == 2)
        #expect(result.failedDateDetails.map(\.errorDetails) == ["is_symlink"])
        #expect(try bytes(rig, "other.txt") == Data("mine".utf8))
    }

    @Test("a note that is no text fails its day with a code and keeps its bytes; the other days are merged")
    func unmergeableNote() throws {
        let rig = try EngineRig()
        let broken = Data([0xFF, 0xFE, 0x00])
        try write("# Friday\n\nMine.\n", "Daily/2026-01-01.md", rig)
        try write("", "Daily/2026-01-02.md", rig)
        try broken.write(to: URL(fileURLWithPath: rig.destinationPath + "/Daily/2026-01-02.md"))
        _ = try begin(rig) {
            $0.dailyNoteInjection.enabled = true
            $0.dailyNoteInjection.createIfMissing = true
        }
        let result = try result(rig)
        #expect(result.failedDateDetails.map(\.errorDetails) == ["content_unmergeable"])
        #expect(result.successCount == 2 && result.dailyNoteUpdateCount == 2)
        #expect(try bytes(rig, "Daily/2026-01-02.md") == broken)
        #expect(String(decoding: try bytes(rig, "Daily/2026-01-01.md"), as: UTF8.self).contains("Mine."))
    }

    @Test(
        "Update and Append change nothing the second time, down to the time of the files",
        arguments: ["Update", "Append"])
    func idempotent(mode: String) throws {
        let rig = try EngineRig()
        var before: [String: [FileAttributeKey: NSObject]] = [:]
        for round in 0..<2 {
            _ = try begin(rig) {
                $0.writeMode = mode
                $0.exportFormats = ["Markdown", "JSON"]
                $0.includeDataDictionary = false
                $0.dailyNoteInjection.enabled = true
                $0.dailyNoteInjection.createIfMissing = true
                $0.dailyNoteInjection.injectMarkdownSections = true
            }
            #expect(try result(rig).status == .success)
            var now: [String: [FileAttributeKey: NSObject]] = [:]
            for name in rig.destinationFiles() {
                let attributes = try FileManager.default.attributesOfItem(atPath: rig.destinationPath + "/" + name)
                now[name] = [
                    .systemFileNumber: attributes[.systemFileNumber] as? NSObject ?? NSNull(),
                    .modificationDate: attributes[.modificationDate] as? NSObject ?? NSNull(),
                ]
            }
            #expect(now.count == 9)
            if round == 1 { #expect(now == before) }
            before = now
        }
    }

    @Test("a roll-up that cannot be written fails no day: it is told, and the job is a partial success")
    func failedRollup() throws {
        let rig = try EngineRig()
        // A folder where the file should be.
        try write("mine", "Health/Rollups/Range/2026-01-01_to_2026-01-03.json/note", rig)
        _ = try begin(rig) {
            $0.exportFormats = ["JSON"]
            $0.generateRangeSummary = true
        }
        let result = try result(rig)
        #expect(result.status == .partialSuccess && result.successCount == 3 && result.hadTerminalRangeFailure)
        #expect(result.failedDateDetails.isEmpty && result.outputBreakdown?.rollupFileCount == 0)
        #expect(result.partialFailures?.contains { $0.dataType == "rollup_range" } == true)
        #expect(result.outputBreakdown?.dataDictionaryFileCount == 1)
    }

    @Test("a job that is cancelled after the receiver died between a file and its transaction says at least")
    func lowerBound() throws {
        let rig = try EngineRig(sliceSeconds: 0)
        let (phone, _) = try begin(rig) { $0.exportFormats = ["JSON"] }
        while rig.destinationFiles().count < 2 { rig.settle(steps: 1) }
        try rig.restart()
        rig.connect()
        _ = rig.engine.cancel(phone.session.jobID)
        let result = try result(rig)
        #expect(result.status == .cancelled && !result.isTotalFilesWrittenAuthoritative)
        #expect(result.outputBreakdown?.isFileCategoryBreakdownComplete == false)
        #expect(result.totalFilesWritten <= rig.destinationFiles().count)
    }

    @Test("the account of a job that is cancelled between two slices is exact")
    func exactCancel() throws {
        let rig = try EngineRig(sliceSeconds: 0)
        let (phone, _) = try begin(rig) { $0.exportFormats = ["JSON"] }
        while rig.destinationFiles().count < 2 { rig.settle(steps: 1) }
        _ = rig.engine.cancel(phone.session.jobID)
        let result = try result(rig)
        #expect(result.status == .cancelled && result.isTotalFilesWrittenAuthoritative)
        #expect(result.totalFilesWritten == rig.destinationFiles().count && result.totalFilesWritten == 2)
        #expect(result.completedDates?.count == 2)
    }
}
