import Testing

@testable import Biomarkers

@Suite struct CatalogueTests {
    private let catalogue = Catalogue.current

    @Test("every id stands once and is a stable word")
    func ids() {
        let ids = catalogue.biomarkers.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect(id.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x5F })
        }
        // 12 from devices, 60 from laboratories, glucose from both.
        #expect(catalogue.biomarkers.count { $0.wearable != nil } == 12)
        #expect(catalogue.biomarkers.count { $0.laboratory != nil } == 60)
        #expect(ids.count == 71)
    }

    @Test("every LOINC code has a name, a verified source and a valid check digit, and means one biomarker")
    func codes() {
        let codes = catalogue.biomarkers.flatMap(\.loinc)
        for code in codes {
            #expect(code.hasValidCheckDigit, "\(code.code)")
            #expect(!code.name.isEmpty && !code.verified.isEmpty)
            #expect(code.verified.allSatisfy { "ABCDEFG".contains($0) }, "\(code.code)")
        }
        #expect(Set(codes.map(\.code)).count == codes.count)
    }

    @Test("a code with a wrong check digit is noticed", arguments: ["4548-5", "4548", "-4", "45x8-4", "4548-44"])
    func wrongCheckDigit(code: String) {
        #expect(!LoincCode(code: code, name: "", verified: "").hasValidCheckDigit)
    }

    @Test(
        "codes of a neighbour are not taken for the thing itself",
        arguments: ["2161-8", "3091-6", "1995-0", "3026-2", "3053-6", "2991-8", "2142-8", "10886-0", "630-4", "600-7"])
    func neighbours(code: String) {
        #expect(catalogue.biomarker(loinc: code) == nil)
    }

    @Test("only the five that wait for their place are inert, and none of them has a laboratory rule")
    func inert() {
        #expect(
            catalogue.inert.map(\.id) == [
                "bmi", "respiratory_rate", "heart_rate_recovery", "body_fat_pct", "waist_circumference",
            ])
        #expect(catalogue.inert.allSatisfy { $0.laboratory == nil })
    }

    @Test("steps, workouts and the like belong to no biomarker")
    func ungraded() {
        for type in ["StepCount", "ActiveEnergyBurned", "HeartRate", "BodyMass", "AppleExerciseTime"] {
            #expect(catalogue.biomarker(ofType: "HKQuantityTypeIdentifier" + type) == nil)
        }
    }

    @Test("windows and statistics are those of the specification")
    func rules() {
        let expected: [(String, Int?, Statistic)] = [
            ("resting_heart_rate", 30, .median), ("hrv_60_day_mean", 60, .mean), ("spo2", 30, .median),
            ("vo2_max", nil, .latest), ("blood_pressure_systolic", 30, .median),
            ("blood_pressure_diastolic", 30, .median), ("fasting_glucose", nil, .latest),
        ]
        for (id, days, statistic) in expected {
            let rule = catalogue.biomarker(id)?.wearable
            #expect(rule?.windowDays == days, "\(id)")
            #expect(rule?.statistic == statistic, "\(id)")
        }
        #expect(catalogue.biomarkers.count { $0.wearable != nil && !$0.isInert } == expected.count)
    }

    @Test("every biomarker takes its own unit unchanged")
    func ownUnit() {
        for biomarker in catalogue.biomarkers {
            #expect(biomarker.quantity.value(2.5, in: biomarker.unit) == 2.5, "\(biomarker.id)")
        }
    }

    @Test("every quantity of the table of units has a biomarker")
    func quantities() {
        #expect(Set(UnitTable.quantities.keys) == Set(catalogue.biomarkers.map(\.quantity.name)))
    }

    @Test("a printed name means one biomarker, or two that their units keep apart")
    func names() {
        for biomarker in catalogue.biomarkers {
            for name in biomarker.laboratory?.names ?? [] {
                let meant = catalogue.biomarkers(named: name)
                #expect(meant.contains { $0.id == biomarker.id })
                if meant.count > 1 {
                    #expect(Set(meant.map(\.unit)).count == meant.count, "\(name)")
                    for other in meant where other.id != biomarker.id {
                        #expect(other.quantity.conversion(from: biomarker.unit) == nil, "\(name)")
                    }
                }
                let words = PrintedName.specimenWords(in: name)
                #expect(words.isSubset(of: biomarker.laboratory?.specimenWords ?? []), "\(name)")
            }
        }
    }
}

@Suite struct UnitTests {
    private func value(_ id: String, _ number: Double, _ unit: String) -> Double? {
        Catalogue.current.biomarker(id)?.quantity.value(number, in: unit)
    }

