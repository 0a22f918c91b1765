import Cryptography
import Foundation
import HealthRecords

/// One object of an export as an external record of the archive, in the item's form (hmdcitem.md 6.3.3).
struct ExternalRecord {
    let identifier: String
    let type: String
    let value: OpaqueValue

    init(
        identifier: String, identityKind: String = ArchiveBuild.identityKind, type: String, kind: String,
        metricIDs: [String], fields: TypedFields, relationships: [OpaqueValue] = []
    ) {
        self.identifier = identifier
        self.type = type
        value = .object([
            "externalIdentifier": .string(identifier), "externalIdentityKind": .string(identityKind),
            "objectTypeIdentifier": .string(type), "recordKind": .string(kind),
            "selectedMetricIDs": .array(metricIDs.map { .string($0) }), "includedBecause": .string("selectedMetric"),
            "fields": .object(fields.values), "relationships": .array(relationships),
        ])
    }

    /// Metrics of types that are no record types.
    static func metricIDs(ofType type: String) -> [String] {
        switch type {
        case workoutType, routeType: ["workouts"]
        case ringsType: ["activity_summary"]
        case electrocardiogramType: ["electrocardiograms"]
        default: []
        }
    }

    private static let workoutType = "HKWorkoutTypeIdentifier"
    private static let routeType = "HKWorkoutRouteTypeIdentifier"
    private static let ringsType = "HKActivitySummaryTypeIdentifier"
    static let electrocardiogramType = "HKDataTypeIdentifierElectrocardiogram"

    static func identifier(_ digest: [UInt8]) -> String {
        "apple_health_export.content_digest|\(Hex.encode(digest))"
    }

    // MARK: Records

    /// The identity of a record: its content.
    static func identifier(of record: HealthRecord) -> String { identifier(record.archiveDigest) }

    init(_ record: HealthRecord, metricIDs: [String]) {
        var fields = Self.origin(
            record.source, record.start, record.end, record.created, record.metadata)
        var kind = "category"
        switch record.value {
        case .quantity(let number, let unit):
            kind = "quantity"
            fields.set("value", number)
            fields.set("unit", unit)
        case .category(let spelling): fields.set("value", spelling)
        case .unreadable(let value, let unit):
            fields.set("value", value)
            fields.set("unit", unit)
        case .none: break
        }
        fields.set(
            "beats",
            list: record.beats.map { beat in
                TypedValue.dictionary([
                    "beatsPerMinute": TypedValue.double(beat.beatsPerMinute), "time": TypedValue.string(beat.time),
                ])
            })
        self.init(
            identifier: Self.identifier(of: record), type: record.type, kind: kind, metricIDs: metricIDs,
            fields: fields)
    }

    /// A correlation.
    ///
    /// - Parameter recordOf: the record of the day that a member is, for members that also stand by themselves.
    init(_ correlation: HealthCorrelation, metricIDs: [String], recordOf: (HealthRecord) -> HealthRecord = { $0 }) {
        let fields = Self.origin(
            correlation.source, correlation.start, correlation.end, correlation.created, correlation.metadata)
        let members = correlation.members.map(\.archiveDigest)
        let digest =
            correlation.contentDigest.isEmpty
            ? Self.digest([correlation.type, correlation.source.name] + members.map { Hex.encode($0) })
            : correlation.contentDigest
        let relationships = correlation.members.map { member in
            Self.relationship("component", role: Self.role(member.type), to: Self.identifier(of: recordOf(member)))
        }
        self.init(
            identifier: Self.identifier(digest), type: correlation.type, kind: "correlation", metricIDs: metricIDs,
            fields: fields, relationships: relationships)
    }

    private static func role(_ type: String) -> String {
        if type.hasSuffix("BloodPressureSystolic") { return "systolic" }
        return type.hasSuffix("BloodPressureDiastolic") ? "diastolic" : "component"
    }

    // MARK: Workouts

