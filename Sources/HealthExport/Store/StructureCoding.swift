import HealthRecords

/// Packed forms of what comes by the hundred: correlations, workouts, summaries, tests, prescriptions, documents.
/// Each begins with a version byte, so that a later program can tell.
enum StructureCoding {
    private static let version: UInt8 = 1

    /// Packs one value.
    static func pack<Value>(_ value: Value, _ write: (inout ByteWriter, Value) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(version)
        write(&writer, value)
        return writer.bytes
    }

    /// Unpacks one value.
    static func unpack<Value>(_ bytes: UnsafeRawBufferPointer, _ read: (inout ByteReader) throws -> Value) throws
        -> Value
    {
        var reader = ByteReader(bytes)
        guard try reader.byte() == version else { throw ByteReader.Damage() }
        return try read(&reader)
    }
}

extension ByteWriter {
    mutating func instant(_ value: Instant) { double(value.secondsSince1970) }

    mutating func source(_ value: RecordSource) {
        text(value.name)
        optional(value.version) { $0.text($1) }
        optional(value.device) { $0.text($1) }
    }

    mutating func metadata(_ values: [MetadataEntry]) {
        list(values) {
            $0.text($1.key)
            $0.text($1.value)
        }
    }

    mutating func unitValue(_ value: UnitValue) {
        double(value.value)
        text(value.unit)
    }

    mutating func optionalDouble(_ value: Double?) { optional(value) { $0.double($1) } }
    mutating func optionalText(_ value: String?) { optional(value) { $0.text($1) } }
    mutating func optionalInstant(_ value: Instant?) { optional(value) { $0.instant($1) } }

    mutating func value(_ value: RecordValue) {
        switch value {
        case .none: byte(0)
        case .quantity(let number, let unit):
            byte(1)
            double(number)
            text(unit)
        case .category(let name):
            byte(2)
            text(name)
        case .unreadable(let value, let unit):
            byte(3)
            optionalText(value)
            optionalText(unit)
        }
    }

    mutating func record(_ record: HealthRecord) {
        text(record.type)
        source(record.source)
        value(record.value)
        instant(record.start)
        instant(record.end)
        optionalInstant(record.created)
        metadata(record.metadata)
        list(record.beats) {
            $0.double($1.beatsPerMinute)
            $0.text($1.time)
        }
    }

    mutating func correlation(_ value: HealthCorrelation) {
        text(value.type)
        source(value.source)
        instant(value.start)
        instant(value.end)
        optionalInstant(value.created)
        metadata(value.metadata)
        list(value.members) { $0.record($1) }
    }

    mutating func statistics(_ value: WorkoutStatistics) {
        text(value.type)
        optionalInstant(value.start)
        optionalInstant(value.end)
        for number in [value.average, value.minimum, value.maximum, value.sum] { optionalDouble(number) }
        optionalText(value.unit)
    }

    /// Everything but the route.
    mutating func workout(_ value: HealthWorkout) {
        text(value.activityType)
        source(value.source)
        instant(value.start)
        instant(value.end)
        optionalInstant(value.created)
        optionalDouble(value.durationSeconds)
        optional(value.totalDistance) { $0.unitValue($1) }
        optional(value.totalEnergyBurned) { $0.unitValue($1) }
        metadata(value.metadata)
        list(value.events) {
            $0.text($1.type)
            $0.instant($1.date)
            $0.optionalDouble($1.durationSeconds)
            $0.metadata($1.metadata)
        }
        list(value.statistics) { $0.statistics($1) }
        list(value.activities) {
            $0.text($1.uuid)
            $0.instant($1.start)
            $0.optionalInstant($1.end)
            $0.optionalDouble($1.durationSeconds)
            $0.metadata($1.metadata)
            $0.list($1.statistics) { $0.statistics($1) }
        }
        list(value.records) { $0.record($1) }
        // Behind everything else and only where there are any: stores and digests of workouts without zones stay as
        // they were before zones were known, and likewise with the elements of routes.
        guard !value.zoneGroups.isEmpty || !value.routes.isEmpty else { return }
        list(value.zoneGroups) {
            $0.text($1.type)
            $0.optionalText($1.source)
            $0.optionalText($1.unit)
            $0.list($1.zones) { writer, zone in
                for number in [zone.minimum, zone.maximum, zone.durationSeconds] { writer.optionalDouble(number) }
            }
        }
        guard !value.routes.isEmpty else { return }
        list(value.routes) {
            $0.source($1.source)
            for date in [$1.start, $1.end, $1.created] { $0.optionalInstant(date) }
            $0.metadata($1.metadata)
            $0.list($1.paths) { $0.text($1) }
        }
    }

    mutating func routePoint(_ point: RoutePoint) {
        instant(point.time)
        double(point.latitude)
        double(point.longitude)
        let parts = [
            point.altitude, point.horizontalAccuracy, point.verticalAccuracy, point.course, point.speed,
        ]
        byte(parts.enumerated().reduce(0) { $0 | ($1.element == nil ? 0 : 1 << UInt8($1.offset)) })
        for part in parts { if let part { double(part) } }
    }

