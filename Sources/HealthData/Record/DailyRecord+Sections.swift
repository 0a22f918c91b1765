import Foundation

extension DailyRecord {
    /// The night that begins on the day (health-data.md 7.1). Durations are seconds; zero means none.
    public struct Sleep: Codable, Hashable, Sendable {
        /// Time asleep.
        public var totalDuration: Double = 0
        /// Union of the deep intervals.
        public var deepSleep: Double = 0
        /// Union of the REM intervals.
        public var remSleep: Double = 0
        /// Union of the core intervals.
        public var coreSleep: Double = 0
        /// Union of the awake intervals.
        public var awakeTime: Double = 0
        /// Union of the in-bed intervals.
        public var inBedTime: Double = 0
        /// Start of the night.
        public var sessionStart: Date?
        /// End of the night.
        public var sessionEnd: Date?
        /// The intervals, clipped to the window.
        public var stages: [SleepStage] = []

        /// No sleep.
        public init() {}
    }

    /// One interval of a night.
    public struct SleepStage: Codable, Hashable, Sendable {
        /// `deep`, `rem`, `core`, `awake`, `inBed` or `unspecified`.
        public var stage: String
        /// Its start.
        public var startDate: Date
        /// Its end.
        public var endDate: Date
        /// Text entries.
        public var metadata: [String: String]

        /// An interval.
        public init(stage: String, startDate: Date, endDate: Date, metadata: [String: String] = [:]) {
            self.stage = stage
            self.startDate = startDate
            self.endDate = endDate
            self.metadata = metadata
        }
    }

    /// Movement of the day.
    public struct Activity: Codable, Hashable, Sendable {
        /// Counts, truncated.
        public var steps, flightsClimbed, standHours, swimmingStrokes, pushCount: Int?
        /// Kilocalories.
        public var activeCalories, basalEnergyBurned: Double?
        /// Minutes.
        public var exerciseMinutes, standTimeMinutes, moveTime: Double?
        /// Metres.
        public var walkingRunningDistance, cyclingDistance, swimmingDistance: Double?
        /// Metres.
        public var wheelchairDistance, downhillSnowSportsDistance: Double?
        /// mL/kg/min.
        public var vo2Max: Double?
        /// Start of the day minus start of the sample; 0 inside the day.
        public var vo2MaxAgeSeconds: Double?
        /// The identity of the sample.
        public var vo2MaxSourceUUID: UUID?
        /// The sample's interval.
        public var vo2MaxSourceStartDate, vo2MaxSourceEndDate: Date?
        /// Whether the sample starts before the day.
        public var vo2MaxCarriedForward: Bool?
        /// kcal/hr/kg.
        public var physicalEffort: Double?

        /// No movement.
        public init() {}
    }

    /// Heart rates in beats a minute.
    public struct Heart: Codable, Hashable, Sendable {
        /// Latest of the day.
        public var restingHeartRate, walkingHeartRateAverage: Double?
        /// Mean and extremes of the day.
        public var averageHeartRate, heartRateMin, heartRateMax: Double?
        /// Milliseconds.
        public var hrv: Double?
        /// Latest of the day.
        public var heartRateRecovery: Double?
        /// Percent number.
        public var atrialFibrillationBurden: Double?
        /// Samples by time.
        public var heartRateSamples: [TimeSample] = []
        /// Samples by time, milliseconds.
        public var hrvSamples: [TimeSample] = []

        /// No heart rates.
        public init() {}
    }

    /// Respiration, oxygen, temperature, pressure, glucose and lung measures.
    public struct Vitals: Codable, Hashable, Sendable {
        /// Breaths a minute.
        public var respiratoryRateAvg, respiratoryRateMin, respiratoryRateMax: Double?
        /// Ratio.
        public var bloodOxygenAvg, bloodOxygenMin, bloodOxygenMax: Double?
        /// Degrees Celsius.
        public var bodyTemperatureAvg, bodyTemperatureMin, bodyTemperatureMax: Double?
        /// mmHg.
        public var bloodPressureSystolicAvg, bloodPressureSystolicMin, bloodPressureSystolicMax: Double?
        /// mmHg.
        public var bloodPressureDiastolicAvg, bloodPressureDiastolicMin, bloodPressureDiastolicMax: Double?
        /// mg/dL.
        public var bloodGlucoseAvg, bloodGlucoseMin, bloodGlucoseMax: Double?
        /// Degrees Celsius.
        public var basalBodyTemperature, wristTemperature: Double?
        /// Microsiemens.
        public var electrodermalActivity: Double?
        /// Litres.
        public var forcedVitalCapacity, forcedExpiratoryVolume1: Double?
        /// Litres a minute.
        public var peakExpiratoryFlowRate: Double?
        /// Uses.
        public var inhalerUsage: Double?
        /// Samples by time.
        public var bloodOxygenSamples: [TimeSample] = []
        /// Samples by time.
        public var bloodGlucoseSamples: [TimeSample] = []
        /// Samples by time.
        public var respiratoryRateSamples: [TimeSample] = []
        /// Pairs by time.
        public var bloodPressureSamples: [BloodPressureSample] = []

