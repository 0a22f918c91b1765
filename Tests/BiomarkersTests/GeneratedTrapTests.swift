import HealthExport
import Testing

@testable import Biomarkers

/// The traps of biomarkers.md 5 as the generator sets them.
@Suite(.enabled(if: GeneratedExport.isAvailable, GeneratedExport.absence))
struct GeneratedTrapTests {
    private static let answers: [(id: String, value: Double, display: String)] = [
        ("resting_heart_rate", 62, "62"), ("hrv_60_day_mean", 60, "60.0"), ("spo2", 97, "97.0"),
        ("vo2_max", 38.5, "38.5"), ("blood_pressure_systolic", 118, "118"), ("blood_pressure_diastolic", 76, "76"),
        ("fasting_glucose", 92, "92"),
    ]

    private func expectAnswers(_ report: ProposalReport, _ comment: Comment? = nil) {
        for answer in Self.answers {
            let proposal = report.proposal(answer.id)
            #expect((proposal.map { ($0.value - answer.value).magnitude } ?? 1) < 1e-6, comment)
            #expect(proposal?.display == answer.display, comment)
            #expect(proposal?.origin == .wearable, comment)
        }
        #expect(report.proposal("resting_heart_rate")?.used == 29, comment)
        #expect(report.proposal("resting_heart_rate")?.available == 49, comment)
        #expect(report.proposal("hrv_60_day_mean")?.used == 40, comment)
        #expect(report.proposal("hrv_60_day_mean")?.excluded == ["outside_window": 20], comment)
        #expect(report.proposal("blood_pressure_systolic")?.used == 3, comment)
    }

