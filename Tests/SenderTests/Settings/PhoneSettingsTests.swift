import ConnectedProtocol
import Foundation
import HealthData
import HealthRecords
import Testing

@testable import Sender

@Suite("Phone settings (export-formats.md 1, extensions.md 4)")
struct PhoneSettingsTests {
    @Test("a fresh phone exports JSON and Markdown, flat, into Health, with a dictionary, all metrics")
    func defaults() throws {
        let snapshot = try PhoneSettings(stored: [:]).snapshot()
        #expect(Set(snapshot.exportFormats) == ["JSON", "Markdown"])
        #expect(snapshot.healthSubfolder == "Health")
        #expect(snapshot.filenameFormat == "{date}")
        #expect(snapshot.folderStructure.isEmpty)
        #expect(snapshot.includeDataDictionary)
        #expect(!snapshot.generateRangeSummary)
        #expect(snapshot.metricSelection.enabledMetricIDs.count > 150)
    }

    @Test("values are given as a person writes them and stored as JSON")
    func setting() throws {
        var settings = try PhoneSettings(stored: [:])
        try settings.set("exportFormats", to: "JSON, CSV")
        try settings.set("dailyNoteInjection.enabled", to: "on")
        try settings.set("includeDataDictionary", to: "false")
        try settings.set("formatCustomization.markdownTemplate.sectionHeaderLevel", to: "3")
        let again = try PhoneSettings(stored: settings.stored).snapshot()
        #expect(Set(again.exportFormats) == ["JSON", "CSV"])
        #expect(again.dailyNoteInjection.enabled)
        #expect(!again.includeDataDictionary)
        #expect(again.formatCustomization.markdownTemplate.sectionHeaderLevel == 3)
    }

    @Test("an empty value is no subfolder; a reset restores the default")
    func restoring() throws {
        var settings = try PhoneSettings(stored: [:])
        try settings.set("healthSubfolder", to: "")
        #expect(try settings.snapshot().healthSubfolder?.isEmpty == true)
        try settings.reset(["healthSubfolder"])
        #expect(try settings.snapshot().healthSubfolder == "Health")
        #expect(settings.stored.isEmpty)
        #expect(throws: SenderError.self) { try settings.reset(["noSuchThing"]) }
    }

