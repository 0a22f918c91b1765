import CanonicalJSON
import Foundation
import HealthRecords
import Testing

@testable import HealthData

@Suite("The lossless archive of an export")
struct ArchiveTests {
    private let day: TestDay

    init() throws { day = try TestDay() }

    private func document(
        _ source: SourceDay, _ selection: MetricSelection = .all
    ) throws -> (document: DayDocument, record: DailyRecord) {
        let record = DayBuilder(zone: day.zone, selection: selection)
            .record(of: day.day, from: source, includesArchive: true)
        // Both sides of a transfer must render the same document, so it goes through an encoder first.
        let copy = try JSONDecoder().decode(DailyRecord.self, from: JSONEncoder().encode(record))
        let document = try DayDocument(record, detail: .lossless)
        return (document, copy)
    }

    private var pressure: SourceDay {
        var members = [
            Source.quantity("BloodPressureSystolic", 118, "mmHg", from: day.at(8), to: day.at(8)),
            Source.quantity("BloodPressureDiastolic", 76, "mmHg", from: day.at(8), to: day.at(8)),
        ]
        members[0].contentDigest = [1]
        members[1].contentDigest = [2]
        let correlation = HealthCorrelation(
            type: "HKCorrelationTypeIdentifierBloodPressure", source: Source.watch, start: members[0].start,
            end: members[0].end, members: members, contentDigest: [3])
        return SourceDay(records: members, correlations: [correlation])
    }

