import Foundation
import HealthRecords

extension DayBuild {
    /// VO2 max, the only carried-forward value: the newest sample by start, then end, that starts before the end of
    /// the day (health-data.md 8).
    mutating func buildCardioFitness() {
        guard isSelected("vo2_max"), let metric = Registry.current.metric("vo2_max"),
            let type = metric.healthKitIdentifier, let unit = metric.recordUnit
        else { return }
        let candidates = (source.carriedForward.filter { $0.type == type } + samples.records(type))
            .filter { $0.start.secondsSince1970 < frame.interval.upperBound }
        let values = SampleIndex.values(candidates, unit: unit)
        guard let newest = values.max(by: { ($0.record.start, $0.record.end) < ($1.record.start, $1.record.end) })
        else {
            return
        }
        let start = newest.record.start.secondsSince1970
        record.activity.vo2Max = newest.number
        record.activity.vo2MaxSourceStartDate = newest.record.start.date
        record.activity.vo2MaxSourceEndDate = newest.record.end.date
        record.activity.vo2MaxSourceUUID = newest.record.identity
        record.activity.vo2MaxCarriedForward = start < frame.interval.lowerBound
        record.activity.vo2MaxAgeSeconds = max(0, frame.interval.lowerBound - start)
    }

    /// Pairs: from correlations, and from two records of one source and time that no correlation holds.
    mutating func buildBloodPressure() {
        guard isSelected("blood_pressure_systolic") || isSelected("blood_pressure_diastolic") else { return }
        var pairs: [DailyRecord.BloodPressureSample] = []
        var paired: Set<PairKey> = []
        for correlation in source.correlations
        where correlation.type == "HKCorrelationTypeIdentifierBloodPressure" && frame.owns(correlation.start) {
            guard let systolic = Self.pressure(correlation.members, Self.systolicType),
                let diastolic = Self.pressure(correlation.members, Self.diastolicType)
            else { continue }
            paired.insert(PairKey(systolic.record))
            let identity = correlation.contentDigest.isEmpty ? nil : NameBasedUUID.uuid(correlation.contentDigest)
            pairs.append(
                Self.pair(
                    systolic, diastolic, identity: identity ?? systolic.record.identity, metadata: correlation.metadata)
            )
        }
        let diastolics = Dictionary(
            SampleIndex.values(samples.owned(Self.diastolicType, by: frame), unit: "mmHg")
                .map { (PairKey($0.record), $0) }, uniquingKeysWith: { first, _ in first })
        for systolic in SampleIndex.values(samples.owned(Self.systolicType, by: frame), unit: "mmHg") {
            let key = PairKey(systolic.record)
            guard !paired.contains(key), let diastolic = diastolics[key] else { continue }
            paired.insert(key)
            pairs.append(
                Self.pair(
                    systolic, diastolic, identity: systolic.record.identity, metadata: systolic.record.metadata))
        }
        record.vitals.bloodPressureSamples = pairs.sorted { $0.startDate < $1.startDate }
    }

    private static let systolicType = "HKQuantityTypeIdentifierBloodPressureSystolic"
    private static let diastolicType = "HKQuantityTypeIdentifierBloodPressureDiastolic"

    private struct PairKey: Hashable {
        let source: String
        let start: Instant
        let end: Instant

        init(_ record: HealthRecord) {
            source = record.source.name
            start = record.start
            end = record.end
        }
    }

    private static func pressure(_ members: [HealthRecord], _ type: String) -> SampleIndex.Value? {
        SampleIndex.values(members.filter { $0.type == type }, unit: "mmHg").first
    }

    private static func pair(
        _ systolic: SampleIndex.Value, _ diastolic: SampleIndex.Value, identity: UUID, metadata: [MetadataEntry]
    ) -> DailyRecord.BloodPressureSample {
        var texts = SourceTexts.map(metadata)
        texts[NameBasedUUID.metadataKey] = NameBasedUUID.metadataValue
        return DailyRecord.BloodPressureSample(
            correlationUUID: identity, systolic: systolic.number, diastolic: diastolic.number,
            startDate: systolic.record.start.date, endDate: systolic.record.end.date,
            sourceRevision: SourceTexts.revision(systolic.record.source),
            device: SourceTexts.device(systolic.record.source), metadata: texts)
    }

    /// Sample arrays of the day, by start.
    mutating func buildSeries() {
        for (metricID, path) in Self.seriesMetrics where isSelected(metricID) {
            guard let metric = Registry.current.metric(metricID) else { continue }
            record[keyPath: path] = Self.series(ownedValues(of: metric))
        }
    }

    private static let seriesMetrics: [(id: String, path: any WritableKeyPath<DailyRecord, [TimeSample]> & Sendable)] =
        [
            ("heart_rate_avg", \.heart.heartRateSamples), ("hrv", \.heart.hrvSamples),
            ("respiratory_rate", \.vitals.respiratoryRateSamples), ("blood_oxygen", \.vitals.bloodOxygenSamples),
            ("blood_glucose", \.vitals.bloodGlucoseSamples),
        ]

    static func series(_ values: [SampleIndex.Value]) -> [TimeSample] {
        values.enumerated()
            .sorted { ($0.element.record.start, $0.offset) < ($1.element.record.start, $1.offset) }
            .map { _, value in
                TimeSample(
                    timestamp: value.record.start.date, value: value.number,
                    metadata: SourceTexts.map(value.record.metadata))
            }
    }
}

extension HealthRecord {
    /// The identity that we give to a record without one: the version 5 UUID of its content digest.
    var identity: UUID {
        NameBasedUUID.uuid(contentDigest.isEmpty ? Array(fallbackName.utf8) : contentDigest)
    }

    /// The record's attributes, for readers that were not asked for digests.
    var fallbackName: String {
        ([type, source.name, "\(start.secondsSince1970)", "\(end.secondsSince1970)", "\(value)"]
            + metadata.flatMap { [$0.key, $0.value] }).joined(separator: "\u{1F}")
    }
}
