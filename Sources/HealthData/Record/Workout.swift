import Foundation

/// One workout (hmdcitem.md 6.3.2).
public struct Workout: Codable, Hashable, Sendable {
    /// Its identity in documents.
    public var id: UUID
    /// HealthKit's identity, where the source knows one.
    public var sourceUUID: UUID?
    /// Lower-camel activity name: `running`, `other`.
    public var workoutType: String
    /// Lower-camel symbol of HealthKit.
    public var healthKitActivityType: String?
    /// HealthKit's number.
    public var healthKitActivityTypeRawValue: UInt64?
    /// When it starts.
    public var startTime: Date
    /// When it ends; nil from older builds.
    public var actualEndDate: Date?
    /// Who wrote it.
    public var sourceRevision: SourceRevision?
    /// What measured it.
    public var device: SourceDevice?
    /// Unknown when nil.
    public var isIndoor: Bool?
    /// Text entries.
    public var metadata: [String: String] = [:]
    /// Active seconds.
    public var duration: Double
    /// Kilocalories.
    public var calories: Double?
    /// Metres.
    public var distance: Double?
    /// Beats a minute.
    public var avgHeartRate, maxHeartRate, minHeartRate: Double?
    /// Steps a minute.
    public var avgRunningCadence: Double?
    /// Metres.
    public var avgStrideLength: Double?
    /// Milliseconds.
    public var avgGroundContactTime: Double?
    /// Centimetres.
    public var avgVerticalOscillation: Double?
    /// Revolutions a minute.
    public var avgCyclingCadence: Double?
    /// Watts.
    public var avgPower, maxPower: Double?
    /// Metres.
    public var elevationGainMeters, elevationLossMeters: Double?
    /// Laps in order.
    public var laps: [WorkoutSection] = []
    /// Splits of one kilometre in order.
    public var splits: [WorkoutSection] = []
    /// Points by time.
    public var route: [WorkoutPoint] = []
    /// Series by time.
    public var timeSeries = WorkoutSeries()

    /// A workout with the parts that each has; the rest starts unknown.
    public init(id: UUID, workoutType: String, startTime: Date, duration: Double) {
        self.id = id
        self.workoutType = workoutType
        self.startTime = startTime
        self.duration = duration
    }

    /// Start and active time when the end is not known.
    public var end: Date { actualEndDate ?? startTime.addingTimeInterval(duration) }
}

/// A lap or split. Members are named as in the day document (extensions.md 4).
public struct WorkoutSection: Codable, Hashable, Sendable {
    /// From 1.
    public var index: Int?
    /// Its interval, whole seconds.
    public var startTime, endTime: Date?
    /// Active seconds.
    public var duration: Double?
    /// Metres.
    public var distance: Double?
    /// Beats a minute.
    public var avgHeartRate: Double?
    /// Members that we do not know, kept as they came.
    public var unknown: [String: OpaqueValue] = [:]

    /// A section of a known interval.
    public init(index: Int, startTime: Date, endTime: Date, duration: Double) {
        self.index = index
        self.startTime = startTime
        self.endTime = endTime
        self.duration = duration
    }

    /// Reads what it knows and keeps the rest.
    public init(from decoder: any Decoder) throws {
        var members = try MemberReader(decoder)
        index = members.take("index")
        startTime = members.takeDate("startTimeISO")
        endTime = members.takeDate("endTimeISO")
        duration = members.takeDouble("duration")
        distance = members.takeDouble("distance")
        avgHeartRate = members.takeDouble("avgHeartRate")
        unknown = try members.unknown()
    }

    /// Writes what is known and what was kept.
    public func encode(to encoder: any Encoder) throws {
        var members = try MemberWriter(encoder, unknown: unknown)
        try members.put("index", index)
        try members.putText("startTimeISO", startTime)
        try members.putText("endTimeISO", endTime)
        try members.put("duration", duration)
        try members.put("distance", distance)
        try members.put("avgHeartRate", avgHeartRate)
    }
}

