import HealthRecords

/// Workouts with everything below them (apple-health-export.md 10).
extension ExportReader {
    mutating func readWorkout() throws {
        let type = text(.workoutActivityType)
        let origin = origin()
        if type == nil, !scanner.isOversize { note(.missingType) }
        var workout = HealthWorkout(
            activityType: type ?? "", source: origin?.source ?? RecordSource(name: ""),
            start: origin?.start ?? Instant(secondsSince1970: 0), end: origin?.end ?? Instant(secondsSince1970: 0))
        workout.created = origin?.created
        workout.durationSeconds = duration(withoutUnit: 1)
        workout.totalDistance = unitValue(.totalDistance, .totalDistanceUnit)
        workout.totalEnergyBurned = unitValue(.totalEnergyBurned, .totalEnergyBurnedUnit)
        checkAttributes(
            AttributeSet(
                .workoutActivityType, .duration, .durationUnit, .totalDistance, .totalDistanceUnit, .totalEnergyBurned,
                .totalEnergyBurnedUnit, .sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate))
        var routePaths: [String] = []
        if !scanner.isEmpty { try readWorkoutChildren(&workout, &routePaths) }
        guard type != nil, origin != nil, !isBroken else { return }
        try visitor.workout(workout, routePaths: routePaths)
    }

    private mutating func readWorkoutChildren(_ workout: inout HealthWorkout, _ routePaths: inout [String]) throws {
        open.append(.workout)
        defer { open.removeLast() }
        while try nextChild(of: .workout, endedBy: Self.topLevel) {
            switch scanner.element {
            case .metadataEntry:
                // The same block may stand before and after the route (apple-health-export.md 10).
                if let entry = try metadataEntry(), !workout.metadata.contains(entry) {
                    keep(entry, in: &workout.metadata, limit: Self.metadataLimit)
                }
            case .workoutEvent:
                if let event = try workoutEvent() { keep(event, in: &workout.events) }
            case .workoutStatistics:
                if let statistics = try workoutStatistics() { keep(statistics, in: &workout.statistics) }
            case .workoutActivity:
                if let activity = try workoutActivity() { keep(activity, in: &workout.activities) }
            case .workoutZoneGroup:
                if let group = try workoutZoneGroup() { keep(group, in: &workout.zoneGroups) }
            case .workoutRoute:
                try readWorkoutRoute(&workout, &routePaths)
            case .record:
                if try readRecord(parent: .workout) { keep(view.materialized(), in: &workout.records) }
            default:
                try skipUnknown(in: .workout)
            }
        }
    }

    private mutating func workoutEvent() throws -> WorkoutEvent? {
        let type = text(.type)
        let date = instant(.date)
        if !scanner.isOversize {
            if attribute(.date) == nil { note(.unreadableDate) }
            if type == nil { note(.missingType) }
        }
        let seconds = duration(withoutUnit: 60)
        checkAttributes(AttributeSet(.type, .date, .duration, .durationUnit))
        var event = WorkoutEvent(
            type: type ?? "", date: date ?? Instant(secondsSince1970: 0), durationSeconds: seconds)
        if !scanner.isEmpty {
            event.metadata = try metadataChildren(of: .workoutEvent)
        }
        return type != nil && date != nil ? event : nil
    }

    private mutating func metadataChildren(of element: ElementName) throws -> [MetadataEntry] {
        var entries: [MetadataEntry] = []
        open.append(element)
        defer { open.removeLast() }
        while try nextChild(of: element, endedBy: Self.topLevel) {
            if scanner.element == .metadataEntry {
                if let entry = try metadataEntry() { keep(entry, in: &entries, limit: Self.metadataLimit) }
            } else {
                try skipUnknown(in: element)
            }
        }
        return entries
    }

    private mutating func workoutStatistics() throws -> WorkoutStatistics? {
        let type = text(.type)
        var statistics = WorkoutStatistics(type: type ?? "", unit: text(.unit))
        // Some iOS 16 files write startDate twice in place of startDate and endDate.
        let starts = (0..<scanner.attributeCount).map { scanner.attributes[$0] }.filter { $0.name == .startDate }
        statistics.start = starts.first.flatMap { date($0) }.map { Instant(secondsSince1970: Double($0)) }
        let end = attribute(.endDate) ?? starts.dropFirst().first
        statistics.end = end.flatMap { date($0) }.map { Instant(secondsSince1970: Double($0)) }
        statistics.average = number(.average)
        statistics.minimum = number(.minimum)
        statistics.maximum = number(.maximum)
        statistics.sum = number(.sum)
        checkAttributes(AttributeSet(.type, .startDate, .endDate, .average, .minimum, .maximum, .sum, .unit))
        if type == nil, !scanner.isOversize { note(.missingType) }
        try skipSubtree()
        return type == nil ? nil : statistics
    }

