import CanonicalJSON
import ConnectedProtocol
import Foundation
import HealthData
import TestSupport
import Testing

@testable import Receiver

/// What `POST /v1/exports` takes and refuses (control-api.md 5, extensions.md 5).
@Suite struct ControlAPIRequestTests {
    private static let range = #""date_range":{"start":"2026-03-15","end":"2026-03-16"}"#
    private static let projection = #""response_mode":"raw_json","raw_profile":"health_data_projection""#

    private func parse(_ text: String) throws(ExportRequestError) -> JobRequest {
        try ExportRequestParser.parse(try RequestMembers(Array(text.utf8)))
    }

    private func code(_ text: String) -> String? {
        do throws(ExportRequestError) {
            _ = try parse(text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("the defaults are those of the table")
    func defaults() throws {
        let request = try parse("{\(Self.range)}")
        #expect(request.settingsPolicy == .requestedDatesOnly)
        #expect(request.responseMode == .writeFiles)
        #expect(request.rawProfile == nil && request.canonicalSelection == nil && request.deviceID == nil)
        #expect(request.destination == nil && !request.queueIfOffline)
        #expect(request.waitTimeoutSeconds == 300)
    }

    @Test("aliases, the legacy range, null members and unknown keys are taken")
    func lenience() throws {
        let request = try parse(
            #"{"from":"2026-03-15","to":"2026-03-15","date_selection":"explicitRange","date_range":null,"x":[1],"#
                + #""settings_policy":"currentIPhoneSettings","response_mode":"writeFiles","#
                + #""job_id":"a1700000-0000-4000-8000-000000000001","queue_if_offline":true,"#
                + #""device_id":"A1700000-0000-4000-8000-00000000000a","destination":"/tmp/Health"}"#)
        #expect(request.settingsPolicy == .currentIPhoneSettings)
        #expect(request.jobID.uuidString == "A1700000-0000-4000-8000-000000000001")
        #expect(request.queueIfOffline && request.destination == "/tmp/Health")
        #expect(request.deviceID?.uuidString == "A1700000-0000-4000-8000-00000000000A")
        #expect(try parse(#"{"date_selection":"allAvailable"}"#).dateSelection == .allAvailable)
        #expect(try parse(#"{\#(Self.range),"response_mode":"rawJSON"}"#).responseMode == .rawJSON)
    }

    private static let broken: [(body: String, code: String)] = [
        ("", "invalid_json"), ("[]", "invalid_json"), ("{", "invalid_json"), ("{\"a\":1,\"a\":1}", "invalid_json"),
        (#"{\#(range),"source":1}"#, "invalid_json"),
        (#"{"date_range":"2026-03-15"}"#, "invalid_json"),
        (#"{\#(range),"queue_if_offline":"yes"}"#, "invalid_json"),
        (#"{\#(range),"wait_timeout_seconds":"60"}"#, "invalid_json"),
        (#"{\#(range),"canonical_selection":{"metric_ids":[1]}}"#, "invalid_json"),
        (#"{\#(range),"job_id":"1"}"#, "invalid_job_id"),
        (#"{\#(range),"source":"android"}"#, "unsupported_source"),
        ("{}", "invalid_date_range"),
        (#"{"date_range":{"start":"2026-03-15"}}"#, "invalid_date_range"),
        (#"{"date_range":{"start":"2026-02-29","end":"2026-03-01"}}"#, "invalid_date_range"),
        (#"{"date_range":{"start":"2026-3-15","end":"2026-03-16"}}"#, "invalid_date_range"),
        (#"{"date_range":{"start":"2026-03-16","end":"2026-03-15"}}"#, "invalid_date_range"),
        (#"{"date_range":{"start":"0001-01-01","end":"9999-12-31"}}"#, "invalid_date_range"),
        (#"{"date_range":{"start":"1970-01-01","end":"2070-03-17"}}"#, "invalid_date_range"),
        (#"{\#(range),"from":"2026-03-15","to":"2026-03-15"}"#, "invalid_date_range"),
        (#"{\#(range),"date_selection":"all_available"}"#, "ambiguous_date_selection"),
        (#"{"to":"2026-03-15","date_selection":"all_available"}"#, "ambiguous_date_selection"),
        (#"{\#(range),"date_selection":"yesterday"}"#, "unsupported_date_selection"),
        (#"{\#(range),"settings_policy":"mine"}"#, "unsupported_settings_policy"),
        (#"{\#(range),"response_mode":"xml"}"#, "unsupported_response_mode"),
        (#"{\#(range),"raw_profile":"fhir","response_mode":"raw_json"}"#, "unsupported_raw_profile"),
        (#"{\#(range),"raw_profile":"health_data_projection"}"#, "raw_profile_requires_raw_json"),
        (#"{\#(range),\#(projection)}"#, "projection_selection_mismatch"),
        (#"{\#(range),"wait_timeout_seconds":4.999}"#, "invalid_timeout"),
        (#"{\#(range),"wait_timeout_seconds":900.001}"#, "invalid_timeout"),
        (#"{\#(range),"wait_timeout_seconds":1e999}"#, "invalid_timeout"),
        (#"{\#(range),"device_id":"phone"}"#, "invalid_device_id"),
        (#"{\#(range),"destination":"Health"}"#, "invalid_destination"),
        (#"{\#(range),"destination":"/a","response_mode":"raw_json"}"#, "invalid_destination"),
    ]

    @Test("each rule has its code", arguments: broken)
    func codes(body: String, expected: String) {
        #expect(code(body) == expected)
    }

    @Test("five and nine hundred seconds are taken", arguments: [5.0, 900.0])
    func timeoutLimits(seconds: Double) throws {
        #expect(try parse("{\(Self.range),\"wait_timeout_seconds\":\(seconds)}").waitTimeoutSeconds == seconds)
    }

    @Test("as many days as a phone accepts are taken, one more is not")
    func longestRange() throws {
        let longest = try parse(#"{"date_range":{"start":"1970-01-01","end":"2070-03-16"}}"#)
        guard case .explicitRange(let first, let last) = longest.dateSelection else {
            Issue.record("no explicit range")
            return
        }
        #expect(last.daysSince1970 - first.daysSince1970 + 1 == RequestAcceptance.maximumDays)
    }

    @Test("an unknown metric is named, printable and short")
    func unknownMetricIsNamed() {
        func message(_ selection: String) -> String? {
            do throws(ExportRequestError) {
                _ = try parse(
                    #"{\#(Self.range),"response_mode":"raw_json","raw_profile":"health_data_projection","canonical_selection":{\#(selection)}}"#
                )
                return nil
            } catch {
                return error.message
            }
        }
        #expect(message(#""metric_ids":["steps","stepz"]"#)?.contains("“stepz”") == true)
        #expect(message(#""categories":["Hart"]"#)?.contains("“hart”") == true)
        let strange = message(#""metric_ids":["a\u001b[31m\#(String(repeating: "x", count: 90))"]"#)
        #expect(strange?.contains("“a?[31mxxx") == true && strange?.contains("\u{1B}") == false)
    }

    @Test("the first rule that is broken answers")
    func order() {
        // Every step is broken; mending one at a time shows the order.
        let steps: [(broken: String, mended: String, code: String)] = [
            (#""source":"x""#, #""source":"connected_iphone""#, "unsupported_source"),
            (#""date_range":{}"#, Self.range, "invalid_date_range"),
            (#""settings_policy":"x""#, #""settings_policy":"current_iphone_settings""#, "unsupported_settings_policy"),
            (#""response_mode":"x""#, #""response_mode":"raw_json""#, "unsupported_response_mode"),
            (#""raw_profile":"x""#, #""raw_profile":"canonical_source_records_v1""#, "unsupported_raw_profile"),
            (
                #""canonical_selection":{"metric_ids":["x"]}"#, #""x":1"#,
                "canonical_selection_requires_projection_or_files"
            ),
            (#""wait_timeout_seconds":1"#, #""wait_timeout_seconds":60"#, "invalid_timeout"),
            (#""device_id":"x""#, #""y":1"#, "invalid_device_id"),
            (#""destination":"x""#, #""z":1"#, "invalid_destination"),
        ]
        for mended in 0...steps.count {
            let members = steps.enumerated().map { $0 < mended ? $1.mended : $1.broken }
            #expect(
                code("{" + members.joined(separator: ",") + "}") == (mended < steps.count ? steps[mended].code : nil))
        }
    }

    // MARK: The selection

    private func selectionCode(_ selection: String, files: Bool = false) -> String? {
        code(
            "{\(Self.range),\(files ? #""response_mode":"write_files""# : Self.projection),\"canonical_selection\":{\(selection)}}"
        )
    }

    private func list(_ name: String, _ values: [String]) -> String {
        "\"\(name)\":[" + values.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    @Test("the rules of a selection have their codes, in their order")
    func selectionCodes() {
        let selection = #""canonical_selection":{"all_metrics":true}"#
        #expect(
            code(#"{\#(Self.range),"settings_policy":"current_iphone_settings",\#(selection)}"#)
                == "canonical_selection_requires_requested_settings")
        #expect(
            code(#"{\#(Self.range),"response_mode":"raw_json",\#(selection)}"#)
                == "canonical_selection_requires_projection_or_files")
        #expect(selectionCode(#""metric_ids":["steps","steps","nope"]"#) == "invalid_canonical_selection")
        #expect(
            selectionCode(#""categories":["Body Measurements","body_measurements"]"#) == "invalid_canonical_selection")
        #expect(selectionCode(#""all_metrics":true,"categories":["Heart"]"#) == "invalid_canonical_selection")
        #expect(selectionCode(#""metric_ids":["nope"],"categories":["nope"]"#) == "unknown_metric")
        #expect(selectionCode(#""categories":["nope"]"#) == "unknown_metric_category")
        #expect(selectionCode(#""source_ids":["garmin"]"#) == "empty_canonical_selection")
        let steps = #""metric_ids":["steps"]"#
        #expect(selectionCode(steps + #","source_ids":[],"detail_level":"x""#) == "unsupported_canonical_source")
        #expect(
            selectionCode(steps + #","source_ids":["apple_health","apple_health"]"#) == "unsupported_canonical_source")
        #expect(selectionCode(steps + #","detail_level":"full","object_paths":["x"]"#) == "unsupported_detail_level")
        #expect(
            selectionCode(steps + #","field_pointers":["x"]"#, files: true)
                == "field_projection_requires_health_data_projection")
        #expect(selectionCode(steps + #","field_pointers":["heart"]"#) == "invalid_canonical_path")
        #expect(selectionCode(steps, files: true) == nil)
    }

    @Test("512 metrics, 64 categories, 128 object paths and 256 field pointers are the limits")
    func selectionLimits() {
        let names = (0..<513).map { "m\($0)" }
        #expect(selectionCode(list("metric_ids", names)) == "invalid_canonical_selection")
        #expect(selectionCode(list("metric_ids", names.dropLast())) == "unknown_metric")
        #expect(selectionCode(list("categories", Array(names[..<65]))) == "invalid_canonical_selection")
        #expect(selectionCode(list("categories", Array(names[..<64]))) == "unknown_metric_category")
        let steps = #""metric_ids":["steps"],"#
        let pointers = names.map { "/" + $0 }
        #expect(selectionCode(steps + list("object_paths", Array(pointers[..<129]))) == "invalid_canonical_path")
        #expect(selectionCode(steps + list("object_paths", Array(pointers[..<128]))) == nil)
        #expect(selectionCode(steps + list("field_pointers", Array(pointers[..<257]))) == "invalid_canonical_path")
        #expect(selectionCode(steps + list("field_pointers", Array(pointers[..<256]))) == nil)
    }

    private static let pointers: [(pointer: String, isTaken: Bool)] = [
        ("/heart", true), ("/a~0b~1c", true), ("/" + String(repeating: "a", count: 1_023), true),
        ("/" + String(repeating: "a", count: 1_024), false), ("", false), ("heart", false), ("/a~", false),
        ("/a~2", false), (#"/a\u0001"#, false), (#"/a\u007f"#, false), ("/é", true),
    ]

    @Test(
        "a JSON Pointer starts with a slash, has at most 1,024 bytes, no control character, and ~ only as ~0 or ~1",
        arguments: pointers)
    func pointerRule(pointer: String, isTaken: Bool) {
        let result = selectionCode(#""metric_ids":["steps"],"field_pointers":["\#(pointer)"]"#)
        #expect(result == (isTaken ? nil : "invalid_canonical_path"))
    }

    @Test("categories and all_metrics become metric ids, sorted and unique")
    func expansion() throws {
        let selection = #""canonical_selection":{"metric_ids":["weight","steps"],"categories":["BODY-measurements"]}"#
        let request = try parse("{\(Self.range),\(selection)}")
        let body = Registry.current.metrics.filter { $0.category == "Body Measurements" }.map(\.id)
        #expect(body.contains("weight"))
        #expect(request.canonicalSelection?.metricIDs == Set(body + ["steps"]).sorted())
        #expect(request.canonicalSelection?.sourceIDs == ["apple_health"])
        #expect(request.canonicalSelection?.detailLevel == .summary)
        let all = try parse(#"{\#(Self.range),"canonical_selection":{"all_metrics":true,"detail_level":"lossless"}}"#)
        #expect(all.canonicalSelection?.metricIDs.count == Registry.current.metrics.count)
        #expect(all.canonicalSelection?.detailLevel == .lossless)
    }
}
