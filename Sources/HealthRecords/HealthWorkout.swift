/// One `Workout` element with everything below it (apple-health-export.md 10).
public struct HealthWorkout: Hashable, Sendable {
    /// `HKWorkoutActivityTypeRunning`.
    public var activityType: String
    /// Who recorded it.
    public var source: RecordSource
    /// When it starts.
    public var start: Instant
    /// When it ends.
    public var end: Instant
    /// When it entered the store, where the export says so.
    public var created: Instant?
    /// Active seconds, pauses excluded; nil when the export says nothing.
    public var durationSeconds: Double?
    /// Totals as exported in old files: number and unit.
    public var totalDistance: UnitValue?
    /// Energy total as exported in old files.
    public var totalEnergyBurned: UnitValue?
    /// Entries in file order.
    public var metadata: [MetadataEntry]
    /// Pauses, laps, markers, segments, in file order.
    public var events: [WorkoutEvent]
    /// Statistics in file order.
    public var statistics: [WorkoutStatistics]
    /// The parts of a multi-sport workout.
    public var activities: [WorkoutActivity]
    /// Time in zones of effort, as iOS 27 exports it, in file order.
    public var zoneGroups: [WorkoutZoneGroup]
    /// The route elements in file order, without their points.
    public var routes: [WorkoutRouteElement]
    /// The route's points in time order, joined over all route files; empty without a route.
    public var route: [RoutePoint]
    /// Records written inside the workout element.
    public var records: [HealthRecord]
    /// As in ``HealthRecord/contentDigest``.
    public var contentDigest: [UInt8]

    /// A workout with the parts that every export has; the rest starts empty.
    public init(activityType: String, source: RecordSource, start: Instant, end: Instant) {
        self.activityType = activityType
        self.source = source
        self.start = start
        self.end = end
        self.metadata = []
        self.events = []
        self.statistics = []
        self.activities = []
        self.zoneGroups = []
        self.routes = []
        self.route = []
        self.records = []
        self.contentDigest = []
    }
}

/// A number and its unit, as exported.
public struct UnitValue: Hashable, Sendable {
    /// The number or text.
    public var value: Double
    /// As exported.
    public var unit: String

    /// A number with its unit.
    public init(value: Double, unit: String) {
        self.value = value
        self.unit = unit
    }
}

/// One `WorkoutEvent`.
public struct WorkoutEvent: Hashable, Sendable {
    /// `HKWorkoutEventTypePause`, `…Lap`, and so on.
    public var type: String
    /// When it happened.
    public var date: Instant
    /// Seconds, where the export says so.
    public var durationSeconds: Double?
    /// Entries in file order.
    public var metadata: [MetadataEntry]

    /// An event.
    public init(type: String, date: Instant, durationSeconds: Double? = nil, metadata: [MetadataEntry] = []) {
        self.type = type
        self.date = date
        self.durationSeconds = durationSeconds
        self.metadata = metadata
    }
}

/// One `WorkoutStatistics`: what the phone computed for one quantity type.
public struct WorkoutStatistics: Hashable, Sendable {
    /// The type string.
    public var type: String
    /// When it starts.
    public var start: Instant?
    /// When it ends.
    public var end: Instant?
    /// Mean, unknown when absent.
    public var average: Double?
    /// Smallest, unknown when absent.
    public var minimum: Double?
    /// Largest, unknown when absent.
    public var maximum: Double?
    /// Total, unknown when absent.
    public var sum: Double?
    /// As exported.
    public var unit: String?

    /// Statistics of one type; the numbers start unknown.
    public init(type: String, unit: String? = nil) {
        self.type = type
        self.unit = unit
    }
}

/// One `WorkoutActivity` of a multi-sport workout.
public struct WorkoutActivity: Hashable, Sendable {
    /// The identifier as exported.
    public var uuid: String
    /// When it starts.
    public var start: Instant
    /// When it ends.
    public var end: Instant?
    /// Seconds, where the export says so.
    public var durationSeconds: Double?
    /// Entries in file order.
    public var metadata: [MetadataEntry]
    /// Statistics in file order.
    public var statistics: [WorkoutStatistics]