    mutating func activitySummary(_ value: ActivitySummary) {
        text(value.date)
        optionalText(value.activeEnergyBurnedUnit)
        for number in [
            value.activeEnergyBurned, value.activeEnergyBurnedGoal, value.moveTime, value.moveTimeGoal,
            value.exerciseTime, value.exerciseTimeGoal, value.standHours, value.standHoursGoal,
        ] { optionalDouble(number) }
    }

    mutating func characteristics(_ value: HealthCharacteristics) {
        for text in [
            value.dateOfBirth, value.biologicalSex, value.bloodType, value.fitzpatrickSkinType,
            value.cardioFitnessMedicationsUse,
        ] { optionalText(text) }
    }

    mutating func audiogram(_ value: Audiogram) {
        text(value.type)
        source(value.source)
        instant(value.start)
        instant(value.end)
        optionalInstant(value.created)
        metadata(value.metadata)
        list(value.points) {
            $0.unitValue($1.frequency)
            for ear in [$1.left, $1.right] {
                $0.optional(ear) {
                    $0.double($1.value)
                    $0.text($1.unit)
                    $0.optional($1.masked) { $0.byte($1 ? 1 : 0) }
                    $0.optionalDouble($1.clampingLowerBound)
                    $0.optionalDouble($1.clampingUpperBound)
                }
            }
        }
    }

    mutating func visionPrescription(_ value: VisionPrescription) {
        text(value.type)
        instant(value.issued)
        optionalInstant(value.expires)
        optionalText(value.brand)
        for eye in [value.rightEye, value.leftEye] {
            list(eye.sorted { $0.key < $1.key }) {
                $0.text($1.key)
                $0.unitValue($1.value)
            }
        }
        list(value.attachments) { $0.text($1) }
        metadata(value.metadata)
    }

    mutating func electrocardiogram(_ value: Electrocardiogram) {
        text(value.fileName)
        instant(value.recorded)
        optionalText(value.classification)
        optionalText(value.symptoms)
        optionalText(value.softwareVersion)
        optionalText(value.device)
        double(value.sampleRate)
        list(value.microvolts) { $0.double($1) }
        optionalText(value.lead)
        optionalDouble(value.averageHeartRate)
    }

    mutating func clinicalRecord(_ value: ClinicalRecord) {
        for text in [value.type, value.identifier, value.sourceName, value.sourceURL, value.fhirVersion] {
            self.text(text)
        }
        optionalInstant(value.received)
        optionalText(value.resourcePath)
    }
}

extension ByteReader {
    mutating func instant() throws -> Instant { Instant(secondsSince1970: try double()) }

    mutating func source() throws -> RecordSource {
        RecordSource(name: try text(), version: try optionalText(), device: try optionalText())
    }

    mutating func metadata() throws -> [MetadataEntry] {
        try list { MetadataEntry(key: try $0.text(), value: try $0.text()) }
    }

    mutating func unitValue() throws -> UnitValue { UnitValue(value: try double(), unit: try text()) }

    mutating func optionalDouble() throws -> Double? { try optional { try $0.double() } }
    mutating func optionalText() throws -> String? { try optional { try $0.text() } }
    mutating func optionalInstant() throws -> Instant? { try optional { try $0.instant() } }

    mutating func value() throws -> RecordValue {
        switch try byte() {
        case 0: return .none
        case 1: return .quantity(try double(), unit: try text())
        case 2: return .category(try text())
        case 3: return .unreadable(value: try optionalText(), unit: try optionalText())
        default: throw Damage()
        }
    }

    mutating func record() throws -> HealthRecord {
        HealthRecord(
            type: try text(), source: try source(), value: try value(), start: try instant(), end: try instant(),
            created: try optionalInstant(), metadata: try metadata(),
            beats: try list { Beat(beatsPerMinute: try $0.double(), time: try $0.text()) })
    }

    mutating func correlation() throws -> HealthCorrelation {
        HealthCorrelation(
            type: try text(), source: try source(), start: try instant(), end: try instant(),
            created: try optionalInstant(), metadata: try metadata(), members: try list { try $0.record() })
    }

    mutating func statistics() throws -> WorkoutStatistics {
        var value = WorkoutStatistics(type: try text())
        value.start = try optionalInstant()
        value.end = try optionalInstant()
        value.average = try optionalDouble()
        value.minimum = try optionalDouble()
        value.maximum = try optionalDouble()
        value.sum = try optionalDouble()
        value.unit = try optionalText()
        return value
    }

