import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import HealthData

@Suite("Names and folders of files")
struct FilePlannerTests {
    private let date = CivilDate("2026-03-15")!

    private func paths(_ change: (inout ExportSettings) -> Void) throws -> [String] {
        var settings = ExportSettings()
        change(&settings)
        return try FilePlanner(settings).files(for: date).map(\.path)
    }

    @Test("by default Markdown and JSON stand flat in the health folder")
    func defaults() throws {
        #expect(try paths { _ in } == ["Health/2026-03-15.md", "Health/2026-03-15.json"])
        #expect(FilePlanner(ExportSettings()).dataDictionaryPath == "Health/_healthmd_data_dictionary.json")
    }

    @Test("every placeholder is the day's own, in both templates")
    func placeholders() throws {
        let result = try paths {
            $0.formats = [.csv]
            $0.folderStructure = "{year}/{quarter}/{monthName}"
            $0.filenameFormat = "{YR}-{month}-{day} {weekday} {date}"
        }
        #expect(result == ["Health/2026/Q1/March/26-03-15 Sunday 2026-03-15.csv"])
    }

    @Test("the Bases file has its suffix only beside Markdown in one folder")
    func bases() throws {
        #expect(
            try paths { $0.formats = [.markdown, .bases] } == ["Health/2026-03-15.md", "Health/2026-03-15-bases.md"])
        #expect(try paths { $0.formats = [.bases] } == ["Health/2026-03-15.md"])
        let foldered = try paths {
            $0.formats = [.markdown, .bases]
            $0.organizesFormatsIntoFolders = true
        }
        #expect(foldered == ["Health/Markdown/2026-03-15.md", "Health/Bases/2026-03-15.md"])
    }

    @Test(
        "unsafe settings are refused with their key",
        arguments: [
            ("healthSubfolder", "/etc"), ("healthSubfolder", "a/../b"), ("folderStructure", "\\share"),
            ("folderStructure", "C:x"), ("filenameFormat", "."), ("filenameFormat", "a\u{7}"), ("filenameFormat", ""),
            ("folderStructure", String(repeating: "a", count: 4_097)),
        ])
    func unsafe(_ key: String, _ value: String) {
        let snapshot = JSONValue.object(JSONObject([.init(key, .string(value)), .init("exportFormats", ["JSON"])]))
        #expect {
            try ExportSettings(snapshot: snapshot)
        } throws: { error in
            if case .invalidSetting(key: key, reason: _)? = error as? HealthDataError { return true }
            return false
        }
    }

    @Test("collisions are found before anything is written: days, dictionary, daily notes, width and case")
    func collisions() throws {
        let days = [date, CivilDate("2026-03-16")!]
        func check(_ change: (inout ExportSettings) -> Void) throws {
            var settings = ExportSettings()
            change(&settings)
            try FilePlanner(settings).checkCollisions(for: days)
        }
        try check { _ in }
        #expect(throws: HealthDataError.self) { try check { $0.filenameFormat = "{year}" } }
        #expect(throws: HealthDataError.self) {
            try check {
                $0.formats = [.json]
                $0.filenameFormat = "_HEALTHMD_data_dictionary"
            }
        }
        #expect(throws: HealthDataError.self) {
            try check {
                $0.healthSubfolder = "Daily"
                $0.dailyNotes.isEnabled = true
            }
        }
        #expect(RelativePath.collisionKey("Ａbc.md") == RelativePath.collisionKey("abC.md"))
    }

    @Test(
        "the published snapshot is read, and a snapshot of ours reads back as the same settings",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func snapshot() throws {
        let job = try JSONParser.parse(SharedFixtures.bytes("messages/mac-export-job.json"))
        let settings = try ExportSettings(snapshot: try #require(find("settingsSnapshot", in: job)))
        #expect(settings.formats == [.json])
        #expect(settings.healthSubfolder == "Health.md/Synthetic Exports")
        #expect(settings.detail == .lossless)
        #expect(settings.organizesFormatsIntoFolders && !settings.includesDataDictionary)
        #expect(settings.metricIDs == ["steps"])
        #expect(try ExportSettings(snapshot: .object(settings.snapshot())) == settings)
    }

    private func find(_ key: String, in value: JSONValue) -> JSONValue? {
        if let found = value[key] { return found }
        let inner = value.object?.members.map(\.value) ?? value.array ?? []
        return inner.lazy.compactMap { find(key, in: $0) }.first
    }

    @Test("missing keys have their legacy meaning")
    func legacy() throws {
        let granular = try ExportSettings(snapshot: ["exportFormats": ["CSV"], "includeGranularData": true])
        #expect(granular.detail == .lossless)
        #expect(granular.includesDataDictionary)
        let rollup = try ExportSettings(snapshot: ["generateMonthlyRollups": true, "archiveMarkdownExports": true])
        #expect(rollup.generatesRangeSummary && rollup.archivesFiles)
        #expect(rollup.formats.isEmpty)
    }
}

@Suite("Markdown of a day")
struct MarkdownTests {
    private func text(_ change: (inout ExportSettings) -> Void = { _ in }) throws -> String {
        var settings = ExportSettings()
        settings.detail = .timeSeries
        change(&settings)
        let document = try DayDocument(SampleDay.record(), detail: settings.detail)
        return String(decoding: try DayRenderer.bytes(of: document, as: .markdown, settings: settings), as: UTF8.self)
    }

    @Test("is the file of our own fixture, byte for byte", arguments: [ExportFormat.markdown, .bases, .csv, .json])
    func ownFixture(_ format: ExportFormat) throws {
        let suffix = format == .bases ? "-bases.md" : ".\(format.fileExtension)"
        let document = try DayDocument(SampleDay.record(), detail: .timeSeries)
        let rendered = try DayRenderer.bytes(of: document, as: format)
        let path = Checkout.root.appendingPathComponent("Fixtures/health-data/own-day\(suffix)")
        if ProcessInfo.processInfo.environment["HEALTHMD_WRITE_FIXTURES"] == "1" {
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(rendered).write(to: path)
        }
        expectSameBytes(rendered, try Checkout.fixture("health-data/own-day\(suffix)"))
    }

    @Test("a day without data has only its title")
    func emptyDay() throws {
        let record = DailyRecord(date: SampleDay.start, calendarTimeZoneIdentifier: SampleDay.zone)
        var settings = ExportSettings()
        settings.includesMetadata = false
        let document = try DayDocument(record, detail: .summary)
        let bytes = try DayRenderer.bytes(of: document, as: .markdown, settings: settings)
        #expect(String(decoding: bytes, as: UTF8.self) == "# Health Data — 2026-02-03\n")
    }

    @Test("the look follows the settings: bullets, heading level, emoji, dates, times, units")
    func look() throws {
        let text = try text {
            $0.includesMetadata = false
            $0.customization.bulletStyle = "*"
            $0.customization.sectionHeaderLevel = 3
            $0.customization.usesEmoji = true
            $0.customization.dateFormat = .weekday
            $0.customization.timeFormat = .twelveHour
            $0.customization.units = .imperial
            $0.customization.includesSummary = false
        }
        #expect(text.hasPrefix("# Health Data — Tue, Feb 3, 2026\n\n### 😴 Sleep\n\n* **Total:** 7h 30m\n"))
        #expect(text.contains("* **Bedtime:** 11:00 PM\n"))
        #expect(text.contains("* **Walking/Running Distance:** 3.86 mi\n"))
        #expect(text.contains("* **Weight:** 158.3 lb\n"))
        #expect(text.contains("| 7:00 AM | 58 |"))
    }

    @Test("front matter keys can be renamed, left out and added")
    func frontMatter() throws {
        let text = try text {
            $0.customization.frontMatter.customKeys = ["steps": "Schritte"]
            $0.customization.frontMatter.disabledKeys = ["weight_kg"]
            $0.customization.frontMatter.keyStyle = .camel
            $0.customization.frontMatter.customFields = ["tags": "health"]
            $0.customization.frontMatter.placeholderFields = ["notes"]
            $0.customization.frontMatter.dateKey = "day"
        }
        #expect(text.contains("\nday: 2026-02-03\n"))
        #expect(text.contains("\nSchritte: 8421\n"))
        #expect(text.contains("\naverageHeartRate: 71\n"))
        #expect(!text.contains("weight"))
        #expect(text.contains("\ntags: health\nnotes:\nunits:\n"))
    }

    @Test("the compact style has no tables of samples; a custom template drops empty blocks")
    func styles() throws {
        #expect(try !text { $0.customization.style = .compact }.contains("<details>"))
        let custom = try text {
            $0.includesMetadata = false
            $0.customization.style = .custom
            $0.customization.customTemplate = """
                # {{date}}
                {{summary}}

                {{#body}}
                ## Mass
                {{body_metrics}}
                {{/body}}

                {{#hearing}}
                ## Ears
                {{hearing_metrics}}
                {{/hearing}}

                {{unknown}}
                """
        }
        let expected = """
            # 2026-02-03
            7h 30m sleep · 8,421 steps · 1 workout · mood 70%

            ## Mass
            - **Weight:** 71.8 kg

            {{unknown}}

            """
        #expect(custom == expected)
    }
}
