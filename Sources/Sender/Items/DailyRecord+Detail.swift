import HealthData

extension DailyRecord {
    /// The record without single samples, for destinations whose files show none: most of an item's bytes are samples.
    func withoutSamples() -> DailyRecord {
        var record = self
        record.heart.heartRateSamples = []
        record.heart.hrvSamples = []
        record.vitals.bloodOxygenSamples = []
        record.vitals.bloodGlucoseSamples = []
        record.vitals.respiratoryRateSamples = []
        record.vitals.bloodPressureSamples = []
        record.sleep.stages = []
        return record
    }

    /// Whether nothing is known of the day: no value, no source record, no failure.
    var isEmptyDay: Bool {
        guard partialFailures.isEmpty, healthKitRecordArchive == nil else { return false }
        var empty = DailyRecord(date: date, calendarTimeZoneIdentifier: timeContext.calendarTimeZoneIdentifier)
        empty.timeContext = timeContext
        empty.healthKitRecordCaptureStatus = healthKitRecordCaptureStatus
        return self == empty
    }
}
