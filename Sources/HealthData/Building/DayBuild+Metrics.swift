import Foundation
import HealthRecords

/// One value of the record that a metric's samples are reduced to.
private struct PlainMetric: Sendable {
    let id: String
    let path: any WritableKeyPath<DailyRecord, Double?> & Sendable
    /// From the unit of records to that of the model.
    var factor = 1.0
}

extension DayBuild {
    /// Quantities with one value a day; the registry says how it is made.
    private static let plainMetrics: [PlainMetric] = [
        .init(id: "distance_walking_running", path: \.activity.walkingRunningDistance),
        .init(id: "cycling_distance", path: \.activity.cyclingDistance),
        .init(id: "distance_swimming", path: \.activity.swimmingDistance),
        .init(id: "distance_wheelchair", path: \.activity.wheelchairDistance),
        .init(id: "distance_downhill_snow", path: \.activity.downhillSnowSportsDistance),
        .init(id: "active_energy", path: \.activity.activeCalories),
        .init(id: "basal_energy", path: \.activity.basalEnergyBurned),
        .init(id: "exercise_time", path: \.activity.exerciseMinutes),
        .init(id: "stand_time", path: \.activity.standTimeMinutes), .init(id: "move_time", path: \.activity.moveTime),
        .init(id: "physical_effort", path: \.activity.physicalEffort),
        .init(id: "heart_rate_avg", path: \.heart.averageHeartRate),
        .init(id: "heart_rate_min", path: \.heart.heartRateMin),
        .init(id: "heart_rate_max", path: \.heart.heartRateMax),
        .init(id: "resting_heart_rate", path: \.heart.restingHeartRate),
        .init(id: "walking_heart_rate", path: \.heart.walkingHeartRateAverage), .init(id: "hrv", path: \.heart.hrv),
        .init(id: "heart_rate_recovery", path: \.heart.heartRateRecovery),
        .init(id: "afib_burden", path: \.heart.atrialFibrillationBurden, factor: 100),
        .init(id: "forced_vital_capacity", path: \.vitals.forcedVitalCapacity),
        .init(id: "fev1", path: \.vitals.forcedExpiratoryVolume1),
        .init(id: "peak_expiratory_flow", path: \.vitals.peakExpiratoryFlowRate),
        .init(id: "inhaler_usage", path: \.vitals.inhalerUsage),
        .init(id: "basal_body_temperature", path: \.vitals.basalBodyTemperature),
        .init(id: "wrist_temperature", path: \.vitals.wristTemperature),
        .init(id: "electrodermal_activity", path: \.vitals.electrodermalActivity),
        .init(id: "weight", path: \.body.weight), .init(id: "height", path: \.body.height),
        .init(id: "bmi", path: \.body.bmi), .init(id: "body_fat", path: \.body.bodyFatPercentage),
        .init(id: "lean_body_mass", path: \.body.leanBodyMass),
        .init(id: "waist_circumference", path: \.body.waistCircumference, factor: 100),
        .init(id: "walking_speed", path: \.mobility.walkingSpeed),
        .init(id: "walking_step_length", path: \.mobility.walkingStepLength),
        .init(id: "walking_double_support", path: \.mobility.walkingDoubleSupportPercentage),
        .init(id: "walking_asymmetry", path: \.mobility.walkingAsymmetryPercentage),
        .init(id: "walking_steadiness", path: \.mobility.walkingSteadiness, factor: 100),
        .init(id: "stair_ascent_speed", path: \.mobility.stairAscentSpeed),
        .init(id: "stair_descent_speed", path: \.mobility.stairDescentSpeed),
        .init(id: "six_minute_walk", path: \.mobility.sixMinuteWalkDistance),
        .init(id: "running_speed", path: \.mobility.runningSpeed),
        .init(id: "running_stride_length", path: \.mobility.runningStrideLength),
        .init(id: "running_ground_contact", path: \.mobility.runningGroundContactTime),
        .init(id: "running_vertical_oscillation", path: \.mobility.runningVerticalOscillation),
        .init(id: "running_power", path: \.mobility.runningPower),
        .init(id: "cycling_speed", path: \.cyclingPerformance.cyclingSpeed),
        .init(id: "cycling_power", path: \.cyclingPerformance.cyclingPower),
        .init(id: "cycling_cadence", path: \.cyclingPerformance.cyclingCadence),
        .init(id: "cycling_ftp", path: \.cyclingPerformance.cyclingFTP),
        .init(id: "headphone_audio", path: \.hearing.headphoneAudioLevel),
        .init(id: "environmental_audio", path: \.hearing.environmentalSoundLevel),
        .init(id: "uv_exposure", path: \.other.uvExposure), .init(id: "time_in_daylight", path: \.other.timeInDaylight),
        .init(id: "number_of_falls", path: \.other.numberOfFalls),
        .init(id: "blood_alcohol", path: \.other.bloodAlcoholContent, factor: 100),
        .init(id: "alcoholic_beverages", path: \.other.alcoholicBeverages),
        .init(id: "insulin_delivery", path: \.other.insulinDelivery),
        .init(id: "water_temperature", path: \.other.waterTemperature),
        .init(id: "underwater_depth", path: \.other.underwaterDepth),
    ]
    private static let nutritionMetrics: [PlainMetric] = [
        .init(id: "dietary_energy", path: \.nutrition.dietaryEnergy),
        .init(id: "dietary_protein", path: \.nutrition.protein),
        .init(id: "dietary_carbs", path: \.nutrition.carbohydrates), .init(id: "dietary_fat", path: \.nutrition.fat),
        .init(id: "dietary_fat_saturated", path: \.nutrition.saturatedFat),
        .init(id: "dietary_fat_mono", path: \.nutrition.monounsaturatedFat),
        .init(id: "dietary_fat_poly", path: \.nutrition.polyunsaturatedFat),
        .init(id: "dietary_cholesterol", path: \.nutrition.cholesterol),
        .init(id: "dietary_fiber", path: \.nutrition.fiber), .init(id: "dietary_sugar", path: \.nutrition.sugar),
        .init(id: "dietary_sodium", path: \.nutrition.sodium), .init(id: "dietary_water", path: \.nutrition.water),
        .init(id: "dietary_caffeine", path: \.nutrition.caffeine),
        .init(id: "vitamin_a", path: \.vitamins.vitaminA), .init(id: "vitamin_b6", path: \.vitamins.vitaminB6),
        .init(id: "vitamin_b12", path: \.vitamins.vitaminB12), .init(id: "vitamin_c", path: \.vitamins.vitaminC),
        .init(id: "vitamin_d", path: \.vitamins.vitaminD), .init(id: "vitamin_e", path: \.vitamins.vitaminE),
        .init(id: "vitamin_k", path: \.vitamins.vitaminK), .init(id: "thiamin", path: \.vitamins.thiamin),
        .init(id: "riboflavin", path: \.vitamins.riboflavin), .init(id: "niacin", path: \.vitamins.niacin),
        .init(id: "folate", path: \.vitamins.folate), .init(id: "biotin", path: \.vitamins.biotin),
        .init(id: "pantothenic_acid", path: \.vitamins.pantothenicAcid),
        .init(id: "calcium", path: \.minerals.calcium), .init(id: "iron", path: \.minerals.iron),
        .init(id: "potassium", path: \.minerals.potassium), .init(id: "magnesium", path: \.minerals.magnesium),
        .init(id: "phosphorus", path: \.minerals.phosphorus), .init(id: "zinc", path: \.minerals.zinc),
        .init(id: "selenium", path: \.minerals.selenium), .init(id: "copper", path: \.minerals.copper),
        .init(id: "manganese", path: \.minerals.manganese), .init(id: "chromium", path: \.minerals.chromium),
        .init(id: "molybdenum", path: \.minerals.molybdenum), .init(id: "chloride", path: \.minerals.chloride),
        .init(id: "iodine", path: \.minerals.iodine),
    ]
    /// Counts that the model holds as integers, truncated.
    private static let countMetrics: [(id: String, path: any WritableKeyPath<DailyRecord, Int?> & Sendable)] = [
        ("steps", \.activity.steps), ("flights_climbed", \.activity.flightsClimbed),
        ("swimming_strokes", \.activity.swimmingStrokes), ("push_count", \.activity.pushCount),
    ]
    /// Metrics with mean, minimum and maximum.
    private static let rangeMetrics:
        [(
            id: String, average: any WritableKeyPath<DailyRecord, Double?> & Sendable,
            minimum: any WritableKeyPath<DailyRecord, Double?> & Sendable,
            maximum: any WritableKeyPath<DailyRecord, Double?> & Sendable
        )] = [
            (
                "respiratory_rate", \.vitals.respiratoryRateAvg, \.vitals.respiratoryRateMin,
                \.vitals.respiratoryRateMax
            ),
            ("blood_oxygen", \.vitals.bloodOxygenAvg, \.vitals.bloodOxygenMin, \.vitals.bloodOxygenMax),
            (
                "body_temperature", \.vitals.bodyTemperatureAvg, \.vitals.bodyTemperatureMin,
                \.vitals.bodyTemperatureMax
            ),
            (
                "blood_pressure_systolic", \.vitals.bloodPressureSystolicAvg, \.vitals.bloodPressureSystolicMin,
                \.vitals.bloodPressureSystolicMax
            ),
            (
                "blood_pressure_diastolic", \.vitals.bloodPressureDiastolicAvg, \.vitals.bloodPressureDiastolicMin,
                \.vitals.bloodPressureDiastolicMax
            ),
            ("blood_glucose", \.vitals.bloodGlucoseAvg, \.vitals.bloodGlucoseMin, \.vitals.bloodGlucoseMax),
        ]

