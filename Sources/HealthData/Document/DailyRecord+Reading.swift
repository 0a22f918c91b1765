import CanonicalJSON
import Foundation

extension DailyRecord {
    /// The record that a document was, or could have been, made from.
    ///
    /// Everything of the summary sections comes back except the archive, whose bytes stay with the document. Times of
    /// day have the precision of the document.
    public init(_ document: DayDocument) throws {
        guard let zone = TimeZone(identifier: document.zoneIdentifier) else {
            throw HealthDataError.unknownZone(document.zoneIdentifier)
        }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let day = DateComponents(year: document.date.year, month: document.date.month, day: document.date.day)
        guard let noon = calendar.date(from: day) else {
            throw HealthDataError.invalidMember(path: "date", expected: "a day of the calendar")
        }
        self.init(date: calendar.startOfDay(for: noon), calendarTimeZoneIdentifier: document.zoneIdentifier)
        healthKitRecordCaptureStatus =
            document.string("raw_capture_status").flatMap(CaptureStatus.init(documentName:)) ?? .notRequested
        readPlainSections(document)
        readSleep(document)
        readSamples(document)
        readMind(document)
        readMedications(document)
        workouts = document.elements("workouts").compactMap(Workout.init(document:))
        partialFailures = document.elements("diagnostics.partial_failures").compactMap { failure in
            guard let date = DocumentDate.date(failure["date"]) else { return nil }
            return PartialFailure(
                date: date, dataType: failure["data_type"]?.string ?? "",
                dateRangeDescription: failure["date_range_description"]?.string ?? "",
                errorDescription: failure["error_description"]?.string ?? "")
        }
    }

    private mutating func readPlainSections(_ document: DayDocument) {
        func read<Section>(_ name: String, _ members: [SectionMember<Section>], into section: inout Section) {
            guard let object = document.root[name]?.object else { return }
            for member in members { member.read(from: object, into: &section) }
        }
        read("activity", DocumentMembers.activity, into: &activity)
        read("heart", DocumentMembers.heart, into: &heart)
        read("vitals", DocumentMembers.vitals, into: &vitals)
        read("body", DocumentMembers.body, into: &body)
        read("nutrition", DocumentMembers.nutrition, into: &nutrition)
        read("mobility", DocumentMembers.mobility, into: &mobility)
        read("hearing", DocumentMembers.hearing, into: &hearing)
        read("reproductiveHealth", DocumentMembers.reproductiveHealth, into: &reproductiveHealth)
        read("cyclingPerformance", DocumentMembers.cyclingPerformance, into: &cyclingPerformance)
        read("vitamins", DocumentMembers.vitamins, into: &vitamins)
        read("minerals", DocumentMembers.minerals, into: &minerals)
        read("other", DocumentMembers.other, into: &other)
        for member in document.root["symptoms"]?.object?.members ?? [] {
            symptoms.counts[member.key] = member.value.number?.int
        }
        activity.vo2MaxCarriedForward = document.value("activity.vo2MaxCarriedForward")?.bool
        activity.vo2MaxSourceUUID = document.string("activity.vo2MaxSourceUUID").flatMap(UUID.init(uuidString:))
        activity.vo2MaxSourceStartDate = DocumentDate.date(document.value("activity.vo2MaxSourceStartDate"))
        activity.vo2MaxSourceEndDate = DocumentDate.date(document.value("activity.vo2MaxSourceEndDate"))
    }

    private mutating func readSleep(_ document: DayDocument) {
        sleep.totalDuration = document.number("sleep.totalDuration") ?? 0
        sleep.deepSleep = document.number("sleep.deepSleep") ?? 0
        sleep.remSleep = document.number("sleep.remSleep") ?? 0
        sleep.coreSleep = document.number("sleep.coreSleep") ?? 0
        sleep.awakeTime = document.number("sleep.awakeTime") ?? 0
        sleep.inBedTime = document.number("sleep.inBedTime") ?? 0
        sleep.sessionStart = DocumentDate.date(document.value("sleep.bedtimeISO"))
        sleep.sessionEnd = DocumentDate.date(document.value("sleep.wakeTimeISO"))
        sleep.stages = document.elements("sleep.sleepStages").compactMap { stage in
            guard let start = DocumentDate.date(stage["startDate"]), let end = DocumentDate.date(stage["endDate"])
            else {
                return nil
            }
            return SleepStage(
                stage: stage["stage"]?.string ?? "unspecified", startDate: start, endDate: end,
                metadata: DocumentMap.map(stage["metadata"]))
        }
    }

    private mutating func readSamples(_ document: DayDocument) {
        heart.heartRateSamples = DocumentMap.samples(document.value("heart.heartRateSamples"))
        heart.hrvSamples = DocumentMap.samples(document.value("heart.hrvSamples"))
        vitals.bloodOxygenSamples = DocumentMap.samples(document.value("vitals.bloodOxygenSamples"))
        vitals.bloodGlucoseSamples = DocumentMap.samples(document.value("vitals.bloodGlucoseSamples"))
        vitals.respiratoryRateSamples = DocumentMap.samples(document.value("vitals.respiratoryRateSamples"))
        vitals.bloodPressureSamples = document.elements("vitals.bloodPressureSamples").compactMap { sample in
            guard let start = DocumentDate.date(sample["timestamp"]), let end = DocumentDate.date(sample["endDate"]),
                let systolic = sample["systolic"]?.number, let diastolic = sample["diastolic"]?.number
            else { return nil }
            return BloodPressureSample(
                correlationUUID: sample["id"]?.string.flatMap(UUID.init(uuidString:)), systolic: systolic.double,
                diastolic: diastolic.double, startDate: start, endDate: end,
                sourceRevision: DocumentMap.source(sample["sourceRevision"]),
                device: DocumentMap.device(sample["device"]), metadata: DocumentMap.map(sample["metadata"]))
        }
    }

