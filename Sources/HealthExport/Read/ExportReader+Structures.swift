import HealthRecords

/// The elements that come by the hundred, not by the million: built as values at once.
extension ExportReader {
    /// Members kept of one correlation; a meal has some thirty.
    static let memberLimit = 10_000
    /// Children kept of one workout: events, statistics, activities and records each.
    static let workoutChildLimit = 50_000
    /// `Location` children kept of one workout of iOS 12 and before: a day at one point a second.
    static let locationLimit = 100_000

    private static let originAttributes: [AttributeName] = [
        .type, .sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate,
    ]

    /// What ends an element of the top level whose end tag is missing.
    private static let topLevel: [ElementName] = [
        .correlation, .workout, .activitySummary, .clinicalRecord, .audiogram, .visionPrescription,
    ]

    private struct Origin {
        var source: RecordSource
        var start: Instant
        var end: Instant
        var created: Instant?
    }

    /// Source and dates of the tag at hand; nil, and counted, when a date cannot be read.
    private mutating func origin() -> Origin? {
        let device = attribute(.device).map { attribute in
            var bytes: [UInt8] = []
            note(ExportText.decode(Self.withoutPointer(scanner.value(attribute)), into: &bytes))
            return String(decoding: bytes, as: UTF8.self)
        }
        let source = RecordSource(name: text(.sourceName) ?? "", version: text(.sourceVersion), device: device)
        guard attribute(.startDate) != nil, attribute(.endDate) != nil else {
            note(.unreadableDate)
            return nil
        }
        guard let start = instant(.startDate), let end = instant(.endDate) else { return nil }
        if end < start { note(.endBeforeStart) }
        return Origin(source: source, start: start, end: end, created: instant(.creationDate))
    }

    private mutating func metadataEntry() throws -> MetadataEntry? {
        let key = text(.key)
        let value = text(.value)
        checkAttributes(AttributeSet(.key, .value))
        try skipSubtree()
        guard let key, let value else { return nil }
        return MetadataEntry(key: key, value: value)
    }

    // MARK: Correlation

    mutating func readCorrelation() throws {
        let type = text(.type)
        let origin = origin()
        checkAttributes(
            AttributeSet(.type, .sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate))
        if type == nil, !scanner.isOversize { note(.missingType) }
        var correlation = HealthCorrelation(
            type: type ?? "", source: origin?.source ?? RecordSource(name: ""),
            start: origin?.start ?? Instant(secondsSince1970: 0), end: origin?.end ?? Instant(secondsSince1970: 0),
            created: origin?.created, members: [])
        if !scanner.isEmpty { try readCorrelationChildren(&correlation) }
        guard type != nil, origin != nil, !isBroken else { return }
        try visitor.correlation(correlation)
    }

    private mutating func readCorrelationChildren(_ correlation: inout HealthCorrelation) throws {
        open.append(.correlation)
        defer { open.removeLast() }
        while try nextChild(of: .correlation, endedBy: Self.topLevel) {
            switch scanner.element {
            case .metadataEntry:
                if let entry = try metadataEntry() { correlation.metadata.append(entry) }
            case .record:
                // The members are records of their own, whatever becomes of the correlation.
                guard try readRecord(parent: .correlation) else { continue }
                if correlation.members.count < Self.memberLimit {
                    correlation.members.append(view.materialized())
                } else {
                    note(.textLimit)
                }
            default:
                try skipUnknown(in: .correlation)
            }
        }
    }

