import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import RawResult

/// Bodies for the tests: two invented days, changed at will.
enum Body {
    static func day(_ date: String, status: String = "complete", document: String? = nil) -> String {
        let counts = #"{"cancelled":0,"failure":0,"skipped":0,"success":0,"unsupported":0}"#
        let data = document.map { #","health_data":\#($0)"# } ?? ""
        let code = status == "missing" ? #","failure_code":"missing_day""# : ""
        return #"{"date":"\#(date)"\#(code)\#(data),"integrity_warning_codes":[],"integrity_warning_count":0,"#
            + #""partial_failure_count":0,"partial_failure_types":[],"query_status_counts":\#(counts),"#
            + #""record_count":0,"sample_count":0,"status":"\#(status)"}"#
    }

    static func document(_ date: String, version: Int = 8, extra: String = "") -> String {
        #"{"date":"\#(date)","raw_capture_status":"not_requested","schema":"healthmd.health_data","schema_version":\#(version)\#(extra)}"#
    }

    static let selection =
        #""canonical_selection":{"detail_level":"summary","field_pointers":[],"metric_ids":["steps"],"object_paths":[],"source_ids":["apple_health"]},"#

    static func whole(
        days: [String]? = nil, status: String = "success", retained: Int = 2, missing: [String] = [],
        selection: String = selection, profile: String = "health_data_projection"
    ) -> String {
        let days =
            days ?? [
                day("2026-03-01", document: document("2026-03-01")),
                day("2026-03-02", document: document("2026-03-02")),
            ]
        let list = missing.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"job_id":"10B00000-0000-4000-8000-000000000001","message":"done","status":"\#(status)","raw_result":"#
            + #"{"schema":"healthmd.raw_result","schema_version":1,"profile":"\#(profile)",\#(selection)"#
            + #""created_at":"2026-03-03T00:00:00.000000000Z","source_device_name":"Test","#
            + #""date_range":{"end":"2026-03-02","start":"2026-03-01"},"total_requested_days":\#(days.count),"#
            + #""days":[\#(days.joined(separator: ","))],"capture_summary":{"missing_day_count":\#(missing.count),"#
            + #""retained_day_count":\#(retained)},"missing_dates":[\#(list)]}}"#
    }

    static func scan(_ text: String) throws -> RawResponse { try scan(Array(text.utf8)) }

    static func scan(_ bytes: [UInt8]) throws -> RawResponse {
        var offset = 0
        return try RawResponseScanner.scan { buffer in
            let count = min(buffer.count, bytes.count - offset, 777)
            buffer.copyBytes(from: bytes[offset..<offset + count])
            offset += count
            return count
        }
    }

    static func extract(_ text: String, _ format: Extraction.Format) throws -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        try extraction(bytes).write(format) { output.append(contentsOf: $0) }
        return String(decoding: output, as: UTF8.self)
    }

    static func extraction(_ bytes: [UInt8]) throws -> Extraction {
        Extraction(try scan(bytes)) { offset, buffer in
            let count = min(buffer.count, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<offset + count])
            return count
        }
    }
}

@Suite("Raw results")
struct RawResultTests {
    let range = RawResponseCheck.Expectation(range: ("2026-03-01", "2026-03-02"))

    @Test("an honest body has no issue")
    func honest() throws {
        #expect(RawResponseCheck.issues(try Body.scan(Body.whole()), expecting: range).isEmpty)
    }

