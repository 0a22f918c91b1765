import CanonicalJSON
import HMDCItem
import TestSupport
import Testing

@testable import Receiver

private func source(_ text: String) -> ItemRegion { ItemRegion(ItemBytes(Array(text.utf8))) }

private let archive = #""healthkit_record_archive":{"schema":"healthmd.healthkit_records","schema_version":1}"#

private func document(_ date: String, version: Int = 10, _ extra: String = archive) -> String {
    #"{ "date": "\#(date)", "schema": "healthmd.health_data", "schema_version": \#(version), \#(extra) }"#
}

private func envelope(_ labels: [String], archive: Bool = true) -> RawResultComposer.Envelope {
    RawResultComposer.Envelope(
        profile: "canonical_source_records_v1", selection: nil, createdAt: 795_270_896.25,
        sourceDeviceName: "Synthetic/Phone", labels: labels, expectsArchive: archive, acceptedVersions: [8, 10])
}

private func compose(
    _ envelope: RawResultComposer.Envelope, _ days: [RawResultComposer.Day]
) throws -> (text: String, result: RawResultComposer.Result) {
    var bytes: [UInt8] = []
    let result = try RawResultComposer.compose(envelope, day: { days[$0] }, write: { bytes.append(contentsOf: $0) })
    return (String(decoding: bytes, as: UTF8.self), result)
}

private func day(
    _ label: String, _ text: String?, _ status: StrictRawDay.Status = .complete
) -> RawResultComposer.Day {
    let facts =
        switch status {
        case .missing: StrictRawDay(date: label, status: status, failureCode: "missing_day")
        case .cancelled: StrictRawDay(date: label, status: status, failureCode: "cancelled")
        case .failed: StrictRawDay(date: label, status: status, failureCode: "healthkit_error")
        case .complete, .completeEmpty, .completeWithWarnings, .partial:
            StrictRawDay(date: label, status: status, captureStatus: .notRequested, recordCount: 2, sampleCount: 1)
        }
    return RawResultComposer.Day(day: facts, document: text.map(source))
}

@Suite struct RawResultComposerTests {
    @Test("the envelope has its order, inner objects are sorted, documents are compacted in place")
    func bytes() throws {
        let text =
            #"{ "date" : "2026-03-15", "schema" : "healthmd.health_data", "schema_version" : 10,"#
            + #" "n" : [ 1.50E+3 , -0, 12345678901234567890 ], "s" : "a\/b \u00e9\n", "# + archive + " }\n"
        let (result, facts) = try compose(
            envelope(["2026-03-15", "2026-03-16"]), [day("2026-03-15", text), day("2026-03-16", nil, .missing)])
        #expect(
            result
                == #"{"schema":"healthmd.raw_result","schema_version":1,"profile":"canonical_source_records_v1","#
                + #""created_at":"2026-03-15T12:34:56.250000000Z","source_device_name":"Synthetic/Phone","#
                + #""date_range":{"end":"2026-03-16","start":"2026-03-15"},"total_requested_days":2,"days":["#
                + #"{"capture_status":"not_requested","date":"2026-03-15","health_data":{"date":"2026-03-15","#
                + #""schema":"healthmd.health_data","schema_version":10,"n":[1.50E+3,-0,12345678901234567890],"#
                + #""s":"a/b \u00e9\n",\#(archive)},"integrity_warning_codes":[],"integrity_warning_count":0,"#
                + #""partial_failure_count":0,"partial_failure_types":[],"query_status_counts":{"cancelled":0,"#
                + #""failure":0,"skipped":0,"success":0,"unsupported":0},"record_count":2,"sample_count":1,"#
                + #""status":"complete"},{"date":"2026-03-16","failure_code":"missing_day","#
                + #""integrity_warning_codes":[],"integrity_warning_count":0,"partial_failure_count":0,"#
                + #""partial_failure_types":[],"query_status_counts":{"cancelled":0,"failure":0,"skipped":0,"#
                + #""success":0,"unsupported":0},"record_count":0,"sample_count":0,"status":"missing"}],"#
                + #""capture_summary":{"cancelled_day_count":0,"complete_day_count":1,"complete_empty_day_count":0,"#
                + #""day_status_counts":{"complete":1,"missing":1},"failed_day_count":0,"integrity_warning_count":0,"#
                + #""missing_day_count":1,"partial_day_count":0,"partial_failure_count":0,"query_status_counts":"#
                + #"{"cancelled":0,"failure":0,"skipped":0,"success":0,"unsupported":0},"record_count":2,"#
                + #""retained_day_count":1,"sample_count":1,"warning_day_count":0},"#
                + #""missing_dates":["2026-03-16"]}"#)
        #expect(facts.summary.isPartial && facts.summary.retainedDayCount == 1 && facts.documentVersion == 10)
    }

