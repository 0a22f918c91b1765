import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import Receiver

/// The documents of the control API, byte for byte (control-api.md 2, 4, 7, 12).
@Suite struct ControlAPIDocumentTests {
    static let responses = ["cancelled", "failure", "partial-success", "success", "timed-out", "unavailable"]

    /// The files end with a line feed, the bodies do not.
    private func fixture(_ name: String) throws -> [UInt8] {
        Array(try SharedFixtures.bytes("messages/control-\(name).json").dropLast())
    }

    @Test(
        "the published responses are what our response objects look like", .enabled(if: SharedFixtures.arePresent),
        arguments: responses)
    func publishedResponses(name: String) throws {
        let bytes = try fixture("export-response-" + name)
        let response = try ControlResponse(published: try JSONParser.parse(bytes))
        #expect(JSONValue.object(response.json).controlText == String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "the published status is our status without the keys that we add", .enabled(if: SharedFixtures.arePresent))
    func publishedStatus() throws {
        let bytes = try fixture("status")
        let published = try JSONParser.parse(bytes)
        let active = try #require(published["active_export"])
        let phone = ReceiverStatus.Phone(
            isConnected: published["iphone"]?["connected"]?.bool ?? false, name: published["iphone"]?["name"]?.string,
            canTriggerExports: published["iphone"]?["can_trigger_exports"]?.bool ?? false,
            canTriggerRawExports: published["iphone"]?["can_trigger_raw_exports"]?.bool ?? false)
        let status = ReceiverStatus(
            phone: phone, phones: [],
            destination: DestinationInformation(
                isSelected: true, isWritable: true, path: published["destination"]?["path"]?.string,
                displayName: published["destination"]?["display_name"]?.string),
            activeExport: ReceiverStatus.ActiveExport(
                jobID: try #require(UUID(uuidString: active["job_id"]?.string ?? "")),
                message: active["message"]?.string,
                durable: try DurableState(published: active, totalDays: active["total_days"]?.number?.int)))
        var object = try #require(status.json.object)
        #expect(object["receiver"] == "running")
        #expect(object["phones"] == [])
        object.members.removeAll { $0.key == "receiver" || $0.key == "phones" }
        #expect(JSONValue.object(object).controlText == String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "the published requests are taken, and come out of our style unchanged",
        .enabled(if: SharedFixtures.arePresent), arguments: ["strict-raw-request", "write-files-request"])
    func publishedRequests(name: String) throws {
        let bytes = try fixture(name)
        let request = try ExportRequestParser.parse(try RequestMembers(bytes))
        #expect(request.rawProfile == (name == "strict-raw-request" ? .canonicalSourceRecords : nil))
        #expect(request.responseMode == (name == "strict-raw-request" ? .rawJSON : .writeFiles))
        let first = try #require(CalendarDay("2026-03-15"))
        let last = try #require(CalendarDay("2026-03-16"))
        #expect(request.dateSelection == .explicitRange(first: first, last: last))
        #expect(request.waitTimeoutSeconds == 120)
        #expect(try JSONParser.parse(bytes).controlText == String(decoding: bytes, as: UTF8.self))
    }

    @Test("an empty array shows an empty line, a slash stays as it is, keys are sorted")
    func style() {
        #expect((["b": [], "a": "/x"] as JSONValue).controlText == "{\n  \"a\" : \"/x\",\n  \"b\" : [\n\n  ]\n}")
    }

    @Test("an open pairing is shown without its code")
    func openPairing() throws {
        let phone = ReceiverStatus.Phone()
        let pairing = PairingInformation(id: UUID(), state: .waiting, expiresAt: 1_700_000_000, codeStyle: .strong)
        let status = ReceiverStatus(
            phone: phone, phones: [phone], destination: DestinationInformation(), activeExport: nil,
            openPairing: pairing)
        #expect(status.json["open_pairing"]?["pairing_id"]?.string == pairing.id.uuidString)
        #expect(status.json["open_pairing"]?["code"] == nil)
    }

    @Test("optional members that are nil are left out, not null")
    func optionals() {
        let phone = ReceiverStatus.Phone()
        let status = ReceiverStatus(
            phone: phone, phones: [phone], destination: DestinationInformation(), activeExport: nil)
        let text = status.json.controlText
        #expect(!text.contains("null") && !text.contains("active_export") && !text.contains("name"))
    }

    @Test("an entry of the listing is the response object and what a listing adds")
    func listEntry() throws {
        let job = try #require(UUID(uuidString: "a1700000-0000-4000-8000-000000000001"))
        let day = try #require(CalendarDay("2026-03-15"))
        let entry = JobList.Entry(
            response: ControlResponse(status: .accepted, message: "Queued.", jobID: job), createdAt: 1_774_182_896,
            updatedAt: 1_774_182_897, origin: "mac_initiated", responseMode: .rawJSON,
            rawProfile: .healthDataProjection, dateRange: day...day, peerInstallationID: job, peerName: "Phone")
        let document = try JobList(jobs: [entry], nextCursor: "17.x").json()
        let expected: JSONValue = [
            "schema": "healthmd.job_list", "schema_version": 1, "next_cursor": "17.x",
            "jobs": [
                [
                    "status": "accepted", "message": "Queued.",
                    "job_id": "A1700000-0000-4000-8000-000000000001", "created_at": "2026-03-22T12:34:56Z",
                    "updated_at": "2026-03-22T12:34:57Z", "origin": "mac_initiated", "response_mode": "raw_json",
                    "raw_profile": "health_data_projection",
                    "date_range": ["start": "2026-03-15", "end": "2026-03-15"],
                    "peer": ["installation_id": "A1700000-0000-4000-8000-000000000001", "name": "Phone"],
                ]
            ],
        ]
        #expect(document.controlText == expected.controlText)
    }

    @Test("a time that has no text is an encoding failure, never a wrong date")
    func unrepresentableTime() {
        let device = PeerList.Device(
            installationID: UUID(), name: "", platform: "ios", pairingStrength: .strong, pairedAt: .max,
            lastConnectedAt: nil)
        #expect(throws: RouteError.encodeFailed) {
            try PeerList(installationID: UUID(), devices: [device]).json()
        }
    }
}

