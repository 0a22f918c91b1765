import CanonicalJSON
import Foundation
import HealthData
import Testing

@testable import Receiver

/// Paths, methods, queries, and what each route hands over and gives back (control-api.md 3, 10, 12, 13).
@Suite struct ControlAPIRouteTests {
    private static let id = "a1700000-0000-4000-8000-000000000001"
    private let job = UUID(uuidString: ControlAPIRouteTests.id)!

    @Test(
        "a path that is not exactly a route is not found",
        arguments: [
            "/", "/v1", "/v1/", "/v1/status/", "//v1/status", "/v1//status", "/V1/status", "/v1/Status",
            "/v1/statu%73", "/v1/exports/", "/v1/exports/1", "/v1/exports/\(id)/", "/v1/exports/\(id)/pause",
            "/v1/exports/\(id)/resume/now", "/v1/exports//resume", "/v1/exports/{\(id)}", "/v1/exports/\(id)0",
            "/v1/exports/a17000000000-4000-8000-000000000001", "/v1/pairing/x", "/v1/pairing/\(id)/deny",
            "/v1/peers/x", "/v1/peers/\(id)/x", "/v1/destination/x", "/v2/status", "*",
            "http://127.0.0.1/v1/status",
        ])
    func unknownPaths(path: String) throws {
        #expect(throws: RouteError.notFound) { try ControlRoute.find(method: "GET", path: path) }
    }

    @Test(
        "a known path says which methods it takes",
        arguments: [
            ("POST", "/v1/status", "GET"), ("PUT", "/v1/exports", "GET, POST"), ("DELETE", "/v1/exports/\(id)", "GET"),
            ("GET", "/v1/exports/\(id)/resume", "POST"), ("GET", "/v1/exports/\(id)/cancel", "POST"),
            ("GET", "/v1/exports/\(id)/verify", "POST"), ("GET", "/v1/pairing", "POST"),
            ("PUT", "/v1/pairing/\(id)", "GET, DELETE"), ("GET", "/v1/pairing/\(id)/approve", "POST"),
            ("POST", "/v1/peers", "GET"), ("GET", "/v1/peers/\(id)", "DELETE"), ("GET", "/v1/destination", "PUT"),
            ("get", "/v1/status", "GET"), ("OPTIONS", "/v1/status", "GET"), ("POST", "/v1/version", "GET"),
        ])
    func methods(method: String, path: String, allowed: String) throws {
        let hasBody = method == "POST" || method == "PUT"
        let answer = try ControlRig().ask(method, path, hasBody ? "{}" : nil)
        #expect(answer.status == 405)
        #expect(answer.error == "method_not_allowed")
        #expect(answer.headers["allow"] == allowed)
    }

    @Test("status and version answer 200 whatever the query")
    func plainRoutes() throws {
        let rig = try ControlRig()
        #expect(try rig.ask("GET", "/v1/status?x=%zz&fields=state").json?["mac_app"] == "running")
        let version = try #require(try rig.ask("GET", "/v1/version").json)
        #expect(version["schema"] == "healthmd.receiver_version")
        #expect(version["accepted_health_data_versions"] == [8, 10])
        #expect(version["limits"] == ["maximum_window": 8])
    }

    @Test("the state of a job has the HTTP status of its word", arguments: ControlResponse.Status.all)
    func jobStatus(status: ControlResponse.Status) throws {
        let rig = try ControlRig()
        rig.receiver.change { $0.answer = ControlAnswer(ControlResponse(status: status, message: "m")) }
        let answer = try rig.ask("GET", "/v1/exports/\(Self.id)")
        #expect(answer.json?["status"]?.string == status.rawValue)
        let expected: [ControlResponse.Status: Int] = [
            .accepted: 202, .preparing: 202, .success: 200, .partialSuccess: 200, .failure: 409, .cancelled: 409,
            .unavailable: 409, .timedOut: 408,
        ]
        #expect(answer.status == expected[status])
    }