/// One point of a route. Members are named as in the day document.
public struct WorkoutPoint: Codable, Hashable, Sendable {
    /// When it was recorded.
    public var timestamp: Date?
    /// Degrees, WGS 84.
    public var latitude, longitude: Double?
    /// Metres.
    public var altitude, horizontalAccuracyMeters, verticalAccuracyMeters: Double?
    /// Metres a second.
    public var speedMps: Double?
    /// Degrees from north.
    public var courseDegrees: Double?
    /// Members that we do not know, kept as they came.
    public var unknown: [String: OpaqueValue] = [:]

    /// A point.
    public init(timestamp: Date, latitude: Double, longitude: Double) {
        self.timestamp = timestamp
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Reads what it knows and keeps the rest.
    public init(from decoder: any Decoder) throws {
        var members = try MemberReader(decoder)
        timestamp = members.takeDate("timestamp")
        latitude = members.takeDouble("latitude")
        longitude = members.takeDouble("longitude")
        altitude = members.takeDouble("altitude")
        horizontalAccuracyMeters = members.takeDouble("horizontalAccuracyMeters")
        verticalAccuracyMeters = members.takeDouble("verticalAccuracyMeters")
        speedMps = members.takeDouble("speedMps")
        courseDegrees = members.takeDouble("courseDegrees")
        unknown = try members.unknown()
    }

    /// Writes what is known and what was kept.
    public func encode(to encoder: any Encoder) throws {
        var members = try MemberWriter(encoder, unknown: unknown)
        try members.put("timestamp", timestamp)
        try members.put("latitude", latitude)
        try members.put("longitude", longitude)
        try members.put("altitude", altitude)
        try members.put("horizontalAccuracyMeters", horizontalAccuracyMeters)
        try members.put("verticalAccuracyMeters", verticalAccuracyMeters)
        try members.put("speedMps", speedMps)
        try members.put("courseDegrees", courseDegrees)
    }
}

/// The series of a workout. Members are named as in the day document.
public struct WorkoutSeries: Codable, Hashable, Sendable {
    /// Beats a minute.
    public var heartRate: [TimeSample] = []
    /// Metres a second.
    public var speed: [TimeSample] = []
    /// Watts.
    public var power: [TimeSample] = []
    /// Steps or revolutions a minute.
    public var cadence: [TimeSample] = []
    /// Metres.
    public var strideLength: [TimeSample] = []
    /// Milliseconds.
    public var groundContactTime: [TimeSample] = []
    /// Centimetres.
    public var verticalOscillation: [TimeSample] = []
    /// Metres.
    public var altitude: [TimeSample] = []
    /// Members that we do not know, kept as they came.
    public var unknown: [String: OpaqueValue] = [:]

    /// No series.
    public init() {}

    /// The known series by document name, in the order of the tables.
    public static let names: [(name: String, path: WritableKeyPath<WorkoutSeries, [TimeSample]> & Sendable)] = [
        ("heartRate", \.heartRate), ("speed", \.speed), ("power", \.power), ("cadence", \.cadence),
        ("strideLength", \.strideLength), ("groundContactTime", \.groundContactTime),
        ("verticalOscillation", \.verticalOscillation), ("altitude", \.altitude),
    ]

    /// Reads what it knows and keeps the rest.
    public init(from decoder: any Decoder) throws {
        var members = try MemberReader(decoder)
        for (name, path) in Self.names { self[keyPath: path] = members.take(name) ?? [] }
        unknown = try members.unknown()
    }

    /// Writes the series that are not empty, and what was kept.
    public func encode(to encoder: any Encoder) throws {
        var members = try MemberWriter(encoder, unknown: unknown)
        for (name, path) in Self.names where !self[keyPath: path].isEmpty {
            try members.put(name, self[keyPath: path])
        }
    }
}
