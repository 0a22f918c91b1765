import Cryptography
import Foundation
import HealthRecords

/// Builds the record archive of a day from an export (health-data.md 10.2.1 and 10.2.9).
///
/// An export carries no HealthKit UUIDs, and none are invented: every object is an external record whose identity is
/// the digest of its content. What an export cannot hold is `unsupported`, never an empty success.
struct ArchiveBuild {
    let frame: DayFrame
    let source: SourceDay
    let samples: SampleIndex
    let selection: MetricSelection

    /// Our identity kind.
    static let identityKind = NameBasedUUID.metadataValue
    /// The operation of the query results.
    private static let operation = "apple_health_export_read"

    /// The archive of the day. Its status is `partial` as soon as a selected type was not to be had.
    func archive() -> RecordArchive {
        let contents = contents()
        var archive = contents.archive
        archive.externalRecords = contents.entries.map(\.record.value)
        return archive
    }

    /// The archive without its records, and the records before they have any form.
    struct Contents {
        var archive: RecordArchive
        let entries: [ArchiveEntry]
    }

    /// What the archive holds.
    func contents() -> Contents {
        let interval = RecordArchive.QueryInterval(
            startDate: Date(timeIntervalSince1970: frame.interval.lowerBound),
            endDate: Date(timeIntervalSince1970: frame.interval.upperBound),
            calendarTimeZoneIdentifier: frame.zone.identifier)
        var archive = RecordArchive(
            captureStatus: .complete,
            dailyOwnership: .init(
                ownerDate: frame.day.description, intervalStart: interval.startDate, intervalEnd: interval.endDate,
                calendarTimeZoneIdentifier: frame.zone.identifier))
        var collected = Collected()
        collectRecords(into: &collected)
        collectCorrelations(into: &collected)
        collectWorkouts(into: &collected)
        collectRings(into: &collected)
        collectDocuments(into: &collected)
        collectClinicalRecords(into: &collected)
        archive.queryManifest.results = results(collected, interval)
        archive.integrityWarnings = warnings()
        let isComplete =
            archive.queryManifest.results.allSatisfy { $0.status == .success }
            && !source.failures.contains { selection.concerns(type: $0.dataType) }
        archive.captureStatus = isComplete ? .complete : .partial
        return Contents(archive: archive, entries: collected.entries)
    }

    /// External records by identity, and how many there are of each type.
    private struct Collected {
        private(set) var entries: [ArchiveEntry] = []
        private(set) var counts: [String: Int] = [:]
        /// Clinical records whose resource is not in the export, by type.
        var missingResources: [String: Int] = [:]
        private var identities: Set<String> = []

        /// The same object seen twice is one record.
        ///
        /// - Returns: whether it was not there yet.
        @discardableResult
        mutating func append(_ entry: ArchiveEntry) -> Bool {
            guard identities.insert(entry.identifier).inserted else { return false }
            counts[entry.type, default: 0] += 1
            entries.append(entry)
            return true
        }
    }

    // MARK: Types

    /// The selected metrics of each type that an export can hold.
    private func selectedMetrics() -> [String: [String]] {
        var byType: [String: [String]] = [:]
        for metric in Registry.current.metrics where metric.isExportable && selection.contains(metric.id) {
            guard let type = metric.exportType ?? metric.healthKitIdentifier else { continue }
            byType[type, default: []].append(metric.id)
        }
        return byType.mapValues { $0.sorted() }
    }

    private func collectRecords(into collected: inout Collected) {
        for (type, metricIDs) in selectedMetrics().sorted(by: { $0.key < $1.key }) {
            for record in samples.owned(type, by: frame) {
                collected.append(ArchiveEntry(record, metricIDs: metricIDs))
            }
        }
        guard selection.isWhole else { return }
        for type in Set(unnamed.map(\.type)).sorted() {
            for record in samples.owned(type, by: frame) { collected.append(ArchiveEntry(record, metricIDs: [])) }
        }
    }

    /// The day's records of types that no metric names.
    private var unnamed: [HealthRecord] {
        let known = Set(Registry.current.metrics.flatMap { [$0.exportType, $0.healthKitIdentifier].compactMap { $0 } })
        return source.records.filter { !known.contains($0.type) && frame.owns($0.start) }
    }

    private func collectCorrelations(into collected: inout Collected) {
        let metrics = selectedMetrics()
        for correlation in source.correlations where frame.owns(correlation.start) {
            let metricIDs = Set(correlation.members.flatMap { metrics[$0.type] ?? [] }).sorted()
            // As with records, whoever asks for all metrics gets the ones that no metric names.
            guard !metricIDs.isEmpty || selection.isWhole else { continue }
            collected.append(
                ArchiveEntry(ExternalRecord(correlation, metricIDs: metricIDs) { standing(for: $0) }))
        }
    }

    /// The record of the day that a member of a correlation is: it mostly stands at the top level too, and may differ there in
    /// what is no part of a sample (apple-health-export.md 9).
    private func standing(for member: HealthRecord) -> HealthRecord {
        let same = samples.records(member.type).filter {
            $0.start == member.start && $0.end == member.end && $0.source.name == member.source.name
                && $0.value == member.value
        }
        return same.first { $0.contentDigest == member.contentDigest } ?? same.first ?? member
    }

