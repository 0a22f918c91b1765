import CanonicalJSON
import Foundation
import HTTPService
import Testing

@testable import Receiver

/// The framing rules of control-api.md 2 as clients of the control API see them.
@Suite struct ControlAPIFramingTests {
    @Test("every fault of the framing has the status, the code and a sentence of its own")
    func faults() throws {
        let api = ControlAPI(configuration: .init(port: 0, token: ControlRig.token), control: FakeReceiver())
        let rules = api.serverConfiguration().rules
        let expected: [HTTPFault: (Int, String)] = [
            .peerRefused: (403, "loopback_required"), .headTooLarge: (431, "request_headers_too_large"),
            .bodyTooLarge: (413, "request_body_too_large"), .requestTimeout: (408, "request_timeout"),
            .incompleteRequest: (400, "incomplete_request"), .invalidHeaders: (400, "invalid_headers"),
            .invalidContentLength: (400, "invalid_content_length"),
            .transferEncodingNotSupported: (400, "transfer_encoding_not_supported"),
            .invalidRequestLine: (400, "invalid_request_line"),
            .contentLengthRequired: (411, "content_length_required"),
            .mediaTypeRequired: (415, "application_json_required"), .unexpectedBody: (400, "unexpected_body"),
            .serverStopping: (503, "server_not_ready"),
        ]
        for fault in HTTPFault.allCases {
            let response = rules.renderFault(fault)
            guard case .bytes(let body) = response.body else {
                Issue.record("\(fault) has no body")
                continue
            }
            let document = try JSONParser.parse(body)
            #expect(response.status == expected[fault]?.0)
            #expect(document["error"]?.string == expected[fault]?.1)
            #expect(document["message"]?.string?.isEmpty == false)
        }
        guard case .total(.seconds(10)) = rules.receiveLimit else {
            Issue.record("a request has ten seconds from accept to its end")
            return
        }
    }

    @Test(
        "what breaks the framing is refused before the token is looked at",
        arguments: [
            ("GET /v1/status\r\n\r\n", 400, "invalid_request_line"),
            ("GET /v1/status HTTP/2.0\r\n\r\n", 400, "invalid_request_line"),
            ("GET /v1/status HTTP/1.1\r\nX\r\n\r\n", 400, "invalid_headers"),
            ("GET /v1/status HTTP/1.1\r\nX: 1\r\nx: 2\r\n\r\n", 400, "invalid_headers"),
            ("GET /v1/status HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "invalid_content_length"),
            ("GET /v1/status HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 400, "unexpected_body"),
            ("DELETE /v1/peers/x HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 400, "unexpected_body"),
            ("POST /v1/exports HTTP/1.1\r\nContent-Type: application/json\r\n\r\n", 411, "content_length_required"),
            ("POST /v1/exports HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 415, "application_json_required"),
            ("PUT /v1/destination HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 415, "application_json_required"),
            (
                "POST /v1/exports HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
                "transfer_encoding_not_supported"
            ),
            (
                "POST /v1/exports HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 262145\r\n\r\n", 413,
                "request_body_too_large"
            ),
        ])
    func framing(request: String, status: Int, code: String) throws {
        let answer = try ControlRig().raw(request)
        #expect(answer.status == status)
        #expect(answer.error == code)
        #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        #expect(answer.headers["connection"] == "close")
        #expect(answer.headers["content-length"] == String(answer.body.count))
    }

    @Test("a head of 16,384 bytes passes, one of 16,385 does not", arguments: [(16_384, 200), (16_385, 431)])
    func headLimit(size: Int, status: Int) throws {
        let bare = ControlRig.text("GET", "/v1/status", headers: ["X: "])
        let padding = String(repeating: "a", count: size - bare.utf8.count)
        let answer = try ControlRig().ask("GET", "/v1/status", headers: ["X: " + padding])
        #expect(answer.status == status)
    }

    @Test(
        "a body of 262,144 bytes reaches the route, one of 262,145 does not",
        arguments: [(262_144, 400), (262_145, 413)])
    func bodyLimit(size: Int, status: Int) throws {
        let body = "{}" + String(repeating: " ", count: size - 2)
        let answer = try ControlRig().ask("POST", "/v1/exports", body)
        #expect(answer.status == status)
        #expect(answer.error == (status == 400 ? "invalid_date_range" : "request_body_too_large"))
    }

    @Test("a connection that ends inside its body is answered incomplete_request")
    func cutShort() throws {
        let rig = try ControlRig()
        let connection = try rig.dial()
        let request = ControlRig.text("POST", "/v1/exports", "{\"source\":\"connected_iphone\"}").dropLast(5)
        try connection.send(Array(request.utf8), stall: .seconds(5))
        connection.finishSending()
        let answer = try ControlRig.receive(connection)
        #expect(answer.status == 400)
        #expect(answer.error == "incomplete_request")
        #expect(rig.receiver.read { $0.created.isEmpty })
    }

    @Test("media types are compared without case and parameters; bytes behind the body are ignored")
    func lenience() throws {
        let rig = try ControlRig()
        rig.receiver.change { $0.submission = ControlAnswer(ControlResponse(status: .accepted, message: "")) }
        let body = #"{"date_selection":"all_available"}"#
        let head = [
            "POST /v1/exports HTTP/1.0", "Content-Type: Application/JSON; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Authorization: bearer \(ControlRig.token)",
        ]
        let answer = try rig.raw(head.joined(separator: "\r\n") + "\r\n\r\n" + body + "more")
        #expect(answer.status == 202)
    }

    @Test("both loopback addresses serve on the one port")
    func twoListeners() throws {
        let rig = try ControlRig()
        let hosts = rig.endpoint.addresses.map(\.address.description)
        #expect(hosts.first == "127.0.0.1")
        for address in rig.endpoint.addresses {
            #expect(address.port == rig.endpoint.port)
            let answer = try rig.raw(ControlRig.text("GET", "/v1/status"), host: address.address.description)
            #expect(answer.status == 200)
        }
    }

    @Test("a port that is taken is refused, and a damaged token too")
    func refusedStarts() throws {
        let rig = try ControlRig()
        let second = ControlAPI(
            configuration: .init(port: rig.endpoint.port, token: ControlRig.token), control: rig.receiver)
        #expect { try second.start() } throws: { ($0 as? ControlAPIError)?.code == "port_in_use" }
        for token in [String(repeating: "a", count: 42), String(repeating: "a", count: 43) + "\n", ""] {
            let api = ControlAPI(configuration: .init(port: 0, token: token), control: rig.receiver)
            #expect(throws: ControlAPIError.invalidToken) { try api.start() }
        }
    }
}
