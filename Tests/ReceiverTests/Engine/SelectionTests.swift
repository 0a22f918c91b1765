import ConnectedProtocol
import Foundation
import HMDCItem
import HealthData
import Testing

@testable import Receiver

/// A selection of metrics beside files of whole days (control-api.md 5, export-formats.md 9).
@Suite struct SelectionTests {
    /// Two metrics, or the one of them that is selected.
    private func day(_ label: String, steps: Int = 4_711, isWhole: Bool) throws -> [UInt8] {
        let instant = Date(timeIntervalSinceReferenceDate: FakePhone.date(label).secondsSince2001)
        var record = DailyRecord(date: instant, calendarTimeZoneIdentifier: "UTC")
        record.activity.steps = steps
        if isWhole { record.heart.restingHeartRate = 58 }
        return try ItemEncoder().encode(
            HealthDayEnvelope(sourceDate: instant, isRequestedDate: true, record: record), kind: .macHealthDay)
    }

    /// A finished job: all of a day, or a selection of it.
    private func export(
        _ rig: EngineRig, steps: Int = 4_711, isWhole: Bool, replaces: Bool = false,
        _ change: (inout SettingsContent) -> Void = { _ in }
    ) throws -> ControlResponse {
        if rig.connection == nil { rig.connect() }
        let (id, answers) = rig.createJob { request in
            if !isWhole { request.canonicalSelection = JobRequest.CanonicalSelection(metricIDs: ["steps"]) }
            request.replacesExisting = replaces
        }
        var settings = SettingsContent()
        settings.exportFormats = ["JSON", "CSV", "Markdown", "Obsidian Bases"]
        change(&settings)
        let selection =
            isWhole ? nil : ConnectedProtocol.CanonicalSelection(metricIDs: ["steps"], detailLevel: .summary)
        let phone = try rig.filePhone(id, settings: settings, selection: selection) {
            try day($0, steps: steps, isWhole: isWhole)
        }
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        return try #require(answers.answers.last?.response)
    }

    private func contents(_ rig: EngineRig) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in rig.destinationFiles() where !path.contains("dictionary") {
            contents[path] = try Data(contentsOf: URL(fileURLWithPath: rig.destinationPath + "/" + path))
        }
        return contents
    }

    @Test(
        "a selection never replaces files of whole days, whatever the format; the days say so with their code",
        arguments: [["JSON"], ["CSV"], ["Markdown"], ["Obsidian Bases"], ["JSON", "CSV", "Markdown"]],
        ["Overwrite", "Update"])
    func spared(formats: [String], mode: String) throws {
        let rig = try EngineRig()
        let change: (inout SettingsContent) -> Void = {
            $0.exportFormats = formats
            $0.writeMode = mode
        }
        #expect(try export(rig, isWhole: true, change).status == .success)
        let before = try contents(rig)
        let response = try export(rig, steps: 12, isWhole: false, change)
        if formats == ["Markdown"], mode == "Update" {
            // Merging takes nothing away: the sections of other metrics stay.
            #expect(response.status == .success)
            let merged = String(decoding: try #require(try contents(rig)["Health/2026-01-01.md"]), as: UTF8.self)
            #expect(merged.contains("resting_heart_rate: 58") && merged.contains("steps: 12"))
            return
        }
        #expect(response.status == .failure && response.failureReason == "selection_would_replace")
        #expect(response.successCount == 0 && response.filesWritten == 0)
        #expect(response.partialFailures?.count == 3)
        #expect(response.partialFailures?.first?.code == "selection_would_replace")
        #expect(response.partialFailures?.first?.message.contains("--replace") == true)
        #expect(try contents(rig) == before)
    }

    @Test("a selection replaces what it wrote itself, and what holds no more than it; whole days replace selections")
    func replacing() throws {
        let rig = try EngineRig()
        #expect(try export(rig, isWhole: false).status == .success)
        let first = try contents(rig)
        #expect(try export(rig, steps: 12, isWhole: false).status == .success)
        #expect(try contents(rig) != first)
        #expect(try export(rig, isWhole: true).status == .success)
        #expect(try export(rig, isWhole: false).failureReason == "selection_would_replace")
    }

    @Test("said so, a selection replaces whole days")
    func replaced() throws {
        let rig = try EngineRig()
        _ = try export(rig, isWhole: true)
        #expect(try export(rig, isWhole: false, replaces: true).status == .success)
        let text = String(decoding: try #require(try contents(rig)["Health/2026-01-01.json"]), as: UTF8.self)
        #expect(!text.contains("restingHeartRate"))
    }

    @Test("days without a file are written, beside those that are spared")
    func mixed() throws {
        let rig = try EngineRig()
        _ = try export(rig, isWhole: true)
        for path in rig.destinationFiles() where path.contains("2026-01-02") {
            try FileManager.default.removeItem(atPath: rig.destinationPath + "/" + path)
        }
        let response = try export(rig, isWhole: false)
        #expect(response.status == .partialSuccess && response.successCount == 1)
        #expect(response.partialFailures?.compactMap(\.date) == ["2026-01-01", "2026-01-03"])
    }

    @Test("a file that is not of its format is taken for one that holds more")
    func foreign() throws {
        let rig = try EngineRig()
        _ = try export(rig, isWhole: false)
        let path = rig.destinationPath + "/Health/2026-01-01.json"
        try "my own words".write(toFile: path, atomically: false, encoding: .utf8)
        let response = try export(rig, isWhole: false)
        #expect(response.partialFailures?.compactMap(\.date) == ["2026-01-01"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "my own words")
    }

    @Test("an archive of the same days is not replaced by one of a selection")
    func archive() throws {
        let rig = try EngineRig()
        let zip: (inout SettingsContent) -> Void = { $0.archiveExportFiles = true }
        _ = try export(rig, isWhole: true, zip)
        let before = try contents(rig)
        let response = try export(rig, isWhole: false, zip)
        #expect(response.status == .failure && response.failureReason == "selection_would_replace")
        #expect(response.message.contains("--destination"))
        #expect(try contents(rig) == before)
        #expect(try export(rig, isWhole: false, replaces: true, zip).status == .success)
    }
}
