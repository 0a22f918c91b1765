import CanonicalJSON
import HealthRecords

/// The elements that come by the hundred, not by the million: built as values at once.
extension ExportReader {
    /// Members kept of one correlation; a meal has some thirty.
    static let memberLimit = 10_000
    /// Children kept of one workout: events, statistics, activities and records each.
    static let workoutChildLimit = 50_000
    /// `Location` children kept of one workout of iOS 12 and before: a day at one point a second.
    static let locationLimit = 100_000
    /// Route files kept of one workout; one is usual.
    static let routeLimit = 1_000
    /// Metadata entries kept of one element that is no record; the richest workout seen has some thirty.
    static let metadataLimit = RecordScratch.entryLimit

    private static let originAttributes: [AttributeName] = [
        .type, .sourceName, .sourceVersion, .device, .creationDate, .startDate, .endDate,
    ]

    /// What ends an element of the top level whose end tag is missing.
    static let topLevel: [ElementName] = [
        .correlation, .workout, .activitySummary, .clinicalRecord, .audiogram, .visionPrescription,
    ]

    struct Origin {
        var source: RecordSource
        var start: Instant
        var end: Instant
        var created: Instant?
    }

    /// The source of the tag at hand.
    mutating func source() -> RecordSource {
        let device = attribute(.device).map { attribute in
            var bytes: [UInt8] = []
            note(ExportText.decode(Self.withoutPointer(scanner.value(attribute)), into: &bytes))
            return String(decoding: bytes, as: UTF8.self)
        }
        return RecordSource(name: text(.sourceName) ?? "", version: text(.sourceVersion), device: device)
    }

    /// Source and dates of the tag at hand; nil, and counted, when a date cannot be read.
    mutating func origin() -> Origin? {
        let source = source()
        guard attribute(.startDate) != nil, attribute(.endDate) != nil else {
            note(.unreadableDate)
            return nil
        }
        guard let start = instant(.startDate), let end = instant(.endDate) else { return nil }
        if end < start { note(.endBeforeStart) }
        return Origin(source: source, start: start, end: end, created: instant(.creationDate))
    }

    mutating func metadataEntry() throws -> MetadataEntry? {
        let key = text(.key)
        let value = text(.value)
        checkAttributes(AttributeSet(.key, .value))
        guard let key, let value else {
            if !scanner.isOversize { note(.malformedTag) }
            try skipSubtree()
            return nil
        }
        try skipSubtree()
        return MetadataEntry(key: key, value: value)
    }

    /// Adds a child within its limit; beyond it the child is left out, and counted.
    mutating func keep<Child>(_ child: Child, in children: inout [Child], limit: Int = workoutChildLimit) {
        if children.count < limit { children.append(child) } else { note(.textLimit) }
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
                if let entry = try metadataEntry() { keep(entry, in: &correlation.metadata, limit: Self.metadataLimit) }
            case .record:
                // The members are records of their own, whatever becomes of the correlation.
                guard try readRecord(parent: .correlation) else { continue }
                keep(view.materialized(), in: &correlation.members, limit: Self.memberLimit)
            default:
                try skipUnknown(in: .correlation)
            }
        }
    }

    // MARK: One a day, and documents

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
        if date.flatMap({ CivilDate($0) }) == nil, !scanner.isOversize { note(.unreadableDate) }
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
                    if let entry = try metadataEntry() {
                        keep(entry, in: &audiogram.metadata, limit: Self.metadataLimit)
                    }
                case .sensitivityPoint:
                    if let point = try sensitivityPoint() { keep(point, in: &audiogram.points) }
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
        if frequency == nil, !scanner.isOversize { note(.unreadableValue) }
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
                    if let identifier = text(.identifier) { keep(identifier, in: &prescription.attachments) }
                    try skipSubtree()
                case .metadataEntry:
                    if let entry = try metadataEntry() {
                        keep(entry, in: &prescription.metadata, limit: Self.metadataLimit)
                    }
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