    private mutating func readMind(_ document: DayDocument) {
        mindfulness.mindfulMinutes = document.number("mindfulness.mindfulMinutes")
        mindfulness.mindfulSessions = document.value("mindfulness.mindfulSessions")?.number?.int
        mindfulness.stateOfMind = document.elements("mindfulness.stateOfMindEntries").compactMap { entry in
            guard let id = entry["id"]?.string.flatMap(UUID.init(uuidString:)),
                let start = DocumentDate.date(entry["timestamp"]), let end = DocumentDate.date(entry["endDate"]),
                let valence = entry["valence"]?.number
            else { return nil }
            var state = StateOfMind(
                id: id, timestamp: start, endDate: end, kind: entry["kind"]?.string ?? "Unknown",
                valence: valence.double)
            state.labels = (entry["labels"]?.array ?? []).compactMap(\.string)
            state.associations = (entry["associations"]?.array ?? []).compactMap(\.string)
            state.sourceRevision = DocumentMap.source(entry["sourceRevision"])
            state.device = DocumentMap.device(entry["device"])
            state.metadata = DocumentMap.map(entry["metadata"])
            return state
        }
    }

    private mutating func readMedications(_ document: DayDocument) {
        guard document.root["medications"] != nil else { return }
        var section = Medications()
        section.medications = document.elements("medications.medications").map { value in
            var medication = Medication()
            medication.name = value["name"]?.string
            medication.displayName = value["displayName"]?.string
            medication.nickname = value["nickname"]?.string
            medication.conceptIdentifier = value["conceptIdentifier"]?.string
            medication.generalForm = value["generalForm"]?.string
            medication.isArchived = value["isArchived"]?.bool
            medication.hasSchedule = value["hasSchedule"]?.bool
            medication.relatedCodings = value["relatedCodings"]?.array?.map {
                MedicationCoding(
                    system: $0["system"]?.string ?? "", version: $0["version"]?.string, code: $0["code"]?.string ?? "")
            }
            medication.rxNormCodes = value["rxNormCodes"]?.array?.compactMap(\.string)
            return medication
        }
        section.doseEvents = document.elements("medications.doseEvents").map { value in
            var dose = DoseEvent()
            dose.id = value["id"]?.string.flatMap(UUID.init(uuidString:))
            dose.medicationConceptIdentifier = value["medicationConceptIdentifier"]?.string
            dose.medicationName = value["medicationName"]?.string
            dose.logStatus = value["logStatus"]?.string
            dose.logStatusDisplay = value["logStatusDisplay"]?.string
            dose.scheduleType = value["scheduleType"]?.string
            dose.startDate = DocumentDate.date(value["startDate"])
            dose.endDate = DocumentDate.date(value["endDate"])
            dose.scheduledDate = DocumentDate.date(value["scheduledDate"])
            dose.doseQuantity = value["doseQuantity"]?.number?.double
            dose.scheduledDoseQuantity = value["scheduledDoseQuantity"]?.number?.double
            dose.unit = value["unit"]?.string
            dose.metadata = value["metadata"].map { DocumentMap.map($0) }
            return dose
        }
        medications = section
    }
}

extension Workout {
    /// The workout of a document element; nil without identity, start or duration.
    init?(document value: JSONValue) {
        guard let id = value["id"]?.string.flatMap(UUID.init(uuidString:)),
            let start = DocumentDate.date(value["startTimeISO"]), let duration = value["duration"]?.number?.double
        else { return nil }
        let symbol = value["healthKitActivityType"]?.string
        self.init(
            id: id, workoutType: symbol ?? value["sport"]?.string ?? "other", startTime: start, duration: duration)
        healthKitActivityType = symbol
        healthKitActivityTypeRawValue = value["healthKitActivityTypeRawValue"]?.number?.uint64
        actualEndDate = DocumentDate.date(value["endTimeISO"])
        distance = value["distance"]?.number?.double
        isIndoor = value["isIndoor"]?.bool
        for (name, path) in WorkoutDocument.doubles { self[keyPath: path] = value[name]?.number?.double }
        metadata = DocumentMap.map(value["metadata"])
        sourceRevision = DocumentMap.source(value["sourceRevision"])
        device = DocumentMap.device(value["device"])
        laps = (value["laps"]?.array ?? []).compactMap(WorkoutSection.init(document:))
        splits = (value["splits"]?.array ?? []).compactMap(WorkoutSection.init(document:))
        route = (value["route"]?.array ?? []).compactMap(WorkoutPoint.init(document:))
        for (name, path) in WorkoutSeries.names {
            timeSeries[keyPath: path] = DocumentMap.samples(value["timeSeries"]?[name])
        }
    }
}

extension WorkoutSection {
    fileprivate init?(document value: JSONValue) {
        guard let index = value["index"]?.number?.int, let start = DocumentDate.date(value["startTimeISO"]),
            let end = DocumentDate.date(value["endTimeISO"]), let duration = value["duration"]?.number?.double
        else { return nil }
        self.init(index: index, startTime: start, endTime: end, duration: duration)
        distance = value["distance"]?.number?.double
        avgHeartRate = value["avgHeartRate"]?.number?.double
    }
}

extension WorkoutPoint {
    fileprivate init?(document value: JSONValue) {
        guard let time = DocumentDate.date(value["timestamp"]), let latitude = value["latitude"]?.number?.double,
            let longitude = value["longitude"]?.number?.double
        else { return nil }
        self.init(timestamp: time, latitude: latitude, longitude: longitude)
        for (name, path) in WorkoutDocument.pointMembers { self[keyPath: path] = value[name]?.number?.double }
    }
}