    @Test("what is printed of the settings is taken back, and gives the same settings")
    func printed() throws {
        var settings = try PhoneSettings(stored: [:])
        try settings.set([
            ("healthSubfolder", ""), ("exportFormats", "CSV, JSON"), ("filenameFormat", "day {date}"),
            ("formatCustomization.timeFormat", "h:mm a"), ("documentVersion", "10"), ("generateMonthlyRollups", "on"),
            ("individualTracking.metricConfigs", #"{"steps":{"isEnabled":false}}"#),
            ("formatCustomization.frontmatterConfig.customFields", #"{"mood":"\"?\""}"#),
        ])
        var again = try PhoneSettings(stored: [:])
        try again.set(settings.all)
        #expect(try again.snapshot().text == settings.snapshot().text && again.documentVersion == 10)
        for (key, value) in settings.all { try again.set(key, to: value) }
        #expect(again.all.map(\.value) == settings.all.map(\.value))
    }

    @Test("templates are checked together: what puts days apart may stand in the name or in the folders")
    func together() throws {
        var settings = try PhoneSettings(stored: [:])
        try settings.set([("filenameFormat", "day"), ("folderStructure", "{year}/{month}/{day}")])
        #expect(throws: SenderError.self) { try settings.set("folderStructure", to: "{year}/{month}") }
        #expect(try settings.snapshot().folderStructure == "{year}/{month}/{day}")
    }

    @Test(
        "what is no setting, or no value of it, is refused by name",
        arguments: [
            ("noSuchThing", "1"), ("exportFormats", "PDF"), ("writeMode", "Sometimes"), ("includeMetadata", "perhaps"),
            ("healthSubfolder", "/etc"), ("healthSubfolder", "a/../b"), ("filenameFormat", "a\u{1B}b"),
            ("documentVersion", "9"), ("appleExportEnginePin", "{}"), ("calendarTimeZoneIdentifier", "UTC"),
            ("formatCustomization.timeFormat", "HH.mm"), ("formatCustomization.dateFormat", "sometimes"),
            ("filenameFormat", "day"), ("filenameFormat", ""), ("filenameFormat", "{date}{dat}"),
            ("filenameFormat", "{weekday}"), ("filenameFormat", "{month}-{day}"), ("filenameFormat", "{date}:x"),
            ("filenameFormat", "{date}."), ("filenameFormat", "{date}" + String(repeating: "x", count: 242)),
            ("healthSubfolder", "Health {year}"), ("folderStructure", "CON/{year}"), ("exportFormats", ""),
            ("individualTracking.filenameTemplate", "{time}_{weekday}"),
            ("metricSelection.enabledMetricIDs", "steps,stesp"), ("individualTracking.metricConfigs", #"{"stesp":{}}"#),
            ("formatCustomization.markdownTemplate.sectionHeaderLevel", "9"), ("filenameFormat", #""unfinished"#),
            ("formatCustomization.markdownTemplate.customTemplate", String(repeating: "x", count: 65_537)),
        ])
    func refused(key: String, value: String) throws {
        var settings = try PhoneSettings(stored: [:])
        let error = #expect(throws: SenderError.self) { try settings.set(key, to: value) }
        #expect(error?.code == "invalid_setting")
        #expect(settings.stored.isEmpty)
    }

    @Test("the document version is local: it is not in the snapshot")
    func documentVersion() throws {
        var settings = try PhoneSettings(stored: [:])
        #expect(settings.documentVersion == 8)
        try settings.set("documentVersion", to: "10")
        #expect(settings.documentVersion == 10)
        #expect(!String(decoding: try settings.snapshot().text, as: UTF8.self).contains("documentVersion"))
    }

    private func request(
        policy: SettingsPolicy, profile: RawProfile? = nil, selection: CanonicalSelection? = nil
    ) -> ExportRequest {
        ExportRequest(
            jobID: UUID(), createdAt: ProtocolDate(secondsSince2001: 0),
            dateRangeStart: ProtocolDate(secondsSince2001: 0), dateRangeEnd: ProtocolDate(secondsSince2001: 0),
            requestedBy: .cli, settingsPolicy: policy, responseMode: profile == nil ? .writeFiles : .rawJSON,
            rawProfile: profile, canonicalSelection: selection)
    }

    @Test("requested dates only switches roll-ups and summary-only off; current settings keep them")
    func policies() throws {
        var settings = try PhoneSettings(stored: [:])
        try settings.set("generateRangeSummary", to: "true")
        try settings.set("summaryOnlyExport", to: "true")
        let only = try settings.snapshot(for: request(policy: .requestedDatesOnly), zone: .utc)
        #expect(!only.generateRangeSummary && !only.summaryOnlyExport)
        let current = try settings.snapshot(for: request(policy: .currentIPhoneSettings), zone: .utc)
        #expect(current.generateRangeSummary && current.summaryOnlyExport)
        #expect(current.calendarTimeZoneIdentifier == "UTC")
    }

    @Test("calendar roll-ups are in the snapshot only when they are on, and off for requested dates only")
    func calendarRollups() throws {
        var settings = try PhoneSettings(stored: [:])
        #expect(settings.all.contains { $0 == ("generateWeeklyRollups", "false") })
        #expect(!String(decoding: try settings.snapshot().text, as: UTF8.self).contains("generateWeeklyRollups"))
        try settings.set("generateWeeklyRollups", to: "on")
        let current = try settings.snapshot(for: request(policy: .currentIPhoneSettings), zone: .utc)
        #expect(current.generateWeeklyRollups && !current.generateMonthlyRollups && !current.generateRangeSummary)
        let only = try settings.snapshot(for: request(policy: .requestedDatesOnly), zone: .utc)
        #expect(!only.generateWeeklyRollups)
        try settings.reset(["generateWeeklyRollups"])
        #expect(try !settings.snapshot().generateWeeklyRollups)
    }

    @Test("a metric whose entries are switched off stays so in what the receiver reads")
    func entriesOfOneMetric() throws {
        var settings = try PhoneSettings(stored: [:])
        try settings.set("individualTracking.globalEnabled", to: "true")
        try settings.set(
            "individualTracking.metricConfigs", to: #"{"steps":{},"weight":{"isEnabled":false}}"#)
        let read = try ExportSettings(snapshot: settings.snapshot().text).individualTracking
        #expect(read.metrics["steps"]?.isEnabled == true && read.metrics["weight"]?.isEnabled == false)
    }

    @Test("a selection decides metrics and detail of that request alone")
    func selection() throws {
        let settings = try PhoneSettings(stored: [:])
        let selection = CanonicalSelection(metricIDs: ["steps"], detailLevel: .lossless)
        let snapshot = try settings.snapshot(
            for: request(policy: .requestedDatesOnly, selection: selection), zone: .utc)
        #expect(snapshot.metricSelection.enabledMetricIDs == ["steps"])
        #expect(snapshot.metricSelection.enabledCategoryIDs.count == 1)
        #expect(snapshot.healthKitSourceArchivePolicy == .canonical)
        #expect(try settings.snapshot().healthKitSourceArchivePolicy == SourceArchivePolicy.none)
    }

    @Test("a full archive is lossless whatever is saved")
    func fullArchive() throws {
        let snapshot = try PhoneSettings(stored: [:]).snapshot(
            for: request(policy: .requestedDatesOnly, profile: .canonicalSourceRecords), zone: .utc)
        #expect(snapshot.compatibilityDetail == .selectedTimeSeries)
        #expect(snapshot.healthKitSourceArchivePolicy == .canonical)
    }
}