    init(_ workout: HealthWorkout) {
        var fields = Self.origin(workout.source, workout.start, workout.end, workout.created, workout.metadata)
        fields.set("activityType", workout.activityType)
        if let kind = Registry.current.activityType(exportName: workout.activityType) {
            fields.set("activityTypeRawValue", value: TypedValue.unsigned(kind.rawValue))
            fields.set("activityTypeSymbolicValue", kind.symbol)
        }
        fields.set("durationSeconds", workout.durationSeconds)
        for (name, total) in [
            ("totalDistance", workout.totalDistance), ("totalEnergyBurned", workout.totalEnergyBurned),
        ] {
            guard let total else { continue }
            fields.set(name, value: Self.quantity(total.value, unit: total.unit))
        }
        fields.set("events", list: workout.events.map(Self.event))
        fields.set("allStatistics", list: workout.statistics.map(Self.statistics))
        fields.set("activities", list: workout.activities.map(Self.activity))
        fields.set("zoneGroups", list: workout.zoneGroups.map(Self.zoneGroup))
        let identifier = Self.identifier(Self.digest(of: workout))
        let route = Self.relationship("contains", role: "workout_route", to: identifier + "|route")
        self.init(
            identifier: identifier, type: Self.workoutType, kind: "workout", metricIDs: ["workouts"], fields: fields,
            relationships: workout.hasRoute ? [route] : [])
    }

    /// The route of a workout, a record of its own as in HealthKit.
    init(routeOf workout: HealthWorkout, owner: String) {
        var fields = TypedFields()
        fields.set("locationCount", value: TypedValue.signed(workout.route.count))
        fields.set("locations", list: workout.route.enumerated().map { Self.location($1, index: $0) })
        fields.set("routes", list: workout.routes.map(Self.routeElement))
        self.init(
            identifier: owner + "|route", type: Self.routeType, kind: "workoutRoute", metricIDs: ["workouts"],
            fields: fields, relationships: [Self.relationship("associated_with", role: "workout", to: owner)])
    }

