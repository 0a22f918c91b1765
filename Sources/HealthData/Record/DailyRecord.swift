import Foundation

/// The health data of one day in the internal model that application items carry (hmdcitem.md 6.3).
///
/// Property names are the item's keys, so the synthesized coding is the wire form. A missing value is nil, never
/// zero. Distances are metres, durations seconds, energies kilocalories and percentages ratios, unless a property
/// says otherwise.
public struct DailyRecord: Codable, Hashable, Sendable {
    /// The first instant of the day in its calendar zone.
    public var date: Date
    /// The zone that defines the day.
    public var timeContext: TimeContext
    /// The night that begins on this day.
    public var sleep = Sleep()
    /// Steps, distances, energy, rings, cardio fitness.
    public var activity = Activity()
    /// Heart rate and what is derived from it.
    public var heart = Heart()
    /// Respiration, oxygen, temperature, pressure, glucose.
    public var vitals = Vitals()
    /// Body measures.
    public var body = Body()
    /// Energy, macronutrients, water, caffeine.
    public var nutrition = Nutrition()
    /// Mindful sessions and states of mind.
    public var mindfulness = Mindfulness()
    /// Walking and running form.
    public var mobility = Mobility()
    /// Sound levels.
    public var hearing = Hearing()
    /// Cycle tracking.
    public var reproductiveHealth = ReproductiveHealth()
    /// Speed, power, cadence.
    public var cyclingPerformance = CyclingPerformance()
    /// Vitamins taken.
    public var vitamins = Vitamins()
    /// Minerals taken.
    public var minerals = Minerals()
    /// Symptom counts and samples.
    public var symptoms = Symptoms()
    /// Medications and doses; nil when the source does not know them.
    public var medications: Medications?
    /// What fits nowhere else.
    public var other = Other()
    /// Workouts that start in the day, ordered by start.
    public var workouts: [Workout] = []
    /// What could not be read or understood.
    public var partialFailures: [PartialFailure] = []
    /// The lossless archive (hmdcitem.md 6.3.3).
    public var healthKitRecordArchive: RecordArchive?
    /// How completely source records were captured; equals the archive's status when there is one.
    public var healthKitRecordCaptureStatus: CaptureStatus = .notRequested

    /// An empty day.
    public init(date: Date, calendarTimeZoneIdentifier: String) {
        self.date = date
        self.timeContext = TimeContext(calendarTimeZoneIdentifier: calendarTimeZoneIdentifier)
    }

    /// The zone that defines the day.
    public struct TimeContext: Codable, Hashable, Sendable {
        /// An IANA name.
        public var calendarTimeZoneIdentifier: String
        /// `morning_ends` in newer builds; absent means `night_begins`.
        public var sleepDayAttribution: String?

        /// A context of one zone.
        public init(calendarTimeZoneIdentifier: String, sleepDayAttribution: String? = nil) {
            self.calendarTimeZoneIdentifier = calendarTimeZoneIdentifier
            self.sleepDayAttribution = sleepDayAttribution
        }
    }

    /// How completely source records were captured (health-data.md 2.1).
    public enum CaptureStatus: String, Codable, Hashable, Sendable {
        /// Every query ended without loss.
        case complete
        /// At least one failure, cancellation or loss.
        case partial
        /// No archive was asked for.
        case notRequested
        /// The day was stored before archives existed.
        case legacyUnavailable

        /// The spelling in day documents: `not_requested`.
        public var documentName: String {
            switch self {
            case .complete: "complete"
            case .partial: "partial"
            case .notRequested: "not_requested"
            case .legacyUnavailable: "legacy_unavailable"
            }
        }

        /// The status of a document spelling.
        public init?(documentName: String) {
            switch documentName {
            case "complete": self = .complete
            case "partial": self = .partial
            case "not_requested": self = .notRequested
            case "legacy_unavailable": self = .legacyUnavailable
            default: return nil
            }
        }
    }

    /// One thing that could not be read or rendered.
    public struct PartialFailure: Codable, Hashable, Sendable {
        /// The day concerned.
        public var date: Date
        /// The record type or member concerned.
        public var dataType: String
        /// The range in words.
        public var dateRangeDescription: String
        /// What went wrong; never a health value.
        public var errorDescription: String

        /// A failure of one type.
        public init(date: Date, dataType: String, dateRangeDescription: String, errorDescription: String) {
            self.date = date
            self.dataType = dataType
            self.dateRangeDescription = dateRangeDescription
            self.errorDescription = errorDescription
        }
    }
}

/// One value of a series: heart rate, variability, oxygen, workout series (hmdcitem.md 6.3.1).
public struct TimeSample: Codable, Hashable, Sendable {
    /// When it was measured.
    public var timestamp: Date
    /// In the unit of the series.
    public var value: Double
    /// Text entries; empty when there are none.
    public var metadata: [String: String]

    /// A sample.
    public init(timestamp: Date, value: Double, metadata: [String: String] = [:]) {
        self.timestamp = timestamp
        self.value = value
        self.metadata = metadata
    }
}

/// The app or system that wrote a sample (hmdcitem.md 6.3.1).
public struct SourceRevision: Codable, Hashable, Sendable {
    /// Free text.
    public var name: String
    /// Reverse-domain name; empty when the source does not say.
    public var bundleIdentifier: String
    /// Version text.
    public var version: String?
    /// `Watch6,2`.
    public var productType: String?
    /// The system it ran on.
    public var operatingSystemVersion: OperatingSystemVersion?

    /// A source with its optional parts.
    public init(
        name: String, bundleIdentifier: String, version: String? = nil, productType: String? = nil,
        operatingSystemVersion: OperatingSystemVersion? = nil
    ) {
        self.name = name
        self.bundleIdentifier = bundleIdentifier
        self.version = version
        self.productType = productType
        self.operatingSystemVersion = operatingSystemVersion
    }

    /// Three numbers of a system version.
    public struct OperatingSystemVersion: Codable, Hashable, Sendable {
        /// First number.
        public var majorVersion: Int
        /// Second number.
        public var minorVersion: Int
        /// Third number.
        public var patchVersion: Int

        /// A version.
        public init(majorVersion: Int, minorVersion: Int, patchVersion: Int) {
            self.majorVersion = majorVersion
            self.minorVersion = minorVersion
            self.patchVersion = patchVersion
        }
    }
}

/// The hardware that measured a sample (hmdcitem.md 6.3.1); every part is optional.
public struct SourceDevice: Codable, Hashable, Sendable {
    /// `Apple Watch`.
    public var name: String?
    /// `Apple Inc.`.
    public var manufacturer: String?
    /// `Watch`.
    public var model: String?
    /// `Watch6,2`.
    public var hardwareVersion: String?
    /// Firmware text.
    public var firmwareVersion: String?
    /// System version text.
    public var softwareVersion: String?
    /// An identifier of the source's own.
    public var localIdentifier: String?
    /// The device identifier of the regulator.
    public var udiDeviceIdentifier: String?

    /// A device that says nothing yet.
    public init() {}
}
