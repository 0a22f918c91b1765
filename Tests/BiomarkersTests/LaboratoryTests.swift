import HealthRecords
import Testing

@testable import Biomarkers

@Suite struct LaboratoryTests {
    private static let number = SmallExport.quantity

    @Test("a LOINC code decides against the name, and the conflict is shown")
    func codeBeforeName() throws {
        var export = SmallExport()
        export.observe("ApoB", loinc: "1869-7", value: Self.number("150", "mg/dL"))
        let report = try export.propose()
        #expect(report.proposal("apob") == nil)
        let proposal = try #require(report.proposal("apoa1"))
        #expect(proposal.value == 150 && proposal.warns(of: .nameConflict))
        #expect(proposal.laboratory?.loinc?.name == "Apolipoprotein A-I [Mass/volume] in Serum or Plasma")
    }

    @Test("an unknown code is never rescued by a known name")
    func unknownCode() throws {
        var export = SmallExport()
        export.observe("Glucose", loinc: "5792-7", value: Self.number("100", "mg/dL"))
        let report = try export.propose()
        #expect(report.proposals.isEmpty)
        #expect(report.unplaceable.contains { $0.loinc == "5792-7" && $0.reason == .notInCatalogue })
    }

    @Test("codes of two biomarkers in one result are ambiguous")
    func twoCodes() throws {
        var export = SmallExport()
        export.resources["a.json"] = """
            {"resourceType": "Observation", "status": "final", "effectiveDateTime": "2026-03-01",
             "code": {"text": "ApoB/A1", "coding": [{"system": "http://loinc.org", "code": "1869-7"},
              {"system": "http://loinc.org", "code": "1884-6"}]}, \(Self.number("1", "g/L"))}
            """
        let report = try export.propose()
        #expect(report.proposals.isEmpty)
        #expect(report.unplaceable.first { $0.kind == .lab }?.reason == .ambiguousName)
    }

    @Test(
        "without a code the whole printed name decides, folded",
        arguments: [
            ("VITAMIN D,25-OH,TOTAL", "37", "ng/mL", "vitamin_d"), ("hemoglobin a1c", "5.3", "%", "hba1c"),
            ("T4, Free", "1.1", "ng/dL", "free_t4"), ("Glucose", "5.1067", "mmol/L", "fasting_glucose"),
            ("LP(A)", "60", "nmol/L", "lipoprotein_a_molar"), ("Lipoprotein (a)", "22", "mg/dL", "lipoprotein_a_mass"),
            ("Albumin/Creatinine Ratio, Urine", "8", "mg/g{creat}", "albumin_creatinine_ratio"),
        ])
    func byName(name: String, value: String, unit: String, id: String) throws {
        var export = SmallExport()
        export.observe(name, value: Self.number(value, unit))
        let report = try export.propose()
        #expect(report.proposals.map(\.id) == [id])
        #expect(report.proposals.first?.warns(of: .matchedByName) == true)
    }

    @Test(
        "a name that is only near, or another specimen, has no place",
        arguments: [
            ("GLUCOSE, URINE", ""), ("Glucose tolerance", ""), ("Testosterone, Free", ""), ("Ferritin antibody", ""),
            ("House test 17", ""), ("Glucose", "\"specimen\": {\"display\": \"Urine\"}"),
            ("Cortisol", "\"specimen\": {\"display\": \"Saliva\"}"),
        ])
    func noNearest(name: String, more: String) throws {
        var export = SmallExport()
        export.observe(name, value: Self.number("12", "mg/dL"), more: more)
        let report = try export.propose()
        #expect(report.proposals.isEmpty)
        #expect(report.unplaceable.first { $0.name == name }?.reason == .notInCatalogue)
    }

    @Test("mass and moles of Lp(a) are two series, and neither is converted into the other")
    func lipoprotein() throws {
        var export = SmallExport()
        export.observe("Lp(a)", loinc: "43583-4", value: Self.number("60", "nmol/L"))
        export.observe("Lp(a)", loinc: "10835-7", value: Self.number("22", "mg/dL"))
        var report = try export.propose()
        #expect(report.proposal("lipoprotein_a_molar")?.value == 60)
        #expect(report.proposal("lipoprotein_a_mass")?.value == 22)
        export.resources = [:]
        export.observe("Lp(a)", loinc: "10835-7", value: Self.number("60", "nmol/L"))
        report = try export.propose()
        #expect(report.proposals.isEmpty)
        let entry = try #require(report.unplaceable.first { $0.kind == .lab })
        #expect(entry.reason == .unitNotConvertible && entry.biomarker == "lipoprotein_a_mass")
    }