    mutating func workout() throws -> HealthWorkout {
        var value = HealthWorkout(
            activityType: try text(), source: try source(), start: try instant(), end: try instant())
        value.created = try optionalInstant()
        value.durationSeconds = try optionalDouble()
        value.totalDistance = try optional { try $0.unitValue() }
        value.totalEnergyBurned = try optional { try $0.unitValue() }
        value.metadata = try metadata()
        value.events = try list { reader in
            WorkoutEvent(
                type: try reader.text(), date: try reader.instant(), durationSeconds: try reader.optionalDouble(),
                metadata: try reader.metadata())
        }
        value.statistics = try list { try $0.statistics() }
        value.activities = try list { reader in
            var activity = WorkoutActivity(
                uuid: try reader.text(), start: try reader.instant(), end: try reader.optionalInstant(),
                durationSeconds: try reader.optionalDouble())
            activity.metadata = try reader.metadata()
            activity.statistics = try reader.list { try $0.statistics() }
            return activity
        }
        value.records = try list { try $0.record() }
        if !isAtEnd { value.zoneGroups = try list { try $0.zoneGroup() } }
        if !isAtEnd { value.routes = try list { try $0.routeElement() } }
        return value
    }

    private mutating func routeElement() throws -> WorkoutRouteElement {
        var value = WorkoutRouteElement(source: try source())
        value.start = try optionalInstant()
        value.end = try optionalInstant()
        value.created = try optionalInstant()
        value.metadata = try metadata()
        value.paths = try list { try $0.text() }
        return value
    }

    private mutating func zoneGroup() throws -> WorkoutZoneGroup {
        WorkoutZoneGroup(
            type: try text(), source: try optionalText(), unit: try optionalText(),
            zones: try list { reader in
                WorkoutZone(
                    minimum: try reader.optionalDouble(), maximum: try reader.optionalDouble(),
                    durationSeconds: try reader.optionalDouble())
            })
    }

    mutating func routePoint() throws -> RoutePoint {
        var point = RoutePoint(time: try instant(), latitude: try double(), longitude: try double())
        let present = try byte()
        func part(_ bit: UInt8) throws -> Double? { present & (1 << bit) != 0 ? try double() : nil }
        point.altitude = try part(0)
        point.horizontalAccuracy = try part(1)
        point.verticalAccuracy = try part(2)
        point.course = try part(3)
        point.speed = try part(4)
        return point
    }

    mutating func activitySummary() throws -> ActivitySummary {
        var value = ActivitySummary(date: try text())
        value.activeEnergyBurnedUnit = try optionalText()
        value.activeEnergyBurned = try optionalDouble()
        value.activeEnergyBurnedGoal = try optionalDouble()
        value.moveTime = try optionalDouble()
        value.moveTimeGoal = try optionalDouble()
        value.exerciseTime = try optionalDouble()
        value.exerciseTimeGoal = try optionalDouble()
        value.standHours = try optionalDouble()
        value.standHoursGoal = try optionalDouble()
        return value
    }

    mutating func characteristics() throws -> HealthCharacteristics {
        var value = HealthCharacteristics()
        value.dateOfBirth = try optionalText()
        value.biologicalSex = try optionalText()
        value.bloodType = try optionalText()
        value.fitzpatrickSkinType = try optionalText()
        value.cardioFitnessMedicationsUse = try optionalText()
        return value
    }

    mutating func audiogram() throws -> Audiogram {
        var value = Audiogram(
            type: try text(), source: try source(), start: try instant(), end: try instant(),
            created: try optionalInstant())
        value.metadata = try metadata()
        value.points = try list { reader in
            Audiogram.SensitivityPoint(
                frequency: try reader.unitValue(), left: try reader.ear(), right: try reader.ear())
        }
        return value
    }

    private mutating func ear() throws -> Audiogram.Ear? {
        try optional { reader in
            Audiogram.Ear(
                value: try reader.double(), unit: try reader.text(), masked: try reader.optional { try $0.byte() == 1 },
                clampingLowerBound: try reader.optionalDouble(), clampingUpperBound: try reader.optionalDouble())
        }
    }

    mutating func visionPrescription() throws -> VisionPrescription {
        var value = VisionPrescription(
            type: try text(), issued: try instant(), expires: try optionalInstant(), brand: try optionalText())
        value.rightEye = try eye()
        value.leftEye = try eye()
        value.attachments = try list { try $0.text() }
        value.metadata = try metadata()
        return value
    }

    private mutating func eye() throws -> [String: UnitValue] {
        let pairs = try list { (try $0.text(), try $0.unitValue()) }
        return Dictionary(pairs) { first, _ in first }
    }

    mutating func electrocardiogram() throws -> Electrocardiogram {
        var value = Electrocardiogram(
            fileName: try text(), recorded: try instant(), sampleRate: 0, microvolts: [])
        value.classification = try optionalText()
        value.symptoms = try optionalText()
        value.softwareVersion = try optionalText()
        value.device = try optionalText()
        value.sampleRate = try double()
        value.microvolts = try list { try $0.double() }
        // A store of an earlier program ends here.
        guard !isAtEnd else { return value }
        value.lead = try optionalText()
        value.averageHeartRate = try optionalDouble()
        return value
    }

    mutating func clinicalRecord() throws -> ClinicalRecord {
        ClinicalRecord(
            type: try text(), identifier: try text(), sourceName: try text(), sourceURL: try text(),
            fhirVersion: try text(), received: try optionalInstant(), resourcePath: try optionalText())
    }
}
