import CanonicalJSON

/// How one property of a record section stands in the day document.
struct SectionMember<Section>: Sendable {
    /// Where the value is kept.
    enum Source: Sendable {
        case double(any WritableKeyPath<Section, Double?> & Sendable)
        case integer(any WritableKeyPath<Section, Int?> & Sendable)
        case text(any WritableKeyPath<Section, String?> & Sendable)
        /// A count that the document writes as text.
        case countText(any WritableKeyPath<Section, Int?> & Sendable)
        /// A double that the document writes as a whole number, truncated.
        case truncated(any WritableKeyPath<Section, Double?> & Sendable)
    }

    /// Members that repeat the value in another unit or under another name.
    enum Twin: Sendable {
        /// The same value.
        case same(String)
        /// × 100.
        case percent(String)
        /// Metres as kilometres and miles, names with `Km` and `Mi`.
        case kilometresAndMiles
    }

    let name: String
    let source: Source
    var twins: [Twin] = []
}

/// Metres of a mile.
let metresPerMile = 1_609.344

extension SectionMember {
    static func double(
        _ name: String, _ path: any WritableKeyPath<Section, Double?> & Sendable, _ twins: Twin...
    ) -> SectionMember {
        SectionMember(name: name, source: .double(path), twins: twins)
    }

    static func integer(_ name: String, _ path: any WritableKeyPath<Section, Int?> & Sendable) -> SectionMember {
        SectionMember(name: name, source: .integer(path))
    }

    static func distance(_ name: String, _ path: any WritableKeyPath<Section, Double?> & Sendable) -> SectionMember {
        SectionMember(name: name, source: .double(path), twins: [.kilometresAndMiles])
    }

    /// Appends the member and its twins when the section has a value.
    func append(of section: Section, to object: inout JSONObject) {
        switch source {
        case .integer(let path):
            object.append(name, ifPresent: section[keyPath: path].map { .integer($0) })
        case .text(let path):
            object.append(name, ifPresent: section[keyPath: path].map { .string($0) })
        case .countText(let path):
            object.append(name, ifPresent: section[keyPath: path].map { .string(String($0)) })
        case .truncated(let path):
            guard let value = section[keyPath: path], let whole = Int(exactly: value.rounded(.towardZero)) else {
                return
            }
            object.append(name, .integer(whole))
        case .double(let path):
            guard let value = section[keyPath: path], value.isFinite else { return }
            object.append(name, .double(value))
            for twin in twins { append(twin, of: value, to: &object) }
        }
    }

    private func append(_ twin: Twin, of value: Double, to object: inout JSONObject) {
        switch twin {
        case .same(let other): object.append(other, .double(value))
        case .percent(let other): object.append(other, .double(value * 100))
        case .kilometresAndMiles:
            object.append(name + "Km", .double(value / 1_000))
            object.append(name + "Mi", .double(value / metresPerMile))
        }
    }

    /// Takes the member of a document into the section.
    func read(from object: JSONObject, into section: inout Section) {
        guard let value = object[name] else { return }
        switch source {
        case .double(let path), .truncated(let path): section[keyPath: path] = value.number?.double
        case .integer(let path): section[keyPath: path] = value.number?.int
        case .text(let path): section[keyPath: path] = value.string
        case .countText(let path): section[keyPath: path] = value.string.flatMap { Int($0) }
        }
    }
}