    @Test(
        "what is no exact number is surfaced with its text",
        arguments: [
            (#""valueQuantity": {"value": 0.1, "comparator": "<", "unit": "ng/mL"}"#, "<0.1"),
            (#""valueString": "trace""#, "trace"), (#""valueString": "<0.1""#, "<0.1"),
            (#""valueCodeableConcept": {"text": "Negative"}"#, "Negative"),
            (#""valueCodeableConcept": {"coding": [{"display": "Not detected"}]}"#, "Not detected"),
            (#""valueBoolean": true"#, "true"),
            (#""valueRange": {"low": {"value": 1}, "high": {"value": 2, "unit": "ng/mL"}}"#, "1 – 2 ng/mL"),
            (#""valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 128}}"#, "1 : 128"),
            (#""dataAbsentReason": {"text": "hemolyzed"}"#, "hemolyzed"),
            (#""component": [{"code": {"text": "A"}, "valueQuantity": {"value": 1, "unit": "g"}}]"#, "A: 1 g"),
            (#""valueQuantity": {"value": "1e400", "unit": "ng/mL"}"#, "1e400"),
            (#""valueQuantity": {"value": -3, "unit": "ng/mL"}"#, "-3"),
        ])
    func noNumber(value: String, text: String) throws {
        var export = SmallExport()
        export.observe("PSA, TOTAL", loinc: "2857-1", value: value)
        let report = try export.propose()
        #expect(report.proposals.isEmpty)
        let entry = try #require(report.unplaceable.first { $0.kind == .lab })
        #expect(entry.reason == .notANumber && entry.valueText == text && entry.biomarker == "psa_total")
    }

    @Test("a number written as a string is a number")
    func stringNumber() throws {
        var export = SmallExport()
        export.observe("Vitamin B12", loinc: "2132-9", value: Self.number("\"512\"", "pg/mL"))
        #expect(try export.propose().proposal("vitamin_b12")?.value == 512)
    }

    @Test("DSTU2 and R4 give the same value")
    func versions() throws {
        for category in [
            #"{"coding": [{"system": "http://hl7.org/fhir/observation-category", "code": "laboratory"}]}"#,
            #"[{"coding": [{"system": "x", "code": "laboratory"}]}]"#, #"{"text": "Laboratory"}"#,
        ] {
            var export = SmallExport()
            export.observe(
                "A1c", loinc: "59261-8", value: Self.number("34", "mmol/mol"), category: nil,
                more: "\"category\": \(category)")
            #expect(try export.propose().proposal("hba1c")?.display == "5.3")
        }
    }

    @Test("the UCUM code decides before the printed unit")
    func ucum() throws {
        var export = SmallExport()
        export.observe(
            "TSH", loinc: "3016-3",
            value:
                #""valueQuantity": {"value": 1.8, "unit": "u", "system": "http://unitsofmeasure.org", "code": "m[IU]/L"}"#
        )
        #expect(try export.propose().proposal("tsh")?.value == 1.8)
    }

    // MARK: Status and date

    @Test("a withdrawn result removes the one that it replaces, and no other")
    func withdrawn() throws {
        var export = SmallExport()
        let a1c = Self.number
        export.observe("A1c", loinc: "4548-4", value: a1c("5.3", "%"), date: "2026-01-01", id: "one")
        export.observe("A1c", loinc: "4548-4", value: a1c("6.9", "%"), date: "2026-03-01", id: "two")
        export.observe(
            "A1c", loinc: "4548-4", value: a1c("11.9", "%"), date: "2026-03-01", status: "entered-in-error", id: "two")
        let report = try export.propose()
        #expect(report.proposal("hba1c")?.value == 5.3)
        #expect(
            Set(report.unplaceable.filter { $0.reason == .withdrawn }.compactMap(\.valueText)) == ["6.9", "11.9"])
    }

    @Test("the newest clinical date wins, and of equal dates the corrected one")
    func newest() throws {
        var export = SmallExport()
        export.observe("A1c", loinc: "4548-4", value: Self.number("5.9", "%"), date: "2026-03-01", status: "corrected")
        export.observe("A1c", loinc: "4548-4", value: Self.number("5.3", "%"), date: "2026-03-01", status: "final")
        export.observe("A1c", loinc: "4548-4", value: Self.number("5.1", "%"), date: "2026-02-28T23:59:59Z")
        let proposal = try #require(try export.propose().proposal("hba1c"))
        #expect(proposal.value == 5.9 && proposal.available == 3 && proposal.laboratory?.status == "corrected")
    }

    @Test(
        "a result that is not final, not dated or dated ahead is surfaced and not proposed",
        arguments: [
            ("preliminary", "2026-03-01", .notFinal), ("unknown", "2026-03-01", .notFinal), ("final", nil, .noDate),
            ("final", "soon", .noDate), ("final", "2031-01-01", .futureDate),
        ] as [(String, String?, Unplaceable.Reason)])
    func notStanding(status: String, date: String?, reason: Unplaceable.Reason) throws {
        var export = SmallExport()
        export.observe("A1c", loinc: "4548-4", value: Self.number("5.3", "%"), date: date, status: status)
        let report = try export.propose()
        #expect(report.proposals.isEmpty)
        #expect(report.unplaceable.first { $0.kind == .lab }?.reason == reason)
    }

    @Test("dates may be months, days, instants, periods, or the day of issue")
    func dates() {
        let zone = CalendarZone.utc
        func seconds(_ text: String) -> Double? { ClinicalDate(text, zone: zone)?.instant.secondsSince1970 }
        #expect(seconds("2025-09") == 1_756_684_800)
        #expect(seconds("2025-09-26") == 1_758_844_800)
        #expect(seconds("2025-09-26T08:00:00+02:00") == 1_758_866_400)
        #expect(seconds("2025-09-26T06:00:00.000Z") == 1_758_866_400)
        #expect(seconds("2025-09-26T06:00") == 1_758_866_400)
        #expect(seconds("26.09.2025") == nil)
        #expect(seconds("2025-02-30") == nil)
        let document = #""effectivePeriod": {"start": "2026-02-01"}"#
        for more in [document, #""issued": "2026-02-01T00:00:00Z""#] {
            var export = SmallExport()
            export.observe("A1c", loinc: "4548-4", value: Self.number("5.3", "%"), date: nil, more: more)
            let proposal = (try? export.propose())?.proposal("hba1c")
            #expect(proposal?.newest == Instant(secondsSince1970: 1_769_904_000))
        }
    }

    // MARK: Precedence and files

    @Test("a laboratory outranks a newer device; one that is much older is flagged and not overruled")
    func precedence() throws {
        var export = SmallExport()
        export.add("BloodGlucose", "92", "mg/dL", daysAgo: 0, mealTime: 1)
        export.observe("Glucose", loinc: "2345-7", value: Self.number("88", "mg/dL"), date: "2025-04-20")
        var glucose = try #require(try export.propose().proposal("fasting_glucose"))
        #expect(glucose.value == 88 && glucose.superseded?.value == 92 && !glucose.warns(of: .labMuchOlder))
        export.resources = [:]
        export.observe("Glucose", loinc: "2345-7", value: Self.number("88", "mg/dL"), date: "2025-04-10")
        glucose = try #require(try export.propose().proposal("fasting_glucose"))
        #expect(glucose.value == 88 && glucose.warns(of: .labMuchOlder))
    }

    @Test("a clinical vital sign is listed apart and does not outrank a device")
    func vitalSigns() throws {
        var export = SmallExport()
        export.body = [SmallExport.pressure(118, 76, at: SmallExport.today)]
        export.observe(
            "Systolic blood pressure", loinc: "8480-6", value: Self.number("140", "mm[Hg]"), category: "vital-signs")
        let report = try export.propose()
        #expect(report.proposal("blood_pressure_systolic")?.value == 118)
        #expect(report.unplaceable.first { $0.kind == .vitalSign }?.valueText == "140")
    }

    @Test("bundles and arrays are opened, reports surfaced, broken files counted")
    func files() throws {
        var export = SmallExport()
        let a1c =
            #"{"resourceType": "Observation", "status": "final", "effectiveDateTime": "2026-03-01", "code": {"coding": [{"system": "http://loinc.org", "code": "4548-4"}]}, "valueQuantity": {"value": 5.3, "unit": "%"}}"#
        export.resources = [
            "bundle.json": #"{"resourceType": "Bundle", "entry": [{"resource": \#(a1c)}]}"#,
            "array.json":
                "\u{FEFF}[\(a1c.replacingOccurrences(of: "4548-4", with: "2276-4").replacingOccurrences(of: "\"%\"", with: "\"ng/mL\""))]",
            "report.json": #"{"resourceType": "DiagnosticReport", "status": "final", "code": {"text": "Lipid panel"}}"#,
            "broken.json": #"{"resourceType": "Observation""#, "other.json": #"{"resourceType": "Immunization"}"#,
        ]
        let report = try export.propose()
        #expect(report.proposals.map(\.id) == ["hba1c", "ferritin"])
        #expect(report.unplaceable.contains { $0.kind == .report && $0.name == "Lipid panel" })
        #expect(report.counters["clinical_files"] == 4 && report.counters["clinical_files_unreadable"] == 1)
        #expect(report.counters["fhir_Immunization"] == 1)
        #expect(report.warnings.contains { $0.code == .clinicalFilesUnreadable })
    }
}