    /// An activity.
    public init(uuid: String, start: Instant, end: Instant? = nil, durationSeconds: Double? = nil) {
        self.uuid = uuid
        self.start = start
        self.end = end
        self.durationSeconds = durationSeconds
        self.metadata = []
        self.statistics = []
    }
}

/// One `WorkoutZoneGroup`: how long a workout was in each zone of one quantity type (apple-health-export.md 5).
public struct WorkoutZoneGroup: Hashable, Sendable {
    /// The quantity type that the zones divide.
    public var type: String
    /// Who drew the borders, as exported: `system`, for one.
    public var source: String?
    /// The unit of the borders.
    public var unit: String?
    /// Zones in file order.
    public var zones: [WorkoutZone]

    /// A group.
    public init(type: String, source: String? = nil, unit: String? = nil, zones: [WorkoutZone] = []) {
        self.type = type
        self.source = source
        self.unit = unit
        self.zones = zones
    }
}

/// One `WorkoutZone`.
public struct WorkoutZone: Hashable, Sendable {
    /// Where it begins, in the unit of its group; the lowest zone has no begin.
    public var minimum: Double?
    /// Where it ends; the highest zone has no end.
    public var maximum: Double?
    /// Seconds in the zone, where the export says so.
    public var durationSeconds: Double?

    /// A zone.
    public init(minimum: Double? = nil, maximum: Double? = nil, durationSeconds: Double? = nil) {
        self.minimum = minimum
        self.maximum = maximum
        self.durationSeconds = durationSeconds
    }
}

/// One `WorkoutRoute`: who recorded a route and where its points are (apple-health-export.md 5).
public struct WorkoutRouteElement: Hashable, Sendable {
    /// Who recorded it.
    public var source: RecordSource
    /// When it starts, where the export says so.
    public var start: Instant?
    /// When it ends, where the export says so.
    public var end: Instant?
    /// When it entered the store, where the export says so.
    public var created: Instant?
    /// Entries in file order.
    public var metadata: [MetadataEntry] = []
    /// Paths of its files inside the export.
    public var paths: [String] = []

    /// A route of a source.
    public init(source: RecordSource) { self.source = source }
}

/// One point of a route, from GPX or from `Location` children.
public struct RoutePoint: Hashable, Sendable {
    /// When the point was recorded.
    public var time: Instant
    /// Degrees, WGS 84.
    public var latitude: Double
    /// Degrees, WGS 84.
    public var longitude: Double
    /// Metres.
    public var altitude: Double?
    /// Metres.
    public var horizontalAccuracy: Double?
    /// Metres.
    public var verticalAccuracy: Double?
    /// Degrees from north.
    public var course: Double?
    /// Metres a second.
    public var speed: Double?

    /// A point; the optional parts start unknown.
    public init(time: Instant, latitude: Double, longitude: Double) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// One `ActivitySummary`: the rings of one day (apple-health-export.md 11).
public struct ActivitySummary: Hashable, Sendable {
    /// `yyyy-MM-dd`, the phone's own day.
    public var date: String
    /// In ``activeEnergyBurnedUnit``.
    public var activeEnergyBurned: Double?
    /// In ``activeEnergyBurnedUnit``.
    public var activeEnergyBurnedGoal: Double?
    /// `kcal`, `Cal` or `kJ`.
    public var activeEnergyBurnedUnit: String?
    /// Minutes.
    public var moveTime: Double?
    /// Minutes.
    public var moveTimeGoal: Double?
    /// Minutes.
    public var exerciseTime: Double?
    /// Minutes.
    public var exerciseTimeGoal: Double?
    /// Hours with standing.
    public var standHours: Double?
    /// Hours.
    public var standHoursGoal: Double?

    /// A summary of a day; the numbers start unknown.
    public init(date: String) {
        self.date = date
    }
}
