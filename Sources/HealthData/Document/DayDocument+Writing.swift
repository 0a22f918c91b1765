import CanonicalJSON
import Foundation

extension DayDocument {
    /// The document of a record (health-data.md 2 and 3).
    ///
    /// Throws `time_zone_unknown` when the record's zone is not known here.
    public init(
        _ record: DailyRecord, detail: DetailLevel, version: DocumentVersion = .v8
    ) throws(HealthDataError) {
        let clock = try ZoneClock(identifier: record.timeContext.calendarTimeZoneIdentifier)
        guard let date = clock.day(record.date) else {
            throw .invalidMember(path: "date", expected: "a day of the years 0 to 9999")
        }
        let sections = DocumentSections(record: record, detail: detail, clock: clock)
        var root = JSONObject()
        root.append("schema", .string(DocumentVersion.schema))
        root.append("schema_version", .integer(version.rawValue))
        root.append("type", "health-data")
        root.append("date", .string(date.description))
        root.append(
            "time_context", ["calendar_timezone": .string(clock.identifier), "timestamp_timezone": "UTC"])
        root.append("unit_system", "metric")
        sections.appendSummary(to: &root)
        let archive = detail == .lossless ? record.healthKitRecordArchive : nil
        let status = archive?.captureStatus ?? Self.statusWithoutArchive(record)
        root.append("raw_capture_status", .string(status.documentName))
        root.append("healthkit_record_archive", ifPresent: archive.map { .object(ArchiveDocument.object($0)) })
        root.append("diagnostics", ifPresent: sections.diagnostics())
        let draft = DayDocument(version: version, date: date, zoneIdentifier: clock.identifier, root: root)
        root.append("units", .object(OutputValues(draft).units()))
        self.init(version: version, date: date, zoneIdentifier: clock.identifier, root: root)
    }

    /// An archive that is left out was not requested; a day from before archives stays one.
    private static func statusWithoutArchive(_ record: DailyRecord) -> DailyRecord.CaptureStatus {
        record.healthKitRecordCaptureStatus == .legacyUnavailable ? .legacyUnavailable : .notRequested
    }
}

/// The summary sections of one record. Empty sections are left out.
struct DocumentSections {
    let record: DailyRecord
    let detail: DetailLevel
    let clock: ZoneClock

    func appendSummary(to root: inout JSONObject) {
        append("sleep", sleep(), to: &root)
        append("activity", activity(), to: &root)
        append("heart", heart(), to: &root)
        append("vitals", vitals(), to: &root)
        append("body", JSONObject(record.body, DocumentMembers.body), to: &root)
        append("nutrition", JSONObject(record.nutrition, DocumentMembers.nutrition), to: &root)
        append("mindfulness", mindfulness(), to: &root)
        append("mobility", JSONObject(record.mobility, DocumentMembers.mobility), to: &root)
        append("hearing", JSONObject(record.hearing, DocumentMembers.hearing), to: &root)
        append(
            "reproductiveHealth", JSONObject(record.reproductiveHealth, DocumentMembers.reproductiveHealth), to: &root)
        append("cyclingPerformance", cyclingPerformance(), to: &root)
        append("vitamins", JSONObject(record.vitamins, DocumentMembers.vitamins), to: &root)
        append("minerals", JSONObject(record.minerals, DocumentMembers.minerals), to: &root)
        append("symptoms", symptoms(), to: &root)
        append("medications", medications(), to: &root)
        append("other", JSONObject(record.other, DocumentMembers.other), to: &root)
        if !record.workouts.isEmpty {
            let workouts = record.workouts.map { WorkoutDocument(workout: $0, detail: detail, clock: clock).value() }
            root.append("workouts", .array(workouts))
        }
    }

    private func append(_ name: String, _ section: JSONObject, to root: inout JSONObject) {
        if !section.isEmpty { root.append(name, .object(section)) }
    }

    // MARK: Sections