/// The members of the plain sections (health-data.md 9). What needs more than a table stands in `DayDocument+Writing`.
enum DocumentMembers {
    static let activity: [SectionMember<DailyRecord.Activity>] = [
        .integer("steps", \.steps), .integer("flightsClimbed", \.flightsClimbed),
        .integer("standHours", \.standHours), .integer("swimmingStrokes", \.swimmingStrokes),
        .integer("pushCount", \.pushCount), .double("activeCalories", \.activeCalories),
        .double("basalEnergyBurned", \.basalEnergyBurned), .double("exerciseMinutes", \.exerciseMinutes),
        .double("standTimeMinutes", \.standTimeMinutes),
        .init(name: "moveMinutes", source: .truncated(\.moveTime)),
        .distance("walkingRunningDistance", \.walkingRunningDistance),
        .distance("cyclingDistance", \.cyclingDistance), .double("swimmingDistance", \.swimmingDistance),
        .distance("wheelchairDistance", \.wheelchairDistance),
        .distance("downhillSnowSportsDistance", \.downhillSnowSportsDistance),
        .double("vo2Max", \.vo2Max), .double("vo2MaxAgeSeconds", \.vo2MaxAgeSeconds),
        .double("physicalEffort", \.physicalEffort),
    ]
    static let heart: [SectionMember<DailyRecord.Heart>] = [
        .double("restingHeartRate", \.restingHeartRate),
        .double("walkingHeartRateAverage", \.walkingHeartRateAverage),
        .double("averageHeartRate", \.averageHeartRate), .double("heartRateMin", \.heartRateMin),
        .double("heartRateMax", \.heartRateMax), .double("hrv", \.hrv),
        .double("heartRateRecovery", \.heartRateRecovery),
        .double("atrialFibrillationBurdenPercent", \.atrialFibrillationBurden),
    ]
    static let vitals: [SectionMember<DailyRecord.Vitals>] = [
        .double("respiratoryRateAvg", \.respiratoryRateAvg, .same("respiratoryRate")),
        .double("respiratoryRateMin", \.respiratoryRateMin), .double("respiratoryRateMax", \.respiratoryRateMax),
        .double("bloodOxygenAvg", \.bloodOxygenAvg, .same("bloodOxygen"), .percent("bloodOxygenPercent")),
        .double("bloodOxygenMin", \.bloodOxygenMin, .percent("bloodOxygenMinPercent")),
        .double("bloodOxygenMax", \.bloodOxygenMax, .percent("bloodOxygenMaxPercent")),
        .double("bodyTemperatureAvg", \.bodyTemperatureAvg, .same("bodyTemperature")),
        .double("bodyTemperatureMin", \.bodyTemperatureMin), .double("bodyTemperatureMax", \.bodyTemperatureMax),
        .double("bloodPressureSystolicAvg", \.bloodPressureSystolicAvg, .same("bloodPressureSystolic")),
        .double("bloodPressureSystolicMin", \.bloodPressureSystolicMin),
        .double("bloodPressureSystolicMax", \.bloodPressureSystolicMax),
        .double("bloodPressureDiastolicAvg", \.bloodPressureDiastolicAvg, .same("bloodPressureDiastolic")),
        .double("bloodPressureDiastolicMin", \.bloodPressureDiastolicMin),
        .double("bloodPressureDiastolicMax", \.bloodPressureDiastolicMax),
        .double("bloodGlucoseAvg", \.bloodGlucoseAvg, .same("bloodGlucose")),
        .double("bloodGlucoseMin", \.bloodGlucoseMin), .double("bloodGlucoseMax", \.bloodGlucoseMax),
        .double("basalBodyTemperature", \.basalBodyTemperature), .double("wristTemperature", \.wristTemperature),
        .double("electrodermalActivity", \.electrodermalActivity),
        .double("forcedVitalCapacityL", \.forcedVitalCapacity), .double("fev1L", \.forcedExpiratoryVolume1),
        .double("peakExpiratoryFlow", \.peakExpiratoryFlowRate), .double("inhalerUsage", \.inhalerUsage),
    ]
    static let body: [SectionMember<DailyRecord.Body>] = [
        .double("weight", \.weight), .double("height", \.height), .double("bmi", \.bmi),
        .double("bodyFatPercentage", \.bodyFatPercentage, .percent("bodyFatPercent")),
        .double("leanBodyMass", \.leanBodyMass), .double("waistCircumference", \.waistCircumference),
    ]
    static let nutrition: [SectionMember<DailyRecord.Nutrition>] = [
        .double("dietaryEnergy", \.dietaryEnergy), .double("protein", \.protein),
        .double("carbohydrates", \.carbohydrates), .double("fat", \.fat), .double("fiber", \.fiber),
        .double("sugar", \.sugar), .double("sodium", \.sodium), .double("water", \.water),
        .double("caffeine", \.caffeine), .double("cholesterol", \.cholesterol),
        .double("saturatedFat", \.saturatedFat), .double("monounsaturatedFat", \.monounsaturatedFat),
        .double("polyunsaturatedFat", \.polyunsaturatedFat),
    ]
    static let mobility: [SectionMember<DailyRecord.Mobility>] = [
        .double("walkingSpeed", \.walkingSpeed), .double("walkingStepLength", \.walkingStepLength),
        .double("walkingDoubleSupportPercentage", \.walkingDoubleSupportPercentage),
        .double("walkingAsymmetryPercentage", \.walkingAsymmetryPercentage),
        .double("stairAscentSpeed", \.stairAscentSpeed), .double("stairDescentSpeed", \.stairDescentSpeed),
        .double("sixMinuteWalkDistance", \.sixMinuteWalkDistance),
        .double("walkingSteadinessPercent", \.walkingSteadiness), .double("runningSpeed", \.runningSpeed),
        .double("runningStrideLengthM", \.runningStrideLength),
        .double("runningGroundContactMs", \.runningGroundContactTime),
        .double("runningVerticalOscillationCm", \.runningVerticalOscillation),
        .double("runningPowerW", \.runningPower),
    ]
    static let hearing: [SectionMember<DailyRecord.Hearing>] = [
        .double("headphoneAudioLevel", \.headphoneAudioLevel),
        .double("environmentalSoundLevel", \.environmentalSoundLevel),
    ]
    static let reproductiveHealth: [SectionMember<DailyRecord.ReproductiveHealth>] = [
        .init(name: "menstrual_flow", source: .text(\.menstrualFlow)),
        .init(name: "ovulation_test", source: .text(\.ovulationTestResult)),
        .init(name: "cervical_mucus", source: .text(\.cervicalMucusQuality)),
        .init(name: "sexual_activity", source: .countText(\.sexualActivityCount)),
        .init(name: "intermenstrual_bleeding", source: .countText(\.intermenstrualBleedingCount)),
    ]
    static let cyclingPerformance: [SectionMember<DailyRecord.CyclingPerformance>] = [
        .double("cycling_speed", \.cyclingSpeed), .double("cycling_power_w", \.cyclingPower),
        .double("cycling_cadence_rpm", \.cyclingCadence), .double("cycling_ftp_w", \.cyclingFTP),
    ]
    static let vitamins: [SectionMember<DailyRecord.Vitamins>] = [
        .double("vitamin_a_ug", \.vitaminA), .double("vitamin_b6_mg", \.vitaminB6),
        .double("vitamin_b12_ug", \.vitaminB12), .double("vitamin_c_mg", \.vitaminC),
        .double("vitamin_d_ug", \.vitaminD), .double("vitamin_e_mg", \.vitaminE), .double("vitamin_k_ug", \.vitaminK),
        .double("thiamin_mg", \.thiamin), .double("riboflavin_mg", \.riboflavin), .double("niacin_mg", \.niacin),
        .double("folate_ug", \.folate), .double("biotin_ug", \.biotin),
        .double("pantothenic_acid_mg", \.pantothenicAcid),
    ]
    static let minerals: [SectionMember<DailyRecord.Minerals>] = [
        .double("calcium_mg", \.calcium), .double("iron_mg", \.iron), .double("potassium_mg", \.potassium),
        .double("magnesium_mg", \.magnesium), .double("phosphorus_mg", \.phosphorus), .double("zinc_mg", \.zinc),
        .double("selenium_ug", \.selenium), .double("copper_mg", \.copper), .double("manganese_mg", \.manganese),
        .double("chromium_ug", \.chromium), .double("molybdenum_ug", \.molybdenum),
        .double("chloride_mg", \.chloride), .double("iodine_ug", \.iodine),
    ]
    static let other: [SectionMember<DailyRecord.Other>] = [
        .double("uv_exposure", \.uvExposure), .double("time_in_daylight_min", \.timeInDaylight),
        .double("number_of_falls", \.numberOfFalls), .double("blood_alcohol_percent", \.bloodAlcoholContent),
        .double("alcoholic_beverages", \.alcoholicBeverages), .double("insulin_delivery_iu", \.insulinDelivery),
        .integer("toothbrushing", \.toothbrushingCount), .integer("handwashing", \.handwashingCount),
        .double("water_temperature", \.waterTemperature), .double("underwater_depth_m", \.underwaterDepth),
    ]
}

extension JSONObject {
    /// The members of a section by its table.
    init<Section>(_ section: Section, _ members: [SectionMember<Section>]) {
        self.init()
        for member in members { member.append(of: section, to: &self) }
    }
}
