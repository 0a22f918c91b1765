import CanonicalJSON
import TestSupport
import Testing

@testable import RawResult

extension JSONValue {
    /// A copy in which one value is another, or gone. The path names members, and array elements by their index.
    fileprivate func changing(_ path: String, to change: (JSONValue?) -> JSONValue?) -> JSONValue {
        changing(path.split(separator: "/").map(String.init)[...], change)
    }

    private func changing(_ path: ArraySlice<String>, _ change: (JSONValue?) -> JSONValue?) -> JSONValue {
        guard let name = path.first else { return self }
        let rest = path.dropFirst()
        func changed(_ value: JSONValue?) -> JSONValue? {
            rest.isEmpty ? change(value) : value?.changing(rest, change)
        }
        if var object {
            let index = object.members.firstIndex { $0.key == name }
            let value = changed(index.map { object.members[$0].value })
            switch (index, value) {
            case (let index?, let value?): object.members[index].value = value
            case (let index?, nil): object.members.remove(at: index)
            case (nil, let value?): object.append(name, value)
            case (nil, nil): break
            }
            return .object(object)
        }
        if var array, let index = Int(name), array.indices.contains(index) {
            array[index] = changed(array[index]) ?? .null
            return .array(array)
        }
        return self
    }
}

/// The published results (raw-result.md 14).
@Suite("Published raw results", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
struct PublishedResultTests {
    static let names = ["complete", "partial"]

    private static func response(_ name: String) throws -> JSONValue {
        try JSONParser.parse(try SharedFixtures.bytes("raw-result/strict-raw-\(name)-response.json"))
    }

    private static func scan(_ value: JSONValue) throws -> RawResponse {
        try Body.scan(JSONWriter.encode(value, style: .compact))
    }

    @Test("a response holds the result of the same name", arguments: names)
    func sameResult(name: String) throws {
        let result = try JSONParser.parse(try SharedFixtures.bytes("raw-result/raw-result-\(name).json"))
        #expect(try Self.response(name)["raw_result"] == result)
    }

    @Test("summary, missing dates and status follow from the days", arguments: names)
    func derived(name: String) throws {
        let published = try Self.response(name)
        let result = try #require(published["raw_result"])
        let days = try #require(result["days"]?.array)
        let statuses = days.compactMap { $0["status"]?.string }
        func sum(_ key: String) -> Int { days.reduce(0) { $0 + ($1[key]?.number?.int ?? 0) } }
        func count(_ status: String) -> JSONValue { .integer(statuses.filter { $0 == status }.count) }
        let queries = ["cancelled", "failure", "skipped", "success", "unsupported"].map { key in
            JSONObject.Member(
                key, .integer(days.reduce(0) { $0 + ($1["query_status_counts"]?[key]?.number?.int ?? 0) }))
        }
        let occurring = Set(statuses).sorted().map { JSONObject.Member($0, count($0)) }
        let summary: JSONValue = [
            "cancelled_day_count": count("cancelled"), "complete_day_count": count("complete"),
            "complete_empty_day_count": count("complete_empty"), "day_status_counts": .object(JSONObject(occurring)),
            "failed_day_count": count("failed"), "integrity_warning_count": .integer(sum("integrity_warning_count")),
            "missing_day_count": count("missing"), "partial_day_count": count("partial"),
            "partial_failure_count": .integer(sum("partial_failure_count")),
            "query_status_counts": .object(JSONObject(queries)), "record_count": .integer(sum("record_count")),
            "retained_day_count": .integer(days.filter { $0["health_data"] != nil }.count),
            "sample_count": .integer(sum("sample_count")), "warning_day_count": count("complete_with_warnings"),
        ]
        #expect(result["capture_summary"] == summary)
        let missing = days.filter { $0["status"] == "missing" }.compactMap { $0["date"] }
        #expect(result["missing_dates"] == .array(missing))
        let isPartial = statuses.contains { ["partial", "failed", "cancelled", "missing"].contains($0) }
        #expect(published["status"]?.string == (isPartial ? "partial_success" : "success"))
    }

    /// One change of the published complete response, and the code that it provokes.
    struct Mutation: Sendable, CustomTestStringConvertible {
        let path: String
        let value: JSONValue?
        let code: String

        init(_ path: String, _ value: JSONValue?, _ code: String) {
            self.path = path
            self.value = value
            self.code = code
        }

        var testDescription: String { "\(code) by \(path)" }
    }

    private static let date = "2026-03-15"
    private static let day = "raw_result/days/0"
    private static let document = "raw_result/days/0/health_data"
    private static let archive = "raw_result/days/0/health_data/healthkit_record_archive"

    @Test(
        "each code of the checks is provoked by one change",
        arguments: [
            Mutation("status", "accepted", "success_response_status_mismatch"),
            Mutation("status", nil, "success_response_status_mismatch"),
            Mutation("raw_result", nil, "raw_result_missing"),
            Mutation("raw_result", [], "raw_result_missing"),
            Mutation("raw_result/schema", "healthmd.raw_data", "raw_result_schema_mismatch"),
            Mutation("raw_result/schema_version", 2, "raw_result_schema_version_mismatch"),
            Mutation("raw_result/profile", "health_data_projection", "raw_result_profile_mismatch"),
            Mutation("raw_result/profile", "other", "raw_result_profile_mismatch"),
            Mutation(
                "raw_result/canonical_selection", ["detail_level": "summary"], "canonical_selection_missing"),
            Mutation(
                "raw_result/canonical_selection", ["detail_level": "all"], "canonical_selection_detail_mismatch"),
            Mutation("raw_result/created_at", nil, "raw_result_created_at_missing"),
            Mutation("raw_result/source_device_name", "", "raw_result_source_device_name_missing"),
            Mutation("raw_result/date_range", nil, "raw_result_date_range_missing"),
            Mutation("raw_result/date_range/end", nil, "raw_result_date_range_missing"),
            Mutation("raw_result/date_range/start", "2026-03-14", "raw_result_date_range_mismatch"),
            Mutation("raw_result/total_requested_days", 2, "raw_result_total_requested_days_mismatch"),
            Mutation("raw_result/total_requested_days", nil, "raw_result_total_requested_days_mismatch"),
            Mutation("raw_result/days", nil, "raw_result_days_missing"),
            Mutation("raw_result/capture_summary", nil, "raw_result_capture_summary_missing"),
            Mutation(
                "raw_result/capture_summary/retained_day_count", 0, "raw_result_capture_summary_mismatch"),
            Mutation("raw_result/capture_summary/missing_day_count", 1, "raw_result_capture_summary_mismatch"),
            Mutation("raw_result/missing_dates", nil, "raw_result_missing_dates_missing"),
            Mutation("raw_result/missing_dates", ["2026-03-15"], "raw_result_missing_dates_mismatch"),
            Mutation(day + "/date", nil, "raw_result_day_date_missing"),
            Mutation(day + "/date", "2026-02-30", "raw_result_date_set_mismatch"),
            Mutation(day + "/status", "missing", "raw_result_day_index_mismatch:" + date),
            Mutation(day + "/status", "whole", "raw_result_day_index_mismatch:" + date),
            Mutation(document, nil, "daily_health_data_missing:" + date),
            Mutation(document, [1], "daily_health_data_invalid_json:" + date),
            Mutation(document, "{}", "daily_health_data_invalid_json:" + date),
            Mutation(document + "/schema", "healthmd.healthkit_records", "daily_schema_mismatch:" + date),
            Mutation(document + "/schema_version", 9, "daily_schema_version_mismatch:" + date),
            Mutation(archive, nil, "canonical_archive_missing:" + date),
            Mutation(archive + "/schema", "healthmd.health_data", "canonical_archive_schema_mismatch:" + date),
            Mutation(archive + "/schema_version", 2, "canonical_archive_schema_version_mismatch:" + date),
        ])
    func mutations(_ mutation: Mutation) throws {
        let expectation = RawResponseCheck.Expectation(
            profile: "canonical_source_records_v1", range: (Self.date, Self.date))
        let published = try Self.response("complete")
        #expect(RawResponseCheck.issues(try Self.scan(published), expecting: expectation).isEmpty)
        let changed = published.changing(mutation.path) { _ in mutation.value }
        #expect(RawResponseCheck.issues(try Self.scan(changed), expecting: expectation).contains(mutation.code))
    }

    @Test("a day twice, and days in another order, have their codes")
    func dateSets() throws {
        let published = try Self.response("partial")
        let days = try #require(published["raw_result"]?["days"]?.array)
        func issues(_ days: [JSONValue]) throws -> [String] {
            RawResponseCheck.issues(
                try Self.scan(published.changing("raw_result/days") { _ in .array(days) }), expecting: .init())
        }
        #expect(try issues(days).isEmpty)
        #expect(try issues([days[0], days[0]]).contains("raw_result_duplicate_dates"))
        #expect(try issues(days.reversed()).contains("raw_result_date_set_mismatch"))
    }

    @Test("an archive that nobody asked for has its code")
    func archiveNotRequested() throws {
        let selection: JSONValue = [
            "detail_level": "summary", "field_pointers": [], "metric_ids": ["steps"], "object_paths": [],
            "source_ids": ["apple_health"],
        ]
        let projection = try Self.response("complete").changing("raw_result/canonical_selection") { _ in selection }
            .changing("raw_result/profile") { _ in "health_data_projection" }
        #expect(
            RawResponseCheck.issues(try Self.scan(projection), expecting: .init(profile: "health_data_projection"))
                == ["canonical_archive_not_requested_but_present:" + Self.date])
    }

    @Test("a response that is no object, and one with more days than any job, have their codes")
    func shapes() throws {
        func code(_ text: String) -> String? {
            do {
                _ = try Body.scan(text)
                return nil
            } catch let error as RawResultError {
                return error.code
            } catch {
                return "\(error)"
            }
        }
        for text in ["[]", "1", "\"{}\"", "null"] { #expect(code(text) == "success_response_not_object") }
        let days = Array(repeating: "{}", count: RawResponseScanner.dayCount)
        func body(_ days: [String]) -> String { #"{"raw_result":{"days":[\#(days.joined(separator: ","))]}}"# }
        #expect(code(body(days)) == nil)
        #expect(code(body(days + ["{}"])) == "malformed_streamed_json")
        let codes = Array(repeating: #""a""#, count: RawResponseScanner.codeCount)
        func listed(_ codes: [String]) -> String {
            body([#"{"integrity_warning_codes":[\#(codes.joined(separator: ","))]}"#])
        }
        #expect(code(listed(codes)) == nil)
        #expect(code(listed(codes + [#""a""#])) == "malformed_streamed_json")
    }
}