    private func collectWorkouts(into collected: inout Collected) {
        guard selection.contains("workouts") else { return }
        for workout in source.workouts where frame.owns(workout.start) {
            let record = ExternalRecord(workout)
            collected.append(ArchiveEntry(record))
            if workout.hasRoute {
                collected.append(ArchiveEntry(ExternalRecord(routeOf: workout, owner: record.identifier)))
            }
        }
    }

    private func collectRings(into collected: inout Collected) {
        guard selection.contains("activity_summary"), let rings = source.activitySummary else { return }
        collected.append(ArchiveEntry(ExternalRecord(rings, frame: frame)))
    }

    // MARK: Documents

    private func collectDocuments(into collected: inout Collected) {
        if selection.contains("audiograms") {
            for audiogram in source.audiograms where frame.owns(audiogram.start) {
                collected.append(ArchiveEntry(ExternalRecord(audiogram)))
            }
        }
        if selection.contains("vision_prescriptions") {
            for prescription in source.visionPrescriptions where frame.owns(prescription.issued) {
                collected.append(ArchiveEntry(ExternalRecord(prescription)))
            }
        }
        if selection.contains("electrocardiograms") {
            for recording in source.electrocardiograms where frame.owns(recording.recorded) {
                collected.append(ArchiveEntry(recording))
            }
        }
    }

    /// Clinical records of the selected kinds; a kind that no metric names (a patient, an encounter) comes with all of them.
    private func collectClinicalRecords(into collected: inout Collected) {
        let metrics = selectedMetrics()
        let clinical = Registry.current.metrics.filter { $0.exportElement == "ClinicalRecord" }
        let isWhole = clinical.allSatisfy { selection.contains($0.id) }
        let known = Set(clinical.compactMap(\.healthKitIdentifier))
        for document in source.clinicalRecords {
            let type = document.healthKitType
            let metricIDs = metrics[type] ?? []
            guard !metricIDs.isEmpty || (isWhole && !known.contains(type)) else { continue }
            let isNew = collected.append(ArchiveEntry(ExternalRecord(document, type: type, metricIDs: metricIDs)))
            if isNew, document.resource == nil { collected.missingResources[type, default: 0] += 1 }
        }
    }

    // MARK: Manifest

    /// One success for each type that is there, and one result for each selected type that could not be read.
    private func results(
        _ collected: Collected, _ interval: RecordArchive.QueryInterval
    ) -> [RecordArchive.QueryResult] {
        let byType = selectedMetrics()
        func result(
            _ type: String, _ metricIDs: [String], _ status: RecordArchive.QueryStatus, _ count: Int,
            _ description: String? = nil
        ) -> RecordArchive.QueryResult {
            RecordArchive.QueryResult(
                identifier: "apple_health_export|\(type)", objectTypeIdentifier: type, operation: Self.operation,
                metricIDs: metricIDs, interval: interval, status: status, recordCount: count,
                statusDescription: description)
        }
        var results = collected.counts.sorted { $0.key < $1.key }.map { type, count in
            let missing = collected.missingResources[type] ?? 0
            return result(
                type, byType[type] ?? ExternalRecord.metricIDs(ofType: type), missing == 0 ? .success : .failure, count,
                missing == 0 ? nil : "the files of \(missing) records are not in the export")
        }
        var missing: [String: (status: RecordArchive.QueryStatus, text: String, metricIDs: [String])] = [:]
        for metric in Registry.current.metrics where selection.contains(metric.id) {
            guard let reason = Self.reason(metric) else { continue }
            let type = metric.archiveObjectType ?? metric.healthKitIdentifier ?? metric.id
            missing[type, default: (reason.status, reason.text, [])].metricIDs.append(metric.id)
        }
        results += missing.sorted { $0.key < $1.key }.map { type, entry in
            result(type, entry.metricIDs.sorted(), entry.status, 0, entry.text)
        }
        return results
    }

    /// Why a metric's records are not in a day made from an export; nil when they are.
    private static func reason(_ metric: Metric) -> (status: RecordArchive.QueryStatus, text: String)? {
        switch metric.exportElement {
        // Recordings are files of the export, not elements.
        case nil where metric.id == "electrocardiograms": return nil
        case nil: return (.unsupported, "an Apple Health export does not hold this type")
        case "Record"?, "Workout"?, "ActivitySummary"?, "Audiogram"?, "VisionPrescription"?, "ClinicalRecord"?:
            return nil
        case let element?: return (.skipped, "\(element) elements of an export are not read into days")
        }
    }

    /// Records of types that no metric names: they stay in the export, unless all metrics are asked for.
    private func warnings() -> [RecordArchive.IntegrityWarning] {
        guard !selection.isWhole, case let unknown = unnamed, !unknown.isEmpty else { return [] }
        let types = Set(unknown.map(\.type)).count
        return [
            RecordArchive.IntegrityWarning(
                code: "unknown_record_types",
                message: "\(unknown.count) records of \(types) types that no metric names were left out", metricIDs: [])
        ]
    }
}