    private mutating func workoutActivity() throws -> WorkoutActivity? {
        let uuid = text(.uuid)
        let start = instant(.startDate)
        var activity = WorkoutActivity(
            uuid: uuid ?? "", start: start ?? Instant(secondsSince1970: 0), end: instant(.endDate),
            durationSeconds: duration(withoutUnit: 60))
        checkAttributes(AttributeSet(.uuid, .startDate, .endDate, .duration, .durationUnit))
        if !scanner.isEmpty {
            open.append(.workoutActivity)
            defer { open.removeLast() }
            while try nextChild(of: .workoutActivity, endedBy: Self.topLevel) {
                switch scanner.element {
                case .metadataEntry:
                    if let entry = try metadataEntry() {
                        keep(entry, in: &activity.metadata, limit: Self.metadataLimit)
                    }
                case .workoutStatistics:
                    if let statistics = try workoutStatistics() { keep(statistics, in: &activity.statistics) }
                default:
                    try skipUnknown(in: .workoutActivity)
                }
            }
        }
        return uuid != nil && start != nil ? activity : nil
    }

    private mutating func workoutZoneGroup() throws -> WorkoutZoneGroup? {
        let type = text(.type)
        var group = WorkoutZoneGroup(type: type ?? "", source: text(.source), unit: text(.unit))
        checkAttributes(AttributeSet(.type, .source, .unit))
        if type == nil, !scanner.isOversize { note(.missingType) }
        if !scanner.isEmpty {
            open.append(.workoutZoneGroup)
            defer { open.removeLast() }
            while try nextChild(of: .workoutZoneGroup, endedBy: Self.topLevel) {
                guard scanner.element == .workoutZone else {
                    try skipUnknown(in: .workoutZoneGroup)
                    continue
                }
                let zone = WorkoutZone(
                    minimum: number(.minimum), maximum: number(.maximum), durationSeconds: duration(withoutUnit: 60))
                checkAttributes(AttributeSet(.minimum, .maximum, .duration, .durationUnit))
                try skipSubtree()
                keep(zone, in: &group.zones)
            }
        }
        return type == nil ? nil : group
    }

    private mutating func readWorkoutRoute(_ workout: inout HealthWorkout, _ routePaths: inout [String]) throws {
        var route = WorkoutRouteElement(source: source())
        route.start = instant(.startDate)
        route.end = instant(.endDate)
        route.created = instant(.creationDate)
        checkAttributes(AttributeSet(.sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate))
        if !scanner.isEmpty { try readRouteChildren(&route, &workout, &routePaths) }
        // The same route may stand twice (apple-health-export.md 10).
        if !workout.routes.contains(route) { keep(route, in: &workout.routes, limit: Self.routeLimit) }
    }

    private mutating func readRouteChildren(
        _ route: inout WorkoutRouteElement, _ workout: inout HealthWorkout, _ routePaths: inout [String]
    ) throws {
        open.append(.workoutRoute)
        defer { open.removeLast() }
        while try nextChild(of: .workoutRoute, endedBy: Self.topLevel) {
            switch scanner.element {
            case .fileReference:
                if let path = text(.path) {
                    if !routePaths.contains(path) { keep(path, in: &routePaths, limit: Self.routeLimit) }
                    if route.paths.count < Self.routeLimit { route.paths.append(path) }
                }
                checkAttributes(AttributeSet(.path))
                try skipSubtree()
            case .location:
                if let point = try location() { keep(point, in: &workout.route, limit: Self.locationLimit) }
            case .metadataEntry:
                if let entry = try metadataEntry() { keep(entry, in: &route.metadata, limit: Self.metadataLimit) }
            default:
                try skipUnknown(in: .workoutRoute)
            }
        }
    }

    private mutating func location() throws -> RoutePoint? {
        let time = instant(.date)
        var point = RoutePoint(
            time: time ?? Instant(secondsSince1970: 0), latitude: number(.latitude) ?? .nan,
            longitude: number(.longitude) ?? .nan)
        point.altitude = number(.altitude)
        point.horizontalAccuracy = number(.horizontalAccuracy)
        point.verticalAccuracy = number(.verticalAccuracy)
        point.course = number(.course).flatMap { $0 < 0 ? nil : $0 }
        point.speed = number(.speed).flatMap { $0 < 0 ? nil : $0 }
        checkAttributes(
            AttributeSet(
                .date, .latitude, .longitude, .altitude, .horizontalAccuracy, .verticalAccuracy, .course, .speed))
        try skipSubtree()
        guard time != nil, point.latitude.isFinite, point.longitude.isFinite else {
            note(.routePointUnreadable)
            return nil
        }
        return point
    }

    /// `duration` in seconds; what a number without a unit means depends on the element's age.
    private mutating func duration(withoutUnit factor: Double) -> Double? {
        guard let value = number(.duration) else { return nil }
        switch text(.durationUnit) {
        case "min": return value * 60
        case "s", "sec": return value
        case "hr", "h": return value * 3_600
        case nil: return value * factor
        default:
            note(.unreadableValue)
            return nil
        }
    }

    mutating func unitValue(_ value: AttributeName, _ unit: AttributeName) -> UnitValue? {
        guard let number = number(value) else { return nil }
        guard let unit = text(unit) else {
            note(.unreadableValue)
            return nil
        }
        return UnitValue(value: number, unit: unit)
    }
}
