import CanonicalJSON
import Foundation

extension DocumentSections {
    /// Sessions, moods and their aggregates (health-data.md 3.4).
    func mindfulness() -> JSONObject {
        let mindfulness = record.mindfulness
        var object = JSONObject()
        object.append("mindfulMinutes", ifPresent: mindfulness.mindfulMinutes.map { .double($0) })
        object.append("mindfulSessions", ifPresent: mindfulness.mindfulSessions.map { .integer($0) })
        let entries = mindfulness.stateOfMind
        guard !entries.isEmpty else { return object }
        let daily = entries.filter { $0.kind == "Daily Mood" }
        let momentary = entries.filter { $0.kind == "Momentary Emotion" }
        object.append("stateOfMindCount", .integer(entries.count))
        if !daily.isEmpty {
            object.append("dailyMoodCount", .integer(daily.count))
            object.append("averageDailyMoodValence", .double(mean(daily)))
        }
        if !momentary.isEmpty { object.append("momentaryEmotionCount", .integer(momentary.count)) }
        object.append("averageValence", .double(mean(entries)))
        object.append("averageValencePercent", .integer(DayText.moodPercent(mean(entries))))
        appendList("emotionLabels", entries.flatMap(\.labels), to: &object)
        appendList("associations", entries.flatMap(\.associations), to: &object)
        if detail.includesSamples { object.append("stateOfMindEntries", .array(entries.map(entry))) }
        return object
    }

    private func mean(_ entries: [DailyRecord.StateOfMind]) -> Double {
        entries.reduce(0) { $0 + $1.valence } / Double(entries.count)
    }

    private func appendList(_ name: String, _ texts: [String], to object: inout JSONObject) {
        let unique = Set(texts).sorted()
        if !unique.isEmpty { object.append(name, .array(unique.map { .string($0) })) }
    }

    private func entry(_ entry: DailyRecord.StateOfMind) -> JSONValue {
        var object = JSONObject()
        object.append("id", .string(entry.id.uuidString))
        object.append("kind", .string(entry.kind))
        object.append("timestamp", ifPresent: DocumentDate.nanoseconds(entry.timestamp))
        object.append("endDate", ifPresent: DocumentDate.nanoseconds(entry.endDate))
        object.append("displayTime", .string(clock.hourMinute(entry.timestamp)))
        object.append("valence", .double(entry.valence))
        object.append("valencePercent", .integer(DayText.moodPercent(entry.valence)))
        object.append("valenceDescription", .string(DayText.moodBand(entry.valence)))
        if !entry.labels.isEmpty { object.append("labels", .array(entry.labels.map { .string($0) })) }
        if !entry.associations.isEmpty {
            object.append("associations", .array(entry.associations.map { .string($0) }))
        }
        DocumentMap.append(entry.device, entry.sourceRevision, entry.metadata, to: &object)
        return .object(object)
    }

    /// Medications and doses (health-data.md 3.5). What cannot be understood is counted in ``diagnostics()``.
    func medications() -> JSONObject {
        guard let section = record.medications else { return JSONObject() }
        let medications = section.medications.filter(\.isRenderable)
        let doses = section.doseEvents.filter(\.isRenderable)
        guard !medications.isEmpty || !doses.isEmpty else { return JSONObject() }
        let archived = medications.count { $0.isArchived == true }
        var object: JSONObject = [
            "medicationCount": .integer(medications.count),
            "activeMedicationCount": .integer(medications.count - archived),
            "archivedMedicationCount": .integer(archived),
            "doseEventCount": .integer(doses.count),
            "takenDoseCount": .integer(doses.count { $0.logStatus == "taken" }),
            "skippedDoseCount": .integer(doses.count { $0.logStatus == "skipped" }),
        ]
        if !medications.isEmpty { object.append("medications", .array(medications.map(medication))) }
        if detail.includesSamples, !doses.isEmpty { object.append("doseEvents", .array(doses.map(dose))) }
        return object
    }

    private func medication(_ medication: Medication) -> JSONValue {
        var object = JSONObject()
        func text(_ name: String, _ value: String?) { object.append(name, ifPresent: value.map { .string($0) }) }
        text("name", medication.nickname ?? medication.name ?? medication.displayName)
        text("displayName", medication.displayName)
        text("nickname", medication.nickname)
        text("conceptIdentifier", medication.conceptIdentifier)
        text("generalForm", medication.generalForm)
        object.append("isArchived", .bool(medication.isArchived ?? false))
        object.append("hasSchedule", .bool(medication.hasSchedule ?? false))
        if let codings = medication.relatedCodings, !codings.isEmpty {
            let values = codings.map { coding -> JSONValue in
                var object: JSONObject = ["system": .string(coding.system)]
                object.append("version", ifPresent: coding.version.map { .string($0) })
                object.append("code", .string(coding.code))
                return .object(object)
            }
            object.append("relatedCodings", .array(values))
        }
        if let codes = medication.rxNormCodes, !codes.isEmpty {
            object.append("rxNormCodes", .array(codes.map { .string($0) }))
        }
        return .object(object)
    }

    private func dose(_ dose: DoseEvent) -> JSONValue {
        var object = JSONObject()
        func text(_ name: String, _ value: String?) { object.append(name, ifPresent: value.map { .string($0) }) }
        text("id", dose.id?.uuidString)
        text("medicationConceptIdentifier", dose.medicationConceptIdentifier)
        text("medicationName", dose.medicationName)
        text("logStatus", dose.logStatus)
        text("logStatusDisplay", dose.logStatusDisplay)
        text("scheduleType", dose.scheduleType)
        object.append("startDate", ifPresent: dose.startDate.flatMap(DocumentDate.seconds))
        object.append("endDate", ifPresent: dose.endDate.flatMap(DocumentDate.seconds))
        object.append("scheduledDate", ifPresent: dose.scheduledDate.flatMap(DocumentDate.seconds))
        object.append("doseQuantity", ifPresent: dose.doseQuantity.map { .double($0) })
        object.append("scheduledDoseQuantity", ifPresent: dose.scheduledDoseQuantity.map { .double($0) })
        text("unit", dose.unit)
        object.append("metadata", ifPresent: dose.metadata.flatMap(DocumentMap.value))
        return .object(object)
    }
}

extension Medication {
    /// Whether enough is known to write it.
    var isRenderable: Bool { (nickname ?? name ?? displayName) != nil }
}

extension DoseEvent {
    /// Whether enough is known to write it.
    var isRenderable: Bool { startDate != nil && logStatus != nil }
}