        /// No vitals.
        public init() {}
    }

    /// One blood pressure pair (hmdcitem.md 6.3.1).
    public struct BloodPressureSample: Codable, Hashable, Sendable {
        /// Identity of the pair.
        public var correlationUUID: UUID?
        /// mmHg.
        public var systolic, diastolic: Double
        /// The interval of the reading.
        public var startDate, endDate: Date
        /// Who wrote it.
        public var sourceRevision: SourceRevision?
        /// What measured it.
        public var device: SourceDevice?
        /// Text entries.
        public var metadata: [String: String]

        /// A pair.
        public init(
            correlationUUID: UUID?, systolic: Double, diastolic: Double, startDate: Date, endDate: Date,
            sourceRevision: SourceRevision? = nil, device: SourceDevice? = nil, metadata: [String: String] = [:]
        ) {
            self.correlationUUID = correlationUUID
            self.systolic = systolic
            self.diastolic = diastolic
            self.startDate = startDate
            self.endDate = endDate
            self.sourceRevision = sourceRevision
            self.device = device
            self.metadata = metadata
        }
    }

    /// Body measures, each the latest of the day.
    public struct Body: Codable, Hashable, Sendable {
        /// Kilograms.
        public var weight, leanBodyMass: Double?
        /// Ratio.
        public var bodyFatPercentage: Double?
        /// Metres.
        public var height: Double?
        /// kg/m².
        public var bmi: Double?
        /// Centimetres.
        public var waistCircumference: Double?

        /// No measures.
        public init() {}
    }

    /// Sums of the day.
    public struct Nutrition: Codable, Hashable, Sendable {
        /// Kilocalories.
        public var dietaryEnergy: Double?
        /// Grams.
        public var protein, carbohydrates, fat, fiber, sugar: Double?
        /// Grams.
        public var saturatedFat, monounsaturatedFat, polyunsaturatedFat: Double?
        /// Milligrams.
        public var sodium, caffeine, cholesterol: Double?
        /// Litres.
        public var water: Double?

        /// Nothing eaten.
        public init() {}
    }

    /// Mindful sessions and states of mind.
    public struct Mindfulness: Codable, Hashable, Sendable {
        /// Plain sum of the sessions' durations.
        public var mindfulMinutes: Double?
        /// Sessions that start in the day.
        public var mindfulSessions: Int?
        /// Entries by time.
        public var stateOfMind: [StateOfMind] = []

        /// Nothing.
        public init() {}
    }

    /// One state of mind.
    public struct StateOfMind: Codable, Hashable, Sendable {
        /// Its identity.
        public var id: UUID
        /// Its interval.
        public var timestamp, endDate: Date
        /// `Momentary Emotion`, `Daily Mood` or `Unknown`.
        public var kind: String
        /// −1 … 1.
        public var valence: Double
        /// In stored order.
        public var labels, associations: [String]
        /// Who wrote it.
        public var sourceRevision: SourceRevision?
        /// What recorded it.
        public var device: SourceDevice?
        /// Text entries.
        public var metadata: [String: String]

        /// An entry.
        public init(id: UUID, timestamp: Date, endDate: Date, kind: String, valence: Double) {
            self.id = id
            self.timestamp = timestamp
            self.endDate = endDate
            self.kind = kind
            self.valence = valence
            self.labels = []
            self.associations = []
            self.metadata = [:]
        }
    }