    // MARK: Workout

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
                if let entry = try metadataEntry(), !workout.metadata.contains(entry) { workout.metadata.append(entry) }
            case .workoutEvent:
                if let event = try workoutEvent(), workout.events.count < Self.workoutChildLimit {
                    workout.events.append(event)
                }
            case .workoutStatistics:
                if let statistics = try workoutStatistics(), workout.statistics.count < Self.workoutChildLimit {
                    workout.statistics.append(statistics)
                }
            case .workoutActivity:
                if let activity = try workoutActivity(), workout.activities.count < Self.workoutChildLimit {
                    workout.activities.append(activity)
                }
            case .workoutRoute:
                try readWorkoutRoute(&workout, &routePaths)
            case .record:
                if try readRecord(parent: .workout), workout.records.count < Self.workoutChildLimit {
                    workout.records.append(view.materialized())
                }
            default:
                try skipUnknown(in: .workout)
            }
        }
    }

    private mutating func workoutEvent() throws -> WorkoutEvent? {
        let type = text(.type)
        let date = instant(.date)
        if attribute(.date) == nil { note(.unreadableDate) }
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
                if let entry = try metadataEntry() { entries.append(entry) }
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
                    if let entry = try metadataEntry() { activity.metadata.append(entry) }
                case .workoutStatistics:
                    if let statistics = try workoutStatistics() { activity.statistics.append(statistics) }
                default:
                    try skipUnknown(in: .workoutActivity)
                }
            }
        }
        return uuid != nil && start != nil ? activity : nil
    }

    private mutating func readWorkoutRoute(_ workout: inout HealthWorkout, _ routePaths: inout [String]) throws {
        checkAttributes(AttributeSet(.sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate))
        guard !scanner.isEmpty else { return }
        open.append(.workoutRoute)
        defer { open.removeLast() }
        while try nextChild(of: .workoutRoute, endedBy: Self.topLevel) {
            switch scanner.element {
            case .fileReference:
                if let path = text(.path), !routePaths.contains(path) { routePaths.append(path) }
                checkAttributes(AttributeSet(.path))
                try skipSubtree()
            case .location:
                if let point = try location(), workout.route.count < Self.locationLimit { workout.route.append(point) }
            case .metadataEntry:
                // Sync bookkeeping of the route object; nothing that a workout says.
                _ = try metadataEntry()
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

    private mutating func unitValue(_ value: AttributeName, _ unit: AttributeName) -> UnitValue? {
        guard let number = number(value), let unit = text(unit) else { return nil }
        return UnitValue(value: number, unit: unit)
    }

    // MARK: The rest

    mutating func readActivitySummary() throws {
        let date = text(.dateComponents)
        var summary = ActivitySummary(date: date ?? "")
        summary.activeEnergyBurned = number(.activeEnergyBurned)
        summary.activeEnergyBurnedGoal = number(.activeEnergyBurnedGoal)
        summary.activeEnergyBurnedUnit = text(.activeEnergyBurnedUnit)
        summary.moveTime = number(.appleMoveTime) ?? number(.appleMoveMinutes)
        summary.moveTimeGoal = number(.appleMoveTimeGoal) ?? number(.appleMoveMinutesGoal)
        summary.exerciseTime = number(.appleExerciseTime)
        summary.exerciseTimeGoal = number(.appleExerciseTimeGoal)
        summary.standHours = number(.appleStandHours)
        summary.standHoursGoal = number(.appleStandHoursGoal)
        checkAttributes(
            AttributeSet(
                .dateComponents, .activeEnergyBurned, .activeEnergyBurnedGoal, .activeEnergyBurnedUnit, .appleMoveTime,
                .appleMoveTimeGoal, .appleMoveMinutes, .appleMoveMinutesGoal, .appleExerciseTime,
                .appleExerciseTimeGoal, .appleStandHours, .appleStandHoursGoal))
        if date == nil, !scanner.isOversize { note(.unreadableDate) }
        try skipSubtree()
        if date != nil { try visitor.activitySummary(summary) }
    }

    mutating func readClinicalRecord() throws {
        let record = ClinicalRecord(
            type: text(.type) ?? "", identifier: text(.identifier) ?? "", sourceName: text(.sourceName) ?? "",
            sourceURL: text(.sourceURL) ?? "", fhirVersion: text(.fhirVersion) ?? "", received: instant(.receivedDate),
            resourcePath: text(.resourceFilePath))
        checkAttributes(
            AttributeSet(
                .type, .identifier, .sourceName, .sourceURL, .fhirVersion, .receivedDate, .resourceFilePath))
        let isOversize = scanner.isOversize
        try skipSubtree()
        if !isOversize { try visitor.clinicalRecord(record) }
    }

    mutating func readAudiogram() throws {
        let type = text(.type)
        let origin = origin()
        checkAttributes(
            AttributeSet(.type, .sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate))
        var audiogram = Audiogram(
            type: type ?? "HKDataTypeIdentifierAudiogram", source: origin?.source ?? RecordSource(name: ""),
            start: origin?.start ?? Instant(secondsSince1970: 0), end: origin?.end ?? Instant(secondsSince1970: 0),
            created: origin?.created)
        if !scanner.isEmpty {
            open.append(.audiogram)
            defer { open.removeLast() }
            while try nextChild(of: .audiogram, endedBy: Self.topLevel + [.record]) {
                switch scanner.element {
                case .metadataEntry:
                    if let entry = try metadataEntry() { audiogram.metadata.append(entry) }
                case .sensitivityPoint:
                    if let point = try sensitivityPoint(), audiogram.points.count < Self.workoutChildLimit {
                        audiogram.points.append(point)
                    }
                default:
                    try skipUnknown(in: .audiogram)
                }
            }
        }
        if origin != nil, !isBroken { try visitor.audiogram(audiogram) }
    }

    private mutating func sensitivityPoint() throws -> Audiogram.SensitivityPoint? {
        let frequency = unitValue(.frequencyValue, .frequencyUnit)
        let left = ear(
            .leftEarValue, .leftEarUnit, .leftEarMasked, .leftEarClampingRangeLowerBound,
            .leftEarClampingRangeUpperBound)
        let right = ear(
            .rightEarValue, .rightEarUnit, .rightEarMasked, .rightEarClampingRangeLowerBound,
            .rightEarClampingRangeUpperBound)
        checkAttributes(
            AttributeSet(
                .frequencyValue, .frequencyUnit, .leftEarValue, .leftEarUnit, .leftEarMasked,
                .leftEarClampingRangeLowerBound, .leftEarClampingRangeUpperBound, .rightEarValue, .rightEarUnit,
                .rightEarMasked, .rightEarClampingRangeLowerBound, .rightEarClampingRangeUpperBound))
        try skipSubtree()
        return frequency.map { Audiogram.SensitivityPoint(frequency: $0, left: left, right: right) }
    }

    private mutating func ear(
        _ value: AttributeName, _ unit: AttributeName, _ masked: AttributeName, _ lower: AttributeName,
        _ upper: AttributeName
    ) -> Audiogram.Ear? {
        guard let level = unitValue(value, unit) else { return nil }
        let isMasked: Bool? =
            switch text(masked)?.lowercased() {
            case "true", "1", "yes": true
            case "false", "0", "no": false
            default: nil
            }
        return Audiogram.Ear(
            value: level.value, unit: level.unit, masked: isMasked, clampingLowerBound: number(lower),
            clampingUpperBound: number(upper))
    }

    private static let eyeValues: [(AttributeName, AttributeName)] = [
        (.sphere, .sphereUnit), (.cylinder, .cylinderUnit), (.axis, .axisUnit), (.add, .addUnit),
        (.vertex, .vertexUnit), (.prismAmount, .prismAmountUnit), (.prismAngle, .prismAngleUnit), (.farPD, .farPDUnit),
        (.nearPD, .nearPDUnit), (.baseCurve, .baseCurveUnit), (.diameter, .diameterUnit),
    ]

    mutating func readVisionPrescription() throws {
        let type = text(.type)
        let issued = instant(.dateIssued)
        if attribute(.dateIssued) == nil, !scanner.isOversize { note(.unreadableDate) }
        var prescription = VisionPrescription(
            type: type ?? "", issued: issued ?? Instant(secondsSince1970: 0), expires: instant(.expirationDate),
            brand: text(.brand))
        checkAttributes(AttributeSet(.type, .dateIssued, .expirationDate, .brand))
        if !scanner.isEmpty {
            open.append(.visionPrescription)
            defer { open.removeLast() }
            while try nextChild(of: .visionPrescription, endedBy: Self.topLevel + [.record]) {
                switch scanner.element {
                case .rightEye: prescription.rightEye = try eye()
                case .leftEye: prescription.leftEye = try eye()
                case .attachment:
                    if let identifier = text(.identifier) { prescription.attachments.append(identifier) }
                    try skipSubtree()
                case .metadataEntry:
                    if let entry = try metadataEntry() { prescription.metadata.append(entry) }
                default:
                    try skipUnknown(in: .visionPrescription)
                }
            }
        }
        if issued != nil, !isBroken { try visitor.visionPrescription(prescription) }
    }

    private mutating func eye() throws -> [String: UnitValue] {
        var values: [String: UnitValue] = [:]
        var known = AttributeSet()
        for (value, unit) in Self.eyeValues {
            _ = known.insert(value)
            _ = known.insert(unit)
            values[value.text] = unitValue(value, unit)
        }
        checkAttributes(known)
        try skipSubtree()
        return values
    }
}