    mutating func buildPlainMetrics() {
        for plain in Self.plainMetrics + Self.nutritionMetrics where isSelected(plain.id) {
            guard let metric = Registry.current.metric(plain.id) else { continue }
            record[keyPath: plain.path] = value(of: metric).map { $0 * plain.factor }
        }
        for (id, path) in Self.countMetrics where isSelected(id) {
            guard let metric = Registry.current.metric(id), let value = value(of: metric) else { continue }
            // Shares of samples that cross an edge may miss a whole number by rounding alone.
            record[keyPath: path] = Int(exactly: (value + 1e-6).rounded(.down))
        }
        for range in Self.rangeMetrics where isSelected(range.id) {
            guard let metric = Registry.current.metric(range.id) else { continue }
            let numbers = ownedValues(of: metric).map(\.number)
            record[keyPath: range.average] = Self.mean(numbers)
            record[keyPath: range.minimum] = numbers.min()
            record[keyPath: range.maximum] = numbers.max()
        }
    }

    /// Readable samples of a metric that start in the day, in its record unit.
    func ownedValues(of metric: Metric) -> [SampleIndex.Value] {
        guard let type = metric.healthKitIdentifier, let unit = metric.recordUnit else { return [] }
        return SampleIndex.values(samples.owned(type, by: frame), unit: unit)
    }

    private func value(of metric: Metric) -> Double? {
        switch metric.aggregation {
        case .cumulative: return cumulativeSum(of: metric)
        case .discreteAverage: return Self.mean(ownedValues(of: metric).map(\.number))
        case .discreteMinimum: return ownedValues(of: metric).map(\.number).min()
        case .discreteMaximum: return ownedValues(of: metric).map(\.number).max()
        case .mostRecent: return Self.mostRecent(ownedValues(of: metric))?.number
        case .duration, .count: preconditionFailure("\(metric.id) is no quantity")
        }
    }

    private static func mean(_ numbers: [Double]) -> Double? {
        numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
    }

    /// The latest end; of equal ends the later start.
    static func mostRecent(_ values: [SampleIndex.Value]) -> SampleIndex.Value? {
        values.max { ($0.record.end, $0.record.start) < ($1.record.end, $1.record.start) }
    }

    /// Sources that overlap count once.
    private func cumulativeSum(of metric: Metric) -> Double? {
        guard let type = metric.healthKitIdentifier, let unit = metric.recordUnit else { return nil }
        let values = SampleIndex.values(samples.records(type), unit: unit)
        return CumulativeMerge.sum(values, sources: builder.sources, in: frame.interval)
    }
}