    private static func routeElement(_ route: WorkoutRouteElement) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("startDate", route.start?.date)
        fields.set("endDate", route.end?.date)
        fields.set("creationDate", route.created?.date)
        fields.set("sourceName", route.source.name)
        fields.set("sourceVersion", route.source.version)
        fields.set("device", route.source.device)
        if !route.metadata.isEmpty { fields.set("metadata", value: metadata(route.metadata)) }
        fields.set("files", list: route.paths.map(TypedValue.string))
        return fields.dictionary
    }

    private static func location(_ point: RoutePoint, index: Int) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("index", value: TypedValue.signed(index))
        fields.set("timestamp", point.time.date)
        fields.set("latitude", point.latitude)
        fields.set("longitude", point.longitude)
        fields.set("altitudeMeters", point.altitude)
        fields.set("horizontalAccuracyMeters", point.horizontalAccuracy)
        fields.set("verticalAccuracyMeters", point.verticalAccuracy)
        fields.set("courseDegrees", point.course)
        fields.set("speedMetersPerSecond", point.speed)
        return fields.dictionary
    }

    private static func event(_ event: WorkoutEvent) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("type", event.type)
        fields.set("date", event.date.date)
        fields.set("durationSeconds", event.durationSeconds)
        if !event.metadata.isEmpty { fields.set("metadata", value: metadata(event.metadata)) }
        return fields.dictionary
    }

    private static func statistics(_ statistics: WorkoutStatistics) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("quantityTypeIdentifier", statistics.type)
        fields.set("unit", statistics.unit)
        fields.set("startDate", statistics.start?.date)
        fields.set("endDate", statistics.end?.date)
        fields.set("sum", statistics.sum)
        fields.set("average", statistics.average)
        fields.set("minimum", statistics.minimum)
        fields.set("maximum", statistics.maximum)
        return fields.dictionary
    }

    private static func activity(_ activity: WorkoutActivity) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("originalUUID", activity.uuid)
        fields.set("startDate", activity.start.date)
        fields.set("endDate", activity.end?.date)
        fields.set("durationSeconds", activity.durationSeconds)
        if !activity.metadata.isEmpty { fields.set("metadata", value: metadata(activity.metadata)) }
        fields.set("allStatistics", list: activity.statistics.map(statistics))
        return fields.dictionary
    }

    private static func zoneGroup(_ group: WorkoutZoneGroup) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("quantityTypeIdentifier", group.type)
        fields.set("source", group.source)
        fields.set("unit", group.unit)
        fields.set(
            "zones",
            list: group.zones.map { zone in
                var fields = TypedFields()
                fields.set("minimum", zone.minimum)
                fields.set("maximum", zone.maximum)
                fields.set("durationSeconds", zone.durationSeconds)
                return fields.dictionary
            })
        return fields.dictionary
    }

    // MARK: Rings

    init(_ rings: ActivitySummary, frame: DayFrame) {
        var fields = TypedFields()
        fields.set("dateComponents", rings.date)
        let energyUnit = rings.activeEnergyBurnedUnit ?? "kcal"
        let values: [(name: String, value: Double?, unit: String)] = [
            ("activeEnergyBurned", rings.activeEnergyBurned, energyUnit),
            ("activeEnergyBurnedGoal", rings.activeEnergyBurnedGoal, energyUnit),
            ("appleMoveTime", rings.moveTime, "min"), ("appleMoveTimeGoal", rings.moveTimeGoal, "min"),
            ("appleExerciseTime", rings.exerciseTime, "min"),
            ("appleExerciseTimeGoal", rings.exerciseTimeGoal, "min"), ("appleStandHours", rings.standHours, "count"),
            ("appleStandHoursGoal", rings.standHoursGoal, "count"),
        ]
        for (name, value, unit) in values {
            if let value { fields.set(name, value: Self.quantity(value, unit: unit)) }
        }
        let day = frame.day
        self.init(
            identifier: "healthkit.activity_summary|calendar=gregorian|timezone=\(frame.zone.identifier)|era=1"
                + "|year=\(day.year)|month=\(day.month)|day=\(day.day)",
            identityKind: "activitySummaryDateComponents", type: Self.ringsType, kind: "activitySummary",
            metricIDs: ["activity_summary"], fields: fields)
    }

    // MARK: Parts

    static func origin(
        _ source: RecordSource, _ start: Instant, _ end: Instant, _ created: Instant?, _ entries: [MetadataEntry]
    ) -> TypedFields {
        var fields = TypedFields()
        fields.set("startDate", start.date)
        fields.set("endDate", end.date)
        fields.set("creationDate", created?.date)
        fields.set("sourceName", source.name)
        fields.set("sourceVersion", source.version)
        fields.set("device", source.device)
        if !entries.isEmpty { fields.set("metadata", value: metadata(entries)) }
        return fields
    }

    static func metadata(_ entries: [MetadataEntry]) -> OpaqueValue {
        TypedValue.dictionary(SourceTexts.map(entries).mapValues(TypedValue.string))
    }

    static func quantity(_ value: Double, unit: String) -> OpaqueValue {
        .object([
            "type": .string("quantity"), "value": .double(value), "unit": .string(unit),
            "rawDescription": .string("\(NumberText.shortest(value)) \(unit)"),
        ])
    }

    private static func relationship(_ kind: String, role: String, to identifier: String) -> OpaqueValue {
        .object([
            "kind": .string(kind), "role": .string(role),
            "target": .object(["type": .string("externalIdentifier"), "value": .string(identifier)]),
        ])
    }

    private static func digest(of workout: HealthWorkout) -> [UInt8] {
        guard workout.contentDigest.isEmpty else { return workout.contentDigest }
        return digest([
            workout.activityType, workout.source.name, "\(workout.start.secondsSince1970)",
            "\(workout.end.secondsSince1970)",
        ])
    }

    static func digest(_ parts: [String]) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(parts.joined(separator: "\u{1F}"))
        return Array(hasher.peek().bytes)
    }
}

extension HealthWorkout {
    /// Whether there is anything of a route: who recorded it is there also when its file is not.
    var hasRoute: Bool { !route.isEmpty || !routes.isEmpty }
}

extension HealthRecord {
    /// The content digest, made here when the reader was not asked for one.
    fileprivate var archiveDigest: [UInt8] {
        contentDigest.isEmpty ? ExternalRecord.digest([fallbackName]) : contentDigest
    }
}