    @Test(
        "units are converted with the published factors",
        arguments: [
            ("fasting_glucose", 5.1067, "mmol/L", 92.0), ("fasting_glucose", 5.1067, "mmol<180.1558800000541>/L", 92.0),
            ("cholesterol_total", 5, "mmol/L", 193.35), ("triglycerides", 1, "mmol/l", 88.57),
            ("apob", 0.82, "g/L", 82), ("hba1c", 34.4, "mmol/mol", 5.298912), ("creatinine", 88.42, "µmol/L", 1),
            ("urate", 59.48, "umol/L", 1), ("bilirubin_total", 17.1, "μmol/L", 1), ("calcium", 2.5, "mmol/L", 10.02),
            ("iron", 10, "umol/L", 55.85), ("vitamin_d", 100, "nmol/L", 40.06), ("vitamin_b12", 100, "pmol/L", 135.54),
            ("folate", 10, "nmol/L", 4.414), ("testosterone_total", 10, "nmol/L", 288.42), ("ferritin", 88, "ug/L", 88),
            ("igf_1", 150, "µg/L", 150), ("psa_total", 1.2, "ug/L", 1.2), ("crp", 1.5, "mg/dL", 15),
            ("hs_crp", 0.07, "mg/dL", 0.7), ("blood_pressure_systolic", 16, "kPa", 120.00986928),
            ("resting_heart_rate", 1, "count/s", 60), ("leukocytes", 5.5, "10*9/L", 5.5),
            ("leukocytes", 5.5, "x10E3/uL", 5.5), ("leukocytes", 5.5, "K/uL", 5.5), ("leukocytes", 5.5, "10^3/uL", 5.5),
            ("erythrocytes", 4.8, "M/uL", 4.8), ("alt", 21, "IU/L", 21), ("tsh", 1.8, "mIU/L", 1.8),
            ("tsh", 1.8, "uIU/mL", 1.8), ("hemoglobin", 146, "g/L", 14.6), ("vo2_max", 38.5, "mL/min·kg", 38.5),
            ("vo2_max", 38.5, "ml/(kg*min)", 38.5), ("vo2_max", 38.5, "mL/kg*min", 38.5),
        ] as [(String, Double, String, Double)])
    func conversions(id: String, number: Double, unit: String, expected: Double) throws {
        let found = try #require(value(id, number, unit))
        #expect((found - expected).magnitude < expected.magnitude * 1e-5, "\(id) \(unit) \(found)")
    }

    @Test(
        "no factor is invented",
        arguments: [
            ("lipoprotein_a_mass", "nmol/L"), ("lipoprotein_a_molar", "mg/dL"), ("insulin", "pmol/L"),
            ("urea_nitrogen", "mmol/L"), ("hrv_60_day_mean", "s"), ("fasting_glucose", "mmol<18>/L"),
            ("fasting_glucose", "furlong"), ("shbg", "IU/L"), ("resting_heart_rate", ""), ("hba1c", "mmol/L"),
        ])
    func refused(id: String, unit: String) {
        #expect(value(id, 60, unit) == nil)
    }

    @Test("a percentage of HealthKit is a fraction up to 1, percent above, and nothing beyond 100")
    func fractions() {
        #expect(value("spo2", 0.97, "%") == 97)
        #expect(value("spo2", 1, "%") == 100)
        #expect(value("spo2", 97, "%") == 97)
        #expect(value("spo2", 150, "%") == nil)
        #expect(value("spo2", -0.5, "%") == nil)
        #expect(value("hba1c", 0.9, "%") == 0.9)
    }

    @Test("U and IU are the same for enzymes only")
    func internationalUnits() {
        #expect(value("alt", 20, "IU/L") == 20)
        #expect(value("tsh", 2, "mU/L") == nil)
    }
}

@Suite struct StatisticsTests {
    @Test("the median of an even count is the mean of the middle two")
    func median() {
        #expect(Statistics.median([3, 1, 2]) == 2)
        #expect(Statistics.median([4, 1, 2, 3]) == 2.5)
        #expect(Statistics.median([]) == nil)
        #expect(Statistics.median([250, 62]) == 156)
    }

    @Test("the mean is summed with compensation")
    func mean() {
        #expect(Statistics.mean([1e16, 1, 1, -1e16]) == 0.5)
        #expect(Statistics.mean(Array(repeating: 0.1, count: 10)) == 0.1)
        #expect(Statistics.mean([]) == nil)
    }

    @Test(
        "values are shown rounded half away from zero",
        arguments: [
            (60.0, 1, 1, "60.0"), (62.0, 0, 1, "62"), (62.5, 0, 1, "62.5"), (91.5, 0, 0, "92"), (-0.04, 1, 1, "0.0"),
            (-2.25, 1, 1, "-2.3"), (0.05, 1, 1, "0.1"), (0.93, 2, 2, "0.93"), (1234.5, 0, 0, "1235"),
        ] as [(Double, Int, Int, String)])
    func display(value: Double, minimum: Int, maximum: Int, text: String) {
        #expect(Statistics.display(value, Decimals(minimum: minimum, maximum: maximum)) == text)
    }
}