    @Test("fields=state asks for the small object, anything else for everything")
    func stateOnly() throws {
        let rig = try ControlRig()
        for query in [
            "", "?fields=state", "?x=1&fields=state", "?fields=all", "?fields=&fields=state", "?fields=%73tate",
        ] {
            #expect(try rig.ask("GET", "/v1/exports/\(Self.id)\(query)").status == 404)
        }
        #expect(rig.receiver.read { $0.stateOnly } == [false, true, true, false, true, true])
    }

    @Test("the listing hands its query over")
    func listing() throws {
        let rig = try ControlRig()
        for query in [
            "", "?state=paused&state=queued&limit=200&unknown=%", "?before=17.a%2Bb+c&limit=1&limit=9&state=",
        ] {
            #expect(try rig.ask("GET", "/v1/exports" + query).status == 200)
        }
        #expect(
            rig.receiver.read { $0.queries } == [
                JobListQuery(), JobListQuery(states: [.paused, .queued], limit: 200),
                JobListQuery(limit: 1, before: "17.a+b c"),
            ])
        rig.receiver.change { $0.refusal = .invalidCursor }
        #expect(try rig.ask("GET", "/v1/exports?before=x").error == "invalid_cursor")
    }

    @Test(
        "a parameter of the listing outside its values is refused by name",
        arguments: [
            ("limit=0", "invalid_limit"), ("limit=201", "invalid_limit"), ("limit=-1", "invalid_limit"),
            ("limit=ten", "invalid_limit"), ("limit=%2B5", "invalid_limit"), ("limit=5%zz", "invalid_limit"),
            ("state=done", "invalid_state"), ("state=queued&state=x", "invalid_state"),
        ])
    func listingRefusals(query: String, code: String) throws {
        let answer = try ControlRig().ask("GET", "/v1/exports?" + query)
        #expect(answer.status == 400)
        #expect(answer.error == code)
    }

    @Test("a create that is answered at once carries the refusal and the validated request")
    func createAnswered() throws {
        let rig = try ControlRig()
        var refusal = ControlResponse(
            status: .unavailable, message: "busy", jobID: job, failureReason: "export_in_progress")
        refusal.activeJobID = FakeReceiver.pairingID
        rig.receiver.change { [refusal] in $0.submission = ControlAnswer(refusal) }
        let body = #"{"date_selection":"all_available","job_id":"\#(Self.id)"}"#
        let answer = try rig.ask("POST", "/v1/exports?queue_if_offline=true", body)
        #expect(answer.status == 409)
        #expect(answer.json?["failure_reason"] == "export_in_progress")
        #expect(answer.json?["active_job_id"]?.string == FakeReceiver.pairingID.uuidString)
        #expect(rig.receiver.read { $0.created } == [JobRequest(jobID: job, dateSelection: .allAvailable)])
    }

    @Test("each code of the validation travels as HTTP 400 with a sentence")
    func validationStatus() throws {
        let answer = try ControlRig().ask("POST", "/v1/exports", #"{"date_selection":"all_available","source":"x"}"#)
        #expect(answer.status == 400)
        #expect(
            answer.text
                == "{\n  \"error\" : \"unsupported_source\",\n  \"message\" : \"source takes connected_iphone.\"\n}")
    }

    @Test("resume takes nothing, an empty object, or a time-out")
    func resumeBodies() throws {
        let rig = try ControlRig()
        rig.receiver.change { $0.submission = ControlAnswer(ControlResponse(status: .accepted, message: "")) }
        let path = "/v1/exports/\(Self.id)/resume"
        for body in ["", "{}", #"{"wait_timeout_seconds":5}"#] {
            #expect(try rig.ask("POST", path, body).status == 202)
        }
        #expect(rig.receiver.read { $0.resumed.map(\.seconds) } == [300, 300, 5])
        #expect(rig.receiver.read { $0.resumed.map(\.job) } == [job, job, job])
        #expect(try rig.ask("POST", path, #"{"wait_timeout_seconds":4}"#).error == "invalid_timeout")
        #expect(try rig.ask("POST", path, "[]").error == "invalid_json")
    }

    @Test("cancel takes any JSON, and a successful one answers 409")
    func cancel() throws {
        let rig = try ControlRig()
        rig.receiver.change { $0.answer = ControlAnswer(ControlResponse(status: .cancelled, message: "")) }
        for body in ["", "{}", "[1]", "null", "{\"a\":2}"] {
            let answer = try rig.ask("POST", "/v1/exports/\(Self.id)/cancel", body)
            #expect(answer.status == 409 && answer.json?["status"] == "cancelled")
        }
        #expect(try rig.ask("POST", "/v1/exports/\(Self.id)/cancel", "{").error == "invalid_json")
        #expect(rig.receiver.read { $0.calls.count } == 5)
    }

    @Test("verify says intact or different, or why it cannot")
    func verify() throws {
        let rig = try ControlRig()
        let path = "/v1/exports/\(Self.id)/verify"
        let intact = try rig.ask("POST", path, "{}")
        #expect(intact.status == 200 && intact.json?["status"] == "intact" && intact.json?["bytes"] == 5_000_000_000)
        rig.receiver.change {
            $0.differences = [JobVerification.Difference(kind: "file", name: "a.json", code: "missing")]
        }
        let different = try rig.ask("POST", path, "{}")
        #expect(different.status == 200 && different.json?["status"] == "different")
        #expect(different.json?["differences"] == [["code": "missing", "kind": "file", "name": "a.json"]])
        rig.receiver.change { $0.refusal = .jobNotFinished }
        #expect(try rig.ask("POST", path, "{}").status == 409)
        rig.receiver.change { $0.refusal = .jobNotFound }
        #expect(try rig.ask("POST", path, "{}").error == "job_not_found")
    }

    @Test("a pairing opens with 201 and its code, and shows the code nowhere else")
    func pairing() throws {
        let rig = try ControlRig()
        let opened = try rig.ask("POST", "/v1/pairing", #"{"timeout_seconds":600}"#)
        #expect(opened.status == 201)
        #expect(opened.json?["code"] == "12345678901234567890")
        #expect(
            opened.json?["listener"]?.object?.keys == ["addresses", "port"]
                && opened.json?["listener"]?["port"] == 17_646)
        #expect(opened.json?["listener"]?["addresses"] == ["192.0.2.1", "2001:db8::1"])
        #expect(opened.json?["expires_at"] == "2023-11-14T22:13:20Z")
        #expect(try rig.ask("POST", "/v1/pairing", #"{"code_style":"phone_app"}"#).status == 201)
        #expect(try rig.ask("POST", "/v1/pairing", "").status == 201)
        let path = "/v1/pairing/\(FakeReceiver.pairingID.uuidString.lowercased())"
        let shown = try rig.ask("GET", path)
        #expect(shown.status == 200 && shown.json?["state"] == "waiting" && shown.json?["code"] == nil)
        #expect(try rig.ask("POST", path + "/approve", #"{"accept":false}"#).status == 200)
        #expect(try rig.ask("DELETE", path).status == 200)
        #expect(
            rig.receiver.read { $0.calls } == [
                "pair strong 600", "pair phone_app default", "pair strong default",
                "pairing \(FakeReceiver.pairingID)", "approve \(FakeReceiver.pairingID) false",
                "close \(FakeReceiver.pairingID)",
            ])
    }

    @Test(
        "what a pairing does not take is refused before the receiver is asked",
        arguments: [
            (#"{"timeout_seconds":9}"#, "invalid_timeout"), (#"{"timeout_seconds":601}"#, "invalid_timeout"),
            (#"{"timeout_seconds":10.5}"#, "invalid_timeout"),
            (#"{"timeout_seconds":301,"code_style":"phone_app"}"#, "invalid_timeout"),
            (#"{"code_style":"weak"}"#, "unsupported_code_style"), (#"{"timeout_seconds":"10"}"#, "invalid_json"),
        ])
    func pairingRefusals(body: String, code: String) throws {
        let rig = try ControlRig()
        let answer = try rig.ask("POST", "/v1/pairing", body)
        #expect(answer.status == 400 && answer.error == code)
        #expect(rig.receiver.read { $0.calls.isEmpty })
    }

    @Test("an approval needs its word")
    func approval() throws {
        let path = "/v1/pairing/\(FakeReceiver.pairingID)/approve"
        #expect(try ControlRig().ask("POST", path, "{}").error == "invalid_approval")
        #expect(try ControlRig().ask("POST", path, #"{"accept":"yes"}"#).error == "invalid_json")
    }

    @Test("the receiver's refusals keep their code and status", arguments: ReceiverControlError.all)
    func refusals(error: ReceiverControlError) throws {
        let rig = try ControlRig()
        rig.receiver.change { $0.refusal = error }
        let answer = try rig.ask("PUT", "/v1/destination", #"{"root_path":"/tmp"}"#)
        #expect(answer.status == error.httpStatus)
        #expect(answer.error == error.code)
        #expect(answer.json?["message"]?.string == error.message)
    }

    @Test("peers are listed with the strength of their pairing, and forgotten by id")
    func peers() throws {
        let rig = try ControlRig()
        rig.receiver.change {
            $0.devices = [
                PeerList.Device(
                    installationID: FakeReceiver.pairingID, name: "Phone", platform: "ios", pairingStrength: .phoneApp,
                    pairedAt: 0, lastConnectedAt: nil)
            ]
        }
        #expect(
            try rig.ask("GET", "/v1/peers").json?.controlText
                == ([
                    "schema": "healthmd.direct_devices", "schema_version": 1,
                    "installation_id": .string(FakeReceiver.pairingID.uuidString),
                    "devices": [
                        [
                            "installation_id": .string(FakeReceiver.pairingID.uuidString), "name": "Phone",
                            "platform": "ios", "pairing_strength": "phone_app", "paired_at": "1970-01-01T00:00:00Z",
                        ]
                    ],
                ] as JSONValue).controlText)
        #expect(try rig.ask("DELETE", "/v1/peers/\(FakeReceiver.pairingID)").json?["status"] == "success")
        rig.receiver.change { $0.refusal = .deviceNotFound }
        let unknown = try rig.ask("DELETE", "/v1/peers/\(Self.id)")
        #expect(unknown.status == 404 && unknown.error == "direct_device_not_found")
        rig.receiver.change { $0.devices[0].pairedAt = .max }
        let unwritable = try rig.ask("GET", "/v1/peers")
        #expect(unwritable.status == 500 && unwritable.error == "encode_failed")
    }

    private static let paths: [(body: String, code: String?)] = [
        (#"{"root_path":"/srv/Health"}"#, nil), ("{}", "invalid_destination"),
        (#"{"root_path":"Health"}"#, "invalid_destination"), (#"{"root_path":""}"#, "invalid_destination"),
        (#"{"root_path":"/a\u0000b"}"#, "invalid_destination"), (#"{"root_path":7}"#, "invalid_json"),
        (#"{"root_path":"/\#(String(repeating: "a", count: 4_094))"}"#, nil),
        (#"{"root_path":"/\#(String(repeating: "a", count: 4_095))"}"#, "invalid_destination"),
    ]

    @Test("a destination is an absolute path", arguments: paths)
    func destination(body: String, code: String?) throws {
        let answer = try ControlRig().ask("PUT", "/v1/destination", body)
        #expect(answer.status == (code == nil ? 200 : 400))
        #expect(answer.error == code)
        if code == nil { #expect(answer.json?["display_name"] == "Health") }
    }

    @Test("a live file job names itself when the destination is to change")
    func destinationBusy() throws {
        let rig = try ControlRig()
        rig.receiver.change { $0.refusal = .exportInProgress(activeJobID: FakeReceiver.pairingID) }
        let answer = try rig.ask("PUT", "/v1/destination", #"{"root_path":"/tmp"}"#)
        #expect(answer.status == 409)
        #expect(answer.json?["active_job_id"]?.string == FakeReceiver.pairingID.uuidString)
    }

    // MARK: /v1/agent

    @Test("the catalog lists the whole registry, sorted, compact")
    func catalog() throws {
        let answer = try ControlRig().ask("GET", "/v1/agent/metrics")
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix(#"{"metrics":[{"archive_only":"#))
        let metrics = try #require(answer.json?["metrics"]?.array)
        #expect(metrics.compactMap { $0["id"]?.string } == Registry.current.metrics.map(\.id).sorted())
        let steps = try #require(metrics.first { $0["id"] == "steps" })
        #expect(
            steps.controlText
                == ([
                    "id": "steps", "name": .string(Registry.current.metric("steps")?.name ?? ""),
                    "category": "Activity",
                    "unit": .string(Registry.current.metric("steps")?.selectionUnit ?? ""), "archive_only": false,
                    "availability": "enabled", "requires_separate_authorization": false,
                ] as JSONValue).controlText)
    }

    @Test("readiness is decided by the blocking checks alone")
    func readiness() throws {
        let rig = try ControlRig()
        func ask() throws -> JSONValue { try #require(try rig.ask("GET", "/v1/agent/readiness").json) }
        func codes(_ document: JSONValue) -> [String] {
            document["next_actions"]?.array?.compactMap { $0["code"]?.string } ?? []
        }
        let bare = try ask()
        #expect(bare["status"] == "action_required")
        #expect(codes(bare) == ["pair_phone", "connect_phone", "choose_destination"])
        let phone = ReceiverStatus.Phone(installationID: UUID(), name: "Phone")
        rig.receiver.change { $0.status.phones = [phone] }
        #expect(try ask()["status"] == "ready")
        rig.receiver.change { $0.status.destination = DestinationInformation(isSelected: true) }
        #expect(try ask()["status"] == "action_required")
        rig.receiver.change {
            $0.status.destination = DestinationInformation(isSelected: true, isWritable: true)
            $0.status.phone = ReceiverStatus.Phone(isConnected: true, name: "Phone")
        }
        let ready = try ask()
        #expect(ready["status"] == "ready" && ready["iphone"]?["name"] == "Phone" && codes(ready).isEmpty)
    }

    @Test(
        "the rest of the agent routes answers in its own error shape",
        arguments: [
            ("GET", "capabilities", 501, "not_implemented"), ("POST", "query", 501, "not_implemented"),
            ("POST", "evidence", 501, "not_implemented"), ("POST", "refresh", 501, "not_implemented"),
            ("GET", "jobs/\(id)", 501, "not_implemented"), ("POST", "jobs/\(id)/resume", 501, "not_implemented"),
            ("POST", "jobs/\(id)/cancel", 501, "not_implemented"), ("GET", "jobs/x", 404, "not_found"),
            ("GET", "jobs/\(id)/x", 404, "not_found"), ("GET", "nothing", 404, "not_found"),
            ("GET", "query", 405, "method_not_allowed"), ("GET", "profiles", 410, "removed_endpoint"),
            ("POST", "activity/query", 410, "removed_endpoint"),
        ])
    func agent(method: String, path: String, status: Int, code: String) throws {
        let answer = try ControlRig().ask(method, "/v1/agent/" + path, method == "POST" ? "{}" : nil)
        #expect(answer.status == status)
        #expect(answer.text.hasPrefix(#"{"code":"\#(code)","details":{},"message":""#))
        #expect(answer.text.hasSuffix(#""retryable":false,"schema":"healthmd.query_error","schema_version":1}"#))
    }
}

extension ControlResponse.Status {
    fileprivate static let all: [ControlResponse.Status] = [
        .accepted, .preparing, .success, .partialSuccess, .failure, .cancelled, .unavailable, .timedOut,
    ]
}

extension ReceiverControlError {
    fileprivate static let all: [ReceiverControlError] = [
        .jobNotFound, .jobNotFinished, .invalidCursor, .pairingInProgress, .pairingNotFound,
        .pairingNotAwaitingApproval, .invalidTimeout(allowed: 1...2), .deviceNotFound,
        .invalidDestination(reason: "it is a link."), .exportInProgress(activeJobID: FakeReceiver.pairingID),
        .responseSpoolUnavailable, .persistenceFailed, .shuttingDown,
    ]
}