    @Test(
        "the published responses have no issue",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence),
        arguments: ["strict-raw-complete-response.json", "strict-raw-partial-response.json"])
    func published(name: String) throws {
        let response = try Body.scan(try SharedFixtures.bytes("raw-result/" + name))
        #expect(RawResponseCheck.issues(response, expecting: .init(profile: "canonical_source_records_v1")).isEmpty)
    }

    @Test(
        "each issue is provoked by one change of a body",
        arguments: [
            (#""status":"success""#, #""status":"accepted""#, "success_response_status_mismatch"),
            (#""raw_result":{"#, #""raw_data":{"#, "raw_result_missing"),
            ("healthmd.raw_result", "healthmd.raw", "raw_result_schema_mismatch"),
            (#""schema_version":1,"profile""#, #""schema_version":2,"profile""#, "raw_result_schema_version_mismatch"),
            ("health_data_projection", "something_else", "raw_result_profile_mismatch"),
            (Body.selection, "", "canonical_selection_missing"),
            (#""detail_level":"summary""#, #""detail_level":"all""#, "canonical_selection_detail_mismatch"),
            (#""created_at""#, #""made_at""#, "raw_result_created_at_missing"),
            (#""source_device_name":"Test""#, #""source_device_name":"""#, "raw_result_source_device_name_missing"),
            (#""total_requested_days":2"#, #""total_requested_days":3"#, "raw_result_total_requested_days_mismatch"),
            (#""start":"2026-03-01""#, #""start":"2026-02-28""#, "raw_result_date_range_mismatch"),
            (#""start":"2026-03-01""#, #""begin":"2026-03-01""#, "raw_result_date_range_missing"),
            (#""missing_dates":[]"#, #""missing_dates":["2026-03-01"]"#, "raw_result_missing_dates_mismatch"),
            (#""missing_dates":[]"#, #""absent_dates":[]"#, "raw_result_missing_dates_missing"),
            (#""retained_day_count":2"#, #""retained_day_count":1"#, "raw_result_capture_summary_mismatch"),
            (#""capture_summary""#, #""summary""#, "raw_result_capture_summary_missing"),
            ("healthmd.health_data", "healthmd.other", "daily_schema_mismatch:2026-03-01"),
            (#""schema_version":8}"#, #""schema_version":7}"#, "daily_schema_version_mismatch:2026-03-01"),
            (#""health_data":{"#, #""other_data":{"#, "daily_health_data_missing:2026-03-01"),
            (
                #""schema_version":8}"#, #""schema_version":8,"healthkit_record_archive":{}}"#,
                "canonical_archive_not_requested_but_present:2026-03-01"
            ),
            (#""detail_level":"summary""#, #""detail_level":"lossless""#, "canonical_archive_missing:2026-03-01"),
            (#""days":[{"date":"2026-03-01""#, #""days":[{"date":"2026-03-02""#, "raw_result_duplicate_dates"),
            (#""days":[{"date""#, #""days":[{"day""#, "raw_result_day_date_missing"),
            (#""days":["#, #""dagen":["#, "raw_result_days_missing"),
        ])
    func issue(find: String, put: String, expected: String) throws {
        let body = Body.whole()
        let place = try #require(body.range(of: find))
        let response = try Body.scan(body.replacingCharacters(in: place, with: put))
        #expect(RawResponseCheck.issues(response, expecting: range).contains(expected))
    }

    @Test("a day without a document needs a partial response and a status that says why")
    func absentDay() throws {
        let days = [
            Body.day("2026-03-01", document: Body.document("2026-03-01")), Body.day("2026-03-02", status: "missing"),
        ]
        let partial = Body.whole(days: days, status: "partial_success", retained: 1, missing: ["2026-03-02"])
        #expect(RawResponseCheck.issues(try Body.scan(partial), expecting: range).isEmpty)
        let claimed = Body.whole(days: days, status: "success", retained: 1, missing: ["2026-03-02"])
        #expect(
            RawResponseCheck.issues(try Body.scan(claimed), expecting: range) == [
                "daily_health_data_missing:2026-03-02"
            ])
    }

    @Test("two document versions in one job are an issue")
    func mixedVersions() throws {
        let body = Body.whole(days: [
            Body.day("2026-03-01", document: Body.document("2026-03-01")),
            Body.day("2026-03-02", document: Body.document("2026-03-02", version: 10)),
        ])
        #expect(
            RawResponseCheck.issues(try Body.scan(body), expecting: range)
                == ["daily_schema_version_mismatch:2026-03-02"])
    }

    @Test("what is not strict JSON is refused")
    func malformed() {
        let texts = [
            String(repeating: "[", count: 300), #"{"status":"success","status":"success"}"#, #"{"a":01}"#,
            #"{"status":"\#(String(repeating: "x", count: 9_000))"}"#, "{}x", "[]",
            #"{"\#(String(repeating: "k", count: 1_025))":1}"#,
            #"{"a":\#(String(repeating: "1", count: 1_025))}"#,
        ]
        for text in texts {
            #expect(throws: (any Error).self, "\(text.prefix(20))") { try Body.scan(text) }
        }
    }

    @Test(
        "inside a document too: a repeated schema, deep nesting, 01, and a schema beyond 8,192 bytes are refused",
        arguments: [
            #","schema":"healthmd.health_data""#, #","a":01"#,
            #","a":\#(String(repeating: "[", count: 300))\#(String(repeating: "]", count: 300))"#,
            #","healthkit_record_archive":{"schema":"\#(String(repeating: "s", count: 9_000))"}"#,
            #","healthkit_record_archive":{"schema":"a","schema":"a"}"#,
            #","healthkit_record_archive":{},"healthkit_record_archive":{}"#,
        ])
    func malformedDocument(extra: String) throws {
        func body(_ extra: String) -> String {
            Body.whole(days: [
                Body.day("2026-03-01", document: Body.document("2026-03-01", extra: extra)),
                Body.day("2026-03-02", document: Body.document("2026-03-02")),
            ])
        }
        #expect(throws: Never.self) { try Body.scan(body(#","a":[0]"#)) }
        #expect(throws: (any Error).self) { try Body.scan(body(extra)) }
        let schema = String(repeating: "s", count: 9_000)
        let long = Body.whole().replacingOccurrences(of: "healthmd.health_data", with: schema)
        #expect(throws: (any Error).self) { try Body.scan(long) }
    }

    @Test(
        "invalid UTF-8 is refused wherever it stands: overlong, surrogate, cut off, beyond Unicode",
        arguments: [[0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0x80]]
            as [[UInt8]])
    func invalidUTF8(sequence: [UInt8]) throws {
        let body = Array(Body.whole().utf8)
        for place in ["done", "Test", "2026-03-02T", "steps"] {
            let found = try #require(body.firstRange(of: Array(place.utf8)) ?? body.firstRange(of: Array("done".utf8)))
            var broken = body
            broken.insert(contentsOf: sequence, at: found.lowerBound)
            #expect(throws: JSONError.self) { try Body.scan(broken) }
        }
    }

    @Test("a long string that nobody asked for passes")
    func longIgnoredString() throws {
        let body = Body.whole().replacingOccurrences(
            of: #""message":"done""#, with: #""message":"\#(String(repeating: "m", count: 2_097_152))""#)
        #expect(RawResponseCheck.issues(try Body.scan(body), expecting: range).isEmpty)
    }
}

@Suite("Extraction")
struct ExtractionTests {
    let exact = #","n":[9007199254740993,-0,1E+2,1.50,"é\u00e9"]"#

    private func body(pointers: String = "[]", first: String = "complete") -> String {
        let days = [
            Body.day("2026-03-01", status: first, document: Body.document("2026-03-01", extra: exact)),
            Body.day("2026-03-02", document: Body.document("2026-03-02")),
        ]
        return Body.whole(days: days).replacingOccurrences(
            of: #""object_paths":[]"#, with: #""object_paths":\#(pointers)"#)
    }

    @Test("documents come out as the bytes that went in")
    func unchanged() throws {
        let text = try Body.extract(body(), .json)
        #expect(text.hasPrefix(#"{"protocol":"healthmd.extract_result","protocol_version":1,"health_data":["#))
        #expect(text.contains(Body.document("2026-03-01", extra: exact) + "," + Body.document("2026-03-02") + "]"))
        _ = try JSONParser.parse(Array(text.utf8))
    }

    @Test("JSONL has one compact line a document")
    func lines() throws {
        let text = try Body.extract(
            body().replacingOccurrences(
                of: #""schema":"healthmd.health_data""#, with: "\"schema\" :\n\"healthmd.health_data\""), .jsonl)
        #expect(text.split(separator: "\n").count == 2)
        #expect(text.hasPrefix(Body.document("2026-03-01", extra: exact) + "\n"))
    }

    @Test(
        "a path that is not there says how complete the day is",
        arguments: [
            ("complete", "complete_empty"), ("complete_with_warnings", "complete_empty"), ("partial", "partial"),
        ])
    func absence(status: String, expected: String) throws {
        let text = try Body.extract(body(pointers: #"["/sleep","/n/0"]"#, first: status), .json)
        let result = try JSONParser.parse(Array(text.utf8))
        let selections = try #require(result["projections"]?.array?.first?["selections"]?.array)
        #expect(selections.map { $0["pointer"]?.string } == ["/n/0", "/sleep"])
        #expect(selections[0]["status"]?.string == "available")
        #expect(selections[0]["value"]?.number?.token == "9007199254740993")
        #expect(selections[1]["status"]?.string == expected)
        #expect(selections[1]["value"] == nil)
    }

    @Test("a missing day gives no projection; the receipt says why")
    func missingDay() throws {
        let days = [
            Body.day("2026-03-01", document: Body.document("2026-03-01")), Body.day("2026-03-02", status: "missing"),
        ]
        let body = Body.whole(days: days, status: "partial_success", retained: 1, missing: ["2026-03-02"])
            .replacingOccurrences(of: #""object_paths":[]"#, with: #""object_paths":["/sleep"]"#)
        let result = try JSONParser.parse(Array(try Body.extract(body, .json).utf8))
        #expect(result["projections"]?.array?.map { $0["source"]?["date"]?.string } == ["2026-03-01"])
        let day = result["receipt"]?["days"]?.array?.last
        #expect(day?["health_data_retained"] == false && day?["status"] == "missing")
        #expect(day?["failure_code"] == "missing_day")
        #expect(result["receipt"]?["missing_dates"] == ["2026-03-02"])
        let lines = try Body.extract(body, .jsonl)
        #expect(lines.split(separator: "\n").count == 1)
    }

    @Test("the receipt counts and leaves out what is empty")
    func receipt() throws {
        let receipt = try Body.extraction(Array(body().utf8)).receipt
        #expect(receipt["retained_item_count"]?.number?.int == 2)
        #expect(receipt["days"]?.array?.first?["sample_count"]?.number?.int == 0)
        #expect(receipt["days"]?.array?.first?["integrity_warning_codes"] == nil)
        #expect(receipt["days"]?.array?.first?["query_status_counts"] == nil)
    }

    @Test(
        "pointers are read by the book",
        arguments: [("/a~1b", "/a~1b"), ("", nil), ("a", nil), ("/~2", nil), ("/a\u{1}", nil), ("/~", nil)])
    func pointers(text: String, expected: String?) {
        #expect(JSONPointer(text)?.text == expected)
    }

    @Test("array elements are named by digits without a leading zero")
    func elements() throws {
        let document = try JSONParser.parse(Array(#"{"a":[1,2],"m~n":{"x/y":3}}"#.utf8))
        #expect(JSONPointer("/a/1")?.value(in: document) == 2)
        #expect(JSONPointer("/a/01")?.value(in: document) == nil)
        #expect(JSONPointer("/a/-")?.value(in: document) == nil)
        #expect(JSONPointer("/m~0n/x~1y")?.value(in: document) == 3)
    }
}