    @Test("each broken rule is named with its day")
    func issues() {
        func issue(
            _ text: String?, _ status: StrictRawDay.Status = .complete, label: String = "2026-03-15",
            archive: Bool = true
        ) -> String? {
            do {
                _ = try compose(envelope(["2026-03-15"], archive: archive), [day(label, text, status)])
                return nil
            } catch let refusal as RawResultComposer.Refusal {
                return refusal.issue.code
            } catch {
                return "\(error)"
            }
        }
        let date = "2026-03-15"
        #expect(issue(document(date)) == nil)
        #expect(issue(document(date, version: 8)) == nil)
        #expect(issue(document(date), label: "2026-03-14") == "raw_result_date_set_mismatch")
        #expect(issue(nil) == "daily_health_data_missing:\(date)")
        #expect(issue(nil, .failed) == nil)
        #expect(issue("[1]") == "daily_health_data_invalid_json:\(date)")
        #expect(issue("{\"a\":01}") == "daily_health_data_invalid_json:\(date)")
        #expect(issue("{\"a\":1,\"a\":2}") == "daily_health_data_invalid_json:\(date)")
        #expect(issue(document("2026-03-14")) == "daily_health_data_invalid_json:\(date)")
        #expect(issue(document(date) + "x") == "daily_health_data_invalid_json:\(date)")
        #expect(
            issue(document(date).replacing("healthmd.health_data", with: "other")) == "daily_schema_mismatch:\(date)")
        #expect(issue(document(date, version: 9)) == "daily_schema_version_mismatch:\(date)")
        #expect(issue(document(date, #""x":1"#)) == "canonical_archive_missing:\(date)")
        #expect(issue(document(date, #""x":1"#), archive: false) == nil)
        #expect(issue(document(date), archive: false) == "canonical_archive_not_requested_but_present:\(date)")
        #expect(
            issue(document(date).replacing("healthkit_records\"", with: "other\""))
                == "canonical_archive_schema_mismatch:\(date)")
        #expect(
            issue(document(date, archive.replacing("\"schema_version\":1", with: "\"schema_version\":2")))
                == "canonical_archive_schema_version_mismatch:\(date)")
    }

    private func issue(_ facts: StrictRawDay, document text: String? = nil) -> String? {
        do {
            _ = try compose(envelope([facts.date]), [RawResultComposer.Day(day: facts, document: text.map(source))])
            return nil
        } catch let refusal as RawResultComposer.Refusal {
            return refusal.issue.code
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "a failed, cancelled or missing day with a document, counts, a capture status or a foreign reason is refused",
        arguments: [
            (StrictRawDay.Status.failed, "healthkit_error"), (.cancelled, "cancelled"), (.missing, "missing_day"),
        ])
    func blankDays(_ status: StrictRawDay.Status, _ code: String) {
        let date = "2026-03-15"
        let blank = StrictRawDay(date: date, status: status, failureCode: code)
        func changed(_ change: (inout StrictRawDay) -> Void) -> String? {
            var day = blank
            change(&day)
            return issue(day)
        }
        let refusal = "raw_result_day_index_mismatch:\(date)"
        #expect(issue(blank) == nil)
        #expect(issue(blank, document: document(date)) == refusal)
        #expect(changed { $0.captureStatus = .complete } == refusal)
        #expect(changed { $0.recordCount = 1 } == refusal)
        #expect(changed { $0.sampleCount = 1 } == refusal)
        #expect(changed { $0.queryStatusCounts.success = 1 } == refusal)
        #expect(changed { $0.partialFailureCount = 1 } == refusal)
        #expect(changed { $0.partialFailureTypes = ["steps"] } == refusal)
        #expect(changed { $0.integrityWarningCount = 1 } == refusal)
        #expect(changed { $0.integrityWarningCodes = ["gap"] } == refusal)
        #expect(changed { $0.failureCode = nil } == refusal)
        #expect(changed { $0.failureCode = "other" } == (status == .failed ? nil : refusal))
    }

    @Test("counts that are negative or have no sum are refused, whichever they are")
    func hostileCounts() {
        let date = "2026-03-15"
        let counts: [WritableKeyPath<StrictRawDay, Int>] = [
            \.sampleCount, \.recordCount, \.integrityWarningCount, \.partialFailureCount,
            \.queryStatusCounts.cancelled, \.queryStatusCounts.failure, \.queryStatusCounts.skipped,
            \.queryStatusCounts.success, \.queryStatusCounts.unsupported,
        ]
        for count in counts {
            func day(_ date: String, _ value: Int) -> RawResultComposer.Day {
                var facts = StrictRawDay(date: date, status: .partial, captureStatus: .partial)
                facts[keyPath: count] = value
                return RawResultComposer.Day(day: facts, document: source(document(date)))
            }
            let next = "2026-03-16"
            #expect(throws: RawResultComposer.Refusal(issue: .captureSummary)) {
                try compose(envelope([date]), [day(date, -1)])
            }
            #expect(throws: RawResultComposer.Refusal(issue: .captureSummary)) {
                try compose(envelope([date, next]), [day(date, .max), day(next, 1)])
            }
            #expect(throws: Never.self) {
                try compose(envelope([date, next]), [day(date, .max - 1), day(next, 1)])
            }
        }
        #expect(RawResultIssue.captureSummary.code == "raw_result_capture_summary_mismatch")
    }

    @Test("lists that no reader would take are refused: more than 256 codes, codes beyond 128 bytes or with controls")
    func codes() {
        let date = "2026-03-15"
        func check(_ codes: [String]) -> [String?] {
            var warnings = StrictRawDay(date: date, status: .completeWithWarnings, captureStatus: .complete)
            warnings.integrityWarningCodes = codes
            var types = StrictRawDay(date: date, status: .partial, captureStatus: .partial)
            types.partialFailureTypes = codes
            return [issue(warnings, document: document(date)), issue(types, document: document(date))]
        }
        let refusal = "raw_result_day_codes_invalid:\(date)"
        let longest = String(repeating: "x", count: 128)
        #expect(check((0..<256).map { "code_\($0)" }) == [nil, nil])
        #expect(check((0..<257).map { "code_\($0)" }) == [refusal, refusal])
        #expect(check([longest]) == [nil, nil])
        #expect(check([longest + "x"]) == [refusal, refusal])
        #expect(check([""]) == [refusal, refusal])
        #expect(check(["a\nb"]) == [refusal, refusal])
    }

    @Test("one document version per job")
    func oneVersion() {
        #expect(throws: RawResultComposer.Refusal(issue: .documentVersion(date: "2026-03-16"))) {
            try compose(
                envelope(["2026-03-15", "2026-03-16"]),
                [day("2026-03-15", document("2026-03-15", version: 8)), day("2026-03-16", document("2026-03-16"))])
        }
    }

    @Test(
        "the published results are composed again from their days",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence), arguments: ["complete", "partial"])
    func published(name: String) throws {
        let bytes = try SharedFixtures.bytes("raw-result/raw-result-\(name).json")
        let published = try JSONParser.parse(bytes)
        let days = try #require(published["days"]?.array)
        let labels = try days.map { try #require($0["date"]?.string) }
        var envelope = envelope(labels)
        envelope.createdAt = 795_270_896
        envelope.sourceDeviceName = try #require(published["source_device_name"]?.string)
        let parts = try days.map { value in
            let codes = value["integrity_warning_codes"]?.array?.compactMap(\.string) ?? []
            let types = value["partial_failure_types"]?.array?.compactMap(\.string) ?? []
            func count(_ key: String, in object: JSONValue? = nil) -> Int { (object ?? value)[key]?.number?.int ?? -1 }
            let queries = value["query_status_counts"]
            let facts = StrictRawDay(
                date: try #require(value["date"]?.string),
                status: try #require(StrictRawDay.Status(rawValue: value["status"]?.string ?? "")),
                failureCode: value["failure_code"]?.string,
                captureStatus: value["capture_status"].map { $0 == "complete" ? .complete : .partial },
                recordCount: count("record_count"), sampleCount: count("sample_count"),
                queryStatusCounts: .init(
                    cancelled: count("cancelled", in: queries), failure: count("failure", in: queries),
                    skipped: count("skipped", in: queries), success: count("success", in: queries),
                    unsupported: count("unsupported", in: queries)),
                partialFailureCount: count("partial_failure_count"), partialFailureTypes: types,
                integrityWarningCount: count("integrity_warning_count"), integrityWarningCodes: codes)
            let text = value["health_data"].map { JSONWriter.encode($0, style: .readable) }
            return RawResultComposer.Day(day: facts, document: text.map { ItemRegion(ItemBytes($0)) })
        }
        let (text, _) = try compose(envelope, parts)
        let composed = try JSONParser.parse(Array(text.utf8))
        func sorted(_ value: JSONValue) -> [UInt8] { JSONWriter.encode(value, style: .compactSorted) }
        #expect(sorted(composed) == sorted(published))
    }
}
