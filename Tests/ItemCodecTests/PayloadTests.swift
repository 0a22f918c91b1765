import Foundation
import HMDCItem
import Testing

/// The payloads of both kinds (hmdcitem.md 6 and 7), and the texts of errors.
@Suite struct PayloadTests {
    @Test("a provider record keeps its free JSON, whose numbers are all doubles")
    func provider() throws {
        let payload = ExternalDailyRecord.Payload(
            name: "sleep", endpoint: "/v1/sleep", statusCode: 200, fetchedAt: FixtureTests.instant,
            data: .object(["a": .number(1), "b": .array([.null, .bool(false), .string("é"), .object([:])])]))
        let envelope = HealthDayEnvelope<ItemNode>(
            sourceDate: FixtureTests.instant, isRequestedDate: true,
            externalDailyRecords: [
                ExternalDailyRecord(
                    provider: "whoop", providerDisplayName: "Whoop", date: "2023-11-14",
                    fetchedAt: FixtureTests.instant, payloads: [payload], warnings: ["w"])
            ])
        let node = try ItemEncoder().node(of: envelope)
        guard case .array(let records) = node["externalDailyRecords"],
            case .array(let payloads) = records[0]["payloads"]
        else { return #expect(Bool(false)) }
        #expect(records[0]["schema"] == .string("healthmd.external_provider_daily"))
        #expect(records[0]["schema_version"] == .signed(1))
        #expect(payloads[0]["status_code"] == .signed(200) && payloads[0]["error"] == nil)
        #expect(payloads[0]["data"]?["a"] == .double(1))
        #expect(payloads[0]["data"]?["b"] == .array([.null, .bool(false), .string("é"), .object([])]))
        let bytes = try ItemEncoder().encode(envelope, kind: .macHealthDay)
        #expect(
            try ItemDecoder().decode(HealthDayEnvelope<ItemNode>.self, from: bytes, kind: .macHealthDay) == envelope)
        #expect(try ItemJSON.decode(HealthDayEnvelope<ItemNode>.self, from: ItemJSON.encode(envelope)) == envelope)
    }

    @Test("free JSON takes no tag that JSON does not have")
    func freeJSON() throws {
        for node in DecodingTests.everyTag {
            let isJSON = [.object, .array, .null, .boolean, .double, .string].contains(node.tag)
            let error = try itemError { _ = try ItemDecoder().decode([FreeJSON].self, from: .array([node])) }
            #expect(error?.code == (isJSON ? nil : "value_refused"))
        }
    }

    @Test("a failure of another date than its day is refused")
    func failureDate() throws {
        func node(_ date: Double) -> ItemNode {
            .object(sorting: [
                ("externalDailyRecords", .array([])), ("isRequestedDate", .bool(true)), ("sourceDate", .date(1)),
                ("failure", .object(sorting: [("date", .date(date)), ("reason", .string("unknown"))])),
            ])
        }
        let right = try ItemDecoder().decode(HealthDayEnvelope<ItemNode>.self, from: node(1))
        #expect(right.failure?.reason == .unknown)
        #expect(
            try itemError { _ = try ItemDecoder().decode(HealthDayEnvelope<ItemNode>.self, from: node(2)) }?.code
                == "value_refused")
    }

    @Test("every key of a raw day stands under its published name")
    func rawDayKeys() throws {
        let day = StrictRawDay(
            date: "2023-11-14", status: .completeWithWarnings, failureCode: "x", captureStatus: .legacyUnavailable,
            canonicalDailyJSON: .inMemory("{}"))
        guard case .object(let entries) = try ItemEncoder().node(of: day) else { return #expect(Bool(false)) }
        #expect(
            entries.map(\.key) == [
                "canonical_daily_json", "capture_status", "date", "failure_code", "integrity_warning_codes",
                "integrity_warning_count", "partial_failure_count", "partial_failure_types", "query_status_counts",
                "record_count", "sample_count", "status",
            ])
        #expect(entries[1].value == .string("legacyUnavailable"))
        #expect(entries[11].value == .string("complete_with_warnings"))
    }

    @Test("every refusal has its own code, an expectation and a next step")
    func errorTexts() {
        var seen: [String: Set<String>] = [:]
        for entry in RejectionTests.table {
            guard case .rejected(let rejection, _) = entry.expected, let error = entry.expected else { continue }
            #expect(!error.expectation.isEmpty && error.nextStep.hasSuffix("."))
            #expect(error.description.hasPrefix("\(rejection.code) at byte "))
            let name = "\(rejection)".prefix { $0 != "(" }
            seen[rejection.code, default: []].insert(String(name))
        }
        #expect(seen.values.allSatisfy { $0.count == 1 } && seen.count >= 25)
        for refusal in ItemRefusal.allCases {
            let error = ItemError.refused(refusal, path: "a.b[1]")
            #expect(error.offset == nil && error.description.contains("a.b[1]") && error.nextStep.hasSuffix("."))
        }
        for fault in ItemTextFault.allCases {
            let error = ItemError.text(fault, offset: 7)
            #expect(error.offset == 7 && error.code == fault.rawValue && error.nextStep.hasSuffix("."))
        }
        #expect(ItemRejection.notPrivateRegularFile.rule == 1)
    }

    @Test("descriptions tell kinds and sizes, never values")
    func redaction() {
        let secret = "secret"
        let region = ItemRegion(ItemBytes(Array(secret.utf8)))
        let texts: [Any] = [
            ItemNode.object(sorting: [(secret, .string(secret))]), ItemNode.array([.string(secret)]),
            ItemNode.string(secret), ItemNode.data(Array(secret.utf8)), ItemNode.streamedString(region),
            ItemText.inMemory(secret), ItemText.streamed(region), ItemData.streamed(region), FreeJSON.string(secret),
            FreeJSON.object([secret: .string(secret)]), [ItemNode.string(secret)],
            StreamingTests.rawDay(.inMemory(secret)),
        ]
        for value in texts { #expect(!"\(value)".contains(secret)) }
        #expect("\(ItemNode.signed(7_123))" == "signed" && "\(FreeJSON.number(7_123))" == "number")
    }
}