    @Test("every object is an external record with the digest as identity; no UUID is invented")
    func identities() throws {
        let (document, _) = try document(pressure)
        let archive = try #require(document.archive)
        #expect(archive["records"]?.array?.isEmpty == true)
        let records = try #require(archive["external_records"]?.array)
        #expect(
            records.compactMap { $0["external_identifier"]?.string } == [
                "apple_health_export.content_digest|01", "apple_health_export.content_digest|02",
                "apple_health_export.content_digest|03",
            ])
        #expect(
            records.allSatisfy { $0["external_identity_kind"]?.string == "apple_health_export_content_digest" })
        #expect(!records.contains { $0["original_uuid"] != nil })
        let correlation = records[2]
        #expect(correlation["record_kind"]?.string == "correlation")
        #expect(
            correlation["relationships"]?.array?.map { $0["role"]?.string } == ["systolic", "diastolic"])
        #expect(
            correlation["relationships"]?.array?.first?["target"]
                == ["type": "external_identifier", "value": "apple_health_export.content_digest|01"])
    }

    @Test("typed values have the document's names, whatever the source's own keys look like")
    func typedValues() throws {
        var record = Source.quantity("HeartRate", 61.5, "count/min", from: day.at(1), to: day.at(1))
        record.metadata = [MetadataEntry(key: "HKMetadataKeyHeartRateMotionContext", value: "1")]
        let (document, _) = try document(SourceDay(records: [record]), MetricSelection(metricIDs: ["heart_rate_avg"]))
        let fields = try #require(document.archive?["external_records"]?.array?.first?["fields"])
        #expect(fields["value"] == ["type": "floating_point", "value": .double(61.5)])
        #expect(fields["startDate"] == ["type": "date", "value": "2026-02-03T00:00:00.000000000Z"])
        #expect(
            fields["metadata"]?["value"]?["HKMetadataKeyHeartRateMotionContext"] == ["type": "string", "value": "1"])
    }

    @Test("a selection that the export can hold is complete; one that it cannot is partial and says unsupported")
    func status() throws {
        let heart = SourceDay(records: [
            Source.quantity("HeartRate", 61, "count/min", from: day.at(1), to: day.at(1))
        ])
        let held = try document(heart, MetricSelection(metricIDs: ["heart_rate_avg", "heart_rate_min", "steps"]))
        #expect(held.document.string("raw_capture_status") == "complete")
        let results = try #require(held.document.archive?["query_manifest"]?["results"]?.array)
        #expect(results.count == 1)
        #expect(results[0]["metric_ids"] == ["heart_rate_avg", "heart_rate_min"])
        #expect(results[0]["record_count"] == 1)
        let mixed = try document(heart, MetricSelection(metricIDs: ["heart_rate_avg", "medications", "blood_type"]))
        #expect(mixed.document.string("raw_capture_status") == "partial")
        let statuses = mixed.document.archive?["query_manifest"]?["results"]?.array?.compactMap { $0["status"]?.string }
        #expect(Set(statuses ?? []) == ["success", "unsupported", "skipped"])
        #expect(mixed.record.healthKitRecordCaptureStatus == .partial)
    }

    @Test("workouts, routes and rings are there with their relationships; a copy is one record")
    func workouts() throws {
        var workout = HealthWorkout(
            activityType: "HKWorkoutActivityTypeRunning", source: Source.watch,
            start: Instant(secondsSince1970: day.at(18)), end: Instant(secondsSince1970: day.at(19)))
        workout.contentDigest = [7]
        workout.route = [RoutePoint(time: workout.start, latitude: 52, longitude: 13)]
        var rings = ActivitySummary(date: "2026-02-03")
        rings.activeEnergyBurned = 410
        let (document, _) = try document(
            SourceDay(workouts: [workout, workout], activitySummary: rings),
            MetricSelection(metricIDs: ["workouts", "activity_summary"]))
        let records = try #require(document.archive?["external_records"]?.array)
        #expect(
            records.compactMap { $0["record_kind"]?.string } == ["workout", "workout_route", "activity_summary"])
        #expect(records[2]["external_identity_kind"] == "activity_summary_date_components")
        #expect(records[0]["relationships"]?.array?.first?["kind"] == "contains")
        #expect(document.string("raw_capture_status") == "complete")
    }

    @Test("types that no metric names are counted in a warning, not dropped in silence")
    func unknownTypes() throws {
        let goal = Source.quantity("SleepDurationGoalOfSorts", 8, "hr", from: day.at(1), to: day.at(1))
        let (document, record) = try document(SourceDay(records: [goal]), MetricSelection(metricIDs: ["steps"]))
        #expect(
            document.elements("healthkit_record_archive.integrity_warnings").first?["code"] == "unknown_record_types")
        expectSameBytes(
            try DayDocument(record, detail: .lossless).canonicalBytes(), document.canonicalBytes())
        // Whoever asks for all metrics gets them.
        let names = Registry.current.metrics.map(\.id)
        for selection in [MetricSelection.all, MetricSelection(metricIDs: names)] {
            let whole = try self.document(SourceDay(records: [goal]), selection).document
            let found = try #require(whole.archive?["external_records"]?.array?.first)
            #expect(found["object_type_identifier"] == .string(goal.type) && found["selected_metric_ids"] == [])
            #expect(whole.elements("healthkit_record_archive.integrity_warnings").isEmpty)
        }
        let most = try self.document(SourceDay(records: [goal]), MetricSelection(metricIDs: names.dropLast())).document
        #expect(most.archive?["external_records"] == nil)
    }

    @Test("a correlation whose members no metric names comes with all metrics, and leads to its members")
    func unknownCorrelation() throws {
        var member = Source.quantity("MadeUpNutrient", 8, "g", from: day.at(1), to: day.at(1))
        member.contentDigest = [1]
        let correlation = HealthCorrelation(
            type: "HKCorrelationTypeIdentifierMadeUp", source: Source.watch, start: member.start, end: member.end,
            members: [member], contentDigest: [2])
        let source = SourceDay(records: [member], correlations: [correlation])
        let whole = try document(source).document
        let records = try #require(whole.archive?["external_records"]?.array)
        try #require(records.compactMap { $0["record_kind"]?.string } == ["quantity", "correlation"])
        #expect(records[1]["selected_metric_ids"] == [])
        #expect(
            records[1]["relationships"]?.array?.first?["target"]?["value"] == records[0]["external_identifier"])
        let part = try document(source, MetricSelection(metricIDs: ["steps"])).document
        #expect(part.archive?["external_records"] == nil)
    }

    @Test("who recorded a route is there also when its file is not, and the workout leads there")
    func routeWithoutPoints() throws {
        var workout = HealthWorkout(
            activityType: "HKWorkoutActivityTypeRunning", source: Source.watch,
            start: Instant(secondsSince1970: day.at(18)), end: Instant(secondsSince1970: day.at(19)))
        workout.contentDigest = [7]
        let selection = MetricSelection(metricIDs: ["workouts"])
        let without = try document(SourceDay(workouts: [workout]), selection).document
        #expect(without.archive?["external_records"]?.array?.compactMap { $0["record_kind"] } == ["workout"])
        #expect(without.archive?["external_records"]?.array?.first?["relationships"] == [])
        var element = WorkoutRouteElement(source: Source.phone)
        element.metadata = [MetadataEntry(key: "HKMetadataKeySyncVersion", value: "2")]
        element.paths = ["/workout-routes/gone.gpx"]
        workout.routes = [element]
        let document = try document(SourceDay(workouts: [workout]), selection).document
        let records = try #require(document.archive?["external_records"]?.array)
        try #require(records.compactMap { $0["record_kind"]?.string } == ["workout", "workout_route"])
        #expect(
            records[0]["relationships"]?.array?.first?["target"]?["value"] == records[1]["external_identifier"])
        let fields = try #require(records[1]["fields"])
        #expect(fields["locationCount"]?["value"] == 0 && fields["locations"] == nil)
        let route = try #require(fields["routes"]?["value"]?.array?.first?["value"])
        #expect(route["files"]?["value"]?.array?.first?["value"] == "/workout-routes/gone.gpx")
        #expect(route["metadata"]?["value"]?["HKMetadataKeySyncVersion"]?["value"] == "2")
    }

    @Test("a clinical record that stands there twice misses one file")
    func clinicalCopies() throws {
        let record = ClinicalRecord(
            type: "HKClinicalTypeIdentifierProcedureRecord", identifier: "id-gone", sourceName: "Clinic", sourceURL: "",
            fhirVersion: "4.0.1", received: nil, resourcePath: "clinical-records/gone.json")
        var source = SourceDay()
        source.clinicalRecords = Array(
            repeating: ClinicalDocument(record: record, resource: nil, contentDigest: [9]), count: 2)
        let whole = try document(source).document
        #expect(whole.archive?["external_records"]?.array?.count == 1)
        let result = whole.archive?["query_manifest"]?["results"]?.array?.first {
            $0["object_type_identifier"] == .string(record.type)
        }
        #expect(result?["record_count"] == 1 && result?["status"] == "failure")
        #expect(result?["status_description"] == "the files of 1 records are not in the export")
    }

    @Test("names of the item become names of the document")
    func names() {
        for (item, document) in [
            ("originalUUID", "original_uuid"), ("selectedMetricIDs", "selected_metric_ids"),
            ("owningSampleTypeIdentifier", "owning_sample_type_identifier"), ("sha256", "sha256"),
            ("binaryArtifactReference", "binary_artifact_reference"), ("udiDeviceIdentifier", "udi_device_identifier"),
        ] {
            #expect(ArchiveNames.snakeCase(item) == document)
        }
    }
}
