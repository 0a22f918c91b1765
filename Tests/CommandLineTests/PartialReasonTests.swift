import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// What is said of partial results (raw-result.md 3, 12).
@Suite("Reasons of partial results")
struct PartialReasonTests {
    /// A lossless day of which one type is not to be had and one part could not be read.
    private func body() -> String {
        let results = [
            ("HKQuantityTypeIdentifierStepCount", "success", "steps"),
            ("HKQuantityTypeIdentifierVO2Max", "unsupported", "vo2_max"),
        ].map { type, status, metric in
            #"{"metric_ids":["\#(metric)"],"object_type_identifier":"\#(type)","status":"\#(status)"}"#
        }
        let document =
            #"{"date":"2026-03-01","healthkit_record_archive":{"external_records":[{"status":"failure"}],"#
            + #""query_manifest":{"results":[\#(results.joined(separator: ","))]},"records":[],"#
            + #""schema":"healthmd.healthkit_records","schema_version":1},"raw_capture_status":"partial","#
            + #""schema":"healthmd.health_data","schema_version":8}"#
        let day =
            #"{"date":"2026-03-01","health_data":\#(document),"integrity_warning_codes":[],"#
            + #""integrity_warning_count":0,"partial_failure_count":1,"#
            + #""partial_failure_types":["HKWorkoutRouteTypeIdentifier"],"query_status_counts":{"cancelled":0,"#
            + #""failure":0,"skipped":0,"success":1,"unsupported":1},"record_count":0,"sample_count":0,"status":"partial"}"#
        return
            #"{"job_id":"10B00000-0000-4000-8000-000000000001","message":"done","status":"partial_success","#
            + #""raw_result":{"schema":"healthmd.raw_result","schema_version":1,"profile":"health_data_projection","#
            + #""canonical_selection":{"detail_level":"lossless","field_pointers":[],"metric_ids":["steps","vo2_max"],"#
            + #""object_paths":[],"source_ids":["apple_health"]},"created_at":"2026-03-03T00:00:00.000000000Z","#
            + #""source_device_name":"Test","date_range":{"end":"2026-03-01","start":"2026-03-01"},"#
            + #""total_requested_days":1,"days":[\#(day)],"capture_summary":{"missing_day_count":0,"#
            + #""retained_day_count":1},"missing_dates":[]}}"#
    }

    @Test(
        "types, what became of them, and whether they were asked for; records of the archive are not taken for queries")
    func types() throws {
        let text = body()
        let fake = try FakeReceiver { request in
            let headers: [String: String?] = [
                "X-Healthmd-Raw-Date-End": "2026-03-01", "X-Healthmd-Raw-Total-Days": "1",
            ]
            return FakeReceiver.raw(RawBody.adopted(text, by: request), status: "partial_success", changing: headers)
        }
        let run = try CommandRun(
            ["extract", "--metric", "steps", "--metric", "vo2_max", "--detail", "lossless", "--from", "2026-03-01"]
                + ["--to", "2026-03-01", "--base-url", fake.baseURL])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "partial_canonical_extraction")
        let reasons = document["reasons"]?.array ?? []
        #expect(reasons.count == 2)
        let missing = reasons.first { $0["code"] == "query_unsupported" }
        #expect(missing?["type"] == "HKQuantityTypeIdentifierVO2Max" && missing?["selected"] == true)
        let part = reasons.first { $0["code"] == "partial_failure" }
        #expect(part?["type"] == "HKWorkoutRouteTypeIdentifier" && part?["selected"] == false)
        let message = try #require(document["message"]?.string)
        #expect(message.hasPrefix("1 of 1 days is partial."))
        #expect(message.contains("HKQuantityTypeIdentifierVO2Max (the source does not hold it)"))
        #expect(message.contains("the published rule calls a day partial for it all the same"))
        #expect(message.contains("--allow-partial"))
    }
}