    /// Walking and running form.
    public struct Mobility: Codable, Hashable, Sendable {
        /// Metres a second.
        public var walkingSpeed, stairAscentSpeed, stairDescentSpeed, runningSpeed: Double?
        /// Metres.
        public var walkingStepLength, sixMinuteWalkDistance, runningStrideLength: Double?
        /// Ratios, in spite of the name.
        public var walkingDoubleSupportPercentage, walkingAsymmetryPercentage: Double?
        /// Percent number.
        public var walkingSteadiness: Double?
        /// Milliseconds.
        public var runningGroundContactTime: Double?
        /// Centimetres.
        public var runningVerticalOscillation: Double?
        /// Watts.
        public var runningPower: Double?

        /// No walking.
        public init() {}
    }

    /// Sound levels in decibels.
    public struct Hearing: Codable, Hashable, Sendable {
        /// Means of the day.
        public var headphoneAudioLevel, environmentalSoundLevel: Double?

        /// No levels.
        public init() {}
    }

    /// Cycle tracking.
    public struct ReproductiveHealth: Codable, Hashable, Sendable {
        /// Tokens: `medium`, `positive`, `egg_white`.
        public var menstrualFlow, ovulationTestResult, cervicalMucusQuality: String?
        /// Numbers of samples.
        public var sexualActivityCount, intermenstrualBleedingCount: Int?

        /// Nothing tracked.
        public init() {}
    }

    /// Cycling means of the day.
    public struct CyclingPerformance: Codable, Hashable, Sendable {
        /// Metres a second.
        public var cyclingSpeed: Double?
        /// Watts.
        public var cyclingPower, cyclingFTP: Double?
        /// Revolutions a minute.
        public var cyclingCadence: Double?

        /// No cycling.
        public init() {}
    }

    /// Vitamins: micrograms for A, B12, D, K, folate and biotin, milligrams for the others.
    public struct Vitamins: Codable, Hashable, Sendable {
        /// Sums of the day.
        public var vitaminA, vitaminB6, vitaminB12, vitaminC, vitaminD, vitaminE, vitaminK: Double?
        /// Sums of the day.
        public var thiamin, riboflavin, niacin, folate, biotin, pantothenicAcid: Double?

        /// None taken.
        public init() {}
    }

    /// Minerals: micrograms for selenium, chromium, molybdenum and iodine, milligrams for the others.
    public struct Minerals: Codable, Hashable, Sendable {
        /// Sums of the day.
        public var calcium, iron, potassium, magnesium, phosphorus, zinc, selenium: Double?
        /// Sums of the day.
        public var copper, manganese, chromium, molybdenum, chloride, iodine: Double?

        /// None taken.
        public init() {}
    }

    /// Symptoms by metric id.
    public struct Symptoms: Codable, Hashable, Sendable {
        /// Number of samples by metric id, `symptom_headache`.
        public var counts: [String: Int] = [:]
        /// The samples.
        public var samples: [SymptomSample] = []

        /// No symptoms.
        public init() {}
    }

    /// One symptom sample.
    public struct SymptomSample: Codable, Hashable, Sendable {
        /// `symptom_headache`.
        public var metricId: String
        /// Its interval.
        public var startDate, endDate: Date
        /// HealthKit's number of the value.
        public var rawValue: Int
        /// `mild`.
        public var symbolicValue: String?
        /// Who wrote it.
        public var source: String?
        /// Text entries.
        public var metadata: [String: String]
        /// HealthKit's identity; never invented.
        public var originalUUID: UUID?

        /// A sample.
        public init(metricId: String, startDate: Date, endDate: Date, rawValue: Int) {
            self.metricId = metricId
            self.startDate = startDate
            self.endDate = endDate
            self.rawValue = rawValue
            self.metadata = [:]
        }
    }

    /// What fits nowhere else.
    public struct Other: Codable, Hashable, Sendable {
        /// Index.
        public var uvExposure: Double?
        /// Minutes.
        public var timeInDaylight: Double?
        /// Numbers.
        public var numberOfFalls, alcoholicBeverages: Double?
        /// Percent number.
        public var bloodAlcoholContent: Double?
        /// International units.
        public var insulinDelivery: Double?
        /// Degrees Celsius.
        public var waterTemperature: Double?
        /// Metres.
        public var underwaterDepth: Double?
        /// Numbers of samples.
        public var toothbrushingCount, handwashingCount: Int?

        /// Nothing.
        public init() {}
    }
}
