import Testing

@testable import Receiver

/// `Host`, `Origin`, the control token, and the order of all checks (control-api.md 1, extensions.md 5).
@Suite struct ControlAPIAccessTests {
    @Test(
        "a host that is there names this computer",
        arguments: [
            ("127.0.0.1", true), ("127.0.0.1:17645", true), ("localhost", true), ("LocalHost:1", true),
            ("[::1]", true), ("[::1]:80", true), ("localhost:", true), ("", false), ("evil.example", false),
            ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("127.0.0.1:80@evil.example", false),
            ("127.0.0.2", false), ("[::1", false), ("::1", false), ("localhost:x", false), ("0.0.0.0", false),
        ])
    func hosts(host: String, isTaken: Bool) throws {
        let answer = try ControlRig().ask("GET", "/v1/status", headers: ["Host: " + host])
        #expect(answer.status == (isTaken ? 200 : 403))
        #expect(answer.error == (isTaken ? nil : "loopback_required"))
    }

    @Test("no host is taken")
    func withoutHost() throws {
        #expect(try ControlRig().ask("GET", "/v1/status").status == 200)
    }

    @Test(
        "an origin is taken when it is http:// and the host",
        arguments: [
            (["Host: 127.0.0.1:17645", "Origin: http://127.0.0.1:17645"], 200),
            (["Host: [::1]:17645", "Origin: http://[::1]:17645"], 200),
            (["Host: 127.0.0.1:17645", "Origin: http://127.0.0.1"], 403),
            (["Host: 127.0.0.1:17645", "Origin: http://localhost:17645"], 403),
            (["Host: 127.0.0.1:17645", "Origin: https://127.0.0.1:17645"], 403),
            (["Host: 127.0.0.1:17645", "Origin: http://evil.example"], 403),
            (["Host: 127.0.0.1:17645", "Origin: null"], 403), (["Origin: http://127.0.0.1"], 403),
        ])
    func origins(headers: [String], status: Int) throws {
        #expect(try ControlRig().ask("GET", "/v1/status", headers: headers).status == status)
    }

    private static let credentials: [(value: String, isTaken: Bool)] = {
        let token = ControlRig.token
        return [
            ("Bearer \(token)", true), ("bearer \(token)", true), ("BEARER   \(token)", true), (token, false),
            ("Bearer", false), ("Bearer ", false), ("Basic \(token)", false), ("Bearer \(token.dropLast())", false),
            ("Bearer \(token)x", false), ("Bearer \(token.uppercased())", false),
            ("Bearer x\(token.dropFirst())", false), ("Bearer\(token)", false),
        ]
    }()

    @Test("only the token itself opens", arguments: credentials)
    func tokens(value: String, isTaken: Bool) throws {
        let answer = try ControlRig().ask("GET", "/v1/status", token: nil, headers: ["Authorization: " + value])
        #expect(answer.status == (isTaken ? 200 : 401))
        #expect(answer.error == (isTaken ? nil : "unauthorized"))
        #expect(answer.headers["www-authenticate"] == (isTaken ? nil : "Bearer"))
        #expect(!answer.text.contains(ControlRig.token))
    }

    @Test("a configuration shows its token neither printed nor dumped")
    func redaction() {
        let configuration = ControlAPI.Configuration(token: ControlRig.token)
        var text = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &text)
        #expect(!text.contains(ControlRig.token))
    }

    @Test(
        "without the token nobody learns which routes there are", arguments: ["/v1/status", "/v1/agent/metrics", "/x"])
    func tokenBeforeRoute(path: String) throws {
        #expect(try ControlRig().ask("PATCH", path, token: nil).status == 401)
    }

    @Test("the order is framing, host, token, route, method, body")
    func order() throws {
        let rig = try ControlRig()
        let evil = ["Host: evil.example"]
        #expect(try rig.ask("GET", "/x", token: nil, headers: evil + ["X: 1", "x: 1"]).error == "invalid_headers")
        #expect(try rig.ask("GET", "/x", token: nil, headers: evil).error == "loopback_required")
        #expect(try rig.ask("POST", "/x", "{", token: nil).error == "unauthorized")
        #expect(try rig.ask("POST", "/x", "{").error == "not_found")
        #expect(try rig.ask("PUT", "/v1/exports", "{").error == "method_not_allowed")
        #expect(try rig.ask("POST", "/v1/exports", "{").error == "invalid_json")
    }

    @Test("without a control token upstream's routes are open, and ours still need it")
    func openRoutes() throws {
        let rig = try ControlRig(requiresToken: false)
        rig.receiver.change { $0.submission = ControlAnswer(ControlResponse(status: .accepted, message: "")) }
        let job = "/v1/exports/A1700000-0000-4000-8000-000000000001"
        let all = #"{"date_selection":"all_available"}"#
        let open: [(String, String, String?, Int)] = [
            ("GET", "/v1/status", nil, 200), ("POST", "/v1/exports", all, 202), ("GET", job, nil, 404),
            ("POST", job + "/resume", "{}", 202), ("POST", job + "/cancel", "{}", 404),
            ("GET", "/v1/agent/metrics", nil, 200), ("GET", "/v1/agent/readiness", nil, 200),
            ("POST", "/v1/agent/query", "{}", 501), ("GET", "/x", nil, 404),
        ]
        for (method, path, body, status) in open {
            #expect(try rig.ask(method, path, body, token: nil).status == status, "\(method) \(path)")
        }
        let closed: [(String, String, String?)] = [
            ("GET", "/v1/version", nil), ("GET", "/v1/exports", nil), ("POST", job + "/verify", "{}"),
            ("POST", "/v1/pairing", "{}"), ("GET", "/v1/pairing/\(FakeReceiver.pairingID)", nil),
            ("DELETE", "/v1/pairing/\(FakeReceiver.pairingID)", nil),
            ("POST", "/v1/pairing/\(FakeReceiver.pairingID)/approve", #"{"accept":true}"#), ("GET", "/v1/peers", nil),
            ("DELETE", "/v1/peers/\(FakeReceiver.pairingID)", nil),
            ("PUT", "/v1/destination", #"{"root_path":"/tmp"}"#),
            ("POST", "/v1/exports", #"{"date_selection":"all_available","destination":"/tmp"}"#),
        ]
        for (method, path, body) in closed {
            #expect(try rig.ask(method, path, body, token: nil).error == "unauthorized", "\(method) \(path)")
            #expect(try rig.ask(method, path, body).status < 300, "\(method) \(path)")
        }
        #expect(rig.receiver.read { $0.created.map(\.destination) } == [nil, "/tmp"])
    }

    @Test("the status tells of an open pairing only to those who have the token")
    func openPairingInStatus() throws {
        let rig = try ControlRig(requiresToken: false)
        rig.receiver.change { $0.status.openPairing = $0.pairing }
        #expect(try rig.ask("GET", "/v1/status", nil, token: nil).json?["open_pairing"] == nil)
        #expect(try rig.ask("GET", "/v1/status").json?["open_pairing"]?["pairing_id"] != nil)
    }
}