extension ControlResponse {
    /// The value that a published response object stands for.
    fileprivate init(published json: JSONValue) throws {
        self.init(
            status: try #require(Status(rawValue: json["status"]?.string ?? "")),
            message: try #require(json["message"]?.string), jobID: json["job_id"]?.string.flatMap(UUID.init),
            failureReason: json["failure_reason"]?.string)
        successCount = json["success_count"]?.number?.int
        totalCount = json["total_count"]?.number?.int
        filesWritten = json["files_written"]?.number?.int
        externalRecordCount = json["external_record_count"]?.number?.int
        destinationDisplayName = json["destination_display_name"]?.string
        destinationPath = json["destination_path"]?.string
        if json["durable"] != nil { durable = try DurableState(published: json, totalDays: totalCount) }
    }
}

extension DurableState {
    fileprivate init(published json: JSONValue, totalDays: Int?) throws {
        let expiry = try #require(json["expires_at"]?.string.flatMap { RFC3339.parse($0) })
        self.init(
            isDurable: json["durable"] == true,
            state: try #require(JobState(rawValue: json["state"]?.string ?? "")),
            sessionID: json["session_id"]?.string.flatMap(UUID.init),
            processedDays: try #require(json["processed_days"]?.number?.int), totalDays: try #require(totalDays),
            committedPartitions: try #require(json["committed_partitions"]?.number?.int),
            committedBytes: try #require(json["committed_bytes"]?.number?.int64),
            expiresAt: Int64(expiry) + Int64(RFC3339.referenceSince1970))
        #expect(isPaused == json["paused"]?.bool)
        #expect(fractionComplete == json["fraction_complete"]?.number?.double)
    }
}
