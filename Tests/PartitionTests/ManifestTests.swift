import CanonicalJSON
import Cryptography
import Foundation
import TestSupport
import Testing

@testable import ConnectedProtocol

@Suite("Export manifest and fingerprint")
struct ManifestTests {
    @Test(
        "the derived manifest has the derived fingerprint and canonical form",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func derivedVector() throws {
        let wire = try SharedFixtures.bytes("derived/export-manifest-strict-raw.wire.json")
        let canonical = try SharedFixtures.bytes("derived/export-manifest-strict-raw.canonical.json")
        #expect(wire.count == 12_304 && canonical.count == 12_291)
        #expect(try ManifestCanonicalizer.canonicalize(wire) == canonical)
        let manifest = try ExportManifest(text: wire)
        #expect(manifest.fingerprint.sha256.hex == "be91db50d2f1383ad465af0bbeaa2ddbc90b8cdade45de2292f0d2e6cc287fbf")
        #expect(try RequestFingerprint(manifestText: canonical) == manifest.fingerprint)
        #expect(manifest.settings.healthSubfolder == "Health.md/Synthetic Exports")
        #expect(!manifest.settings.includeDataDictionary)
        // Older keys: granular data stands for samples and archive.
        #expect(manifest.settings.compatibilityDetail == .selectedTimeSeries)
        #expect(manifest.settings.healthKitSourceArchivePolicy == .canonical)
    }

    @Test("the small vector of the protocol page")
    func smallVector() throws {
        let text = #"{"b":[3,10,2],"a!":1,"a":{"z":true,"y":null},"s":"x\/y"}"#
        let fingerprint = try RequestFingerprint(manifestText: Array(text.utf8))
        #expect(fingerprint.sha256.hex == "1b86275609477498ffc1af46fc01baa27418d36093235fab00eb3a9fead50ed8")
    }

    @Test("order of keys and sets, white space and escaped solidus do not change the fingerprint")
    func equivalence() throws {
        let one = try ExportManifest(text: Array(manifestText.utf8))
        let moved =
            manifestText.replacingOccurrences(
                of: #"["2023-11-14","2023-11-15"]"#, with: #"[ "2023-11-14" , "2023-11-15" ]"#
            )
            .replacingOccurrences(of: #"\/"#, with: "/").replacingOccurrences(of: "[2,1]", with: "[1,2]")
        #expect(moved != manifestText)
        #expect(try ExportManifest(text: Array(moved.utf8)) == one)
        let other = manifestText.replacingOccurrences(of: #""futureKey":{"z":1}"#, with: #""futureKey":{"z":2}"#)
        #expect(try ExportManifest(text: Array(other.utf8)) != one)
    }

    @Test(
        "every rule of the manifest",
        arguments: [
            (#""requestedDates":[721692800,721779200]"#, #""requestedDates":[]"#, ManifestError.requestedDates),
            (#""requestedDates":[721692800,721779200]"#, #""requestedDates":[721779200,721692800]"#, .requestedDates),
            (#""requestedDates":[721692800,721779200]"#, #""requestedDates":[721692800,721692800]"#, .requestedDates),
            (#"["2023-11-14","2023-11-15"]"#, #"["2023-11-14"]"#, .requestedDateIdentifiers),
            (#"["2023-11-14","2023-11-15"]"#, #"["2023-11-14","2023-11-14"]"#, .requestedDateIdentifiers),
            (#"["2023-11-14","2023-11-15"]"#, #"["2023-11-14","23-11-15"]"#, .requestedDateIdentifiers),
            (#""requestedDateIdentifiers":["2023-11-14","2023-11-15"],"#, "", .requestedDateIdentifiers),
            (#""transferDates":[721692800,721779200]"#, #""transferDates":[721692800]"#, .transferDates),
            (#""transferDates":[721692800,721779200]"#, #""transferDates":[]"#, .transferDates),
            (
                #""transferDates":[721692800,721779200]"#, #""transferDates":[721692800,721779200,721865600]"#,
                .transferDates
            ),
            (#"Health.md\/x"#, #"\/x"#, .unsafePath(key: "healthSubfolder")),
            (#"Health.md\/x"#, #"a\/..\/b"#, .unsafePath(key: "healthSubfolder")),
            (#"Health.md\/x"#, #"a\/.\/b"#, .unsafePath(key: "healthSubfolder")),
            (#"Health.md\/x"#, #"a\u0000b"#, .unsafePath(key: "healthSubfolder")),
            (#""futureSetting":[2,1]"#, #""filenameFormat":"..""#, .unsafePath(key: "filenameFormat")),
            (#""futureSetting":[2,1]"#, #""folderStructure":"/a""#, .unsafePath(key: "folderStructure")),
            (
                #""futureSetting":[2,1]"#, #""individualTracking":{"entriesFolder":"../x"}"#,
                .unsafePath(key: "individualTracking.entriesFolder")
            ),
            (
                #""futureSetting":[2,1]"#, #""individualTracking":{"filenameTemplate":"../x"}"#,
                .unsafePath(key: "individualTracking.filenameTemplate")
            ),
            (
                #""futureSetting":[2,1]"#, #""individualTracking":{"metricConfigs":{"m":{"customFolder":"../x"}}}"#,
                .unsafePath(key: "individualTracking.metricConfigs")
            ),
            (
                #""futureSetting":[2,1]"#, #""dailyNoteInjection":{"folderPath":"../x"}"#,
                .unsafePath(key: "dailyNoteInjection.folderPath")
            ),
            (
                #""futureSetting":[2,1]"#, #""dailyNoteInjection":{"filenamePattern":"../x"}"#,
                .unsafePath(key: "dailyNoteInjection.filenamePattern")
            ),
        ])
    func rules(original: String, replacement: String, expected: ManifestError) throws {
        let broken = manifestText.replacingOccurrences(of: original, with: replacement)
        try #require(broken != manifestText)
        #expect(throws: expected) { try ExportManifest(text: Array(broken.utf8)) }
    }

    @Test("supporting days are allowed for files only")
    func supportingDays() throws {
        let text = manifestText.replacingOccurrences(
            of: #""transferDates":[721692800,721779200]"#, with: #""transferDates":[721606400,721692800,721779200]"#)
        #expect(throws: ManifestError.transferDates) { try ExportManifest(text: Array(text.utf8)) }
        let files = text.replacingOccurrences(of: #""mode":"strict_raw""#, with: #""mode":"write_files""#)
        #expect(try ExportManifest(text: Array(files.utf8)).content.transferDates.count == 3)
    }

    @Test("a context session needs a selection, and neither profile nor target")
    func contextRules() throws {
        func text(_ tail: String) -> [UInt8] {
            Array(
                manifestText.replacingOccurrences(of: #""mode":"strict_raw""#, with: #""mode":"encrypted_context""#)
                    .replacingOccurrences(of: #""rawProfile":"canonical_source_records_v1""#, with: tail).utf8)
        }
        let selection = #""canonicalSelection":{"metric_ids":["a","b"],"source_ids":["x"],"detail_level":"summary"}"#
        _ = try ExportManifest(text: text(selection))
        _ = try ExportManifest(text: text(selection + #","selectedSourceIDs":["x"]"#))
        #expect(throws: ManifestError.selectedSourceIDs) {
            try ExportManifest(text: text(selection + #","selectedSourceIDs":["y"]"#))
        }
        #expect(throws: ManifestError.rawProfile) {
            try ExportManifest(text: text(selection + #","rawProfile":"health_data_projection""#))
        }
        #expect(throws: ManifestError.requestedTarget) {
            try ExportManifest(text: text(selection + #","requestedTarget":{"kind":"both","displayName":"x"}"#))
        }
        #expect(throws: ManifestError.canonicalSelection) { try ExportManifest(text: text(#""x":1"#)) }
        #expect(throws: ManifestError.canonicalSelection) {
            try ExportManifest(
                text: text(
                    #""canonicalSelection":{"metric_ids":["b","a"],"source_ids":["x"],"detail_level":"summary"}"#))
        }
    }

    struct UTC: CalendarRules {
        func isKnown(zone: String) -> Bool { zone == "America/New_York" }
        func day(of instant: ProtocolDate, in zone: String?) -> CivilDate? {
            CivilDate(daysSince1970: Int((instant.secondsSince1970 / 86_400).rounded(.down)))
        }
    }

    @Test("the zone is known and the range lies on the first and last day of the source's calendar")
    func calendarRules() throws {
        func error(_ original: String, _ replacement: String) throws -> ManifestError? {
            let text = manifestText.replacingOccurrences(of: original, with: replacement)
            return try ExportManifest(text: Array(text.utf8)).calendarError(UTC())
        }
        #expect(try error("", "") == nil)
        #expect(try error(#"America\/New_York"#, "Nowhere") == .timeZone)
        #expect(try error(#""dateRangeEnd":721779200"#, #""dateRangeEnd":721779201"#) == nil)
        #expect(try error(#""dateRangeEnd":721779200"#, #""dateRangeEnd":721865600"#) == .dateRange)
        #expect(try error(#""dateRangeStart":721692800"#, #""dateRangeStart":721606400"#) == .dateRange)
    }

    @Test("a manifest of our own reads back, and a journal keeps its text")
    func ownManifest() throws {
        var settings = SettingsContent()
        settings.healthSubfolder = "Ä/b"
        let date = ProtocolDate(secondsSince2001: 721_692_800)
        let content = ManifestContent(
            mode: .writeFiles, createdAt: ProtocolDate(secondsSince2001: 721_700_000.25), sourceDeviceName: "Test",
            sourceTimeZoneIdentifier: "Europe/Berlin", requestedDates: [date], requestedDateIdentifiers: ["2023-11-14"])
        let manifest = try ExportManifest(content, settings: SettingsSnapshot(settings))
        let again = try ExportManifest(text: manifest.text)
        #expect(again == manifest && again.content == content && again.settings.content == settings)
        let journal = try JSONEncoder().encode([manifest])
        let restored = try JSONDecoder().decode([ExportManifest].self, from: journal)
        #expect(restored[0].text == manifest.text)
        let text = String(decoding: manifest.text, as: UTF8.self)
        #expect(!text.contains("includeDataDictionary"))
        #expect(text.contains(#""healthSubfolder":"Ä/b""#))
    }

    @Test("settings of older builds are understood")
    func legacySettings() throws {
        func settings(_ text: String) throws -> SettingsContent { try SettingsSnapshot(text: Array(text.utf8)).content }
        #expect(try settings(#"{"generateMonthlyRollups":true}"#).generateRangeSummary)
        #expect(try !settings(#"{"generateMonthlyRollups":true,"generateRangeSummary":false}"#).generateRangeSummary)
        #expect(try settings(#"{"archiveMarkdownExports":true}"#).archiveExportFiles)
        #expect(try settings(#"{"includeGranularData":false}"#).compatibilityDetail == .summary)
        #expect(try settings(#"{"includeGranularData":true}"#).healthKitSourceArchivePolicy == .canonical)
        #expect(try settings("{}").includeDataDictionary)
    }

    @Test(
        "the published settings read, those of an older build included",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence),
        arguments: ["mac-export-job", "mac-export-job.legacy-rollup-keys"])
    func publishedSettings(file: String) throws {
        let job = try JSONParser.parse(SharedFixtures.bytes("messages/\(file).json"))
        let snapshot = try #require(job["settingsSnapshot"])
        let settings = try SettingsSnapshot(text: JSONWriter.encode(snapshot, style: .compact))
        #expect(settings.exportFormats == ["JSON"] && settings.organizeFormatsIntoFolders)
        #expect(
            settings.compatibilityDetail == .selectedTimeSeries && settings.healthKitSourceArchivePolicy == .canonical)
        #expect(!settings.generateRangeSummary && !settings.includeDataDictionary)
        #expect(settings.formatCustomization.frontmatterConfig.fields.count > 100)
        #expect(settings.metricSelection.enabledMetricIDs == ["steps"] && settings.hasFileOutput)
    }

    @Test("an engine pin is checked, and must be the same in both places")
    func enginePins() throws {
        let pin =
            #"{"engine":"rust","profile":"p","public_schema":"s","public_schema_version":8,"core_api_version":1,"semantic_input_version":1,"canonical_model_version":1,"render_input_version":1,"artifact_plan_version":1,"registry_version":1,"registry_sha256":"\#(String(repeating: "a", count: 64))","semantic_profile_revision":1,"render_profile_revision":1,"core_source_revision":"r","calendar_time_zone":"UTC"}"#
        func manifest(_ inner: String, _ outer: String) -> [UInt8] {
            Array(
                manifestText.replacingOccurrences(
                    of: #""futureSetting":[2,1]"#, with: #""appleExportEnginePin":\#(inner)"#
                )
                .replacingOccurrences(of: #""futureKey":{"z":1}"#, with: #""appleExportEnginePin":\#(outer)"#).utf8)
        }
        #expect(try ExportManifest(text: manifest(pin, pin)).content.appleExportEnginePin?.engine == .rust)
        _ = try ExportManifest(text: manifest("null", pin))
        let other = pin.replacingOccurrences(of: #""profile":"p""#, with: #""profile":"q""#)
        #expect(throws: ManifestError.enginePin) { try ExportManifest(text: manifest(pin, other)) }
        for (original, replacement) in [
            (#""rust""#, #""legacy""#), (#""core_api_version":1"#, #""core_api_version":0"#),
            (#""profile":"p""#, #""profile":"""#),
            ("aaaa", "AAAA"), (#""profile":"p""#, #""profile":"\#(String(repeating: "x", count: 129))""#),
        ] {
            let broken = pin.replacingOccurrences(of: original, with: replacement)
            #expect(throws: MessageError.self) { try ExportManifest(text: manifest(broken, broken)) }
        }
    }
}

@Suite("Export request")
struct ExportRequestTests {
    private func request(_ change: (inout ExportRequest) -> Void) -> ExportRequest {
        var request = ExportRequest(
            jobID: UUID(), createdAt: ProtocolDate(secondsSince2001: 0),
            dateRangeStart: ProtocolDate(secondsSince2001: 0),
            dateRangeEnd: ProtocolDate(secondsSince2001: 1), requestedBy: .cli, settingsPolicy: .requestedDatesOnly,
            responseMode: .writeFiles)
        change(&request)
        return request
    }

    @Test("rules of profile and selection")
    func selections() {
        let selection = CanonicalSelection(metricIDs: ["a"], detailLevel: .summary)
        #expect(request { _ in }.selectionIssue == nil)
        #expect(request { $0.canonicalSelection = selection }.selectionIssue == nil)
        #expect(request { $0.rawProfile = .canonicalSourceRecords }.selectionIssue == .rawProfile)
        #expect(request { $0.responseMode = .rawJSON }.selectionIssue == .rawProfile)
        #expect(request { $0.responseMode = .contextStore }.selectionIssue == .selectionMissing)
        let raw: (RawProfile, CanonicalSelection?) -> ExportRequestIssue? = { profile, selection in
            self.request {
                $0.responseMode = .rawJSON
                $0.rawProfile = profile
                $0.canonicalSelection = selection
            }.selectionIssue
        }
        #expect(raw(.canonicalSourceRecords, nil) == nil)
        #expect(raw(.canonicalSourceRecords, selection) == .selectionForbidden)
        #expect(raw(.healthDataProjection, nil) == .selectionMissing)
        #expect(raw(.healthDataProjection, selection) == nil)
        #expect(
            raw(.healthDataProjection, CanonicalSelection(metricIDs: ["b", "a"], detailLevel: .summary))
                == .selectionLists)
        #expect(
            raw(.healthDataProjection, CanonicalSelection(metricIDs: ["a", "a"], detailLevel: .summary))
                == .selectionLists)
        let current = request {
            $0.canonicalSelection = selection
            $0.settingsPolicy = .currentIPhoneSettings
        }
        #expect(current.selectionIssue == .selectionForbidden)
    }

    @Test("rules of days")
    func days() {
        #expect(request { $0.requestedDateIdentifiers = ["2024-01-01", "2024-01-02"] }.dateIssue == nil)
        for identifiers in [[], ["2024-01-02", "2024-01-01"], ["2024-01-01", "2024-01-01"], ["2024-1-1"]] {
            #expect(request { $0.requestedDateIdentifiers = identifiers }.dateIssue == .dateIdentifiers)
        }
        let all = request {
            $0.dateSelection = .allAvailable
            $0.requestedDateIdentifiers = ["2024-01-01"]
        }
        #expect(all.dateIssue == .dateIdentifiers)
        #expect(request { $0.dateRangeStart = ProtocolDate(secondsSince2001: 2) }.dateIssue == .rangeReversed)
    }
}