    private func sleep() -> JSONObject {
        let sleep = record.sleep
        var object = JSONObject()
        for (name, seconds) in [
            ("totalDuration", sleep.totalDuration), ("deepSleep", sleep.deepSleep), ("remSleep", sleep.remSleep),
            ("coreSleep", sleep.coreSleep), ("awakeTime", sleep.awakeTime), ("inBedTime", sleep.inBedTime),
        ] where seconds > 0 {
            object.append(name, .double(seconds))
            object.append(name + "Formatted", .string(DayText.duration(seconds)))
        }
        if let start = sleep.sessionStart {
            object.append("bedtime", .string(clock.hourMinute(start)))
            object.append("bedtimeISO", ifPresent: DocumentDate.seconds(start))
        }
        if let end = sleep.sessionEnd {
            object.append("wakeTime", .string(clock.hourMinute(end)))
            object.append("wakeTimeISO", ifPresent: DocumentDate.seconds(end))
        }
        guard detail.includesSamples, !sleep.stages.isEmpty else { return object }
        object.append("sleepStages", .array(sleep.stages.map(stage)))
        return object
    }

    private func stage(_ stage: DailyRecord.SleepStage) -> JSONValue {
        var object = JSONObject()
        object.append("stage", .string(stage.stage))
        object.append("startDate", ifPresent: DocumentDate.seconds(stage.startDate))
        object.append("endDate", ifPresent: DocumentDate.seconds(stage.endDate))
        object.append("durationSeconds", .double(stage.endDate.timeIntervalSince(stage.startDate)))
        object.append("metadata", ifPresent: DocumentMap.value(stage.metadata))
        return .object(object)
    }

    private func activity() -> JSONObject {
        let activity = record.activity
        var object = JSONObject(activity, DocumentMembers.activity)
        object.append("vo2MaxCarriedForward", ifPresent: activity.vo2MaxCarriedForward.map { .bool($0) })
        object.append("vo2MaxSourceUUID", ifPresent: activity.vo2MaxSourceUUID.map { .string($0.uuidString) })
        object.append(
            "vo2MaxSourceStartDate", ifPresent: activity.vo2MaxSourceStartDate.flatMap(DocumentDate.nanoseconds))
        object.append("vo2MaxSourceEndDate", ifPresent: activity.vo2MaxSourceEndDate.flatMap(DocumentDate.nanoseconds))
        return object
    }

    private func heart() -> JSONObject {
        var object = JSONObject(record.heart, DocumentMembers.heart)
        append("heartRateSamples", record.heart.heartRateSamples, to: &object)
        append("hrvSamples", record.heart.hrvSamples, to: &object)
        return object
    }

    private func vitals() -> JSONObject {
        let vitals = record.vitals
        var object = JSONObject(vitals, DocumentMembers.vitals)
        append("bloodOxygenSamples", vitals.bloodOxygenSamples, to: &object)
        append("bloodGlucoseSamples", vitals.bloodGlucoseSamples, to: &object)
        append("respiratoryRateSamples", vitals.respiratoryRateSamples, to: &object)
        if detail.includesSamples, !vitals.bloodPressureSamples.isEmpty {
            object.append("bloodPressureSamples", .array(vitals.bloodPressureSamples.map(pressure)))
        }
        return object
    }

    private func append(_ name: String, _ samples: [TimeSample], to object: inout JSONObject) {
        guard detail.includesSamples, !samples.isEmpty else { return }
        object.append(name, .array(samples.map(DocumentMap.sample)))
    }

    private func pressure(_ sample: DailyRecord.BloodPressureSample) -> JSONValue {
        var object = JSONObject()
        object.append("id", ifPresent: sample.correlationUUID.map { .string($0.uuidString) })
        object.append("timestamp", ifPresent: DocumentDate.nanoseconds(sample.startDate))
        object.append("endDate", ifPresent: DocumentDate.nanoseconds(sample.endDate))
        object.append("systolic", .double(sample.systolic))
        object.append("diastolic", .double(sample.diastolic))
        object.append("unit", "mmHg")
        DocumentMap.append(sample.device, sample.sourceRevision, sample.metadata, to: &object)
        return .object(object)
    }

    private func cyclingPerformance() -> JSONObject {
        var object = JSONObject(record.cyclingPerformance, DocumentMembers.cyclingPerformance)
        object.append("cycling_km", ifPresent: record.activity.cyclingDistance.map { .double($0 / 1_000) })
        return object
    }

    private func symptoms() -> JSONObject {
        var object = JSONObject()
        for (metric, count) in record.symptoms.counts.sorted(by: { $0.key < $1.key }) {
            object.append(metric, .integer(count))
        }
        return object
    }
}