    @Test("the seven reductions give the published answers")
    func answers() throws {
        let export = try GeneratedExport()
        let report = try export.propose()
        expectAnswers(report)
        let systolic = try #require(report.proposal("blood_pressure_systolic"))
        #expect(systolic.readings.map(\.value) == [120, 116, 118])
        #expect(systolic.readings.map(\.pairedValue) == [78, 74, 76])
        #expect(systolic.pairing == Proposal.Pairing(paired: 3, unpaired: 0))
        #expect(report.source.isComplete && report.source.pathName == "export.zip")
        let types = try #require(export.expected["top_level_records_by_type"]?.object)
        #expect(report.source.recordCount == types.members.reduce(0) { $0 + ($1.value.number?.int ?? 0) })
        // Trap 5: counted, dropped, and nothing of the kind proposed.
        #expect(
            report.dropped["HKQuantityTypeIdentifierStepCount"]
                == types["HKQuantityTypeIdentifierStepCount"]?.number?.int)
        #expect(report.proposals.allSatisfy { $0.id != "steps" })
        #expect(report.dropped["Workout"] == export.expected["elements"]?["Workout"]?.number?.int)
        // Trap 9.
        let inert = report.unplaceable.filter { $0.kind == .wearable }
        #expect(
            Set(inert.map(\.name)) == Set(export.expected["answers"]?["unplaceable"]?.array?.compactMap(\.string) ?? [])
        )
        #expect(inert.allSatisfy { $0.reason == .notInCatalogue && ($0.count ?? 0) > 0 && $0.valueText != nil })
        for id in inert.map(\.name) { #expect(report.proposal(id) == nil) }
        // Trap 6 and 14.
        let surfaced = export.expected["answers"]?["surfaced, not matched"]?.array?.compactMap(\.string) ?? []
        #expect(surfaced.count == 3)
        for name in surfaced { #expect(report.unplaceable.contains { $0.name == name && $0.kind == .lab }, "\(name)") }
        let culture = try #require(report.unplaceable.first { $0.loinc == "630-4" })
        #expect(culture.valueText == "No growth" && culture.reason == .notANumber)
        // Trap 11, 12, 13.
        #expect(report.proposal("hba1c")?.value == 5.3)
        #expect(report.unplaceable.contains { $0.reason == .withdrawn && $0.valueText == "11.9" })
        #expect(report.proposal("psa_total") == nil)
        #expect(report.unplaceable.contains { $0.loinc == "2857-1" && $0.valueText == "<0.1" })
        #expect(report.proposal("vitamin_b12")?.value == 512)
        #expect(report.proposals.count == 7 + 14)
    }

    @Test("a laboratory's glucose outranks a newer meter, and both are shown")
    func labWins() throws {
        let report = try GeneratedExport(.zip, GeneratedExport.traps + ["--lab-wins"]).propose()
        let glucose = try #require(report.proposal("fasting_glucose"))
        #expect(glucose.value == 88 && glucose.origin == .lab && glucose.display == "88")
        #expect(glucose.laboratory?.loinc?.code == "2345-7")
        #expect((glucose.superseded?.value ?? 0).rounded() == 92)
        #expect(glucose.superseded?.origin == .wearable)
        #expect(!glucose.warns(of: .labMuchOlder))
    }

    @Test(
        "every locale gives the same values, whatever its units and file names",
        arguments: ["en_GB", "de_DE", "es_ES", "fi_FI", "fr_FR", "ja_JP", "nb_NO", "ru_RU", "zh_CN", "zh_TW"])
    func locales(locale: String) throws {
        let report = try GeneratedExport(.zip, GeneratedExport.traps + ["--locale", locale]).propose()
        expectAnswers(report, "\(locale)")
    }

    @Test("every document type gives the same values", arguments: ["none", "11", "12", "12-broken", "13", "14-zones"])
    func documentTypes(version: String) throws {
        expectAnswers(try GeneratedExport(.xml, GeneratedExport.traps + ["--dtd", version]).propose(), "\(version)")
    }

    @Test("offsets of the moment give the same values as one offset for the whole file")
    func offsets() throws {
        let report = try GeneratedExport(.dir, GeneratedExport.traps + ["--offset-mode", "local"]).propose()
        expectAnswers(report)
        #expect(report.proposals.contains { $0.origin == .lab })
    }

    @Test(
        "hazards of text and archive change no value",
        arguments: [
            ["crlf", "bom", "control", "charref"], ["bad-utf8", "dup-attr", "raw-amp", "quotes"],
            ["odd-values", "odd-dates", "no-value", "dup-records", "long-attr"],
            ["descriptor", "zip64", "nested", "no-utf8-flag", "macosx", "cda-junk"], ["stored"],
        ])
    func hazards(names: [String]) throws {
        let flags = names.flatMap { ["--hazard", $0] }
        let report = try GeneratedExport(.zip, GeneratedExport.traps + flags).propose()
        expectAnswers(report, "\(names)")
        #expect(report.source.isComplete)
        if names.contains("control") { #expect((report.counters["characters_dropped"] ?? 0) >= 4) }
    }

    @Test("a pressure that stands only inside its correlation counts, with its partner")
    func nestedOnly() throws {
        let report = try GeneratedExport(.zip, GeneratedExport.traps + ["--hazard", "nested-only"]).propose()
        let systolic = try #require(report.proposal("blood_pressure_systolic"))
        #expect(systolic.used == 4)
        #expect(systolic.value == 119)
        #expect(systolic.readings.last == Proposal.Reading(time: systolic.newest, value: 131, pairedValue: 84))
        #expect(report.proposal("blood_pressure_diastolic")?.value == 77)
    }

    @Test("a file cut in the middle gives its values marked as incomplete")
    func truncatedFile() throws {
        let report = try GeneratedExport(.xml, GeneratedExport.traps + ["--hazard", "truncate-xml"]).propose()
        #expect(!report.source.isComplete)
        #expect(report.source.brokenOffAt != nil)
        #expect(report.warnings.contains { $0.code == .incompleteSource })
        #expect(!report.proposals.isEmpty)
        #expect(report.proposals.allSatisfy { $0.warns(of: .incompleteSource) })
    }

    @Test("a cut archive is refused, and gives what is there when asked")
    func truncatedArchive() throws {
        let export = try GeneratedExport(.zip, GeneratedExport.traps + ["--hazard", "truncate-zip"])
        let error = #expect(throws: ExportError.self) { try export.propose() }
        #expect(error?.code == "truncated_archive")
        let report = try export.propose(rescue: true)
        #expect(!report.source.isComplete)
        #expect(report.proposals.allSatisfy { $0.warns(of: .incompleteSource) })
    }
}
